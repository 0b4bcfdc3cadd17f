"""What a backend came to: how the search ended, how far it went, and the run it found."""

from __future__ import annotations

from enum import Enum

from everafter.execution.run import Run
from everafter.program.sites import Reached
from everafter.record import dataclass
from everafter.source import EverafterError


class Ending(Enum):
    """How a search ended."""

    COMPLETED = "completed"
    """All that had to be searched was, and nothing was found."""
    FOUND = "found"
    """There is a run; it must still be judged."""
    STOPPED = "stopped"
    """A limit was reached, or the search cannot go on."""
    INTERRUPTED = "interrupted"
    """The user wants the whole check to end."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The size of a search and what it took."""

    states: int = 0
    """Distinct states that were searched from; those that wait when a search ends do not count."""
    transitions: int = 0
    depth: int = 0
    """The states on the longest path that the search had in hand; 0 where it has no paths."""
    bytes_per_state: float = 0.0
    search_seconds: float = 0.0
    """Processor time of the search alone."""
    compile_seconds: float = 0.0
    """Processor time to make, or find, the model's machine code."""
    disk_bytes: int = 0
    """Bytes of stacks, queues and parents that were on disk at the end, since memory was short."""
    visited: float | None = None
    """Of a search that forgets states and came to its end, an estimate of the share of states that it has visited."""


@dataclass(frozen=True, slots=True)
class Method:
    """Who searched, and how."""

    engine: str = ""
    algorithm: str = ""
    threads: int = 1
    reduction: str = "none"
    unreduced: str = ""
    """Why all steps were taken, if reduction was wanted."""
    erased: bool = False
    """Whether variables that are not read again are zero in states."""
    merged: bool = False
    """Whether steps that depend on no other process were taken at once with the step before them."""
    whole: str = ""
    """Why variables are not zero, or steps not merged, if that was wanted and is not shown to be right."""
    symmetry: str = ""
    """Which processes were exchanged, so that states which differ by that were one."""
    asymmetric: str = ""
    """Why no processes were exchanged, or not all of one proctype, if that was wanted."""
    why: str = ""
    """Why this engine, this algorithm and this number of threads."""
    store: str = ""
    """How states were kept, where that can be chosen."""


_LOSSY = frozenset({"bitstate", "compact"})  # a verdict knows nothing of engines, so the names stand here again


@dataclass(frozen=True, slots=True)
class WorkerFigures:
    """What one worker of a cluster has done."""

    states: int
    """Those it owns that were searched from."""
    transitions: int
    bytes: int
    """Memory for its states."""
    search_seconds: float
    """Processor time of its search."""
    sent: int
    """Rows that it has sent to others."""
    sent_bytes: int
    messages: int
    """How many message batches they were in."""
    machine: str
    """The name of the machine it was on."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer of a backend. What it found is a claim to be judged, never a verdict."""

    ending: Ending
    method: Method
    figures: Figures = Figures()
    run: Run | None = None
    """The run found, by its choices."""
    reason: str = "a violation was met"
    """Why the search stopped, or what it has met."""
    is_shortest: bool = False
    """Whether no run to a violation has fewer steps, of those that reduction leaves. All that a report lists are steps:
    every statement that is executed, also in an atomic sequence, and the one that goes wrong; a deadlock is none."""
    reached: Reached | None = None
    """The statements executed in the states met, where that is noted. A reduction may have left out others."""
    workers: tuple[WorkerFigures, ...] = ()
    """The figures of each worker, where they have their own."""

    checkpoint: str | None = None
    """The folder from which a search that has stopped can go on."""

    def __post_init__(self) -> None:
        if (self.run is not None) != (self.ending is Ending.FOUND):
            raise ValueError("an outcome has a run exactly if one was found")
        if self.ending is Ending.COMPLETED and self.method.store in _LOSSY:
            raise ValueError("a search that forgets states may have missed some")


class Disagreement(EverafterError):
    """The engine and the reference say different things of the same model: one of them is wrong, so nothing is said."""
