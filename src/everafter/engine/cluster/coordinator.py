"""The coordinator of a cluster's search: level by level, with all that was sent accounted for.

    outcome = ClusterSearch(group, description, memory).run(observe)

It says COMPLETED only if every worker has expanded every row that it owns, and has taken in exactly what it was sent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from everafter.engine.cluster.errors import ClusterError
from everafter.engine.cluster.partition import WHOLE_ROW
from everafter.engine.cluster.sample import sampled_halves, sampled_partition
from everafter.engine.cluster.snapshots import Checkpoints, Saved
from everafter.engine.cluster.worker import NO_END, JobDescription, MessageCounters, Report
from everafter.engine.cluster.worker_group import IsOver, WorkerGroup
from everafter.engine.run.kernel_code import Tell, say_nothing
from everafter.engine.run.search_outcome import SearchEnding, SearchFigures
from everafter.record import dataclass, replace

Observe = Callable[[Sequence[Report], int], bool]
"""Is shown what the workers report, and how many levels are complete; True stops the search."""


@dataclass(frozen=True, slots=True)
class ClusterOutcome:
    """What a cluster's search came to."""

    ending: SearchEnding
    reports: tuple[Report, ...]
    path: tuple[bytes, ...] = ()
    """The rows from an initial one to one that leads to a violation, on a shortest way, if there is one."""
    levels: int = 0
    cycle: tuple[bytes, ...] = ()
    """The rows of an accepting cycle, if there is one: the path then leads to the first of them."""
    rounds: int = 0

    @property
    def figures(self) -> SearchFigures:
        """Return the figures of all workers together."""
        return figures_of(self.reports)


class ClusterSearch:
    """One search of one model by a cluster; `memory` is for all workers, None for what their machines have."""

    def __init__(
        self,
        group: WorkerGroup,
        description: JobDescription,
        memory: int | None = None,
        tell: Tell = say_nothing,
        is_over: IsOver = lambda: False,
        checkpoints: Checkpoints | None = None,
    ) -> None:
        self.group = group
        self.description = description
        self.memory = memory
        self.tell = tell
        self.is_over = is_over
        self.checkpoints = checkpoints
        self.levels = 0
        self.reports: Sequence[Report] = ()

    def run(
        self,
        observe: Observe = lambda _reports, _levels: False,
        conclude: Callable[[WorkerGroup], None] = lambda _: None,
    ) -> ClusterOutcome:
        """Search to the end, unless `observe` stops it. `conclude` is shown the group of a search that is complete.

        Raises ClusterError where that cannot be, or where something is not accounted for.
        """
        try:
            saved = self._start()
            outcome = self._searched(observe, saved)
            if outcome.ending is SearchEnding.COMPLETED:
                conclude(self.group)
            return outcome
        finally:
            self.group.close()

    def _searched(self, observe: Observe, _saved: Saved | None) -> ClusterOutcome:
        """What the search comes to, from the last checkpoint on, if there is one."""
        ending = self._spread(observe, saves=True)
        path = self._path(*self._found()) if ending is SearchEnding.ANSWERED else []
        return ClusterOutcome(ending, tuple(self.reports), tuple(row for _, row in path), self.levels)

    def _spread(self, observe: Observe, saves: bool = False) -> SearchEnding:
        """Expand level after level, until there is none; why it ends."""
        complete = saved = 0
        while True:
            is_due = saves and self.checkpoints is not None and self.checkpoints.is_due
            all_counters = self.group.exchange(complete + 1 if is_due else NO_END)
            self.reports = [counters.report for counters in all_counters]
            ending = self._end()
            if ending is not None:
                return ending
            if observe(self.reports, self.levels):
                return SearchEnding.STOPPED_BY_CALLER
            if complete_levels(all_counters, complete) > complete:
                check_counters(all_counters, self.group.workers)
                if all(report.is_idle for report in self.reports):
                    check_expanded(self.reports)
                    return SearchEnding.COMPLETED
                complete += 1
                self.levels += 1
            if saved < complete and all(counters.waits for counters in all_counters):
                self._save()
                saved = complete

    def _start(self) -> Saved | None:
        """Begin, or go on from the last checkpoint, which is returned."""
        saved = self.checkpoints.latest() if self.checkpoints is not None else None
        if saved is not None and len(saved.parts) != self.group.workers:
            raise ClusterError(f"the checkpoint is of {len(saved.parts)} workers, and there are {self.group.workers}")
        self.levels = saved.levels if saved is not None else 0
        parts = saved.parts if saved is not None else ()
        if saved is not None:  # each part says which halves its trees have
            self.description = replace(self.description, partition=saved.partition)
        else:
            partition = sampled_partition(self.description, self.group.workers)
            self.description = replace(self.description, partition=partition, halves=sampled_halves(self.description))
        self.reports = self.group.start(self.description, self.memory, parts, self.tell, self.is_over)
        return saved

    def _save(self, rounds: int | None = None) -> None:
        """Write a checkpoint if it is time for one."""
        if self.checkpoints is not None and self.checkpoints.is_due:
            folder = self.checkpoints.folder_for(self.levels)
            parts = self.group.save(folder)
            self.checkpoints.complete(self.levels, parts, self.description.partition or WHOLE_ROW, rounds)

    def _end(self) -> SearchEnding | None:
        """Why the search ends before its level does, if it does."""
        if any(report.found for report in self.reports):
            return SearchEnding.ANSWERED
        return next((report.stopped for report in self.reports if report.stopped is not None), None)

    def _found(self) -> tuple[int, int]:
        """The owner and the number of the first row found."""
        return next((report.place, report.found) for report in self.reports if report.found)

    def _path(self, owner: int, number: int) -> list[tuple[tuple[int, int], bytes]]:
        """The rows on the way to this one, from its parents, each behind its owner and number."""
        rows: list[tuple[tuple[int, int], bytes]] = []
        while owner >= 0:
            if len(rows) > self.levels:
                raise ClusterError("the parents of a state do not lead to an initial one")
            place = owner, number
            row, owner, number = self.group.row(owner, number)
            rows.append((place, row))
        return rows[::-1]


def complete_levels(all_counters: Sequence[MessageCounters], before: int) -> int:
    """Return how many levels are complete by `all_counters`.

    Raises ClusterError unless all say so, and it is `before`, or one more.
    """
    told = {counters.complete for counters in all_counters}
    if len(told) > 1 or not told <= {before, before + 1}:
        raise ClusterError(f"workers do not agree on how many levels are complete: {sorted(told)}, before {before}")
    return told.pop()


def check_counters(all_counters: Sequence[MessageCounters], workers: int) -> None:
    """Raise ClusterError unless, by `all_counters`, each of `workers` has taken in what every other has sent to it."""
    if [counters.report.place for counters in all_counters] != list(range(workers)):
        raise ClusterError("two workers own the same states")
    if len({counters.partition for counters in all_counters}) > 1:
        raise ClusterError("workers tell in different ways who owns a state")
    for sender, by_sender in enumerate(all_counters):
        for receiver, by_receiver in enumerate(all_counters):
            sent, taken = by_sender.sent[receiver], by_receiver.taken[sender]
            if sent != taken:
                others = " others" if sent[0] == taken[0] else ""
                raise ClusterError(
                    f"worker {sender} has sent {sent[0]:,} rows to worker {receiver}, which has taken in "
                    f"{taken[0]:,}{others}"
                )


def check_expanded(reports: Sequence[Report]) -> None:
    """Raise ClusterError unless every row was expanded once, by `reports`."""
    for report in reports:
        if report.done != report.due:
            raise ClusterError(f"worker {report.place} has {report.due:,} rows and expanded {report.done:,}")


def figures_of(reports: Sequence[Report]) -> SearchFigures:
    """Return the figures of all workers together, by their `reports`."""
    return SearchFigures(
        states=sum(report.states for report in reports),
        rows=sum(report.rows for report in reports),
        transitions=sum(report.transitions for report in reports),
        depth=0,
        expansions=sum(report.expansions for report in reports),
        entered=sum(report.entered for report in reports),
        bytes=sum(report.bytes for report in reports),
        seconds=sum(report.seconds for report in reports),
    )
