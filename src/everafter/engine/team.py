"""A search by a team of workers on native code: one model, one store, a thread for each worker.

    search = TeamSearch("cndfs", expand, initial, controls, memory=4 << 30)
    outcome = search.run(lambda figures: False)

There are as many workers as `controls`: each hands its own to the model's code, which must not keep anything elsewhere.
The rest is as in everafter.engine.native. A search is COMPLETED only when every worker has completed; for the swarm,
whose workers search alone, when one has.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Iterable, Sequence

from everafter.engine import block
from everafter.engine.block import MOST_WORKERS, Team
from everafter.engine.columns import NARROW, NARROW_WORDS, WIDE
from everafter.engine.machine import Loaded
from everafter.engine.native import REASONS, THREAD_NAME, Ending, Figures, Outcome, Tell, loaded, say_nothing
from everafter.engine.team_memory import FIRST_TEAM_LINES, TeamMemory, WorkerMemory
from everafter.search.algorithm import Algorithm
from everafter.search.catalogue import TEAM
from everafter.search.space import ANSWERED, COMPLETED, STOPPED, UNDECIDED, Answered

FUNCTIONS = {
    block.SUCCESSORS: "successors",
    block.SUCCESSORS_OF_ALL: "successors_of_all",
    block.PAUSE: "pause",
    block.LEAVE: "leave",
    block.GIVE: "give",
    block.TAKE: "take",
}


class TeamSearch:
    """One search of one model by several workers; `run` may be called again and starts anew.

    Workers meet successors in orders of their own, which another `seed` changes. The verdict does not depend on it.
    `memory` limits the bytes that all workers together use. `lines`, the size of the first hash table, and `store`,
    another store's code, are for tests.
    """

    def __init__(
        self,
        algorithm: str,
        expand: int,
        initial: int,
        controls: Sequence[int],
        memory: int,
        tell: Tell = say_nothing,
        seed: int = 0,
        lines: int = FIRST_TEAM_LINES,
        store: Loaded | None = None,
    ) -> None:
        self.algorithm = TEAM[algorithm]
        self.model = {block.EXPAND: expand, block.INITIAL: initial}
        self.controls = controls
        self.limit = memory
        self.seed = seed * MOST_WORKERS  # no worker has the order of another seed's
        self.lines = lines
        width = NARROW if memory // 8 <= NARROW_WORDS else WIDE
        self._store = store or team_store_code(width, tell)
        self._search = team_search_code(algorithm, width, tell)

    def run(self, observe: Callable[[Figures], bool] = lambda _: False, interval: float = 0.1) -> Outcome:
        """Search, and meanwhile call `observe` every so many seconds.

        The search stops when `observe` returns True, or raises anything (which is raised again when it has stopped).
        """
        with TeamMemory(self.algorithm.columns, self.limit, len(self.controls), self.lines) as memory:
            for worker, control in zip(memory.workers, self.controls, strict=True):
                settings = {index: self._store.address(name) for index, name in FUNCTIONS.items()}
                for index, value in {**settings, **self.model, block.CONTROL: control, block.SEED: self.seed}.items():
                    worker.words[index] = value
            work = _Work(memory, self._search.address("search"), self.algorithm)
            if not work.begin(self._store.address("successors")):
                return self._outcome(work)
            try:
                work.start()
                while not work.ended.wait(interval):
                    if observe(work.figures()):
                        work.stop()
            finally:
                work.end()
            return self._outcome(work)

    def _outcome(self, work: _Work) -> Outcome:
        figures = work.figures()
        for worker, outcome in zip(work.memory.workers, work.outcomes, strict=True):
            if outcome == ANSWERED:
                return Outcome(Ending.ANSWERED, figures, self.algorithm.explain(WorkerSpace(worker)))
        if UNDECIDED in work.outcomes:
            return Outcome(Ending.UNDECIDED, figures)
        completed = [outcome == COMPLETED for outcome in work.outcomes]
        if all(completed) or (self.algorithm.one_suffices and any(completed)):
            return Outcome(Ending.COMPLETED, figures)
        reasons = [int(worker.words[block.REASON]) for worker in work.memory.workers]
        worst = max(reasons, default=0) or block.BY_CALLER
        codes = [int(worker.words[block.MODEL_CODE]) for worker in work.memory.workers]
        return Outcome(REASONS[worst], figures, None, min(codes, default=0))


class _Work:
    """The workers, and the threads they run in."""

    def __init__(self, memory: TeamMemory, search: int, algorithm: Algorithm) -> None:
        self.memory = memory
        self.algorithm = algorithm
        self.search = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(search)
        self.outcomes = [STOPPED] * len(memory.workers)
        self.seconds = [0.0] * len(memory.workers)
        self.ended = threading.Event()
        self._lock = threading.Lock()
        self._begun = 0
        self._finished = 0
        self._cancelled = False

    def begin(self, successors: int) -> bool:
        """Store the initial states, for all workers."""
        function = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 5)(successors)
        first, *others = self.memory.workers
        self.memory.words[Team.ACTIVE] = 1  # if the hash table must grow now, nobody else will come
        listed = function(first.block_area.address, 0, 0, 0)
        self.memory.words[Team.ACTIVE] = len(self.memory.workers)
        for worker in others:
            worker.words[block.INITIAL_ROWS] = listed
            worker.words[block.LINES] = first.words[block.LINES]
        return bool(listed >= 0)

    def start(self) -> None:
        """Let each worker search in a new thread."""
        for number in range(len(self.outcomes)):
            name = f"{THREAD_NAME} {number}"
            threading.Thread(target=self._run, args=(number,), name=name, daemon=True).start()

    def _run(self, number: int) -> None:
        """One worker's search; its outcome and processor time are noted."""
        with self._lock:
            if self._cancelled:
                return
            self._begun += 1
        try:
            begin = time.thread_time()
            self.outcomes[number] = self.search(self.memory.workers[number].block_area.address)
            self.seconds[number] = time.thread_time() - begin
        finally:
            with self._lock:
                self._finished += 1
                if self._finished == (self._begun if self._cancelled else len(self.outcomes)):
                    self.ended.set()

    def end(self) -> None:
        """Stop the workers that still run, and wait until none does; none begins from now on.

        Interrupts do not keep us from it: the memory of the search goes when this returns.
        """
        self.stop()
        with self._lock:
            self._cancelled = True
            if self._finished == self._begun:
                self.ended.set()
        while not self.ended.is_set():
            try:
                self.ended.wait()
            except KeyboardInterrupt:
                continue

    def stop(self) -> None:
        """Ask the workers to end."""
        self.memory.words[Team.STOP] = 1

    def figures(self) -> Figures:
        """The figures of all workers together at this moment."""

        def total(index: int) -> int:
            return sum(int(worker.words[index]) for worker in self.memory.workers)

        return Figures(
            states=total(block.STATES),
            rows=total(block.ROWS),
            transitions=total(block.TRANSITIONS),
            depth=self.algorithm.depth(max(int(worker.words[block.DEEPEST]) for worker in self.memory.workers)),
            expansions=total(block.EXPANSIONS),
            bytes=self.memory.bytes_in_use,
            seconds=sum(self.seconds),
        )


class WorkerSpace(Answered[bytes]):
    """The store as the worker that answered has left it: the path of its answer, and the rows on it."""

    def __init__(self, worker: WorkerMemory) -> None:
        self._worker = worker
        self.stack = worker.field("stack")
        self.found = worker.field("found")
        if worker.kinds["parent"].bits:
            self.parent = worker.field("parent")

    def named(self, numbers: Iterable[int]) -> tuple[bytes, ...]:
        """The rows of these states."""
        return tuple(map(self._worker.row, numbers))


def team_store_code(width: int, tell: Tell = say_nothing) -> Loaded:
    """The store's code, built if it is not in the cache."""

    def make() -> bytes:
        from everafter.engine.team_kernels import build_team_store  # noqa: PLC0415 # Numba is needed only here

        return build_team_store(width)

    return loaded(f"team store {width}", make, tell)


def team_search_code(algorithm: str, width: int, tell: Tell = say_nothing) -> Loaded:
    """The code of the algorithm, built if it is not in the cache."""

    def make() -> bytes:
        from everafter.engine.team_kernels import build_team_search  # noqa: PLC0415 # Numba is needed only here

        return build_team_search(algorithm, width)

    return loaded(f"team search {algorithm} {width}", make, tell)
