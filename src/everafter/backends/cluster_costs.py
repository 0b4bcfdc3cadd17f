"""What a search on a cluster would cost, from short runs on this machine: memory, machines and time.

    costs = measured(program, reduction, states, seconds)
    needs = costs.needs(10**12, Machines(...))

What one worker takes for a state is measured, and what two take together. The difference is what sending costs. Of n
workers each sends c (n - 1) / n of the successors that it finds, where c is how many steps change the bytes that tell
the owner: these are chosen for n workers, and a sample of steps tells how often they change (`partition.py`). So the
processor time for a state is a + b c (n - 1) / n.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Final

from everafter.choices import StoreKind
from everafter.engine.cluster.coordinator import ClusterOutcome, ClusterSearch
from everafter.engine.cluster.partition import PartitionChoice, best_choice
from everafter.engine.cluster.sample import sampled_choices
from everafter.engine.cluster.worker import SHARE_OF_MEMORY, JobDescription, Report
from everafter.engine.cluster.worker_group import InProcess
from everafter.engine.emit.module import code_of
from everafter.engine.run.search_outcome import SearchEnding
from everafter.program.program import Program
from everafter.record import dataclass
from everafter.reduction.ample import Reduction
from everafter.source import EverafterError

LEAST_STATES: Final = 1000
LEVEL_SECONDS: Final = 0.01
"""What a level costs beside its states: a round of messages, and some waiting for the slowest."""


class NothingToMeasureError(EverafterError):
    """The model has too few states."""


@dataclass(frozen=True, slots=True)
class Machines:
    """What each machine of a cluster has."""

    memory: int
    """Bytes."""
    processors: int
    network: float
    """Bytes a second, in each direction."""


@dataclass(frozen=True, slots=True)
class ClusterNeeds:
    """What a search would take on a number of machines."""

    machines: int
    bytes: int
    """Memory in all."""
    sent_bytes: int
    """From machine to machine, in all."""
    computing: float
    """Seconds in which all processors work."""
    sending: float
    """Seconds in which each machine sends: at the same time."""
    waiting: float
    """Seconds for the messages of all levels."""
    crossing: float
    """How many successors are another worker's, as a share of all."""

    @property
    def seconds(self) -> float:
        """From begin to end."""
        return max(self.computing, self.sending) + self.waiting


@dataclass(frozen=True, slots=True)
class Costs:
    """What was measured."""

    states: int
    """How many states were searched."""
    is_complete: bool
    """Whether these are all."""
    levels: int
    bytes: float
    """Memory for a state."""
    transitions: float
    """Of a state."""
    batch_bytes: float
    """What is sent for a transition to another worker's state."""
    alone: float
    """Processor time of a state if one worker owns all."""
    sending: float
    """Processor time more if all successors go to others."""
    choices: tuple[PartitionChoice, ...] = ()
    """What may tell the owner of a state."""

    def change(self, workers: int) -> float:
        """How many steps change the bytes that name the owner of a state, with `workers` workers."""
        return best_choice(self.choices, workers).change

    def crossing(self, workers: int) -> float:
        """How many successors are sent, as a share of all."""
        return self.change(workers) * (workers - 1) / workers

    def processor_time(self, workers: int) -> float:
        """For a state, in seconds."""
        return self.alone + self.sending * self.crossing(workers)

    def sent_bytes(self, workers: int, machines: int | None = None) -> float:
        """For a state, from one of `workers` to another, or with `machines`, from one machine to another."""
        places = workers if machines is None else machines
        return self.transitions * self.batch_bytes * self.change(workers) * (places - 1) / places

    def machines(self, states: int, each: Machines) -> int:
        """Return the least number of machines like `each` with enough memory for `states` states."""
        return max(math.ceil(states * self.bytes / (each.memory * SHARE_OF_MEMORY)), 1)

    def needs(self, states: int, machines: int, each: Machines) -> ClusterNeeds:
        """Return what `states` states take on `machines` machines like `each`."""
        workers = machines * each.processors
        sent = states * self.sent_bytes(workers, machines)
        return ClusterNeeds(
            machines,
            math.ceil(states * self.bytes),
            math.ceil(sent),
            states * self.processor_time(workers) / workers,
            sent / machines / each.network,
            self.levels * LEVEL_SECONDS,
            self.crossing(workers),
        )


def measured(
    program: Program, reduction: Reduction | None, states: int, seconds: float, store: StoreKind = "plain"
) -> Costs:
    """Search with one worker and with two, which take turns here, and return what they cost.

    They search up to `states` states of `program`, with `reduction` and `store`, for `seconds` in all. Raises
    NothingToMeasureError where that is too little.
    """
    description = JobDescription(code_of(program, reduction=reduction), past_errors=True, store=store)
    one, two = (_searched(description, workers, states, seconds / 2) for workers in (1, 2))
    return costs_of(one, two, sampled_choices(description))


def costs_of(one: ClusterOutcome, two: ClusterOutcome, choices: Sequence[PartitionChoice]) -> Costs:
    """Return the costs that follow from a search by one worker, `one`, and by two, with `choices` from a sample.

    Raises NothingToMeasureError.
    """
    found, both = one.figures, two.figures
    sent = sum(report.sent for report in two.reports)
    if min(found.searched, both.searched) < LEAST_STATES or not sent:
        raise NothingToMeasureError(
            f"{found.searched:,} states are too few to measure anything: one machine will do, or give it more time"
        )
    alone, together = found.seconds / found.searched, both.seconds / both.searched
    return Costs(
        states=found.searched,
        is_complete=one.ending is SearchEnding.COMPLETED,
        levels=one.levels + 1,
        bytes=max(each.bytes / each.states for each in (found, both)),  # of trees, two workers have more than one
        transitions=found.transitions / found.searched,
        batch_bytes=sum(report.sent_bytes for report in two.reports) / sent,
        alone=alone,
        sending=max((together - alone) * both.transitions / sent, 0.0),
        choices=tuple(choices),
    )


def _searched(description: JobDescription, workers: int, states: int, seconds: float) -> ClusterOutcome:
    """Search up to `states` states, for `seconds` from when code is made and the first states are there."""
    begun: list[float] = []

    def suffices(reports: Sequence[Report], _levels: int) -> bool:
        begun[:] = begun or [time.monotonic()]
        return sum(report.states for report in reports) >= states or time.monotonic() >= begun[0] + seconds

    return ClusterSearch(InProcess(workers), description).run(suffices)
