"""Tables that bidders reckon with: their points, their fit, their files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import sviten
from analysis.fitting.auctions import deals_of, hear
from analysis.fitting.hands import Piece, deal_again, fit_estimates, pieces_of
from analysis.fitting.tables import fit_table
from analysis.stats.logistic import Squares, fit_logistic
from simulate.cards import read_call, read_hand
from simulate.engine.engine import Engine
from simulate.engine.record import deal_hands
from simulate.errors import Call, RunError, StrategyError
from simulate.rules import load_rules, make_rules
from simulate.runs.play import Run, open_run, resume_run
from strategies.declare.registry import TableParameter, find
from strategies.declare.spec import kernel_values, load_entrant
from strategies.knowledge.calls import ESTIMATE, NEUTRAL, TOLD, correct, listen, take_told
from strategies.knowledge.card_points import FEATURES, JOKERS, estimate, take_features
from strategies.knowledge.estimates import (
    ESTIMATES,
    SHIPPED,
    read_table,
    read_tables,
    table_at,
    table_files,
)
from sviten.cli import main
from sviten.display.command_line import command, command_of

rng = np.random.default_rng(5)


@pytest.fixture(scope="module")
def forced(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("forced") / "run"
    return sviten.simulate(
        "pass/high", "pass/high", deals=150, seed=3, forced=True, jobs=1, out=folder
    ).run


@pytest.fixture(scope="module")
def fitted(forced: Run) -> np.ndarray:
    return fit_estimates(forced)


@pytest.fixture(scope="module")
def table(forced: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("tables") / "mine.json"
    again = command(Call("fit", "run", out=file.name, rounds=1))
    fit_table(forced, file, rounds=1, commands=[command_of(forced.settings, "run"), again])
    return file


# Points of hands


def test_points_are_those_of_the_cards_and_the_lengths() -> None:
    points = np.zeros(FEATURES)
    hand = np.uint64(read_hand("AKQ52.QJ3.K84.A7"))
    points[0] = 100.0
    assert estimate(points, hand, 0, 3) == 100.0
    points[1 + 12] = 5.0  # the ace of trumps
    points[14 + 12] = 3.0  # an ace beside
    assert [estimate(points, hand, 0, trump) for trump in range(5)] == [108, 106, 106, 108, 106]
    points[27 + 5] = 20.0  # five trumps
    points[41 + 2] = 7.0  # two cards beside
    assert [estimate(points, hand, 0, trump) for trump in (3, 0, 4)] == [135, 108, 113]
    points[55] = 1.0  # aces and kings, squared
    points[56] = 1000.0  # a joker
    assert estimate(points, hand, 2, 0) == 108 + 16 + 2000


def test_what_is_fitted_is_what_is_reckoned_with() -> None:
    points = rng.normal(size=FEATURES)
    hands = np.array([deal_hands(sviten.rules(), 7, i, {})[0] for i in range(40)], np.uint64)
    jokers, trumps = rng.integers(0, 3, 40), rng.integers(0, 5, 40)
    rows = np.empty((40, FEATURES))
    take_features(hands, jokers, trumps, rows)
    told = [estimate(points, *each) for each in zip(hands, jokers, trumps, strict=True)]
    assert rows @ points == pytest.approx(np.array(told))
    assert (rows[:, 1:27].sum(axis=1) == 13).all()
    assert (rows[:, 27:55].sum(axis=1) == 4).all()


# Facts of the calls


def heard(text: str, seat: int, first: int = 1, players: int = 4) -> tuple[int, ...]:
    calls = np.array([read_call(word) for word in text.split()], np.int8)
    callers = ((first + np.arange(len(calls))) % players).astype(np.int8)
    return tuple(listen(calls, callers, len(calls), seat, players))


def test_the_calls_tell_who_has_bid_what() -> None:
    # E passes, S bids, W bids, N passes, E bids.
    text = "pass 1H 1NT pass 2S"
    assert heard(text, 2) == (0, 1 << 4, 1 << 3, 0, 2, 1, 1)
    assert heard(text, 1) == (1 << 4, 1 << 2, 0, 1, 1, 0, 1)
    assert heard(text, 3) == (1 << 3, 0, 1 << 2, 2, 1, 1, 1)
    assert heard("", 2) == (0,) * 7
    # Three players have no partner: E, S, N, E.
    assert heard("1H pass 2C 3D", 2, players=3) == (0, 1 << 0, 1 << 2 | 1 << 1, 0, 3, 0, 0)


def test_a_correction_adds_up_the_facts() -> None:
    points = np.arange(TOLD, dtype=float)
    facts = heard("pass 1H 1NT pass 2S", 1)  # partner W: 1NT; opponents S: 1H, N: passed
    assert correct(points, 10.0, facts, 2) == 10 + 3 + 4 + 5 + 7 + 9
    assert correct(points, 10.0, facts, 4) == 10 + 2 + 4 + 6 + 7 + 9
    assert correct(NEUTRAL, 12.5, facts, 0) == 12.5
    calls = np.array([[0, 3, 5, 0, 9]], np.int8)
    callers = np.array([[1, 2, 3, 0, 1]], np.int8)
    rows = np.empty((1, TOLD))
    one = np.array([5])
    take_told(calls, callers, np.array([0]), one, np.array([1]), 4, 2, rows)
    assert rows[0] @ points == correct(points, 1.0, facts, 2)


# Regression


def test_regressions_find_what_data_were_made_from() -> None:
    true = np.array([[0.5, -1.0, 2.0], [0.0, 1.0, 0.5]])
    rows = np.c_[np.ones(60_000), rng.normal(size=(60_000, 2))]
    outcomes = rows @ true.T + rng.normal(size=(60_000, 2))
    squares = Squares(3, 2)
    for part in np.array_split(np.arange(60_000), 7):
        squares.add(rows[part], outcomes[part])
    assert squares.solve() == pytest.approx(true, abs=0.02)
    happened = (rng.random((60_000, 2)) < 1 / (1 + np.exp(-(rows @ true.T)))).astype(float)
    happened[:20_000, 1] = np.nan

    def pieces():  # type: ignore[no-untyped-def]
        for part in np.array_split(np.arange(60_000), 3):
            yield rows[part], happened[part]

    fitted = fit_logistic(pieces, 3, 2)
    assert fitted == pytest.approx(true, abs=0.06)
    # Of chances that are fitted, the mean is the rate, as far as the ridge lets it.
    chance = 1 / (1 + np.exp(-(rows @ fitted[0])))
    assert chance.mean() == pytest.approx(happened[:, 0].mean(), abs=1e-4)


def test_a_regression_without_data_stays_where_it_starts() -> None:
    start = np.array([0.0, 1.0])
    assert fit_logistic(lambda: iter([]), 2, 1, start)[0].tolist() == [0, 1]
    assert Squares(2, 1, start).solve()[0].tolist() == [0, 1]


# A fit


def whole(forced: Run, kind: int) -> Piece:
    return Piece(*map(np.concatenate, zip(*pieces_of(forced, kind), strict=True)))


def test_playouts_are_seen_from_every_seat(forced: Run) -> None:
    told = sviten.load(forced).forced
    hands, jokers = deal_again(forced.settings, 5, 3)
    assert hands[1].tolist() == deal_hands(forced.settings.rules, 3, 6, {})
    assert not jokers.any()
    for kind, denominations in ((0, {0, 1, 2, 3}), (1, {4})):
        piece = whole(forced, kind)
        own = told[told["denomination"].isin(denominations)]
        assert piece.denominations.tolist() == own["denomination"].tolist()
        assert piece.margins[:, 3].tolist() == (own["score_4"] - own["score_def"]).tolist()
        assert piece.made[:, 5].tolist() == own["made_6"].astype(float).tolist()
        deal = deal_hands(forced.settings.rules, 3, int(own["deal_id"].iloc[7]), {})
        seat = int(own["declarer"].iloc[7])
        assert piece.hands[7].tolist() == [deal[(seat + k) % 4] for k in range(4)]


def test_a_fit_is_unbiased_on_what_it_was_fitted_from(forced: Run, fitted: np.ndarray) -> None:
    found = fitted[0]
    assert (found["declare_calls"] == NEUTRAL).all()
    for kind in (0, 1):
        piece = whole(forced, kind)
        rows = np.empty((len(piece.hands), FEATURES))
        for place, name, sign in ((0, "declare", 1), (1, "defend", -1), (2, "partner", 1)):
            take_features(piece.hands[:, place], piece.jokers[:, place], piece.denominations, rows)
            told = rows @ found[name][kind].T
            left = sign * piece.margins - told
            assert left.mean(axis=0) == pytest.approx(0, abs=0.5)
            assert left.var() < piece.margins.var()
        take_features(piece.hands[:, 0], piece.jokers[:, 0], piece.denominations, rows)
        chance = 1 / (1 + np.exp(-(rows @ found["chance"][kind].T)))
        assert chance.mean(axis=0) == pytest.approx(piece.made.mean(axis=0), abs=0.002)


def test_every_turn_is_learnt_from(forced: Run, fitted: np.ndarray) -> None:
    engine = Engine(forced.settings.rules, [load_entrant("tips/high")] * 4, 3)
    deals = next(deals_of(forced, [engine]))  # all but the last one
    record = sviten.play("tips/high", "tips/high", seed=3, deal_id=11).record
    calls = [read_call(each["call"]) for each in record["auction"]]
    assert deals.calls[11][deals.calls[11] >= 0].tolist() == calls
    row = sviten.load(forced).forced.query("deal_id == 11 and declarer == 2 and denomination == 1")
    assert deals.margins[11, 2, 1, 4] == float((row["score_5"] - row["score_def"]).iloc[0])
    heard = fitted.copy()
    hear(forced, [engine], heard)
    for name in ("declare", "partner", "defend", "chance"):
        assert (heard[f"{name}_calls"] != NEUTRAL).any()
    assert np.isfinite(heard.view(float)).all()


# Files


def test_a_file_says_what_it_was_made_from(forced: Run, table: Path) -> None:
    content = json.loads(table.read_text())
    assert (content["seed"], content["deals"], content["playouts"]) == (3, 150, 3_000)
    assert content["rules"] == forced.settings.rules.model_dump(mode="json")
    assert set(content["players"].values()) == {"high"}
    assert content["commands"] == [
        "sviten simulate --forced --ns pass/high --ew pass/high --deals 150 --seed 3 --out run",
        "sviten fit run --out mine.json --rounds 1",
    ]
    record = read_table(table)[0]
    for name in ESTIMATES.names or ():
        assert record[name].tolist() == content["coefficients"][name]


def test_the_command_makes_the_same_file(
    forced: Run, table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = tmp_path / "mine.json"
    assert main(["fit", str(forced.folder), "--out", str(again), "--rounds", "1"]) == 0
    assert again.read_bytes() == table.read_bytes()
    assert "3,000 playouts of 150 deals" in capsys.readouterr().out


def test_other_runs_are_refused(tmp_path: Path) -> None:
    run = sviten.simulate("pass/high", "pass/high", deals=5, jobs=1, out=tmp_path / "run").run
    with pytest.raises(RunError, match=r"is no forced run: `sviten\.simulate\(forced=True\)` "):
        fit_table(run, tmp_path / "t.json", tell=pytest.fail)
    with pytest.raises(RunError, match=r"a table is a file that ends in \.json"):
        fit_table(run, tmp_path / "t.csv")


def test_shipped_tables_are_read_and_can_be_made_again() -> None:
    for name, file in zip(SHIPPED, table_files("shipped"), strict=True):
        content = json.loads(file.read_text())
        assert content["commands"][0].startswith("sviten simulate --forced")
        assert f"--out {name}.json" in content["commands"][1]
        assert set(content["players"].values()) == {"greedy"}
        assert load_rules(name) == make_rules(content["rules"])
        assert read_table(file)[0]["declare"].any()


def test_the_rules_choose_among_the_shipped_tables(table: Path) -> None:
    told = {}
    for name in (*SHIPPED, "jokers+three-player"):
        rules = load_rules(name)
        view = Engine(rules, [load_entrant("pass/high")] * rules.players, 3).table.bidding[0, 0]
        shipped = read_tables(table_files("shipped"))
        told[name] = table_at(float(shipped.ctypes.data), view)["melds"].tolist()
        mine = read_tables([table])
        found = table_at(float(mine.ctypes.data), view)["melds"].tolist()
        assert found == read_table(table)[0]["melds"].tolist()
    for name in SHIPPED:
        assert told[name] == read_table(table_files(name)[0])[0]["melds"].tolist()
    assert told["jokers+three-player"] == told["three-player"]


def test_a_joker_is_worth_points() -> None:
    fitted = read_table(table_files("jokers")[0])[0]
    for name in ("declare", "partner", "chance"):
        assert (fitted[name][..., JOKERS] > 0).all(), name
    assert (fitted["defend"][..., JOKERS] > 0).all()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("no JSON", "is no table that `sviten fit` made"),
        ("{}", "is no table that `sviten fit` made"),
        ('{"schema": 9}', "has schema 9, where 1 is read"),
        ('{"schema": 1, "coefficients": {"melds": [1]}}', "is no table"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: str, told: str) -> None:
    file = tmp_path / "bad.json"
    file.write_text(content)
    with pytest.raises(StrategyError, match=told):
        load_entrant(f"calibrated(table={file})/high")


def test_a_table_that_is_not_there_is_told() -> None:
    with pytest.raises(StrategyError, match="no table nowhere: it may be shipped, classic"):
        load_entrant("points(table=nowhere)/high")


def test_numbers_that_are_none_are_refused(table: Path, tmp_path: Path) -> None:
    content = json.loads(table.read_text())
    content["coefficients"]["melds"][0][0] = float("nan")
    file = tmp_path / "nan.json"
    file.write_text(json.dumps(content))
    with pytest.raises(StrategyError, match="holds numbers that are none"):
        load_entrant(f"points(table={file})/high")


def test_a_table_reaches_a_strategy_without_compiling(table: Path) -> None:
    strategy = find("bidder", "calibrated")
    place = [isinstance(p, TableParameter) for p in strategy.parameters].index(True)
    values = [p.default for p in strategy.parameters]
    values[place] = str(table)
    address = int(kernel_values(strategy, values)[place])
    assert address != int(kernel_values(strategy)[place])
    mine, shipped = load_entrant(f"calibrated(table={table})/high"), load_entrant("calibrated/high")
    assert mine.bid == shipped.bid
    assert mine.source != shipped.source
    assert mine.text == f"calibrated(table={table})/high"


def test_a_run_keeps_the_table_that_it_was_played_with(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tables").mkdir()
    file = Path("tables", "mine.json")
    file.write_bytes(table.read_bytes())
    spec = f"calibrated(leap=5,table={file})/high"
    run = sviten.simulate(spec, "tips/high", deals=40, seed=7, backend="loky", jobs=2, out="run")
    rows = run.hands
    assert rows["stated"].notna().any()
    file.write_text("gone")
    assert (tmp_path / "run" / "sources" / "0" / "mine.json").is_file()
    resume_run("run", load_entrant, deals=60)
    again = sviten.load("run")
    assert again.hands.iloc[:40].astype(str).equals(rows.astype(str))
    assert again.hand(3).record["entrants"]["N"] == spec
    (tmp_path / "run" / "sources" / "0" / "mine.json").write_bytes(
        table.read_bytes().replace(b'"rounds": 1', b'"rounds": 2')
    )
    with pytest.raises(RunError, match="the source of calibrated"):
        resume_run(open_run("run").folder, load_entrant, deals=70)


def test_the_estimate_is_one_of_the_facts() -> None:
    assert NEUTRAL[ESTIMATE] == 1
    assert NEUTRAL.sum() == 1
