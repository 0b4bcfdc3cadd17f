"""Static partial-order reduction: which steps suffice, decided before the search."""
