"""Where items stand from left to right: long edges straight, everything near its neighbours, nothing too near.

Brandes and Köpf, Graph Drawing 2001: items are aligned with the median of their neighbours, four times, preferring the
left or the right and going down or up, and stand where the four agree best. The rows of aligned items are then
put as close as their widths allow by longest paths, as dagre does it, and not by the classes of the paper.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from everafter.drawing.ranks import Pair
from everafter.record import dataclass

Orders = Sequence[Sequence[int]]
Neighbours = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Extent:
    """How far an item reaches to the left and to the right of the line through it."""

    left: float
    right: float


def placed(
    layers: Orders, nodes: int, above: Neighbours, below: Neighbours, extents: Sequence[Extent], gap: float
) -> list[float]:
    """Return the position of every item, with neighbours in each of `layers` at least `gap` apart.

    The first `nodes` items are nodes, the others lie on long edges. `above` and `below` have the neighbours of each
    item in the layers before and behind, and `extents` how far it reaches to both sides.
    """
    if not extents:
        return []
    crossed = set(_crossing_long_edges(layers, nodes, above))
    mirrored = [list(reversed(layer)) for layer in layers]
    found: list[list[float]] = []
    for orders, widths, sign in ((layers, extents, 1.0), (mirrored, [Extent(e.right, e.left) for e in extents], -1.0)):
        for rows, side in ((orders, above), (list(reversed(orders)), below)):
            blocks = _aligned(rows, side, crossed)
            compact = _compacted(orders, blocks, widths, gap)
            found.append([sign * compact[block] for block in blocks])
    return _agreed(found)


def _crossing_long_edges(layers: Orders, nodes: int, above: Neighbours) -> Iterator[Pair]:
    """The links that cross a link within a long edge: these must give way. Both ends, the upper one first."""
    for upper, lower in pairwise(layers):
        place = {item: position for position, item in enumerate(upper)}
        within = [
            (place[above[item][0]], position) for position, item in enumerate(lower) if _is_inner(item, nodes, above)
        ]
        for position, item in enumerate(lower):
            if _is_inner(item, nodes, above):
                continue
            for other in above[item]:
                at = place[other]
                if any((at - one) * (position - two) < 0 for one, two in within):
                    yield other, item


def _is_inner(item: int, nodes: int, above: Neighbours) -> bool:
    """Whether an item on a long edge comes below another such item."""
    return item >= nodes and above[item][0] >= nodes


def _aligned(rows: Orders, before: Neighbours, crossed: set[Pair]) -> list[int]:
    """For each item the block it is in, named by its first item: items that stand exactly below one another."""
    root = list(range(len(before)))
    taken: set[int] = set()
    for earlier, row in pairwise(rows):
        place = {item: position for position, item in enumerate(earlier)}
        limit = -1
        for item in row:
            others = sorted(before[item], key=place.__getitem__)
            middle = len(others) - 1
            for other in dict.fromkeys(others[middle // 2 : (middle + 1) // 2 + 1]):
                is_free = other not in taken and place[other] > limit
                if is_free and (other, item) not in crossed and (item, other) not in crossed:
                    root[item] = root[other]
                    taken.add(other)
                    limit = place[other]
                    break
    return root


def _compacted(orders: Orders, blocks: Sequence[int], extents: Sequence[Extent], gap: float) -> dict[int, float]:
    """The position of each block: as far left as those beside it allow, then as far right as nothing else moves."""
    apart: dict[int, dict[int, float]] = defaultdict(dict)
    for layer in orders:
        for left, right in pairwise(layer):
            room = extents[left].right + gap + extents[right].left
            one, other = blocks[left], blocks[right]
            apart[one][other] = max(apart[one].get(other, 0.0), room)
    order = _topological(set(blocks), apart)
    place = dict.fromkeys(order, 0.0)
    for block in order:
        for other, room in apart[block].items():
            place[other] = max(place[other], place[block] + room)
    for block in reversed(order):
        if apart[block]:
            place[block] = max(place[block], min(place[other] - room for other, room in apart[block].items()))
    return place


def _topological(blocks: set[int], after: dict[int, dict[int, float]]) -> list[int]:
    missing = dict.fromkeys(sorted(blocks), 0)
    for others in list(after.values()):
        for other in others:
            missing[other] += 1
    ready = [block for block, count in missing.items() if count == 0]
    order: list[int] = []
    while ready:
        block = ready.pop()
        order.append(block)
        for other in after[block]:
            missing[other] -= 1
            if missing[other] == 0:
                ready.append(other)
    return order


def _agreed(found: Sequence[Sequence[float]]) -> list[float]:
    """The mean of the two middle positions of each item, once the four pictures lie on the narrowest of them.

    The order in each layer and the room between neighbours survive this: both do in each of the pictures.
    """
    narrow = min(found, key=lambda places: max(places) - min(places))
    shifted: list[list[float]] = []
    for number, places in enumerate(found):
        is_left = number < len(found) // 2
        move = min(narrow) - min(places) if is_left else max(narrow) - max(places)
        shifted.append([place + move for place in places])
    return [sum(sorted(four)[1:3]) / 2 for four in zip(*shifted, strict=True)]
