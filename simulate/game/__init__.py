"""A hand by the rules, one file a phase: kernels alone."""
