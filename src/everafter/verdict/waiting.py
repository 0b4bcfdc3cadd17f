"""Where each process waits in a state in which nothing can happen, and for what: a deadlock in words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from everafter.execution.perform import actor_of, value_of
from everafter.execution.state import Channel, Draft, RuntimeProblem, State
from everafter.execution.step import may_be_scheduled
from everafter.program.control_flow import ControlFlowGraph, DeterministicStep, Effect, Node, Terminate, Transition
from everafter.program.naming import value_name
from everafter.program.program import ProcessType, Program
from everafter.promela.model import (
    ChannelQuery,
    Expression,
    Match,
    Poll,
    Predefined,
    ProcessQuery,
    Receive,
    Reference,
    RemoteLabel,
    RemoteVariable,
    Scalar,
    Send,
    Test,
    Timeout,
)
from everafter.promela.walk import subexpressions
from everafter.record import dataclass
from everafter.source import Spot
from everafter.verdict.changes import channel_name, contents, process_name


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A statement that a process could go on with, and why it cannot be executed."""

    spot: Spot
    statement: str
    reason: str


@dataclass(frozen=True, slots=True)
class Wait:
    """A process that cannot go on: where it is, and what each of its ways on waits for."""

    process: str
    """As reports name it: `P(2)`."""
    spot: Spot
    obstacles: tuple[Obstacle, ...]
    may_stop: bool
    """Whether it has ended, or is at a label that begins with `end`."""
    advice: str | None = None
    """What to do if the process is meant to wait here."""


def waits(program: Program, state: State) -> tuple[Wait, ...]:
    """Return where the processes of `program` wait in `state`, in which none can move."""
    return tuple(_wait(program, state, number) for number in range(len(state.processes)))


def _wait(program: Program, state: State, number: int) -> Wait:
    process = state.processes[number]
    kind = program.processes[process.proctype]
    node = kind.graph.nodes[process.node]
    why = _Why(program, state, number)
    held = why.it_is_held_back(kind)
    obstacles = tuple(dict.fromkeys(each for step in node.transitions for each in why.obstacles(step, held)))
    advice = None
    if not node.is_end and _is_at_loop_head(kind.graph, node) and why.it_is_idle(node):
        advice = f"if {kind.name} is a server that may wait here for ever, put a label before it that begins with 'end'"
    spot = obstacles[0].spot if len(obstacles) == 1 else Spot.of(node.place)
    return Wait(process_name(program, state, number), spot, obstacles, node.is_end, advice)


def _is_at_loop_head(graph: ControlFlowGraph, head: Node) -> bool:
    """Whether a loop begins here: some way back to this place leads through it before."""
    without: set[int] = {head.number}
    pending = [] if graph.start == head.number else [graph.start]
    while pending:
        number = pending.pop()
        if number not in without and number in graph.nodes:
            without.add(number)
            pending += [step.target for step in graph.nodes[number].transitions]
    without.discard(head.number)
    return any(
        step.target == head.number and not isinstance(step.effect, Terminate)
        for number, node in graph.nodes.items()
        if number not in without
        for step in node.transitions
    )


@dataclass(frozen=True, slots=True)
class _Why:
    """Why process `number` cannot move in a state."""

    program: Program
    state: State
    number: int

    def it_is_held_back(self, kind: ProcessType) -> str | None:
        """Why the process may not move whatever its statements say."""
        if kind.provided is not None and not self._value(kind.provided):
            return f"what it is `provided` is false{self._known(kind.provided)}"
        if not may_be_scheduled(self.program, self.state, self.number, True):
            return "a process of higher priority goes first"
        return None

    def it_is_idle(self, node: Node) -> bool:
        """Whether the process does nothing at this place but wait for messages, of which there are none."""
        effects = [step.effect for step in node.transitions]
        return bool(effects) and all(
            isinstance(effect, Receive) and not self._channel(effect.channel)[1] for effect in effects
        )

    def obstacles(self, step: Transition, held: str | None) -> Iterator[Obstacle]:
        """What keeps a transition from being taken; of a d_step, each of its guards."""
        effect = step.effect
        if held is None and isinstance(effect, DeterministicStep) and effect.guards is not None:
            for guard in effect.guards:
                yield Obstacle(Spot.of(guard.place), guard.text, self._reason(guard))
        else:
            yield Obstacle(Spot.of(step.place), step.text, held or self._reason(effect))

    def _reason(self, effect: Effect) -> str:
        try:
            match effect:
                case Terminate():
                    return "it has ended, and goes after all younger processes"
                case Send():
                    return self._no_room(effect)
                case Receive():
                    return self._no_message(effect)
                case Test(condition=condition):
                    return f"false{self._known(condition)}"
                case _:
                    return "not executable"
        except RuntimeProblem as stop:
            return stop.problem.message

    # Channels

    def _no_room(self, send: Send) -> str:
        name, _, capacity = self._channel(send.channel)
        if capacity == 0:
            others = self._other_ways()
            partners = (who for who, way in others if isinstance(way, Receive) and _meet(self, send, who, way))
            return _without_partner("receive", f"this from {name}", partners)
        return f"{name} is full: {self._contents(send.channel)}"

    def _no_message(self, receive: Receive) -> str:
        name, held, capacity = self._channel(receive.channel)
        if capacity is None:
            return "the channel died with the process that created it"
        wanted = [pattern.value for pattern in receive.arguments if isinstance(pattern, Match)]
        known = self._known(*wanted)
        if capacity == 0:
            others = self._other_ways()
            partners = (who for who, way in others if isinstance(way, Send) and _meet(who, way, self, receive))
            return _without_partner("send", f"this to {name}", partners) + known
        if held == 0:
            return f"{name} is empty"
        which = "no message" if receive.anywhere else "the first message does not"
        return f"{which} match{'es' if receive.anywhere else ''} in {name} = {self._contents(receive.channel)}{known}"

    def _channel(self, expression: Expression) -> tuple[str, int, int | None]:
        """A channel's name, how many messages it has, and its capacity: None if there is no such channel any more."""
        number, channel = self._found(expression)
        if channel is None:
            return f"channel {number}", 0, None
        name = channel_name(self.program, self.state, number)
        return name, len(channel.messages), self.program.channels[channel.type].capacity

    def _contents(self, expression: Expression) -> str:
        _, channel = self._found(expression)
        return contents(self.program, channel) if channel is not None else "gone"

    def _found(self, expression: Expression) -> tuple[int, Channel | None]:
        return actor_of(self.program).channel(expression)(self.state, self.number, True)

    def _other_ways(self) -> Iterator[tuple[_Why, Effect]]:
        """What the other processes could go on with, were they not held back; of a d_step its guards."""
        for number, process in enumerate(self.state.processes):
            if number != self.number:
                other = _Why(self.program, self.state, number)
                for step in self.program.processes[process.proctype].graph.nodes[process.node].transitions:
                    guards = step.effect.guards if isinstance(step.effect, DeterministicStep) else None
                    yield from ((other, effect) for effect in guards or (step.effect,))

    # What is read

    def _known(self, *expressions: Expression) -> str:
        """The values that expressions read, behind a colon; nothing if they read none."""
        parts = (part for expression in expressions for part in subexpressions(expression))
        values: dict[str, None] = {}
        for part in parts:
            with suppress(RuntimeProblem):  # a part that was not evaluated, as in `i < 3 && a[i]`
                values.update(dict.fromkeys(self._read(part)))
        return f": {', '.join(values)}" if values else ""

    def _value(self, expression: Expression) -> int:
        return value_of(self.program, self.state, self.number, expression, timeout=True)

    def _read(self, part: Expression) -> Iterator[str]:
        match part:
            case Reference() if not _is_channel(part):
                region = self.program.memory if part.variable.proctype is None else self._kind.memory
                cell = region.cells[actor_of(self.program).address(part)(self.state, self.number, True)]
                yield f"{cell.name} = {value_name(self.program, cell.variable.type, self._value(part))}"
            case RemoteVariable(proctype=owner, variable=variable):
                yield f"{owner}:{variable.name} = {value_name(self.program, variable.type, self._value(part))}"
            case RemoteLabel(proctype=owner, label=label) if not self._value(part):
                yield f"{owner} is not at {label}"
            case RemoteLabel(proctype=owner, label=label):
                yield f"{owner} is at {label}"
            case ChannelQuery(channel=channel) | Poll(channel=channel):
                yield f"{self._channel(channel)[0]} = {self._contents(channel)}"
            case ProcessQuery(query=query, process=process):
                yield f"{query}({self._value(process)}) = {self._value(part)}"
            case Predefined(name=name):
                yield f"{name} = {self._value(part)}"
            case Timeout():
                yield "timeout = 1"
            case _:
                return

    @property
    def _kind(self) -> ProcessType:
        return self.program.processes[self.state.processes[self.number].proctype]


def _meet(sender: _Why, send: Send, receiver: _Why, receive: Receive) -> bool:
    """Whether a message that one process would send is one that another would receive."""
    actor, draft = actor_of(sender.program), Draft(sender.state)
    with suppress(RuntimeProblem):
        if actor.may(send)(draft, sender.number, True):
            actor.deed(send)(draft, sender.number, True)
            return draft.handshake is not None and actor.may(receive)(draft, receiver.number, False)
    return False


def _without_partner(verb: str, what: str, partners: Iterator[_Why]) -> str:
    """Why a rendezvous does not happen: there is no partner, or only one that is held back."""
    for partner in partners:
        name = process_name(partner.program, partner.state, partner.number)
        return f"{name} could {verb} {what}, but may not move"
    return f"nobody is ready to {verb} {what}"


def _is_channel(reference: Reference) -> bool:
    return isinstance(reference.leaf.type, Scalar) and reference.leaf.type.kind == "chan"
