"""Settings of all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Compiling on first use takes seconds, which is no fault of an example.
settings.register_profile(
    "sviten", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("sviten")
