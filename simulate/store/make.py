"""Making the settings of a new run, with all that can be refused before it is played."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import SupportsIndex

from simulate.cards import hand_text, read_hand
from simulate.engine.entrant import Entrant, Loader
from simulate.engine.forced import heedless_of_level
from simulate.errors import CardError, RunError
from simulate.rules import Rules
from simulate.store.identity import engine_hash, software_versions
from simulate.store.settings import MOST_DEALS, MOST_MATCHES, MOST_SEED, Seated, Settings, Unit

#: How many of them, or the ids of those that are meant.
Amount = SupportsIndex | range


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
) -> Settings:
    """Make the settings of a new run; the size of its parts is still to be chosen.

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
        detail=tuple(sorted(set(words))),
        forced=forced,
        hands=_fixed_hands(rules, hands or {}),
        engine=engine_hash(),
        versions=software_versions(),
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
