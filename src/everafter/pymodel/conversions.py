"""Values as those of a domain: what may leave a range is watched, what is None where a value is needed is an error."""

from __future__ import annotations

import ast
from typing import Any

from everafter.model.containers import DictDomain, ListDomain, SetDomain, keys_of
from everafter.model.domains import ArrayDomain, BoolDomain, Domain, IntDomain, Mutable, OptionalDomain
from everafter.promela.model import Binary, Conditional, Constant, Expression, Unary, Within
from everafter.pymodel.namespace import Namespace
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.storage_shapes import (
    ELEMENTS,
    GIVEN,
    LENGTH,
    VALUE,
    Parts,
    cells,
    cells_of_domain,
    compound,
    elements,
    fixed_cells,
    has_one_cell,
    part,
    storage,
)
from everafter.pymodel.typed_values import (
    BOOL,
    Compound,
    Fixed,
    Gathered,
    Stored,
    Term,
    Value,
    ValueTuple,
    as_int,
    constant,
    domain_of_value,
    joined,
    junction,
    none_of,
    number_of,
    term,
)
from everafter.source import Place


class Conversions:
    """Makes values of one domain those of another, where names mean what a namespace says."""

    def __init__(self, namespace: Namespace) -> None:
        self.namespace = namespace

    def place(self, node: ast.AST) -> Place:
        """Where `node` is written."""
        return self.namespace.text.place(node)

    def as_term(self, value: Value, node: ast.expr) -> Term:
        """Return `value`, which `node` is, as one that a variable of one cell can have."""
        found = term(value, self.place(node))
        if found is None:
            what = type(value.value).__name__ if isinstance(value, Fixed) else _described(value)
            raise PythonProblem(
                node, f"a {what} is no value of a variable", "bool, m.Int[…] and members of an Enum are"
            )
        return found

    def plain(self, value: Value, node: ast.expr) -> Value:
        """Return `value`, which `node` is, where it must not be None: if it is, that is an error of the run."""
        if not isinstance(value, Term | Stored | Compound) or not isinstance(value.domain, OptionalDomain):
            return value
        domain, place = value.domain.inner, self.place(node)
        name = f"{self.namespace.text.written(node)} (None is no such value)"
        if isinstance(value, Term):
            least, greatest = _range(domain)
            return Term(Within(value.expression, least, greatest, name, place), domain)
        given = part(value, GIVEN, place)
        assert isinstance(given, Term)
        test = Within(given.expression, 1, 1, name, place)
        inner = cells(part(value, VALUE, place), place)
        return compound(
            domain, [Term(Conditional(test, each.expression, each.expression, place), each.domain) for each in inner]
        )

    def bounds(self, value: Term, node: ast.expr) -> IntDomain:
        """Return the range of the number `value`, which `node` is."""
        found = as_int(value.domain)
        if found is None:
            raise PythonProblem(node, f"a member of {value.domain} is no number", "compare it by == with another")
        return found

    # As values of a domain

    def fitted(self, value: Value, domain: Domain[Any], node: ast.expr, name: str) -> list[Expression]:
        """Return the cells of `value`, which `node` is, as one of `domain`; `name` is what has that domain.

        Leaving a range is an error of the run, a value of another kind one of the text.
        """
        place = self.place(node)
        if isinstance(value, Fixed):
            found = fixed_cells(value.value, domain, place)
            if found is not None:
                return [each.expression for each in found]
            value = _taken_apart(value, domain)
        if has_one_cell(domain):
            return [self._cell(self.as_term(self._simple(value, domain, node), node), domain, node, name)]
        if isinstance(value, Stored) and isinstance(value.domain, Mutable):
            written = self.namespace.text.written(node)
            raise PythonProblem(node, "this would be a second name of the same values", f"copy it: {written}.copy()")
        return self._cells(value, domain, node, name)

    def _simple(self, value: Value, domain: Domain[Any], node: ast.expr) -> Value:
        if isinstance(value, Fixed) and value.value is None:
            raise PythonProblem(node, f"None is no value of {domain}", f"m.Optional[{domain}] has it")
        return value

    def _cell(self, value: Term, domain: Domain[Any], node: ast.expr, name: str) -> Expression:
        place = self.place(node)
        if isinstance(domain, OptionalDomain):
            if not isinstance(value.domain, OptionalDomain):
                return self._cell(value, domain.inner, node, name)
            mine, none = none_of(value.domain), none_of(domain)
            inner = Term(value.expression, value.domain.inner)
            moved = self._cell(inner, domain.inner, node, name)
            if mine == none and moved is value.expression:
                return moved
            is_none = Binary("==", value.expression, constant(mine, place), place)
            return Conditional(is_none, constant(none, place), moved, place)
        found = self.plain(value, node)
        assert isinstance(found, Term)
        if isinstance(domain, IntDomain) and (bounds := as_int(found.domain)) is not None:
            if domain.least <= bounds.least and bounds.greatest <= domain.greatest:
                return found.expression
            return Within(found.expression, domain.least, domain.greatest, name, place)
        if found.domain != domain:
            advice = "compare it: `x != 0`" if isinstance(domain, BoolDomain) else f"only values of {domain} can"
            raise PythonProblem(node, f"a value of {found.domain} cannot be stored where {domain} is expected", advice)
        return found.expression

    def _cells(self, value: Value, domain: Domain[Any], node: ast.expr, name: str) -> list[Expression]:
        place = self.place(node)
        match domain, value:
            case _, Stored() | Compound() if value.domain == domain:
                return [each.expression for each in cells(value, place)]
            case OptionalDomain(inner=inner), Stored() | Compound() | ValueTuple():
                return [constant(True, place), *self.fitted(value, inner, node, name)]
            case _, Stored() | Compound() if isinstance(value.domain, OptionalDomain):
                return self._cells(self.plain(value, node), domain, node, name)
            case ArrayDomain(), ValueTuple(values=values):
                return self._each(list(values), domain, node, name)
            case ArrayDomain(), Stored() | Compound() if isinstance(value.domain, ArrayDomain):
                return self._each(elements(value, place), domain, node, name)
            case ListDomain(element=element, most=most), Compound(domain=ListDomain() as other):
                if other.element == element:
                    return self._resized(value, other, most, node, name)
            case ListDomain(), ValueTuple(values=values):
                return self._listed([(None, each) for each in values], domain, node, name)
            case ListDomain(), Gathered(kind="list", items=items):
                return self._listed(list(items), domain, node, name)
            case SetDomain(), Gathered(kind="set", items=items):
                return self._collected(list(items), domain, node, name)
            case DictDomain(), Gathered(kind="dict", items=items):
                return self._mapped(list(items), domain, node, name)
        what = value.domain if isinstance(value, Term | Stored | Compound) else _described(value)
        raise PythonProblem(node, f"a value of {what} cannot be stored where {domain} is expected", f"a {domain} can")

    def _each(self, values: list[Value], domain: ArrayDomain[Any], node: ast.expr, name: str) -> list[Expression]:
        if len(values) != domain.length:
            raise PythonProblem(node, f"this takes {domain.length} values", "write as many on the right")
        return [cell for each in values for cell in self.fitted(each, domain.element, node, name)]

    def _resized(
        self, value: Compound, other: ListDomain[Any], most: int, node: ast.expr, name: str
    ) -> list[Expression]:
        length, *found = (each.expression for each in value.cells)
        size = len(cells_of_domain(other.element))
        found = [*found, *[constant(0, self.place(node))] * (size * (most - other.most))][: size * most]
        return [length if most >= other.most else Within(length, 0, most, f"len({name})", self.place(node)), *found]

    def _listed(
        self, items: list[tuple[Expression | None, Value]], domain: ListDomain[Any], node: ast.expr, name: str
    ) -> list[Expression]:
        """The cells of a list of those items that are there."""
        place, size = self.place(node), len(cells_of_domain(domain.element))
        zero: Expression = constant(0, place)
        found = [self.fitted(each, domain.element, node, name) for _, each in items]
        if all(guard is None for guard, _ in items):
            if len(items) > domain.most:
                raise PythonProblem(node, f"{len(items)} values, and {domain} has room for {domain.most}")
            room = [zero] * (size * (domain.most - len(items)))
            return [constant(len(items), place), *(cell for each in found for cell in each), *room]
        counts: list[Expression] = [zero]
        for guard, _ in items:
            counts.append(Binary("+", counts[-1], constant(1, place) if guard is None else guard, place))
        length = counts[-1] if len(items) <= domain.most else Within(counts[-1], 0, domain.most, f"len({name})", place)
        made: list[Expression] = [length]
        for position in range(domain.most):
            chosen = [zero] * size
            for number in range(len(items) - 1, -1, -1):
                here: Expression = Binary("==", counts[number], constant(position, place), place)
                guard = items[number][0]
                here = here if guard is None else Binary("&&", guard, here, place)
                chosen = [Conditional(here, a, b, place) for a, b in zip(found[number], chosen, strict=True)]
            made += chosen
        return made

    def _collected(
        self, items: list[tuple[Expression | None, Value]], domain: SetDomain[Any], node: ast.expr, name: str
    ) -> list[Expression]:
        """The cells of a set of those items that are there."""
        place = self.place(node)
        found = [(guard, self.fitted(each, domain.key, node, name)[0]) for guard, each in items]
        made = []
        for key in keys_of(domain.key):
            tests = [same for guard, each in found if (same := _matches(guard, each, key, place)) is not None]
            made.append(junction("||", tests, False, place).expression)
        return made

    def _mapped(
        self, items: list[tuple[Expression | None, Value]], domain: DictDomain[Any], node: ast.expr, name: str
    ) -> list[Expression]:
        """The cells of a dict of those items that are there."""
        place, kept = self.place(node), OptionalDomain(domain.element)
        found: list[tuple[Expression | None, Expression, list[Expression]]] = []
        for guard, pair in items:
            assert isinstance(pair, ValueTuple)
            (key,) = self.fitted(pair.values[0], domain.key, node, name)
            value = self.fitted(pair.values[1], domain.element, node, name)
            found.append((guard, key, [constant(True, place), *value] if isinstance(storage(kept), Parts) else value))
        made: list[Expression] = []
        for wanted in keys_of(domain.key):
            absent = [none_of(kept)] if has_one_cell(kept) else [0] * len(cells_of_domain(kept))
            chosen: list[Expression] = [constant(each, place) for each in absent]
            for guard, one, inside in found:
                test = _matches(guard, one, wanted, place)
                if test is not None:
                    chosen = [Conditional(test, a, b, place) for a, b in zip(inside, chosen, strict=True)]
            made += chosen
        return made

    # Comparing and choosing

    def equal(self, one: Value, other: Value, node: ast.expr, sign: str = "==") -> Expression:
        """Return whether `one` and `other`, compared in `node`, are equal, or with the `sign` `!=` are not."""
        same = self._same(one, other, node)
        return same if sign == "==" else Unary("!", same, self.place(node))

    def _same(self, one: Value, other: Value, node: ast.expr) -> Expression:
        place = self.place(node)
        if _domain(one) is None and _domain(other) is not None:
            one, other = other, one
        mine, theirs = _domain(one), _domain(other)
        if isinstance(one, Fixed) and isinstance(other, Fixed):
            return constant(bool(one.value == other.value), place)
        if mine is None:
            return self._pairwise(_listed(one, node), _listed(other, node), node)
        if has_one_cell(mine) and (theirs is None or has_one_cell(theirs)):
            if isinstance(other, Fixed) and other.value is None:
                is_optional = isinstance(mine, OptionalDomain) and isinstance(one, Term)
                return (
                    Binary("==", one.expression, constant(none_of(mine), place), place)  # type: ignore[union-attr, arg-type]
                    if is_optional
                    else constant(False, place)
                )
            a, b = self.as_term(one, node), self.as_term(other, node)
            domain = joined(a.domain, b.domain)
            if domain is None:
                raise PythonProblem(node, f"a value of {a.domain} never equals one of {b.domain}")
            if isinstance(domain, OptionalDomain):
                a, b = (Term(self._cell(each, domain, node, ""), domain) for each in (a, b))
            return Binary("==", a.expression, b.expression, place)
        assert isinstance(one, Stored | Compound)
        if isinstance(mine, ArrayDomain) and (isinstance(theirs, ArrayDomain) or isinstance(other, ValueTuple | Fixed)):
            return self._pairwise(elements(one, place), _listed(other, node, self.place(node)), node)
        if isinstance(mine, ListDomain) and isinstance(other, ValueTuple):
            return self._is_list(one, mine, other.values, node)
        return self._same_cells(one, mine, other, theirs, node)

    def _is_list(
        self, one: Stored | Compound, mine: ListDomain[Any], values: tuple[Value, ...], node: ast.expr
    ) -> Expression:
        place = self.place(node)
        length, held = part(one, LENGTH, place), part(one, ELEMENTS, place)
        assert isinstance(length, Term)
        assert isinstance(held, Stored | Compound)
        tests: list[Expression] = [Binary("==", length.expression, constant(len(values), place), place)]
        if len(values) > mine.most:
            return constant(False, place)
        tests += [self._same(a, b, node) for a, b in zip(elements(held, place), values, strict=False)]
        return junction("&&", tests, True, place).expression

    def _same_cells(
        self, one: Stored | Compound, mine: Domain[Any], other: Value, theirs: Domain[Any] | None, node: ast.expr
    ) -> Expression:
        place = self.place(node)
        if isinstance(other, Fixed):
            fixed = fixed_cells(other.value, mine, place)
            if fixed is None:
                return constant(False, place)
            pairs = zip(cells(one, place), fixed, strict=True)
        elif isinstance(other, Gathered):
            made = [Term(each, BOOL) for each in self.fitted(other, mine, node, "")]
            pairs = zip(cells(one, place), made, strict=True)
        else:
            if isinstance(theirs, OptionalDomain) and not isinstance(mine, OptionalDomain) and theirs.inner == mine:
                one, mine, other, theirs = other, theirs, one, mine  # type: ignore[assignment]
            if isinstance(mine, OptionalDomain) and mine.inner == theirs:
                other, theirs = (
                    Compound(mine, tuple(Term(each, BOOL) for each in self.fitted(other, mine, node, ""))),
                    mine,
                )
            if mine != theirs or not isinstance(other, Stored | Compound):
                raise PythonProblem(node, f"a value of {mine} is not compared with one of {theirs or 'another kind'}")
            pairs = zip(cells(one, place), cells(other, place), strict=True)
        tests = [Binary("==", a.expression, b.expression, place) for a, b in pairs]
        return junction("&&", tests, True, place).expression

    def _pairwise(self, one: list[Value], other: list[Value], node: ast.expr) -> Expression:
        if len(one) != len(other):
            raise PythonProblem(node, f"a list of {len(one)} never equals one of {len(other)}")
        parts = [self._same(a, b, node) for a, b in zip(one, other, strict=True)]
        return junction("&&", parts, True, self.place(node)).expression

    def either(self, test: Expression, chosen: Value, other: Value, node: ast.expr) -> Value:
        """Return `chosen` where `test` is true, and `other` where not, as `node` says."""
        place = self.place(node)
        domain = self.common(chosen, other, node)
        both = zip(*(self.fitted(each, domain, node, "") for each in (chosen, other)), strict=True)
        found = [Conditional(test, one, two, place) for one, two in both]
        pairs = zip(found, cells_of_domain(domain), strict=True)
        return compound(domain, [Term(cell, each) for cell, each in pairs])

    def common(self, one: Value, other: Value, node: ast.expr) -> Domain[Any]:
        """Return the least domain that has `one` and `other`, of which `node` is made."""
        for value, beside in ((one, other), (other, one)):
            if isinstance(value, Fixed) and value.value is None:
                kept = self._domain_of(beside, node)
                return kept if isinstance(kept, OptionalDomain) else OptionalDomain(kept)
        a, b = self._domain_of(one, node), self._domain_of(other, node)
        if isinstance(a, OptionalDomain) and a.inner == b:
            return a
        if isinstance(b, OptionalDomain) and b.inner == a:
            return b
        domain = joined(a, b)
        if domain is None:
            raise PythonProblem(node, f"this is a value of {a} or of {b}", "of one domain only")
        return domain

    def _domain_of(self, value: Value, node: ast.expr) -> Domain[Any]:
        known = domain_of_value(value.value) if isinstance(value, Fixed) else _domain(value)
        return known if known is not None else self.as_term(value, node).domain


def _taken_apart(value: Fixed, domain: Domain[Any]) -> Value:
    """A list or set of which some value is none of `domain`, element by element."""
    known = value.value
    if isinstance(domain, ListDomain | ArrayDomain) and isinstance(known, list | tuple):
        return ValueTuple(tuple(map(Fixed, known)))
    if isinstance(domain, SetDomain) and isinstance(known, set | frozenset):
        return Gathered("set", tuple((None, Fixed(each)) for each in known))
    return value


def _domain(value: Value) -> Domain[Any] | None:
    return value.domain if isinstance(value, Term | Stored | Compound) else None


def _range(domain: Domain[Any]) -> tuple[int, int]:
    """The least and greatest number of a cell of `domain`."""
    bounds = as_int(domain)
    return (bounds.least, bounds.greatest) if bounds is not None else (1, len(keys_of(domain)))


def _listed(value: Value, node: ast.expr, place: Place | None = None) -> list[Value]:
    match value:
        case Fixed(value=list() | tuple() as known):
            return [Fixed(each) for each in known]
        case ValueTuple(values=values):
            return list(values)
        case Stored() | Compound() if place is not None:
            return elements(value, place)
    raise PythonProblem(node, "these two are not compared", "compare their elements")


def _matches(guard: Expression | None, value: Expression, key: Any, place: Place) -> Expression | None:
    """Whether something is there and is `key`; None if it never is."""
    if isinstance(value, Constant):
        if value.value != number_of(key):
            return None
        return constant(True, place) if guard is None else guard
    same = Binary("==", value, constant(key, place), place)
    return same if guard is None else Binary("&&", guard, same, place)


def _described(value: Value) -> str:
    match value:
        case Stored(domain=domain) | Compound(domain=domain):
            return "whole array" if isinstance(domain, ArrayDomain) else f"whole {domain}"
        case Gathered(kind=kind):
            return kind
    return "whole array"
