"""One question to everafter, asked as comparisons ask it: of the reference unless told otherwise, with all steps."""

from __future__ import annotations

from typing import Literal

from everafter.check import answer
from everafter.choices import Fairness, ReductionWish, StoreKind
from everafter.deadline import Deadline
from everafter.program.program import Program
from everafter.questions.limits import Limits
from everafter.questions.property import SAFETY, Property
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.verdict.result import Result

Engine = Literal["native", "reference"]


def check_safety(
    program: Program,
    limits: Limits | None = None,
    algorithm: str | None = None,
    engine: Engine = "reference",
    reduction: ReductionWish = "none",
    threads: int | None = 1,
    store: StoreKind | None = None,
) -> Result:
    """The verdict on safety."""
    return check_property(program, SAFETY, limits, algorithm, None, engine, reduction, threads, store)


def check_property(
    program: Program,
    asked: Property,
    limits: Limits | None = None,
    algorithm: str | None = None,
    fairness: Fairness | None = None,
    engine: Engine = "reference",
    reduction: ReductionWish = "none",
    threads: int | None = 1,
    store: StoreKind | None = None,
) -> Result:
    """The verdict on a property. Strong fairness is for the reference to decide, whichever engine is asked."""
    bounds = limits or Limits()
    question = Question(program, asked, fairness, reduction, bounds, Deadline.after(bounds.seconds))
    return answer(
        question,
        Request(engine=None if fairness == "strong" else engine, algorithm=algorithm, threads=threads, store=store),
    )
