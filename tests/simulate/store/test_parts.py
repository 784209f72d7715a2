"""Part files: what is written is read back, and damage does not pass unseen."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from simulate.engine.engine import Engine, make_buffer
from simulate.engine.loop import RowBuffer
from simulate.errors import RulesError, RunError
from simulate.rules import Rules
from simulate.runs.play import open_run, resume_run, simulate_run
from simulate.store.make import make_settings
from simulate.store.parts import PartWriter, find_fault, part_batches, part_path, run_tables
from simulate.store.schema import calling_seats, calls_table, hands_table, plays_table
from simulate.store.settings import Settings
from strategies.declare.spec import load_entrant

HANDS = 600
LOUD = "random(pass_percent=30)/random"
QUIET = "random(pass_percent=80)/random"

FOUR = Rules()
THREE = Rules(players=3, kitty="dead")
FINAL_PASS = Rules(passed_may_return=False)
ONE_ROUND = Rules(auction="one-round", passed_may_return=False)


def settings_of(rules: Rules, **changes: Any) -> Settings:
    entrants = [LOUD, QUIET] * 2
    options = {"deals": HANDS, "seed": 7, "part_deals": HANDS} | changes
    size = options.pop("part_deals")
    settings = make_settings(rules, entrants[: rules.players], load_entrant, **options)
    return settings.with_part_size(size)


def engine_of(settings: Settings) -> Engine:
    entrants = [load_entrant(e.text) for e in settings.entrants.values()]
    try:
        return Engine(settings.rules, entrants, settings.seed, settings.legs)
    except RulesError as error:
        pytest.skip(str(error))  # rules that the engine does not play yet


def play(settings: Settings) -> RowBuffer:
    engine = engine_of(settings)
    buffer = make_buffer(settings.deals * settings.legs, calls=True, plays=True)
    engine.play(buffer, settings.first_deal, settings.deals)
    return buffer


def write(folder: Path, settings: Settings, buffer: RowBuffer) -> None:
    writer = PartWriter(folder, settings, 0)
    try:
        list(writer.write(buffer, len(buffer.rows)))
        writer.finish()
        writer.publish()
    finally:
        writer.discard()


def read(folder: Path, table: str) -> list[dict[str, Any]]:
    return pa.Table.from_batches(list(part_batches(folder, table, 0))).to_pylist()


@pytest.mark.parametrize("rules", [FOUR, THREE], ids=["four", "three"])
def test_hands_come_back_as_they_were_played(tmp_path: Path, rules: Rules) -> None:
    settings = settings_of(rules, duplicate=True)
    buffer = play(settings)
    write(tmp_path, settings, buffer)
    told = read(tmp_path, "hands")
    assert len(told) == len(buffer.rows) == HANDS * settings.legs
    for name, null in (
        ("deal_id", False), ("leg", False), ("dealer", False), ("declarer", False),
        ("level", False), ("denomination", False), ("target", True), ("made", True),
        ("stated", True), *((f"{what}_{side}", False)
        for what in ("tricks", "melds", "meld_points", "dead", "score")
        for side in ("decl", "def")),
    ):  # fmt: skip
        expected = [None if null and x < 0 else x for x in buffer.rows[name].tolist()]
        assert [row[name] for row in told] == expected, name
    sides = ["ns", "ew"] if rules.players == 4 else ["n", "e", "s"]
    for place, side in enumerate(sides):
        expected = buffer.rows["scores"][:, place].tolist()
        assert [row[f"score_{side}"] for row in told] == expected
    assert any(row["declarer"] == -1 for row in told) or rules.players == 3
    for row in told:
        texts = [row[f"entrant_{seat.lower()}"] for seat in rules.seats]
        sitting = [e.text for e in settings.entrants.values()]
        assert texts == sitting[-row["leg"] :] + sitting[: -row["leg"]] or row["leg"] == 0
        assert row["leg"] or texts == sitting


def test_columns_are_narrow_and_named_as_documented() -> None:
    schema = hands_table(settings_of(FOUR), play(settings_of(FOUR)).rows).schema
    types = {field.name: str(field.type) for field in schema}
    assert types["deal_id"] == "int64"
    assert types["leg"] == types["level"] == types["melds_decl"] == "int8"
    assert types["made"] == "bool"
    assert types["stated"] == "uint16"
    assert types["entrant_w"].startswith("dictionary")
    assert list(types)[-6:-4] == ["score_ns", "score_ew"]


@pytest.mark.parametrize("rules", [FOUR, THREE, FINAL_PASS, ONE_ROUND])
def test_calls_name_the_seats_that_made_them(rules: Rules) -> None:
    settings = settings_of(rules, deals=100)
    engine = engine_of(settings)
    for deal in range(100):
        buffer = make_buffer(1, calls=True)
        engine.play(buffer, deal, 1)
        state = engine.table.state[0]
        told = calls_table(settings, buffer, 0, 1).to_pydict()
        n = int(state["n_calls"])
        assert told["seat"] == state["callers"][:n].tolist()
        assert told["call"] == state["calls"][:n].tolist()
        assert told["index"] == list(range(n))
        assert set(told["deal_id"]) == {deal}


def test_a_final_pass_is_skipped_from_then_on() -> None:
    calls = np.array([[0, 3, 0, 8, 13, 0, -1]], np.int8)  # E passes, S bids, W passes, N, S, N
    assert calling_seats(FINAL_PASS, np.array([0]), calls)[0, :6].tolist() == [1, 2, 3, 0, 2, 0]


@pytest.mark.parametrize("rules", [FOUR, THREE], ids=["four", "three"])
def test_plays_are_every_card_by_the_seat_that_played_it(rules: Rules) -> None:
    settings = settings_of(rules)
    buffer = play(settings)
    told = plays_table(settings, buffer, 0, HANDS).to_pydict()
    rows = list(zip(*told.values(), strict=True))
    played_out = int((buffer.rows["tricks_decl"] + buffer.rows["tricks_def"] > 0).sum())
    assert len(rows) == played_out * rules.players * rules.hand_size
    hands: dict[int, list[tuple[int, ...]]] = {}
    for deal_id, _, *rest in rows:
        hands.setdefault(deal_id, []).append(tuple(rest))
    for deal_id, plays in hands.items():
        assert len({card for *_, card in plays}) == len(plays)
        assert plays[0][2] == buffer.rows["declarer"][deal_id]
        for i, (trick, position, seat, _) in enumerate(plays):
            assert (trick, position) == divmod(i, rules.players)
            if position:
                assert seat == (plays[i - 1][2] + 1) % rules.players


def test_slices_of_a_sheet_make_the_same_tables() -> None:
    settings = settings_of(FOUR)
    buffer = play(settings)
    for make in (calls_table, plays_table):
        halves = [make(settings, buffer, 0, 251), make(settings, buffer, 251, HANDS)]
        assert pa.concat_tables(halves).equals(make(settings, buffer, 0, HANDS))


def test_the_same_rows_are_the_same_bytes(tmp_path: Path) -> None:
    settings = settings_of(FOUR, detail=["calls", "plays"])
    later = settings.model_copy(update={"created": "2031-01-01", "deals": HANDS * 2})
    for name, facts in (("a", settings), ("b", later)):
        write(tmp_path / name, facts, play(settings))
    for table in ("hands", "calls", "plays"):
        a, b = (part_path(tmp_path / name, table, 0).read_bytes() for name in "ab")
        assert a == b


def test_a_part_is_invisible_until_it_is_published(tmp_path: Path) -> None:
    settings = settings_of(FOUR, detail=["calls", "plays"])
    writer = PartWriter(tmp_path, settings, 0)
    list(writer.write(play(settings), HANDS))
    writer.finish()
    assert not list(tmp_path.rglob("part-*.parquet"))
    assert find_fault(tmp_path, settings, 0, thorough=False) == "missing"
    writer.publish()
    assert find_fault(tmp_path, settings, 0, thorough=True) is None
    writer.discard()
    assert find_fault(tmp_path, settings, 0, thorough=True) is None
    part_path(tmp_path, "calls", 0).unlink()
    assert find_fault(tmp_path, settings, 0, thorough=False) == "missing"


def test_a_discarded_part_leaves_nothing(tmp_path: Path) -> None:
    settings = settings_of(FOUR)
    writer = PartWriter(tmp_path, settings, 0)
    list(writer.write(play(settings), HANDS))
    writer.discard()
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_damage_anywhere_is_found_and_named_or_changes_nothing(tmp_path: Path) -> None:
    settings = settings_of(FOUR)
    write(tmp_path, settings, play(settings))
    path = part_path(tmp_path, "hands", 0)
    whole = path.read_bytes()
    told = read(tmp_path, "hands")
    found = 0
    for place in np.linspace(0, len(whole) - 1, 120).astype(int):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        fault = find_fault(tmp_path, settings, 0, thorough=True)
        if fault is None:  # a statistic, say
            assert read(tmp_path, "hands") == told
        else:
            assert str(path) in fault
            found += 1
    assert found > 60
    for size in (0, 3, 100, len(whole) - 1):
        path.write_bytes(whole[:size])
        for thorough in (False, True):
            assert "damaged" in str(find_fault(tmp_path, settings, 0, thorough=thorough))


def test_a_part_of_other_deals_or_settings_is_refused(tmp_path: Path) -> None:
    settings = settings_of(FOUR)
    write(tmp_path, settings, play(settings))
    longer = settings_of(FOUR, deals=HANDS + 1, part_deals=1024)
    assert "600 hands, where 601" in str(find_fault(tmp_path, longer, 0, thorough=False))
    other = settings_of(FOUR, seed=8)
    assert "other settings" in str(find_fault(tmp_path, other, 0, thorough=False))
    shifted = settings_of(FOUR, deals=range(1, HANDS))
    moved = play(settings_of(FOUR, deals=range(3, HANDS + 2)))
    write(tmp_path, shifted, moved)
    assert "other deals" in str(find_fault(tmp_path, shifted, 0, thorough=True))


def test_neither_writing_nor_reading_imports_pandas(tmp_path: Path) -> None:
    script = f"""
import sys
from simulate.rules import Rules
from simulate.runs.play import simulate_run
from simulate.store.make import make_settings
from strategies.declare.spec import load_entrant
settings = make_settings(Rules(), [{LOUD!r}] * 4, load_entrant,
    deals=100, detail=["calls", "plays"])
run = simulate_run({str(tmp_path / "run")!r}, settings, load_entrant)
print(sum(len(batch) for batch in run.batches()))
print([name for name in ("pandas", "scipy.stats", "matplotlib") if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["100", "[]"]


@pytest.mark.parametrize("unit", ["deals", "matches"])
def test_a_copy_of_another_part_is_none(tmp_path: Path, unit: str) -> None:
    counts = {"deals": None, "matches": 12} if unit == "matches" else {"deals": 12}
    settings = settings_of(FOUR, **counts, part_deals=4)
    run = simulate_run(tmp_path / "run", settings, load_entrant)
    for table in run_tables(run.settings):
        shutil.copy(part_path(run.folder, table, 0), part_path(run.folder, table, 1))
    fault = find_fault(run.folder, run.settings, 1, thorough=False)
    assert fault is not None
    assert f"it holds other {unit} than range(4, 8)" in fault
    with pytest.raises(RunError, match="1 of 3 parts"):
        list(open_run(run.folder).batches())
    resume_run(run.folder, load_entrant)
    assert open_run(run.folder).complete
