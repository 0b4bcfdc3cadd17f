"""The rows that a completed search has stored, as blocks for a certificate: read where they are, or rebuilt."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Final

from everafter.certificates.rows import RowBlock
from everafter.engine import block
from everafter.engine.block import CHUNK_SHIFT, Team
from everafter.engine.certificates import job as Job  # noqa: N812 # its words are constants
from everafter.engine.columns import WORD_BYTES, WORD_KIND, ColumnPlaces
from everafter.engine.memory.areas import Area, Areas
from everafter.engine.memory.single_memory import Memory
from everafter.engine.memory.team_memory import TeamMemory
from everafter.engine.memory.team_tree_memory import TeamTreeMemory
from everafter.engine.memory.tree_memory import TreeMemory
from everafter.engine.run.kernel_code import Tell, certificate_code, say_nothing
from everafter.search.parallel.space import MOST_RANK

STREAMS: Final = (Job.WORDS_STREAM, Job.BYTES_STREAM, Job.VALUES_STREAM, Job.RANKS_STREAM)
STREAM_BYTES: Final = 8 * Job.LONGEST_ROW + (1 << 20)
"""Room for the longest row, and for as many others as are worth a block."""


class JobMemory(Areas):
    """A job with its streams, and room for one row."""

    def __init__(self) -> None:
        super().__init__()
        self.streams = {stream: self.area(STREAM_BYTES) for stream in STREAMS}
        self.previous = self.area(8 * Job.LONGEST_ROW)
        self.job: Area = self.word_area(Job.WORDS, {Job.PREVIOUS: self.previous.address, Job.SETS: 1})
        self.words = self.job.numbers(WORD_KIND)

    def begin_block(self) -> None:
        """Let the next row be the first of a block."""
        ctypes.memset(self.previous.address, 0, self.previous.size)
        self.words[Job.LAST_RANK] = 0

    def call(self, address: int) -> int:
        """Run the code at the address on this job."""
        return int(ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)(self.job.address))


class RebuiltRows(Areas):
    """The rows of a search that has kept them as trees: some at a time, as a plain store would have them.

    Before each row is a word with the number of its component in the lower half, and what that lacks in the upper; of a
    team, with its rank as the team has noted it.
    """

    def __init__(self, memory: TreeMemory | TeamTreeMemory) -> None:
        super().__init__()
        self._memory = memory
        by_team = isinstance(memory, TeamTreeMemory)
        self.places = ColumnPlaces(
            {"below": -WORD_BYTES} if by_team else {"member": -WORD_BYTES, "missing": -WORD_BYTES // 2}, 1
        )
        self._columns = {name: memory.field(name) for name in self.places.at}
        self.rows = self.arena(STREAM_BYTES)

    def parts(self) -> Iterator[tuple[int, int]]:
        """Where rows stand one behind the other, the first and the end: until the next part is read."""
        first = end = self.places.words
        memory = self._memory
        for state, row in zip(memory.states(), memory.rebuilt(memory.states()), strict=True):
            size = WORD_BYTES * int.from_bytes(ctypes.string_at(row + 2, 2), "little")
            if WORD_BYTES * end + size > STREAM_BYTES - WORD_BYTES:
                yield first, end - self.places.words
                end = first
            target = self.rows.origin + WORD_BYTES * end
            ctypes.memmove(target, row, size)
            self._write_columns(target, state)
            end += size // WORD_BYTES + self.places.words
        yield first, end - self.places.words

    def _write_columns(self, row: int, state: int) -> None:
        for name, place in self.places.at.items():
            column = self._columns[name]
            ctypes.c_uint32.from_address(row + place).value = column[state] if len(column) else 0


def _column(rows: Memory | TeamMemory | RebuiltRows, field: str) -> int:
    return int(rows.rows.origin + rows.places.at[field])


class Listing:
    """The rows in the memory of a search that has come to its end.

    With acceptance sets, each row has as its rank the number of its strongly connected component; with several, also
    the set that the component lacks. A team has given ranks itself.
    """

    def __init__(self, memory: Memory | TeamMemory, sets: int = 0, tell: Tell = say_nothing) -> None:
        self._memory = memory
        self._sets = sets
        self._write = certificate_code(memory.width, tell).address("write_rows")

    def blocks(self) -> Iterator[RowBlock]:
        """All rows, block by block."""
        if isinstance(self._memory, TreeMemory | TeamTreeMemory):
            with RebuiltRows(self._memory) as rows:
                yield from self._blocks(rows, rows.parts())
        else:
            yield from self._blocks(self._memory, self._parts())

    def _blocks(self, rows: Memory | TeamMemory | RebuiltRows, parts: Iterator[tuple[int, int]]) -> Iterator[RowBlock]:
        with JobMemory() as job:
            job.words[Job.ARENA] = rows.rows.origin
            job.words[Job.COLUMN_WORDS] = rows.places.words
            job.words[Job.STREAM_ROOM] = STREAM_BYTES
            job.words[Job.SETS] = max(self._sets, 1)
            if self._sets > 0 and isinstance(self._memory, TeamMemory):
                job.words[Job.COMPONENTS], job.words[Job.HIGHEST] = _column(rows, "below"), MOST_RANK
            elif self._sets > 0:
                job.words[Job.COMPONENTS] = _column(rows, "member")
            if self._sets > 1:
                job.words[Job.MISSING] = _column(rows, "missing")
            for begin, end in parts:
                job.words[Job.NEXT], job.words[Job.END] = begin, end
                while job.words[Job.NEXT] < end:
                    if job.words[Job.ROWS] == 0:
                        self._begin(job)
                    job.call(self._write)
                    if job.words[Job.NEXT] < end:  # the block is full
                        yield self._block(job)
            if job.words[Job.ROWS]:
                yield self._block(job)

    def _parts(self) -> Iterator[tuple[int, int]]:
        """Where rows stand one behind the other: the first, and the end."""
        memory = self._memory
        if isinstance(memory, Memory):
            yield int(memory.words[block.FIRST]), int(memory.words[block.END])
            return
        ends = memory.ends.numbers(WORD_KIND)
        for chunk in range(int(memory.words[Team.NEXT_CHUNK])):
            if ends[chunk] > chunk << CHUNK_SHIFT:
                yield (chunk << CHUNK_SHIFT) + memory.places.words, int(ends[chunk])

    @staticmethod
    def _begin(job: JobMemory) -> None:
        job.begin_block()
        for stream in STREAMS:
            job.words[stream] = job.streams[stream].address
            job.words[stream + 1] = 0

    @staticmethod
    def _block(job: JobMemory) -> RowBlock:
        rows = int(job.words[Job.ROWS])
        job.words[Job.ROWS] = 0
        streams = [job.streams[stream].copied(0, int(job.words[stream + 1])) for stream in STREAMS]
        return RowBlock(rows, *streams)
