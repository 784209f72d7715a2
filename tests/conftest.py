"""Settings of all tests."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from sviten.cli import main
from tests.fixtures.command import Done, Sviten

# Compiling on first use takes seconds, which is no fault of an example.
settings.register_profile(
    "sviten", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("sviten")

# A shell lets what it runs in the background ignore Ctrl-C, and tests' processes would inherit it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def sviten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Sviten]:
    """Run the command in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> Done:
        capsys.readouterr()
        code = main([str(word) for word in words])
        out, err = capsys.readouterr()
        err = "\n".join(line for line in err.splitlines() if not line.startswith("compiling"))
        return Done(code, out, err)

    return run
