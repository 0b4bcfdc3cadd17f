"""A result with what else is known about it."""

from __future__ import annotations

from dataclasses import replace

from everafter.checking.outcome import Outcome
from everafter.checking.question import Question
from everafter.deadline import OutOfTime
from everafter.hints.coverage import coverage
from everafter.hints.facts import UnderFairness
from everafter.hints.fairness import under_fairness
from everafter.hints.vacuity import vacuity
from everafter.verdict.result import Result


def explained(
    question: Question, outcome: Outcome, result: Result, seconds: float, thorough: bool
) -> tuple[Result, bool]:
    """Return `result`, which took `seconds`, with what is known beside it; and whether the user wants to end the check.

    `question` is what it answers, and `outcome` what the search came to. The verdict is the same in any case. If it is
    to be `thorough`, all effort is made that the question allows.
    """
    try:
        if result.counterexample is not None and question.goal == "cycle":
            fair = under_fairness(question, result.counterexample, result.engine, seconds)
            return replace(result, under_fairness=fair), False
        if result.holds:
            covered = coverage(question, outcome, thorough)
            idle = vacuity(question, result.engine, seconds, thorough)
            return replace(result, coverage=covered, vacuity=idle), False
    except OutOfTime:
        return replace(result, under_fairness=UnderFairness() if result.violated else None), False
    except KeyboardInterrupt:
        return result, True
    return result, False
