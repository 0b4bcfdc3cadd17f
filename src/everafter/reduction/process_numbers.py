"""Does it matter which numbers processes have, and which of those that have come to their end are still there?

It does not if nothing asks for numbers or counts processes, no channel comes or goes with a process, and there is
always a number for another one. Two states are then alike if their variables and channels are, and there are as many
processes of each proctype at each place with the same local variables, those at their end left out: from alike states
the same steps lead to alike states, which no property can tell apart, save that one at its end may end before. So
starts and ends of processes commute with all that others do, up to states that are alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from everafter.program.control_flow import Effect, Terminate
from everafter.program.effect_parts import expressions_in
from everafter.program.initial_limits import MOST
from everafter.program.program import ProcessType, Program
from everafter.promela.model import (
    ChannelShape,
    Expression,
    NonProgress,
    Predefined,
    Print,
    ProcessQuery,
    RemoteLabel,
    RemoteVariable,
    RunExpression,
    Struct,
    Test,
    Timeout,
    Variable,
)
from everafter.promela.walk import subexpressions
from everafter.reduction.candidates import running_types, started_types
from everafter.reduction.start_bound import most_processes
from everafter.reduction.visibility import Watched

_ASKS_FOR_PROCESSES = (ProcessQuery, RemoteVariable, RemoteLabel, NonProgress)


def numbers_matter(program: Program, watched: Watched) -> bool:
    """Return whether a step of `program`, or a property that sees `watched`, may depend on numbers of processes."""
    if program.uses_priority or program.uses_last or any(kind.provided is not None for kind in program.processes):
        return True
    running, started = running_types(program), started_types(program)
    observers = [kind for kind in program.processes if kind not in running]
    seen = [*watched.expressions, *(item for kind in observers for item in _values_of(kind))]
    if any(isinstance(part, Timeout) or _counts(part) or _is_number(part) for part in _parts(seen)):
        return True
    if any(_counts(part) for kind in running for part in _parts(_values_of(kind))):
        return True
    if any(_is_tied(kind, kind.name in started, watched) for kind in running):
        return True
    most = most_processes(program)
    return most is None or most > MOST


def _is_tied(kind: ProcessType, is_started: bool, watched: Watched) -> bool:
    """Whether it matters which number a process of a type has, or when it ends."""
    ends = any(isinstance(step.effect, Terminate) for step in kind.graph.transitions())
    if kind.declaration.exclusive or (kind.created and (ends or is_started)):
        return True
    if any(not _is_plain_start(step.effect) for step in kind.graph.transitions()):
        return True
    if any(_is_end_seen(kind, number, watched) for number in kind.graph.nodes):
        return True
    return is_started and any(map(_is_number, _parts(_values_of(kind))))


def _is_plain_start(effect: Effect) -> bool:
    """Whether processes are started, if at all, by a statement that does nothing else."""
    if isinstance(effect, Test) and isinstance(effect.condition, RunExpression):
        return not any(_starts(item) for item in effect.condition.arguments)
    return not any(map(_starts, expressions_in(effect)))


def _starts(expression: Expression) -> bool:
    return any(isinstance(part, RunExpression) for part in subexpressions(expression))


def _is_end_seen(kind: ProcessType, number: int, watched: Watched) -> bool:
    """Whether a process ends from a place at which the property sees it, or at which it could do something else."""
    node = kind.graph.nodes[number]
    if not any(isinstance(step.effect, Terminate) for step in node.transitions):
        return False
    seen = (watched.accept_labels and node.is_accepting) or (watched.progress_labels and node.is_progress)
    return seen or len(node.transitions) > 1 or not node.is_end


def _counts(part: Expression) -> bool:
    """Whether an expression asks which processes there are."""
    if isinstance(part, Predefined):
        return part.name in ("_nr_pr", "_last", "_priority")
    return isinstance(part, _ASKS_FOR_PROCESSES)


def _is_number(part: Expression) -> bool:
    """Whether an expression is the number of the process itself."""
    return isinstance(part, Predefined) and part.name == "_pid"


def _values_of(kind: ProcessType) -> Iterator[Expression]:
    """The expressions of a proctype whose values matter; a number that is only printed does not."""
    for step in kind.graph.transitions():
        printed = step.effect.arguments if isinstance(step.effect, Print) else ()
        yield from (item for item in expressions_in(step.effect) if not (item in printed and _is_number(item)))
    yield from _initial_values(kind.initial)


def _parts(expressions: Iterable[Expression]) -> Iterator[Expression]:
    for item in expressions:
        yield from subexpressions(item)


def _initial_values(variables: Iterable[Variable]) -> Iterator[Expression]:
    for variable in variables:
        if isinstance(variable.type, Struct):
            yield from _initial_values(variable.type.fields)
        if isinstance(variable.initial, tuple):
            yield from variable.initial
        elif variable.initial is not None and not isinstance(variable.initial, ChannelShape):
            yield variable.initial
