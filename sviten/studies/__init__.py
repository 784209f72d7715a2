"""Studies: what is asked, what is played for it, and what comes of it."""
