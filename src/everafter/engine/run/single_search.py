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
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial

from everafter.engine import block
from everafter.engine.checkpoint.folder import Generations
from everafter.engine.checkpoint.keeper import Keeper
from everafter.engine.code.machine import Loaded
from everafter.engine.columns import LOSSY, StoreKind, width_within
from everafter.engine.memory.disk import Disk
from everafter.engine.memory.lossy_memory import BitMemory, CompactMemory
from everafter.engine.memory.packed_memory import PackedMemory, PackingFunctions, width_of
from everafter.engine.memory.single_memory import FIRST_LINES, Memory
from everafter.engine.memory.stored_trees import EVERY_OTHER
from everafter.engine.memory.tree_memory import TreeMemory
from everafter.engine.run.kernel_code import Tell, say_nothing, search_code, store_code
from everafter.engine.run.model_object import ModelObject
from everafter.engine.run.search_outcome import REASONS, SearchEnding, SearchFigures, SearchOutcome
from everafter.engine.run.search_threads import Observe, Work
from everafter.engine.run.spill import Spill
from everafter.engine.run.violation_path import ViolationPath
from everafter.search.catalogue import ALONE
from everafter.search.meter import Statistics, Stopped
from everafter.search.space import ANSWERED, COMPLETED, STOPPED, Searched

MEMORIES: Mapping[StoreKind, Callable[..., Memory]] = {
    "plain": Memory,
    "tree": TreeMemory,
    "packed": PackedMemory,
    "bitstate": BitMemory,
    "compact": CompactMemory,
}
FUNCTIONS = {block.SUCCESSORS: "successors", block.SUCCESSORS_OF_ALL: "successors_of_all"}


ONLY_TREE = {block.REBUILD: "rebuild"}
ONLY_PACKED = {block.COLOUR_OF: "colour_of", block.PUT_COLOUR: "put_colour"}
OWN: Mapping[StoreKind, dict[int, str]] = {"tree": ONLY_TREE, "packed": ONLY_PACKED}
"""What only these stores have: the words of the block that say where functions are, and their names."""


class NativeSearch:
    """One search of one model; `run` may be called again and starts anew.

    `memory` limits rows, hash table and stacks together, in bytes. `tell` is given a line of text when code must be
    built first. `store` may be another store's object code, and `lines` the size of its first hash table: for tests.
    `kind`: whether rows are kept plainly, as trees, or only while they are needed (by a depth-first search). Where they
    are kept as trees, `split` says which words are in the left half of a row, and `usual_words` how many words most
    rows have, if that is known; where they are packed, `packing` has the functions that do so.
    `keeping`: also what the algorithm writes and does not read is kept, for `conclude`.
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
        keeping: bool = False,
        kind: StoreKind = "plain",
        packing: PackingFunctions | None = None,
    ) -> None:
        self.algorithm = ALONE[algorithm].keeping() if keeping else ALONE[algorithm]
        self.model = {block.EXPAND: expand, block.INITIAL: initial, block.CONTROL: control}
        self.limit = memory
        self.lines = lines
        self.kind: StoreKind = kind
        self.notes: memoryview | None = None
        """What the model's code notes beside the search, for checkpoints."""
        self.code: ModelObject | None = None
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
        """Search, in a thread of its own, and meanwhile call `observe` every `interval` seconds.

        The search stops when `observe` returns True, or raises anything (which is raised again when it has stopped).
        `conclude` is shown the memory of a search that is complete, before it is given back. With `checkpoints` the
        search goes on from the last one, if there is one, and writes others, also when it is stopped. With a `disk`,
        stacks go there when memory is short, which `tell` says. Once an answer is met, `observe` may still end the
        search for the way to it, in figures that stay as they were then.
        """
        with self._memory() as memory:
            names = FUNCTIONS | OWN.get(self.kind, {})
            functions = {index: self._store.address(name) for index, name in names.items()}
            for index, value in (functions | self.model).items():
                memory.words[index] = value
            search = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 4)(self._search.address("search"))
            keeper = Keeper(checkpoints, memory, self.notes) if checkpoints is not None else None
            spill = Spill(memory, disk, tell) if disk is not None and self.kind not in LOSSY else None
            begin = self._store.address("successors")
            jobs: list[Callable[[], int]] = [partial(_searched, search, memory.block_area.address, begin)]
            if keeper is not None and keeper.go_on():
                jobs = [partial(search, memory.block_area.address, block.NO_NODE, 0)]
                if spill is not None and spill.is_due:
                    spill.move_now()
            work = Work(self.algorithm, memory, jobs)
            work.code = self.code
            if keeper is None:
                work.spill = spill
            _watch(work, keeper, spill, observe, interval)
            outcome = self._outcome(work, memory, search)
            if outcome.ending is SearchEnding.ANSWERED:
                outcome = self._shown(outcome, work, memory, search, observe, interval)
            if conclude is not None and outcome.ending is SearchEnding.COMPLETED:
                conclude(memory)
            return outcome

    def _memory(self) -> Memory:
        """The memory that the search needs."""
        own: tuple[object, ...] = (self.split, self.usual_words) if self.kind == "tree" else ()
        if self.kind == "packed":
            own = (self.packing,)
        return MEMORIES[self.kind](self.algorithm, self.limit, self.lines, *own)

    def _outcome(self, work: Work, memory: Memory, search: Callable[..., int]) -> SearchOutcome:
        figures, (outcome,) = work.figures(), work.outcomes
        code, ending = int(memory.words[block.MODEL_CODE]), SearchEnding.COMPLETED
        if outcome == STOPPED:
            ending = REASONS[memory.words[block.REASON]]
        elif outcome != COMPLETED:
            ending = SearchEnding.ANSWERED
        return SearchOutcome(ending, figures, None, code, memory.limit)

    def _shown(
        self,
        outcome: SearchOutcome,
        work: Work,
        memory: Memory,
        search: Callable[..., int],
        observe: Observe,
        interval: float,
    ) -> SearchOutcome:
        """The outcome with its answer, or with what has cut the search for it."""
        met = replace(outcome.figures, has_met=True)
        if not self.algorithm.gives_path:
            way = ViolationPath(self.algorithm, memory, memory, self._search)
            return way.outcome(outcome, work.is_enough, lambda: observe(met), interval)
        space = NativeSpace(memory, search, lambda: observe(met), interval)
        before = memory.words[block.EXPANSIONS]
        try:
            outcome = replace(outcome, answer=self.algorithm.explain(space))
        except Stopped:
            outcome = replace(outcome, cut=SearchEnding.STOPPED_BY_CALLER)
        return replace(outcome, expansions=int(memory.words[block.EXPANSIONS] - before))


def _watch(work: Work, keeper: Keeper | None, spill: Spill | None, observe: Observe, interval: float) -> None:
    """Watch the search to its end, and let checkpoints be written.

    Raises CheckpointError if the search has not come to where another one was.
    """
    if keeper is None:
        work.watch(observe, interval)
        return
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


def _searched(search: Callable[..., int], address: int, successors: int) -> int:
    """Store the initial states, and search from them."""
    listed = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 5)(successors)(address, block.NO_NODE, 0, 0)
    return int(search(address, block.NO_NODE, 0)) if listed >= 0 else STOPPED


class NativeSpace(Searched[bytes]):
    """The native store after a search that answered, for the code that explains the answer.

    When it begins to search, and every `interval` seconds, it calls `is_enough`, and raises Stopped if that is true.
    """

    def __init__(
        self,
        memory: Memory,
        search: Callable[..., int],
        is_enough: Callable[[], bool] = lambda: False,
        interval: float = 1.0,
    ) -> None:
        self._memory = memory
        self._search = search
        self._is_enough = is_enough
        self._interval = interval
        self._next = 0.0
        for name in block.FIELDS:
            setattr(self, name, memory.field(name))
        self.initial = [int(node) for node in memory.field("initial")[: memory.words[block.INITIAL_ROWS]]]
        memory.words[block.STOP] = 0
        memory.words[block.LIMIT_BYTES] = 1 << 62

    def expand(self, node: int, depth: int) -> bool:
        """Write the successors of the node into frame `depth`."""
        if time.monotonic() > self._next:
            if self._is_enough():
                raise Stopped(Statistics(0, 0, 0))
            self._next = time.monotonic() + self._interval
        return bool(self._search(self._memory.block_area.address, node, depth))

    def answered(self, outcome: int) -> bool:
        """Whether an explaining search found what it looked for: what it visits was visited before."""
        if outcome != ANSWERED:
            raise RuntimeError(f"the search answered, but cannot be explained (outcome {outcome})")
        return True

    def named(self, numbers: Iterable[int]) -> tuple[bytes, ...]:
        """The rows of these states."""
        return tuple(map(self._memory.row, numbers))
