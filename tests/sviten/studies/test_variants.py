"""House rules side by side: what is counted, what is found, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from analysis.house_rules.columns import beside, column_names, stream_table
from analysis.house_rules.meld_sources import meld_kind, meld_worth, sample_melds
from analysis.house_rules.tables import house_notes, house_tables
from analysis.house_rules.words import reading
from simulate.errors import RulesError, StrategyError
from simulate.game.score_terms import MELD_KINDS
from simulate.rules import CLASSIC, Rules, load_rules, make_rules, variant_names
from simulate.runs.play import Run, simulate_run
from simulate.runs.study import open_study
from simulate.store.make import make_settings
from strategies.declare.spec import load_entrant
from sviten.api.tables import load
from sviten.display.failures import UsageError
from sviten.display.text import plain_table
from sviten.studies.variants import Weighed, choose_rules, conclude, read_changes, variants
from tests.fixtures.command import Sviten

LADDER = ("random/random", "tips/random", "tips/high")
DEALS, MATCHES = 4000, 60


@pytest.fixture(scope="module")
def weighed(tmp_path_factory: pytest.TempPathFactory) -> Weighed:
    """Weigh rules under which the dealer's side has 2 points more for each of its tricks.

    No rule says so: a rule set that plays like classic is played, and its rows are changed.
    """
    folder = tmp_path_factory.mktemp("house")
    (folder / "dealers-game.toml").write_text('base = "classic"\nhand_limit = 999\n')
    names = [str(folder / "dealers-game.toml"), "three-player"]
    played = variants(
        names,
        entrants=LADDER,
        deals=DEALS,
        matches=MATCHES,
        seed=7,
        out=folder / "out",
        jobs=1,
        within=1.0,
    )
    for file in sorted((folder / "out").glob("dealers-game--*/hands/*.parquet")):
        rows = pq.read_table(file)
        columns = {name: rows[name].to_numpy() for name in ("dealer", "declarer", "score_decl")}
        declares = (columns["dealer"] - columns["declarer"]) % 2 == 0
        for side, own in (("decl", declares), ("def", ~declares)):
            more = np.where(own, 2 * rows[f"tricks_{side}"].to_numpy(), 0).astype(np.int32)
            of_ns = (columns["dealer"] % 2 == 0) & own
            for name, extra in (
                (f"score_{side}", more),
                ("score_ns", np.where(of_ns, more, 0).astype(np.int32)),
                ("score_ew", np.where(of_ns, 0, more).astype(np.int32)),
            ):
                place = rows.schema.get_field_index(name)
                changed = pa.array(rows[name].to_numpy() + extra)
                rows = rows.set_column(place, rows.schema.field(place), changed)
        pq.write_table(rows, file, write_page_checksum=True)
    # As in the classic game, whoever may bid first has an advantage.
    assert "favours the side that bids first" in reading(played.house, played.house.sets[1])
    return conclude(open_study(folder / "out"))


BAD = """
from strategies.declare.registry import bidder


@bidder("bad", looks_at="nothing", source="a test")
def bad(view, work):
    '''Answer what is no call.'''
    return 99
"""


def test_a_planted_unfair_rule_is_found_and_named(weighed: Weighed) -> None:
    planted = weighed.house.sets[1]
    assert planted.name == "dealers-game"
    found = planted.of("dealer")
    assert found.real
    assert found.difference is not None
    hands = load(weighed.study.folder / "classic--table-3").hands
    declares = (hands.dealer - hands.declarer) % 2 == 0
    dealers = np.where(declares, hands.tricks_decl, hands.tricks_def)
    assert found.difference.value == pytest.approx(2 * dealers.mean())
    assert weighed.house.verdict(planted, "dealer") == "unfair"
    told = reading(weighed.house, planted)
    assert told.startswith("UNFAIR: favours the dealer's side by")
    assert "better for the dealer's side" in told
    assert "dealers-game is UNFAIR" in str(weighed)
    assert "classic is UNFAIR: favours the side that bids first" in str(weighed)


def test_the_paired_difference_is_surer_than_the_values(weighed: Weighed) -> None:
    found = weighed.house.sets[1].of("dealer")
    assert found.difference is not None
    assert found.difference.error < found.estimate.error / 3
    # The same cards and calls: what the rows were not changed in does not differ at all.
    same = weighed.house.sets[1].of("made").difference
    assert same is not None
    assert (same.value, same.p_value) == (0, 1)


def test_values_are_those_of_the_tables(weighed: Weighed) -> None:
    for of in weighed.house.sets:
        run = load(weighed.study.folder / f"{of.name}--table-3")
        hands = run.hands
        contracts = hands[hands.declarer >= 0]
        assert of.of("passed_out").estimate.value == pytest.approx((hands.declarer < 0).mean())
        assert of.of("made").estimate.value == pytest.approx(contracts.made.mean())
        assert of.of("level").estimate.value == pytest.approx(contracts.level.mean())
        lead = (contracts.score_decl - contracts.score_def).mean()
        assert of.of("declarers").estimate.value == pytest.approx(lead)
        assert of.of("in_NT").estimate.n == len(contracts)
        matches = load(weighed.study.folder / f"{of.name}--matches").matches
        assert of.of("length").estimate.value == pytest.approx(matches.hands.mean())
    first = weighed.house.base.of("passed_out", LADDER[0]).estimate.value
    hands = load(weighed.study.folder / "classic--table-1").hands
    assert first == pytest.approx((hands.declarer < 0).mean())


def test_luck_is_minus_the_covariance_of_the_legs(weighed: Weighed) -> None:
    covariance = variance = 0.0
    for folder in weighed.study.options["sets"]["classic"]["pairings"]:
        hands = load(weighed.study.folder / folder).hands
        own = np.where(hands.leg == 0, hands.score_ns - hands.score_ew, 0)
        own = own + np.where(hands.leg == 1, hands.score_ew - hands.score_ns, 0)
        legs = own.reshape(-1, 2).astype(float) - own.mean()
        covariance += (legs[:, 0] * legs[:, 1]).mean()
        variance += (legs**2).mean()
    luck = weighed.house.base.of("luck").estimate
    assert luck.value == pytest.approx(-covariance / variance)
    assert 0 < luck.value < 1


def test_other_numbers_of_players_stand_alone(weighed: Weighed) -> None:
    three = weighed.house.sets[2]
    assert all(found.difference is None for found in three.results)
    assert "its numbers stand alone" in reading(weighed.house, three)
    assert "three-player: another number" in " ".join(house_notes(weighed.house))
    assert three.of("best_wins").estimate.value > 1 / 3


def test_tables_fit_a_terminal_and_name_every_rule_set(weighed: Weighed) -> None:
    for table in house_tables(weighed.house):
        text = plain_table(table)
        assert [row[0] for row in table.rows] == [of.name for of in weighed.house.sets]
        assert max(map(len, text.splitlines()[1:])) <= 80, text
        assert "nan" not in text


def test_where_nobody_bids_there_are_no_numbers(tmp_path: Path) -> None:
    shy = variants(["no-trump"], entrants=["pass/high", "pass/random"], deals=4, out=tmp_path)
    assert "nan" not in str([table.rows for table in house_tables(shy.house)])


def test_files_hold_what_the_facts_say(weighed: Weighed) -> None:
    facts = json.loads(json.dumps(weighed.as_dict(), allow_nan=False))
    assert [each["name"] for each in facts["rule_sets"]][:2] == ["classic", "dealers-game"]
    measures = weighed.measures
    row = measures[(measures.rules == "dealers-game") & (measures.measure == "dealer")]
    row = row[row.entrant == "tips/high"].iloc[0]
    told = next(
        each
        for each in facts["rule_sets"][1]["measures"]
        if (each["measure"], each["entrant"]) == ("dealer", "tips/high")
    )
    assert [row.low, row.high] == pytest.approx(told["interval"])
    assert row.equivalence_p == pytest.approx(told["equivalence_p"])
    assert list(weighed.summary.rules) == [of.name for of in weighed.house.sets]
    assert weighed.summary.fairness[1].startswith("UNFAIR")
    assert pc.read_csv(weighed.study.folder / "summary.csv").num_rows == 3
    for path in weighed.files:
        if path.suffix == ".png":
            assert path.read_bytes().startswith(b"\x89PNG")


def played(rules: Rules, folder: Path, entrant: str = "tips/random", deals: int = 600) -> Run:
    seats = [entrant] * rules.players
    settings = make_settings(rules, seats, load_entrant, deals=deals, seed=7).with_part_size(256)
    return simulate_run(folder, settings, load_entrant)


RULES = [
    {"dead_card_penalty": 2, "failed_contract_scores": True},
    {"all_pass": "play-out", "trick_points": 3},
    {"players": 3, "kitty": "dead"},
]


@pytest.mark.parametrize("fields", RULES)
def test_points_come_from_somewhere(fields: dict[str, object], tmp_path: Path) -> None:
    check_sources(make_rules(fields), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["jokers", "hard-bid"])
def test_points_come_from_somewhere_in_variants(name: str, tmp_path: Path) -> None:
    check_sources(load_rules(name), tmp_path)


def check_sources(rules: Rules, tmp_path: Path) -> None:
    """All points of all hands are accounted for, and melds of all kinds add up to the melds."""
    run = played(rules, tmp_path / "run")
    values = np.concatenate(list(stream_table(run)))
    columns = dict(zip(column_names(rules), values.T, strict=True))
    hands = load(run.folder).hands
    failed = hands.made.eq(False).fillna(False).to_numpy(bool)
    assert failed.any()
    lost = np.where(failed, rules.fail_multiplier * hands.level, 0)
    assert (columns["lost"] == lost).all()
    assert (columns["points"] == hands.score_decl + hands.score_def).all()
    assert (columns["played"] + columns["passed_out"] == 1).all()
    sides = 2 if rules.players == 4 else 3
    if sides == 2:
        assert (np.abs(columns["dealer_lead"]) == np.abs(columns["seat_lead"])).all()
    for dealer in range(sides):
        assert columns["dealer_lead"][hands.dealer == dealer].any()
    entrants = [load_entrant("tips/random")] * rules.players
    melds = sample_melds(run.settings, entrants, range(600))
    assert sum(sums.events for sums in melds.values()) == columns["meld_points"].sum()
    assert {sums.trials for sums in melds.values()} == {int(columns["played"].sum())}


@pytest.mark.parametrize(
    ("meld", "kind", "worth"),
    [
        (["QH", "QS", "QD"], "sets", 5),
        (["QH", "QS", "QD", "*"], "sets", 10),
        (["2H", "3H", "4H", "5H"], "trump runs", 20),
        (["AS", "2S", "*"], "runs", 5),
        (["9H", "*", "*", "QH"], "trump runs", 20),
    ],
)
def test_kinds_of_melds(meld: list[str], kind: str, worth: int) -> None:
    assert kind in MELD_KINDS
    assert (meld_kind(meld, "H"), meld_worth(meld, "H", CLASSIC)) == (kind, worth)


def test_pieces_of_other_lengths_are_set_side_by_side() -> None:
    rows = np.arange(20_000)
    one = (rows[first : first + 700, None] for first in range(0, 20_000, 700))
    other = (np.column_stack([piece, -piece]) for piece in np.array_split(rows, 3))
    found = np.concatenate(list(beside([one, other], 20_000)))
    assert (found == np.column_stack([rows, rows, -rows])).all()


def test_rule_sets_are_chosen() -> None:
    assert list(choose_rules([], {})) == variant_names()
    swept = choose_rules([], read_changes(["trick_points=1,2,3"]))
    assert list(swept) == ["classic", "trick_points=2", "trick_points=3"]  # 1 is classic
    both = choose_rules(["no-trump", "jokers+dead-cards"], {"slam_bonus": [0, 50]})
    assert list(both)[1:] == [
        f"{name},slam_bonus={value}"
        for name in ("no-trump", "jokers+dead-cards")
        for value in (0, 50)
    ]
    assert both["no-trump,slam_bonus=50"].slam_bonus == 50
    lists = read_changes(["denominations=H,NT", "auction=one-round"])
    assert lists == {"denominations": [("H", "NT")], "auction": ["one-round"]}
    assert list(choose_rules([], lists))[1] == "denominations=H+NT,auction=one-round"


def test_what_makes_no_sense_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="all that is named is the classic game"):
        variants(["classic"])
    with pytest.raises(UsageError, match="1 to 49"):
        choose_rules([], {"slam_bonus": list(range(60))})
    with pytest.raises(RulesError, match="'nonsense' is no variant"):
        variants(["nonsense"])
    with pytest.raises(RulesError, match="no field of the rules"):
        read_changes(["tricks=1,2"])
    with pytest.raises(UsageError, match="two entrants or more, each once"):
        variants(["no-trump"], entrants=["tips/high", "tips/high"])
    with pytest.raises(StrategyError):
        variants(["no-trump"], entrants=["tips/hgih", "tips/high"])
    for within in (0.0, float("inf")):
        with pytest.raises(UsageError, match="above 0"):
            variants("no-trump", within=within, entrants=LADDER)
    with pytest.raises(UsageError, match="two entrants or more"):
        variants("no-trump", entrants="tips/high")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.toml").write_text(f"slam_bonus = {ord(name)}\n")
    with pytest.raises(UsageError, match="two rule sets are called x"):
        choose_rules([str(tmp_path / name / "x.toml") for name in ("a", "b")], {})


def test_the_command_goes_on_where_it_stood(sviten: Sviten, weighed: Weighed) -> None:
    done = sviten("resume", weighed.study.folder, "--jobs", 1)
    assert done.code == 0, done.err
    assert "dealers-game is UNFAIR: favours the dealer's side" in done.out
    readings = done.out.partition("What each")[2].partition("\ntables")[0]
    assert max(map(len, readings.splitlines())) <= 80
    words = ["--set", "slam_bonus=10", "--entrants", "random/random,tips/random", "--deals", 40]
    words += ["--matches", 5, "--seed", 3, "--jobs", 1, "--out", "small"]
    done = sviten("variants", *words, "--json")
    assert done.code == 0, done.err
    facts = json.loads(done.out)
    assert [each["name"] for each in facts["rule_sets"]] == ["classic", "slam_bonus=10"]
    assert facts["rule_sets"][1]["rules_changed"] == {"slam_bonus": 10}
    Path("bad.py").write_text(BAD)
    words = ["variants", "no-trump", "--deals", 4, "--out", "failed", "--entrants"]
    failed = sviten(*words, "bad.py:bad/high,tips/high")
    assert failed.code == 1
    assert "bidder bad of bad.py:bad/high" in failed.err
    assert sviten(*words, "good/high,tips/high").code == 2
    wrong = sviten("variants", "no-trumps")
    assert wrong.code == 2
    assert "did you mean no-trump?" in wrong.err
