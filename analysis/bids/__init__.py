"""How often bids come home, and whether stated chances are right."""
