"""Which reduction a question may be searched with, and why none where none may."""

from __future__ import annotations

from typing import assert_never

from everafter.product.claim import AutomatonClaim, Holds, NeverClaim
from everafter.program.erasure import Erasure
from everafter.questions.question import Question
from everafter.record import replace
from everafter.reduction.ample import Reduction
from everafter.reduction.live_cells import erasure_of
from everafter.reduction.soundness import (
    FAIRNESS,
    Unreduced,
    for_automaton,
    for_formula,
    for_labels,
    for_never_claim,
    for_safety,
)

NOT_WANTED = Unreduced("")
_KEPT_FOR_SEARCHING = 0.5
"""The share of the time left that the analysis leaves to the search."""


def reduction_for(question: Question) -> Reduction | Unreduced:
    """The reduction that preserves the answer."""
    asked = question.property
    if question.reduction not in ("static", "all"):
        return NOT_WANTED
    if question.fairness is not None and question.goal == "cycle":
        return FAIRNESS
    by = question.deadline.before_end(_KEPT_FOR_SEARCHING)
    match asked.kind:
        case "safety":
            return for_safety(question.program, by)
        case "acceptance" | "progress" as kind:
            return for_labels(question.program, kind, by)
        case "never":
            if isinstance(asked.claim, NeverClaim):
                return for_never_claim(question.program, asked.claim.process, by)
            assert isinstance(asked.claim, AutomatonClaim)
            return for_automaton(question.program, asked.claim.automaton, asked.watched, by)
        case "ltl":
            assert asked.formula is not None
            assert asked.propositions is not None
            watched = [item.expression for item in asked.propositions.values() if isinstance(item, Holds)]
            return for_formula(question.program, asked.formula, watched, by)
        case _:
            assert_never(asked.kind)


def with_erasure(question: Question) -> Question:
    """Return `question` about a program in whose states is zero what is not read again, if that is wanted."""
    if why_not_erased(question):
        return question
    erased = _erasure(question)
    return question if erased is None else replace(question, program=replace(question.program, erased=erased))


def why_not_erased(question: Question) -> str:
    """Return why all variables are kept in the states of `question`, though they need not be and that is wanted."""
    if question.certificate is None or _erasure(question) is None:
        return ""
    return "a certificate lists states with all variables"


def _erasure(question: Question) -> Erasure | None:
    """What is not read again, if that is wanted, and anything."""
    if question.reduction not in ("dead", "all"):
        return None
    erased = erasure_of(question.program, question.property.watched)
    return None if erased.is_empty else erased


class UnsoundReductionError(Exception):
    """The question may not be searched with reduction; the message says why."""


def reduction_of_rows(question: Question, is_reduced: bool) -> Reduction | None:
    """Return the reduction that rows were found with, None unless `is_reduced`.

    Raises UnsoundReductionError where the answer to `question` is not preserved by any.
    """
    if not is_reduced:
        return None
    found = reduction_for(question)
    if not isinstance(found, Reduction):
        raise UnsoundReductionError(f"its rows are reduced, and here reduction is not sound: {found.reason}")
    return found
