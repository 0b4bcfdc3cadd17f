"""What each transition reads and writes: what it depends on, and what may come to depend on it.

A transition belongs to a process and a place of control, which it reads and writes by being there; everything else is
a `Location` or an operation on a channel. Reads are what decides whether the transition can be taken, and what it then
does to what it writes. An access missing here makes the reduction unsound; one too many only makes it weaker.

Some reads are not in the text of the statement. `else` reads what all its neighbours read; where there is an escape
every step reads what the escape does; `provided` is read before every step, and priorities read everything; a
rendezvous is a step of two; and a step that keeps an atomic sequence going reads whether the process can go on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, assert_never

from everafter.program.cell_sets import CellSets
from everafter.program.control_flow import DeterministicStep, Effect, Jump, Node, Perform, Terminate, Transition
from everafter.program.effect_parts import expressions_in
from everafter.program.locations import (
    CHANGING,
    NOTHING,
    RECEIVING,
    SENDING,
    Accesses,
    ChannelAccess,
    Location,
    Operation,
    Space,
    may_be_same,
    union,
)
from everafter.program.program import ProcessType, Program
from everafter.program.sites import PlaceNumbers
from everafter.program.storage import Region
from everafter.promela.model import (
    Assert,
    Assign,
    Binary,
    Bind,
    ChannelQuery,
    ChannelShape,
    Conditional,
    Constant,
    Declare,
    Else,
    Expression,
    NonProgress,
    Poll,
    Predefined,
    PredefinedName,
    Print,
    ProcessQuery,
    ProcessQuestion,
    Receive,
    Reference,
    RemoteLabel,
    RemoteVariable,
    RunExpression,
    Send,
    SetPriority,
    Struct,
    Test,
    Timeout,
    Unary,
    Variable,
    Within,
)
from everafter.promela.walk import subexpressions

AccessTable = tuple[dict[int, tuple[Accesses, ...]], ...]
"""For each proctype and each place of control, the accesses of its transitions in order."""


def accesses_of(program: Program, *, partners: bool = True) -> AccessTable:
    """Return the accesses of every transition of `program`.

    Without `partners`, a send by rendezvous has only the accesses of the sender; those of the receiver are in its own
    transitions.
    """
    table = _own_accesses(program)
    meeting = NOTHING
    while True:
        for process in program.processes:
            _enrich(program, process, table[process.index], meeting)
        if not partners or (now := _meeting(program, table)) == meeting:
            return table
        meeting = now


def asked_by(program: Program, expressions: Iterable[Expression]) -> Accesses:
    """Return what the value of any of `expressions` over `program` depends on, for a reader that is no process."""
    finder = _Finder(program)
    return union(map(finder._reading, expressions))


def _own_accesses(program: Program) -> AccessTable:
    finder = _Finder(program)
    return tuple(
        {
            number: tuple(finder.of_transition(process, number, step) for step in node.transitions)
            for number, node in process.graph.nodes.items()
        }
        for process in program.processes
    )


# What one transition adds to another


def _enrich(program: Program, process: ProcessType, table: dict[int, tuple[Accesses, ...]], meeting: Accesses) -> None:
    """Add to every transition of a process the accesses of those on which it depends.

    What a place gains is read by those before it in an atomic sequence, so that only these are looked at again.
    """
    nodes = process.graph.nodes
    before: dict[int, list[int]] = {}
    for number, node in nodes.items():
        for step in node.transitions:
            if step.keeps_atomic:
                before.setdefault(step.target, []).append(number)
    pending = dict.fromkeys(nodes)
    while pending:
        number, _ = pending.popitem()
        enriched = tuple(_enriched_steps(program, process, nodes[number], table, meeting))
        if enriched != table[number]:
            table[number] = enriched
            pending |= dict.fromkeys([number, *before.get(number, ())])


def _meeting(program: Program, table: AccessTable) -> Accesses:
    """What the sender in a rendezvous reads of the processes that may receive."""
    control = frozenset({Location("control")})
    receiving = union(_receives(program, table)).seen_from_outside()
    return receiving | Accesses(control | {Location("processes")}, control)


def _receives(program: Program, table: AccessTable) -> Iterator[Accesses]:
    """The accesses of every receive: any of them may be the second half of a rendezvous."""
    for process in program.processes:
        for number, node in process.graph.nodes.items():
            for step, accesses in zip(node.transitions, table[process.index][number], strict=True):
                if _may_meet(program, step, accesses, "receive"):
                    yield accesses


def _enriched_steps(
    program: Program, process: ProcessType, node: Node, table: dict[int, tuple[Accesses, ...]], meeting: Accesses
) -> Iterator[Accesses]:
    """Every transition of a node with the accesses of those it has to ask."""
    own, has_escapes = table[node.number], any(step.escape for step in node.transitions)
    for position, step in enumerate(node.transitions):
        result = own[position]
        asked = range(position) if has_escapes else range(0)
        if process.declaration.deterministic or _begins_with_else(step):
            asked = range(len(own))
        result |= union(own[other].only_reading() for other in asked if other != position)
        if step.keeps_atomic:
            result |= union(table.get(step.target, ())).only_reading()
        if _may_meet(program, step, own[position], "send"):
            result |= meeting
        yield result


def _may_meet(program: Program, step: Transition, accesses: Accesses, operation: Literal["send", "receive"]) -> bool:
    """Whether a step may be one half of a rendezvous, the sender's or the receiver's."""
    if isinstance(step.effect, Send) != (operation == "send"):
        return False
    half = SENDING if operation == "send" else RECEIVING
    for access in accesses.channels:
        variable = access.channel.variable if access.channel is not None else None
        shape = variable.initial if variable is not None else None
        unknown = not isinstance(shape, ChannelShape) and any(kind.capacity == 0 for kind in program.channels)
        if access.operation in half and (unknown or (isinstance(shape, ChannelShape) and shape.capacity == 0)):
            return True
    return False


def _begins_with_else(step: Transition) -> bool:
    effect = step.effect
    if isinstance(effect, DeterministicStep):
        return effect.guards is not None and any(isinstance(guard, Else) for guard in effect.guards)
    return isinstance(effect, Else)


# What a transition says itself


class _Finder:
    """Finds the accesses in the text of a transition."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.sets = CellSets(program)
        self.alive = frozenset({Location("processes")} if program.numbers_matter else ())
        """What a start or an end reads and writes."""
        self.events = [self._named(event.channel) for event in self._events()]
        self.trace_reads = _reads(*union(map(self._all_read, self._events())).reads)
        self.promises = self._promises()
        self.places = PlaceNumbers(program)
        self.asked_places = self._asked_places()

    def of_transition(self, process: ProcessType, number: int, step: Transition) -> Accesses:
        """The accesses of a transition from place `number` by itself, with what is read of the process before it."""
        passed = {self.places.of(process, place) for place in (number, step.target)} & self.asked_places
        result = self._of_effect(step.effect)
        result |= Accesses(writes=frozenset(Location("passed", None, place) for place in passed))
        if isinstance(step.effect, Terminate):
            result |= Accesses(writes=_brings(process))
        if process.provided is not None:
            result |= self._reading(process.provided)
        if self.program.uses_priority:
            result |= Accesses(frozenset({Location("everything")}))
        if self.program.uses_last:
            result |= Accesses(writes=frozenset({Location("last")}))
        return result | union(self._watched(access) for access in result.channels if access.operation in CHANGING)

    def _of_effect(self, effect: Effect) -> Accesses:
        match effect:
            case DeterministicStep(instructions=instructions):
                performed = (item.statement for item in instructions.values() if isinstance(item, Perform))
                return union(map(self._of_effect, performed))
            case Assign(target=target, value=value):
                return self._reading(value) | self._writing(target)
            case Send(channel=channel):
                return self._all_read(effect) | self._on(channel, "insert" if effect.is_sorted else "send")
            case Receive(channel=channel, arguments=patterns, keeps=keeps, anywhere=anywhere):
                bound = [pattern.target for pattern in patterns if isinstance(pattern, Bind)]
                matched = [pattern.value for pattern in patterns if not isinstance(pattern, Bind)]
                result = union(map(self._reading, (channel, *matched))) | union(map(self._writing, bound))
                return result | self._on(channel, "copy" if keeps else "pick" if anywhere else "receive")
            case SetPriority():
                priority = frozenset({Location("priority")})
                return self._all_read(effect) | Accesses(frozenset({Location("processes")}), priority)
            case Terminate():
                return Accesses(self.alive, self.alive)
            case Test() | Else() | Assert() | Print() | Declare() | Jump():
                return self._all_read(effect)
            case _:
                assert_never(effect)

    def _all_read(self, effect: Effect) -> Accesses:
        return union(map(self._reading, expressions_in(effect)))

    def _writing(self, target: Reference | Predefined) -> Accesses:
        if isinstance(target, Predefined):
            own = frozenset({Location("priority")}) if target.name == "_priority" else frozenset()
            return Accesses(writes=own)
        indices = (target.index, *(selection.index for selection in target.selections))
        read = union(self._reading(index) for index in indices if index is not None)
        return read if self._is_unread(target) else read | Accesses(writes=frozenset({self.location(target)}))

    def _is_unread(self, reference: Reference) -> bool:
        """Whether what it means is no part of a state."""
        erased = self.program.erased
        return erased is not None and self.sets.is_within(reference, (erased.unread, *erased.unread_locals))

    def _reading(self, expression: Expression) -> Accesses:
        return union(map(self._reading_part, subexpressions(expression)))

    def _reading_part(self, part: Expression) -> Accesses:
        match part:
            case Reference():
                return NOTHING if self._is_unread(part) else _reads(self.location(part))
            case Predefined(name=name):
                return _predefined(name)
            case RunExpression(proctype=name):
                # A new process has the next free number, and its channels have the next free numbers.
                child = self.program.processes[self.program.by_name[name]]
                return self._initial(child) | Accesses(self.alive, self.alive | _brings(child))
            case ChannelQuery(channel=channel):
                return self._on(channel, "length")
            case Poll(channel=channel):
                return self._on(channel, "poll")
            case ProcessQuery(query=query):
                return _reads(Location(_questioned(query)), Location("processes"))
            case RemoteLabel():
                return _reads(Location("place", None, self.places.labelled(part)), Location("processes"))
            case RemoteVariable(variable=variable):
                return _reads(Location("remote", variable), Location("processes"))
            case NonProgress():
                progress = (Location("place", None, place) for place in self.places.of_progress())
                return _reads(*progress, Location("processes"))
            case Timeout():
                return _reads(Location("timeout"))
            case Constant() | Unary() | Binary() | Conditional() | Within():
                return NOTHING  # their parts are asked one by one
            case _:
                assert_never(part)

    def _initial(self, process: ProcessType) -> Accesses:
        """What the initial values of a new process depend on; its own variables are no other process's yet."""
        asked = union(map(self._reading, _initial_values(process.initial)))
        own = frozenset(item for item in asked.reads if item.space == "local")
        return Accesses(asked.reads - own, channels=asked.seen_from_outside().channels)

    def location(self, reference: Reference) -> Location:
        """The location a reference names, with its cell if every index is a constant within its range."""
        variable = reference.variable
        space: Space = "global" if variable.proctype is None else "local"
        region = self.program.memory if variable.proctype is None else self._memory_of(variable.proctype)
        steps = [(variable, reference.index), *((item.field, item.index) for item in reference.selections)]
        cell = region.offsets[variable]
        for position, (owner, index) in enumerate(steps):
            element = _constant_index(owner, index)
            if element is None:
                return Location(space, variable)
            cell += element * owner.type.size + (self.program.fields[owner] if position else 0)
        return Location(space, variable, cell)

    def _memory_of(self, proctype: str) -> Region:
        return self.program.processes[self.program.by_name[proctype]].memory

    def _asked_places(self) -> frozenset[int]:
        """The numbers of the places of control for which some process asks."""
        program = self.program
        asked = [whole for effect in program.effects() for whole in expressions_in(effect)]
        for process in program.processes:
            asked += [*_initial_values(process.initial), *([process.provided] if process.provided is not None else ())]
        reads = union(self._reading(expression) for expression in asked).reads
        return frozenset(item.cell for item in reads if item.space == "place" and item.cell is not None)

    # Channels

    def _on(self, channel: Expression, operation: Operation) -> Accesses:
        """An operation on a channel. One that another process created dies with it: then it matters who is alive."""
        named = self._named(channel)
        lasting = named is not None and named.variable is not None and isinstance(named.variable.initial, ChannelShape)
        exists: frozenset[Location] = frozenset() if lasting else frozenset({Location("channels")})
        return Accesses(exists, channels=frozenset({ChannelAccess(operation, named)}))

    def _named(self, channel: Expression) -> Location | None:
        """The variable that always names the channel meant, if that is clear from the text."""
        if not isinstance(channel, Reference) or channel.selections or channel.variable in self.program.assigned:
            return None
        variable = channel.variable
        if isinstance(variable.initial, ChannelShape) or (variable.is_parameter and variable.length is None):
            return self.location(channel)
        return None

    def _watched(self, access: ChannelAccess) -> Accesses:
        """What an operation asks and moves besides: a trace assertion, which channels it speaks of; `xr` and `xs`."""
        result = self.promises["xs" if access.operation in SENDING else "xr"] | self.trace_reads
        if any(may_be_same(access.channel, channel) for channel in self.events):
            event = frozenset({Location("event")})
            result |= Accesses(event, event)
        return result

    def _events(self) -> list[Send | Receive]:
        """The events of the trace assertion."""
        trace = self.program.trace
        effects = (step.effect for step in trace.graph.transitions()) if trace is not None else ()
        return [effect for effect in effects if isinstance(effect, Send | Receive)]

    def _promises(self) -> dict[str, Accesses]:
        """What is read to see whether `xr`, or `xs`, is kept."""
        result = {"xr": NOTHING, "xs": NOTHING}
        for process in self.program.processes:
            for promise, reference in process.declaration.exclusive:
                result[promise] |= self._reading(reference).seen_from_outside() | _reads(Location("promises"))
        return result


def _brings(process: ProcessType) -> frozenset[Location]:
    """What comes and goes with a process besides itself."""
    found: list[Space] = ["channels"] if process.created else []
    found += ["promises"] if process.declaration.exclusive else []
    return frozenset(map(Location, found))


def _initial_values(variables: Iterable[Variable]) -> Iterator[Expression]:
    for variable in variables:
        if isinstance(variable.type, Struct):
            yield from _initial_values(variable.type.fields)
        elif isinstance(variable.initial, tuple):
            yield from variable.initial
        elif variable.initial is not None and not isinstance(variable.initial, ChannelShape):
            yield variable.initial


def _reads(*locations: Location) -> Accesses:
    return Accesses(frozenset(locations))


def _predefined(name: PredefinedName) -> Accesses:
    """What the value of a predefined variable depends on. The number of a process never changes."""
    match name:
        case "_nr_pr":
            return _reads(Location("processes"))
        case "_last":
            return _reads(Location("last"))
        case "_priority":
            return _reads(Location("priority"))
        case "_pid" | "_":
            return NOTHING
        case _:
            assert_never(name)


def _questioned(query: ProcessQuestion) -> Space:
    """What the answer to a question about a process depends on, besides that it is alive."""
    match query:
        case "get_priority":
            return "priority"
        case "pc_value":
            return "control"
        case "enabled":
            return "everything"
        case _:
            assert_never(query)


def _constant_index(variable: Variable, index: Expression | None) -> int | None:
    if index is None:
        return 0
    if isinstance(index, Constant) and 0 <= index.value < variable.cells:
        return index.value
    return None


__all__ = ["AccessTable", "accesses_of", "asked_by"]
