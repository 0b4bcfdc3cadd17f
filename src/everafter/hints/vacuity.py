"""Whether a formula holds for a reason that is not the one meant.

A formula that holds of a model holds vacuously in one of its parts if the part does not matter: with the value in its
place that makes the formula say most, it holds, too (Beer, Ben-David, Eisner, Rodeh, 1997; Kupferman, Vardi, 2003).
For [] (p -> q) and its part q that is [] !p: the premise is never true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from everafter.deadline import OutOfTime
from everafter.hints.effort import Means, lightly
from everafter.hints.facts import Needless, Vacuity
from everafter.ltl.formula import (
    FALSE,
    TRUE,
    Always,
    And,
    Atom,
    Constant,
    Equivalent,
    Formula,
    Implies,
    Not,
    Xor,
    operands,
    rebuild,
    size,
)
from everafter.ltl.formula_text import text_of
from everafter.ltl.functions import TooLargeError
from everafter.ltl.strong_components import is_empty
from everafter.product.claim import AutomatonClaim
from everafter.questions.outcome import Ending
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.record import dataclass, replace

_MOST_STATES = 100_000
_MOST_PARTS = 4
"""How many parts are looked at, each among `_MOST_STATES` states, where the user has not requested more."""
_LARGE = 200
"""Formulas with more operators are not written by hand."""


def vacuity(question: Question, engine: str, seconds: float, is_wanted: bool, means: Means) -> Vacuity | None:
    """Return in what the formula of `question`, which `engine` found to hold in `seconds`, holds vacuously.

    None if the property is no formula. If it `is_wanted`, every proposition is looked at, with all effort that the
    question allows; otherwise the conclusions of implications. `means` decide. Raises KeyboardInterrupt if the user
    wants the check to end.
    """
    asked = question.property
    if asked.kind != "ltl" or asked.formula is None or not isinstance(asked.claim, AutomatonClaim):
        return None
    if is_empty(asked.claim.automaton):
        return Vacuity(is_valid=True)
    if size(asked.formula) > _LARGE:
        return Vacuity()
    parts = [each for each in _parts(asked.formula) if is_wanted or each.is_conclusion]
    looked_at = parts if is_wanted else parts[:_MOST_PARTS]
    hinted = question if is_wanted else lightly(question, _MOST_STATES, seconds)
    stronger = dict.fromkeys(part.stronger for part in looked_at)
    answers = {formula: _holds(hinted, formula, engine, means) for formula in stronger}
    idle = [part for part in looked_at if answers[part.stronger]]
    return Vacuity(
        unmet=tuple(dict.fromkeys(text_of(part.premise) for part in idle if part.premise is not None)),
        needless=tuple(dict.fromkeys(_needless(asked.formula, part) for part in idle if part.premise is None)),
        undecided=len(parts) - len(looked_at) + sum(answers[part.stronger] is None for part in looked_at),
    )


def _needless(formula: Formula, part: _Part) -> Needless:
    """What is said of a part of the formula that could be something else."""
    same = list(_places(formula, part.part))
    return Needless(text_of(part.part), part.could_be, same.index(part.place) + 1, len(same))


def _places(formula: Formula, part: Formula, place: Place = ()) -> Iterator[Place]:
    """Where a part is in the formula at `place`, from left to right."""
    if formula == part:
        yield place
    for position, operand in enumerate(operands(formula)):
        yield from _places(operand, part, (*place, position))


Place = tuple[int, ...]
"""Where a part of a formula is: which operand of which operand."""


When = Literal["now", "always", "sometimes"]
"""When something is required: at the start, in every state of a run, or in some that depend on others."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a formula at one place in it, and the formula with the strongest value in its place."""

    part: Formula
    place: Place
    could_be: bool
    stronger: Formula
    premise: Formula | None = None
    """If the part is the conclusion of an implication that holds always: the premise, which is then never true."""
    is_conclusion: bool = False


def _parts(formula: Formula) -> Iterator[_Part]:
    """The conclusions of implications, and the propositions, at every place where more truth is more, or less."""
    yield from _inside(formula, (), True, "now", lambda part: part)


def _inside(
    formula: Formula, place: Place, is_positive: bool, when: When, put: Callable[[Formula], Formula]
) -> Iterator[_Part]:
    """The parts of a part at `place`, which `put` puts back: one that is required, or forbidden, and when it is."""
    parts = operands(formula)

    def put_at(position: int) -> Callable[[Formula], Formula]:
        return lambda part: put(rebuild(formula, (*parts[:position], part, *parts[position + 1 :])))

    match formula:
        case Atom():
            strongest = FALSE if is_positive else TRUE
            yield _Part(formula, place, not is_positive, put(strongest))
        case Implies(left=premise, right=conclusion):
            if is_positive and not isinstance(conclusion, Constant):
                known = premise if when == "always" else None
                yield _Part(conclusion, (*place, 1), False, put_at(1)(FALSE), known, is_conclusion=True)
            yield from _inside(premise, (*place, 0), not is_positive, "sometimes", put_at(0))
            yield from _inside(conclusion, (*place, 1), is_positive, "sometimes", put_at(1))
        case Not(operand=operand):
            yield from _inside(operand, (*place, 0), not is_positive, "sometimes", put_at(0))
        case Equivalent() | Xor():
            return  # a part of these is required and forbidden at once
        case _:
            for position, part in enumerate(parts):
                yield from _inside(part, (*place, position), is_positive, _when(formula, when), put_at(position))


def _when(formula: Formula, when: When) -> When:
    """When the parts of a formula are required, if it is itself."""
    match formula:
        case Always():
            return "sometimes" if when == "sometimes" else "always"
        case And():
            return when
        case _:
            return "sometimes"


def _holds(question: Question, formula: Formula, engine: str, means: Means) -> bool | None:
    """Whether another formula over the same propositions holds, too; None if that is not decided."""
    asked = question.property
    assert isinstance(asked.claim, AutomatonClaim)
    from everafter.ltl.translation import to_buchi  # noqa: PLC0415 # few verdicts hold for nothing

    try:
        with question.deadline.enforced():
            claim = AutomatonClaim(to_buchi(Not(formula)), asked.claim.propositions)
        stronger = replace(question, property=replace(asked, claim=claim, formula=formula))
        outcome = means.decide(stronger, Request(engine=engine))
    except (TooLargeError, OutOfTime):
        return None
    if outcome.ending is Ending.INTERRUPTED:
        raise KeyboardInterrupt
    return outcome.ending is Ending.COMPLETED if outcome.ending in (Ending.COMPLETED, Ending.FOUND) else None
