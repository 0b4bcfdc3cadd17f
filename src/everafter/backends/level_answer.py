"""The decision of a question by an engine that searches by levels, and what it has found, as a run of the reference."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Final

from everafter.backends.run_construction import run_along, run_of_lasso, run_to_violation
from everafter.backends.search_watch import SearchWatch
from everafter.backends.shortest_run import LEAST_SECONDS, Effort, has_length, shortest_near, shortest_on_machine_code
from everafter.engine.run.native_model import NativeModel
from everafter.engine.run.search_outcome import SearchFigures
from everafter.execution.run import Run
from everafter.product.product import VIOLATION, Product
from everafter.product.safety import SafetyGraph
from everafter.questions.outcome import Figures, Method, Outcome
from everafter.questions.plan import Plan
from everafter.questions.question import Question
from everafter.questions.question_code import native_model, product_state
from everafter.record import dataclass, replace
from everafter.search.lasso import Lasso
from everafter.search.meter import Statistics, Stopped
from everafter.system import memory_in_use, memory_size

_LEAST_MEMORY: Final = 1 << 24
_SHARE_OF_MEMORY: Final = 0.5


@dataclass(frozen=True, slots=True)
class FoundRows:
    """Rows up to a violation, or up to the first row of an accepting cycle, and those of the cycle."""

    path: tuple[bytes, ...]
    cycle: tuple[bytes, ...]
    is_shortest: bool
    """Whether no path into the violation has fewer edges."""


class DecisionByLevels(ABC):
    """The search of one question, and how far it has come."""

    failure: ClassVar[type[Exception]]
    """What the engine raises where it cannot go on."""

    def __init__(self, plan: Plan, question: Question) -> None:
        self.plan = plan
        self.question = question
        self.watch = SearchWatch(question)
        self.seen = SearchFigures(0, 0, 0, 0, 0, 0, 0, 0.0)
        self.compile_seconds = 0.0
        self.is_shortest = False

    @abstractmethod
    def _decided(self) -> FoundRows | None:
        """What the search has found, None if there is nothing. Raises Stopped if it has not decided."""

    def outcome(self) -> Outcome:
        """What the search comes to."""
        outcome = self.watch.concluded(self._run, self.method, self._figures)
        return replace(outcome, is_shortest=self.is_shortest)

    def _run(self) -> Run | None:
        """A run that violates the property, or None if there is none."""
        try:
            found = self._decided()
        except self.failure as error:
            self.watch.reached = self.watch.reached or str(error)
            raise self.stopped() from error
        if found is None:
            return None
        self.watch.meet(found.path[-1:])
        with self.question.shown_by.enforced():
            run = run_of_rows(self.question, found.path, found.cycle, self.seen.states)
        edges, taken = len(found.path) - 1, self.seen.bytes
        run, self.is_shortest = shortened(self.plan, self.watch, run, found.is_shortest, edges, taken)
        return run

    def stopped(self) -> Stopped:
        """What to raise where the search has not decided."""
        return Stopped(Statistics(self.seen.states, self.seen.transitions, self.seen.depth))

    def method(self) -> Method:
        """Who searched, and how."""
        return self.plan.method(self.plan.stages[0])

    def _figures(self) -> Figures:
        """How far the search has come."""
        seen = self.seen
        size = seen.bytes / max(seen.states, 1)
        return Figures(seen.searched, seen.transitions, seen.depth, size, seen.seconds, self.compile_seconds)


def run_of_rows(question: Question, path: Sequence[bytes], cycle: Sequence[bytes], states: int) -> Run:
    """Return the run along `path`, rows that lead to a violation or, then along `cycle`, back to the first row of that.

    `question` was searched up to `states` states.
    """
    program, start, asked = question.program, question.start, question.property
    if asked.claim is None:
        return run_to_violation(SafetyGraph(program, start=start), tuple(path))
    product = Product(program, asked.claim, asked.accept_labels, start=start)
    named = tuple(map(product_state, path))
    if not cycle:
        return run_along(product, (*named, VIOLATION))
    lasso = Lasso(named[:-1], tuple(map(product_state, cycle)))
    return run_of_lasso(product, lasso, states, question.shortened_by)


def shortened(
    plan: Plan, watch: SearchWatch, run: Run, is_shortest_path: bool, edges: int, taken: int
) -> tuple[Run, bool]:
    """Return a run in place of `run`, which leads over `edges` edges into a violation, and whether none is shorter.

    `is_shortest_path`: none leads there over fewer edges. An edge may be a whole atomic sequence. `plan` and `watch`
    are those of the search, whose states took `taken` bytes.
    """
    question = watch.question
    if run.end != "problem" or not has_length(question):
        return run, False
    if is_shortest_path and question.property.claim is None and len(run.prefix) == edges:
        return run, True  # each edge is a step, and the last state is a deadlock
    with question.shown_by.enforced():
        near = shortest_near(question, plan.usable_reduction)
    if near is not None:
        return near, True

    def made() -> NativeModel:
        with question.deadline.enforced():
            return native_model(question, plan.usable_reduction, is_way=True, quickly=True)

    effort = Effort(watch, LEAST_SECONDS + time.monotonic() - watch.started, _memory(question), taken)
    found, is_shortest = shortest_on_machine_code(question, made, effort)
    return found or run, is_shortest


def _memory(question: Question) -> int:
    """The bytes that a search for a shorter run may take."""
    limit = question.limits.memory
    return int(_SHARE_OF_MEMORY * memory_size()) if limit is None else max(limit - memory_in_use(), _LEAST_MEMORY)
