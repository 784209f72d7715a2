"""What may be chosen, and what is chosen where nobody says."""

from __future__ import annotations

import io
import os

import pytest
from joblib.externals.loky.backend import context

from sviten.api.choices import cores
from sviten.api.runs import default_jobs


@pytest.mark.parametrize(("quota", "expected"), [("max 100000", 8), ("250000 100000", 3)])
def test_cores_are_no_more_than_the_quota_of_a_container(
    quota: str, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOKY_MAX_CPU_COUNT", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(os.path, "exists", lambda path: path == "/sys/fs/cgroup/cpu.max")
    monkeypatch.setattr(context, "open", lambda _: io.StringIO(quota), raising=False)
    assert cores() == default_jobs() == expected
