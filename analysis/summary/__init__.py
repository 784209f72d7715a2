"""What a run comes to: contracts, scores, matches."""
