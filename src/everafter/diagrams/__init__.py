"""Diagrams of a model: the control flow of its processes, its states, who talks to whom, and automata."""
