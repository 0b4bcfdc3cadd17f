"""What follow-up questions are answered with, and how much effort a hint is worth."""

from __future__ import annotations

import time
from collections.abc import Callable

from everafter.choices import Fairness
from everafter.deadline import Deadline
from everafter.questions.limits import Limits
from everafter.questions.outcome import Outcome
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.record import dataclass, replace

_LEAST_SECONDS = 5.0
"""So long a hint may take in any case; the number of states keeps it shorter, as a rule."""


@dataclass(frozen=True, slots=True)
class Means:
    """What follow-up questions are answered with. The path of a check hands it down: hints know no engine."""

    decide: Callable[[Question, Request], Outcome]
    """What a search for the answer comes to, searched for as the request says."""
    can_be_fair: Callable[[str, Fairness], bool]
    """Whether the engine of this name looks for fair runs."""


def lightly(question: Question, states: int, seconds: float) -> Question:
    """Return `question` for a hint: with at most `states` states, and about as long as the verdict took, `seconds`."""
    left = question.shown_by.left
    most = max(seconds, _LEAST_SECONDS)
    deadline = Deadline(time.monotonic() + (most if left is None else min(most, left / 2)), "the time for a hint")
    limits = Limits(memory=question.limits.memory, states=min(question.limits.states or states, states))
    return replace(question, limits=limits, deadline=deadline, shown_by=deadline)
