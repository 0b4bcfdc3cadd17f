"""Which reduction of steps a question may be searched with, and why none where none may."""

from __future__ import annotations

from typing import assert_never

from everafter.product.claim import AutomatonClaim, Holds, NeverClaim
from everafter.questions.question import Question
from everafter.questions.request import reductions
from everafter.reduction.ample import Reduction
from everafter.reduction.soundness import (
    FAIRNESS,
    SYMMETRY,
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
    if "ample" not in reductions(question.reduction):
        return NOT_WANTED
    if question.program.symmetry is not None:
        return SYMMETRY
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
