"""Bidders and players, and how they are declared, found and written as text."""
