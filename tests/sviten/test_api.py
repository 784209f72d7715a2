"""The flat Python API."""

from __future__ import annotations

import ast
import pydoc
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sviten
from simulate.cards import DECK, card_text, read_cards
from simulate.errors import CardError, RulesError, RunError, StrategyError
from simulate.store.atomic import write_whole
from sviten.api.tables import Tables

ENTRANTS = ("tips/greedy", "random/random")
ROOT = Path(sviten.__file__).parents[1]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return sviten.simulate(
        *ENTRANTS,
        deals=300,
        duplicate=True,
        seed=2**64 - 1,
        rules={"dead_card_penalty": 1, "all_pass": "play-out"},
        detail=["calls", "plays"],
        out=tmp_path_factory.mktemp("api") / "run",
        jobs=1,
    )


def test_all_names_are_there() -> None:
    assert set(sviten.__all__) <= set(dir(sviten))
    for name in sviten.__all__:
        assert getattr(sviten, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        sviten.simulat  # noqa: B018
    # Whoever imports a module of a package first sets its name there.
    assert not {path.stem for path in Path(sviten.__file__).parent.iterdir()} & set(sviten.__all__)


def test_import_is_light() -> None:
    heavy = ("numpy", "numba", "pandas", "pyarrow", "pydantic", "scipy", "rich", "joblib")
    code = f"import sys, sviten, sviten.cli; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("shape", ["simulate/__init__.py", "analysis.py", "strategies/notes.txt"])
def test_a_folder_of_our_name_is_named(tmp_path: Path, shape: str) -> None:
    path = tmp_path / shape
    path.parent.mkdir(exist_ok=True)
    path.touch()
    code = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT)!r}]\nimport sviten"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    if shape.endswith(".txt"):  # a plain folder hides no package that is on the path
        assert done.returncode == 0
        return
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: ")
    assert str(path) in last
    assert "rename it" in last


def test_tables_are_wide(tables: Tables) -> None:
    hands = sviten.load(tables.folder).hands
    assert len(hands) == 600
    assert hands["score_ns"].dtype == hands["level"].dtype == np.int64
    assert hands["made"].dtype == pd.BooleanDtype()
    assert hands["stated"].dtype == hands["target"].dtype == pd.Int64Dtype()
    assert hands["entrant_n"].dtype == "category"
    assert set(hands["entrant_n"].cat.categories) == set(ENTRANTS)
    assert (hands["made"].isna() == (hands["declarer"] < 0)).all()
    assert tables.calls.columns.tolist() == ["deal_id", "leg", "index", "seat", "call"]
    assert len(tables.plays) == 600 * 52
    assert tables.plays["card"].isin(DECK).all()


def test_tables_can_stay_narrow(tables: Tables) -> None:
    hands = sviten.load(tables.folder, narrow=True).hands
    assert hands["level"].dtype == np.int8
    assert hands["stated"].dtype == pd.UInt16Dtype()
    assert hands["deal_id"].dtype == np.int64
    wide = sviten.load(tables.folder).hands
    pd.testing.assert_frame_equal(hands, wide, check_dtype=False)


def test_some_columns_alone(tables: Tables) -> None:
    assert tables.read(columns=["deal_id", "made"]).columns.tolist() == ["deal_id", "made"]
    with pytest.raises(RunError, match="hands has no column scores"):
        tables.read(columns=["scores"])


def test_missing_tables_are_named(tmp_path: Path) -> None:
    tables = sviten.simulate(*ENTRANTS, deals=5, out=tmp_path / "r", jobs=1)
    with pytest.raises(RunError, match="detail='plays'"):
        _ = tables.plays
    with pytest.raises(RunError, match="is no run"):
        sviten.load(tmp_path)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"deals": 10**20}, r"a run has 1 to 4611686018427387903"),
        ({"deals": 1e3}, r"deals = 1000\.0: it must be a whole number"),
        ({"deals": "5"}, r"deals = '5': it must be a whole number"),
        ({"deals": True}, r"deals = True: it must be a whole number"),
        ({"matches": 2.5}, r"matches = 2\.5: it must be a whole number"),
        ({"jobs": 0}, r"jobs = 0: it must be a whole number, 1 or more"),
        ({"jobs": 1.5}, r"jobs = 1\.5: it must be a whole number, 1 or more"),
        ({"backend": "spark"}, r"backend 'spark' is not known: it is threading, loky or dask"),
        ({"detail": "cards"}, r"detail 'cards' is not known"),
        ({"detail": [["calls"]]}, r"detail \['calls'\] is not known"),
    ],
)
def test_options_that_cannot_be_are_told_before_anything_is_written(
    tmp_path: Path, options: dict[str, Any], told: str
) -> None:
    if "matches" not in options:
        options = {"deals": 5} | options
    with pytest.raises(RunError, match=told):
        sviten.simulate(*ENTRANTS, out=tmp_path / "r", **options)
    assert not (tmp_path / "r").exists()


def test_options_may_be_of_numpy_and_detail_one_word(tmp_path: Path) -> None:
    run = sviten.simulate(
        *ENTRANTS, deals=np.int64(5), jobs=np.int64(1), detail="plays", out=tmp_path / "r"
    )
    assert run.settings.detail == ("plays",)
    assert len(run.plays) == 52 * (run.hands["declarer"] >= 0).sum()
    for options in ({"jobs": 0}, {"backend": "spark"}, {"deals": 7.0}):
        with pytest.raises(RunError, match=r"jobs = 0|'spark' is not|deals = 7"):
            sviten.resume(tmp_path / "r", **options)


def test_every_hand_replays(tables: Tables) -> None:
    dealt = sviten.deals(tables, range(300))
    for deal_id in range(0, 300, 7):
        for leg in (0, 1):
            record = sviten.replay(tables, deal_id, leg)
            assert record["entrants"]["N"] == ENTRANTS[leg]
            for seat in "NESW":
                assert read_cards(dealt.loc[deal_id, seat]) == read_cards(
                    " ".join(record["hands"][seat])
                )
            key = (tables.plays["deal_id"] == deal_id) & (tables.plays["leg"] == leg)
            cards = [card for trick in record["tricks"] for card in trick["cards"]]
            assert [card_text(card) for card in tables.plays[key]["card"]] == cards


def test_hands_that_are_not_there(tables: Tables) -> None:
    with pytest.raises(RunError, match="deal 300 is not in the run: it has 0 to 299"):
        sviten.replay(tables, 300)
    with pytest.raises(RunError, match="deal -1 is not in the run"):
        sviten.deals(tables, [0, -1])
    with pytest.raises(RunError, match="leg 2"):
        sviten.replay(tables, 0, 2)


def test_a_hand_that_differs_from_its_row(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    row = tables._row(3, 1)
    assert row
    monkeypatch.setattr(Tables, "_row", lambda *key: row | {"score_ns": 999})
    with pytest.raises(RunError, match="does not replay: score_ns is 999 there, "):
        sviten.replay(tables, 3, 1)


def test_a_damaged_part_is_named(tmp_path: Path) -> None:
    tables = sviten.simulate(*ENTRANTS, deals=50, out=tmp_path / "r", jobs=1)
    part = tmp_path / "r" / "hands" / "part-00000.parquet"
    content = part.read_bytes()
    write_whole(part, content[:500])
    with pytest.raises(RunError, match=r"part-00000\.parquet is damaged.*`sviten\.resume"):
        sviten.replay(tables.folder, 3)
    write_whole(part, content[:300] + bytes(100) + content[400:])
    with pytest.raises(RunError, match=r"part-00000\.parquet is damaged.*`sviten\.resume"):
        _ = sviten.load(tables.folder).hands


def test_resume_and_extend(tmp_path: Path) -> None:
    told: list[Any] = []
    sviten.simulate(*ENTRANTS, deals=40, seed=1, out=tmp_path / "r", jobs=1)
    longer = sviten.resume(
        tmp_path / "r", deals=60, jobs=1, progress=lambda *numbers: told.append(numbers)
    )
    whole = sviten.simulate(*ENTRANTS, deals=60, seed=1, out=tmp_path / "s", jobs=1)
    pd.testing.assert_frame_equal(longer.hands, whole.hands)
    assert told[-1][:2] == (60, 60)


def test_default_folder_is_new_and_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = [
        sviten.simulate("tips(min_structures=3)/greedy", deals=2, seed=5, jobs=1).folder.name
        for _ in range(2)
    ]
    assert names[0] == "tips-min-structures-3-greedy-v-random-random-seed-5"
    assert names[1] == f"{names[0]}-2"


class TestPlay:
    def test_same_as_in_a_run(self, tables: Tables) -> None:
        settings = tables.settings
        hand = sviten.play(*ENTRANTS, deal_id=9, leg=1, seed=settings.seed, rules=settings.rules)
        assert hand.record == sviten.replay(tables, 9, 1)
        assert str(hand) == hand.text()

    def test_after_another_card(self) -> None:
        hand = sviten.play("tips/greedy", seed=7, deal_id=2)
        same = hand.after(plays=hand.plays[:20])  # these strategies draw nothing by chance
        assert same.record == hand.record
        led = hand.plays[0]
        seat = hand.record["contract"]["declarer"]
        other = next(card for card in hand.record["hands"][seat] if card != led)
        changed = hand.after(plays=[other])
        assert changed.plays[0] == other
        assert changed.calls == hand.calls
        assert changed.record["hands"] == hand.record["hands"]
        assert hand.after(plays=hand.plays).record == hand.record

    def test_after_other_calls(self) -> None:
        hand = sviten.play("tips/greedy", seed=7, deal_id=2)
        changed = hand.after(calls=["6NT"])
        assert changed.calls == ["6NT", "pass", "pass", "pass"]
        assert changed.record["contract"]["level"] == 6
        assert hand.after().record == hand.record

    def test_what_is_not_legal(self) -> None:
        hand = sviten.play("tips/greedy", seed=7, deal_id=2)
        first = hand.plays[0]
        with pytest.raises(CardError, match=f"card 2, {first} of ., is not legal"):
            hand.after(plays=[first, first])
        with pytest.raises(CardError, match=r"call 2, 1C of ., is not legal"):
            hand.after(calls=["6NT", "1C"])
        with pytest.raises(CardError, match="the auction ends after 4 calls"):
            hand.after(calls=["6NT", "pass", "pass", "pass", "pass"])
        with pytest.raises(CardError, match="no card is played"):
            hand.after(calls=["pass"] * 4, plays=[first])
        with pytest.raises(CardError, match="more calls or cards"):
            hand.after(plays=[first] * 53)
        assert hand.after().record == hand.record  # nothing of it stays behind

    def test_given_hands(self) -> None:
        hand = sviten.play(hands={"E": "AKQ52.QJ3.K84.A7"}, seed=3)
        assert hand.record["hands"]["E"] == "AS KS QS 5S 2S QH JH 3H KD 8D 4D AC 7C".split()
        with pytest.raises(CardError, match="another seat"):
            sviten.play(hands={"E": "AKQ52.QJ3.K84.A7", "S": "AKQ52.QJ3.K84.A7"})

    def test_bad_input(self) -> None:
        for wrong in (-1, 2**64):
            with pytest.raises(RunError, match="seed"):
                sviten.play(seed=wrong)
        with pytest.raises(RunError, match="leg 2"):
            sviten.play(leg=2)
        with pytest.raises(RunError, match="deal id"):
            sviten.play(deal_id=-1)
        with pytest.raises(StrategyError, match="did you mean tips"):
            sviten.play("tip/greedy")
        with pytest.raises(StrategyError, match="needed for each of N,E,S,W"):
            sviten.play(seats={"N": "tips/greedy"})

    def test_a_seed_is_drawn(self) -> None:
        assert sviten.play().record["seed"] != sviten.play().record["seed"]


class TestBestLayout:
    @pytest.mark.parametrize(
        ("cards", "trump", "points", "number"),
        [
            ("QH KH AH 2H 3H", None, 5, 1),
            ("2H 3H 4H 5H 6H 7H", None, 20, 1),
            (".AKQJT98765432..", "H", 110, 1),
            ("JH QH KH KS KD KC", "NT", 10, 2),
            ("TH JH QH KH KS KD KC", None, 15, 2),
            (["QH", "KH", "AH", "KS", "KD", "KC", "AS", "AD"], None, 15, 2),
            ("", None, 0, 0),
        ],
    )
    def test_worked_examples(
        self, cards: str | list[str], trump: str | None, points: int, number: int
    ) -> None:
        layout = sviten.best_layout(cards, trump)
        assert layout
        assert (layout.points, len(layout.melds)) == (points, number)
        laid = [card for meld in layout.melds for card in meld]
        text = cards if isinstance(cards, str) else " ".join(cards)
        assert layout.dead == read_cards(text)[0].bit_count() - len(laid)

    def test_melds_needed(self) -> None:
        layout = sviten.best_layout("2H 3H 4H 5H 6H 7H", at_least=2)
        assert layout == (10, [["2H", "3H", "4H"], ["5H", "6H", "7H"]], 0)
        assert sviten.best_layout("QH KH AH KS KD KC AS AD", at_least=3) is None
        assert sviten.best_layout("QH KH AH", at_least=99) is None

    def test_rules_count(self) -> None:
        layout = sviten.best_layout("2H 3H 4H", "H", rules="triple-trump-runs")
        assert layout
        assert layout.points == 15

    def test_bad_input(self) -> None:
        with pytest.raises(CardError, match="QH appears twice"):
            sviten.best_layout(["QH", "QH"])
        with pytest.raises(CardError, match="at_least"):
            sviten.best_layout("QH", at_least=-1)
        for wrong, told in (
            ({"at_least": 1.5}, r"at_least = 1\.5: it must be a whole number"),
            ({"jokers": "1"}, "jokers = '1': it must be a whole number"),
            ({"cards": None}, "None is no card"),
            ({"cards": [1, 2]}, "1 is no card"),
            ({"cards": 7}, "7 is no card"),
            ({"trump": 5}, "5 is no denomination"),
            ({"trump": 1.0}, r"1\.0 is no denomination"),
        ):
            options: dict[str, Any] = {"cards": "QH"} | wrong
            with pytest.raises(CardError, match=told):
                sviten.best_layout(**options)

    def test_trump_may_be_a_number(self) -> None:
        for number, trump in enumerate(("C", "D", "H", "S", "NT")):
            cards = "2H 3H 4H 5S 6S 7S QC KC AC 9D TD JD"
            assert sviten.best_layout(cards, number) == sviten.best_layout(cards, trump)
        hearts = sviten.best_layout("2H 3H 4H", 2)
        assert hearts
        assert hearts == sviten.best_layout("2H 3H 4H", "H")
        assert hearts != sviten.best_layout("2H 3H 4H", 4)
        with pytest.raises(CardError, match="denomination"):
            sviten.best_layout("QH", "X")


def test_rules_and_strategies() -> None:
    rules = sviten.rules("no-trump+dead-cards", slam_bonus=0)
    assert rules.changes() == {"denominations": ["NT"], "dead_card_penalty": 1, "slam_bonus": 0}
    assert sviten.rules(rules) is rules
    assert sviten.rules(rules, slam_bonus=25).slam_bonus == 25
    assert sviten.rules({"slam_bonus": 1}).slam_bonus == 1
    with pytest.raises(RulesError, match="did you mean"):
        sviten.rules("clasic")
    names = {(s.kind, s.name) for s in sviten.strategies()}
    assert {("bidder", "tips"), ("player", "greedy"), ("player", "random")} <= names


def test_the_public_names_are_those_that_a_type_checker_sees() -> None:
    tree = ast.parse(Path(sviten.__file__).read_text())
    (block,) = [
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    imports = {alias.asname: node.module for node in block.body for alias in node.names}
    assert imports == sviten._HOMES
    assert len(imports) > 20
    text = pydoc.plain(pydoc.render_doc(sviten))
    for name in sviten.__all__:
        first = getattr(sviten, name).__doc__.splitlines()[0]
        assert first in text
