"""What went wrong, in one line and an exit code."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from simulate.errors import SvitenError

DONE, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130


class UsageError(SvitenError):
    """What was typed cannot be meant."""


@contextlib.contextmanager
def usage(*kinds: type[SvitenError]) -> Iterator[None]:
    """Take errors of these kinds for wrong usage, unless something else lies behind them."""
    try:
        yield
    except kinds as error:
        if error.__cause__ is not None:  # a plug-in that fails is not the fault of who names it
            raise
        raise UsageError(str(error)) from error


def complain(error: BaseException) -> int:
    """Say in one line what was wrong, and return the exit code."""
    code = FAILED
    told = str(error)
    if isinstance(error, KeyboardInterrupt):
        code = INTERRUPTED
        told = told or "interrupted"
    elif isinstance(error, UsageError):
        code = WRONG_USAGE
    elif hasattr(error, "format_message"):  # typer's own: an option that is not known, say
        code = WRONG_USAGE
        told = error.format_message()
    elif isinstance(error, SystemExit):
        raise error
    elif isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        told = f"{where}{error.strerror or error}"
    elif not isinstance(error, SvitenError):
        told = f"{type(error).__name__}: {error} (--debug shows where)"
    told = " ".join(told.split()) if code != WRONG_USAGE else told.strip()
    print(told if told.startswith("Usage:") else f"sviten: {told}", file=sys.stderr)
    return code
