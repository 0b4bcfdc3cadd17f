"""A random walk on machine code: the steps that the reference would take with the same random words."""

from __future__ import annotations

import ctypes
import mmap
from typing import overload

from everafter.engine.code.cache import cached
from everafter.engine.code.machine import Loaded, compile_text
from everafter.engine.emit.control_block import PROCESSOR, Word
from everafter.engine.emit.module import code_of
from everafter.engine.emit.random_walk_code import Stop, WalkWord
from everafter.engine.emit.step_label import StepLabel
from everafter.execution.random_words import RandomWords
from everafter.program.layout import WORD
from everafter.program.program import Program

_LEVEL = 1


class RowInRoom:
    """The bytes of a row where it is, in `room` from the place `at` on."""

    __slots__ = ("_at", "_room")

    def __init__(self, room: mmap.mmap, at: int) -> None:
        self._room = room
        self._at = at

    @overload
    def __getitem__(self, place: int) -> int: ...
    @overload
    def __getitem__(self, place: slice) -> bytes: ...
    def __getitem__(self, place: int | slice) -> int | bytes:
        at = self._at
        if isinstance(place, slice):
            return self._room[at + (place.start or 0) : at + place.stop]
        return self._room[at + place]


class NativeWalk:
    """A walk of `program`, by the numbers that `words` give, from the row in which `place` puts it."""

    def __init__(self, program: Program, words: RandomWords) -> None:
        code = code_of(program, walks=True)
        self._loaded = Loaded(cached(f"walk\n{_LEVEL}\n{code.text}", lambda: compile_text(code.text, _LEVEL)))
        self._take = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)(self._loaded.address("walk"))
        self._control = ctypes.create_string_buffer(code.control_size)
        ctypes.c_int64.from_buffer(self._control, Word.BY_STEPS).value = 1
        self._rooms = [mmap.mmap(-1, PROCESSOR.out + 2 * code.longest_row) for _ in range(2)]
        self._places = [ctypes.addressof(ctypes.c_char.from_buffer(room)) for room in self._rooms]
        self._block = (ctypes.c_uint64 * len(WalkWord))()
        self._words = words

    def place(self, row: bytes) -> None:
        """Go on from `row`."""
        self._rooms[0][: len(row)] = row
        self._set(WalkWord.ROW, self._places[0])
        self._set(WalkWord.OUT, self._places[1])
        self._set(WalkWord.SPARE, self._places[0])

    def go(self, steps: int) -> tuple[Stop, int]:
        """Take at most `steps` steps; return why no more were taken, and how many were."""
        self._set(WalkWord.LEFT, steps)
        while (stop := self._run()) is Stop.DRY:
            self._words.draw()
        return stop, steps - self._get(WalkWord.LEFT)

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
    def row(self) -> RowInRoom:
        """The row where the walk is now. It is there until two more steps are taken."""
        return self._row_at(WalkWord.ROW)

    @property
    def before(self) -> RowInRoom:
        """The row before the last step. It is there until one more step is taken."""
        return self._row_at(WalkWord.BEFORE)

    def _row_at(self, word: WalkWord) -> RowInRoom:
        address = self._get(word)
        place, room = max((place, room) for room, place in enumerate(self._places) if place <= address)
        return RowInRoom(self._rooms[room], address - place)

    @property
    def label(self) -> StepLabel:
        """Who took the last step, and by which transition."""
        return StepLabel.of(self._get(WalkWord.LABEL))

    def _get(self, word: WalkWord) -> int:
        return self._block[word // WORD]

    def _set(self, word: WalkWord, value: int) -> None:
        self._block[word // WORD] = value
