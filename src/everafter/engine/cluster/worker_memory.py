"""Memory of a worker of a cluster: the store of one worker, lists of rows, and room for message batches."""

from __future__ import annotations

from typing import ClassVar, Final

from everafter.choices import StoreKind
from everafter.engine import block
from everafter.engine.cluster import worker_words as Job  # noqa: N812 # its words are constants
from everafter.engine.cluster.partition import Partition
from everafter.engine.columns import WIDE, WORD_KIND
from everafter.engine.memory.areas import MODEL_BYTES, Area
from everafter.engine.memory.search_memory import FIRST_LINES, Memory
from everafter.engine.memory.stored_trees import EVERY_OTHER
from everafter.engine.memory.tree_memory import TreeMemory
from everafter.record import replace
from everafter.search.algorithm import Algorithm
from everafter.search.breadth import BREADTH_FIRST_ALGORITHM
from everafter.search.trimming import OWCTY_ALGORITHM

KEPT: Final = replace(BREADTH_FIRST_ALGORITHM, columns=("parent",))
"""What is kept of each state: its parent. A level is a range of numbers, so that no queue is needed."""
KEPT_FOR_CYCLES: Final[Algorithm] = OWCTY_ALGORITHM
"""Where accepting cycles are looked for, all that the search by one worker keeps."""
LIST_BYTES: Final = 3 * MODEL_BYTES
"""A list has three words for each row, and a row has at least one."""

BATCHES_BYTES: Final = 4 * MODEL_BYTES
"""A row in a message batch takes two words more at most, and a row has at least one."""
OWN_BYTES: Final = 2 * LIST_BYTES + BATCHES_BYTES
"""What a worker has of its own, whatever the limit is."""


class Owned(Memory):
    """What all workers have beside the store. Numbers have eight bytes, since parents name their owner, too."""

    more_bytes: ClassVar[int] = OWN_BYTES
    saved: ClassVar[tuple[int, ...]] = (
        *(block.END, block.ROWS, block.STATES, block.TRANSITIONS, block.EXPANSIONS, block.ENTERED),
    )
    """The words of the block that a checkpoint has."""

    def number_bytes(self, limit: int) -> int:
        """Return the bytes of a state's number, whatever the `limit` is."""
        return WIDE

    @property
    def end(self) -> int:
        """Return a number behind all rows."""
        return int(self.words[block.END])

    def behind(self, end: int) -> int:
        """Return the least number that a row may have which comes when `end` is the end."""
        return end + int(self.words[block.COLUMN_WORDS])

    @property
    def held(self) -> list[tuple[int, int, int]]:
        """Return what a checkpoint has of the states: addresses, how many bytes are there, and how many would fit."""
        begin = int(self.words[block.FIRST] - self.words[block.COLUMN_WORDS])
        room = 8 * (int(self.words[block.ARENA_WORDS]) - begin)
        return [(self.rows.origin + 8 * begin, 8 * (self.end - begin), room)]

    def lay_out_batches(self, place: int, workers: int, batch: int, partition: Partition) -> None:
        """Make room for the lists and message batches of the worker `place` of `workers`.

        A part ends when `batch` bytes wait to be sent; `partition` is the partition function.
        """
        self.batches = self.model_area(BATCHES_BYTES)
        starts, sent, taken = (self.word_area(count, {}) for count in (3 * workers, 2 * workers, 2 * workers))
        self.starts, self.sent, self.taken = (area.numbers(WORD_KIND) for area in (starts, sent, taken))
        chosen = dict(enumerate(value for word in partition.words for value in word))
        area = self.word_area(len(chosen) or 1, chosen)
        lines = max((index // 8 + 1 for index, _ in partition.words), default=0)
        self.chosen = area.numbers(WORD_KIND)
        settings = {
            Job.PLACE: place,
            Job.WORKERS: workers,
            Job.OWN: self.model_area(LIST_BYTES).address,
            Job.FOREIGN: self.model_area(LIST_BYTES).address,
            Job.BATCHES: self.batches.address,
            Job.STARTS: starts.address,
            Job.SENT: sent.address,
            Job.TAKEN: taken.address,
            Job.BATCH_ROOM: batch,
            Job.CHOSEN: area.address,
            Job.CHOSEN_WORDS: len(partition.words),
            Job.CHOSEN_LINES: self.word_area(8 * lines or 1, dict(partition.words)).address,
            Job.CHOSEN_BYTES: 64 * lines,
            Job.LEVEL_END: self.end,
        }
        self.job_area: Area = self.word_area(Job.WORDS, settings)
        self.job = self.job_area.numbers(WORD_KIND)

    @property
    def partition(self) -> Partition:
        """Return the partition function of the kernels."""
        chosen = self.chosen[: 2 * self.job[Job.CHOSEN_WORDS]].tolist()
        return Partition(tuple(zip(chosen[::2], chosen[1::2], strict=True)))


class OwnedTrees(Owned, TreeMemory):
    """The memory of a worker that keeps rows as trees."""

    saved: ClassVar[tuple[int, ...]] = TreeMemory.noted

    @property
    def end(self) -> int:
        """Return a number behind all rows."""
        return int(self.words[block.NEXT])

    def behind(self, end: int) -> int:
        """Return the least number that a row may have which comes when `end` is the end: none has the number 0."""
        return max(end, 1)

    @property
    def held(self) -> list[tuple[int, int, int]]:
        """Return what a checkpoint has of the states: addresses, how many bytes are there, and how many would fit."""
        return [(area.address, size, area.size) for area, size in self.extents.values()]


def owned_memory(
    store: StoreKind,
    kept: Algorithm,
    limit: int,
    lines: int = FIRST_LINES,
    halves: tuple[int, int] = (EVERY_OTHER, 0),
) -> Owned:
    """Return the memory of a worker with this `store`, within `limit`, without message batches.

    It has the columns that `kept` needs and at first `lines` lines; its trees have these `halves` (`run/row_split.py`).
    """
    return OwnedTrees(kept, limit, 1, lines, *halves) if store == "tree" else Owned(kept, limit, 1, lines)
