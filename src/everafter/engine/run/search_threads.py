"""The threads of a search, and the caller who watches them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from everafter.engine import block
from everafter.engine.memory.search_memory import Memory
from everafter.engine.run.model_object import ModelObject
from everafter.engine.run.search_outcome import SearchFigures
from everafter.engine.run.spill import Spill
from everafter.search.algorithm import Algorithm
from everafter.search.space import STOPPED

THREAD_NAME = "everafter search"
Observe = Callable[[SearchFigures], bool]
"""Is shown how far the search is; True stops it."""


class Work:
    """Jobs on machine code over one memory, each in a thread of its own; what each came to, and its processor time."""

    def __init__(self, algorithm: Algorithm, memory: Memory, jobs: Sequence[Callable[[], int]]) -> None:
        self.algorithm = algorithm
        self.memory = memory
        self.jobs = jobs
        self.outcomes = [STOPPED] * len(jobs)
        self.seconds = [0.0] * len(jobs)
        self.seconds_before = 0.0
        """The processor time, before, of a search that is resumed, …"""
        self.levels_before = 0
        """… and how many levels it had."""
        self.spill: Spill | None = None
        """Who lets stacks go to the disk when memory is short."""
        self.code: ModelObject | None = None
        """The model's code, where it may become better while the jobs run."""
        self.is_enough = False
        """Whether the observer has said so."""
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._begun = 0
        self._finished = 0
        self._cancelled = False

    def watch(self, observe: Observe, interval: float) -> None:
        """Let all jobs run to their ends, and call `observe` every `interval` seconds; True ends them.

        None outlives this call, since the memory does not.
        """
        try:
            if self.spill is not None:
                self.spill.look()
            self._start()
            while not self._ended.wait(interval):
                if observe(self.figures()):
                    self.is_enough = True
                    self.memory.stop()
                elif self.spill is not None:
                    self.spill.look()
                self._take_better()
        finally:
            self._end()
        if self.spill is not None:
            self.spill.finish()

    def _take_better(self) -> None:
        """Let the search call better code from its next expansion on, if there is some."""
        address = self.code.improved("expand") if self.code is not None else None
        for words in self.memory.blocks if address is not None else ():
            words[block.EXPAND] = address

    def _start(self) -> None:
        for number in range(len(self.jobs)):
            name = f"{THREAD_NAME} {number}"
            threading.Thread(target=self._run, args=(number,), name=name, daemon=True).start()

    def _run(self, number: int) -> None:
        """Do one job, and note its outcome and processor time."""
        with self._lock:
            if self._cancelled:
                return
            self._begun += 1
        try:
            begin = time.thread_time()
            self.outcomes[number] = self.jobs[number]()
            self.seconds[number] = time.thread_time() - begin
        finally:
            with self._lock:
                self._finished += 1
                if self._finished == (self._begun if self._cancelled else len(self.jobs)):
                    self._ended.set()

    def _end(self) -> None:
        """Stop the jobs that still run, and wait until none does; none begins from now on.

        `Thread.join` will not do: interrupted from the keyboard, it may take a thread that runs for one that has ended.
        """
        self.memory.stop()
        with self._lock:
            self._cancelled = True
            if self._finished == self._begun:
                self._ended.set()
        while not self._ended.is_set():
            try:
                self._ended.wait()
            except KeyboardInterrupt:  # the search is stopping; the interrupt that led here is raised again
                continue
        if self.code is not None:
            self.code.wait()

    def figures(self) -> SearchFigures:
        """The figures of all workers together at this moment."""
        blocks = self.memory.blocks

        def total(index: int) -> int:
            return sum(int(words[index]) for words in blocks)

        return SearchFigures(
            states=total(block.STATES),
            rows=total(block.ROWS),
            transitions=total(block.TRANSITIONS),
            depth=self.levels_before + self.algorithm.depth(max(int(words[block.DEEPEST]) for words in blocks)),
            expansions=total(block.EXPANSIONS),
            entered=total(block.ENTERED),
            bytes=self.memory.bytes_in_use,
            seconds=self.seconds_before + sum(self.seconds),
            disk=self.spill.disk_bytes if self.spill is not None else 0,
        )
