"""Many entrants that meet each other: ratings, circles, partners, ladders."""
