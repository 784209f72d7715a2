"""What can go wrong, as a small tree; every message is one line that says what was expected.

A message is made of pieces: text, and what helps. What helps is an :class:`Option` or a
:class:`Call`, so that nobody below needs to know who is asking::

    RunError(f"{folder} holds a run: ", Option("overwrite", True), " replaces it")

tells who uses Python that ``overwrite=True replaces it``, and who uses the command that
``--overwrite replaces it`` (:mod:`sviten.display.command_line`).
"""

from __future__ import annotations

from typing import NamedTuple


class Option(NamedTuple):
    """An option that helps, under its name in Python; a value of ``...`` is any number.

    Without a value the option itself is meant.
    """

    name: str
    value: object = None

    def __str__(self) -> str:
        """As Python has it."""
        if self.value is None:
            return self.name
        return f"{self.name}={'...' if self.value is ... else repr(self.value)}"


class Call:
    """A function of `sviten` that helps, and the command of the same name.

    Parameters
    ----------
    name : str
    *arguments, **options
        As the function takes them.
    """

    def __init__(self, name: str, *arguments: object, **options: object) -> None:
        self.name = name
        self.arguments = arguments
        self.options = [Option(*each) for each in options.items()]

    def __str__(self) -> str:
        """As Python has it."""
        inner = ", ".join([*map(repr, self.arguments), *map(str, self.options)])
        return f"`sviten.{self.name}({inner})`"


class SvitenError(Exception):
    """Base of all errors that a user can mend.

    Parameters
    ----------
    *args : str, Option or Call
        Pieces of the message.
    """

    def __str__(self) -> str:
        """As it is to be worded in Python."""
        return "".join(map(str, self.args))


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
