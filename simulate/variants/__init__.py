"""Presets of the rules, a TOML file each."""
