"""The tests bite: bugs planted in each stage of the translation make the comparison with the meaning fail."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest
from oracles.ltl.random_formulas import random_formula, random_lasso

from everafter.ltl import (
    Automaton,
    Edge,
    Formula,
    accepts,
    cleanup,
    degeneralise,
    direct_simulation,
    holds,
    obligation,
    parse,
    stutter,
    tableau,
    terms,
    text_of,
    to_buchi,
    translate,
)
from everafter.ltl.direct_simulation import Join, Step
from everafter.ltl.functions import FALSE, Functions

# The function `translate` hides the module of that name from an import statement.
translation = importlib.import_module("everafter.ltl.translation")


def disagreement(tries: int) -> str | None:
    """A formula and a word on which an automaton and the meaning differ."""
    for index in range(tries):
        rng = random.Random(index)
        formula = random_formula(rng, rng.randint(2, 8), ("p", "q"))
        automata = translate(formula), to_buchi(formula)
        for _ in range(8):
            word = random_lasso(rng, ("p", "q"))
            if any(accepts(automaton, word) != holds(formula, word) for automaton in automata):
                return f"{text_of(formula)} on {word}"
    return None


def test_without_a_bug_there_is_no_disagreement() -> None:
    assert disagreement(200) is None


def answered_without_marks(join: Join, steps: Sequence[Step], marks: int, targets: int) -> int:
    return true_answered(join, steps, 0, targets)


def answered_for_any_letter(join: Join, steps: Sequence[Step], marks: int, targets: int) -> int:
    return true_answered(join, steps, 0, -1) if true_answered(join, steps, marks, targets) != FALSE else FALSE


def answered_from_anywhere(join: Join, steps: Sequence[Step], marks: int, targets: int) -> int:
    return true_answered(join, steps, marks, -1)


def keep_no_set(marks: Iterable[int], count: int) -> list[int]:
    return []


def keep_the_containing_set(marks: Iterable[int], count: int) -> list[int]:
    """Of two sets, one inside the other, the larger one: the wrong way round."""
    masks = set(marks)
    members = {i: {mask for mask in masks if mask >> i & 1} for i in range(count)}
    return [i for i in range(count) if not any(members[i] < members[j] for j in range(count))]


def count_a_set_too_early(self: Any, level: int, marks: int) -> int:
    return min(len(self.order), level + (marks != 0))


def accept_every_component(*_: object) -> bool:
    return True


def no_promise(self: tableau.Unfolding, promise: Formula, formula: Formula) -> terms.Terms:
    return self._next(formula)


def without_dominated_at_all(_: Functions, edges: Sequence[Edge], above: list[int]) -> list[Edge]:
    """Drops an edge when another one to a comparable state exists, whatever the letters."""
    return [e for e in edges if not any(o is not e and above[e.target] >> o.target & 1 for o in edges)]


true_answered = direct_simulation._answered
yes: Callable[..., bool] = accept_every_component

BUGS: dict[str, tuple[object, str, object]] = {
    "simulation ignores marks": (direct_simulation, "_answered", answered_without_marks),
    "simulation answers with other letters": (direct_simulation, "_answered", answered_for_any_letter),
    "simulation forgets the targets": (direct_simulation, "_answered", answered_from_anywhere),
    "simulation cuts edges by target alone": (direct_simulation, "_without_dominated", without_dominated_at_all),
    "acceptance is dropped": (cleanup, "_needed_sets", keep_no_set),
    "the larger acceptance set is kept": (cleanup, "_needed_sets", keep_the_containing_set),
    "the counter skips sets": (degeneralise._Counter, "_advanced", count_a_set_too_early),
    "every component of the weak automaton accepts": (obligation, "_accepts_a_cycle", accept_every_component),
    "everything is an obligation": (translation, "is_obligation", yes),
    "a guess is not checked": (translation, "disjoint", yes),
    "nothing is promised": (tableau.Unfolding, "_owed", no_promise),
}


@pytest.mark.parametrize("name", BUGS)
def test_a_bug_in_the_translation_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place, attribute, wrong = BUGS[name]
    monkeypatch.setattr(place, attribute, wrong)
    assert disagreement(3000) is not None


def test_reverse_simulation_must_respect_the_initial_state(monkeypatch: pytest.MonkeyPatch) -> None:
    true_simulation = direct_simulation._simulation
    monkeypatch.setattr(direct_simulation, "_simulation", lambda a, e, _: true_simulation(a, e, [-1] * len(e)))
    assert disagreement(3000) is not None


def test_stuttering_must_not_go_on_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the set that counts progress, both sides could repeat their first letter for ever and seem to meet."""
    true_stretched = stutter._stretched

    def endless(automaton: Automaton, letters: list[int]) -> Automaton:
        stretched = true_stretched(automaton, letters)
        last = stretched.acceptance_sets - 1
        keep = (1 << last) - 1
        return stretched.with_edges(
            [[edge._replace(marks=edge.marks & keep) for edge in edges] for edges in stretched.outgoing],
            acceptance_sets=last,
        )

    left, right = translate(parse("p && !q && X G q")), translate(parse("p && !q && X G (!p && !q)"))
    assert stutter.are_stutter_separated(left, right)
    monkeypatch.setattr(stutter, "_stretched", endless)
    assert not stutter.are_stutter_separated(left, right)
