"""A search on native code: one model, one store, a thread for each worker; a worker alone is a team of one.

    search = NativeSearch(ALONE["schwoon-esparza"], expand, initial, [control], memory=4 << 30)
    outcome = search.run(lambda figures: False)      # called some ten times a second; True stops the search

There are as many workers as `controls`: each hands its own to the model's code, which must not keep anything elsewhere.
`expand` and `initial` are addresses of machine code:

    int64_t expand(const void *row, void *out, int64_t *control)
    int64_t initial(void *out, int64_t *control)

They write the rows of the successors, or of the initial states, one directly behind the other at `out`, and return how
many; a negative number says that the model failed. Rows are as everafter.engine.store describes them; byte 0 is the
colour that a new state starts with: KNOWN, and ACCEPTING or TARGET of everafter.search.space where it applies. What
they write must be the same each time and less than 256 MiB; they may write 256 bytes more behind the last row.

`outcome.answer` is a path (a tuple of rows) where the algorithm asks what is reachable, else a `Lasso` of rows; byte 0
of these rows is 0. A search is COMPLETED only when every worker has completed; where workers search alone, when one
has. All memory of the search is given back before `run` returns.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from everafter.choices import StoreKind
from everafter.engine import block
from everafter.engine.block import MOST_WORKERS, Team
from everafter.engine.checkpoint.folder import Generations
from everafter.engine.checkpoint.keeper import Keeper
from everafter.engine.checkpoint.team_keeper import TeamKeeper
from everafter.engine.code.machine import Loaded
from everafter.engine.columns import fields_for, width_within
from everafter.engine.memory.disk import Disk
from everafter.engine.memory.lossy_memory import CompactMemory, LossyMemory
from everafter.engine.memory.packed_memory import PackedMemory, PackingFunctions, width_of
from everafter.engine.memory.search_memory import Memory, WorkerMemory
from everafter.engine.memory.stored_trees import EVERY_OTHER
from everafter.engine.memory.tree_memory import TreeMemory
from everafter.engine.run.kernel_code import Tell, say_nothing, search_code, store_code
from everafter.engine.run.model_object import ModelObject
from everafter.engine.run.search_outcome import REASONS, SearchEnding, SearchFigures, SearchOutcome
from everafter.engine.run.search_threads import Observe, Work
from everafter.engine.run.spill import Spill
from everafter.engine.run.violation_path import ViolationPath
from everafter.record import replace
from everafter.search.algorithm import Algorithm
from everafter.search.meter import Statistics, Stopped
from everafter.search.space import ANSWERED, COMPLETED, STOPPED, UNDECIDED, Searched

MEMORIES: Mapping[StoreKind, Callable[..., Memory]] = {
    "plain": Memory,
    "tree": TreeMemory,
    "packed": PackedMemory,
    "bitstate": LossyMemory,
    "compact": CompactMemory,
}
FUNCTIONS: Mapping[int, str] = {block.SUCCESSORS: "successors", block.SUCCESSORS_OF_ALL: "successors_of_all"}
OWN: Mapping[StoreKind, Mapping[int, str]] = {
    "tree": {block.REBUILD: "rebuild"},
    "packed": {block.COLOUR_OF: "colour_of", block.PUT_COLOUR: "put_colour"},
}
"""What only these stores have: the words of the block that say where functions are, and their names."""
ONLY_TEAM: Mapping[int, str] = {block.PAUSE: "pause", block.LEAVE: "leave", block.GIVE: "give", block.TAKE: "take"}


class NativeSearch:
    """One search of one model; `run` may be called again and starts anew.

    `memory` limits the bytes that rows, hash table and stacks of all workers take together. `tell` is given a line of
    text when code must be built first. `kind`: whether rows are kept plainly, as trees, or only while they are needed
    (by a depth-first search). Where they are kept as trees, `split` says which words are in the left half of a row, and
    `usual_words` how many words most rows have, if that is known; where they are packed, `packing` has the functions
    that do so. The workers of a team meet successors in orders of
    their own, which another `seed` changes; the verdict does not depend on it. `keeping`: also what the algorithm
    writes and does not read is kept, for `conclude`. `store`, another store's code, and `lines`, the size of its first
    hash table, are for tests.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        expand: int,
        initial: int,
        controls: Sequence[int],
        memory: int,
        tell: Tell = say_nothing,
        seed: int = 0,
        lines: int = 0,
        store: Loaded | None = None,
        keeping: bool = False,
        kind: StoreKind = "plain",
        packing: PackingFunctions | None = None,
    ) -> None:
        self.algorithm = algorithm.keeping() if keeping else algorithm
        self.model = {block.EXPAND: expand, block.INITIAL: initial}
        self.controls = controls
        self.limit = memory
        self.seed = seed * MOST_WORKERS  # no worker has the order of another seed's
        self.lines = lines
        self.kind: StoreKind = kind
        self.notes: Sequence[memoryview] = ()
        """What the model's code notes beside the search, for each worker, for checkpoints."""
        self.code: ModelObject | None = None
        """The model's code, where it may become better during a search."""
        self.split = EVERY_OTHER
        self.usual_words = 0
        self.packing = packing
        width = width_within(memory, kind) if packing is None else width_of(packing)
        self._store = store or store_code(self.algorithm, width, tell, kind)
        self._search = search_code(self.algorithm, width, tell, kind)

    def run(
        self,
        observe: Observe = lambda _: False,
        interval: float = 0.1,
        conclude: Callable[[Memory], None] | None = None,
        checkpoints: Generations | None = None,
        disk: Disk | None = None,
        tell: Tell = say_nothing,
    ) -> SearchOutcome:
        """Search, in threads of its own, and meanwhile call `observe` every `interval` seconds.

        The search stops when `observe` returns True, or raises anything (which is raised again when it has stopped).
        `conclude` is shown the memory of a search that is complete, before it is given back. With `checkpoints` the
        search goes on from the last one, if there is one, and writes others, also when it is stopped.
        With a `disk`, stacks go there when memory is short, which `tell` says. Once an answer is met, `observe` may
        still end the search for the way to it, in figures that stay as they were then.
        """
        with self._memory() as memory:
            self._fill_blocks(memory)
            keeper = _keeper(checkpoints, memory, self.notes)
            spill = Spill(memory, disk, tell) if disk is not None else None
            goes_on = keeper is not None and keeper.go_on()
            if goes_on and spill is not None and spill.is_due:
                spill.move_now()
            work = Work(self.algorithm, memory, self._jobs(memory, goes_on))
            work.code = self.code
            if keeper is not None and not isinstance(keeper, TeamKeeper):
                _watch(work, keeper, spill, observe, interval)
            elif goes_on or not memory.is_team or self._begin(memory):
                work.spill = spill
                if keeper is None:
                    work.watch(observe, interval)
                else:
                    work = _watch_team(work, keeper, observe, interval)
            outcome = self._outcome(work, memory, observe, interval)
            if conclude is not None and outcome.ending is SearchEnding.COMPLETED:
                conclude(memory)
            return outcome

    def _memory(self) -> Memory:
        """The memory that the search needs."""
        own: tuple[object, ...] = (self.split, self.usual_words) if self.kind == "tree" else ()
        if self.kind == "packed":
            own = (self.packing,)
        return MEMORIES[self.kind](self.algorithm, self.limit, len(self.controls), self.lines, *own)

    def _fill_blocks(self, memory: Memory) -> None:
        """Let the block of each worker name the code that it calls."""
        names = {**FUNCTIONS, **OWN.get(self.kind, {}), **(ONLY_TEAM if memory.is_team else {})}
        functions = {index: self._store.address(name) for index, name in names.items()}
        for words, control in zip(memory.blocks, self.controls, strict=False):  # fewer blocks where little fits
            settings = {block.CONTROL: control, block.SEED: self.seed}
            for index, value in (functions | self.model | settings).items():
                words[index] = value

    def _jobs(self, memory: Memory, goes_on: bool) -> list[Callable[[], int]]:
        """What each worker does; one alone first stores the initial states, unless the search goes on."""
        blocks = [worker.block_area.address for worker in memory.workers]
        if memory.is_team:
            search = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 2)(self._search.address("search"))
            return [partial(search, each) for each in blocks]
        search_alone = self._search_alone()
        if goes_on:
            return [partial(search_alone, blocks[0], block.NO_NODE, 0)]
        return [lambda: search_alone(blocks[0], block.NO_NODE, 0) if self._listed(blocks[0]) else STOPPED]

    def _search_alone(self) -> Callable[[int, int, int], int]:
        """The code of a search by one worker."""
        return ctypes.CFUNCTYPE(*[ctypes.c_int64] * 4)(self._search.address("search"))

    def _begin(self, memory: Memory) -> bool:
        """Store the initial states, for all workers of a team."""
        memory.words[Team.ACTIVE] = 1  # if the hash table must grow now, nobody else will come
        listed = self._listed(memory.workers[0].block_area.address)
        memory.words[Team.ACTIVE] = len(memory.workers)
        memory.share_initial()
        return listed

    def _listed(self, address: int) -> bool:
        """Store the initial states by the worker with the block at the address; false if the search is to end."""
        successors = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 5)(self._store.address("successors"))
        return bool(successors(address, block.NO_NODE, 0, 0) >= 0)

    def _outcome(self, work: Work, memory: Memory, observe: Observe, interval: float) -> SearchOutcome:
        """How the search ended; answered, if a worker has: whatever others came to, its answer is one."""
        finder = next(
            (each for each, outcome in zip(memory.workers, work.outcomes, strict=True) if outcome == ANSWERED), None
        )
        code = min(int(words[block.MODEL_CODE]) for words in memory.blocks)
        ending = self._ending(work, memory) if finder is None else SearchEnding.ANSWERED
        outcome = SearchOutcome(ending, work.figures(), None, code, memory.limit, len(memory.workers))
        if finder is None:
            return outcome
        met = replace(outcome.figures, has_met=True)
        if not self.algorithm.gives_path:
            way = ViolationPath(self.algorithm, memory, finder, self._search)
            return way.outcome(outcome, work.is_enough, lambda: observe(met), interval)
        space = NativeSpace(finder, self._search_alone(), lambda: observe(met), interval)
        before = finder.words[block.EXPANSIONS]
        try:
            outcome = replace(outcome, answer=self.algorithm.explain(space))
        except Stopped:
            outcome = replace(outcome, cut=SearchEnding.STOPPED_BY_CALLER)
        return replace(outcome, expansions=int(finder.words[block.EXPANSIONS] - before))

    def _ending(self, work: Work, memory: Memory) -> SearchEnding:
        """How the search ended that no worker has answered."""
        if UNDECIDED in work.outcomes:
            return SearchEnding.UNDECIDED
        completed = [outcome == COMPLETED for outcome in work.outcomes]
        if all(completed) or (self.algorithm.one_suffices and any(completed)):
            return SearchEnding.COMPLETED
        return REASONS[max(int(words[block.REASON]) for words in memory.blocks) or block.BY_CALLER]


def _keeper(checkpoints: Generations | None, memory: Memory, notes: Sequence[memoryview]) -> Keeper | TeamKeeper | None:
    """Who writes the checkpoints of a search, if there are to be some."""
    if checkpoints is None:
        return None
    return TeamKeeper(checkpoints, memory, notes) if memory.is_team else Keeper(checkpoints, memory, notes)


def _watch_team(work: Work, keeper: TeamKeeper, observe: Observe, interval: float) -> Work:
    """Watch a team to its end, which is interrupted for each checkpoint; return the last part of its work."""

    def observe_and_look(figures: SearchFigures) -> bool:
        is_enough = observe(figures)
        if not is_enough:
            keeper.look()
        return is_enough

    while True:
        work.seconds_before = keeper.seconds
        keeper.begin()
        try:
            work.watch(observe_and_look, interval)
        except BaseException:
            keeper.gather()
            keeper.save(sum(work.seconds))
            raise
        if ANSWERED in work.outcomes or STOPPED not in work.outcomes:
            return work
        keeper.gather()
        if work.is_enough or not keeper.is_interrupted:
            keeper.save(sum(work.seconds))
            return work
        keeper.save(sum(work.seconds), partial(observe, work.figures()))
        keeper.seconds += sum(work.seconds)
        again = Work(work.algorithm, work.memory, work.jobs)
        again.spill, again.code, work = work.spill, work.code, again


def _watch(work: Work, keeper: Keeper, spill: Spill | None, observe: Observe, interval: float) -> None:
    """Watch the search to its end, and let checkpoints be written.

    Raises CheckpointError if the search has not come to where another one was.
    """
    work.seconds_before, work.levels_before = keeper.seconds, keeper.levels_before

    def observe_and_keep(figures: SearchFigures) -> bool:
        is_enough = observe(figures)
        if not is_enough:
            keeper.look()
            if keeper.is_there:
                work.spill = spill  # not before: until then the store's functions are others already
        return is_enough

    try:
        work.watch(observe_and_keep, interval)
    except BaseException:
        keeper.save_at_end(sum(work.seconds))
        raise
    is_stopped = work.outcomes == [STOPPED]
    keeper.check_arrival(is_stopped)
    if is_stopped:
        keeper.save_at_end(sum(work.seconds))


class NativeSpace(Searched[bytes]):
    """The store as the worker that answered has left it, for the code that explains the answer.

    When that begins to search, and every `interval` seconds, it calls `is_enough`, and raises Stopped if that is true.
    Only a worker alone searches for an explanation, by `search`.
    """

    def __init__(
        self,
        worker: WorkerMemory,
        search: Callable[[int, int, int], int],
        is_enough: Callable[[], bool] = lambda: False,
        interval: float = 1.0,
    ) -> None:
        self._worker = worker
        self._search = search
        self._is_enough = is_enough
        self._interval = interval
        self._next = 0.0
        for name in fields_for(worker.memory.algorithm):
            setattr(self, name, worker.field(name))
        self.initial = [int(node) for node in worker.field("initial")[: int(worker.words[block.INITIAL_ROWS])]]
        worker.words[block.STOP] = 0
        worker.words[block.LIMIT_BYTES] = 1 << 62

    def expand(self, node: int, depth: int) -> bool:
        """Write the successors of the node into frame `depth`."""
        if time.monotonic() > self._next:
            if self._is_enough():
                raise Stopped(Statistics(0, 0, 0))
            self._next = time.monotonic() + self._interval
        return bool(self._search(self._worker.block_area.address, node, depth))

    def answered(self, outcome: int) -> bool:
        """Whether an explaining search found what it looked for: what it visits was visited before."""
        if outcome != ANSWERED:
            raise RuntimeError(f"the search answered, but cannot be explained (outcome {outcome})")
        return True

    def named(self, numbers: Iterable[int]) -> tuple[bytes, ...]:
        """The rows of these states."""
        return tuple(map(self._worker.row, numbers))
