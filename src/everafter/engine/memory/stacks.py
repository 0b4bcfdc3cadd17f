"""The columns of a worker that are areas of their own: stacks by depth, successors waiting, what is kept by state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from everafter.choices import StoreKind
from everafter.engine import block
from everafter.engine.columns import cost, kept, most_words
from everafter.engine.memory.areas import Area, Areas
from everafter.search.algorithm import Algorithm
from everafter.search.fields import Index

ROW_BYTES: Final[Mapping[StoreKind, int]] = {"plain": 16, "tree": 6, "packed": 4, "bitstate": 16, "compact": 16}
"""The least that a row takes in the arena, or among the roots, and in the hash table."""
STACKED: Final[Mapping[StoreKind, tuple[Index, ...]]] = {
    "plain": ("depth", "edge", "row"),
    "tree": ("depth", "edge", "row", "state"),
    "packed": ("depth", "edge", "row"),
    "bitstate": ("depth", "edge", "row"),
    "compact": ("depth", "edge", "row"),
}
"""What has areas of its own: in a plain store, what is kept for each state is beside its row."""
BY_STATE: Final[tuple[Index, ...]] = ("row", "state")
SPARE_STATES: Final[Mapping[StoreKind, int]] = {
    "plain": 0,
    "tree": 1 << 19,
    "packed": 0,
    "bitstate": 0,
    "compact": 0,
}
"""How many numbers of states the store may leave out."""


class Stacks:
    """One area for each field. Those of the same index have room for the same number of elements."""

    def __init__(
        self,
        areas: Areas,
        algorithm: Algorithm,
        width: int,
        limit: int,
        store: StoreKind = "plain",
        is_team: bool = False,
    ) -> None:
        self.areas: dict[str, Area] = {}
        self._room: dict[Index, int] = {}
        stacked = STACKED["plain"] if is_team else STACKED[store]  # what a team keeps by state is in the common memory
        self._cost = {index: cost(index, algorithm, width) for index in stacked}
        for index in stacked:
            states = limit // ROW_BYTES[store] + SPARE_STATES[store]
            elements = states if index in BY_STATE else limit // max(self._cost[index], 1)
            fields = kept(index, algorithm, width)
            self.areas |= {name: areas.area(elements * kind.size) for name, kind in fields.items()}
            rooms = [self.areas[name].size // kind.size for name, kind in fields.items()]
            self._room[index] = min(most_words(width), *rooms) if rooms else 0

    @property
    def settings(self) -> dict[int, int]:
        """Return what the block says of the stacks."""
        return {
            block.FRAMES: self._room["depth"] - 2,
            block.PENDING_ROOM: self._room["edge"],
            block.FRAME_BYTES: self._cost["depth"],
            block.PENDING_BYTES: self._cost["edge"],
            block.STATE_BYTES: self._cost["row"] + self._cost.get("state", 0),
        }


def stack_shares(algorithm: Algorithm, width: int, store: StoreKind = "plain") -> float:
    """Return how much is reserved for one worker's stacks, as a multiple of the memory limit.

    They have the columns of `algorithm` over this `store`, where numbers of states have `width` bytes.
    """
    by_state = sum(cost(index, algorithm, width) for index in BY_STATE if index in STACKED[store])
    return 2 + by_state / ROW_BYTES[store]
