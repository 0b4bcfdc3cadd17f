"""A state of the system: memory, processes and channels, as plain values."""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol, TypeVar

from everafter.source import Place

NO_PROCESS = -1
"""The holder of a state in which any process may move."""


class Process(NamedTuple):
    """A process: what it runs, where it is, its local cells."""

    proctype: int
    node: int
    memory: tuple[int, ...]
    priority: int


class Channel(NamedTuple):
    """A channel: its type and the messages in it, oldest first."""

    type: int
    messages: tuple[tuple[int, ...], ...]


class State(NamedTuple):
    """A state between two steps.

    `holder` is the process in the middle of an atomic sequence, which alone may move, or NO_PROCESS; a holder can
    always move, for one that cannot has lost its atomicity. `last` is the process that moved last, kept only if the
    model asks for `_last`; `event` is the place of the trace assertion, if there is one.
    """

    memory: tuple[int, ...]
    processes: tuple[Process, ...]
    channels: tuple[Channel, ...]
    holder: int = NO_PROCESS
    last: int = 0
    event: int = 0


ProblemKind = Literal["assertion", "end-state", "runtime", "trace", "claim"]


class Problem(NamedTuple):
    """Something a model must not do, and where it did it."""

    kind: ProblemKind
    message: str
    place: Place


class RuntimeProblem(Exception):
    """A step that cannot be completed: the run ends here with an error."""

    def __init__(self, message: str, place: Place) -> None:
        super().__init__(message)
        self.problem = Problem("runtime", message, place)


class ReadableState(Protocol):
    """What evaluation reads: a State, or the Draft of the next one."""

    @property
    def memory(self) -> tuple[int, ...] | list[int]:
        """The global cells."""

    @property
    def processes(self) -> tuple[Process, ...] | list[Process]:
        """The processes alive, oldest first; a process's number is its position."""

    @property
    def channels(self) -> tuple[Channel, ...] | list[Channel]:
        """The channels, number 1 first."""

    @property
    def last(self) -> int:
        """The process that moved last."""


class Draft:
    """The next state while a step builds it. Memory and channels are those of the state before until they change."""

    __slots__ = (
        "before",
        "channels",
        "event",
        "handshake",
        "inside",
        "last",
        "memory",
        "output",
        "problem",
        "processes",
    )

    def __init__(self, state: State) -> None:
        self.before = state
        self.memory: tuple[int, ...] | list[int] = state.memory
        self.processes = list(state.processes)
        self.channels: tuple[Channel, ...] | list[Channel] = state.channels
        self.last = state.last
        self.event = state.event
        self.handshake: int | None = None
        """The rendezvous channel on which a message waits to be taken, within this very step."""
        self.problem: Problem | None = None
        self.output: tuple[str, ...] = ()
        self.inside: tuple[int, ...] = ()
        """The elements of the statements that were executed inside a d_step."""

    def copy(self) -> Draft:
        """Another draft, the same so far."""
        twin = Draft(self.before)
        twin.memory, twin.processes, twin.channels = self.memory[:], self.processes[:], self.channels[:]
        twin.last, twin.event = self.last, self.event
        twin.handshake, twin.problem, twin.output = self.handshake, self.problem, self.output
        twin.inside = self.inside
        return twin

    def report(self, problem: Problem) -> None:
        """Note a problem that does not stop the step; the first one counts."""
        if self.problem is None:
            self.problem = problem

    def move(self, number: int, node: int) -> None:
        """Put process `number` at the place of control `node`."""
        proctype, _, memory, priority = self.processes[number]
        self.processes[number] = Process(proctype, node, memory, priority)

    def write(self, cell: int, value: int) -> None:
        """Store `value`, already cut to its width, in the global cell `cell`."""
        memory = self.memory
        if isinstance(memory, tuple):
            memory = self.memory = list(memory)
        memory[cell] = value

    def write_local(self, number: int, cell: int, value: int) -> None:
        """Store `value`, already cut to its width, in the local cell `cell` of process `number`."""
        proctype, node, memory, priority = self.processes[number]
        memory = (*memory[:cell], value, *memory[cell + 1 :])
        self.processes[number] = Process(proctype, node, memory, priority)

    def changing_channels(self) -> list[Channel]:
        """The channels, to be changed."""
        channels = self.channels
        if isinstance(channels, tuple):
            channels = self.channels = list(channels)
        return channels

    def freeze(self, holder: int) -> State:
        """The finished state. What has not changed is shared with the state before, or a long run would fill memory."""
        before, memory, channels = self.before, self.memory, self.channels
        if isinstance(memory, list):
            memory = _shared(before.memory, memory)
        if isinstance(channels, list):
            channels = _shared(before.channels, channels)
        return State(memory, tuple(self.processes), channels, holder, self.last, self.event)


_T = TypeVar("_T")


def _shared(before: tuple[_T, ...], now: list[_T]) -> tuple[_T, ...]:
    """What is now; what was before, where it is the same."""
    after = tuple(now)
    return before if after == before else after
