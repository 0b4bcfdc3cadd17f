"""A breadth-first search whose frontier is partitioned: each worker owns the states that the function gives it."""
