"""One hand of every variant that is played, pinned down in full."""
