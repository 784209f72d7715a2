"""What a run looks like on disk, and how it is written and read."""
