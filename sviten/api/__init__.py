"""What Python gets of a run, a hand or a pile."""
