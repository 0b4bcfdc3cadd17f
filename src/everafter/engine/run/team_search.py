"""A search by a team of workers on native code: one model, one store, a thread for each worker.

    search = TeamSearch("cndfs", expand, initial, controls, memory=4 << 30)
    outcome = search.run(lambda figures: False)

There are as many workers as `controls`: each hands its own to the model's code, which must not keep anything elsewhere.
The rest is as in `single_search.py`. A search is COMPLETED only when every worker has completed; where workers
search alone, when one has.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from everafter.engine import block
from everafter.engine.block import MOST_WORKERS, Team
from everafter.engine.code.machine import Loaded
from everafter.engine.columns import LOSSY, StoreKind, width_within
from everafter.engine.memory.disk import Disk
from everafter.engine.memory.lossy_memory import TeamBitMemory, TeamCompactMemory
from everafter.engine.memory.stored_trees import EVERY_OTHER
from everafter.engine.memory.team_memory import FIRST_TEAM_LINES, TeamMemory, WorkerMemory
from everafter.engine.memory.team_tree_memory import TeamTreeMemory
from everafter.engine.run import single_search as alone
from everafter.engine.run.kernel_code import Tell, say_nothing, search_code, store_code
from everafter.engine.run.model_object import ModelObject
from everafter.engine.run.search_outcome import REASONS, SearchEnding, SearchOutcome
from everafter.engine.run.search_threads import Observe, Work
from everafter.engine.run.spill import Spill
from everafter.engine.run.violation_path import ViolationPath
from everafter.search.catalogue import TEAM
from everafter.search.space import ANSWERED, COMPLETED, UNDECIDED, Answered

FUNCTIONS = {
    **alone.FUNCTIONS,
    block.PAUSE: "pause",
    block.LEAVE: "leave",
    block.GIVE: "give",
    block.TAKE: "take",
}


TEAM_MEMORIES: Mapping[StoreKind, Callable[..., TeamMemory]] = {
    "plain": TeamMemory,
    "tree": TeamTreeMemory,
    "bitstate": TeamBitMemory,
    "compact": TeamCompactMemory,
}


class TeamSearch:
    """One search of one model by several workers; `run` may be called again and starts anew.

    Workers meet successors in orders of their own, which another `seed` changes. The verdict does not depend on it.
    `memory` limits the bytes that all workers together use. `lines`, the size of the first hash table, and `store`,
    another store's code, are for tests. `keeping`: also what the algorithm writes and does not read is kept. `kind`:
    how rows are kept, as for one worker; as trees, `split` says which words are in the left half of a row.
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
        keeping: bool = False,
        kind: StoreKind = "plain",
    ) -> None:
        self.algorithm = TEAM[algorithm].keeping() if keeping else TEAM[algorithm]
        self.model = {block.EXPAND: expand, block.INITIAL: initial}
        self.controls = controls
        self.limit = memory
        self.seed = seed * MOST_WORKERS  # no worker has the order of another seed's
        self.lines = lines
        self.kind: StoreKind = kind
        self.code: ModelObject | None = None
        self.split = EVERY_OTHER
        width = width_within(memory, kind)
        self._store = store or store_code(self.algorithm, width, tell, kind)
        self._search = search_code(self.algorithm, width, tell, kind)

    def run(
        self,
        observe: Observe = lambda _: False,
        interval: float = 0.1,
        conclude: Callable[[TeamMemory], None] | None = None,
        disk: Disk | None = None,
        tell: Tell = say_nothing,
    ) -> SearchOutcome:
        """Search, and meanwhile call `observe` every `interval` seconds.

        The search stops when `observe` returns True, or raises anything (which is raised again when it has stopped).
        `conclude` is shown the memory of a search that is complete, before it is given back. With a `disk`, stacks go
        there when memory is short, which `tell` says. Once an answer is met, `observe` may still end the search for the
        way to it, in figures that stay as they were then.
        """
        with self._memory() as memory:
            names = FUNCTIONS | (alone.ONLY_TREE if self.kind == "tree" else {})
            functions = {index: self._store.address(name) for index, name in names.items()}
            for words, control in zip(memory.blocks, self.controls, strict=False):  # fewer blocks where little fits
                settings = {block.CONTROL: control, block.SEED: self.seed}
                for index, value in (functions | self.model | settings).items():
                    words[index] = value
            search = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(self._search.address("search"))
            work = Work(self.algorithm, memory, [partial(search, each.block_area.address) for each in memory.workers])
            work.code = self.code
            work.spill = Spill(memory, disk, tell) if disk is not None and self.kind not in LOSSY else None
            if self._begin(memory):
                work.watch(observe, interval)
            outcome = self._outcome(work, memory, observe, interval)
            if conclude is not None and outcome.ending is SearchEnding.COMPLETED:
                conclude(memory)
            return outcome

    def _memory(self) -> TeamMemory:
        """The memory that the search needs."""
        asked = self.algorithm, self.limit, len(self.controls), self.lines
        own = (self.split,) if self.kind == "tree" else ()
        return TEAM_MEMORIES[self.kind](*asked, *own)

    def _begin(self, memory: TeamMemory) -> bool:
        """Store the initial states, for all workers."""
        successors = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 5)(self._store.address("successors"))
        first = memory.workers[0]
        memory.words[Team.ACTIVE] = 1  # if the hash table must grow now, nobody else will come
        listed = successors(first.block_area.address, block.NO_NODE, 0, 0)
        memory.words[Team.ACTIVE] = len(memory.workers)
        memory.share_initial()
        return bool(listed >= 0)

    def _outcome(self, work: Work, memory: TeamMemory, observe: Observe, interval: float) -> SearchOutcome:
        """How the search ended; answered, if a worker has: whatever others came to, its answer is one."""
        finder = next(
            (each for each, outcome in zip(memory.workers, work.outcomes, strict=True) if outcome == ANSWERED), None
        )
        code = min(int(words[block.MODEL_CODE]) for words in memory.blocks)
        ending = self._ending(work, memory) if finder is None else SearchEnding.ANSWERED
        outcome = SearchOutcome(ending, work.figures(), None, code, memory.limit, len(memory.workers))
        if finder is None:
            return outcome
        if self.algorithm.gives_path:
            return replace(outcome, answer=self.algorithm.explain(NativeWorkerSpace(finder)))
        met = replace(outcome.figures, has_met=True)
        way = ViolationPath(self.algorithm, memory, finder, self._search)
        return way.outcome(outcome, work.is_enough, lambda: observe(met), interval)

    def _ending(self, work: Work, memory: TeamMemory) -> SearchEnding:
        """How the search ended that no worker has answered."""
        if UNDECIDED in work.outcomes:
            return SearchEnding.UNDECIDED
        completed = [outcome == COMPLETED for outcome in work.outcomes]
        if all(completed) or (self.algorithm.one_suffices and any(completed)):
            return SearchEnding.COMPLETED
        return REASONS[max(int(words[block.REASON]) for words in memory.blocks) or block.BY_CALLER]


class NativeWorkerSpace(Answered[bytes]):
    """The store as the worker that answered has left it: the path of its answer, and the rows on it."""

    def __init__(self, worker: WorkerMemory) -> None:
        self._worker = worker
        self.stack = worker.field("stack")
        self.found = worker.field("found")
        if worker.team.kinds["parent"].bits:
            self.parent = worker.field("parent")

    def named(self, numbers: Iterable[int]) -> tuple[bytes, ...]:
        """The rows of these states."""
        return tuple(map(self._worker.row, numbers))
