"""The watch over one search: whether it has come too far, who is told how far it is, and how it ended."""

from __future__ import annotations

import time
from collections.abc import Callable

from everafter.checking.limits import Progress, Sharing
from everafter.checking.outcome import Ending, Figures, Method, Outcome
from everafter.checking.question import Question
from everafter.deadline import OutOfTime
from everafter.execution.run import Run
from everafter.program.layout import StateTooLargeError
from everafter.search import Meter, Stopped
from everafter.system import memory_in_use


class Watch:
    """Compares the figures of one search with the limits of its question; `reached` says which limit it met."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.started = time.monotonic()
        self.reached: str | None = None
        self.has_found = False
        """Whether the search has met a violation, so that only the run that shows it is still to be made."""

    def meter(self) -> Meter:
        """A meter that stops a search at the limits and tells its progress."""
        return Meter(lambda meter: self.passed(meter.states, meter.transitions, meter.depth), every=256)

    def passed(self, states: int, transitions: int, depth: int, sharing: Sharing | None = None) -> bool:
        """Tell how far the search has come; whether it has come too far."""
        question, used = self.question, memory_in_use()
        elapsed = time.monotonic() - self.started
        name, until = question.property.name, question.deadline.at
        limit = None if until is None else until - self.started
        which = (question.number, question.total)
        question.observer(Progress(name, states, transitions, depth, elapsed, used, *which, limit, sharing))
        return self.exceeded(states, used)

    def exceeded(self, states: int, used: int | None = None) -> bool:
        """Whether a search of so many states, in a process that uses so much memory, has come too far."""
        question, limits = self.question, self.question.limits
        used = memory_in_use() if used is None else used
        if question.deadline.is_over:
            self.reached = question.deadline.reached
        elif limits.memory is not None and used > limits.memory:
            self.reached = memory_reached(limits.memory)
        elif limits.states is not None and states > limits.states:
            self.reached = f"the limit of {limits.states:,} states was reached"
        return self.reached is not None

    def concluded(
        self, find: Callable[[], Run | None], method: Callable[[], Method], figures: Callable[[], Figures]
    ) -> Outcome:
        """The outcome of a search: of the run it finds, if any, or of what ended it before."""
        try:
            run = find()
        except KeyboardInterrupt:
            return Outcome(Ending.INTERRUPTED, method(), figures(), reason="interrupted")
        except (Stopped, OutOfTime, StateTooLargeError, MemoryError, RecursionError) as stop:
            return Outcome(Ending.STOPPED, method(), figures(), reason=self._reason(stop))
        return Outcome(Ending.COMPLETED if run is None else Ending.FOUND, method(), figures(), run)

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
        return f"a violation was met, but {reason} before it could be shown" if self.has_found else reason


def memory_reached(limit: int) -> str:
    """What to say when the memory limit is reached."""
    return f"the memory limit of {limit / 2**20:,.0f} MiB was reached"
