"""What a transition touches, read off the program's text: cells of the global memory, channels, processes.

Cells are bits of a number, so that two transitions share a cell exactly if a bit is set in both numbers; a reference
whose index is no constant means every cell of its variable. Local variables, and where a process is, concern only the
process itself, but for what a remote reference or `np_` asks: these have bits of their own, which a step that changes
them shows and one that asks looks at. What a transition does must commute with what it touches in others: a cell
that is missing here is the mistake that no checker behind this text can see.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_
from typing import Literal

from everafter.program.control_flow import DeterministicStep, Effect, Node, Perform, Terminate, Transition
from everafter.program.effect_parts import expressions_in, references_written
from everafter.program.program import ProcessType, Program
from everafter.promela.model import (
    Assign,
    Bind,
    ChannelQuery,
    ChannelShape,
    Constant,
    Else,
    Expression,
    NonProgress,
    Poll,
    Predefined,
    ProcessQuery,
    Receive,
    Reference,
    RemoteLabel,
    RemoteVariable,
    RunExpression,
    Send,
    Struct,
    Variable,
)
from everafter.promela.walk import subexpressions
from everafter.record import dataclass, replace

Operation = Literal["send", "insert", "receive", "pick", "copy", "poll", "offer", "length"]
"""`insert` is a sorted send, `pick` a receive from anywhere, `copy` one that leaves the message; `poll` asks whether
something can be received, `offer` whether something can be sent."""
PUTS: frozenset[Operation] = frozenset({"send", "insert"})
TAKES: frozenset[Operation] = frozenset({"receive", "pick"})
CHANGES = PUTS | TAKES
_OFFERED = PUTS | {"offer"}


Looked = Variable | tuple[int, int]
"""What may be read of another process: a variable of it, or a place by its proctype and number."""


@dataclass(frozen=True, slots=True)
class Name:
    """Cells that hold numbers of channels and are never assigned: one of these channels is meant."""

    is_local: bool
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Use:
    """An operation on a channel, any channel if `channel` is None.

    `lasts`: the channel was created with the variable that names it, and lives as long.
    """

    operation: Operation
    channel: Name | None
    lasts: bool


@dataclass(frozen=True, slots=True)
class Touch:
    """What is touched by something that a process does."""

    reads: int = 0
    writes: int = 0
    uses: frozenset[Use] = frozenset()
    shown: int = 0
    """What it may change of its own process that others look at."""
    looks: int = 0
    """What it asks of other processes."""
    is_boundless: bool = False
    """Whether it asks for what every step may change: whether others can move, or exactly where they are."""
    counts: bool = False
    """Whether it asks which processes there are."""
    starts: bool = False
    creates: bool = False
    """Whether it starts a process that creates channels."""
    ends: frozenset[int] = frozenset()
    """The types of the processes that end."""

    def __or__(self, other: Touch) -> Touch:
        return Touch(
            self.reads | other.reads,
            self.writes | other.writes,
            self.uses | other.uses,
            self.shown | other.shown,
            self.looks | other.looks,
            self.is_boundless or other.is_boundless,
            self.counts or other.counts,
            self.starts or other.starts,
            self.creates or other.creates,
            self.ends | other.ends,
        )

    def asked(self) -> Touch:
        """What is touched by asking whether this could be done."""
        uses = (replace(use, operation="offer" if use.operation in _OFFERED else "poll") for use in self.uses)
        counts = self.counts or self.starts or bool(self.ends)
        return Touch(self.reads, 0, frozenset(uses), 0, self.looks, self.is_boundless, counts)


UNTOUCHED = Touch()


def all_of(parts: Iterable[Touch]) -> Touch:
    """Everything that some part touches."""
    return reduce(or_, parts, UNTOUCHED)


class Text:
    """Reads a program, and what a property asks of it."""

    def __init__(self, program: Program, asked: Iterable[Expression] = ()) -> None:
        self.program = program
        self._looked_at = self._numbered([*asked, *_all_expressions(program)])
        effects = (step.effect for kind in program.processes for step in kind.graph.transitions())
        self._assigned = {written.variable for effect in effects for written in references_written(effect)}
        self._promises = 1 << len(program.memory.cells)
        self._unread = program.erased.unread if program.erased is not None else 0  # decided by zero_cells.py
        self._watched = self._on_watched_channels()
        self._steps = self._settled()

    def steps(self, kind: ProcessType, node: int) -> tuple[Touch, ...]:
        """Return what each transition of `kind` at `node` touches, with what is read for it to be taken."""
        return self._steps[kind.index, node]

    # Expressions

    def cells(self, reference: Reference) -> range:
        """The cells that a reference may mean."""
        variable = reference.variable
        kind = None if variable.proctype is None else self.program.processes[self.program.by_name[variable.proctype]]
        start = (self.program if kind is None else kind).memory.offsets[variable]
        first, size = start, variable.type.size
        for owner, index in ((variable, reference.index), *((part.field, part.index) for part in reference.selections)):
            if owner is not variable:
                first += self.program.fields[owner]
            if index is not None and not (isinstance(index, Constant) and 0 <= index.value < owner.cells):
                return range(first, first + owner.cells * owner.type.size)
            size = owner.type.size
            first += size * (index.value if isinstance(index, Constant) else 0)
        return range(first, first + size)

    def _bits(self, reference: Reference) -> int:
        """The cells of the global memory among those."""
        if reference.variable.proctype is not None:
            return 0
        cells = self.cells(reference)
        return (((1 << len(cells)) - 1) << cells.start) & ~self._unread

    def reading(self, expressions: Iterable[Expression]) -> Touch:
        """What the values of expressions depend on."""
        return all_of(self.touched_by(part) for item in expressions for part in subexpressions(item))

    def touched_by(self, part: Expression) -> Touch:
        """What a part of an expression touches, its own parts left aside."""
        match part:
            case Reference():
                return Touch(self._bits(part))
            case Predefined(name="_nr_pr"):
                return Touch(counts=True)
            case Predefined(name="_last" | "_priority"):
                return Touch(is_boundless=True)
            case RunExpression(proctype=name):
                return self._starting(self.program.processes[self.program.by_name[name]])
            case ChannelQuery(channel=channel):
                return Touch(uses=frozenset({self.use("length", channel)}))
            case Poll(channel=channel):
                return Touch(uses=frozenset({self.use("poll", channel)}))
            case RemoteLabel() | RemoteVariable() | NonProgress():
                bits = (1 << self._looked_at[each] for each in self._meant_by(part))
                return Touch(looks=reduce(or_, bits, 0), counts=True)
            case ProcessQuery():
                return Touch(is_boundless=True, counts=True)
            case _:
                return UNTOUCHED

    def _starting(self, child: ProcessType) -> Touch:
        """A new process takes the next number, creates channels, and is given its first values."""
        given = self.reading(_initial_values(child.initial))
        foreign = frozenset(replace(use, channel=None) if _is_local(use.channel) else use for use in given.uses)
        promises = self._promises if child.declaration.exclusive else 0
        started = Touch(writes=promises, counts=True, starts=True, creates=bool(child.created))
        return replace(given, uses=foreign) | started

    # Other processes

    def _meant_by(self, part: Expression) -> Iterator[Looked]:
        """What a part of an expression asks of other processes: their variables, and whether they are at places."""
        match part:
            case RemoteVariable(variable=variable):
                yield variable
            case RemoteLabel(proctype=name, label=label):
                kind = self.program.processes[self.program.by_name[name]]
                yield kind.index, kind.graph.labels[label]
            case NonProgress():
                for kind in self.program.processes:
                    yield from ((kind.index, at) for at, node in kind.graph.nodes.items() if node.is_progress)
            case _:
                pass

    def _numbered(self, expressions: Iterable[Expression]) -> dict[Looked, int]:
        """The bits of all that is read of other processes."""
        parts = (part for item in expressions for part in subexpressions(item))
        found = dict.fromkeys(each for part in parts for each in self._meant_by(part))
        return {each: bit for bit, each in enumerate(found)}

    def _shown(self, each: Looked) -> int:
        """The bit of a variable or a place, 0 if no other process looks at it."""
        return 1 << self._looked_at[each] if each in self._looked_at else 0

    # Channels

    def use(self, operation: Operation, channel: Expression) -> Use:
        """Return the use of the channel that the expression `channel` means by `operation`."""
        name = self.name(channel)
        assert name is None or isinstance(channel, Reference)
        lasts = name is not None and isinstance(channel, Reference) and _creates(channel.variable)
        return Use(operation, name, lasts)

    def name(self, channel: Expression) -> Name | None:
        """The cells that name a channel for ever: created for the variable, or handed to the process at its start."""
        if not isinstance(channel, Reference) or channel.selections or channel.variable in self._assigned:
            return None
        variable = channel.variable
        if _creates(variable) or (variable.is_parameter and variable.length is None):
            return Name(variable.proctype is not None, tuple(self.cells(channel)))
        return None

    def _on_watched_channels(self) -> dict[bool, Touch]:
        """What else is read when something is put into a channel (True) or taken out: promises and trace assertions."""
        trace = self.program.trace
        events = [step.effect for step in trace.graph.transitions()] if trace is not None else []
        asked = self.reading(item for event in events for item in expressions_in(event))
        watched = replace(asked, uses=frozenset())
        found = {True: watched, False: watched}
        for kind in self.program.processes:
            for promise, reference in kind.declaration.exclusive:
                found[promise == "xs"] |= Touch(self.reading([reference]).reads | self._promises)
        return found

    # Transitions

    def _settled(self) -> dict[tuple[int, int], tuple[Touch, ...]]:
        """All transitions, each with those that it must ask, and those that these must ask."""
        found = {
            (kind.index, number): tuple(self._own(kind, number, step) for step in node.transitions)
            for kind in self.program.processes
            for number, node in kind.graph.nodes.items()
        }
        for kind in self.program.processes:
            self._settle(kind, found)
        return found

    def _settle(self, kind: ProcessType, found: dict[tuple[int, int], tuple[Touch, ...]]) -> None:
        """Add what must be read; where something is added, those before it in an atomic sequence read more."""
        nodes = kind.graph.nodes
        entering: dict[int, set[int]] = {number: {number} for number in nodes}
        for number, node in nodes.items():
            for step in node.transitions:
                if step.keeps_atomic and step.target in nodes:
                    entering[step.target].add(number)
        changed = sorted(nodes)
        while changed:
            number = changed.pop()
            more = self._with_asked(kind, nodes[number], found)
            if more != found[kind.index, number]:
                found[kind.index, number] = more
                changed += entering[number]

    def _with_asked(
        self, kind: ProcessType, node: Node, known: dict[tuple[int, int], tuple[Touch, ...]]
    ) -> tuple[Touch, ...]:
        own, escapes = known[kind.index, node.number], any(step.escape for step in node.transitions)
        return tuple(
            touch
            | all_of(own[other].asked() for other in _asked_before(kind, node, position, escapes))
            | (all_of(known.get((kind.index, step.target), ())).asked() if step.keeps_atomic else UNTOUCHED)
            for position, (step, touch) in enumerate(zip(node.transitions, own, strict=True))
        )

    def _own(self, kind: ProcessType, number: int, step: Transition) -> Touch:
        """What a transition touches by itself: a `provided` clause is evaluated before each."""
        clause = self.reading([kind.provided] if kind.provided is not None else [])
        moved = Touch(shown=self._shown((kind.index, number)) | self._shown((kind.index, step.target)))
        return self._effect(kind, step.effect) | clause | moved

    def _effect(self, kind: ProcessType, effect: Effect) -> Touch:
        match effect:
            case Terminate():
                return Touch(ends=frozenset({kind.index}))
            case DeterministicStep(instructions=instructions):
                statements = [item.statement for item in instructions.values() if isinstance(item, Perform)]
                return all_of(self._effect(kind, statement) for statement in statements)
            case Assign(target=target, value=value):
                return self.reading([value, *_indices([target])]) | self._writing([target])
            case Send(channel=channel):
                done = Touch(uses=frozenset({self.use("insert" if effect.is_sorted else "send", channel)}))
                return self.reading(expressions_in(effect)) | done | self._watched[True]
            case Receive(channel=channel, arguments=patterns):
                bound = [pattern.target for pattern in patterns if isinstance(pattern, Bind)]
                matched = [pattern.value for pattern in patterns if not isinstance(pattern, Bind)]
                read = self.reading([channel, *matched, *_indices(bound)]) | self._writing(bound)
                watched = UNTOUCHED if effect.keeps else self._watched[False]
                return read | Touch(uses=frozenset({self.use(operation_of(effect), channel)})) | watched
            case _:
                return self.reading(expressions_in(effect))

    def _writing(self, targets: Iterable[Reference | Predefined]) -> Touch:
        written = [target for target in targets if isinstance(target, Reference)]
        shown = (self._shown(target.variable) for target in written)
        return Touch(writes=reduce(or_, map(self._bits, written), 0), shown=reduce(or_, shown, 0))


def operation_of(effect: Send | Receive) -> Operation:
    """What a statement does to its channel."""
    if isinstance(effect, Send):
        return "insert" if effect.is_sorted else "send"
    return "copy" if effect.keeps else "pick" if effect.anywhere else "receive"


def _asked_before(kind: ProcessType, node: Node, position: int, escapes: bool) -> Iterator[int]:
    """The other transitions of a place that decide whether one can be taken."""
    steps = node.transitions
    if kind.declaration.deterministic or _is_else(steps[position]):
        yield from (other for other in range(len(steps)) if other != position)
    elif escapes:
        yield from range(position)


def _is_else(step: Transition) -> bool:
    if isinstance(step.effect, DeterministicStep):
        return any(isinstance(guard, Else) for guard in step.effect.guards or ())
    return isinstance(step.effect, Else)


def _indices(targets: Iterable[Reference | Predefined]) -> Iterator[Expression]:
    for target in targets:
        if isinstance(target, Reference):
            yield from (
                part for part in (target.index, *(item.index for item in target.selections)) if part is not None
            )


def _creates(variable: Variable) -> bool:
    return isinstance(variable.initial, ChannelShape)


def _is_local(name: Name | None) -> bool:
    return name is not None and name.is_local


def _all_expressions(program: Program) -> Iterator[Expression]:
    """Every expression that a process may evaluate."""
    for kind in program.processes:
        yield from (item for step in kind.graph.transitions() for item in expressions_in(step.effect))
        yield from _initial_values(kind.initial)
        if kind.provided is not None:
            yield kind.provided


def _initial_values(variables: Iterable[Variable]) -> Iterator[Expression]:
    for variable in variables:
        if isinstance(variable.type, Struct):
            yield from _initial_values(variable.type.fields)
        elif isinstance(variable.initial, tuple):
            yield from variable.initial
        elif variable.initial is not None and not _creates(variable):
            yield variable.initial  # type: ignore[misc] # no shape of a channel
