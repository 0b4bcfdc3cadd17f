"""Simplification: an equivalent formula in negation normal form that the rules cannot make simpler.

Works from the inside out and applies the first rule that fits, until none does. The rules are data (`rules`);
this module only knows how to fit one to a formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import permutations

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
from everafter.ltl.rules import RULES, Pattern, Rule, operator, pattern

Bindings = dict[str, Formula]


def simplify(formula: Formula, rules: Iterable[Rule] = RULES) -> Formula:
    """Return a formula in negation normal form that is equivalent to `formula` and that `rules` cannot make simpler."""
    return Simplifier(tuple(rules)).simplify(formula)


class _Index:
    """Rules by the operators they speak of, in their order. Each is read when its operators are first met."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self._rules = rules
        self._by_operator: dict[type, list[Pattern]] = {}
        self._by_operators: dict[tuple[type, type, type], list[tuple[int, Pattern]]] = {}

    def about(self, root: type) -> list[Pattern]:
        """The rules that replace a formula with this operator at its root."""
        if root not in self._by_operator:
            self._by_operator[root] = [pattern(rule) for rule in self._rules if operator(rule) is root]
        return self._by_operator[root]

    def about_two(self, junction: type, first: type, second: type) -> list[tuple[int, Pattern]]:
        """The rules, with their numbers, that may replace two parts with these operators in a junction."""
        key = (junction, first, second)
        if key not in self._by_operators:
            self._by_operators[key] = [
                (number, rule)
                for number, rule in enumerate(self.about(junction))
                if all(type(shape) in (Atom, own) for shape, own in zip(operands(rule.before), key[1:], strict=True))
            ]
        return self._by_operators[key]


_DEFAULT = _Index(RULES)


class Simplifier:
    """Applies a set of rules; remembers its answers."""

    def __init__(self, rules: tuple[Rule, ...] = RULES) -> None:
        self.classes = Classes()
        self.implication = Implication(self.classes)
        self._rules = _DEFAULT if rules is RULES else _Index(rules)
        self._known: dict[Formula, Formula] = {}
        self._pairs: dict[tuple[type, Formula, Formula], tuple[int, Formula] | None] = {}

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
        if isinstance(formula, And | Or):
            return self._apply_to_two(formula)
        for rule in self._rules.about(type(formula)):
            changed = self._fit(rule, formula)
            if changed is not None and changed is not formula:
                return changed
        return None

    def _apply_to_two(self, formula: And | Or) -> Formula | None:
        """A rule about a conjunction applies to any two of its parts; the first rule that fits some pair wins."""
        best: tuple[int, Formula] | None = None
        chosen: tuple[Formula, ...] = ()
        for first, second in permutations(formula.parts, 2):
            found = self._pair(type(formula), first, second)
            if found is not None and (best is None or found[0] < best[0]):
                best, chosen = found, (first, second)
        if best is None:
            return None
        return _join(type(formula))((*(part for part in formula.parts if part not in chosen), best[1]))

    def _pair(self, junction: type[And | Or], first: Formula, second: Formula) -> tuple[int, Formula] | None:
        """The first rule that fits two parts of a junction, by its number, and what it makes of them."""
        # The constructors of junctions have dealt with literals: no rule has anything to say about two of them.
        if _is_literal(first) and _is_literal(second):
            return None
        key = (junction, first, second)
        if key not in self._pairs:
            self._pairs[key] = self._fit_pair(junction, first, second)
        return self._pairs[key]

    def _fit_pair(self, junction: type[And | Or], first: Formula, second: Formula) -> tuple[int, Formula] | None:
        for number, rule in self._rules.about_two(junction, type(first), type(second)):
            left, right = operands(rule.before)
            for bindings in self._fit_all(((left, first), (right, second)), {}):
                if self._allowed(rule, bindings):
                    return number, instance(rule.after, bindings)
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
        join = _join(type(shape))
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


def _join(junction: type[And | Or]) -> Callable[[Iterable[Formula]], Formula]:
    return conjunction if junction is And else disjunction


def _is_literal(formula: Formula) -> bool:
    return isinstance(formula, Atom | Not)


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
    """Return `shape` with its letters replaced by what `bindings` has for them."""
    if isinstance(shape, Atom):
        return bindings[shape.text]
    return _tidy(shape, tuple(instance(part, bindings) for part in operands(shape)))
