"""How many processes a run may start at most: as many as the text has statements for it, each as often as it is passed.

A statement outside loops is passed once by each process. In a loop that counts from a constant up to a constant, by
one and only behind a test for what is less, it is passed once for each number in between.
"""

from __future__ import annotations

from collections.abc import Iterator

from everafter.program.control_flow import Transition
from everafter.program.effect_parts import references_written
from everafter.program.program import Program
from everafter.program.storage import width_of
from everafter.promela.model import (
    Assign,
    Binary,
    Constant,
    Expression,
    Kind,
    Reference,
    Scalar,
    Test,
    Variable,
)
from everafter.promela.references import fold
from everafter.promela.walk import subexpressions
from everafter.reduction.candidates import running_types
from everafter.reduction.counting_loops import Edge, Flow, flow_of
from everafter.reduction.footprint import runs_in

_UP_TO = {"<": 0, "<=": 1}
_MIRRORED = {">": "<", ">=": "<="}


def most_processes(program: Program) -> int | None:
    """Return how many processes all runs of `program` start at most, with those of the start; None if not known."""
    sites: dict[str, list[tuple[str, int | None]]] = {}
    for kind in running_types(program):
        flow = flow_of(kind)
        found_in = [(edge, run.proctype) for edge in sorted(flow.edges) for run in runs_in(flow.step(edge).effect)]
        parts = flow.components() if found_in else []
        for edge, started in found_in:
            is_repeated = any(edge in part for part in parts)
            sites.setdefault(started, []).append((kind.name, _passes(flow, flow, edge) if is_repeated else 1))
    known: dict[str, int | None] = {}
    found = [_started(program, kind.name, sites, known) for kind in running_types(program)]
    total = 0
    for each in found:
        if each is None:
            return None
        total += each
    return total


def _started(
    program: Program, name: str, sites: dict[str, list[tuple[str, int | None]]], known: dict[str, int | None]
) -> int | None:
    """How many processes of a proctype there may be in a run, one after the other."""
    if name not in known:
        known[name] = None  # as it stays if a process starts, by others or by itself, one of its own type
        total = program.processes[program.by_name[name]].instances
        for starter, passes in sites.get(name, ()):
            starters = _started(program, starter, sites, known)
            if starters is None or passes is None:
                return None
            total += starters * passes
        known[name] = total
    return known[name]


def _passes(whole: Flow, flow: Flow, edge: Edge) -> int | None:
    """How often a process may pass an edge of `flow`, a part of the `whole`, on one way through it."""
    part = next((part for part in flow.components() if edge in part), None)
    if part is None:
        return 1
    for counting, rounds in _counters(whole, part):
        inside = _passes(whole, flow.without(counting), edge)
        if inside is not None:
            return (rounds + 1) * inside
    return None


def _counters(whole: Flow, part: frozenset[Edge]) -> Iterator[tuple[frozenset[Edge], int]]:
    """The edges of a strongly connected part that count, and how often they do so in all until it is left."""
    written: dict[Variable, set[Edge]] = {}
    for edge in part:
        for target in references_written(whole.step(edge).effect):
            written.setdefault(target.variable, set()).add(edge)
    for variable, edges in written.items():
        if variable.proctype is None or not all(_adds_one(whole.step(edge), variable) for edge in edges):
            continue
        limit, least = _limit(whole, variable, edges), _least(whole, variable)
        if limit is not None and least is not None:
            yield frozenset(edges), max(0, limit - least)


def _adds_one(step: Transition, variable: Variable) -> bool:
    match step.effect:
        case Assign(
            target=Reference(variable=target, index=None, selections=()),
            value=Binary(operator="+", left=left, right=Constant(value=1)),
        ):
            return target is variable and _is(left, variable)
        case _:
            return False


def _is(expression: Expression, variable: Variable) -> bool:
    match expression:
        case Reference(variable=other, index=None, selections=()):
            return other is variable
        case _:
            return False


def _limit(whole: Flow, variable: Variable, counting: set[Edge]) -> int | None:
    """A number that the variable never exceeds by counting: behind its last change it was found to be less."""
    if not isinstance(variable.type, Scalar) or variable.length is not None or variable.type.kind is Kind.CHAN:
        return None
    limits = {edge: limit for edge in whole.edges if (limit := _asked(whole.step(edge), variable)) is not None}
    if not limits or not all(_is_asked_before(whole, variable, edge, limits) for edge in counting):
        return None
    limit = max(limits.values())
    return limit if limit <= width_of(variable).greatest else None  # else it may come round to the least number


def _asked(step: Transition, variable: Variable) -> int | None:
    """The number that a variable is less than behind a test, if the text tells one."""
    if not isinstance(step.effect, Test):
        return None
    return min(_bounds(step.effect.condition, variable), default=None)


def _bounds(condition: Expression, variable: Variable) -> Iterator[int]:
    if not isinstance(condition, Binary):
        return
    if condition.operator == "&&":
        yield from _bounds(condition.left, variable)
        yield from _bounds(condition.right, variable)
    for operator, one, other in (
        (condition.operator, condition.left, condition.right),
        (_MIRRORED.get(condition.operator, ""), condition.right, condition.left),
    ):
        value = _number(other)
        if operator in _UP_TO and _is(one, variable) and value is not None:
            yield value + _UP_TO[operator]


def _number(expression: Expression) -> int | None:
    """The value of an expression of numbers alone."""
    if any(not isinstance(part, Constant | Binary) for part in subexpressions(expression)):
        return None
    return fold(expression)


def _is_asked_before(whole: Flow, variable: Variable, edge: Edge, limits: dict[Edge, int]) -> bool:
    """Whether, on each way to an edge, one of the `limits` is passed behind the last change of the variable."""
    before: dict[int, list[Edge]] = {}
    for each in whole.edges:
        before.setdefault(whole.step(each).target, []).append(each)
    seen, pending = {edge[0]}, [edge[0]]
    while pending:
        place = pending.pop()
        if place == whole.process.graph.start:
            return False
        for each in before.get(place, ()):
            if any(target.variable is variable for target in references_written(whole.step(each).effect)):
                return False
            if each not in limits and each[0] not in seen:
                seen.add(each[0])
                pending.append(each[0])
    return True


def _least(whole: Flow, variable: Variable) -> int | None:
    """The least value that the variable has, if the text tells it."""
    least = width_of(variable).least
    if least == 0:
        return least
    if variable.is_parameter:
        return None
    values = [_initial_value(variable)]
    for edge in whole.edges:
        effect = whole.step(edge).effect
        if any(target.variable is variable for target in references_written(effect)):
            if _adds_one(whole.step(edge), variable):
                if _limit(whole, variable, {edge}) is None:
                    return None  # it may come round to the least number
            elif isinstance(effect, Assign) and _is(effect.target, variable):
                values.append(_number(effect.value))
            else:
                return None
    known = [width_of(variable).store(value) for value in values if value is not None]
    return min(known) if len(known) == len(values) else None


def _initial_value(variable: Variable) -> int | None:
    if variable.initial is None:
        return 0
    if isinstance(variable.initial, tuple) or not isinstance(variable.initial, Constant | Binary):
        return None
    return _number(variable.initial)
