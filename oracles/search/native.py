"""The text of the kernels, compiled by Numba for a store made of arrays: also of searches that the engine has not."""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from typing import Any

import numba
import numpy

from everafter.engine.kernels.binding import bound_kernels
from everafter.search.space import ACCEPTING, KNOWN, STORE_FIELDS
from oracles.search.definitions import SmallGeneralisedGraph

NativeStore: Any = namedtuple("NativeStore", (*STORE_FIELDS, "offsets", "targets", "sets"))  # type: ignore[misc] # derived
"""A store of numpy arrays, and the transitions as rows: those of node n are at offsets[n] … offsets[n + 1] - 1."""


def native_expand(space: Any, node: int, depth: int) -> bool:
    """Copy the row of the node into frame `depth`."""
    end = space.limit[depth - 1] if depth > 0 else 0
    space.cursor[depth] = end
    for position in range(space.offsets[node], space.offsets[node + 1]):
        space.pending[end] = space.targets[position]
        space.masks[end] = space.sets[position]
        end += 1
    space.limit[depth] = end
    return True


@cache
def compiled() -> dict[str, Any]:
    """The kernels and the searches made of them, by name, compiled when they are first called."""
    return bound_kernels({"expand": numba.njit(native_expand)}, compiled=numba.njit)


def native_store(graph: SmallGeneralisedGraph, accepting: frozenset[int], bits: int = ACCEPTING) -> Any:
    """The graph as arrays, with room for every search; accepting nodes have the bits in their colour."""
    size = len(graph.transitions)
    edges = [edge for row in graph.transitions for edge in row]
    starts = list(dict.fromkeys(graph.starts))
    room = {"start": len(starts), "state": size, "row": size, "depth": 2 * size + 2, "edge": 2 * len(edges) + 1}
    fields = {
        name: numpy.zeros(room.get(field.index, field.length), numpy.uint8 if field.holds == "byte" else numpy.int64)
        for name, field in STORE_FIELDS.items()
    }
    transitions = {
        "offsets": numpy.zeros(size + 1, numpy.int64),
        "targets": numpy.array([target for _, target in edges], numpy.int64),
        "sets": numpy.array([mask for mask, _ in edges], numpy.int64),
    }
    store: Any = NativeStore(**fields, **transitions)
    store.initial[:] = starts
    store.colour[:] = [KNOWN | (bits if node in accepting else 0) for node in range(size)]
    store.wanted[0] = (1 << graph.acceptance_sets) - 1
    for node, row in enumerate(graph.transitions):
        store.offsets[node + 1] = store.offsets[node] + len(row)
    return store
