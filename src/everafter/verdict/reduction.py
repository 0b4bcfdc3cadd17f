"""Which reduction a check may use, and why it may not where it may not."""

from __future__ import annotations

from typing import Literal

from everafter.product.claim import Holds
from everafter.product.fairness import Fairness
from everafter.program.program import Program
from everafter.reduction.ample import Reduction
from everafter.reduction.soundness import (
    AUTOMATON,
    FAIRNESS,
    NEVER_CLAIM,
    Unreduced,
    for_formula,
    for_labels,
    for_safety,
)
from everafter.verdict.property import Property

Chosen = Literal["static", "none"]
NOT_WANTED = Unreduced("")


def for_safety_check(program: Program, wanted: Chosen) -> Reduction | Unreduced:
    """The reduction for a search for assertions, end states and errors."""
    return for_safety(program) if wanted == "static" else NOT_WANTED


def for_property(program: Program, asked: Property, fairness: Fairness | None, wanted: Chosen) -> Reduction | Unreduced:
    """The reduction for a search for an accepting run."""
    if wanted == "none":
        return NOT_WANTED
    if fairness is not None:
        return FAIRNESS
    match asked.kind:
        case "acceptance" | "progress" as kind:
            return for_labels(program, kind)
        case "never":
            return NEVER_CLAIM if asked.accept_labels else AUTOMATON
        case _:
            assert asked.formula is not None
            assert asked.propositions is not None
            watched = [item.expression for item in asked.propositions.values() if isinstance(item, Holds)]
            return for_formula(program, asked.formula, watched)


def described(reduction: Reduction | Unreduced) -> tuple[str, str]:
    """What was done, and why nothing was if something was wanted."""
    return ("static", "") if isinstance(reduction, Reduction) else ("none", reduction.reason)


def usable(reduction: Reduction | Unreduced) -> Reduction | None:
    """The reduction, if there is one."""
    return reduction if isinstance(reduction, Reduction) else None
