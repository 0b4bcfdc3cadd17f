"""Searches by several workers on one graph: each algorithm one text, as docs/parallel.md explains."""
