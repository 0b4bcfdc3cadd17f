"""A random walk on machine code: the steps that the reference would take with the same random words."""

from __future__ import annotations

import ctypes
import mmap
from array import array
from typing import NamedTuple

from everafter.engine.code.cache import cached
from everafter.engine.code.machine import Loaded, compile_text
from everafter.engine.emit.control_block import PROCESSOR, Word
from everafter.engine.emit.module import code_of
from everafter.engine.emit.random_walk_code import Stop
from everafter.engine.emit.step_label import StepLabel
from everafter.engine.emit.step_log import ENTRY, WalkWord
from everafter.execution.random_words import RandomWords
from everafter.program.layout import LENGTH, WORD
from everafter.program.program import Program

_LEVEL = 1
_LEAST_TRACE = 1 << 20


class TraceTable(NamedTuple):
    """The parts of rows, as `engine/emit/walk_trace.py` asks for them."""

    numbers: array[int]
    """For each byte of a row."""
    parts: array[int]
    largest: int
    """More bytes than any entry of the trace has."""


class NativeWalk:
    """A walk of `program`, by the numbers that `words` give, from the row in which `place` puts it."""

    def __init__(self, program: Program, words: RandomWords) -> None:
        code = code_of(program, walks=True)
        self._loaded = Loaded(cached(f"walk\n{_LEVEL}\n{code.text}", lambda: compile_text(code.text, _LEVEL)))
        self._take = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)(self._loaded.address("walk"))
        self._control = ctypes.create_string_buffer(code.control_size)
        ctypes.c_int64.from_buffer(self._control, Word.BY_STEPS).value = 1
        longest = 2 * code.longest_row
        sizes = {
            WalkWord.ROW: longest,
            WalkWord.BEFORE: longest,
            WalkWord.STAMPS: longest,
            WalkWord.LOG: 2 * longest * ENTRY // WORD,
            WalkWord.OUT: PROCESSOR.out + longest,
            WalkWord.SPARE: PROCESSOR.out + longest,
        }
        self._block = (ctypes.c_uint64 * len(WalkWord))()
        self._rooms = {word: mmap.mmap(-1, size) for word, size in sizes.items()}
        self._places = {word: _address(room) for word, room in self._rooms.items()}
        for word, place in self._places.items():
            self._set(word, place)
        for word in (WalkWord.LOG_BASE, WalkWord.LOG_END):
            self._set(word, self._places[WalkWord.LOG])
        self._set(WalkWord.GENERATION, 1)
        self._words = words
        self.longest_row: int = code.longest_row
        """More bytes than any row can have."""
        self._trace = mmap.mmap(-1, _LEAST_TRACE)
        self._table: TraceTable | None = None

    def place(self, row: bytes) -> None:
        """Go on from `row`."""
        for word in (WalkWord.ROW, WalkWord.BEFORE):
            self._rooms[word][: len(row)] = row
        self._rooms[WalkWord.SPARE][:WORD] = bytes(WORD)  # the record of no step
        self._set(WalkWord.OUT, self._places[WalkWord.OUT])
        self._set(WalkWord.SPARE, self._places[WalkWord.SPARE])
        self._set(WalkWord.LAST, self._places[WalkWord.SPARE])

    def go(self, steps: int) -> tuple[Stop, int]:
        """Take at most `steps` steps; return why no more were taken, and how many were."""
        self._set(WalkWord.LEFT, steps)
        while (stop := self._run()) is Stop.DRY:
            self._words.draw()
        return stop, steps - self._get(WalkWord.LEFT)

    def trace(self, table: TraceTable) -> None:
        """Trace all steps from now on, by `table`."""
        self._table = table
        if len(self._trace) < 2 * table.largest:
            self._trace = mmap.mmap(-1, 2 * table.largest)
        for word, listed in ((WalkWord.TABLE, table.numbers), (WalkWord.PARTS, table.parts)):
            self._set(word, listed.buffer_info()[0])
        first = _address(self._trace)
        self._set(WalkWord.TRACE, first)
        self._set(WalkWord.TRACE_LIMIT, first + len(self._trace) - table.largest)

    def traced(self) -> bytes:
        """Return the trace of the steps since the last call."""
        first = _address(self._trace)
        size = self._get(WalkWord.TRACE) - first
        self._set(WalkWord.TRACE, first)
        return self._trace[:size]

    def _run(self) -> Stop:
        """Go on as long as there are random words."""
        words = self._words
        first, count = words.words.buffer_info()
        self._set(WalkWord.WORDS, first + 4 * words.at)
        self._set(WalkWord.WORDS_END, first + 4 * count)
        stop = self._take(ctypes.addressof(self._block), ctypes.addressof(self._control))
        words.at = (self._get(WalkWord.WORDS) - first) // 4
        return Stop(stop)

    @property
    def row(self) -> mmap.mmap:
        """The row where the walk is now: the same room for all, which changes with each step."""
        return self._rooms[WalkWord.ROW]

    def copy(self) -> bytes:
        """Return the row where the walk is now, as it is."""
        row = self._rooms[WalkWord.ROW]
        return row[: WORD * int.from_bytes(row[LENGTH : LENGTH + 2], "little")]

    @property
    def before(self) -> mmap.mmap:
        """The row before the last step, likewise."""
        return self._rooms[WalkWord.BEFORE]

    @property
    def label(self) -> StepLabel:
        """Who took the last step, and by which transition."""
        return StepLabel.of(self._get(WalkWord.LABEL))

    @property
    def renames(self) -> bool:
        """Whether the last step has changed what the texts of others depend on, beside their entries."""
        return self._get(WalkWord.RENAMED) != 0

    def _get(self, word: WalkWord) -> int:
        return self._block[word // WORD]

    def _set(self, word: WalkWord, value: int) -> None:
        self._block[word // WORD] = value


def _address(room: mmap.mmap) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(room))
