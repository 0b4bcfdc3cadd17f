"""Which processes differ by their numbers alone, and what of a state that concerns."""
