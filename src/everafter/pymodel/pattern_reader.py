"""The patterns of `match`: which tests a case is, and what its names mean."""

from __future__ import annotations

import ast
from typing import Any

from everafter.model.domains import OptionalDomain, RecordDomain, field_names
from everafter.promela.model import Expression
from everafter.pymodel.container_items import ItemReader, is_given
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.storage_shapes import VALUE, part
from everafter.pymodel.typed_values import Compound, Fixed, Stored, Term, Value, ValueTuple, junction
from everafter.record import dataclass, field


@dataclass(eq=False)
class Case:
    """What must be true for a case to be taken, and the values of its names; `never`: it never is."""

    tests: list[Expression] = field(default_factory=list)
    names: dict[str, Value] = field(default_factory=dict)
    never: bool = False


def case_of(reader: ItemReader, pattern: ast.pattern, value: Value, node: ast.expr) -> Case:
    """Return the case in which `value`, which `node` is, is as the `pattern` says, read by `reader`."""
    found = Case()
    _add(reader, pattern, value, node, found)
    return found


def _add(reader: ItemReader, pattern: ast.pattern, value: Value, node: ast.expr, case: Case) -> None:
    match pattern:
        case ast.MatchAs(pattern=inner, name=name):
            if inner is not None:
                _add(reader, inner, value, node, case)
            if name is not None:
                case.names[name] = value
        case ast.MatchValue(value=expression):
            _same(reader, reader.value(expression), value, expression, case)
        case ast.MatchSingleton(value=known):
            _same(reader, Fixed(known), value, node, case)
        case ast.MatchOr(patterns=patterns):
            _any(reader, patterns, value, node, case)
        case ast.MatchClass():
            _record(reader, pattern, value, node, case)
        case ast.MatchSequence(patterns=patterns):
            _sequence(reader, patterns, value, node, case)
        case _:
            raise _refused(pattern, "this pattern cannot be used in a model", "values, names, _, records and | can")


def _refused(pattern: ast.pattern, message: str, advice: str | None = None) -> PythonProblem:
    return PythonProblem(pattern, message, advice)


def _same(reader: ItemReader, wanted: Value, value: Value, node: ast.expr, case: Case) -> None:
    if isinstance(wanted, Fixed) and isinstance(value, Fixed):
        case.never = case.never or wanted.value != value.value
    else:
        case.tests.append(reader.equal(value, wanted, node))


def _any(reader: ItemReader, patterns: list[ast.pattern], value: Value, node: ast.expr, case: Case) -> None:
    parts = [case_of(reader, each, value, node) for each in patterns]
    if any(each.names for each in parts):
        raise _refused(patterns[0], "alternatives cannot have names in a model", "write a case for each")
    place = reader.place(node)
    possible = [each for each in parts if not each.never]
    if not possible:
        case.never = True
    elif all(each.tests for each in possible):
        tests = [junction("&&", each.tests, True, place).expression for each in possible]
        case.tests.append(junction("||", tests, False, place).expression)


def _record(reader: ItemReader, pattern: ast.MatchClass, value: Value, node: ast.expr, case: Case) -> None:
    kind = reader.namespace.meaning(pattern.cls)
    names = field_names(kind) if isinstance(kind, type) else None
    if names is None:
        raise _refused(pattern, "only a NamedTuple or frozen dataclass can be a pattern", "case _ if condition: …")
    positional = getattr(kind, "__match_args__", names)
    if len(pattern.patterns) > len(positional) or any(each not in names for each in pattern.kwd_attrs):
        raise _refused(pattern, f"{kind.__name__} has the fields {', '.join(names)}")
    wanted = dict(zip(positional, pattern.patterns, strict=False))
    wanted |= dict(zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True))
    inner = _as_record(reader, kind, value, node, case)
    if inner is None:
        case.never = True
        return
    for name, each in wanted.items():
        held = Fixed(getattr(inner.value, name)) if isinstance(inner, Fixed) else part(inner, name, reader.place(node))
        _add(reader, each, held, node, case)


def _as_record(reader: ItemReader, kind: Any, value: Value, node: ast.expr, case: Case) -> Any:
    """The value as a record of that kind, whose presence is tested; None if it never is one."""
    if isinstance(value, Fixed):
        return value if type(value.value) is kind else None
    place = reader.place(node)
    if isinstance(value, Stored | Compound) and isinstance(value.domain, OptionalDomain):
        case.tests.append(is_given(value, place))
        value = part(value, VALUE, place)
    is_one = isinstance(value, Stored | Compound) and isinstance(value.domain, RecordDomain)
    return value if is_one and value.domain.kind is kind else None  # type: ignore[union-attr] # it is one


def _sequence(reader: ItemReader, patterns: list[ast.pattern], value: Value, node: ast.expr, case: Case) -> None:
    values: tuple[Value, ...] | None = None
    match value:
        case ValueTuple(values=found):
            values = found
        case Fixed(value=list() | tuple() as known):
            values = tuple(map(Fixed, known))
        case (
            Stored(domain=RecordDomain(kind=kind, fields=fields))
            | Compound(domain=RecordDomain(kind=kind, fields=fields))
        ) if issubclass(kind, tuple):
            values = tuple(part(value, name, reader.place(node)) for name, _ in fields)
        case Term():
            values = None
    if values is None or any(isinstance(each, ast.MatchStar) for each in patterns):
        raise PythonProblem(node, "a list of values cannot be matched with this", "match (self.x, self.y): can")
    if len(values) != len(patterns):
        case.never = True
        return
    for each, held in zip(patterns, values, strict=True):
        _add(reader, each, held, node, case)
