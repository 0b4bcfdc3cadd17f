"""Graphs for property tests, small enough to be read when one fails."""

from __future__ import annotations

from hypothesis import strategies as st
from oracles.search.definitions import SmallGraph


@st.composite
def graphs(draw: st.DrawFn) -> SmallGraph:
    """A graph of up to nine nodes with any edges, starts and accepting nodes."""
    size = draw(st.integers(1, 9))
    node = st.integers(0, size - 1)
    targets = draw(st.lists(st.lists(node, max_size=3), min_size=size, max_size=size))
    return SmallGraph(targets, draw(st.frozensets(node)), draw(st.lists(node, min_size=1, max_size=3)))


@st.composite
def graphs_and_nodes(draw: st.DrawFn) -> tuple[SmallGraph, frozenset[int]]:
    """A graph and a set of its nodes."""
    graph = draw(graphs())
    return graph, draw(st.frozensets(st.sampled_from(graph.nodes)))
