"""The text of the kernels, compiled by Numba for a store made of arrays: also of searches that the engine has not."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numba
import numpy

from everafter.engine.kernels import bound_kernels
from everafter.search.space import ACCEPTING, KNOWN
from oracles.search.definitions import SmallGeneralisedGraph


class NativeStore(NamedTuple):
    """A store of numpy arrays, and the transitions as rows: those of node n are at offsets[n] … offsets[n + 1] - 1."""

    initial: Any
    colour: Any
    stack: Any
    cursor: Any
    limit: Any
    pending: Any
    masks: Any
    wanted: Any
    found: Any
    deepest: Any
    clock: Any
    component_height: Any
    root_height: Any
    complete_components: Any
    discovery: Any
    finish: Any
    parent: Any
    member: Any
    queue: Any
    component: Any
    low: Any
    latest: Any
    root: Any
    gathered: Any
    arriving: Any
    offsets: Any
    targets: Any
    sets: Any


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


def native_store(graph: SmallGeneralisedGraph, accepting: frozenset[int], bits: int = ACCEPTING) -> NativeStore:
    """The graph as arrays, with room for every search; accepting nodes have the bits in their colour."""
    size = len(graph.transitions)
    edges = [edge for row in graph.transitions for edge in row]

    def numbers(length: int) -> Any:
        return numpy.zeros(length, numpy.int64)

    store = NativeStore(
        initial=numpy.array(list(dict.fromkeys(graph.starts)), numpy.int64),
        colour=numpy.array([KNOWN | (bits if node in accepting else 0) for node in range(size)], numpy.uint8),
        wanted=numpy.array([(1 << graph.acceptance_sets) - 1], numpy.int64),
        **{name: numbers(2 * size + 2) for name in ("stack", "cursor", "limit")},
        **{name: numbers(2 * len(edges) + 1) for name in ("pending", "masks")},
        **{name: numbers(2) for name in ("found", "deepest", "clock")},
        **{name: numbers(1) for name in ("component_height", "root_height", "complete_components")},
        **{name: numbers(size) for name in ("discovery", "finish", "parent", "member", "queue", "component")},
        **{name: numbers(size) for name in ("low", "latest", "root", "gathered", "arriving")},
        offsets=numbers(size + 1),
        targets=numpy.array([target for _, target in edges], numpy.int64),
        sets=numpy.array([mask for mask, _ in edges], numpy.int64),
    )
    for node, row in enumerate(graph.transitions):
        store.offsets[node + 1] = store.offsets[node] + len(row)
    return store
