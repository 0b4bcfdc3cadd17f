"""Processes as control-flow graphs of atomic actions, over a memory of cells."""
