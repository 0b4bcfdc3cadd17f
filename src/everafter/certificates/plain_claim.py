"""A claim as plain text: a formula, an automaton of its violations, and why that accepts all of them.

verified/README.md describes the form. The automaton and the reason need no trust: proofs/semantics/satisfied.v asks for
them, and decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from everafter.certificates.automaton.inclusion import GIVEN_UP
from everafter.certificates.automaton.justification import Shown, reasons
from everafter.certificates.native.listed_rows import Refused
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
from everafter.product.claim import AutomatonClaim, Holds
from everafter.questions.question import Question

MOST_PARTS = 16
"""A formula with more different parts is not decided: the extracted program looks at every set of them."""
MOST_PAIRS = 2000
"""Nor is one whose reason has more pairs."""


def plain_claim(question: Question) -> str:
    """Return the claim of `question` in the plain form; of each line, the first two kinds are trusted.

    Raises Refused if it is no formula, or if no reason for its automaton is found, and InputError where a proposition
    has no plain form.
    """
    claim, formula = question.property.claim, question.property.formula
    if not isinstance(claim, AutomatonClaim) or formula is None:
        raise Refused("the verified program decides safety and formulas")
    if question.fairness is not None:
        raise Refused("the verified program decides formulas of all runs, not of fair ones")
    numbers = {text: number for number, text in enumerate(atoms(formula))}
    lines = [item("formula", _formula(formula, numbers))]
    for text in numbers:
        holds = claim.propositions[text]
        if not isinstance(holds, Holds):
            raise Refused(f"the verified program knows no proposition '{text}'")
        lines.append(item("proposition", plain_proposition(question.program, holds.expression)))
    lines.append(_automaton(claim.automaton, numbers))
    lines += [_reason(each, numbers) for each in _found(Not(formula), claim.automaton)]
    return "".join(f"{line}\n" for line in lines)


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
