"""What went wrong, in one line and an exit code."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator

from simulate.errors import SvitenError
from sviten.display.command_line import worded

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
        raise UsageError(*error.args) from error


def end_when_stuck(grace: float = 5.0) -> None:
    """End the process some seconds after Ctrl-C where compiled code never comes back.

    A strategy that loops for ever keeps Python from hearing the signal; the byte that the
    interpreter's own signal handler writes to a pipe is seen by a thread all the same. What was
    not written whole has no name yet, so nothing is left half done.
    """
    heard, rung = socket.socketpair()
    rung.setblocking(False)
    try:
        signal.set_wakeup_fd(rung.fileno(), warn_on_full_buffer=False)
    except ValueError:  # not the main thread: signals are somebody else's
        return

    def wait() -> None:
        while heard.recv(1)[0] != signal.SIGINT:
            pass
        interrupted.set()
        time.sleep(grace)
        text = "sviten: interrupted while a strategy did not answer: does it loop for ever?\n"
        os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, text.encode())
        os._exit(INTERRUPTED)

    _stuck.extend((heard, rung))
    threading.Thread(target=wait, daemon=True).start()


#: Set once Ctrl-C was heard: what fails after that fails because of it.
interrupted = threading.Event()

#: Keeps the pipe open for as long as the process runs.
_stuck: list[socket.socket] = []


def complain(error: BaseException) -> int:
    """Say in one line what was wrong, and return the exit code."""
    code = FAILED
    text = worded(error) if isinstance(error, SvitenError) else str(error)
    if interrupted.is_set() and not isinstance(error, SvitenError | KeyboardInterrupt):
        error = KeyboardInterrupt()  # a compiler that was interrupted raises what it likes
        text = ""
    if isinstance(error, KeyboardInterrupt):
        code = INTERRUPTED
        text = text or "interrupted"
    elif isinstance(error, UsageError):
        code = WRONG_USAGE
    elif hasattr(error, "format_message"):  # typer's own: an option that is not known, say
        code = WRONG_USAGE
        text = error.format_message()
    elif isinstance(error, SystemExit):
        raise error
    elif isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        text = f"{where}{error.strerror or error}"
    elif not isinstance(error, SvitenError):
        text = f"{type(error).__name__}: {error} (--debug shows where)"
    text = " ".join(text.split()) if code != WRONG_USAGE else text.strip()
    print(text if text.startswith("Usage:") else f"sviten: {text}", file=sys.stderr)
    return code
