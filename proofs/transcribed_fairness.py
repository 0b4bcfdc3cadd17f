"""The proved text about fair runs in Python, as in product/fairness.v, to be held against the running text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Edge:
    """An edge: who moves in it."""

    source: int
    target: int
    movers: frozenset[int]


@dataclass(frozen=True)
class Graph:
    """product/fairness.v. `able` says who can move in a state: None in the middle of an atomic sequence."""

    edges: Callable[[int], Sequence[Edge]]
    able: Callable[[int], frozenset[int] | None]
    accepting: Callable[[int], bool]

    def cannot_move(self, process: int, edge: Edge) -> bool:
        """Definition cannot_move."""
        able = self.able(edge.source)
        return able is not None and process not in able

    def in_set(self, number: int, edge: Edge) -> bool:
        """Definition in_set."""
        if number == 0:
            return self.accepting(edge.source)
        return number - 1 in edge.movers or self.cannot_move(number - 1, edge)
