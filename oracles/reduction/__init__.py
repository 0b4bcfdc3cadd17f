"""The conditions of the reduction as they are defined, and comparisons with and without it."""
