"""Tables to estimates: intervals, summaries, plots."""
