"""Playing on in thought: endings solved, worlds dealt, cards played out in them."""
