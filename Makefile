.PHONY: check test test-all bench ladder mutants notebooks notebooks-update

PYTHON ?= python

check:
	$(PYTHON) -m ruff check . results/studies
	$(PYTHON) -m ruff format --check . results/studies
	$(PYTHON) -m mypy
	lint-imports

test:
	$(PYTHON) -m pytest -m "not slow"

test-all:
	$(PYTHON) -m pytest -m "slow or not slow"

ladder:
	$(PYTHON) docs/ladder.py

bench:
	sviten bench

# Changes the code a little in many places, to see whether a test fails each time: an hour or so of one core.
mutants:
	$(PYTHON) -m tests.mutants

# Runs all notebooks; fails where a cell does, or where what is stored says something else.
notebooks:
	$(PYTHON) analysis/notebooks/execute.py

notebooks-update:
	$(PYTHON) analysis/notebooks/execute.py --update
