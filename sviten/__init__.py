"""The command, and the flat public API."""
