"""Which processes are told apart by their numbers alone, and what of a state that concerns."""
