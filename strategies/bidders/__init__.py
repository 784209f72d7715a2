"""Shipped bidders."""
