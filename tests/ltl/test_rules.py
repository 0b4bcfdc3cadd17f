"""Each rewrite rule is an equivalence, and the tests would notice if it were not.

A rule with a wrong right-hand side, or with its side condition forgotten, is planted in place of each rule: the
search by random formulas, the same that guards the true rules, has to find a word on which simplifying goes wrong.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from oracles.ltl.random_formulas import all_lassos, random_formula, random_lasso
from tests.ltl.strategies import formulas, lassos

from everafter.ltl import (
    Always,
    And,
    Atom,
    Equivalent,
    Eventually,
    Formula,
    Implies,
    Lasso,
    Next,
    Not,
    Or,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
    atoms,
    holds,
    parse,
    simplify,
    text_of,
)
from everafter.ltl.formula import operands, substitute
from everafter.ltl.implication import Implication
from everafter.ltl.normal_form import Classes, normal_form
from everafter.ltl.rules import RULES, Rule, operator, pattern

NAMES = ("p", "q", "r")
EVENTUAL = "ef"
UNIVERSAL = "uv"
ANY = "abcdijkl"


def test_the_operator_of_a_rule_is_found_without_reading_it() -> None:
    assert [operator(rule) for rule in RULES] == [type(pattern(rule).before) for rule in RULES]


def name_of(rule: Rule) -> str:
    return rule.name


def instances(letter: str) -> list[Formula]:
    """What a letter may stand for. If a law holds for propositions it holds for all formulas; classes need samples."""
    own = Atom(letter)
    if letter in EVENTUAL:
        return [Eventually(own), Or((Eventually(And((own, Next(Atom("x"))))), Always(Eventually(own))))]
    if letter in UNIVERSAL:
        return [Always(own), And((Always(Or((own, Next(Atom("x"))))), Eventually(Always(own))))]
    if letter == "s":
        return [Always(Eventually(own)), Eventually(Always(own))]
    return [own]


def choices(rule: Rule) -> list[dict[str, Formula]]:
    letters = sorted(set(re.findall(r"\b[a-z]\b", f"{rule.before} {rule.after}")))
    found: list[dict[str, Formula]] = [{}]
    for letter in letters:
        found = [{**one, letter: formula} for one in found for formula in instances(letter)]
    return found


def instance(shape: Formula, chosen: dict[str, Formula]) -> Formula:
    return substitute(shape, lambda atom: chosen[atom.text])


def law_breaker(rule: Rule) -> tuple[Formula, Lasso] | None:
    """A word on which the two sides of a rule differ although its condition holds throughout."""
    shape = pattern(rule)
    for chosen in choices(rule):
        before, after = (instance(side, chosen) for side in (shape.before, shape.after))
        conditions = [Always(Implies(instance(one, chosen), instance(other, chosen))) for one, other in shape.when]
        law = And((*conditions, Not(Equivalent(before, after))))
        names = atoms(law)
        for word in all_lassos(names, 4 if len(names) <= 2 else 3 if len(names) == 3 else 2):
            if holds(law, word):
                return before, word
    return None


@pytest.mark.parametrize("rule", RULES, ids=name_of)
def test_every_rule_is_a_law(rule: Rule) -> None:
    assert law_breaker(rule) is None


def test_rules_have_different_names() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)


SWAPS: dict[type, type] = {
    And: Or, Or: And, Eventually: Always, Always: Eventually, Until: WeakUntil, WeakUntil: Until,
    Release: StrongRelease, StrongRelease: Release, Next: Eventually,
}  # fmt: skip


def wrong_twins(rule: Rule) -> list[Rule]:
    """The rule with one operator of its result exchanged, or cut down to an operand, or negated; or unconditional."""
    after = pattern(rule).after
    results: list[Formula] = list(operands(after))
    if type(after) in SWAPS:
        results.insert(0, SWAPS[type(after)](*([after.parts] if isinstance(after, And | Or) else operands(after))))
    results.append(Not(after))
    twins = [replace(rule, name=f"{rule.name}: wrong result", after=text_of(result)) for result in results]
    wrong = [twin for twin in twins if law_breaker(twin) is not None][:1]
    if rule.when:
        wrong.append(replace(rule, name=f"{rule.name}: condition forgotten", when=""))
    free = forgotten_classes(rule)
    if free is not None:
        wrong.append(free)
    return wrong


def forgotten_classes(rule: Rule) -> Rule | None:
    """The rule with its special letters standing for anything, if that makes a difference."""
    rename = {"e": "a", "f": "b", "u": "c", "v": "d", "s": "b"}
    taken = set(re.findall(r"\b[a-z]\b", rule.before)) & set("abcd")
    names = {letter: new for letter, new in rename.items() if re.search(rf"\b{letter}\b", rule.before)}
    if not names:
        return None
    spare = [letter for letter in "abcd" if letter not in taken]
    names = dict(zip(names, spare, strict=False))

    def general(text: str) -> str:
        return re.sub(r"\b[efuvs]\b", lambda match: names[match[0]], text)

    twin = Rule(f"{rule.name}: class forgotten", general(rule.before), general(rule.after))
    return twin if law_breaker(twin) is not None else None


TWINS = [twin for rule in RULES for twin in wrong_twins(rule)]


def test_every_rule_has_a_wrong_twin() -> None:
    assert {twin.name.split(":")[0] for twin in TWINS} == {rule.name for rule in RULES}


@pytest.mark.parametrize("twin", TWINS, ids=name_of)
def test_a_wrong_rule_is_noticed(twin: Rule) -> None:
    true_name = twin.name.split(":")[0]
    rules = (twin, *(rule for rule in RULES if rule.name != true_name))
    assert first_disagreement(rules, pattern(twin).before, 4000) is not None


@pytest.mark.parametrize("rule", RULES, ids=name_of)
def test_the_true_rule_is_not(rule: Rule) -> None:
    rules = (rule, *(other for other in RULES if other is not rule))
    assert first_disagreement(rules, pattern(rule).before, 60) is None


def first_disagreement(rules: tuple[Rule, ...], shape: Formula, tries: int) -> tuple[Formula, Lasso] | None:
    """A formula that contains the shape and changes its meaning on some word when simplified with these rules."""
    rng = random.Random(7)
    for _ in range(tries):
        values = {name: small_formula(rng, name) for name in atoms(shape)}
        formula = instance(shape, values)
        if rng.random() < 0.3:
            formula = rng.choice((Not, Next, Always, Eventually))(formula)
        simple = simplify(formula, rules)
        for _ in range(6):
            word = random_lasso(rng, NAMES)
            if holds(formula, word) != holds(simple, word):
                return formula, word
    return None


def small_formula(rng: random.Random, letter: str) -> Formula:
    """A random formula of the class a letter of a rule stands for."""
    inner = random_formula(rng, rng.choice((0, 0, 0, 1, 1, 2)), NAMES)
    if letter in EVENTUAL:
        return Eventually(inner)
    if letter in UNIVERSAL:
        return Always(inner)
    if letter == "s":
        return rng.choice((Always(Eventually(inner)), Eventually(Always(inner))))
    return inner


@settings(max_examples=300, deadline=None)
@given(formulas, lassos)
def test_simplifying_keeps_the_meaning(formula: Formula, word: Lasso) -> None:
    assert holds(simplify(formula), word) == holds(formula, word)


@settings(max_examples=200, deadline=None)
@given(formulas)
def test_simplifying_twice_changes_nothing_more(formula: Formula) -> None:
    once = simplify(formula)
    assert simplify(once) is once


@settings(max_examples=200, deadline=None)
@given(formulas, lassos)
def test_the_normal_form_keeps_the_meaning(formula: Formula, word: Lasso) -> None:
    assert holds(normal_form(formula), word) == holds(formula, word)
    assert holds(normal_form(formula, negated=True), word) != holds(formula, word)


def test_implications_are_true() -> None:
    """Every implication claimed among many small formulas holds on many words."""
    rng = random.Random(11)
    implication = Implication(Classes())
    some = [normal_form(random_formula(rng, rng.randint(0, 4), ("p", "q"))) for _ in range(250)]
    words = [random_lasso(rng, ("p", "q")) for _ in range(60)]
    truth = {formula: [holds(formula, word) for word in words] for formula in some}
    claimed = 0
    for f in some:
        for g in some:
            if f is not g and implication.holds(f, g):
                claimed += 1
                assert all(not one or other for one, other in zip(truth[f], truth[g], strict=True)), (f, g)
    assert claimed > 1000


def test_classes_are_true() -> None:
    """Eventual formulas survive letters put in front, universal ones letters taken away."""
    rng = random.Random(12)
    classes = Classes()
    some = [normal_form(random_formula(rng, rng.randint(1, 5), ("p", "q"))) for _ in range(1500)]
    words = [random_lasso(rng, ("p", "q")) for _ in range(40)]
    counted = {"eventual": 0, "universal": 0}
    for formula in some:
        eventual, universal = classes.is_eventual(formula), classes.is_universal(formula)
        counted["eventual"] += eventual
        counted["universal"] += universal
        for word in words if eventual or universal else []:
            now, later = holds(formula, word), holds(formula, word, word.successor(0))
            assert not (eventual and later) or now
            assert not (universal and now) or later
    assert min(counted.values()) > 100


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("G p && G F q && p", "G p && G F q"),
        ("F G F p", "G F p"),
        ("p U (p U q)", "p U q"),
        ("(p U q) || G p", "p W q"),
        ("F p && !(F p)", "false"),
        ("X G F p", "G F p"),
        ("G (p && X F (q && X F r))", "G p && G F q && G F r"),
        ("!(p U q)", "!p R !q"),
    ],
)
def test_worked_examples(text: str, expected: str) -> None:
    assert simplify(parse(text)) is normal_form(parse(expected))
