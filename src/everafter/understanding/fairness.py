"""Whether a violated property holds if only fair runs count.

The counterexample may be fair itself; then nothing is searched. Otherwise the question is asked again, of fair runs,
with little effort: few states, and about the time that the violation took.
"""

from __future__ import annotations

import time
from dataclasses import replace

from everafter.checking.decision import decide
from everafter.checking.engines import ENGINES
from everafter.checking.limits import Limits
from everafter.checking.outcome import Disagreement, Ending
from everafter.checking.plan import Wishes
from everafter.checking.question import Question
from everafter.deadline import Deadline
from everafter.product.claim import Fairness
from everafter.verdict.insight import UnderFairness
from everafter.verdict.judge import is_fair, shown
from everafter.verdict.result import Counterexample

_MOST_STATES: dict[Fairness, int] = {"weak": 500_000, "strong": 20_000}
"""Strong fairness is for the reference engine, which is slow, to decide."""
_LEAST_SECONDS = 1.0


def under_fairness(question: Question, found: Counterexample, engine: str, seconds: float) -> UnderFairness:
    """What becomes under fairness of a property that a run violates, which an engine took so many seconds to find.

    Raises KeyboardInterrupt if the user wants the check to end, and OutOfTime if its time is over.
    """
    known = _shown_by(found)
    if known.weak == "not decided":
        known = _asked(question, "weak", engine, seconds)
    if known.strong == "not decided":
        known = replace(known, strong=_asked(question, "strong", engine, seconds).strong)
    return known


def _shown_by(found: Counterexample) -> UnderFairness:
    """What a violating run shows: it may be fair. One that stops, or whose end is bad already, is."""
    if not found.cycle or is_fair(found, "strong"):
        return UnderFairness("violated", "violated")
    return UnderFairness("violated" if is_fair(found, "weak") else "not decided")


def _asked(question: Question, fairness: Fairness, engine: str, seconds: float) -> UnderFairness:
    """What comes of asking again, of fair runs, the same engine if it can tell."""
    wishes = Wishes(engine if fairness in ENGINES[engine].fairness else None)
    outcome = decide(_lightly(question, fairness, seconds), wishes)
    match outcome.ending:
        case Ending.COMPLETED:
            return UnderFairness("holds" if fairness == "weak" else "not decided", "holds")
        case Ending.FOUND if outcome.run is not None:
            try:
                with question.shown_by.enforced():
                    return _shown_by(shown(replace(question, fairness=fairness), outcome.run))
            except Disagreement:
                return UnderFairness()
        case Ending.INTERRUPTED:
            raise KeyboardInterrupt
        case _:
            return UnderFairness()


def _lightly(question: Question, fairness: Fairness, seconds: float) -> Question:
    """The same question of fair runs, with limits for a hint."""
    left = question.shown_by.left
    most = max(seconds, _LEAST_SECONDS)
    deadline = Deadline(time.monotonic() + (most if left is None else min(most, left / 2)), "the time for a hint")
    states = min(question.limits.states or _MOST_STATES[fairness], _MOST_STATES[fairness])
    limits = Limits(memory=question.limits.memory, states=states)
    return replace(question, fairness=fairness, limits=limits, deadline=deadline, shown_by=deadline)
