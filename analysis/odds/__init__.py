"""What each bid of one given hand is worth."""
