"""Checkpoints of a search on this machine: what it knows in a file, and how it goes on from there."""
