"""What can go wrong, as a small tree; every message is one line that says what was expected."""

from __future__ import annotations


class SvitenError(Exception):
    """Base of all errors that a user can mend."""


class CardError(SvitenError, ValueError):
    """Text that is no card, hand, call or pile."""


class RulesError(SvitenError, ValueError):
    """A rule set that makes no sense, or that is not known."""


class StrategyError(SvitenError):
    """A strategy that is unknown, misdeclared, does not compile, or raised while it played.

    Attributes
    ----------
    seat : str
        Where it sits in leg 0; empty where it failed before it was seated.
    """

    seat = ""


class IllegalPlay(StrategyError):
    """A strategy answered what it may not."""


class RunError(SvitenError):
    """A run folder that cannot be written, read or continued as asked."""
