"""The backend of a cluster: levels, by workers each of which owns a part of all states; for a claim, then rounds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Final

from everafter.backends.level_answer import DecisionByLevels, FoundRows
from everafter.backends.search_watch import memory_reached
from everafter.certificates.native.listing import give_rows, listed_blocks
from everafter.engine.cluster.address import Address
from everafter.engine.cluster.checkpoint_storage import inside, place_of
from everafter.engine.cluster.coordinator import ClusterOutcome, ClusterSearch, figures_of
from everafter.engine.cluster.cycle_coordinator import ClusterCycleSearch
from everafter.engine.cluster.errors import ClusterError, WorkerLost
from everafter.engine.cluster.over_ray import OverRay
from everafter.engine.cluster.snapshots import Checkpoints, is_any_in
from everafter.engine.cluster.worker import JobDescription, Report
from everafter.engine.cluster.worker_group import InProcess, WorkerGroup
from everafter.engine.emit.module import code_of
from everafter.engine.run.search_outcome import SearchEnding
from everafter.product.claim import AutomatonClaim, NeverClaim
from everafter.questions.limits import Sharing
from everafter.questions.outcome import Ending as Decision
from everafter.questions.outcome import Method, Outcome, WorkerFigures
from everafter.questions.plan import CLUSTER, Plan
from everafter.questions.question import Question
from everafter.questions.question_code import claim_code
from everafter.record import dataclass, replace

_MOST_LOSSES: Final = 20
"""When workers have died so often, the check ends."""
_INSTANT: Final = 0.001
_TOO_LARGE: Final = "a state or all its successors together are too large for the native engine"


@dataclass(frozen=True, slots=True)
class OnCluster:
    """Decides safety, and whether a claim accepts a run, on a cluster."""

    plan: Plan

    def decide(self, question: Question) -> Outcome:
        """Search level by level."""
        search = _ClusterSearch(self.plan, question)
        outcome = search.outcome()
        workers = tuple(map(_figures, search.reports))
        return replace(outcome, workers=workers, checkpoint=self._kept(question, outcome))

    def _kept(self, question: Question, outcome: Outcome) -> str | None:
        """The folder from which a search that is not decided can go on, if there is one."""
        folder = self.plan.options.checkpoint
        is_decided = outcome.ending in (Decision.COMPLETED, Decision.FOUND)
        return None if folder is None or is_decided or not is_any_in(_place_of(folder, question)) else folder


def group_at(address: Address, workers: int = 0) -> WorkerGroup:
    """Return a group of `workers` workers at `address`, or of as many as suit the place. Raises ClusterError."""
    return InProcess(workers or address.workers) if address.kind == "inside" else OverRay(address, workers)


class _ClusterSearch(DecisionByLevels):
    """The search of one question, and how far it has come."""

    failure = ClusterError

    def __init__(self, plan: Plan, question: Question) -> None:
        super().__init__(plan, question)
        self.reports: Sequence[Report] = ()
        self.workers = 1
        self.begun = time.monotonic()

    def _decided(self) -> FoundRows | None:
        """What the search has found, None if there is nothing. Raises Stopped if it has not decided."""
        question, begin = self.question, time.process_time()
        with question.deadline.enforced():
            claim = claim_code(question)
            code = code_of(question.program, claim, self.plan.usable_reduction, question.start)
        self.compile_seconds = time.process_time() - begin
        question.observer("gathering the workers of the cluster …")
        cycles, weak, ranks = claim is not None, _is_weak(question), question.certificate is not None
        description = JobDescription(code, cycles=cycles, weak=weak, ranks=ranks, store=self.plan.store)
        folder = self.plan.options.checkpoint
        place = _place_of(folder, question) if folder is not None else None
        checkpoints = Checkpoints(place, description, self.plan.options.checkpoint_every) if place is not None else None
        outcome = self._searched(description, checkpoints)
        self._note(outcome.reports)
        memory = question.limits.memory
        if outcome.ending in (SearchEnding.COMPLETED, SearchEnding.ANSWERED):
            if checkpoints is not None and folder is not None:
                checkpoints.remove()
                if question.total > 1:
                    place_of(folder).remove(_name_of(question))
            is_found = outcome.ending is SearchEnding.ANSWERED
            return FoundRows(outcome.path, outcome.cycle, is_shortest=True) if is_found else None
        if outcome.ending is SearchEnding.OUT_OF_MEMORY:
            self.watch.reached = _memory_reached(outcome, memory)
        elif outcome.ending is SearchEnding.MODEL_FAILED:
            self.watch.reached = _TOO_LARGE
        raise self.stopped()

    def _searched(self, description: JobDescription, checkpoints: Checkpoints | None) -> ClusterOutcome:
        """The outcome of a group of workers; where some die, others go on from the last checkpoint."""
        question, losses = self.question, 0
        while True:
            saved = checkpoints.latest() if checkpoints is not None else None
            where = Address.of(self.plan.options.cluster or CLUSTER)
            group = group_at(where, len(saved.parts) if saved is not None else 0)
            self.workers = group.workers
            over, memory = lambda: question.deadline.is_over, question.limits.memory
            self.begun = time.monotonic()
            try:
                search = ClusterCycleSearch if description.cycles else ClusterSearch
                running = search(group, description, memory, question.observer, over, checkpoints)
                return running.run(self._observe, self._list)
            except WorkerLost as loss:
                losses += 1
                if checkpoints is None or losses > _MOST_LOSSES:
                    raise
                question.observer(f"{loss}; others go on from the last checkpoint …")

    def _list(self, group: WorkerGroup) -> None:
        """Give the rows of a complete search to the writer of a certificate, if there is one.

        Raises ClusterError where a worker is lost: others must not go on, and write rows again.
        """
        is_reduced = self.plan.usable_reduction is not None
        try:
            give_rows(self.question, is_reduced, lambda sets: group.listed(partial(listed_blocks, sets=sets)))
        except WorkerLost as loss:
            raise ClusterError(f"{loss}, and with it rows of the certificate") from loss

    def _note(self, reports: Sequence[Report]) -> None:
        """Note how far the workers have come."""
        self.reports, self.seen = reports, figures_of(reports)

    def _observe(self, reports: Sequence[Report], levels: int) -> bool:
        self._note(reports)
        seconds = max(time.monotonic() - self.begun, _INSTANT)
        return self.watch.passed(self.seen.searched, self.seen.transitions, 0, sharing_of(reports, levels, seconds))

    def method(self) -> Method:
        """Who searched, and how."""
        return replace(self.plan.method(self.plan.stages[0], stores=True), threads=self.workers)


def _place_of(folder: str, question: Question) -> str:
    """Where the checkpoints of a question go: where there are several, each has a folder."""
    return folder if question.total == 1 else inside(folder, _name_of(question))


def _name_of(question: Question) -> str:
    return f"property-{question.number}"


def _is_weak(question: Question) -> bool:
    """Whether every accepting cycle is one along which the claim stays in accepting states."""
    asked = question.property
    return isinstance(asked.claim, AutomatonClaim | NeverClaim) and asked.claim.is_weak and not asked.accept_labels


def sharing_of(reports: Sequence[Report], levels: int, seconds: float) -> Sharing:
    """Return how the workers of `reports` share a search that began `seconds` ago and has come to `levels`."""
    fullest = max(reports, key=lambda report: report.bytes / max(report.memory, 1))
    return Sharing(
        len(reports),
        levels,
        fullest.place,
        fullest.bytes,
        fullest.memory,
        fullest.seconds / seconds,
        sum(report.batches for report in reports) / seconds,
    )


def _figures(report: Report) -> WorkerFigures:
    return WorkerFigures(
        report.searched,
        report.transitions,
        report.bytes,
        report.seconds,
        report.sent,
        report.sent_bytes,
        report.batches,
        report.machine,
    )


def _memory_reached(outcome: ClusterOutcome, limit: int | None) -> str:
    """Say that `limit` was reached, or which worker of `outcome` has no more memory."""
    if limit is not None:
        return memory_reached(limit)
    full = max(outcome.reports, key=lambda report: report.stopped is not None)
    return f"worker {full.place} has no more memory: {full.bytes / 2**20:,.0f} MiB after {full.searched:,} states"
