"""Simplification: an equivalent formula in negation normal form that the rules cannot make simpler.

Works from the inside out and applies the first rule that fits, until none does. The rules are data (`rules`);
this module only knows how to fit one to a formula.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from everafter.ltl.formula import (
    And,
    Atom,
    Constant,
    Formula,
    Not,
    Or,
    conjunction,
    disjunction,
    operands,
    rebuild,
)
from everafter.ltl.implication import Implication
from everafter.ltl.normal_form import Classes, normal_form
from everafter.ltl.rules import RULES, Pattern, Rule, pattern

Bindings = dict[str, Formula]


def simplify(formula: Formula, rules: Iterable[Rule] = RULES) -> Formula:
    """An equivalent, simpler formula in negation normal form."""
    return Simplifier(tuple(rules)).simplify(formula)


class Simplifier:
    """Applies a set of rules; remembers its answers."""

    def __init__(self, rules: tuple[Rule, ...] = RULES) -> None:
        self.classes = Classes()
        self.implication = Implication(self.classes)
        self._by_operator = _by_operator(rules)
        self._known: dict[Formula, Formula] = {}

    def simplify(self, formula: Formula) -> Formula:
        """An equivalent, simpler formula in negation normal form."""
        return self.normalised(normal_form(formula))

    def normalised(self, formula: Formula) -> Formula:
        """Like `simplify`, for a formula that is in negation normal form already."""
        known = self._known.get(formula)
        if known is None:
            known = self._run(formula)
            self._known[formula] = self._known[known] = known
        return known

    def _run(self, formula: Formula) -> Formula:
        if isinstance(formula, Constant | Atom | Not):
            return formula
        inside = _tidy(formula, tuple(map(self.normalised, operands(formula))))
        changed = self._apply(inside)
        return inside if changed is None else self.normalised(changed)

    def _apply(self, formula: Formula) -> Formula | None:
        """The result of the first rule that fits the formula at its root, or None."""
        for rule in self._by_operator.get(type(formula), ()):
            two = isinstance(formula, And | Or)
            changed = self._apply_to_two(rule, formula) if two else self._fit(rule, formula)
            if changed is not None and changed is not formula:
                return changed
        return None

    def _apply_to_two(self, rule: Pattern, formula: Formula) -> Formula | None:
        """A rule about a conjunction applies to any two of its parts."""
        parts = operands(formula)
        join = conjunction if isinstance(formula, And) else disjunction
        shapes = operands(rule.before)
        fitting = [[part for part in parts if _may_fit(shape, part)] for shape in shapes]
        for first in fitting[0]:
            for second in fitting[1]:
                # The constructors of junctions have dealt with literals: no rule has anything to say about two of them.
                if first is not second and not (_is_literal(first) and _is_literal(second)):
                    for bindings in self._fit_all(((shapes[0], first), (shapes[1], second)), {}):
                        if self._allowed(rule, bindings):
                            rest = (part for part in parts if part is not first and part is not second)
                            return join((*rest, instance(rule.after, bindings)))
        return None

    def _fit(self, rule: Pattern, formula: Formula) -> Formula | None:
        for bindings in self._fit_one(rule.before, formula, {}):
            if self._allowed(rule, bindings):
                return instance(rule.after, bindings)
        return None

    def _allowed(self, rule: Pattern, bindings: Bindings) -> bool:
        return all(self._implies(left, right, bindings) for left, right in rule.when)

    def _implies(self, left: Formula, right: Formula, bindings: Bindings) -> bool:
        return self.implication.holds(self._bound(left, bindings), self._bound(right, bindings))

    def _bound(self, letter: Formula, bindings: Bindings) -> Formula:
        match letter:
            case Atom(name):
                return bindings[name]
            case Not(Atom(name)):
                return self.implication.negated(bindings[name])
            case _:
                raise ValueError(f"a rule's condition is about letters, not {letter}")

    def _fit_all(self, pairs: tuple[tuple[Formula, Formula], ...], bindings: Bindings) -> Iterator[Bindings]:
        if not pairs:
            yield bindings
            return
        (shape, formula), rest = pairs[0], pairs[1:]
        for extended in self._fit_one(shape, formula, bindings):
            yield from self._fit_all(rest, extended)

    def _fit_one(self, shape: Formula, formula: Formula, bindings: Bindings) -> Iterator[Bindings]:
        """Every way to read the formula as an instance of the shape."""
        match shape:
            case Atom(name):
                known = bindings.get(name)
                if known is formula:
                    yield bindings
                elif known is None and self._is_of_kind(name, formula):
                    yield {**bindings, name: formula}
            case Constant():
                if shape is formula:
                    yield bindings
            case And() | Or():
                if type(formula) is type(shape):
                    yield from self._fit_junction(shape, formula, bindings)
            case _:
                if type(formula) is type(shape):
                    pairs = tuple(zip(operands(shape), operands(formula), strict=True))
                    yield from self._fit_all(pairs, bindings)

    def _fit_junction(self, shape: And | Or, formula: Formula, bindings: Bindings) -> Iterator[Bindings]:
        """One part fits one side of the shape, all the other parts together the other side."""
        join = conjunction if isinstance(shape, And) else disjunction
        parts = operands(formula)
        for chosen in parts:
            rest = join(part for part in parts if part is not chosen)
            left, right = shape.parts
            yield from self._fit_all(((left, chosen), (right, rest)), bindings)
            yield from self._fit_all(((left, rest), (right, chosen)), bindings)

    def _is_of_kind(self, letter: str, formula: Formula) -> bool:
        """Whether a letter of a rule may stand for the formula; see the docstring of `rules`."""
        match letter:
            case "e" | "f":
                return self.classes.is_eventual(formula)
            case "u" | "v":
                return self.classes.is_universal(formula)
            case "s":
                return self.classes.is_suspendable(formula)
            case "i" | "j":
                return not self.classes.is_eventual(formula)
            case "k" | "l":
                return not self.classes.is_universal(formula)
            case _:
                return True


@cache
def _by_operator(rules: tuple[Rule, ...]) -> dict[type, list[Pattern]]:
    """The rules in their order, sorted by the operator at the root of what they replace."""
    result: dict[type, list[Pattern]] = {}
    for each in map(pattern, rules):
        result.setdefault(type(each.before), []).append(each)
    return result


def _is_literal(formula: Formula) -> bool:
    return isinstance(formula, Atom | Not)


def _may_fit(shape: Formula, formula: Formula) -> bool:
    return isinstance(shape, Atom) or type(shape) is type(formula)


def _tidy(formula: Formula, parts: tuple[Formula, ...]) -> Formula:
    """The same operator over simplified parts."""
    match formula:
        case And():
            return conjunction(parts)
        case Or():
            return disjunction(parts)
        case _:
            return rebuild(formula, parts)


def instance(shape: Formula, bindings: Bindings) -> Formula:
    """The shape with its letters replaced."""
    if isinstance(shape, Atom):
        return bindings[shape.text]
    return _tidy(shape, tuple(instance(part, bindings) for part in operands(shape)))
