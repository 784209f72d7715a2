"""Fixtures of the tests of runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixtures.scripts import failing_bidders


@pytest.fixture
def faulty(tmp_path: Path) -> str:
    path = tmp_path / "faulty.py"
    path.write_text(failing_bidders(7, range(700, 4000, 50), range(900, 4000, 1000)))
    return str(path)
