"""Pages that stand alone: of runs, studies and published studies."""
