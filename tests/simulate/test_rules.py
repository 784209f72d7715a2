"""Rule sets: what is refused and how it is said, presets, files, changes from text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import find, given

from simulate import rules
from simulate.errors import RulesError
from simulate.game import records
from simulate.game.records import RULES
from simulate.rules import CLASSIC, Rules, load_rules, make_rules, read_change
from tests import naive
from tests.fixtures.rule_sets import OTHERS, PLAYED, any_rules, played_rules

THREE: dict[str, Any] = {"players": 3, "kitty": "exchange"}


def test_the_defaults_are_the_classic_game() -> None:
    assert CLASSIC.model_dump(mode="json") == naive.CLASSIC
    assert CLASSIC == load_rules("classic") == make_rules({})
    assert CLASSIC.changes() == {}
    assert CLASSIC.notes() == []


@pytest.mark.parametrize(
    ("values", "field", "may_be"),
    [
        ({"maxlevel": 3}, "maxlevel", "did you mean max_level?"),
        ({"xyzzy": 3}, "xyzzy", "sviten rules"),
        ({"max_level": 0}, "max_level", "1 to 6"),
        ({"max_level": 7}, "max_level", "1 to 6"),
        ({"max_level": 2.5}, "max_level", "whole number"),
        ({"max_level": True}, "max_level", "whole number"),
        ({"max_level": "3"}, "max_level", "whole number"),
        ({"denominations": []}, "denominations", "C, D, H, S, NT"),
        ({"denominations": ["C", "C"]}, "denominations", "each once"),
        ({"denominations": ["X"]}, "denominations", "C, D, H, S, NT"),
        ({"denominations": "NT"}, "denominations", "C, D, H, S, NT"),
        ({"players": 2}, "players", "4 or 3"),
        ({"kitty": "pile"}, "kitty", "only be none"),
        ({"players": 3}, "kitty", "exchange, pile, last-trick or dead"),
        ({**THREE, "kitty": "none"}, "kitty", "exchange, pile, last-trick or dead"),
        ({**THREE, "all_pass": "play-out"}, "all_pass", "only be redeal"),
        ({**THREE, "jokers": 2, "joker_deal": "one-each"}, "joker_deal", "random or declarers"),
        ({"all_pass": "play-out", "denominations": ["C"]}, "all_pass", "redeal, or add NT"),
        ({"joker_deal": "one-each"}, "joker_deal", "jokers must be 2"),
        ({"joker_deal": "one-each", "jokers": 1}, "joker_deal", "jokers must be 2"),
        ({"jokers": 3}, "jokers", "0 to 2"),
        ({"jokers": -1}, "jokers", "0 to 2"),
        ({"hard_bid_melds": False}, "hard_bid_melds", "exact or at-least"),
        ({"fail_value": "target"}, "fail_value", "exact or at-least"),
        ({"hard_bid_melds": False, "fail_value": "target"}, "hard_bid_melds", "fail_value"),
        ({"hard_bid": "maybe"}, "hard_bid", "off, exact or at-least"),
        *(
            ({name: -1}, name, "0 to 1000")
            for name in (
                "trick_points", "set3_points", "set4_points", "run3_points", "run_step_points",
                "dead_card_penalty", "slam_bonus",
            )
        ),
        ({"trump_run_multiplier": 0}, "trump_run_multiplier", "1 to 10"),
        ({"fail_multiplier": 0}, "fail_multiplier", "1 to 1000"),
        ({"target_score": 0}, "target_score", "1 to 1000000"),
        ({"max_hands": -1}, "max_hands", "0 to 1024"),
        ({"hand_limit": 0}, "hand_limit", "1 to 1024"),
        ({"hand_limit": 5, "max_hands": 12}, "hand_limit", "max_hands 12"),
        ({"open_last": 14}, "open_last", "0 to 13"),
        ({**THREE, "open_last": 18}, "open_last", "0 to 17"),
        ({"open_last": -1}, "open_last", "0 to 17"),
        ({"suit_ranking": "whist"}, "suit_ranking", "none or bridge"),
        ({"auction": "none"}, "auction", "continuous or one-round"),
        ({"passed_may_return": 1}, "passed_may_return", "true or false"),
        ({"failed_contract_scores": "no"}, "failed_contract_scores", "true or false"),
        ({"min_natural_cards": 4}, "min_natural_cards", "2 or 3"),
        ({"trick_points": 10**9}, "trick_points", "0 to 1000"),
        ({"slam_bonus": None}, "slam_bonus", "0 to 1000"),
    ],
    ids=str,
)  # fmt: skip
def test_what_makes_no_sense_is_refused(values: dict[str, Any], field: str, may_be: str) -> None:
    with pytest.raises(RulesError, match=r"^[^\n]+$") as error:
        make_rules(values)
    assert field in str(error.value)
    assert may_be in str(error.value)


@pytest.mark.parametrize(
    "values",
    [
        {"max_level": 1, "denominations": ["NT"]},
        {"open_last": 13},
        {**THREE, "open_last": 17},
        {"jokers": 2, "joker_deal": "one-each"},
        {"jokers": 1, "joker_deal": "declarers"},
        {"hard_bid": "exact", "hard_bid_melds": False, "fail_value": "target"},
        {"all_pass": "play-out", "denominations": ["C", "NT"]},
        {"max_hands": 12, "hand_limit": 12},
        {"trick_points": 0, "set3_points": 0},
    ],
    ids=str,
)
def test_what_makes_sense_is_taken(values: dict[str, Any]) -> None:
    made = make_rules(values)
    assert made == make_rules(made.model_dump()) == make_rules(made.model_dump(mode="json"))
    assert set(made.changes()) == set(values)


def test_denominations_are_kept_in_order() -> None:
    assert make_rules({"denominations": ["NT", "S", "C"]}).denominations == ("C", "S", "NT")


@given(played_rules())
def test_numbers_are_what_the_kernels_read(made: Rules) -> None:
    numbers = made.numbers()
    assert numbers.shape == (1,)
    assert numbers.dtype == RULES
    assert set(RULES.names or ()) == set(Rules.model_fields)
    for name, value in made.model_dump().items():
        number = int(numbers[0][name])
        if name == "denominations":
            assert [d for i, d in enumerate(naive.DENOMINATIONS) if number >> i & 1] == list(value)
        elif isinstance(value, str):
            options = get_args(Rules.model_fields[name].annotation)
            assert options[number] == value
        else:
            assert number == value


@pytest.mark.parametrize("name", Rules.model_fields)
def test_random_rule_sets_vary_every_field(name: str) -> None:
    assert name in PLAYED | OTHERS, "see tests/fixtures/rule_sets.py"
    assert (name in PLAYED) + (name in OTHERS) == 1
    find(any_rules(), lambda drawn: getattr(drawn, name) != getattr(CLASSIC, name))


@pytest.mark.parametrize("name", Rules.model_fields)
def test_the_naive_engine_reads_every_field(name: str) -> None:
    """That it reads it as the rules say, test_agreement.py holds."""
    source = Path(naive.__file__).read_text("utf-8")
    assert re.search(rf"""rules\[['"]{name}['"]\]""", source), "see tests/naive.py"


#: Numbers by which the kernels know the options that are words.
OPTIONS = {
    "ONE_EACH": ("joker_deal", "one-each"),
    "TO_DECLARERS": ("joker_deal", "declarers"),
    "EXACT_BID": ("hard_bid", "exact"),
    "LOSE_TARGET": ("fail_value", "target"),
    "KITTY_EXCHANGE": ("kitty", "exchange"),
    "KITTY_PILE": ("kitty", "pile"),
    "KITTY_LAST_TRICK": ("kitty", "last-trick"),
}
#: The other whole numbers of simulate/game/records.py.
COUNTS = {
    "MAX_CALLS", "MAX_TRICKS", "PARAMETERS", "MEMO", "BIDDING", "PLAYING", "ANNOUNCING",
    "DISCARDING", "VIEW_SIZE", "OWN_START", "OWN_STOP", "STREAM_STOP", "KEY_WORDS",
}  # fmt: skip


def test_numbers_of_options_are_those_of_the_words() -> None:
    numbers = {name for name, value in vars(records).items() if isinstance(value, int)}
    assert numbers == set(OPTIONS) | COUNTS
    for constant, (field, word) in OPTIONS.items():
        words = get_args(Rules.model_fields[field].annotation)
        assert words.index(word) == getattr(records, constant), constant


PRESETS: dict[str, dict[str, Any]] = {
    "classic": {},
    "no-trump": {"denominations": ["NT"]},
    "last-three-open": {"open_last": 3},
    "jokers": {"jokers": 2},
    "triple-trump-runs": {"trump_run_multiplier": 3},
    "hard-bid": {"hard_bid": "exact", "fail_multiplier": 5},
    "three-player": THREE,
    "no-slam-bonus": {"slam_bonus": 0},
    "dead-cards": {"dead_card_penalty": 1},
    "twelve-hands": {"max_hands": 12},
    "one-round-auction": {"auction": "one-round"},
}


@pytest.mark.parametrize("name", PRESETS)
def test_presets(name: str) -> None:
    assert load_rules(name).changes() == PRESETS[name]
    contents = rules.variant_file(name)
    assert contents["description"].endswith(".")
    assert contents["source"]


def test_no_preset_is_missing() -> None:
    assert rules.variant_names()[0] == "classic"
    assert set(rules.variant_names()) == set(PRESETS)


def test_variants_combine_and_later_ones_override() -> None:
    assert load_rules("no-trump+dead-cards").changes() == {
        "denominations": ["NT"],
        "dead_card_penalty": 1,
    }
    assert load_rules("hard-bid + jokers").changes() == PRESETS["hard-bid"] | PRESETS["jokers"]
    assert load_rules("dead-cards", {"dead_card_penalty": 2}).dead_card_penalty == 2
    with pytest.raises(RulesError, match="open_last"):
        load_rules("last-three-open", {"open_last": 14})


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Folder of rules files."""
    for name, text in {
        "house.toml": 'description = "Ours."\nbase = "no-trump"\nslam_bonus = 50\n',
        "sub/child.toml": 'base = "../house.toml"\nmax_level = 3\n',
        "both.toml": 'base = "no-trump + house.toml + dead-cards"\nslam_bonus = 7\n',
        "a+b.toml": "slam_bonus = 1\n",
        "self.toml": 'base = "self.toml"\n',
        "ping.toml": 'base = "./sub/pong.toml"\n',
        "sub/pong.toml": 'base = "../ping.toml"\n',
        "number.toml": "base = 5\n",
        "broken.toml": "max_level == 3\n",
        "table.toml": "[rules]\nmax_level = 3\n",
        "field.toml": "max_levle = 3\n",
        "text.toml": 'max_level = "3"\n',
        "lost.toml": 'base = "nowhere.toml"\n',
    }.items():
        (tmp_path / "sub").mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    return tmp_path


def test_files_and_their_bases(home: Path) -> None:
    house = {"denominations": ["NT"], "slam_bonus": 50}
    assert load_rules(str(home / "house.toml")).changes() == house
    assert load_rules(str(home / "sub/child.toml")).changes() == house | {"max_level": 3}
    assert load_rules(str(home / "a+b.toml")).changes() == {"slam_bonus": 1}
    both = house | {"dead_card_penalty": 1, "slam_bonus": 7}
    assert load_rules(str(home / "both.toml")).changes() == both
    joined = f"one-round-auction + {home / 'house.toml'}"
    assert load_rules(joined).changes() == house | {"auction": "one-round"}


def test_files_in_the_working_folder(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    assert load_rules("house.toml+dead-cards").slam_bonus == 50
    assert load_rules("a+b.toml").slam_bonus == 1
    Path("notepad.toml").write_bytes(b"\xef\xbb\xbfslam_bonus = 2\r\njokers = 1\r\n")
    assert load_rules("notepad.toml").slam_bonus == 2


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("self.toml", "based on itself"),
        ("ping.toml", "based on itself"),
        ("number.toml", "base = 5"),
        ("broken.toml", "no TOML file"),
        ("binary.toml", "no TOML file"),
        ("table.toml", "'rules' is no field"),
        ("field.toml", "did you mean max_level"),
        ("text.toml", "max_level = '3': it may be a whole number, 1 to 6"),
        ("lost.toml", "there is no file"),
        ("none.toml", "there is no file"),
    ],
)
def test_files_that_are_refused(home: Path, name: str, told: str) -> None:
    with pytest.raises(RulesError, match=r"^[^\n]+$") as error:
        load_rules(str(home / name))
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("name", "told"),
    [("notrump", "did you mean no-trump"), ("", "known are classic"), ("jokers+", "known are")],
)
def test_variants_that_are_not_known(name: str, told: str) -> None:
    with pytest.raises(RulesError, match=told):
        load_rules(name)


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("max_level=3", "max_level", 3),
        (" max_level = 3 ", "max_level", 3),
        ("trick_points=-1", "trick_points", -1),
        ("players=3", "players", 3),
        ("min_natural_cards=3", "min_natural_cards", 3),
        ("passed_may_return=false", "passed_may_return", False),
        ("passed_may_return=No", "passed_may_return", False),
        ("failed_contract_scores=yes", "failed_contract_scores", True),
        ("failed_contract_scores=1", "failed_contract_scores", True),
        ("denominations=NT", "denominations", ("NT",)),
        ("denominations=c,nt", "denominations", ("C", "NT")),
        ('denominations = ["C", "NT"]', "denominations", ("C", "NT")),
        ("denominations=", "denominations", ()),
        ("auction=one-round", "auction", "one-round"),
        ('auction="one-round"', "auction", "one-round"),
        ("kitty=last-trick", "kitty", "last-trick"),
    ],
)
def test_changes_are_read_from_text(text: str, name: str, value: object) -> None:
    assert read_change(text) == (name, value)


def test_every_field_is_read_from_text() -> None:
    for name, value in CLASSIC.model_dump().items():
        written = ",".join(value) if isinstance(value, tuple) else str(value)
        assert read_change(f"{name}={written}") == (name, value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("max_level", "write field=value"),
        ("max_level=x", "max_level = 'x': it may be a whole number, 1 to 6"),
        ("slam_bonus=", "0 to 1000"),
        ("trick_points=1.5", "0 to 1000"),
        ("passed_may_return=2", "true or false"),
        ("auktion=x", "did you mean auction"),
        ("=", "sviten rules"),
    ],
)
def test_changes_that_are_refused(text: str, told: str) -> None:
    with pytest.raises(RulesError, match=r"^[^\n]+$") as error:
        read_change(text)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"denominations": ["NT"], "trump_run_multiplier": 3}, "trump_run_multiplier"),
        ({"denominations": ["NT"], "suit_ranking": "bridge"}, "suit_ranking"),
        ({"denominations": ["C", "NT"], "suit_ranking": "bridge"}, "suit_ranking"),
        ({"joker_deal": "declarers"}, "joker_deal"),
        ({"min_natural_cards": 3}, "min_natural_cards"),
        ({"auction": "one-round", "passed_may_return": False}, "passed_may_return"),
    ],
    ids=str,
)
def test_what_has_no_effect_is_told(values: dict[str, Any], field: str) -> None:
    (note,) = make_rules(values).notes()
    assert field in note
    assert "no effect" in note


def test_rules_are_values() -> None:
    first, second = make_rules({"max_level": 3}), load_rules("classic", {"max_level": 3})
    assert first == second
    assert hash(first) == hash(second)
    with pytest.raises(ValueError, match="frozen"):
        first.max_level = 4
    assert (CLASSIC.hand_size, CLASSIC.seats) == (13, "NESW")
    assert (make_rules(THREE).hand_size, make_rules(THREE).seats) == (17, "NES")
    assert np.array_equal(first.numbers(), second.numbers())
