"""Other translators to compare with: SPIN's own (`spin -f`) and LBT (Rönkkö), both in Debian."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from everafter.ltl import (
    Always,
    And,
    Atom,
    Automaton,
    Constant,
    Edge,
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
    from_never,
    text_of,
)
from everafter.ltl.automaton import joined_edges
from everafter.ltl.diagrams import Diagrams
from everafter.ltl.functions import FALSE, TRUE

SIZES = Path(__file__).parent / "sizes.csv"
"""Classic formulas, with the states of SPIN's and of Spot's automata; see tests/ltl/test_sizes.py."""


def _output(command: list[str], given: str, seconds: float) -> str | None:
    try:
        done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout


def by_spin(formula: Formula, seconds: float = 2) -> Automaton | None:
    """SPIN's automaton of a formula without X; None if SPIN takes too long."""
    printed = _output(["spin", "-f", text_of(without_weak(formula), "spin")], "", seconds)
    return None if printed is None else from_never(printed)


def without_weak(formula: Formula) -> Formula:
    """The formula with W, which `spin -f` does not read, spelt with V; M is spelt with U by `text_of` already."""
    match formula:
        case Constant() | Atom():
            return formula
        case Not(f) | Next(f) | Eventually(f) | Always(f):
            return type(formula)(without_weak(f))
        case And(parts) | Or(parts):
            return type(formula)(tuple(map(without_weak, parts)))
        case WeakUntil(f, g):
            left, right = without_weak(f), without_weak(g)
            return Release(right, Or((left, right)))
        case _:
            return type(formula)(without_weak(formula.left), without_weak(formula.right))


def by_lbt(formula: Formula, seconds: float = 2) -> Automaton | None:
    """LBT's automaton of a formula whose propositions are p0, p1, …; None if LBT takes too long."""
    printed = _output(["lbt"], f"{_prefix(formula)}\n", seconds)
    return None if printed is None else from_lbt(printed)


def _prefix(formula: Formula) -> str:
    match formula:
        case Constant(value):
            return "t" if value else "f"
        case Atom(text):
            return text
        case Not(f):
            return f"! {_prefix(f)}"
        case Next(f):
            return f"X {_prefix(f)}"
        case Eventually(f):
            return f"F {_prefix(f)}"
        case Always(f):
            return f"G {_prefix(f)}"
        case And(parts) | Or(parts):
            sign = "&" if isinstance(formula, And) else "|"
            return f"{f'{sign} ' * (len(parts) - 1)}{' '.join(map(_prefix, parts))}"
        case WeakUntil(f, g):
            return _prefix(Release(g, Or((f, g))))
        case StrongRelease(f, g):
            return _prefix(Until(g, And((f, g))))
        case Implies(f, g) | Equivalent(f, g) | Xor(f, g) | Until(f, g) | Release(f, g):
            sign = {Implies: "i", Equivalent: "e", Xor: "^", Until: "U", Release: "V"}[type(formula)]
            return f"{sign} {_prefix(f)} {_prefix(g)}"
        case _:
            raise AssertionError(formula)


def from_lbt(text: str) -> Automaton:
    """The automaton in LBT's format: states with acceptance sets, guards in prefix notation."""
    words = iter(text.split())
    count, sets = int(next(words)), int(next(words))
    diagrams = Diagrams()
    names: dict[str, int] = {}
    edges: dict[int, list[Edge]] = {}
    initial: list[int] = []
    for _ in range(count):
        state = int(next(words))
        if int(next(words)):
            initial.append(state)
        marks = sum(1 << number for number in _until_end(words))
        edges[state] = []
        while (target := int(next(words))) != -1:
            edges[state].append(Edge(_guard(words, diagrams, names), marks, target))
    numbers = {state: index + 1 for index, state in enumerate(edges)}
    outgoing = [[edge for state in initial for edge in edges[state]], *edges.values()]
    tidy = [joined_edges(diagrams, [e._replace(target=numbers[e.target]) for e in out]) for out in outgoing]
    return Automaton(tuple(names), diagrams, 0, tuple(tidy), sets)


def _until_end(words: Iterator[str]) -> Iterator[int]:
    while (number := int(next(words))) != -1:
        yield number


def _guard(words: Iterator[str], diagrams: Diagrams, names: dict[str, int]) -> int:
    match next(words):
        case "t":
            return TRUE
        case "f":
            return FALSE
        case "!":
            return ~_guard(words, diagrams, names)
        case "&":
            return diagrams.conjoin(_guard(words, diagrams, names), _guard(words, diagrams, names))
        case "|":
            return diagrams.disjoin(_guard(words, diagrams, names), _guard(words, diagrams, names))
        case name:
            return diagrams.variable(names.setdefault(name, len(names)))
