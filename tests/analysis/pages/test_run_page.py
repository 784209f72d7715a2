"""The report and the replay page: what they hold, and what a browser makes of them."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

import sviten
from analysis.pages.run_page import Block, Section
from analysis.show.webpage import render, replay_page
from analysis.summary.points import points_by_side
from sviten.api.tables import Tables
from sviten.cli import main
from sviten.display.command_line import command_of
from tests.fixtures.browser import browse, needs_browser, sections
from tests.golden.make import CHOICES, read_golden

STATES = '''
"""A bidder that states chances."""
from strategies.declare.registry import bidder


@bidder("states", looks_at="the calls so far", source="a test")
def states(view, work):
    """Bid one of a suit where nobody has, and give it 90 %."""
    if view.declarer >= 0:
        return 0
    view.stated = 900
    return 2
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def auctions(folder: Path) -> Tables:
    """Run whose entrants have a name that would be markup."""
    odd = folder / "<img src=x onerror=alert(1)>&amp;"
    odd.mkdir()
    (odd / "mine.py").write_text(STATES)
    return sviten.simulate(
        f"{odd / 'mine.py'}:states/greedy", "tips/greedy", deals=150, duplicate=True, seed=3,
        out=folder / "auctions", jobs=1,
    )  # fmt: skip


@pytest.fixture(scope="module")
def matches(folder: Path) -> Tables:
    return sviten.simulate("tips/greedy", "tips/high", matches=30, duplicate=True, seed=3,
                           rules={"slam_bonus": 10}, out=folder / "matches", jobs=1)  # fmt: skip


@pytest.fixture(scope="module")
def given(folder: Path) -> Tables:
    return sviten.simulate("pass/greedy", "pass/greedy", deals=150, seed=3, forced=True,
                           out=folder / "given", jobs=1)  # fmt: skip


def test_a_report_holds_what_the_run_holds(
    auctions: Tables, matches: Tables, given: Tables, folder: Path
) -> None:
    pages = {
        "auctions": sviten.report(auctions, folder / "a.html"),
        "beside": sviten.report(auctions.folder, folder / "b.html", forced=given),
        "matches": sviten.report(matches),
        "forced": sviten.report(given),
    }
    found = {name: sections(path.read_text("utf-8")) for name, path in pages.items()}
    assert found == {
        "auctions": ["scores", "contracts", "stated", "points", "hands", "run"],
        "beside": ["scores", "contracts", "stated", "forced", "points", "hands", "run"],
        "matches": ["matches", "scores", "contracts", "points", "hands", "run"],
        "forced": ["forced", "run"],
    }
    assert pages["matches"] == matches.folder / "report.html"
    before = pages["beside"].read_bytes()
    assert sviten.report(auctions, folder / "b.html", forced=given).read_bytes() == before
    for path in pages.values():
        page = path.read_text("utf-8")
        assert not re.search(r'(?:src|href)="(?!#)', page)
        assert "<img" not in page
        assert "&amp;amp;/mine.py" in page or path not in {pages["auctions"], pages["beside"]}
        assert "slam_bonus = 10" in page or path != pages["matches"]


def test_sums_by_side_are_those_of_pandas(auctions: Tables) -> None:
    hands = auctions.hands[auctions.hands.declarer >= 0]
    told = points_by_side(auctions.run)
    assert len(told) == 4
    for side, values in told.items():
        own = hands[hands.made == side.endswith("made")]
        end = "decl" if side.startswith("decl") else "def"
        for name, sums in values.items():
            assert sums.trials == len(own)
            assert sums.rate == pytest.approx(own[f"{name}_{end}"].mean())


def test_the_report_has_the_command_that_plays_the_run_again(matches: Tables, folder: Path) -> None:
    page = unescape(sviten.report(matches, folder / "m.html").read_text("utf-8"))
    command = command_of(matches.settings)
    assert "--set slam_bonus=10" in command
    assert f">{command}<" in page


def test_a_run_whose_hands_do_not_replay_is_reported_all_the_same(folder: Path) -> None:
    plugin = folder / "gone.py"
    plugin.write_text(STATES)
    run = sviten.simulate(f"{plugin}:states/high", "pass/high", deals=20, seed=1,
                          out=folder / "gone", jobs=1)  # fmt: skip
    for copy in (run.folder / "sources").rglob("*.py"):
        copy.write_text("raise RuntimeError('gone')")
    page = sviten.report(run).read_text("utf-8")
    assert "No sample hands: " in page
    assert 'class="replay"' not in page


def test_nobody_bids_and_three_players(folder: Path) -> None:
    silent = sviten.simulate("pass/random", "pass/random", deals=3, seed=1, out=folder / "silent")
    page = sviten.report(silent).read_text("utf-8")
    assert sections(page) == ["scores", "hands", "run"]
    assert "Passed out." in page
    three = sviten.simulate("tips/greedy", "tips/high", deals=40, seed=1, rules="three-player",
                            duplicate=True, out=folder / "three")  # fmt: skip
    page = sviten.report(three).read_text("utf-8")
    assert "Kitty" in page
    assert "each played 3 times" in page


def test_commands(auctions: Tables, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "told.html"
    assert main(["report", str(auctions.folder), "--out", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bytes"] == out.stat().st_size
    replay = ["replay", str(auctions.folder), "7", "--html"]
    assert main([*replay, str(folder / "hand.html"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["page"] == str(folder / "hand.html")
    page = (folder / "hand.html").read_text("utf-8")
    record = json.loads(re.findall(r'application/json">(.*?)</script>', page)[0])
    assert record == sviten.replay(auctions, 7)
    assert list(record["hands"]) == list("NESW")  # in the order of play, not of the alphabet
    assert main(["report", str(folder / "nowhere")]) == 1
    for place, why in (".", "it is a folder"), (out / "b" / "c.html", "is a file, where a folder"):
        assert main(["report", str(auctions.folder), "--out", str(place)]) == 1
        assert main([*replay, str(place)]) == 1
        assert capsys.readouterr().err.count(why) == 2


def test_a_run_that_may_only_be_read(
    auctions: Tables, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: mode == os.R_OK)  # root may write anywhere
    for command, remedy in ("report", "--out names"), ("calibrate", "--plots names"):
        assert main([command, str(auctions.folder)]) == 1
        assert remedy in capsys.readouterr().err


def test_a_run_that_is_replaced_leaves_no_report_of_the_old_one(folder: Path) -> None:
    options = {"deals": 20, "out": folder / "replaced", "jobs": 1}
    run = sviten.simulate("tips/high", "tips/high", seed=1, **options)
    page = sviten.report(run)
    assert main(["calibrate", str(run.folder)]) == 0
    (run.folder / "plots" / "mine.txt").touch()
    assert page.is_file()
    sviten.simulate("tips/high", "tips/high", seed=2, overwrite=True, **options)
    assert not page.exists()
    assert [path.name for path in (run.folder / "plots").iterdir()] == ["mine.txt"]


# ------------------------------------------------------------------------- in a browser


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    shutil.rmtree(tmp_path / "profile", ignore_errors=True)


@needs_browser
def test_a_report_in_a_browser(auctions: Tables, given: Tables, scratch: Path) -> None:
    path = sviten.report(auctions, scratch / "r.html", forced=given)
    found = browse(path.read_text("utf-8"), scratch)
    assert found["seen"] == []
    assert found["loaded"] == []
    assert found["dead"] == 0
    assert found["sections"] == [
        "scores",
        "contracts",
        "stated",
        "forced",
        "points",
        "hands",
        "run",
    ]
    assert len(found["told"]) == 3
    for hand in found["told"]:
        assert hand["steps"] == hand["backwards"] == len(hand["texts"]) - 1 > 52
        assert hand["wide"] <= 0, "the page is wider than a phone"
    assert any("with a stated chance of 90.0 %" in hand["end"] for hand in found["told"])


@needs_browser
def test_hands_of_every_variant_step_in_a_browser(scratch: Path) -> None:
    records = [read_golden(variant) for variant in CHOICES]
    assert len(records) >= 5
    blocks = [Block(name, record=record) for name, record in zip(CHOICES, records, strict=True)]
    page = {"title": "t", "played": "", "rules": "", "seed": 1, "findings": [], "facts": [],
            "sections": [Section("hands", "Hands", blocks)]}  # fmt: skip
    found = browse(render("report.html", page=page), scratch)
    assert found["seen"] == found["loaded"] == []
    for record, hand in zip(records, found["told"], strict=True):
        assert hand["still"] == "none"
        cards = [card for trick in record["tricks"] for card in trick["cards"]]
        assert hand["steps"] == 1 + len(record["auction"]) + bool(record["discard"]) + len(cards)
        assert (
            hand["texts"][0] == hand["again"] == f"The cards are dealt; {record['dealer']} deals."
        )
        assert hand["texts"][-1] == hand["end"]
        plays = [text for text in hand["texts"] if text.startswith("Trick ")]
        signs = str.maketrans("SHDC", "♠♥♦♣")
        expected = []
        for number, trick in enumerate(record["tricks"], 1):
            seats = list(record["hands"])
            first = seats.index(trick["leader"])
            for place, card in enumerate(trick["cards"]):
                seat = seats[(first + place) % len(seats)]
                verb = "plays" if place else "leads"
                expected.append(
                    f"Trick {number}: {seat} {verb} {card[0]}{card[1].translate(signs)}"
                )
        assert [re.split(r"[.;]", text)[0] for text in plays] == expected
        for side in record["sides"].values():
            if record["tricks"]:
                assert f"{'+'.join(side['seats'])} score {side['score']}" in hand["end"]
                assert f"score {side['score']}" in hand["piles"]


def test_a_record_makes_a_page_by_itself() -> None:
    for variant in CHOICES:
        record = read_golden(variant)
        page = replay_page(record)
        assert f"Deal {record['deal_id']}" in page
        assert json.loads(re.findall(r'application/json">(.*?)</script>', page)[0]) == record
