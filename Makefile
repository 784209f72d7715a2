.PHONY: check test test-all bench ladder notebooks

PYTHON ?= python

check:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
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

notebooks:
	@echo "no notebooks yet"
