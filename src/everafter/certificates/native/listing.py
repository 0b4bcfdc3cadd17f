"""The rows that a completed search has stored, as blocks for a certificate."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Final

from everafter.certificates.native import job_words as Job  # noqa: N812 # its words are constants
from everafter.certificates.native.code import certificate_code
from everafter.certificates.rows import Listed, RowBlock
from everafter.engine.columns import WORD_KIND
from everafter.engine.memory.areas import Area, Areas
from everafter.engine.memory.search_memory import Memory
from everafter.engine.run.kernel_code import Tell, say_nothing
from everafter.engine.run.stored_rows import StoredRows, stored_rows
from everafter.questions.question import Question
from everafter.questions.question_code import sets_of

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
        """Let the next row be the first of a block, whose streams are empty."""
        for stream, area in self.streams.items():
            self.words[stream], self.words[stream + 1] = area.address, 0
        ctypes.memset(self.previous.address, 0, self.previous.size)
        self.words[Job.LAST_RANK] = 0

    def call(self, address: int) -> int:
        """Run the code at the address on this job."""
        return int(ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)(self.job.address))


def give_rows(question: Question, is_reduced: bool, blocks: Callable[[int], Iterator[RowBlock]]) -> None:
    """Give the rows by which `question` was decided to the writer of its certificate, if there is one.

    `blocks` are made for a number of acceptance sets that ranks tell apart, 0 for none; `is_reduced` says whether steps
    were left out.
    """
    program, sets = question.program, 0 if question.goal == "reachability" else sets_of(question)
    if question.certificate is not None:
        erased, merged = program.erased is not None, bool(program.merged)
        question.certificate(Listed(sets, is_reduced, erased, merged, blocks(sets)))


def listed_blocks(memory: Memory, sets: int = 0, tell: Tell = say_nothing) -> Iterator[RowBlock]:
    """Yield all rows in the `memory` of a search that has come to its end, as `blocks_of` has them."""
    with stored_rows(memory) as rows:
        yield from blocks_of(rows, sets, tell)


def blocks_of(rows: StoredRows, sets: int = 0, tell: Tell = say_nothing) -> Iterator[RowBlock]:
    """Yield all `rows`, block by block; `tell` gets a message if code must be built.

    With acceptance `sets`, each row has a rank: the number of its strongly connected component, with several sets also
    the one that the component lacks; or what the workers of a team, or those that search by levels, have given it.
    """
    write = certificate_code(rows.width, tell).address("write_rows")
    with JobMemory() as job:
        job.words[Job.ARENA] = rows.origin
        job.words[Job.COLUMN_WORDS] = rows.places.words
        job.words[Job.STREAM_ROOM] = STREAM_BYTES
        job.words[Job.SETS] = max(sets, 1)
        if sets > 0:
            job.words[Job.COMPONENTS], job.words[Job.HIGHEST] = rows.column(rows.ranks), rows.highest
        if sets > 1:
            job.words[Job.MISSING] = rows.column("missing")
        for begin, end in rows.parts:
            job.words[Job.NEXT], job.words[Job.END] = begin, end
            while job.words[Job.NEXT] < end:
                if job.words[Job.ROWS] == 0:
                    job.begin_block()
                job.call(write)
                if job.words[Job.NEXT] < end:  # the block is full
                    yield _block(job)
        if job.words[Job.ROWS]:
            yield _block(job)


def _block(job: JobMemory) -> RowBlock:
    rows = int(job.words[Job.ROWS])
    job.words[Job.ROWS] = 0
    streams = [job.streams[stream].copied(0, int(job.words[stream + 1])) for stream in STREAMS]
    return RowBlock(rows, *streams)
