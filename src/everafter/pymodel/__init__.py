"""Models in Python: what a class says, as the same tree that a Promela text becomes (decision 0059)."""
