"""The rows that a completed search has stored, as blocks for a certificate."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Final

from everafter.certificates.native import job_words as Job  # noqa: N812 # its words are constants
from everafter.certificates.native.code import certificate_code
from everafter.certificates.rows import RowBlock
from everafter.engine.columns import WORD_KIND
from everafter.engine.memory.areas import Area, Areas
from everafter.engine.memory.search_memory import Memory
from everafter.engine.run.kernel_code import Tell, say_nothing
from everafter.engine.run.stored_rows import StoredRows, stored_rows

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


class Listing:
    """The rows in the memory of a search that has come to its end.

    With acceptance sets, each row has as its rank the number of its strongly connected component; with several, also
    the set that the component lacks. A team has given ranks itself.
    """

    def __init__(self, memory: Memory, sets: int = 0, tell: Tell = say_nothing) -> None:
        self._memory = memory
        self._sets = sets
        self._write = certificate_code(memory.width, tell).address("write_rows")

    def blocks(self) -> Iterator[RowBlock]:
        """All rows, block by block."""
        with stored_rows(self._memory) as rows:
            yield from self._blocks(rows)

    def _blocks(self, rows: StoredRows) -> Iterator[RowBlock]:
        with JobMemory() as job:
            job.words[Job.ARENA] = rows.origin
            job.words[Job.COLUMN_WORDS] = rows.places.words
            job.words[Job.STREAM_ROOM] = STREAM_BYTES
            job.words[Job.SETS] = max(self._sets, 1)
            if self._sets > 0:
                job.words[Job.COMPONENTS], job.words[Job.HIGHEST] = rows.ranks, rows.highest
            if self._sets > 1:
                job.words[Job.MISSING] = rows.column("missing")
            for begin, end in rows.parts:
                job.words[Job.NEXT], job.words[Job.END] = begin, end
                while job.words[Job.NEXT] < end:
                    if job.words[Job.ROWS] == 0:
                        self._begin(job)
                    job.call(self._write)
                    if job.words[Job.NEXT] < end:  # the block is full
                        yield self._block(job)
            if job.words[Job.ROWS]:
                yield self._block(job)

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
