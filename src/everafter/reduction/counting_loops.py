"""Loops that count: edges of a control-flow graph that no cycle of states can contain.

A closed walk that adds one to a local variable, and never else writes it, must bring it through every value it can have
before it is back where it was. If there is a value with which the walk cannot go on, because after each such step it
tests for something that this value does not satisfy, there is no such walk: the loop ends. The same goes for a variable
that is counted down. It must be one value for all tests: a bit that is compared with 0 and with 1 in turn counts
for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from everafter.program.accesses import AccessTable
from everafter.program.control_flow import Transition
from everafter.program.program import ProcessType
from everafter.program.storage import Width, width_of
from everafter.promela.arithmetic import wrap
from everafter.promela.model import Assign, Binary, Constant, Expression, Kind, Reference, Scalar, Test, Variable
from everafter.promela.references import fold
from everafter.promela.walk import subexpressions
from everafter.record import dataclass
from everafter.search.components import strongly_connected_components
from everafter.search.graph import ExplicitGraph

Edge = tuple[int, int]
"""A place of control, and the position of a transition there."""
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}


@dataclass(frozen=True, slots=True)
class Flow:
    """The edges of a proctype's graph that are still looked at."""

    process: ProcessType
    edges: frozenset[Edge]

    def step(self, edge: Edge) -> Transition:
        """The transition of an edge."""
        return self.process.graph.nodes[edge[0]].transitions[edge[1]]

    def without(self, edges: Iterable[Edge]) -> Flow:
        """The same with fewer edges."""
        return Flow(self.process, self.edges - frozenset(edges))

    def components(self) -> list[frozenset[Edge]]:
        """The edges on cycles, those of each strongly connected component together."""
        targets: dict[int, list[int]] = {number: [] for number in self.process.graph.nodes}
        for edge in self.edges:
            targets[edge[0]].append(self.step(edge).target)
        component: dict[int, int] = {}
        for index, members in enumerate(strongly_connected_components(ExplicitGraph(targets, list(targets)))):
            component |= dict.fromkeys(members, index)
        found: dict[int, set[Edge]] = {}
        for edge in self.edges:
            source, target = component[edge[0]], component[self.step(edge).target]
            if source == target:
                found.setdefault(source, set()).add(edge)
        return [frozenset(edges) for edges in found.values()]


def flow_of(process: ProcessType) -> Flow:
    """The whole graph of a proctype."""
    nodes = process.graph.nodes
    return Flow(
        process,
        frozenset(
            (number, position)
            for number, node in nodes.items()
            for position, step in enumerate(node.transitions)
            if step.target in nodes
        ),
    )


def counting_edges(flow: Flow, table: AccessTable, *, shared: bool = False) -> frozenset[Edge]:
    """Return the edges of `flow` that are on no cycle of states, because they count; `table` has the accesses.

    Counters are local variables; global ones as well if they are `shared` with processes that do not move meanwhile.
    An inner loop may set its counter again in an outer one; so, once the edges that count for the outer loop are taken
    out, the rest is looked at anew.
    Proof: proofs/reduction/counting.v, theorem rounds_are_on_no_cycle.
    """
    found: set[Edge] = set()
    while True:
        counting = {
            edge for part in flow.components() for edge in _counting_in(Flow(flow.process, part), table, shared)
        }
        if not counting:
            return frozenset(found)
        found |= counting
        flow = flow.without(counting)


def _counting_in(part: Flow, table: AccessTable, shared: bool) -> Iterator[Edge]:
    """The counting edges of one strongly connected component."""
    rows = table[part.process.index]
    spaces = ("local", "global") if shared else ("local",)
    written: dict[Variable, set[Edge]] = {}
    for edge in part.edges:
        for location in rows[edge[0]][edge[1]].writes:
            if location.space in spaces and location.variable is not None:
                written.setdefault(location.variable, set()).add(edge)
    for variable, edges in written.items():
        steps = {_counts(part.step(edge), variable) for edge in edges}
        if steps in ({1}, {-1}) and _is_asked(part, variable, edges, frozenset(written), shared):
            yield from edges


def _counts(step: Transition, variable: Variable) -> int:
    """1 or -1 if the transition does nothing but add this to the variable, else 0."""
    match step.effect:
        case Assign(
            target=Reference(variable=target, index=None, selections=()),
            value=Binary(operator="+" | "-" as operator, left=left, right=right),
        ) if target is variable and _is_counter(variable):
            if _is(left, variable) and isinstance(right, Constant) and right.value in (1, -1):
                return right.value if operator == "+" else -right.value
            if operator == "+" and _is(right, variable) and isinstance(left, Constant) and left.value in (1, -1):
                return left.value
            return 0
        case _:
            return 0


def _is_counter(variable: Variable) -> bool:
    scalar = isinstance(variable.type, Scalar) and variable.type.kind is not Kind.CHAN
    return scalar and variable.length is None


def _is(expression: Expression, variable: Variable) -> bool:
    match expression:
        case Reference(variable=other, index=None, selections=()):
            return other is variable
        case _:
            return False


@dataclass(frozen=True, slots=True)
class Comparison:
    """A test of a counter: that it compares so with a number, or with a variable of its width that stays."""

    operator: str
    other: int | Variable
    width: Width

    def excludes(self, value: int | Variable) -> bool:
        """Whether it is false of a counter with this value, or with that of this variable."""
        if isinstance(self.other, int):
            return isinstance(value, int) and not _COMPARED[self.operator](value, self.other)
        if isinstance(value, int):
            return (self.operator, value) in (("<", self.width.greatest), (">", self.width.least))
        return value is self.other and self.operator in ("<", ">", "!=")

    def boundaries(self) -> Iterator[int | Variable]:
        """Values that may be excluded: if several comparisons exclude one together, one of these is among them."""
        least, greatest = self.width.least, self.width.greatest
        yield from (least, greatest)
        if isinstance(self.other, int):
            yield from (near for near in (self.other - 1, self.other, self.other + 1) if least <= near <= greatest)
        else:
            yield self.other


def _is_asked(part: Flow, variable: Variable, counting: set[Edge], written: frozenset[Variable], shared: bool) -> bool:
    """Whether for some value no walk counts twice without asking in between for what that value does not satisfy."""
    asked: dict[Edge, list[Comparison]] = {}
    for edge in part.edges:
        if isinstance(effect := part.step(edge).effect, Test):
            asked[edge] = list(_comparisons(effect.condition, variable, written, shared))
    values = {value for found in asked.values() for item in found for value in item.boundaries()}
    excluding = {
        frozenset(edge for edge in asked if any(item.excludes(value) for item in asked[edge])) for value in values
    }
    return any(_is_met_between(part, counting, asking) for asking in excluding)


def _is_met_between(part: Flow, counting: set[Edge], asking: frozenset[Edge]) -> bool:
    """Whether no walk counts twice without passing one of the other edges in between."""
    rest = part.without(asking)
    following: dict[int, list[Edge]] = {}
    for edge in rest.edges:
        following.setdefault(edge[0], []).append(edge)
    seen: set[int] = set()
    pending = [part.step(edge).target for edge in counting]
    while pending:
        place = pending.pop()
        if place in seen:
            continue
        seen.add(place)
        for edge in following.get(place, ()):
            if edge in counting:
                return False
            pending.append(part.step(edge).target)
    return True


def _comparisons(
    condition: Expression, variable: Variable, written: frozenset[Variable], shared: bool
) -> Iterator[Comparison]:
    """What the parts of a condition, all of which must be true, ask of a counter.

    A bound must stay: it is not among the `written`, and local, unless global ones are `shared` with none that moves.
    """
    for part in _conjuncts(condition):
        if not isinstance(part, Binary) or part.operator not in _MIRRORED:
            continue
        operator, other = part.operator, part.right
        if _is(other, variable):
            operator, other = _MIRRORED[operator], part.left
        elif not _is(part.left, variable):
            continue
        width = width_of(variable)
        value = _number(other)
        if value is not None:
            yield Comparison(operator, value, width)
            continue
        match other:
            case Reference(variable=bound, index=None, selections=()) if (
                _is_counter(bound)
                and (shared or bound.proctype is not None)
                and bound is not variable
                and bound not in written
                and width_of(bound) == width
            ):
                yield Comparison(operator, bound, width)
            case _:
                pass


def _number(expression: Expression) -> int | None:
    """The value of an expression of numbers alone, if C computes it without overflow."""
    parts = list(subexpressions(expression))
    if any(isinstance(part, Reference) for part in parts):
        return None  # `fold` takes a variable for its initial value
    values = [fold(part) for part in parts]
    return values[0] if all(value is not None and value == wrap(value) for value in values) else None


def _conjuncts(condition: Expression) -> Iterator[Expression]:
    if isinstance(condition, Binary) and condition.operator == "&&":
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    else:
        yield condition


_COMPARED = {
    "<": int.__lt__,
    ">": int.__gt__,
    "<=": int.__le__,
    ">=": int.__ge__,
    "==": int.__eq__,
    "!=": int.__ne__,
}
