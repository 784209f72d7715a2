"""Shipped players."""
