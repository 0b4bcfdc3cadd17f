"""Kinds of automata, stuttering, and questions about formulas as languages."""

from __future__ import annotations

import random
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given, settings
from oracles.effort import effort
from oracles.ltl.random_formulas import all_lassos, random_formula, random_lasso
from tests.ltl.strategies import formulas

from everafter import ltl
from everafter.ltl import (
    Automaton,
    Formula,
    Lasso,
    Not,
    equivalent,
    holds,
    implies,
    is_next_free,
    is_safety,
    is_satisfiable,
    is_stutter_invariant,
    is_terminal,
    is_valid,
    is_weak,
    parse,
    to_buchi,
    translate,
)
from everafter.ltl.obligation import is_guarantee, is_obligation
from everafter.ltl.obligation import is_safety as is_syntactic_safety
from everafter.ltl.simplification import simplify
from everafter.ltl.stutter import telling_words


@pytest.mark.parametrize(
    ("text", "safety", "weak", "terminal"),
    [
        ("G p", True, True, False),
        ("p W q", True, True, False),
        ("true", True, True, True),
        ("F p", False, True, True),
        ("p U q", False, True, True),
        ("F G p", False, True, False),
        ("G F p", False, False, False),
        ("F p && G q", False, True, False),
    ],
)
def test_kinds(text: str, safety: bool, weak: bool, terminal: bool) -> None:
    for automaton in (translate(parse(text)), to_buchi(parse(text))):
        assert (is_safety(automaton), is_weak(automaton), is_terminal(automaton)) == (safety, weak, terminal)


@settings(max_examples=100, deadline=None)
@given(formulas)
def test_kinds_mean_what_they_say(formula: Formula) -> None:
    """On a weak automaton acceptance is decided by the component, on a safety automaton by not getting stuck."""
    automaton = to_buchi(formula)
    rng = random.Random(4)
    for word in (random_lasso(rng) for _ in range(5)):
        if is_safety(automaton):
            assert holds(formula, word) == runs_for_ever(automaton, word)
        if is_terminal(automaton):
            assert holds(formula, word) == reaches_acceptance(automaton, word)


def runs_for_ever(automaton: Automaton, word: Lasso) -> bool:
    return ltl.accepts(
        automaton.with_edges([[e._replace(marks=0) for e in o] for o in automaton.outgoing], acceptance_sets=0), word
    )


def reaches_acceptance(automaton: Automaton, word: Lasso) -> bool:
    reached = {(automaton.initial, 0)}
    waiting = list(reached)
    for state, position in waiting:
        if state in automaton.accepting_states:
            return True
        for edge in automaton.successors(state, automaton.valuation(word.letters[position])):
            pair = (edge.target, word.successor(position))
            if pair not in reached:
                reached.add(pair)
                waiting.append(pair)
    return False


@settings(max_examples=100, deadline=None)
@given(formulas)
def test_syntactic_classes_are_true(formula: Formula) -> None:
    simple = simplify(formula)
    if is_syntactic_safety(simple):
        assert is_safety(translate(formula))
    if is_guarantee(simple):
        assert is_safety(translate(Not(formula)))
    if is_obligation(simple):
        assert ltl.translate(formula).is_deterministic or is_weak(ltl.to_buchi(formula))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("G (p -> F q)", True),
        ("p U q", True),
        ("X p", False),
        ("p && X !p", False),
        ("F (p && X q)", False),
        ("F (p && X !p)", True),
        ("F (p && X (!p && q))", True),
        ("G (p -> X p)", True),
        ("G (p -> X q)", False),
        ("X F p", False),
        ("p && X F !p", True),
        ("X G F p", True),
        ("F p && X F !p", False),
        ("(p U q) || X (p U q)", False),
        ("X true", True),
    ],
)
def test_stutter_invariance(text: str, expected: bool) -> None:
    assert is_stutter_invariant(parse(text)) is expected


def canonical(word: Lasso) -> tuple[tuple[frozenset[str], ...], tuple[frozenset[str], ...]]:
    """The shortest lasso that is stutter-equivalent to a word."""
    cycle = [frozenset(letter) for letter, _ in groupby(word.cycle)]
    while len(cycle) > 1 and cycle[0] == cycle[-1]:
        cycle.pop()
    cycle = [letter for letter, _ in groupby(cycle)]
    # A cycle that repeats a shorter one is that shorter one.
    for length in range(1, len(cycle) + 1):
        if len(cycle) % length == 0 and cycle[:length] * (len(cycle) // length) == cycle:
            cycle = cycle[:length]
            break
    prefix = [frozenset(letter) for letter, _ in groupby(word.prefix)]
    while prefix and prefix[-1] == cycle[-1]:
        cycle = [cycle[-1], *cycle[:-1]]
        prefix.pop()
    if prefix and prefix[-1] == cycle[0]:
        prefix.pop()
    return tuple(prefix), tuple(cycle)


def test_stutter_invariance_agrees_with_its_definition_on_short_words() -> None:
    words = all_lassos(("p", "q"), 4)
    classes: dict[object, list[Lasso]] = {}
    for word in words:
        classes.setdefault(canonical(word), []).append(word)
    rng = random.Random(15)
    answers = []
    for _ in range(150):
        formula = random_formula(rng, rng.randint(1, 4), ("p", "q"))
        seen = all(len({holds(formula, word) for word in members}) == 1 for members in classes.values())
        invariant = is_stutter_invariant(formula)
        answers.append((invariant, is_next_free(formula)))
        assert not invariant or seen
        # Formulas this small tell words apart, if at all, on words this short.
        assert invariant or not seen
    assert (True, False) in answers
    assert (False, False) in answers


def test_words_that_tell_are_stretchings_of_each_other() -> None:
    """What is said of them would be no proof otherwise."""
    for text in ("X p", "G (p -> X X X q)", "p U (q && X (r || X s))"):
        for words in telling_words(parse(text)):
            assert len(words) > 1
            assert len(set(map(canonical, words))) == 1


@pytest.mark.parametrize("text", ["G (p -> {} q)", "G F (p && {} q)", "G (p <-> {} q)", "p U {} q"])
def test_counting_further_is_not_much_more_work(text: str) -> None:
    """The automaton of the first has twice as many states with each X."""

    def work(count: int) -> int:
        formula = parse(text.format("X " * count))
        return effort(lambda: is_stutter_invariant(formula))

    assert work(10) < 6 * work(5)


def test_the_example_of_the_documentation_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "ltl.md").read_text()
    code = page.split("```python\n")[1].split("```")[0]
    values = {}
    for line in code.splitlines():
        statement, _, comment = line.partition("  #")
        if comment:
            values[statement.strip()] = comment
    names: dict[str, object] = {}
    exec(code, names)
    checked = [expression for expression in values if "=" not in expression.split("(")[0]]
    for expression in checked:
        assert str(eval(expression, names)) == values[expression].split(":")[0].strip()
    assert len(checked) == 4
    assert "never {" in capsys.readouterr().out


def test_questions_about_formulas() -> None:
    f, g = parse("p U q"), parse("F q")
    assert implies(f, g)
    assert not implies(g, f)
    assert equivalent(parse("!(p U q)"), parse("!p R !q"))
    assert not equivalent(f, g)
    assert is_valid(parse("(X p U X q) || !X (p U q)"))
    assert not is_valid(f)
    assert is_satisfiable(f)
    assert not is_satisfiable(parse("G p && F !p"))


def test_the_public_names_are_documented_and_exist() -> None:
    assert sorted(ltl.__all__) == sorted(set(ltl.__all__))
    for name in ltl.__all__:
        thing = getattr(ltl, name)
        assert not callable(thing) or thing.__doc__, name
