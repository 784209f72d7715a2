"""Two entrants, or values of a parameter, on the same deals."""
