"""The layers of a picture: which nodes stand above which, and the items that lead long edges through the layers.

Sugiyama, Tagawa and Toda, IEEE Transactions on Systems, Man, and Cybernetics 11(2), 1981.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from everafter.record import dataclass

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class LayerChain:
    """The items that an edge passes, downwards: its upper node, one item for each layer between, its lower node.

    `is_reversed`: the edge leads upwards. `label` is the item that has room for the edge's text, if it has any.
    """

    items: tuple[int, ...]
    is_reversed: bool
    label: int | None


@dataclass(frozen=True, slots=True)
class Layers:
    """The items, nodes first, by layers from above. Both ends of a `link` are items in neighbouring layers."""

    layers: tuple[tuple[int, ...], ...]
    chains: tuple[LayerChain, ...]
    items: int

    def links(self) -> list[Pair]:
        """The pairs of items that some edge joins, the upper one first."""
        return [pair for chain in self.chains for pair in pairwise(chain.items)]


def layered(nodes: int, edges: Sequence[Pair], has_text: Sequence[bool], in_order: bool = False) -> Layers:
    """Return the layers of a graph of `nodes` nodes and `edges`, none of which leads from a node to itself.

    An edge for which `has_text` is true passes a layer of its own. Edges that close a cycle lead upwards, or,
    `in_order`, all edges to an earlier node.
    """
    upward = [source > target for source, target in edges] if in_order else _closing(nodes, edges)
    downward = [
        (target, source) if up else (source, target) for (source, target), up in zip(edges, upward, strict=True)
    ]
    rank = _ranks(nodes, downward, [2 if text else 1 for text in has_text])
    layers: list[list[int]] = [[] for _ in range(max(rank, default=-1) + 1)]
    for node in _in_depth_first_order(nodes, downward):
        layers[rank[node]].append(node)
    chains: list[LayerChain] = []
    following = nodes
    for (upper, lower), up, text in zip(downward, upward, has_text, strict=True):
        between = range(rank[upper] + 1, rank[lower])
        passed = range(following, following + len(between))
        for level, item in zip(between, passed, strict=True):
            layers[level].append(item)
        label = passed[len(passed) // 2] if text else None
        chains.append(LayerChain((upper, *passed, lower), up, label))
        following += len(between)
    return Layers(tuple(map(tuple, layers)), tuple(chains), following)


def _successors(nodes: int, edges: Sequence[Pair]) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in range(nodes)]
    for source, target in edges:
        found[source].append(target)
    return found


def _closing(nodes: int, edges: Sequence[Pair]) -> list[bool]:
    """Which edges close a cycle in a depth-first search from the first node on; without them there is none."""
    successors = _successors(nodes, edges)
    unseen, open_, done = 0, 1, 2
    colour = [unseen] * nodes
    closing: set[Pair] = set()
    for root in range(nodes):
        if colour[root] != unseen:
            continue
        colour[root] = open_
        path = [(root, iter(successors[root]))]
        while path:
            node, rest = path[-1]
            target = next(rest, None)
            if target is None:
                colour[node] = done
                path.pop()
            elif colour[target] == open_:
                closing.add((node, target))
            elif colour[target] == unseen:
                colour[target] = open_
                path.append((target, iter(successors[target])))
    return [edge in closing for edge in edges]


def _in_depth_first_order(nodes: int, edges: Sequence[Pair]) -> list[int]:
    """The nodes in the order in which a depth-first search first meets them: neighbours come near one another."""
    successors = _successors(nodes, edges)
    found: dict[int, None] = {}
    pending = list(reversed(range(nodes)))
    while pending:
        node = pending.pop()
        if node not in found:
            found[node] = None
            pending += reversed(successors[node])
    return list(found)


def _ranks(nodes: int, edges: Sequence[Pair], lengths: Sequence[int]) -> list[int]:
    """The layer of each node: as high as the edges into it allow, but near what it leads to where that is shorter."""
    outgoing: list[list[Pair]] = [[] for _ in range(nodes)]
    incoming: list[list[Pair]] = [[] for _ in range(nodes)]
    for (source, target), length in zip(edges, lengths, strict=True):
        outgoing[source].append((target, length))
        incoming[target].append((source, length))
    order = _topological(outgoing, [len(edges) for edges in incoming])
    rank = [0] * nodes
    for node in order:
        rank[node] = max((rank[source] + length for source, length in incoming[node]), default=0)
    for node in reversed(order):
        if len(outgoing[node]) > len(incoming[node]):
            rank[node] = min(rank[target] - length for target, length in outgoing[node])
    return rank


def _topological(outgoing: Sequence[Sequence[Pair]], missing: list[int]) -> list[int]:
    ready = [node for node, count in enumerate(missing) if count == 0]
    order: list[int] = []
    while ready:
        node = ready.pop()
        order.append(node)
        for target, _ in outgoing[node]:
            missing[target] -= 1
            if missing[target] == 0:
                ready.append(target)
    return order
