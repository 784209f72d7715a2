"""What a person sees of a command: progress, tables, failures."""
