.PHONY: check test test-all bench notebooks

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

bench:
	sviten bench

notebooks:
	@echo "no notebooks yet"
