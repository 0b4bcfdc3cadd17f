"""The meaning of formulas on lassos: worked examples, and the laws that define the operators from one another."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from tests.ltl.strategies import formulas, lassos

from everafter.ltl import (
    Always,
    And,
    Eventually,
    Formula,
    Lasso,
    Next,
    Not,
    Or,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
    holds,
    parse,
)


def word(prefix: str, cycle: str) -> Lasso:
    """A lasso of letters with at most one proposition each; a dot is the empty letter."""

    def letters(text: str) -> tuple[frozenset[str], ...]:
        return tuple(frozenset(() if character == "." else character) for character in text)

    return Lasso(letters(prefix), letters(cycle))


@pytest.mark.parametrize(
    ("text", "prefix", "cycle", "expected"),
    [
        ("p", "p", ".", True),
        ("X p", "p", ".", False),
        ("X p", "", ".p", True),
        ("X X p", "", "p.", True),
        ("F p", "..", ".p", True),
        ("F p", "..", ".", False),
        ("G p", "p", "p", True),
        ("G p", "pp", "p.", False),
        ("G F p", "...", ".p", True),
        ("F G p", "..", "p.", False),
        ("p U q", "pp", "q", True),
        ("p U q", "p.", "q", False),
        ("p U q", "", "p", False),
        ("p W q", "", "p", True),
        ("p W q", "p.", "p", False),
        ("q R p", "", "p", True),
        ("q R p", "p", "q", False),
        ("q M p", "", "p", False),
        ("p U p", ".", "p", False),
        ("true U p", ".", "p", True),
        ("p -> q", ".", "p", True),
        ("p <-> q", "p", "p", False),
        ("p xor q", "p", "p", True),
    ],
)
def test_examples(text: str, prefix: str, cycle: str, expected: bool) -> None:
    assert holds(parse(text), word(prefix, cycle)) is expected


def test_both_propositions_release_at_the_same_step() -> None:
    both = frozenset({"p", "q"})
    lasso = Lasso((frozenset({"p"}), both), (frozenset(),))
    assert holds(parse("q R p"), lasso)
    assert holds(parse("q M p"), lasso)
    assert not holds(parse("q M p"), Lasso((frozenset({"p"}),), (frozenset({"q"}),)))


@settings(max_examples=150, deadline=None)
@given(formulas, formulas, lassos)
def test_operators_unfold_by_one_step(f: Formula, g: Formula, lasso: Lasso) -> None:
    laws: list[tuple[Formula, Formula]] = [
        (Until(f, g), Or((g, And((f, Next(Until(f, g))))))),
        (WeakUntil(f, g), Or((g, And((f, Next(WeakUntil(f, g))))))),
        (Release(f, g), And((g, Or((f, Next(Release(f, g))))))),
        (StrongRelease(f, g), And((g, Or((f, Next(StrongRelease(f, g))))))),
        (Eventually(f), Or((f, Next(Eventually(f))))),
        (Always(f), And((f, Next(Always(f))))),
        (Not(Until(f, g)), Release(Not(f), Not(g))),
        (Not(WeakUntil(f, g)), StrongRelease(Not(f), Not(g))),
    ]
    for left, right in laws:
        assert holds(left, lasso) == holds(right, lasso)


@settings(max_examples=100, deadline=None)
@given(formulas, lassos)
def test_unrolling_the_cycle_changes_nothing(formula: Formula, lasso: Lasso) -> None:
    unrolled = Lasso(lasso.prefix + lasso.cycle, lasso.cycle)
    doubled = Lasso(lasso.prefix, lasso.cycle + lasso.cycle)
    assert holds(formula, lasso) == holds(formula, unrolled) == holds(formula, doubled)


def test_a_lasso_needs_a_cycle() -> None:
    with pytest.raises(ValueError, match="at least one letter"):
        Lasso((frozenset(),), ())
