"""A claim as plain text: a formula, an automaton of its violations, and why that accepts all of them.

Or it is an automaton or a never claim, which says itself what must not be.

verified/README.md describes the form. The automaton of a formula and the reason need no trust:
proofs/semantics/satisfied.v asks for them, and decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from everafter.certificates.automaton.inclusion import GIVEN_UP
from everafter.certificates.automaton.justification import Shown, reasons
from everafter.certificates.native.listed_rows import Refused
from everafter.execution.plain_never import plain_never
from everafter.execution.plain_program import item, plain_proposition
from everafter.ltl.automaton import Automaton
from everafter.ltl.formula import (
    Always,
    And,
    Atom,
    Constant,
    Equivalent,
    Eventually,
    Formula,
    Implies,
    Next,
    Not,
    Or,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
    Xor,
    atoms,
)
from everafter.ltl.functions import TooLargeError
from everafter.product.claim import AutomatonClaim, Holds, NeverClaim
from everafter.questions.question import Question
from everafter.questions.question_code import sets_of

MOST_PARTS = 16
"""A formula with more different parts is not decided: the extracted program looks at every set of them."""
MOST_PAIRS = 2000
"""Nor is one whose reason has more pairs."""


def plain_claim(question: Question) -> str:
    """Return the claim of `question` in the plain form; only the automaton of a formula and its reason need no trust.

    Raises Refused if no reason for the automaton of a formula is found, or the property has no plain form, and
    InputError where a proposition has none.
    """
    match question.fairness:
        case None:
            lines = []
        case "weak":
            lines = [item("fair", sets_of(question) - 1)]
        case "strong":
            raise Refused("the verified program knows weak fairness only")
    match question.property.claim:
        case NeverClaim() as never:
            lines.append(plain_never(never.program, never.process, question.property.accept_labels))
        case AutomatonClaim() as claim:
            lines += _with_automaton(question, claim)
        case _:
            raise Refused("safety is no claim")
    return "".join(f"{line}\n" for line in lines)


def _with_automaton(question: Question, claim: AutomatonClaim) -> Iterator[str]:
    formula = question.property.formula
    texts = claim.automaton.propositions if formula is None else atoms(formula)
    numbers = {text: number for number, text in enumerate(texts)}
    if formula is not None:
        yield item("formula", _formula(formula, numbers))
    for text in numbers:
        holds = claim.propositions[text]
        if not isinstance(holds, Holds):
            raise Refused(f"the verified program knows no proposition '{text}'")
        yield item("proposition", plain_proposition(question.program, holds.expression))
    yield _automaton(claim.automaton, numbers)
    if formula is not None:
        yield from (_reason(each, numbers) for each in _found(Not(formula), claim.automaton))


def _found(violated: Formula, automaton: Automaton) -> tuple[Shown, ...]:
    try:
        found = reasons(violated, automaton)
    except TooLargeError:
        found = ()
    if not found:
        raise Refused("nothing shows that its automaton accepts every violation")
    if any(len(each.naive.parts) > MOST_PARTS or len(each.reason) > MOST_PAIRS for each in found):
        raise Refused("its formula is too large for the verified program: use --by native or reference")
    return found


def _automaton(automaton: Automaton, numbers: Mapping[str, int]) -> str:
    edges = []
    for state, edge in automaton.edges:
        cubes = (item("cube", *_literals(automaton, each, numbers)) for each in automaton.cubes(edge.label))
        edges.append(item("edge", state, edge.target, *cubes))
    accepting = item("accepting", *sorted(automaton.accepting_states))
    return item("automaton", automaton.initial, accepting, *edges)


def _literals(automaton: Automaton, cube: tuple[int, int], numbers: Mapping[str, int]) -> Iterator[str]:
    """The propositions that must hold in a cube, and those that must not."""
    for value, mask in zip((1, 0), cube, strict=True):
        for bit, text in enumerate(automaton.propositions):
            if mask >> bit & 1:
                yield item(str(numbers[text]), value)


def _reason(shown: Shown, numbers: Mapping[str, int]) -> str:
    """A reason: its formula, the promises that ranks name, and the pairs with the parts that each believes."""
    naive = shown.naive
    waited = item("waited", *(_formula(each, numbers) for each in naive.promises))
    parts = item("parts", *(_formula(each, numbers) for each in naive.parts))
    pairs = []
    for (guess, state), rank in shown.reason.items():
        believed = (number for number in range(len(naive.parts)) if guess >> number & 1)
        pairs.append(item("pair", item("believed", *believed), "none" if state == GIVEN_UP else state, rank))
    return item("reason", waited, parts, *pairs)


def _formula(formula: Formula, numbers: Mapping[str, int]) -> str:
    match formula:
        case Constant(value):
            return "(true)" if value else "(false)"
        case Atom():
            return item("atom", numbers[formula.text])
        case Not(f):
            return item("not", _formula(f, numbers))
        case Next(f):
            return item("next", _formula(f, numbers))
        case Eventually(f):
            return item("eventually", _formula(f, numbers))
        case Always(f):
            return item("always", _formula(f, numbers))
        case And(parts):
            return _several("and", "(true)", [_formula(each, numbers) for each in parts])
        case Or(parts):
            return _several("or", "(false)", [_formula(each, numbers) for each in parts])
        case Implies(f, g):
            return item("implies", _formula(f, numbers), _formula(g, numbers))
        case Equivalent(f, g):
            return item("equivalent", _formula(f, numbers), _formula(g, numbers))
        case Xor(f, g):
            return item("xor", _formula(f, numbers), _formula(g, numbers))
        case Until(f, g):
            return item("until", _formula(f, numbers), _formula(g, numbers))
        case WeakUntil(f, g):
            return item("weak_until", _formula(f, numbers), _formula(g, numbers))
        case Release(f, g):
            return item("release", _formula(f, numbers), _formula(g, numbers))
        case StrongRelease(f, g):
            return item("strong_release", _formula(f, numbers), _formula(g, numbers))
        case _:
            assert_never(formula)


def _several(name: str, none: str, parts: Sequence[str]) -> str:
    """Parts joined two by two, from the left."""
    whole, *others = parts or [none]
    for part in others:
        whole = item(name, whole, part)
    return whole
