"""The columns of a worker that are areas of their own: stacks by depth, successors waiting, queues of states."""

from __future__ import annotations

from typing import Final

from everafter.engine import block
from everafter.engine.columns import cost, kept, most_words
from everafter.engine.memory.areas import Area, Areas
from everafter.search.algorithm import Algorithm
from everafter.search.fields import Index

ROW_BYTES: Final = 16  # the least that a row takes in the arena and the hash table
STACKED: Final[tuple[Index, ...]] = ("depth", "edge", "row")


class Stacks:
    """One area for each field. Those of the same index have room for the same number of elements."""

    def __init__(self, areas: Areas, algorithm: Algorithm, width: int, limit: int) -> None:
        self.areas: dict[str, Area] = {}
        self._room: dict[Index, int] = {}
        self._cost = {index: cost(index, algorithm, width) for index in STACKED}
        for index in STACKED:
            elements = limit // (ROW_BYTES if index == "row" else max(self._cost[index], 1))
            fields = kept(index, algorithm, width)
            self.areas |= {name: areas.area(elements * kind.size) for name, kind in fields.items()}
            rooms = [self.areas[name].size // kind.size for name, kind in fields.items()]
            self._room[index] = min(most_words(width), *rooms) if rooms else 0

    @property
    def settings(self) -> dict[int, int]:
        """What the block says of them."""
        return {
            block.FRAMES: self._room["depth"] - 2,
            block.PENDING_ROOM: self._room["edge"],
            block.FRAME_BYTES: self._cost["depth"],
            block.PENDING_BYTES: self._cost["edge"],
            block.STATE_BYTES: self._cost["row"],
        }


def stack_shares(algorithm: Algorithm, width: int) -> float:
    """How much is reserved for the stacks of one worker, as a multiple of the memory limit."""
    return 2 + cost("row", algorithm, width) / ROW_BYTES
