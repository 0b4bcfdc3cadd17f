"""Narrow pictures: items are pulled towards their neighbours, as by springs, as far as those beside them allow.

Lines are less straight than by `positions`, and a wide graph takes about half the width.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from everafter.drawing.positions import Extent, Neighbours, Orders

_SWEEPS = 12
_STRENGTHS = (1.0, 2.0, 12.0)
"""Of a spring between two nodes, between a node and a long edge, and within a long edge, which should be straight."""
_FAINT = 0.01
"""How much an item without neighbours wants to stay where it is."""
Springs = list[tuple[int, float]]


def pulled(
    layers: Orders, nodes: int, above: Neighbours, below: Neighbours, extents: Sequence[Extent], gap: float
) -> list[float]:
    """Return the position of every item, with neighbours in each of `layers` at least `gap` apart.

    `nodes`, `above`, `below` and `extents` mean what they do in `positions.placed`.
    """
    place = [0.0] * len(extents)
    rooms = [_rooms(layer, extents, gap) for layer in layers]
    for layer, room in zip(layers, rooms, strict=True):
        for item, start in zip(layer, room, strict=True):
            place[item] = start - room[-1] / 2
    up, down = ([_springs(item, others, nodes) for item, others in enumerate(side)] for side in (above, below))
    both = [[*one, *other] for one, other in zip(up, down, strict=True)]
    downwards, upwards = range(len(layers)), range(len(layers) - 1, -1, -1)
    for _ in range(_SWEEPS):
        for numbers, springs in ((downwards, up), (upwards, down), (downwards, both), (upwards, both)):
            for number in numbers:
                _settle(layers[number], rooms[number], springs, place)
    return place


def _springs(item: int, others: Sequence[int], nodes: int) -> Springs:
    return [(other, _STRENGTHS[(item >= nodes) + (other >= nodes)]) for other in others]


def _rooms(layer: Sequence[int], extents: Sequence[Extent], gap: float) -> list[float]:
    """The positions of the items of a layer if they stand as close as they may, the first one at 0."""
    found = [0.0]
    for left, right in pairwise(layer):
        found.append(found[-1] + extents[left].right + gap + extents[right].left)
    return found


def _settle(layer: Sequence[int], rooms: Sequence[float], springs: Sequence[Springs], place: list[float]) -> None:
    """Put the items of a layer where they are pulled, as near as their order and room allow.

    This is isotonic regression, by pooling adjacent violators: items that are in each other's way become one block,
    which goes to the mean of where its items want to be.
    """
    blocks: list[tuple[float, float, int]] = []  # the sum of the pulls, their weight, how many items
    for item, room in zip(layer, rooms, strict=True):
        pulls = springs[item] or [(item, _FAINT)]
        weight = sum(strength for _, strength in pulls)
        block = (sum(place[other] * strength for other, strength in pulls) - room * weight, weight, 1)
        while blocks and blocks[-1][0] / blocks[-1][1] > block[0] / block[1]:
            pull, earlier, count = blocks.pop()
            block = (pull + block[0], earlier + block[1], count + block[2])
        blocks.append(block)
    goals = (pull / weight for pull, weight, count in blocks for _ in range(count))
    for item, room, goal in zip(layer, rooms, goals, strict=True):
        place[item] = goal + room
