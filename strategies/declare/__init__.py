"""Declaring strategies, finding them, and reading entrants from text."""
