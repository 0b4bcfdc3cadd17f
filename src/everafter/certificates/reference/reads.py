"""What the statements at a place of control name: on nothing else of a state do the steps from there depend.

The process itself is always seen, and how many processes there are. Statements that ask for other processes, or start
one, see more than can be named here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from everafter.program.control_flow import Terminate
from everafter.program.program import Program
from everafter.promela.model import (
    Assign,
    Bind,
    ChannelQuery,
    Expression,
    NonProgress,
    Poll,
    ProcessQuery,
    Receive,
    Reference,
    RemoteLabel,
    RemoteVariable,
    RunExpression,
    Send,
    SetPriority,
    Variable,
)
from everafter.record import dataclass, fields, is_dataclass
from everafter.source import Place


@dataclass(frozen=True, slots=True)
class Reads:
    """What is named, besides the process itself."""

    variables: frozenset[Variable]
    channels: tuple[Expression, ...]
    """What says which channels are polled, received from or sent to."""
    sends: tuple[Expression, ...]
    """Those of them that are sent to."""
    is_fixed: bool
    """Whether these mean the same channels until the step is over."""
    ends: bool
    """Whether the process may come to its end."""
    others: frozenset[type]
    """By which kinds of expressions or statements other processes are read, started or changed."""


_OTHERS = (RunExpression, ProcessQuery, NonProgress, RemoteLabel, RemoteVariable, SetPriority)


def read_set_from(program: Program, proctype: int, node: int) -> Reads:
    """Return what the steps of a process that runs `proctype` of `program` name from the place of control `node`.

    Where a step goes on inside an atomic sequence, that is also what decides whether the next one is possible.
    """
    kind = program.processes[proctype]
    nodes = kind.graph.nodes
    here = nodes[node].transitions
    behind = [each for step in here if step.keeps_atomic for each in nodes[step.target].transitions]
    return read_set_of([kind.provided, *(step.effect for step in (*here, *behind))])


def read_set_of(parts: Iterable[object]) -> Reads:
    """What expressions and statements name."""
    found = _Named(parts)
    means = _Named(found.channels).variables
    return Reads(
        frozenset(found.variables),
        tuple(found.channels),
        tuple(found.sends),
        means.isdisjoint(found.written),
        found.ends,
        frozenset(found.others),
    )


class _Named:
    """A walk through parts of a model's tree, whatever they are; of a variable, its name is all that matters."""

    def __init__(self, parts: Iterable[object]) -> None:
        self.variables: set[Variable] = set()
        self.written: set[Variable] = set()
        self.channels: list[Expression] = []
        self.sends: list[Expression] = []
        self.others: set[type] = set()
        self.ends = False
        pending = list(parts)
        while pending:
            part = pending.pop()
            self._note(part)
            pending += _parts(part)

    def _note(self, part: object) -> None:
        match part:
            case Variable():
                self.variables.add(part)
            case Assign(target=Reference() as target) | Bind(target=Reference() as target):
                self.written.add(target.variable)
            case Send():
                self.channels.append(part.channel)
                self.sends.append(part.channel)
            case Receive() | ChannelQuery() | Poll():
                self.channels.append(part.channel)
            case Terminate():
                self.ends = True
            case _ if isinstance(part, _OTHERS):
                self.others.add(type(part))


def _parts(part: object) -> list[object]:
    if isinstance(part, tuple | list):
        return list(part)
    if isinstance(part, Mapping):
        return list(part.values())
    if is_dataclass(part) and not isinstance(part, Variable | Place):
        return [getattr(part, each.name) for each in fields(part)]
    return []
