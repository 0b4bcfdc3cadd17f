"""The order of the items in each layer, with few crossings: each item goes to the middle of its neighbours."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Sequence
from itertools import pairwise

from everafter.drawing.ranks import Layers

_SWEEPS = 24
_PATIENCE = 6
"""After this number of sweeps without fewer crossings no more are tried."""
Neighbours = Sequence[Sequence[int]]


def ordered(layers: Layers) -> list[list[int]]:
    """The layers, each in the order from left to right that has the fewest crossings of those tried."""
    above, below = neighbours(layers)
    current = [list(layer) for layer in layers.layers]
    best, fewest = [list(layer) for layer in current], crossings(current, below)
    failures = 0
    for sweep in range(_SWEEPS):
        if fewest == 0 or failures == _PATIENCE:
            break
        if sweep % 2 == 0:
            _sweep(current, range(1, len(current)), above)
        else:
            _sweep(current, reversed(range(len(current) - 1)), below)
        _exchange(current, above, below)
        count = crossings(current, below)
        failures = 0 if count < fewest else failures + 1
        if count < fewest:
            best, fewest = [list(layer) for layer in current], count
    return best


def neighbours(layers: Layers) -> tuple[list[list[int]], list[list[int]]]:
    """For each item those that it is joined with in the layer above, and in the layer below."""
    above: list[list[int]] = [[] for _ in range(layers.items)]
    below: list[list[int]] = [[] for _ in range(layers.items)]
    for upper, lower in layers.links():
        above[lower].append(upper)
        below[upper].append(lower)
    return above, below


def crossings(layers: Sequence[Sequence[int]], below: Neighbours) -> int:
    """Return how many pairs of lines between neighbours of `layers` cross.

    `below` has the lower neighbours of each item.
    """
    total = 0
    for upper, lower in pairwise(layers):
        position = {item: number for number, item in enumerate(lower)}
        met: list[int] = []
        for item in upper:
            ends = sorted(position[other] for other in below[item])
            total += sum(len(met) - bisect_right(met, end) for end in ends)
            for end in ends:
                insort(met, end)
    return total


def _sweep(layers: list[list[int]], numbers: Iterable[int], fixed: Neighbours) -> None:
    """Sort layer after layer by the mean position of each item's neighbours in the layer before it."""
    position = _positions(layers)
    for number in numbers:
        layer = layers[number]
        mean = {
            item: sum(position[other] for other in fixed[item]) / len(fixed[item]) if fixed[item] else position[item]
            for item in layer
        }
        layer.sort(key=mean.__getitem__)
        position.update({item: float(place) for place, item in enumerate(layer)})


def _exchange(layers: list[list[int]], above: Neighbours, below: Neighbours) -> None:
    """Exchange two items side by side wherever that leaves fewer crossings."""
    position = _positions(layers)
    for layer in layers:
        for place in range(len(layer) - 1):
            left, right = layer[place], layer[place + 1]
            gain = sum(
                _inversions(side[left], side[right], position) - _inversions(side[right], side[left], position)
                for side in (above, below)
            )
            if gain > 0:
                layer[place], layer[place + 1] = right, left
                position[left], position[right] = position[right], position[left]


def _inversions(left: Sequence[int], right: Sequence[int], position: dict[int, float]) -> int:
    return sum(position[one] > position[other] for one in left for other in right)


def _positions(layers: Sequence[Sequence[int]]) -> dict[int, float]:
    return {item: float(place) for layer in layers for place, item in enumerate(layer)}
