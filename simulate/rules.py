"""The rules as a value: every open choice is a field, checked as a whole when it is made.

Source: docs/rules.md. The presets are TOML files in ``simulate/variants/``.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from simulate.cards import DENOMINATIONS, LEVELS
from simulate.errors import RulesError
from simulate.game.records import RULES

VARIANT_FOLDER = Path(__file__).parent / "variants"

#: Highest value of a field that scores: sums of a hand stay far within 32 bits.
MOST_POINTS = 1000
#: A match's hands are numbered within 1024 (deal_id = match_id * 1024 + hand_no).
MOST_HANDS = 1024

Points = Annotated[int, Field(strict=True, ge=0, le=MOST_POINTS)]
Multiplier = Annotated[int, Field(strict=True, ge=1, le=10)]
Loss = Annotated[int, Field(strict=True, ge=1, le=1000)]
Switch = Annotated[bool, Field(strict=True)]
Denomination = Literal["C", "D", "H", "S", "NT"]


class Rules(BaseModel):
    """A rule set; immutable, hashable, complete.

    Each field is described in docs/rules.md; the defaults are the classic game.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    players: Literal[4, 3] = Field(4, description="players at the table")
    denominations: tuple[Denomination, ...] = Field(
        ("C", "D", "H", "S", "NT"), description="what may be bid: suits as trump, NT for no trump"
    )
    max_level: Annotated[int, Field(strict=True, ge=1, le=LEVELS)] = Field(
        LEVELS, description="highest number of melds that may be promised"
    )
    suit_ranking: Literal["none", "bridge"] = Field(
        "none", description="whether suits of one level outrank each other: none, or C < D < H < S"
    )
    auction: Literal["continuous", "one-round"] = Field(
        "continuous", description="calls go round until all others pass, or each seat speaks once"
    )
    passed_may_return: Switch = Field(True, description="a player who passed may bid later")
    all_pass: Literal["redeal", "play-out"] = Field(
        "redeal", description="nobody bids: nothing is scored, or NT is played without a contract"
    )
    trick_points: Points = Field(1, description="points for each trick")
    set3_points: Points = Field(5, description="points of a set of three")
    set4_points: Points = Field(10, description="points of a set of four")
    run3_points: Points = Field(5, description="points of a run of three")
    run_step_points: Points = Field(5, description="points of each further card of a run")
    trump_run_multiplier: Multiplier = Field(2, description="what a run in the trump suit counts")
    dead_card_penalty: Points = Field(
        0, description="points lost for each captured card in no meld"
    )
    slam_bonus: Points = Field(25, description="points for capturing every trick")
    fail_multiplier: Loss = Field(
        10, description="points lost in a failed contract, times the level"
    )
    failed_contract_scores: Switch = Field(
        False, description="a failed contract keeps its tricks and melds beside the loss"
    )
    target_score: Annotated[int, Field(strict=True, ge=1, le=1_000_000)] = Field(
        100, description="points that win a match"
    )
    max_hands: Annotated[int, Field(strict=True, ge=0, le=MOST_HANDS)] = Field(
        0, description="hands after which the side in the lead wins; 0 for no limit"
    )
    hand_limit: Annotated[int, Field(strict=True, ge=1, le=MOST_HANDS)] = Field(
        1000, description="hands, redealt ones included, after which a match is unfinished"
    )
    open_last: Annotated[int, Field(strict=True, ge=0, le=17)] = Field(
        0, description="hands lie face up once each player holds so many cards"
    )
    jokers: Annotated[int, Field(strict=True, ge=0, le=2)] = Field(
        0, description="wild cards, dealt apart"
    )
    joker_deal: Literal["random", "one-each", "declarers"] = Field(
        "random", description="jokers go to random seats, one to each side, or to the declarer"
    )
    min_natural_cards: Literal[2, 3] = Field(
        2, description="natural cards that a meld with jokers needs"
    )
    hard_bid: Literal["off", "exact", "at-least"] = Field(
        "off", description="the declarer announces the points, to be met exactly or at least"
    )
    hard_bid_melds: Switch = Field(True, description="a hard bid must also make its level")
    fail_value: Literal["level", "target"] = Field(
        "level", description="a failed hard bid loses by its level, or by the announced points"
    )
    kitty: Literal["none", "exchange", "pile", "last-trick", "dead"] = Field(
        "none", description="what becomes of the odd card of three players"
    )

    @field_validator("denominations")
    @classmethod
    def _each_once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value:
            raise ValueError("names none: at least one of C, D, H, S, NT is needed")
        if len(set(value)) != len(value):
            raise ValueError("names one twice")
        return tuple(d for d in DENOMINATIONS if d in value)

    @property
    def hand_size(self) -> int:
        """Cards dealt to a player: 13, or 17 for three players."""
        return 13 if self.players == 4 else 17

    @property
    def seats(self) -> str:
        """Letters of the seats that play."""
        return "NESW"[: self.players]

    @property
    def sides(self) -> int:
        """Sides with a match score each."""
        return 2 if self.players == 4 else 3

    def model_post_init(self, context: Any) -> None:
        """Refuse combinations that make no sense."""
        for broken, message in self._combinations():
            if broken:
                raise ValueError(message)

    def _combinations(self) -> list[tuple[bool, str]]:
        three = self.players == 3
        hard_fields = [
            name
            for name in ("hard_bid_melds", "fail_value")
            if getattr(self, name) != type(self).model_fields[name].default
        ]
        return [
            (
                three and self.kitty == "none",
                "kitty is 'none' with three players: it may be exchange, pile, last-trick or dead",
            ),
            (
                not three and self.kitty != "none",
                f"kitty is {self.kitty!r} with four players: it may only be none",
            ),
            (
                three and self.all_pass == "play-out",
                "all_pass is 'play-out' with three players: it may only be redeal",
            ),
            (
                self.all_pass == "play-out" and "NT" not in self.denominations,
                "all_pass is 'play-out' where NT is no denomination: it may be redeal, or add NT",
            ),
            (
                three and self.joker_deal == "one-each",
                "joker_deal is 'one-each' with three players: it may be random or declarers",
            ),
            (
                self.joker_deal == "one-each" and self.jokers != 2,
                f"joker_deal is 'one-each' with {self.jokers} jokers: jokers must be 2",
            ),
            (
                self.hard_bid == "off" and bool(hard_fields),
                f"{' and '.join(hard_fields)} set while hard_bid is 'off': "
                "hard_bid may be exact or at-least",
            ),
            (
                self.hand_limit < self.max_hands,
                f"hand_limit is {self.hand_limit}, below max_hands {self.max_hands}",
            ),
            (
                self.open_last > self.hand_size,
                f"open_last is {self.open_last}: it may be 0 to {self.hand_size}, the hand size",
            ),
        ]

    def notes(self) -> list[str]:
        """Fields that have no effect beside the others, a sentence each."""
        notes = []
        if self.denominations == ("NT",) and self.trump_run_multiplier != 2:
            notes.append("trump_run_multiplier has no effect: every hand is played at NT")
        if len(set(self.denominations) - {"NT"}) < 2 and self.suit_ranking == "bridge":
            notes.append("suit_ranking has no effect: no two suits are denominations")
        if not self.jokers and (self.joker_deal != "random" or self.min_natural_cards != 2):
            notes.append("joker_deal and min_natural_cards have no effect without jokers")
        if self.auction == "one-round" and not self.passed_may_return:
            notes.append("passed_may_return has no effect in a one-round auction")
        return notes

    def changes(self) -> dict[str, Any]:
        """Fields that differ from the classic game."""
        fields = type(self).model_fields
        values = self.model_dump(mode="json")
        classic = CLASSIC.model_dump(mode="json")
        return {name: values[name] for name in fields if values[name] != classic[name]}

    def numbers(self) -> np.ndarray:
        """Rules as the engine reads them: a RULES array of shape (1,)."""
        record = np.zeros(1, RULES)
        for name in RULES.names or ():
            value = getattr(self, name)
            if name == "denominations":
                value = sum(1 << DENOMINATIONS.index(d) for d in value)
            elif isinstance(value, str):
                value = get_args(type(self).model_fields[name].annotation).index(value)
            record[name] = value
        return record


def make_rules(values: Mapping[str, Any]) -> Rules:
    """Rules of the given fields, the others classic.

    Raises
    ------
    RulesError
        One line that names the field and what it may be.
    """
    for name in values:
        if name not in Rules.model_fields:
            close = difflib.get_close_matches(str(name), Rules.model_fields, n=1)
            hint = f": did you mean {close[0]}?" if close else ": see `sviten rules`"
            raise RulesError(f"{name!r} is no field of the rules{hint}")
    try:
        return Rules(**values)
    except ValidationError as error:
        first = error.errors()[0]
        text = first["msg"].removeprefix("Value error, ")
        if first["loc"]:  # one field, rather than a combination
            name = str(first["loc"][0])
            text = f"{name} = {values[name]!r}: it may be {allowed(name)}"
        raise RulesError(text) from None


def allowed(name: str) -> str:
    """Say what a field may be."""
    field = Rules.model_fields[name]
    if isinstance(field.default, bool):
        return "true or false"
    if isinstance(field.default, tuple):
        return f"some of {', '.join(DENOMINATIONS)}, each once"
    if words := get_args(field.annotation):
        *others, last = map(str, words)
        return f"{', '.join(others)} or {last}"
    low = next(bound.ge for bound in field.metadata if hasattr(bound, "ge"))
    high = next(bound.le for bound in field.metadata if hasattr(bound, "le"))
    return f"a whole number, {low} to {high}"


CLASSIC = Rules()


def variant_names() -> list[str]:
    """Names of the presets, classic first."""
    names = sorted(path.stem for path in VARIANT_FOLDER.glob("*.toml"))
    return ["classic", *(name for name in names if name != "classic")]


def variant_file(name: str) -> dict[str, Any]:
    """Contents of a preset or of a user's own TOML file: `description`, `source`, `base`, fields.

    Raises
    ------
    RulesError
        When there is no such variant, or the file is not readable as TOML.
    """
    path = Path(name) if name.endswith(".toml") else VARIANT_FOLDER / f"{name}.toml"
    if not path.is_file():
        if name.endswith(".toml"):
            raise RulesError(f"there is no file {name}")
        close = difflib.get_close_matches(name, variant_names(), n=1)
        hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(variant_names())}"
        raise RulesError(f"{name!r} is no variant: {hint}")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))  # some editors mark the start
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RulesError(f"{path} is no TOML file: {error}") from None


def load_rules(variant: str = "classic", changes: Mapping[str, Any] | None = None) -> Rules:
    """Rules of a variant, with some fields changed.

    Parameters
    ----------
    variant : str
        Name of a preset, path of a TOML file, or several of them joined by ``+``, later ones
        overriding earlier ones.
    changes : mapping, optional
        Field names and values.

    Raises
    ------
    RulesError
        When a variant or field is not known, or the rules make no sense.
    """
    return make_rules(_combined(variant, Path(), ()) | dict(changes or {}))


def _combined(variant: str, folder: Path, above: tuple[str, ...]) -> dict[str, Any]:
    """Fields that a variant sets, or several joined by ``+``; files are sought in `folder`."""
    whole = (folder / variant).is_file()  # a sign of plus may stand in a file's name too
    values: dict[str, Any] = {}
    for part in [variant] if whole else variant.split("+"):
        name = part.strip()
        values |= _fields(str(folder / name) if name.endswith(".toml") else name, above)
    return values


def _fields(name: str, above: tuple[str, ...]) -> dict[str, Any]:
    """Fields that a variant and the variants it is based on set."""
    is_file = name.endswith(".toml")
    key = str(Path(name).resolve()) if is_file else name
    if key in above:
        raise RulesError(f"variant {name!r} is based on itself")
    contents = variant_file(name)
    base = contents.pop("base", "")
    for row in ("description", "source"):
        contents.pop(row, None)
    if not isinstance(base, str):
        raise RulesError(f"base = {base!r} of {name!r}: it may be the name of a variant or file")
    if not base:
        return contents
    return _combined(base, Path(name).parent if is_file else Path(), (*above, key)) | contents


def read_change(text: str) -> tuple[str, Any]:
    """Field and value of ``field=value`` as written on the command line.

    Raises
    ------
    RulesError
        When the text has no such form, or the field is not known.
    """
    name, equals, value = text.partition("=")
    name = name.strip()
    value = value.replace('"', "").replace("'", "").strip()
    if not equals:
        raise RulesError(f"{text!r} changes no rule: write field=value")
    if name not in Rules.model_fields:
        make_rules({name: value})
    default = Rules.model_fields[name].default
    if isinstance(default, bool):
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if value.lower() not in words:
            raise RulesError(f"{name} = {value!r}: it may be {allowed(name)}")
        return name, words[value.lower()]
    if isinstance(default, int):
        try:
            return name, int(value)
        except ValueError:
            raise RulesError(f"{name} = {value!r}: it may be {allowed(name)}") from None
    if isinstance(default, tuple):
        return name, tuple(value.strip("[]").replace(",", " ").upper().split())
    return name, value
