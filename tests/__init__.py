"""Tests, laid out as the packages are; what several modules share is in `fixtures`."""

import pytest

pytest.register_assert_rewrite("tests.fixtures")
