"""What a run plays: everything that its rows depend on, as it stands in ``run.json``."""

from __future__ import annotations

import json
import operator
import platform
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal, SupportsIndex

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)

from simulate.cards import hand_text, read_hand
from simulate.compiled.kernels import source_hash
from simulate.engine import forced as forced_play
from simulate.engine import match
from simulate.engine.entrant import Entrant, Loader
from simulate.engine.forced import contracts_a_leg, heedless_of_level
from simulate.errors import CardError, RunError
from simulate.rules import MOST_HANDS, Rules
from simulate.store.atomic import write_whole

SCHEMA = 1
SETTINGS_FILE = "run.json"
MOST_SEED = 2**64 - 1
#: Deal ids stay well within int64.
MOST_DEALS = 2**62
MOST_MATCHES = MOST_DEALS // MOST_HANDS

Detail = Literal["calls", "plays"]
#: What a run is counted in.
Unit = Literal["deals", "matches"]
#: How many of them, or the ids of those that are meant.
Amount = SupportsIndex | range

#: What helps where the settings of a run cannot be read.
_REMEDY = "put it back as it was, or start the run anew with --overwrite"

#: What may differ between two sets of settings that give the same rows.
_FREE = frozenset({"schema", "versions", "created", "stored"})
#: What is not repeated in the part files: they are to be the same bytes whenever they are made,
#: also where a run is extended later.
_NOT_IN_PARTS = frozenset({"created", "first_deal", "deals", "first_match", "matches"})
_FIRST = {"deals": "first_deal", "matches": "first_match"}


class Seated(BaseModel):
    """An entrant and what was played under its name.

    Attributes
    ----------
    text : str
        Canonical spec, with paths as the user wrote them.
    source : str
        Hash of the source that was compiled.
    stored : str
        The spec that loads the copies in the run folder, which stands as ``{run}``, or in that of
        its study, ``{study}``; empty where the entrant has no file of its own.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    source: str
    stored: str = ""


class Settings(BaseModel):
    """Settings of a run, in full.

    Attributes
    ----------
    rules : Rules
    entrants : dict of str to Seated
        By seat, N first, as they sit in leg 0.
    seed : int
    first_deal, deals : int
        The deal ids are ``first_deal <= id < first_deal + deals``. 0 in a run of matches.
    first_match, matches : int
        The same of match ids; the hands of match m are the deals ``1024 * m``, ``1024 * m + 1`` and
        so on. 0 in a run of deals.
    legs : int
        How often each deal or match is played; in leg k everyone sits k seats further round.
    part_deals, part_matches : int
        Part k holds the deals ``k * part_deals <= id < (k + 1) * part_deals``, or the matches
        alike. 0 where it is still to be chosen, never on disk; 0 for what the run is not of.
    detail : tuple of {"calls", "plays"}
        Tables that are written beside `hands`.
    forced : bool
        No auction: every hand is played in every denomination, declared by every seat, and the
        table is `forced` in place of `hands`.
    hands : dict of str to str
        Hands that seats are given in every deal.
    engine : str
        Hash of the engine's source.
    versions : dict of str to str
        Of this package, Python, and what the numbers pass through.
    created : str
        Time at which the run began.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", serialize_by_alias=True)

    schema_version: Literal[1] = Field(default=1, alias="schema")
    rules: Rules
    entrants: dict[str, Seated]
    seed: Annotated[int, Field(ge=0, le=MOST_SEED)]
    first_deal: Annotated[int, Field(ge=0, lt=MOST_DEALS)] = 0
    deals: Annotated[int, Field(ge=0, lt=MOST_DEALS)] = 0
    first_match: Annotated[int, Field(ge=0, lt=MOST_MATCHES)] = 0
    matches: Annotated[int, Field(ge=0, lt=MOST_MATCHES)] = 0
    legs: Annotated[int, Field(ge=1, le=4)] = 1
    part_deals: Annotated[int, Field(ge=0)] = 0
    part_matches: Annotated[int, Field(ge=0)] = 0
    detail: tuple[Detail, ...] = ()
    forced: bool = False
    hands: dict[str, str] = {}
    engine: str
    versions: dict[str, str]
    created: str

    @model_validator(mode="after")
    def _of_one_unit(self) -> Settings:
        if bool(self.deals) == bool(self.matches):
            raise ValueError("a run has either deals or matches")
        return self

    @model_serializer(mode="wrap")
    def _without_the_other(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out what is of the unit that the run is not counted in, or of forced runs."""
        unit: Unit = "matches" if self.deals else "deals"
        other = (_FIRST[unit], unit, f"part_{unit}", *(() if self.forced else ("forced",)))
        return {name: value for name, value in write(self).items() if name not in other}

    @property
    def rows_a_leg(self) -> int:
        """Rows of `hands`, or of `forced`, that a deal has in each leg."""
        return contracts_a_leg(self.rules) if self.forced else 1

    @property
    def unit(self) -> Unit:
        """What the run is counted in; ids, parts and progress are of these."""
        return "matches" if self.matches else "deals"

    @property
    def count(self) -> int:
        """Deals or matches of the run."""
        return self.matches or self.deals

    @property
    def ids(self) -> range:
        """Deal ids or match ids."""
        first = self.first_match if self.matches else self.first_deal
        return range(first, first + self.count)

    @property
    def part_size(self) -> int:
        """Deals or matches in a part."""
        return self.part_matches if self.matches else self.part_deals

    def with_count(self, count: int) -> Settings:
        """Make the same settings for so many deals or matches."""
        return self.model_copy(update={self.unit: count})

    def with_ids(self, ids: range) -> Settings:
        """Make the same settings for these deals or matches."""
        return self.model_copy(update={_FIRST[self.unit]: ids.start, self.unit: len(ids)})

    def with_part_size(self, size: int) -> Settings:
        """Make the same settings for parts of so many deals or matches."""
        return self.model_copy(update={f"part_{self.unit}": size})

    @property
    def parts(self) -> range:
        """Numbers of the parts."""
        ids = self.ids
        return range(ids.start // self.part_size, ids[-1] // self.part_size + 1)

    def part_range(self, part: int) -> range:
        """Deal ids or match ids of a part."""
        ids = self.ids
        return range(
            max(ids.start, part * self.part_size), min(ids.stop, (part + 1) * self.part_size)
        )

    def deal_range(self, ids: range) -> range:
        """Deal ids that the deals or matches `ids` may have."""
        if self.unit == "deals":
            return ids
        return range(ids.start * MOST_HANDS, ids.stop * MOST_HANDS)

    @property
    def fixed(self) -> dict[int, int]:
        """Card sets that seats are given in every deal."""
        size = self.rules.hand_size
        return {self.rules.seats.index(s): read_hand(text, size) for s, text in self.hands.items()}

    def part_metadata(self) -> dict[str, str]:
        """Give the settings as every part file repeats them."""
        return {"sviten": json.dumps(self.part_facts(), sort_keys=True)}

    def part_facts(self) -> dict[str, Any]:
        """Give what the part files repeat of the settings."""
        return {k: v for k, v in self.model_dump(mode="json").items() if k not in _NOT_IN_PARTS}


def check_seed(seed: SupportsIndex | None) -> int:
    """Check a seed, or draw one where it is None.

    Raises
    ------
    RunError
        When it is no whole number of 64 bits.
    """
    if seed is None:
        return secrets.randbits(64)
    try:
        number = -1 if isinstance(seed, bool) else operator.index(seed)
    except TypeError:
        number = -1
    if not 0 <= number <= MOST_SEED:
        raise RunError(
            f"seed {seed!r}: it must be a whole number from 0 to {MOST_SEED} (2**64 - 1)"
        )
    return number


def check_count(name: str, number: SupportsIndex, least: int = 0) -> int:
    """Check that an option is a whole number, and no less than `least`.

    Raises
    ------
    RunError
        When it is not.
    """
    try:
        checked = None if isinstance(number, bool) else operator.index(number)
    except TypeError:
        checked = None
    if checked is None or checked < least:
        raise RunError(f"{name} = {number!r}: it must be a whole number, {least} or more")
    return checked


def make_settings(
    rules: Rules,
    entrants: Sequence[str],
    load: Loader,
    *,
    deals: Amount | None = None,
    matches: Amount | None = None,
    seed: SupportsIndex | None = None,
    duplicate: bool = False,
    detail: str | Sequence[str] = (),
    hands: Mapping[str, str] | None = None,
    forced: bool = False,
    part_deals: int = 0,
) -> Settings:
    """Make the settings of a new run.

    Parameters
    ----------
    rules : Rules
    entrants : sequence of str
        Specs by seat, N first.
    load : Loader
    deals, matches : int or range, optional
        One of them: how many, or which.
    seed : int, optional
        0..2**64 - 1; drawn where it is not given.
    duplicate : bool
        Play each deal, or each match hand by hand, again with the seats changed: twice with four
        players, so that every pair holds all cards; in three rotations with three.
    detail : {"calls", "plays"}, or a sequence of them
    hands : mapping of str to str, optional
        Seat letters and the hands that they are given in every deal.
    forced : bool
        Play every hand in every denomination, declared by every seat, without an auction.
    part_deals : int
        Deals in a part; 0 leaves the choice to a pilot.

    Raises
    ------
    RunError, CardError, StrategyError
        When something of it cannot be played.
    """
    if len(entrants) != rules.players:
        raise RunError(f"{len(entrants)} entrants: {rules.players} players need one for each seat")
    if (deals is None) == (matches is None):
        raise RunError("a run plays either deals or matches: give the number of one of them")
    deal_ids = _check_ids("deals", deals, MOST_DEALS)
    match_ids = _check_ids("matches", matches, MOST_MATCHES)
    words = [detail] if isinstance(detail, str) else list(detail)
    for word in words:
        if word not in ("calls", "plays"):
            raise RunError(f"detail {word!r} is not known: it may be calls, plays or both")
    if forced and (matches is not None or words):
        what = "matches are" if matches is not None else "detail is"
        raise RunError(f"a forced run plays deals without an auction: {what} for other runs")
    seed = check_seed(seed)
    loaded = [load(text) for text in entrants]
    if forced:
        for entrant in loaded:
            if not heedless_of_level(entrant, rules):
                raise RunError(_heeds(entrant, rules))
    seated = zip(rules.seats, loaded, strict=True)
    return Settings(
        rules=rules,
        entrants={seat: Seated(text=e.text, source=e.source) for seat, e in seated},
        seed=seed,
        first_deal=deal_ids.start,
        deals=len(deal_ids),
        first_match=match_ids.start,
        matches=len(match_ids),
        legs=(2 if rules.players == 4 else 3) if duplicate else 1,
        part_deals=part_deals,
        detail=tuple(sorted(set(words))),
        forced=forced,
        hands=_fixed_hands(rules, hands or {}),
        engine=engine_hash(),
        versions=_versions(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _heeds(entrant: Entrant, rules: Rules) -> str:
    """Say why a player is none for a forced run."""
    open_hands = f" where hands lie open (open_last = {rules.open_last})"
    when = "" if entrant.heeds_level == "always" else open_hands
    return (
        f"player {entrant.player} of {entrant.text} looks at the level of the contract{when}: a "
        "forced run plays a hand once for all levels, by players that are declared with "
        'heeds_level="never"'
    )


def _check_ids(unit: Unit, amount: Amount | None, most: int) -> range:
    """Ids of so many deals or matches, or those given."""
    if amount is None:
        return range(0)
    if not isinstance(amount, range):
        if not 1 <= check_count(unit, amount) < most:
            raise RunError(f"{amount} {unit}: a run has 1 to {most - 1}")
        return range(operator.index(amount))
    if amount.step != 1 or not 0 <= amount.start < amount.stop < most:
        raise RunError(
            f"{unit} {amount.start} to {amount.stop}: a range begins at 0 or later, ends after "
            f"that and before {most}, and has a step of 1"
        )
    return amount


def engine_hash() -> str:
    """Hash of the source of the engine and of all that it is compiled from."""
    files = [module.__file__ for module in (match, forced_play)]
    sources = [source_hash(Path(file)) for file in files if file]
    return sha256("".join(sources).encode()).hexdigest()[:16]


def _versions() -> dict[str, str]:
    packages = ("sviten", "numba", "numpy", "pyarrow")
    return {name: version(name) for name in packages} | {"python": platform.python_version()}


def _fixed_hands(rules: Rules, hands: Mapping[str, str]) -> dict[str, str]:
    """Canonical texts of fixed hands, by seat letter."""
    taken = 0
    entries = {}
    for seat, text in hands.items():
        if seat not in rules.seats:
            raise RunError(f"seat {seat!r} does not play: it may be {', '.join(rules.seats)}")
        mask = read_hand(text, rules.hand_size)
        if mask & taken:
            raise CardError(f"the hand of {seat} holds cards that another seat is given")
        taken |= mask
        entries[seat] = hand_text(mask)
    return dict(sorted(entries.items(), key=lambda item: rules.seats.index(item[0])))


def _flatten(value: Any, name: str = "") -> dict[str, Any]:
    """Leaves of nested settings by dotted name, but for what the rows do not depend on."""
    if not isinstance(value, dict):
        return {name: value}
    leaves: dict[str, Any] = {}
    for key, inner in value.items():
        if key not in _FREE:
            leaves |= _flatten(inner, f"{name}.{key}" if name else key)
    return leaves


def name_differences(
    left: Settings, right: Settings, there: str = "there", here: str = "here"
) -> str:
    """Name the first differences that make for other rows: ``seed 7 there, 8 here``.

    Parameters
    ----------
    left, right : Settings
    there, here : str
        What stands behind their values.

    Returns
    -------
    str
        Empty where the same rows come of both.
    """
    of_left, of_right = (_flatten(each.model_dump(mode="json")) for each in (left, right))
    return _tell_differences(of_left, of_right, there, here)


def name_part_differences(written: dict[str, Any], settings: Settings) -> str:
    """Name the first differences between what a part repeats and the settings, as they matter.

    Returns
    -------
    str
        Empty where the part is of these settings.
    """
    return _tell_differences(
        _flatten(written), _flatten(settings.part_facts()), "in the parts", f"in {SETTINGS_FILE}"
    )


def _tell_differences(left: dict[str, Any], right: dict[str, Any], there: str, here: str) -> str:
    lines = [
        f"{name} {left.get(name, 'unset')} {there}, {right.get(name, 'unset')} {here}"
        for name in dict.fromkeys([*left, *right])
        if left.get(name) != right.get(name)
    ]
    return "; ".join(lines[:3]) + (f"; and {len(lines) - 3} more" if len(lines) > 3 else "")


def write_settings(folder: Path, settings: Settings) -> None:
    """Write ``run.json``, whole or not at all."""
    text = json.dumps(settings.model_dump(mode="json"), indent=2)
    write_whole(folder / SETTINGS_FILE, (text + "\n").encode())


def read_settings(folder: Path) -> Settings:
    """Read ``run.json``.

    Raises
    ------
    RunError
        When the folder is no run, or one that this version cannot read.
    """
    path = folder / SETTINGS_FILE
    if not path.is_file():
        why = "has no run.json" if folder.is_dir() else "does not exist"
        if (folder / "study.json").is_file():
            why = "is a study of several: name one of the folders in it"
        if folder.is_file():
            why = "is a file, where the folder of a run is expected"
        raise RunError(f"{folder} is no run: it {why}")
    try:
        values = json.loads(path.read_bytes())
        schema = values["schema"]
    except (ValueError, KeyError, TypeError) as error:
        text = f"{path} is not readable as a run's settings: {error!r}"
        raise RunError(f"{text}; {_REMEDY}") from None
    if isinstance(schema, int) and schema > SCHEMA:
        raise RunError(
            f"{folder} was written by a newer sviten (schema {schema}, {SCHEMA} here): update it"
        )
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(step) for step in first["loc"])
        raise RunError(f"{path} is damaged: {field}: {first['msg']}; {_REMEDY}") from None
