"""A worker of a cluster: the states that it owns, and what it does with them, one call after the other."""

from __future__ import annotations

import ctypes
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from everafter.choices import StoreKind
from everafter.engine import block
from everafter.engine.cluster import worker_words as Job  # noqa: N812 # its words are constants
from everafter.engine.cluster.errors import ClusterError
from everafter.engine.cluster.partition import WHOLE_ROW, Partition
from everafter.engine.cluster.worker_file import restore, save
from everafter.engine.cluster.worker_memory import KEPT, KEPT_FOR_CYCLES, owned_memory
from everafter.engine.code.cache import cached
from everafter.engine.code.machine import Loaded, compile_text
from everafter.engine.emit.control_block import Word
from everafter.engine.emit.module import Code
from everafter.engine.memory.search_memory import FIRST_LINES, Memory
from everafter.engine.memory.stored_trees import EVERY_OTHER
from everafter.engine.run.kernel_code import Kernel, Tell, loaded, say_nothing, text_digest
from everafter.engine.run.search_outcome import REASONS, SearchEnding
from everafter.record import dataclass
from everafter.search.parallel.space import ORDERED
from everafter.search.space import ACTIVE, KNOWN, TARGET
from everafter.system import memory_size

if TYPE_CHECKING:
    import numpy

    MessageBatch = numpy.ndarray[tuple[int], numpy.dtype[numpy.uint8]]
    """Rows for one owner, each behind its parent; behind the last one a signal, and some bytes more."""

BATCH_BYTES: Final = 32 << 20
"""How many bytes of successors a worker gathers before it sends them: with n workers, each gets an n-th."""
Phase = Literal["gather", "gather again", "reach", "remove", "count", "stem"]
"""What a search for accepting cycles does next, once all rows are stored: see `trimming.py`."""
_KERNELS: Final[Mapping[Phase, tuple[str, int]]] = {
    "gather": ("gather", Job.EXPLORE),
    "gather again": ("gather", Job.EXPLORE),
    "reach": ("begin_reaching", Job.REACH),
    "remove": ("begin_removing", Job.REMOVE),
    "count": ("count_active", Job.REMOVE),
    "stem": ("begin_stem", Job.STEM),
}
Lister = Callable[[Memory], Iterator[Any]]
"""Makes something of the rows of a worker, part by part; it goes to where the worker is."""
_LEVEL: Final = 1
SHARE_OF_MEMORY: Final = 0.8
"""Of the memory of a machine, what its workers take where no limit is given."""
_OWNER: Final = 1 << Job.OWNER_SHIFT
NO_END: Final = sys.maxsize
"""Levels may be begun as long as there are any."""
THROUGH, HALTS, LEVEL = 1, 2, 4
"""What a signal is made of: whether the sender is through with a level, or all may stop, and which level it is."""


@dataclass(frozen=True, slots=True)
class JobDescription:
    """What all workers of a cluster get: the model's code, and how to search."""

    code: Code
    past_errors: bool = False
    """Whether a state in which something goes wrong has its successors all the same."""
    batch: int = BATCH_BYTES
    lines: int = FIRST_LINES
    """The size of the first hash table."""
    digest: str = ""
    """Of the text that the kernels are made of: all workers must have the same."""
    cycles: bool = False
    """Whether accepting cycles are looked for, once all states are stored."""
    weak: bool = False
    """Whether these are known to be among the states in which the claim is in an accepting state."""
    ranks: bool = False
    """Whether each state keeps when it was known to be on no accepting cycle, from which ranks follow."""
    partition: Partition | None = None
    """The partition function of all workers; None until it is chosen, when the search begins."""
    store: StoreKind = "plain"
    """Whether rows are kept as they are or as trees."""
    halves: tuple[int, int] = (EVERY_OTHER, 0)
    """Of a tree, which words are in the left half, and how many words most rows have: chosen as the owners are."""


@dataclass(frozen=True, slots=True)
class Part:
    """What a checkpoint has of one worker: a file at a place, and its digest."""

    place: str
    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class Report:
    """How far a worker has come."""

    place: int
    states: int
    rows: int
    transitions: int
    expansions: int
    entered: int
    bytes: int
    seconds: float
    """Processor time of its kernels."""
    is_through: bool
    """Whether it has expanded its part of the level."""
    is_idle: bool
    """Whether it has no row that is not expanded."""
    found: int
    """A row of its own that leads to a violation, 0 without one."""
    sent: int = 0
    """Rows sent to others."""
    sent_bytes: int = 0
    batches: int = 0
    """How many message batches they were in."""
    memory: int = 0
    """The bytes that it may take."""
    machine: str = ""
    """The name of the machine it is on."""
    stopped: SearchEnding | None = None
    """Why it cannot go on, if it cannot."""
    due: int = 0
    """How many rows were to be expanded since the last phase: without one, all."""
    done: int = 0
    """How many of them were."""
    active: int = 0
    """How many rows may be on an accepting cycle, as was known at the last phase."""
    first_active: int = 0
    """One of them, 0 without one."""

    @property
    def searched(self) -> int:
        """States that were searched from, as in SearchFigures."""
        return min(self.states, self.entered)


@dataclass(frozen=True, slots=True)
class MessageCounters:
    """What a worker has sent to, and taken in from, each worker: how many rows, and the sum of their marks."""

    report: Report
    sent: tuple[tuple[int, int], ...]
    taken: tuple[tuple[int, int], ...]
    partition: str = ""
    """Its partition function, by its digest."""
    complete: int = 0
    """How many levels are complete since the start, or the last phase: all have expanded what they own of these, and it
    has taken in what it was sent."""
    waits: bool = False
    """Whether it is not to begin the next one yet."""


class ClusterWorker:
    """One worker. Nothing is done before `start`; `close` gives all memory back.

    Workers agree without a coordinator when a level is complete: each message batch carries a signal, whether its
    sender has expanded all that it owns of the level. All take in the batches of the same parts in a step.
    """

    _is_halted: bool

    def start(
        self,
        description: JobDescription,
        place: int,
        workers: int,
        memory: int,
        part: Part | None = None,
        tell: Tell = say_nothing,
    ) -> Report:
        """Make the code of the `description`, and store the initial states that are this worker's, or its `part` of a
        checkpoint.

        It is worker `place` of `workers`, and may take `memory` bytes; `tell` takes a message when kernels are built.
        What is not expanded of these states is the next level.
        """
        if description.digest not in ("", text_digest()):
            raise ClusterError("a worker has another version of everafter")
        self._kernels = kernels(tell, description.store)
        self._model = model_code(description)
        self._control = ctypes.create_string_buffer(description.code.control_size)
        ctypes.c_int64.from_buffer(self._control, Word.PAST_ERRORS).value = int(description.past_errors)
        self.place = place
        self.workers = workers
        kept = KEPT_FOR_CYCLES if description.cycles else KEPT
        self.memory = owned_memory(description.store, kept, memory, description.lines, description.halves)
        try:
            self.memory.lay_out_batches(place, workers, description.batch, description.partition or WHOLE_ROW)
        except BaseException:
            self.close()
            raise
        self._candidates = ORDERED if description.weak and not description.ranks else KNOWN
        self._keeps_ranks = description.ranks
        self._time = 0
        self._listed: Iterator[Any] | None = None
        for index, value in (
            (block.REBUILD, self._kernels.address("rebuild") if description.store == "tree" else 0),
            (block.EXPAND, self._model.address("expand")),
            (block.INITIAL, self._model.address("initial")),
            (block.CONTROL, ctypes.addressof(self._control)),
        ):
            self.memory.words[index] = value
        self.seconds = 0.0
        self._sent = self._sent_bytes = self._batches = 0
        self._stopped: SearchEnding | None = None
        self._await_level()
        if part is None:
            self._call("begin")
        else:
            try:
                restore(self.memory, workers, part.place, part.name, part.digest)
                self._refuse(self._call("restore_table"), place)
            except BaseException:
                self.close()
                raise
        return self.report()

    def save(self, place: str) -> Part:
        """Write all that it owns to a file at `place`, between two levels."""
        name = f"worker-{self.place}.rows"
        try:
            return Part(place, name, save(self.memory, self.workers, place, name))
        except OSError as error:
            raise ClusterError(f"no checkpoint can be written to {place}: {error.strerror or error}") from error

    def take_in(self, batches: Sequence[MessageBatch] = (), until: int = NO_END) -> MessageCounters:
        """Store the rows of `batches` that are new: a message batch from each worker, of some parts; return the
        counters.

        If the level is complete then, `expand` begins the next one, but none behind `until`.
        """
        for number, batch in enumerate(batches):
            sender = number % self.workers
            size = batch.size - Job.PADDING
            self._refuse(Job.TORN if size < 0 else 0, sender)
            if size and not self._stopped:
                self._refuse(self._call("take_in", batch.ctypes.data, size, sender), sender)
            signal = int(batch[size : size + Job.SIGNAL_BYTES].view("int64")[0])
            self._through[sender] = signal // LEVEL - (not signal & THROUGH)
            self._is_halted = self._is_halted or bool(signal & HALTS)
        self._until = until
        return self._counters()

    def expand(self) -> list[MessageBatch]:
        """Expand some rows of the level, or of the next one; return what is sent to each worker.

        It is there until this is called again. Once a worker has found something, or cannot go on, none expands any
        more.
        """
        import numpy  # noqa: PLC0415 # only workers need it

        if self._complete == self._level < self._until and not self._is_halted:
            self._level += 1
            self._advance()
        count = 0 if self._is_halted or self._stopped else self._call("expand_part")
        self._refuse(count, self.place)
        if count <= 0:
            return [numpy.full(Job.PADDING >> 3, self._signal, numpy.int64).view(numpy.uint8)] * self.workers
        batches: list[MessageBatch] = []
        starts = self.memory.starts[: 3 * self.workers].tolist()
        for begin, end in zip(starts[::3], starts[1::3], strict=True):
            area = (ctypes.c_uint8 * (end - begin + Job.PADDING)).from_address(self.memory.batches.address + begin)
            batch = numpy.frombuffer(memoryview(area), numpy.uint8)
            batch[end - begin :].view(numpy.int64)[0] = self._signal
            batches.append(batch)
            self._sent_bytes += end - begin
            self._batches += end > begin
        self._sent += count
        return batches

    @property
    def _signal(self) -> int:
        """How far it has come, for all others: the level, and whether it is through with it, or all may stop."""
        halts = self._is_halted or self._stopped is not None or bool(self.memory.job[Job.FOUND])
        return self._level * LEVEL | self._is_through * THROUGH | halts * HALTS

    @property
    def _is_through(self) -> bool:
        return bool(self.memory.job[Job.NEXT] >= self.memory.job[Job.LEVEL_END])

    @property
    def _complete(self) -> int:
        """How many levels are complete."""
        return min(self._level, *self._through)

    def _await_level(self) -> None:
        """Count levels from here on."""
        self._level = 0
        self._through = [0] * self.workers
        self._until = NO_END
        self._is_halted = False

    def _refuse(self, result: int, sender: int) -> None:
        if result in _WRONG:
            raise ClusterError(f"worker {self.place} was sent {_WRONG[result]} by worker {sender}")

    def phase(self, phase: Phase, targets: Sequence[int] = (), time: int = 0) -> Report:
        """Do what `phase` says with all rows; those then due are the next level. The stem leads to `targets`.

        Rows that leave in the phase do so behind this `time`, later in each level.
        """
        colours = self.memory.field("colour")
        for target in targets:
            colours[target] |= TARGET
        kernel, mode = _KERNELS[phase]
        job = self.memory.job
        job[Job.MODE], job[Job.NEXT], job[Job.LEVEL_END] = mode, 0, 0
        self._await_level()
        self._time = time if self._keeps_ranks else 0
        argument = {"gather": self._candidates, "gather again": ACTIVE}.get(phase, self._time)
        self._refuse(self._call(kernel, argument), self.place)
        return self.report()

    def _advance(self) -> None:
        """The rows that are not expanded become the level."""
        job = self.memory.job
        if self._explores:
            job[Job.NEXT] = self.memory.behind(int(job[Job.LEVEL_END]))
            job[Job.LEVEL_END] = self.memory.end
        else:
            job[Job.LEVEL_END] = job[Job.TAIL]
            if self._time and job[Job.MODE] == Job.REMOVE:
                self._call("note_leaving", self._time + self._level)

    @property
    def _explores(self) -> bool:
        return bool(self.memory.job[Job.MODE] == Job.EXPLORE)

    def report(self) -> Report:
        """Return how far the worker has come."""
        words, job = self.memory.words, self.memory.job
        explores, active = self._explores, int(words[block.COMPONENT_HEIGHT])
        due, done, end = (
            (words[block.ROWS], words[block.EXPANSIONS], self.memory.end)
            if explores
            else (job[Job.TAIL], job[Job.VISITS], job[Job.TAIL])
        )
        return Report(
            self.place,
            int(words[block.STATES]),
            int(words[block.ROWS]),
            int(words[block.TRANSITIONS]),
            int(words[block.EXPANSIONS]),
            int(words[block.ENTERED]),
            self.memory.bytes_in_use,
            self.seconds,
            self._is_through,
            bool(job[Job.NEXT] >= end),
            int(job[Job.FOUND]),
            self._sent,
            self._sent_bytes,
            self._batches,
            self.memory.limit,
            socket.gethostname(),
            self._stopped,
            int(due),
            int(done),
            active,
            int(self.memory.field("component")[0]) if active else 0,
        )

    def _counters(self) -> MessageCounters:
        """All that it has sent and taken in."""
        listed = (words[: 2 * self.workers].tolist() for words in (self.memory.sent, self.memory.taken))
        sent, taken = (tuple(zip(numbers[::2], numbers[1::2], strict=True)) for numbers in listed)
        complete = self._complete
        waits = complete == self._level >= self._until
        return MessageCounters(self.report(), sent, taken, self.memory.partition.digest, complete, waits)

    def row(self, number: int) -> tuple[bytes, int, int]:
        """Return the row `number`, its colour set to 0, and its parent's owner and number: -1 without one."""
        parent = int(self.memory.field("parent")[number])
        return self.memory.row(number), *((-1, -1) if parent < 0 else divmod(parent, _OWNER))

    def listed(self, lister: Lister) -> Any:
        """Return the next part of what `lister` makes of the rows once the search is complete, None behind the last."""
        if self._listed is None:
            self._listed = lister(self.memory)
        return next(self._listed, None)

    def close(self) -> None:
        """Give all memory back."""
        self.memory.close()

    def _call(self, name: str, address: int = 0, size: int = 0, sender: int = 0) -> int:
        function = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 6)(self._kernels.address(name))
        begin = time.thread_time()
        result = int(function(self.memory.block_area.address, self.memory.job_area.address, address, size, sender))
        self.seconds += time.thread_time() - begin
        if result == _NO_ROOM:
            self._stopped = REASONS[self.memory.words[block.REASON]]
        return result


_NO_ROOM: Final = -1
_WRONG: Final = {
    Job.TORN: "half a row",
    Job.STRAY: "a row that another worker owns",
    Job.UNKNOWN: "a row that nobody has stored",
}


def model_code(description: JobDescription) -> Loaded:
    """Return the code of the model of the `description`, made if it is not in the cache."""
    text = description.code.text
    return Loaded(cached(f"model\n{_LEVEL}\n{text}", lambda: compile_text(text, _LEVEL)))


def kernels(tell: Tell = say_nothing, store: StoreKind = "plain") -> Loaded:
    """Return the kernels of a worker with this `store`; `tell` gets a message if they have to be built."""
    return loaded(cluster_kernel(store), tell)


def cluster_kernel(store: StoreKind = "plain") -> Kernel:
    """Return what the kernels of a worker with this `store` are made of."""

    def build() -> str:
        from everafter.engine.cluster.worker_kernels import cluster_entries  # noqa: PLC0415 # Numba is needed only here
        from everafter.engine.code.compiler import object_text  # noqa: PLC0415

        return object_text(cluster_entries(store))

    return Kernel(f"{store} cluster", build)


def usable_memory() -> int:
    """The bytes that all workers on this machine may take together."""
    return int(memory_size() * SHARE_OF_MEMORY)
