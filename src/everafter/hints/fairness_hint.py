"""Whether a violated property holds if only fair runs count.

The counterexample may be fair itself; then nothing is searched. Otherwise a second search decides the question for
fair runs, with little effort: few states, and about the time that the violation took.
"""

from __future__ import annotations

from everafter.choices import Fairness
from everafter.hints.effort import Means, lightly
from everafter.hints.facts import UnderFairness
from everafter.questions.outcome import Disagreement, Ending
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.record import replace
from everafter.verdict.judge import is_fair, shown
from everafter.verdict.result import Counterexample

_MOST_STATES: dict[Fairness, int] = {"weak": 500_000, "strong": 500_000}


def under_fairness(
    question: Question, found: Counterexample, engine: str, seconds: float, means: Means
) -> UnderFairness:
    """Return what becomes under fairness of the property of `question`, which `found` violates.

    It took `engine` this many `seconds` to find; `means` search for fair runs. Raises KeyboardInterrupt if the user
    wants the check to end, and OutOfTime if its time is over.
    """
    known = _shown_by(found)
    if known.weak == "not decided":
        known = _asked(question, "weak", engine, seconds, means)
    if known.strong == "not decided":
        known = replace(known, strong=_asked(question, "strong", engine, seconds, means).strong)
    return known


def _shown_by(found: Counterexample) -> UnderFairness:
    """What a violating run shows: it may be fair. One that stops, or whose end is bad already, is."""
    if not found.cycle or is_fair(found, "strong"):
        return UnderFairness("violated", "violated")
    return UnderFairness("violated" if is_fair(found, "weak") else "not decided")


def _asked(question: Question, fairness: Fairness, engine: str, seconds: float, means: Means) -> UnderFairness:
    """What comes of asking again, of fair runs, the same engine if it can tell."""
    options = Request(engine=engine if means.can_be_fair(engine, fairness) else None)
    outcome = means.decide(replace(lightly(question, _MOST_STATES[fairness], seconds), fairness=fairness), options)
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
