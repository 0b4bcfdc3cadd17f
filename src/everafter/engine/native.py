"""A search on native code: the model's machine code, the store and the kernels, in a thread of their own.

    search = NativeSearch("schwoon-esparza", expand, initial, control, memory=4 << 30)
    outcome = search.run(lambda figures: False)      # called some ten times a second; True stops the search

`expand` and `initial` are addresses of machine code, `control` is handed on to them:

    int64_t expand(const void *row, void *out, int64_t *control)
    int64_t initial(void *out, int64_t *control)

They write the rows of the successors, or of the initial states, one directly behind the other at `out`, and return how
many; a negative number says that the model failed. Rows are as everafter.engine.store describes them; byte 0 is the
colour that a new state starts with: KNOWN, and ACCEPTING or TARGET of everafter.search.space where it applies. What
they write must be the same each time and less than 256 MiB; they may write 256 bytes more behind the last row.

`outcome.answer` is a path (a tuple of rows) where the algorithm asks what is reachable, else a `Lasso` of rows; byte 0
of these rows is 0. All memory of the search is given back before `run` returns.
"""

from __future__ import annotations

import ctypes
import hashlib
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

from everafter.engine import block
from everafter.engine.cache import cached
from everafter.engine.columns import NARROW, NARROW_WORDS, WIDE
from everafter.engine.machine import Loaded
from everafter.engine.memory import FIRST_LINES, Memory
from everafter.search.catalogue import ALONE
from everafter.search.lasso import Lasso
from everafter.search.space import ANSWERED, COMPLETED, STOPPED, Searched

Tell = Callable[[str], None]
THREAD_NAME = "everafter search"
BUILDING = "building the search engine (first use only) …"


class Ending(Enum):
    """How a search ended."""

    COMPLETED = "completed"
    """Everything was searched, without an answer."""
    ANSWERED = "answered"
    STOPPED_BY_CALLER = "stopped by the caller"
    OUT_OF_MEMORY = "out of memory"
    MODEL_FAILED = "the model failed"
    UNDECIDED = "undecided"
    """The search is not one for this model, and another is needed."""


REASONS = {
    block.BY_CALLER: Ending.STOPPED_BY_CALLER,
    block.MEMORY: Ending.OUT_OF_MEMORY,
    block.MODEL_FAILED: Ending.MODEL_FAILED,
}


@dataclass(frozen=True, slots=True)
class Figures:
    """How far a search has come."""

    states: int
    """Distinct rows that count as states."""
    rows: int
    """Distinct rows."""
    transitions: int
    """Successors generated; what a search generates twice counts twice."""
    depth: int
    """As in everafter.search.meter.Statistics."""
    expansions: int
    """How often the model was asked for successors."""
    bytes: int
    """Memory in use by rows, hash table and stacks."""
    seconds: float
    """Processor time of the search alone, known when it has ended."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a search came to."""

    ending: Ending
    figures: Figures
    answer: tuple[bytes, ...] | Lasso[bytes] | None = None
    code: int = 0
    """What the model returned when it failed."""


def say_nothing(_text: str) -> None:
    """Tell nobody."""


class NativeSearch:
    """One search of one model; `run` may be called again and starts anew.

    `memory` limits rows, hash table and stacks together, in bytes. `tell` is given a line of text when code must be
    built first. `store` may be another store's object code, and `lines` the size of its first hash table: for tests.
    """

    def __init__(
        self,
        algorithm: str,
        expand: int,
        initial: int,
        control: int,
        memory: int,
        tell: Tell = say_nothing,
        store: Loaded | None = None,
        lines: int = FIRST_LINES,
    ) -> None:
        self.algorithm = ALONE[algorithm]
        self.model = {block.EXPAND: expand, block.INITIAL: initial, block.CONTROL: control}
        self.limit = memory
        self.lines = lines
        width = NARROW if memory // 8 <= NARROW_WORDS else WIDE
        self._store = store or store_code(width, self.algorithm.reads_sets, tell)
        self._search = search_code(algorithm, width, tell)

    def run(self, observe: Callable[[Figures], bool] = lambda _: False, interval: float = 0.1) -> Outcome:
        """Search, in a thread of its own, and meanwhile call `observe` every so many seconds.

        The search stops when `observe` returns True, or raises anything (which is raised again when it has stopped).
        """
        with Memory(self.algorithm, self.limit, self.lines) as memory:
            successors = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 5)(self._store.address("successors"))
            search = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 4)(self._search.address("search"))
            memory.words[block.SUCCESSORS] = self._store.address("successors")
            memory.words[block.SUCCESSORS_OF_ALL] = self._store.address("successors_of_all")
            for index, value in self.model.items():
                memory.words[index] = value
            work = _Work(memory, successors, search)
            _watch(work, observe, interval)
            return self._outcome(work)

    def _outcome(self, work: _Work) -> Outcome:
        figures = work.figures()
        if work.outcome == STOPPED:
            words = work.memory.words
            return Outcome(REASONS[words[block.REASON]], figures, None, words[block.MODEL_CODE])
        if work.outcome == COMPLETED:
            return Outcome(Ending.COMPLETED, figures)
        return Outcome(Ending.ANSWERED, figures, self.algorithm.explain(NativeSpace(work)))


class _Work:
    """The search, and the thread that it runs in."""

    def __init__(self, memory: Memory, successors: Callable[..., int], search: Callable[..., int]) -> None:
        self.memory = memory
        self.address = memory.block_area.address
        self.successors = successors
        self.search = search
        self.outcome = STOPPED
        self.seconds = 0.0
        self.ended = threading.Event()
        self._lock = threading.Lock()
        self._begun = False
        self._cancelled = False

    def start(self) -> None:
        """Search in a new thread."""
        threading.Thread(target=self._run, name=THREAD_NAME, daemon=True).start()

    def _run(self) -> None:
        """Search, and note the outcome and the processor time."""
        with self._lock:
            if self._cancelled:
                return
            self._begun = True
        try:
            start = time.thread_time()
            if self.successors(self.address, 0, 0, 0) >= 0:
                self.outcome = self.search(self.address, 0, 0)
            self.seconds = time.thread_time() - start
        finally:
            self.ended.set()

    def end(self) -> None:
        """Stop the search if it still runs, and wait until it no longer does; never start it from now on.

        `Thread.join` will not do: interrupted from the keyboard, it may take a thread that runs for one that has ended.
        """
        self.stop()
        with self._lock:
            self._cancelled = True
        while self._begun and not self.ended.is_set():
            try:
                self.ended.wait()
            except KeyboardInterrupt:  # the search is stopping; the interrupt that led here is raised again
                continue

    def stop(self) -> None:
        """Ask the search to end."""
        self.memory.words[block.STOP] = 1

    def figures(self) -> Figures:
        """The figures at this moment."""
        words = self.memory.words
        return Figures(
            states=words[block.STATES],
            rows=words[block.ROWS],
            transitions=words[block.TRANSITIONS],
            depth=words[block.DEEPEST],
            expansions=words[block.EXPANSIONS],
            bytes=self.memory.bytes_in_use(),
            seconds=self.seconds,
        )


def _watch(work: _Work, observe: Callable[[Figures], bool], interval: float) -> None:
    """Let the search run to its end; it never outlives this call, since its memory does not."""
    try:
        work.start()
        while not work.ended.wait(interval):
            if observe(work.figures()):
                work.stop()
    finally:
        work.end()


class NativeSpace(Searched[bytes]):
    """The native store after a search that answered, for the code that explains the answer."""

    def __init__(self, work: _Work) -> None:
        memory = work.memory
        self._memory = memory
        self._work = work
        self.initial = memory.field("initial")
        self.colour = memory.field("colour")
        self.stack = memory.field("stack")
        self.cursor = memory.field("cursor")
        self.limit = memory.field("limit")
        self.pending = memory.field("pending")
        self.masks = memory.field("masks")
        self.wanted = memory.field("wanted")
        self.found = memory.field("found")
        self.deepest = memory.field("deepest")
        self.clock = memory.field("clock")
        self.component_height = memory.field("component_height")
        self.root_height = memory.field("root_height")
        self.complete_components = memory.field("complete_components")
        self.discovery = memory.field("discovery")
        self.finish = memory.field("finish")
        self.parent = memory.field("parent")
        self.member = memory.field("member")
        self.queue = memory.field("queue")
        self.component = memory.field("component")
        self.low = memory.field("low")
        self.latest = memory.field("latest")
        self.root = memory.field("root")
        self.gathered = memory.field("gathered")
        self.arriving = memory.field("arriving")
        memory.words[block.STOP] = 0
        memory.words[block.LIMIT_BYTES] = 1 << 62

    def expand(self, node: int, depth: int) -> bool:
        """Write the successors of the node into frame `depth`."""
        return bool(self._work.search(self._work.address, node, depth))

    def answered(self, outcome: int) -> bool:
        """Whether an explaining search found what it looked for: what it visits was visited before."""
        if outcome != ANSWERED:
            raise RuntimeError(f"the search answered, but cannot be explained (outcome {outcome})")
        return True

    def named(self, numbers: Iterable[int]) -> tuple[bytes, ...]:
        """The rows of these states."""
        return tuple(map(self._memory.row, numbers))


def store_code(width: int, sets: bool, tell: Tell = say_nothing) -> Loaded:
    """The store's code, built if it is not in the cache."""

    def make() -> bytes:
        from everafter.engine.kernels import build_store  # noqa: PLC0415 # Numba is needed only here

        return build_store(width, sets)

    return loaded(f"store {width} {sets}", make, tell)


def search_code(algorithm: str, width: int, tell: Tell = say_nothing) -> Loaded:
    """The code of the algorithm, built if it is not in the cache."""

    def make() -> bytes:
        from everafter.engine.kernels import build_search  # noqa: PLC0415 # Numba is needed only here

        return build_search(algorithm, width)

    return loaded(f"search {algorithm} {width}", make, tell)


def loaded(key: str, make: Callable[[], bytes], tell: Tell) -> Loaded:
    """The code of this key, loaded once in this process."""

    def make_and_tell() -> bytes:
        tell(BUILDING)
        return make()

    if key not in _codes:
        _codes[key] = Loaded(cached(f"{key} {_text()}", make_and_tell))
    return _codes[key]


_codes: dict[str, Loaded] = {}


@cache
def _text() -> str:
    """A digest of the text that the code is made of."""
    engine = Path(__file__).parent
    texts = [
        path.read_bytes() for path in (*sorted(engine.glob("*.py")), *sorted((engine.parent / "search").rglob("*.py")))
    ]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()
