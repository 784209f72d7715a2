"""Formulas from arrays to estimates, which know nothing of runs."""
