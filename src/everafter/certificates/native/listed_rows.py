"""The rows of a certificate, checked on machine code that shares no text with the searches and the store."""

from __future__ import annotations

import ctypes
import random
import threading
from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Any, Final

from everafter.certificates.native import job_words as Job  # noqa: N812 # its words are constants
from everafter.certificates.native.code import certificate_code
from everafter.certificates.native.listing import STREAM_BYTES, STREAMS, JobMemory
from everafter.certificates.rows import RowBlock
from everafter.certificates.sufficing import NOTES
from everafter.engine.columns import WIDE, WORD_KIND
from everafter.engine.emit.control_block import MOST_PROCESSES, Word
from everafter.engine.memory.areas import MODEL_BYTES, PAGE, Areas, Arena, fitting
from everafter.engine.run.kernel_code import Tell, say_nothing
from everafter.engine.run.native_model import ModelCode
from everafter.record import dataclass

FIRST_ROW: Final = 1
ROWS_IN_BUCKET: Final = 4
_PASSES: Final = 8
"""How often several workers go over the rows at most. Certificates of the examples need up to 6."""
_SHARE_OF_A_THREAD: Final = 1 / 3
"""Of the bytes of the rows: a word for each, and there are two or more in a row, and one before it."""
_SHARES: Final = 1 + 2 * _SHARE_OF_A_THREAD
"""Rows, their entries and their buckets."""
_NUMBER: Final = (1 << 40) - 1  # the bits of an entry that are a row's number
ANSWER_BYTES: Final = MODEL_BYTES // 2
"""Room for a number for each successor: a row has two words or more, for the least of them holds a process."""


class Refused(Exception):
    """The certificate does not show what it claims; the message says why."""


class Interrupted(Exception):
    """The observer has ended the check."""


_REASONS: Final = {
    Job.REFUSED: "has an edge that the certificate does not explain",
    Job.NEEDED: "leaves out steps that may be needed",
    Job.IGNORED: "is on a cycle on which steps are left out for ever",
}


@dataclass(frozen=True, slots=True)
class Judging:
    """By what the steps that a reduction leaves out are judged."""

    choose: ModelCode
    """The reduced model, which tells whose steps it takes alone."""
    able: int
    meant: int
    table: tuple[int, ...]


class Rows(Areas):
    """The rows that a certificate lists, in memory of their own."""

    def __init__(self, limit: int, tell: Tell = say_nothing, threads: int = 1) -> None:
        """Rows of at most `limit` bytes, which `threads` threads will check."""
        super().__init__()
        limit = fitting(limit, 3 * MODEL_BYTES * threads, _SHARES + threads * _SHARE_OF_A_THREAD)
        self._limit = limit
        self._code = certificate_code(WIDE, tell)
        self._arena: Arena = self.arena(limit)
        self._starts: list[int] = []
        """Where each block of rows begins."""
        self._before: list[int] = []
        """How many rows stand before each block."""
        self._end = FIRST_ROW - 1
        self.rows = 0

    def read(self, blocks: Iterable[RowBlock], ranked: bool) -> None:
        """Read all rows of `blocks`, with ranks if they are `ranked`. Raises Refused if the blocks are not rows."""
        with JobMemory() as job:
            job.words[Job.ARENA] = self._arena.origin
            job.words[Job.ROOM] = self._arena.words
            address = self._code.address("read_rows")
            for each in blocks:
                self._starts.append(self._end + 1)
                self._before.append(self.rows)
                self._fill(job, each, ranked)
                job.words[Job.END] = self._end
                read = job.call(address)
                if read == Job.FULL:
                    raise MemoryError("the rows of the certificate do not fit into memory")
                if read != each.rows:
                    raise Refused("the certificate is damaged: a block does not describe rows")
                self._end = int(job.words[Job.END])
                self.rows += each.rows
        self._starts.append(self._end + 1)

    @staticmethod
    def _fill(job: JobMemory, each: RowBlock, ranked: bool) -> None:
        job.begin_block()
        job.words[Job.ROWS] = each.rows
        if any(len(stream) > STREAM_BYTES for stream in each.streams):
            raise Refused("the certificate is damaged: a block is too large")
        if bool(each.ranks) != (ranked and each.rows > 0):
            raise Refused("the certificate is damaged: ranks are missing, or there are some where none belong")
        for stream, content in zip(STREAMS, each.streams, strict=True):
            area = job.streams[stream]
            ctypes.memmove(area.address, content, len(content))
            job.words[stream] = area.address
            job.words[stream + 1] = len(content)
        if not ranked:
            job.words[Job.RANKS_STREAM] = 0

    def check(
        self,
        model: ModelCode,
        mode: int,
        sets: int,
        observe: Callable[[int], bool] = lambda _: False,
        judging: Judging | None = None,
    ) -> None:
        """Decide every row. Raises Refused if an edge is not accepted, or a row is listed that no step leads to.

        `observe` is called with how many rows are decided, and ends the check by returning True. With `judging`, the
        rows are reduced: the steps taken are shown to be ample sets.
        """
        bits = max((self.rows // ROWS_IN_BUCKET).bit_length(), 1)
        buckets, entries = self.model_area((8 << bits) + PAGE), self.model_area(8 * self.rows + PAGE)
        common = {
            Job.ARENA: self._arena.origin,
            Job.END: self._end + 1,
            Job.BUCKETS: buckets.address,
            Job.BUCKET_BITS: bits,
            Job.ENTRIES: entries.address,
            Job.EXPAND: model.expand,
            Job.INITIAL: model.initial,
            Job.MODE: mode,
            Job.SETS: sets,
        }
        if judging is not None:
            common |= self._common(judging)
        jobs = [self._worker(common, model, number, judging) for number in range(len(model.controls))]
        self._first, self._entries = jobs[0], entries
        if self._run("sort_rows", jobs[:1], observe) == Job.CROWDED:
            raise Refused("it lists rows that are alike to the checker, or one row many times: use --by reference")
        if self._run("check_initial", jobs[:1], observe) < 0:
            raise Refused("an initial state is missing, or violates the property")
        self._passes(jobs, observe)
        if judging is not None:
            self._look_for_cycles(jobs, observe)

    # Some rows, once all are decided

    def sample(self, count: int, chance: random.Random) -> list[int]:
        """Return the numbers of `count` rows drawn by `chance`, or of all if there are fewer."""
        entries = self._entries.numbers(WORD_KIND)
        chosen = chance.sample(range(self.rows), min(count, self.rows))
        return [int(entries[each]) & _NUMBER for each in chosen]

    def row(self, number: int) -> bytes:
        """The row of this number."""
        return self._arena.row(number)

    def rank(self, number: int) -> int:
        """The rank of the row of this number."""
        return int.from_bytes(self._arena.copied(PAGE + 8 * (number - 1), 8), "little")

    def find(self, row: bytes) -> int:
        """The number of a row, -1 if it is not listed."""
        words = self._first.numbers(WORD_KIND)
        ctypes.memmove(int(words[Job.BUFFER]), row, len(row))
        call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(self._code.address("find_given"))
        return int(call(self._first.address))

    @property
    def end(self) -> int:
        """No row has this number, or a higher one."""
        return self._end + 1

    def _common(self, judging: Judging) -> dict[int, int]:
        """What all workers know of a reduction."""
        table = self.word_area(len(judging.table), dict(enumerate(judging.table)))
        return {
            Job.CHOOSE: judging.choose.expand,
            Job.ABLE_CODE: judging.able,
            Job.MEANT_CODE: judging.meant,
            Job.TABLE: table.address,
        }

    def _worker(self, common: dict[int, int], model: ModelCode, number: int, judging: Judging | None) -> Any:
        control = model.controls[number]
        own = {
            Job.CONTROL: control,
            Job.MODEL_SETS: control + model.sets_at if model.sets_at is not None else 0,
            Job.BUFFER: self.model_area().address,
            Job.FOUND: self.model_area(ANSWER_BYTES).address,
            Job.FORBIDDEN: self.model_area(ANSWER_BYTES).address,
            Job.BEHIND: self.model_area(8 * self.rows).address,
        }
        if judging is not None:
            choosing = judging.choose.controls[number]
            own |= {
                Job.CHOOSE_CONTROL: choosing,
                Job.CHOSEN: choosing + Word.TAKEN,
                Job.TAKEN: control + Word.TAKEN,
                Job.NOTES_AT: self.word_area(NOTES * (MOST_PROCESSES + 1), {}).address,
                Job.SPARE: self.model_area().address,
                Job.SPARE_ROW: self.area(8 * Job.LONGEST_ROW).address,
            }
        return self.word_area(Job.WORDS, common | own)

    def _passes(self, jobs: list[Any], observe: Callable[[int], bool]) -> None:
        """Go over all rows, each worker over its part: rows stand mostly behind those that lead to them.

        Steps also lead from part to part. So that no order of rows costs much more than another, the last pass is by
        one worker, over all of them.
        """
        for team in (*[jobs] * _PASSES, jobs[:1]):
            if self._pass(team, observe) == 0:
                break
        if self._run("count_decided", jobs[:1], observe) != self.rows:
            raise Refused("rows are listed that no step leads to")

    def _pass(self, jobs: list[Any], observe: Callable[[int], bool]) -> int:
        """Let each of `jobs` decide the rows of its part that steps lead to; how many they were. Raises Refused."""
        words = [job.numbers(WORD_KIND) for job in jobs]
        before = sum(int(each[Job.DONE]) for each in words)
        cuts = [self._starts[len(self._starts[:-1]) * number // len(jobs)] for number in range(len(jobs))]
        cuts.append(self._end + 1)
        for number, each in enumerate(words):
            each[Job.NEXT], each[Job.LAST] = cuts[number], cuts[number + 1]
        outcome = self._run("check_rows", jobs, observe)
        if outcome in _REASONS:
            raise Refused(self._why(words, outcome))
        if outcome == Job.MODEL_FAILED:
            raise Refused("the model's code cannot expand a row")
        return sum(int(each[Job.DONE]) for each in words) - before

    def _look_for_cycles(self, jobs: list[Any], observe: Callable[[int], bool]) -> None:
        """No cycle may be of rows in all of which something is left out: then it would be left out for ever."""
        words = [job.numbers(WORD_KIND) for job in jobs]
        edges = sum(int(each[Job.EDGES]) for each in words)
        words[0][Job.STACK] = self.model_area(8 * (edges + 2)).address
        outcome = self._run("check_cycles", jobs[:1], observe)
        if outcome == Job.MODEL_FAILED:
            raise Refused("the model's code cannot expand a row")
        if outcome < 0:
            raise Refused(self._why(words[:1], outcome))

    def _why(self, words: list[Any], outcome: int) -> str:
        number = next(int(each[Job.BAD_ROW]) for each in words if each[Job.BAD_ROW])
        return f"row {self._position(number):,} {_REASONS[outcome]}"

    def _position(self, number: int) -> int:
        """Which row it is that has this number, counted from 1."""
        block = bisect_right(self._starts, number) - 1
        at, position = self._starts[block], self._before[block] + 1
        while at < number:
            at += int.from_bytes(self._arena.copied(PAGE + 8 * at + 2, 2), "little") + 1
            position += 1
        return position

    def _run(self, name: str, jobs: list[Any], observe: Callable[[int], bool]) -> int:
        """Call the function for every job, each in a thread of its own; the least of what they come to."""
        call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(self._code.address(name))
        outcomes: list[int] = []
        threads = [
            threading.Thread(target=lambda job=job: outcomes.append(int(call(job.address))), daemon=True)
            for job in jobs
        ]
        words = [job.numbers(WORD_KIND) for job in jobs]
        for thread in threads:
            thread.start()
        stopped: BaseException | None = None
        while any(thread.is_alive() for thread in threads):
            try:
                threads[[thread.is_alive() for thread in threads].index(True)].join(0.1)
                if observe(sum(int(each[Job.DONE]) for each in words)):
                    raise Interrupted
            except (KeyboardInterrupt, Interrupted) as stop:
                stopped = stop
                for each in words:
                    each[Job.STOP] = 1
            except ValueError:
                break  # the last one has just ended
        if stopped is not None:
            raise stopped
        return min(outcomes)
