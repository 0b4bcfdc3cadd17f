"""The watch over one search: whether it has come too far, who sees how far it is, and how it ended."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from everafter.backends.run_construction import problem_behind
from everafter.deadline import Deadline, OutOfTime
from everafter.execution.run import Run
from everafter.product.safety import SafetyGraph
from everafter.program.layout import StateTooLargeError
from everafter.questions.limits import Progress, Sharing
from everafter.questions.outcome import Ending, Figures, Method, Outcome
from everafter.questions.question import Question
from everafter.search.meter import Meter, Stopped
from everafter.system import memory_in_use


class SearchWatch:
    """Compares the figures of one search with the limits of its question; `reached` says which limit it met."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.started = time.monotonic()
        self.reached: str | None = None
        self.has_met = False
        """Whether the search has met a violation, so that only the run that shows it is still to be made."""
        self._candidates: Sequence[bytes] = ()
        self._sharing: Sharing | None = None
        self._shown_by = question.deadline

    def meet(self, candidates: Sequence[bytes] = ()) -> None:
        """A violation was met: in one of these states, where it is known in which.

        From now on the search takes no more states, and it may take some of the time that was kept for showing it.
        """
        if not self.has_met:
            self.has_met = True
            more = self.question.shortened_by
            self._shown_by = max(self._shown_by, more, key=lambda by: math.inf if by.at is None else by.at)
        self._candidates = candidates or self._candidates

    def meter(self, figures: Callable[[], Figures] | None = None) -> Meter:
        """A meter that stops a search at the limits and tells its progress, in `figures` if they are not its own."""

        def passed(meter: Meter) -> bool:
            seen = meter.statistics if figures is None else figures()
            return self.passed(seen.states, seen.transitions, seen.depth)

        return Meter(passed, every=256)

    def passed(self, states: int, transitions: int, depth: int, sharing: Sharing | None = None) -> bool:
        """Tell how far the search has come, in figures as the report has them; return whether it has come too far."""
        self._sharing = sharing
        used = self._tell(states, transitions, depth)
        if self.has_met:
            return self._has_reached(self._shown_by, 0, used)
        return self.exceeded(states, used)

    def _tell(self, states: int, transitions: int, depth: int) -> int:
        """Tell the observer; return the memory in use."""
        question, used = self.question, memory_in_use()
        elapsed = time.monotonic() - self.started
        name, until = question.property.name, question.deadline.at
        limit = None if until is None else until - self.started
        which = (question.number, question.total)
        question.observer(Progress(name, states, transitions, depth, elapsed, used, *which, limit, self._sharing))
        return used

    def exceeded(self, states: int, used: int | None = None) -> bool:
        """Return whether a search of `states` states, in a process with `used` bytes, has reached a limit."""
        return self._has_reached(self.question.deadline, states, memory_in_use() if used is None else used)

    def _has_reached(self, deadline: Deadline, states: int, used: int) -> bool:
        limits = self.question.limits
        if deadline.is_over:
            self.reached = deadline.reached
        elif limits.memory is not None and used > limits.memory:
            self.reached = memory_reached(limits.memory)
        elif limits.states is not None and states > limits.states:
            self.reached = f"the limit of {limits.states:,} states was reached"
        return self.reached is not None

    def concluded(
        self, find: Callable[[], Run | None], method: Callable[[], Method], figures: Callable[[], Figures]
    ) -> Outcome:
        """The outcome of a search: of the run it finds, if any, or of what ended it before. Its figures are told."""
        outcome = self._concluded(find, method, figures)
        seen = outcome.figures
        if seen.states:  # else nothing was searched
            self._tell(seen.states, seen.transitions, seen.depth)
        return outcome

    def _concluded(
        self, find: Callable[[], Run | None], method: Callable[[], Method], figures: Callable[[], Figures]
    ) -> Outcome:
        try:
            run = find()
        except KeyboardInterrupt:
            return Outcome(Ending.INTERRUPTED, method(), figures(), reason=self._interrupted)
        except (Stopped, OutOfTime, StateTooLargeError, MemoryError, RecursionError) as stop:
            return Outcome(Ending.STOPPED, method(), figures(), reason=self._reason(stop))
        if run is None:
            return Outcome(Ending.COMPLETED, method(), figures())
        return Outcome(Ending.FOUND, method(), figures(), run, self._met)

    def _reason(self, stop: Stopped | OutOfTime | StateTooLargeError | MemoryError | RecursionError) -> str:
        match stop:
            case MemoryError():
                reason = "memory was exhausted"
            case RecursionError():
                reason = "a claim, or processes that ask `enabled` of each other, do not come to an end"
            case StateTooLargeError():
                reason = str(stop)
            case OutOfTime():
                reason = self.reached or str(stop) or self.question.deadline.reached
            case _:
                reason = self.reached or "the search was stopped"
        return self._said(reason)

    def _said(self, reason: str) -> str:
        """Why there is no verdict, with what was met."""
        return f"{self._met}, but {reason} before it could be shown" if self.has_met else reason

    @property
    def _interrupted(self) -> str:
        return f"interrupted: {self._met}, but not shown yet" if self.has_met else "interrupted"

    @property
    def _met(self) -> str:
        """What was met, in words."""
        question = self.question
        graph = SafetyGraph(question.program, start=question.start) if question.property.claim is None else None
        found = (problem_behind(graph, row) for row in self._candidates) if graph is not None else ()
        problem = next((each for each in found if each is not None), None)
        return "a violation was met" if problem is None else f"{problem.place}: {problem.message} was met"


def memory_reached(limit: int) -> str:
    """What to say when the memory limit is reached."""
    return f"the memory limit of {limit / 2**20:,.0f} MiB was reached"
