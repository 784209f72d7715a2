"""The ground: cards, rules, the compiled engine, runs and their tables."""
