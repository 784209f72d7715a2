"""The loops that play hands, matches, given contracts and given hands, and call strategies."""
