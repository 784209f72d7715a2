"""Looking on while a player weighs its cards changes nothing, and tells why it chose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sviten
from sviten.api.tables import Tables
from sviten.cli import main

CAUTION = 1.5


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return sviten.simulate(
        seats={
            "N": f"tips/search(worlds=6,caution={CAUTION})",
            "E": "tips/greedy",
            "S": "tips/high",
            "W": "tips/oracle",
        },
        deals=4,
        duplicate=True,
        seed=7,
        rules={"all_pass": "play-out"},
        out=tmp_path_factory.mktemp("weighing") / "run",
        jobs=1,
    )


def choices(record: dict[str, Any], seat: str) -> list[tuple[int, str, int]]:
    """Trick and card of each decision of a seat, and how many cards were legal."""
    seats = list(record["hands"])
    held = list(record["hands"][seat])
    found = []
    for number, trick in enumerate(record["tricks"]):
        place = (seats.index(seat) - seats.index(trick["leader"])) % 4
        card = trick["cards"][place]
        suit = [c for c in held if place and c[1] == trick["cards"][0][1]]
        found.append((number, card, len(suit or held)))
        held.remove(card)
    return found


def test_every_choice_is_noted_and_nothing_else_is_changed(tables: Tables) -> None:
    seen = 0
    for deal_id in range(4):
        for leg in (0, 1):
            plain = sviten.replay(tables, deal_id, leg)
            record = sviten.replay(tables, deal_id, leg, why=True)
            notes = record.pop("why")
            assert record == plain
            for seat, entrant in record["entrants"].items():
                own = [note for note in notes if note["seat"] == seat]
                expected = [each for each in choices(record, seat) if each[2] > 1]
                if entrant in {"tips/greedy", "tips/high"}:
                    assert own == []
                    continue
                told = [(n["trick"], n["card"], len(n["candidates"])) for n in own]
                assert told == expected
                for note in own:
                    check(note, searches="search" in entrant)
                seen += len(own)
    assert seen > 100


def check(note: dict[str, Any], *, searches: bool) -> None:
    """Check that the card played is the plain one, or the best of those surely better."""
    assert note["worlds"] == (6 if searches else 1)
    gains = [each["gain"] for each in note["candidates"]]
    assert gains == sorted(gains, reverse=True)
    by_card = {each["card"]: each for each in note["candidates"]}
    plain = [c for c, each in by_card.items() if each["gain"] == each["standard_error"] == 0]
    assert plain
    if not searches:
        assert by_card[note["card"]]["gain"] == gains[0]
        return
    # The rule is on sums: worlds times the gain, less caution times the root of the sum of squares.
    worlds = note["worlds"]
    sure = [
        each
        for each in note["candidates"]
        if worlds * each["gain"] - CAUTION * worlds * each["standard_error"] > 1e-9
    ]
    best = max((each["gain"] for each in sure), default=0.0)
    assert by_card[note["card"]]["gain"] == pytest.approx(best)


def test_the_command_tells_why(
    tables: Tables, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(tables.folder), "0", "--why"]) == 0
    text = capsys.readouterr().out
    assert "Weighed: mean gain in points" in text
    assert all(
        len(line) <= 80 for line in text.split("Weighed")[1].split("\n\n")[0].splitlines()[1:]
    )
    page = tmp_path / "why.html"
    assert main(["replay", str(tables.folder), "0", "--why", "--html", str(page)]) == 0
    assert '"why":' in page.read_text("utf-8")
    capsys.readouterr()
    assert main(["replay", str(tables.folder), "0", "--why", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["why"]
    simple = sviten.simulate("tips/high", "pass/high", deals=2, seed=1, out=tmp_path / "simple")
    assert main(["replay", str(simple.folder), "0", "--why"]) == 0
    assert "Nobody weighed cards" in capsys.readouterr().out
