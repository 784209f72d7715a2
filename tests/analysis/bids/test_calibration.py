"""Bid success: sums by cell, features, one level more; and a run that states chances."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sviten
from analysis.bids.calibration import Calibration
from analysis.bids.features import FEATURES, count_structures, make_feature
from analysis.bids.plots import write_plots
from analysis.stats.cells import CellSums
from analysis.stats.intervals import wilson
from simulate.cards import SEATS, card_set, read_card
from simulate.engine.engine import Engine
from simulate.engine.record import play_record
from simulate.errors import RunError
from strategies.declare.spec import load_entrant
from sviten.api.tables import Tables
from sviten.cli import main

CLAIMS = '''
"""A bidder that states chances."""
from simulate.compiled.philox import below
from strategies.declare.registry import Parameter, bidder


@bidder(
    "claims",
    looks_at="the calls so far",
    source="a test",
    parameters=[Parameter("bold", 0, 0, 300, "what is added to the chance, per mille")],
)
def claims(view, work):
    """Bid at random where nobody has."""
    if view.declarer >= 0:
        return 0
    level = 1 + below(view.stream, 5)
    view.stated = 1000 - 130 * level + below(view.stream, 100) + int(view.params[0])
    return 5 * (level - 1) + below(view.stream, 5) + 1
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("calibration")


@pytest.fixture(scope="module")
def tables(folder: Path) -> Tables:
    (folder / "claims.py").write_text(CLAIMS)
    spec = f"{folder / 'claims.py'}:claims"
    return sviten.simulate(
        f"{spec}/greedy", f"{spec}(bold=200)/random", deals=1500, seed=5, duplicate=True,
        out=folder / "run", jobs=1,
    )  # fmt: skip


@pytest.fixture(scope="module")
def calibration(tables: Tables) -> Calibration:
    return sviten.calibrate(tables, by="length")


@pytest.fixture(scope="module")
def contracts(tables: Tables) -> pd.DataFrame:
    """Contracts with their declarer's entrant, as pandas sees them."""
    hands = tables.hands[tables.hands.declarer >= 0].copy()
    texts = hands[[f"entrant_{seat.lower()}" for seat in SEATS]].astype(str).to_numpy()
    hands["entrant"] = texts[np.arange(len(hands)), hands.declarer]
    hands["made"] = hands.made.astype(int)
    hands["margin"] = hands.score_decl - hands.score_def
    return hands


def test_sums_by_cell_are_those_of_a_naive_loop() -> None:
    rng = np.random.default_rng(1)
    clusters = np.sort(rng.integers(0, 300, 1000))
    cells = rng.integers(-1, 4, 1000)
    values = rng.integers(-50, 200, (2, 1000))
    sums = CellSums(4, ("a", "b"))
    cut = int(np.searchsorted(clusters, 150))
    for piece in (slice(0, cut), slice(cut, None)):
        sums.add(cells[piece], clusters[piece], values[:, piece])
    for cell in range(4):
        of = {
            name: [
                (int((mine := (cells == cell) & (clusters == c)).sum()), int(row[mine].sum()))
                for c in np.unique(clusters[cells == cell])
            ]
            for name, row in zip("ab", values, strict=True)
        }
        for name, pairs in of.items():
            expected = (
                len(pairs),
                sum(n for n, _ in pairs),
                sum(m for _, m in pairs),
                sum(n * n for n, _ in pairs),
                sum(n * m for n, m in pairs),
                sum(m * m for _, m in pairs),
            )
            assert tuple(sums.of(cell, name)) == expected


def test_every_bid_is_counted_as_pandas_counts(
    calibration: Calibration, contracts: pd.DataFrame
) -> None:
    seen = 0
    for bid in calibration.bids:
        own = contracts[contracts.entrant == bid.entrant]
        if bid.level is not None:
            own = own[own.level == bid.level]
        if bid.denomination is not None:
            own = own[own.denomination == bid.denomination]
            seen += len(own)
        assert bid.made.trials == len(own) > 0
        assert bid.made.clusters == own.deal_id.nunique()
        assert bid.made.rate == pytest.approx(own.made.mean())
        assert bid.score.rate == pytest.approx(own.score_decl.mean())
        assert bid.margin.rate == pytest.approx(own.margin.mean())
        assert bid.stated == pytest.approx(own.stated.mean() / 1000)
        assert bid.made.events2 == (own.groupby("deal_id").made.sum() ** 2).sum()
    assert seen == len(contracts)
    first = calibration.bids[0]
    assert first.text == "all"
    divided = first.made.trials / first.made.effect
    assert first.made.interval() == wilson(first.made.events / first.made.effect, divided)


@pytest.mark.parametrize("rules", ["classic", {"failed_contract_scores": True, "slam_bonus": 0}])
def test_one_level_more_lies_within_its_bounds(
    folder: Path, rules: str | dict[str, object]
) -> None:
    """Played out again, with the layout that the higher level would have needed."""
    name = rules if isinstance(rules, str) else "kept"
    run = sviten.simulate("random/random", "random/greedy", deals=60, seed=2, rules=rules,
                          out=folder / f"more-{name}", jobs=1)  # fmt: skip
    specs = [seat.text for seat in run.settings.entrants.values()]
    engine = Engine(run.settings.rules, [load_entrant(spec) for spec in specs], run.settings.seed)
    of_level: dict[int, list[tuple[bool, int]]] = {}
    for deal_id in run.hands[run.hands.declarer >= 0].deal_id:
        record = play_record(engine, int(deal_id), 0, int(deal_id) % 4)
        contract, side = record["contract"], record["sides"]["declarers"]
        level, trump = contract["level"], contract["denomination"]
        pile = " ".join(side["captured"])
        higher = (
            sviten.best_layout(pile, trump=trump, at_least=level + 1, rules=rules) if pile else None
        )
        best = sviten.best_layout(pile, trump=trump, rules=rules).points if pile else 0
        score = side["slam_bonus"] + (
            side["tricks"] + higher.points if higher else -10 * (level + 1)
        )
        if not higher and rules != "classic":
            score += side["tricks"] + best
        of_level.setdefault(level, []).append((higher is not None, score - side["score"]))
    told = {b.level: b for b in run_bids(run) if b.level and b.denomination is None}
    checked = 0
    for level, pairs in of_level.items():
        bid = told[level]
        if level == 6:
            assert bid.still_made is None
            continue
        assert bid.still_made is not None
        assert bid.least is not None
        assert bid.most is not None
        made, change = (np.mean([pair[i] for pair in pairs]) for i in (0, 1))
        assert (bid.still_made.rate or 0) <= made <= (bid.made.rate or 0)
        assert (bid.least.rate or 0) <= change + 1e-9
        assert change <= (bid.most.rate or 0) + 1e-9
        checked += 1
    assert checked >= 3


def run_bids(run: Tables) -> list[sviten.api.tables.Bid]:  # type: ignore[name-defined]
    """Bids of both entrants together: they have the same bidder."""
    from analysis.bids.bids import BidTally

    tally = BidTally(run.settings, ["all"], None)
    hands = run.hands[run.hands.declarer >= 0]
    rows = {name: hands[name].to_numpy() for name in hands if hands[name].dtype == np.int64}
    rows["made"] = hands.made.to_numpy(np.int64)
    rows["stated"] = np.full(len(hands), -1)
    tally.add(rows, np.zeros(len(hands), np.int64), rows["deal_id"])
    return list(tally.bids())


def test_features_are_those_of_the_cards(tables: Tables, contracts: pd.DataFrame) -> None:
    some = contracts.head(120)
    rows = {
        name: some[name].to_numpy() for name in ("deal_id", "declarer", "denomination", "dealer")
    }
    dealt = sviten.deals(tables, some.deal_id.unique())
    hands = [
        dealt.loc[d].iloc[seat] for d, seat in zip(rows["deal_id"], rows["declarer"], strict=True)
    ]
    suits = [[len(suit.strip("-")) for suit in reversed(hand.split("."))] for hand in hands]
    length = make_feature("length", tables.settings).values(rows)
    for lengths, trump, found in zip(suits, rows["denomination"], length, strict=True):
        assert found == (max(lengths) if trump == 4 else lengths[trump])
    position = make_feature("position", tables.settings)
    expected = (rows["declarer"] - rows["dealer"]) % 4
    found = [
        ("dealer", "first", "second", "third").index(position.labels[p])
        for p in position.values(rows)
    ]
    assert found == expected.tolist()
    assert (make_feature("seat", tables.settings).values(rows) == rows["declarer"]).all()


@pytest.mark.parametrize(
    ("hand", "structures"),
    [
        ("QH KH AH 2H 3H", 2),  # two stretches share the ace
        ("2H 3H 4H 5H", 1),
        ("7S 7H 7D 7C 8C 9C", 2),
        ("KH AH 2H 5S 5D", 0),
        ("2C 3C 4C 6C 7C 8C", 2),
    ],
)
def test_structures(hand: str, structures: int) -> None:
    mask = card_set(map(read_card, hand.split()))
    assert count_structures(np.array([mask], np.uint64)).tolist() == [structures]


def test_a_feature_splits_the_contracts(calibration: Calibration) -> None:
    for entrant in calibration.entrants:
        whole = calibration.of(entrant)[0]
        parts = [b for b in calibration.by_feature if b.entrant == entrant and b.level is None]
        assert sum(bid.made.trials for bid in parts) == whole.made.trials
        assert sum(bid.score.events for bid in parts) == whole.score.events
        rates = {int(bid.value or 0): bid.made for bid in parts if bid.made.trials > 100}
        assert len(rates) >= 3
    greedy = [b for b in calibration.by_feature if "bold" not in b.entrant and b.level is None]
    longest, shortest = greedy[-3], greedy[1]
    assert (longest.made.rate or 0) > (shortest.made.rate or 0)  # more trumps, more tricks


def test_the_score_before_the_hand_splits_hands_of_matches(folder: Path) -> None:
    run = sviten.simulate("random/random", "random/random", matches=40, seed=4, out=folder / "m")
    told = sviten.calibrate(run, by="score")
    hands = run.hands[run.hands.declarer >= 0]
    lead = (hands.before_ns - hands.before_ew) * np.where(hands.declarer % 2, -1, 1)
    expected = {
        "down 51+": (lead < -50).sum(),
        "down 11-50": lead.between(-50, -11).sum(),
        "within 10": lead.between(-10, 10).sum(),
        "up 11-50": lead.between(11, 50).sum(),
        "up 51+": (lead > 50).sum(),
    }
    found = {b.value: b.made.trials for b in told.by_feature if b.level is None}
    assert found == {name: n for name, n in expected.items() if n}
    # Hands of a match are one cluster.
    assert told.bids[0].made.clusters == hands.match_id.nunique()


def test_three_players_and_nobody_bidding(folder: Path) -> None:
    run = sviten.simulate("random/random", "random/random", matches=5, seed=4,
                          rules="three-player", out=folder / "three", duplicate=True)  # fmt: skip
    for name in FEATURES:
        told = sviten.calibrate(run, by=name)
        assert (
            sum(b.made.trials for b in told.by_feature if b.level is None)
            == told.bids[0].made.trials
        )
    silent = sviten.simulate("pass/random", "pass/random", deals=5, seed=1, out=folder / "silent")
    told = sviten.calibrate(silent)
    assert told.bids == ()
    assert told.tables() == []
    assert "Nobody bid" in told.sentence()
    assert write_plots(told, folder / "none") == []


def test_what_cannot_be_told_apart_is_refused(tables: Tables) -> None:
    with pytest.raises(RunError, match="by seat, position, score, length, structures"):
        sviten.calibrate(tables, by="luck")
    with pytest.raises(RunError, match="only the hands of matches"):
        sviten.calibrate(tables, by="score")


def test_stated_chances_are_judged_apart(calibration: Calibration, contracts: pd.DataFrame) -> None:
    careful, bold = calibration.reliability
    for each in (careful, bold):
        own = contracts[contracts.entrant == each.entrant]
        outcome, chance = own.made.to_numpy(), own.stated.to_numpy(float) / 1000
        assert each.brier.score == pytest.approx(((chance - outcome) ** 2).mean())
        assert each.contracts.sum() == len(own)
        assert each.bias.rate == pytest.approx(1000 * (outcome - chance).mean())
    assert "bold=200" in bold.entrant
    # The bold one adds 200 to the same chances, and its player is worse.
    assert bold.brier.miscalibration > 0.02 > careful.null
    assert "too bold" in bold.sentence()
    assert bold.held_out is not None
    assert bold.held_out[1] < bold.held_out[0] - 0.01


def test_json_tables_and_plots(
    calibration: Calibration, tables: Tables, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for table in calibration.tables():
        assert all(len(row) == len(table.columns) for row in table.rows)
    assert main(["calibrate", str(tables.folder), "--by", "seat", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert {b["interval"] is not None for b in facts["bids"]} == {True}
    assert {b["method"] for b in facts["bids"]} <= {"wilson", "jeffreys"}
    assert facts["by"]["name"] == "seat"
    assert {b["value"] for b in facts["by"]["bids"]} == set(SEATS)
    plots = [Path(path) for path in facts["plots"]]
    assert len(plots) == len({p.name for p in plots}) == 6
    for plot in plots:
        assert plot.parent == tables.folder / "plots"
        assert plot.read_bytes().startswith(b"\x89PNG")
    files = {Path(path).stem: pd.read_csv(path) for path in facts["tables"]}
    assert list(files) == ["bids", "stated", "scores"]
    bids = files["bids"]
    assert len(bids) == len(facts["bids"]) + len(facts["by"]["bids"])
    for row, bid in zip(bids[bids.by.isna()].to_dict("records"), facts["bids"], strict=True):
        assert (row["n"], row["rate"]) == (bid["count"], bid["rate"])
        assert [row["low"], row["high"]] == bid["interval"]
        assert [row["score_low"], row["score_high"]] == bid["score_interval"]
    assert set(bids[bids.by == "seat"].value) == set(SEATS)
    stated = files["stated"]
    assert stated.n.sum() == sum(each["contracts"] for each in facts["reliability"])
    assert ((stated.low <= stated.rate) & (stated.rate <= stated.high)).all()
    assert files["scores"].brier_score.tolist() == pytest.approx(
        [each["brier"]["score"] for each in facts["reliability"]]
    )
    assert main(["calibrate", str(tables.folder), "--plots", str(folder / "elsewhere")]) == 0
    told = capsys.readouterr().out
    assert "One level more" in told
    assert str(folder / "elsewhere") in told
    assert main(["calibrate", str(tables.folder), "--by", "luck"]) == 2
    assert "told apart by 'luck'" in capsys.readouterr().err
    assert main(["calibrate", str(folder / "nowhere")]) == 1
