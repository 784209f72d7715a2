"""What strategies reckon with: points of cards, tables of chances, judgement of tricks."""
