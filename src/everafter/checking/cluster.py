"""The backend of a cluster: safety by levels, by a company of workers each of which owns a part of all states."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from everafter.checking.outcome import Figures, Method, Outcome
from everafter.checking.plan import Plan
from everafter.checking.question import Question
from everafter.checking.runs import run_to_violation
from everafter.checking.watch import Watch, memory_reached
from everafter.engine.cluster.address import Address
from everafter.engine.cluster.company import Company, InProcess
from everafter.engine.cluster.over_ray import OverRay
from everafter.engine.cluster.search import CompanyOutcome, CompanySearch, figures_of
from everafter.engine.cluster.worker import CompanyError, Order, Report
from everafter.engine.emit.module import code_of
from everafter.engine.run.outcome import Ending
from everafter.execution.run import Run
from everafter.product.safety import SafetyGraph
from everafter.search import Statistics, Stopped

_TOO_LARGE: Final = "a state or all its successors together are too large for the native engine"


@dataclass(frozen=True, slots=True)
class OnCluster:
    """Decides safety on a cluster."""

    plan: Plan

    def decide(self, question: Question) -> Outcome:
        """Search level by level."""
        search = _Search(self.plan, question)
        outcome = search.watch.concluded(search.run, search.method, search.figures)
        return replace(outcome, is_shortest=search.watch.has_found)


def company_at(address: Address) -> Company:
    """A company that works there. Raises CompanyError where none can."""
    return InProcess(address.workers) if address.kind == "inside" else OverRay(address)


class _Search:
    """The search of one question, and how far it has come."""

    def __init__(self, plan: Plan, question: Question) -> None:
        self.plan = plan
        self.question = question
        self.watch = Watch(question)
        self.reports: Sequence[Report] = ()
        self.workers = 1
        self.compile_seconds = 0.0

    def run(self) -> Run | None:
        """A run into a violation, or None if there is none."""
        try:
            outcome = self._decided()
        except CompanyError as error:
            self.watch.reached = self.watch.reached or str(error)
            raise self._stopped() from error
        if outcome.ending is Ending.COMPLETED:
            return None
        self.watch.has_found = True
        graph = SafetyGraph(self.question.program, start=self.question.start)
        with self.question.shown_by.enforced():
            return run_to_violation(graph, outcome.path)

    def _decided(self) -> CompanyOutcome:
        """How the search has ended. Raises Stopped if it has not decided."""
        question, begin = self.question, time.process_time()
        with question.deadline.enforced():
            code = code_of(question.program, None, self.plan.usable_reduction, question.start)
        self.compile_seconds = time.process_time() - begin
        question.observer("gathering the workers of the cluster …")
        company = company_at(Address.of(self.plan.cluster))
        self.workers = company.workers
        memory = question.limits.memory
        search = CompanySearch(company, Order(code), memory, question.observer, lambda: question.deadline.is_over)
        outcome = search.run(self._observe)
        self.reports = outcome.reports
        if outcome.ending in (Ending.COMPLETED, Ending.ANSWERED):
            return outcome
        if outcome.ending is Ending.OUT_OF_MEMORY:
            self.watch.reached = _memory_reached(outcome, memory)
        elif outcome.ending is Ending.MODEL_FAILED:
            self.watch.reached = _TOO_LARGE
        raise self._stopped()

    def _observe(self, reports: Sequence[Report], _levels: int) -> bool:
        self.reports = reports
        figures = figures_of(reports)
        return self.watch.passed(figures.states, figures.transitions, 0)

    def _stopped(self) -> Stopped:
        figures = figures_of(self.reports)
        return Stopped(Statistics(figures.states, figures.transitions, 0))

    def method(self) -> Method:
        """Who searched, and how."""
        return replace(self.plan.method(self.plan.stages[0]), threads=self.workers)

    def figures(self) -> Figures:
        """How far the search has come."""
        seen = figures_of(self.reports)
        size = seen.bytes / max(seen.states, 1)
        return Figures(seen.searched, seen.transitions, 0, size, seen.seconds, self.compile_seconds)


def _memory_reached(outcome: CompanyOutcome, limit: int | None) -> str:
    """Who has no more memory."""
    if limit is not None:
        return memory_reached(limit)
    full = max(outcome.reports, key=lambda report: report.stopped is not None)
    return f"worker {full.place} has no more memory: it holds {full.states:,} states in {full.bytes / 2**20:,.0f} MiB"
