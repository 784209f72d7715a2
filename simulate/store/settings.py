"""What a run plays: everything that its rows depend on, as it stands in ``run.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)

from simulate.cards import read_hand
from simulate.engine.forced import contracts_a_leg
from simulate.errors import Option, RunError
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
#: What helps where the settings of a run cannot be read.
_REMEDY = "; put it back as it was, or start the run anew with ", Option("overwrite", True)

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
        raise RunError(text, *_REMEDY) from None
    if isinstance(schema, int) and schema > SCHEMA:
        raise RunError(
            f"{folder} was written by a newer sviten (schema {schema}, {SCHEMA} here): update it"
        )
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(step) for step in first["loc"])
        raise RunError(f"{path} is damaged: {field}: {first['msg']}", *_REMEDY) from None
