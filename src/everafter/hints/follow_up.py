"""The follow-up questions about a result: coverage, vacuity, fairness. The verdict is the same in any case."""

from __future__ import annotations

from everafter.deadline import OutOfTime
from everafter.hints.coverage import coverage
from everafter.hints.effort import Means
from everafter.hints.facts import UnderFairness
from everafter.hints.fairness_hint import under_fairness
from everafter.hints.vacuity import vacuity
from everafter.questions.outcome import Outcome
from everafter.questions.question import Question
from everafter.record import replace
from everafter.verdict.result import Result


def follow_up(
    question: Question, outcome: Outcome, result: Result, seconds: float, thorough: bool, means: Means
) -> tuple[Result, bool]:
    """Return `result`, which took `seconds`, with what is known beside it; and whether the user wants to end the check.

    `question` is what it answers, `outcome` what the search came to, and `means` what follow-up questions are answered
    with. If it is to be `thorough`, all effort is made that the question allows.
    """
    try:
        if result.counterexample is not None and question.goal == "cycle":
            fair = under_fairness(question, result.counterexample, result.engine, seconds, means)
            return replace(result, under_fairness=fair), False
        if result.holds:
            covered = coverage(question, outcome, thorough, means)
            idle = vacuity(question, result.engine, seconds, thorough, means)
            return replace(result, coverage=covered, vacuity=idle), False
    except OutOfTime:
        return replace(result, under_fairness=UnderFairness() if result.violated else None), False
    except KeyboardInterrupt:
        return result, True
    return result, False
