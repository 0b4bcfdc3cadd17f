"""The language of a never claim: an automaton over what its tests read.

A claim that cannot tell whether a state is repeated may be decided with fewer steps, as a formula without X may. Its
tests are taken apart into comparisons and the like, which are the propositions; that some of them cannot be true
together is not looked at, so that the automaton reads more words than there are. A state in which a process is at an
accept label is accepting beside a never claim, which is one more proposition.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from everafter.ltl.automaton import Automaton, Edge
from everafter.ltl.functions import FALSE, TRUE, Functions
from everafter.ltl.truth_tables import MOST_VARIABLES, functions_of
from everafter.program.control_flow import Node, Terminate, Transition
from everafter.program.effect_parts import expressions_in
from everafter.program.program import ProcessType, Program
from everafter.promela.model import (
    Assert,
    Binary,
    ChannelQuery,
    ChannelShape,
    Conditional,
    Constant,
    Else,
    Expression,
    NonProgress,
    Predefined,
    Reference,
    RemoteLabel,
    RemoteVariable,
    Test,
    Timeout,
    Unary,
    Variable,
)
from everafter.promela.walk import subexpressions
from everafter.record import dataclass, fields, is_dataclass
from everafter.source import Place

_AT_ACCEPT_LABEL = 0
"""The number of the proposition that some process is at an accept label."""
_NEGATIONS = {"!=": "==", ">=": "<", "<=": ">"}


@dataclass(frozen=True, slots=True)
class ClaimLanguage:
    """What a claim reads, and the automaton of the runs that it accepts."""

    automaton: Automaton
    expressions: tuple[Expression, ...]


def language_of(program: Program, claim: ProcessType) -> ClaimLanguage | str:
    """Return the language of `claim`, a never claim of `program`, or why it no automaton expresses it."""
    read = tuple(expressions_read_by(claim))
    for expression in read:
        for part in subexpressions(expression):
            if isinstance(part, Reference) and part.variable.proctype is not None:
                return "the never claim has variables of its own"
            if not has_always_value(program, part):
                return "the never claim asks for something that may have no value"
    propositions = dict.fromkeys(key for expression in read for key in _propositions(expression))
    if len(propositions) >= MOST_VARIABLES:
        return "the never claim asks for too many things to see whether it counts steps"
    numbers = {key: number for number, key in enumerate(propositions, _AT_ACCEPT_LABEL + 1)}
    automaton = _ClaimReader(claim, numbers, functions_of(len(numbers) + 1)).automaton()
    return "the never claim has an atomic sequence without end" if automaton is None else ClaimLanguage(automaton, read)


def expressions_read_by(claim: ProcessType) -> Iterator[Expression]:
    """Every expression in a never `claim`."""
    for step in claim.graph.transitions():
        yield from expressions_in(step.effect)


def has_always_value(program: Program, part: Expression) -> bool:
    """Return whether the evaluation of `part` by a claim of `program` never fails, if that of its own parts does not.

    That is what the text tells; where it does not, the answer is no.
    """
    match part:
        case Reference(variable=variable, index=index, selections=selections):
            steps = [(variable, index), *((item.field, item.index) for item in selections)]
            return all(_is_inside(owner, each) for owner, each in steps)
        case Binary(operator="/" | "%", right=right):
            return isinstance(right, Constant) and right.value not in (0, -1)
        case ChannelQuery(channel=Reference(variable=variable)):
            return isinstance(variable.initial, ChannelShape) and variable not in program.assigned
        case RemoteVariable(process=process, index=index, variable=variable):
            return process is None and _is_inside(variable, index)
        case Constant() | Unary() | Binary() | Conditional() | RemoteLabel() | NonProgress() | Timeout():
            return True
        case Predefined(name=name):
            return name in ("_pid", "_nr_pr")
        case _:
            return False


def _is_inside(variable: Variable, index: Expression | None) -> bool:
    return index is None or (isinstance(index, Constant) and 0 <= index.value < variable.cells)


# Propositions


def _propositions(expression: Expression) -> Iterator[Hashable]:
    """The propositions of which an expression is a boolean function."""
    match expression:
        case Unary(operator="!", operand=operand):
            yield from _propositions(operand)
        case Binary(operator="&&" | "||", left=left, right=right):
            yield from _propositions(left)
            yield from _propositions(right)
        case Constant():
            pass
        case _:
            yield _key(_positive(expression)[0])


def _positive(expression: Expression) -> tuple[Expression, bool]:
    """A comparison in the form in which it counts as a proposition, and whether it is negated."""
    if isinstance(expression, Binary) and expression.operator in _NEGATIONS:
        other = Binary(_NEGATIONS[expression.operator], expression.left, expression.right, expression.place)
        return other, True
    return expression, False


def _key(part: object) -> Hashable:
    """The same for expressions that differ only in where they stand."""
    if isinstance(part, Place):
        return None
    if isinstance(part, Variable):
        return id(part)
    if isinstance(part, Constant):
        return part.value
    if isinstance(part, tuple):
        return tuple(map(_key, part))
    if is_dataclass(part):
        return (type(part).__name__, *(_key(getattr(part, each.name)) for each in fields(part)))
    return part if isinstance(part, Hashable) else id(part)


# The automaton


@dataclass(frozen=True, slots=True)
class _ClaimReader:
    """Makes the automaton: a state for each place, and a last one where everything is accepted."""

    claim: ProcessType
    numbers: dict[Hashable, int]
    functions: Functions

    def automaton(self) -> Automaton | None:
        nodes = self.claim.graph.nodes
        states = {number: state for state, number in enumerate(nodes)}
        last = len(states)
        outgoing: list[list[Edge]] = []
        for node in nodes.values():
            moves = [(TRUE, None)] if node.is_end else self._moves(node, frozenset())
            if moves is None:
                return None
            edges = [(label, last if target is None else states[target]) for label, target in moves]
            outgoing.append([edge for each in edges for edge in self._marked(*each, node.is_accepting)])
        outgoing.append([Edge(TRUE, 1, last)])
        names = tuple(map(str, range(len(self.numbers) + 1)))
        start = states[self.claim.graph.start]
        return Automaton(names, self.functions, start, tuple(map(tuple, outgoing)), 1)

    def _marked(self, label: int, target: int, is_accepting: bool) -> Iterator[Edge]:
        """An edge, apart for states in which a process is at an accept label."""
        if is_accepting:
            yield Edge(label, 1, target)
            return
        seen = self.functions.variable(_AT_ACCEPT_LABEL)
        for part, marks in ((self.functions.conjoin(label, seen), 1), (self.functions.minus(label, seen), 0)):
            if part != FALSE:
                yield Edge(part, marks, target)

    def _moves(self, node: Node, passed: frozenset[int]) -> list[tuple[int, int | None]] | None:
        """What one move of the claim reads and where it leads, None for the end; no answer if it does not come to one.

        `passed` are the places of the atomic sequence so far.
        """
        if node.number in passed:
            return None
        found: list[tuple[int, int | None]] = []
        possible = FALSE
        for step in node.transitions:
            if isinstance(step.effect, Terminate):
                continue
            label = ~possible if isinstance(step.effect, Else) else self._guard(step)
            possible = self.functions.disjoin(possible, label)
            further = self._behind(step, passed | {node.number})
            if further is None:
                return None
            found += [(self.functions.conjoin(label, more), target) for more, target in further]
        return [(label, target) for label, target in found if label != FALSE]

    def _behind(self, step: Transition, passed: frozenset[int]) -> list[tuple[int, int | None]] | None:
        """What is still read in the same move behind a transition, and where it leads."""
        condition = TRUE
        if isinstance(step.effect, Assert):
            condition = self._function(step.effect.condition)
        further: list[tuple[int, int | None]] | None = [(TRUE, step.target)]
        if step.keeps_atomic:
            further = self._moves(self.claim.graph.nodes[step.target], passed)
        if further is None:
            return None
        going_on = [(self.functions.conjoin(condition, label), target) for label, target in further]
        return [*going_on, (~condition, None)]

    def _guard(self, step: Transition) -> int:
        return self._function(step.effect.condition) if isinstance(step.effect, Test) else TRUE

    def _function(self, expression: Expression) -> int:
        """An expression as a function of the propositions."""
        match expression:
            case Constant(value=value):
                return TRUE if value else FALSE
            case Unary(operator="!", operand=operand):
                return ~self._function(operand)
            case Binary(operator="&&", left=left, right=right):
                return self.functions.conjoin(self._function(left), self._function(right))
            case Binary(operator="||", left=left, right=right):
                return self.functions.disjoin(self._function(left), self._function(right))
            case _:
                proposition, is_negated = _positive(expression)
                found = self.functions.variable(self.numbers[_key(proposition)])
                return ~found if is_negated else found
