"""What is seen to be insensitive to stuttering is, and most of what is, is seen."""

from __future__ import annotations

import random

import pytest
from oracles.ltl.random_formulas import random_formula

from everafter.ltl import Automaton, from_never, is_stutter_invariant, parse, stutter_closure, to_buchi
from everafter.ltl.stutter_closure import is_seen_closed


@pytest.mark.parametrize(
    "formula", ["[] p", "[]<> p", "<>[] p", "p U (q U r)", "[] (p -> (q U r))", "[]<> p && []<> q", "p && !p"]
)
def test_usual_formulas_are_seen_to_be_closed(formula: str) -> None:
    assert is_seen_closed(to_buchi(parse(formula)))


@pytest.mark.parametrize("formula", ["X p", "[] (p -> X q)", "<> (p && X p)", "X p || p"])
def test_formulas_that_count_are_not(formula: str) -> None:
    assert not is_seen_closed(to_buchi(parse(formula)))


@pytest.mark.parametrize(
    ("claim", "closed"),
    [
        ("never { T0: do :: !p -> goto accept :: 1 -> goto T0 od; accept: do :: !p -> goto accept od }", True),
        ("never { T0: if :: p -> goto T0 :: !p -> goto accept_all fi; accept_all: skip }", True),
        ("never { T0: if :: p -> goto T1 fi; T1: if :: p -> goto accept_all fi; accept_all: skip }", False),
        ("never { T0: if :: p -> goto accept fi; accept: if :: !p -> goto T0 fi }", False),
    ],
)
def test_never_claims(claim: str, closed: bool) -> None:
    assert is_seen_closed(from_never(claim)) is closed


def test_several_acceptance_sets_and_large_automata_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    automaton = to_buchi(parse("[]<> p"))
    two = automaton.with_edges(automaton.outgoing, acceptance_sets=2)
    assert not is_seen_closed(two)
    monkeypatch.setattr(stutter_closure, "MOST_POSITIONS", 3)
    assert not is_seen_closed(automaton)


def seen_and_exact(seeds: range) -> list[tuple[bool, bool]]:
    found = []
    for seed in seeds:
        generator = random.Random(seed)
        formula = random_formula(generator, generator.randrange(3, 7))
        found.append((is_seen_closed(to_buchi(formula)), is_stutter_invariant(formula)))
    return found


def test_what_is_seen_is_true() -> None:
    found = seen_and_exact(range(250))
    assert (True, False) not in found
    assert found.count((True, True)) > 9 * found.count((False, True))
    assert found.count((False, False)) > 30


def test_answers_that_need_not_accept_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The game must look at acceptance: without, an automaton that counts its accepted letters passes."""
    monkeypatch.setattr(Automaton, "all_marks", 0)
    monkeypatch.setattr(stutter_closure, "_live", lambda automaton: frozenset(automaton.states))
    assert (True, False) in seen_and_exact(range(60))
