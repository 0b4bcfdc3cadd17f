"""The backend that interprets: slow, direct, and what all others are compared with."""

from __future__ import annotations

import time
from typing import cast

from everafter.backends.run_construction import run_of_fair_run, run_of_lasso, run_to_violation
from everafter.backends.search_watch import SearchWatch
from everafter.backends.shortest_run import has_length, shortest_near
from everafter.execution.run import Run
from everafter.product.fairness import fair_run
from everafter.product.product import Product, ProductState
from everafter.product.safety import VIOLATION, SafetyGraph
from everafter.questions.outcome import Figures, Outcome
from everafter.questions.plan import Plan, Stage
from everafter.questions.question import Question
from everafter.record import dataclass, replace
from everafter.search.breadth import shortest_path
from everafter.search.lasso import Lasso
from everafter.search.meter import Meter
from everafter.search.parallel.run import parallel_nested_dfs
from everafter.search.reachability import find_path
from everafter.search.searches import ALGORITHMS

_WORKERS = 2
"""How many workers take turns where an algorithm is one for a team."""


@dataclass(frozen=True, slots=True)
class ReferenceBackend:
    """Decides by interpretation."""

    plan: Plan

    def decide(self, question: Question) -> Outcome:
        """Search as planned, step by step."""
        stage, watch = self.plan.stages[0], SearchWatch(question)
        reduction = self.plan.usable_reduction
        search: _Safety | _Cycles
        if question.property.claim is None:
            graph = SafetyGraph(question.program, reduction=reduction, start=question.start, counts=True)
            search = _Safety(graph, stage, watch)
        else:
            asked = question.property
            claim, begin = question.property.claim, question.start
            product = Product(question.program, claim, asked.accept_labels, reduction, begin, counts=True)
            search = _Cycles(product, stage, watch)
        processor = time.process_time()

        def figures() -> Figures:
            return search.figures(time.process_time() - processor)

        outcome = watch.concluded(search.run, lambda: self.plan.method(stage), figures)
        reached = frozenset(search.graph.reached) if isinstance(search, _Safety) else None
        return replace(outcome, is_shortest=search.is_shortest, reached=reached)


class _Safety:
    """The search for a state in which something goes wrong."""

    def __init__(self, graph: SafetyGraph, stage: Stage, watch: SearchWatch) -> None:
        self.graph = graph
        self.stage = stage
        self.watch = watch
        self.meter = watch.meter(lambda: self.figures(0.0))
        self.is_shortest = False

    def run(self) -> Run | None:
        """A run into a violation, or None if there is none."""
        # Any order is one without order.
        search = shortest_path if self.stage.algorithm == "breadth-first" else find_path
        path = search(self.graph, lambda packed: packed == VIOLATION, self.meter)
        if path is None:
            return None
        self.watch.meet(path[-2:-1])
        graph, question = SafetyGraph(self.graph.program, start=self.graph.start), self.watch.question
        with question.shown_by.enforced():
            run = run_to_violation(graph, path[:-1])
            if self.stage.algorithm == "breadth-first":
                self.is_shortest = len(run.prefix) == len(path) - 2  # each edge is a step: the last is a deadlock
                if not self.is_shortest:
                    shortest = shortest_near(question, self.graph.reduction, self.meter.states)
                    self.is_shortest = shortest is not None
                    run = shortest or run
            return run

    def figures(self, seconds: float) -> Figures:
        """How far the search has come."""
        meter = self.meter
        size = len(next(self.graph.initial())) if self.graph.states else 0
        return Figures(self.graph.states, self.graph.transitions, meter.depth, size, seconds)


class _Cycles:
    """The search for a run that the claim accepts."""

    def __init__(self, product: Product, stage: Stage, watch: SearchWatch) -> None:
        self.product = product
        self.stage = stage
        self.watch = watch
        self.meter: Meter = watch.meter(lambda: self.figures(0.0))
        self.is_shortest = False

    def run(self) -> Run | None:
        """A run that the claim accepts, or None if there is none."""
        fairness = self.watch.question.fairness
        if fairness is not None:
            fair = fair_run(self.product, fairness, self.meter)
            return run_of_fair_run(self.product, fair) if fair is not None else None
        lasso = self._lasso()
        if lasso is None:
            return None
        self.watch.meet()
        searched = self.product
        full = Product(searched.program, searched.claim, searched.accept_labels, start=searched.start)
        question = self.watch.question
        with question.shown_by.enforced():
            shortest = shortest_near(question, None, self.meter.states) if has_length(question) else None
            self.is_shortest = shortest is not None
            return shortest or run_of_lasso(full, lasso, self.meter.states, question.shortened_by)

    def _lasso(self) -> Lasso[ProductState] | None:
        name = self.stage.algorithm
        if self.stage.is_by_team:
            return parallel_nested_dfs(self.product, _WORKERS, name, meter=self.meter)
        return cast("Lasso[ProductState] | None", ALGORITHMS[name](self.product, self.meter))

    def figures(self, seconds: float) -> Figures:
        """How far the search has come."""
        meter = self.meter
        size = len(next(iter(self.product.initial()))[0]) + 1 if meter.states else 0
        states = min(meter.states, meter.expansions) - len(self.product.inside)
        return Figures(states, self.product.transitions, meter.depth, size, seconds)
