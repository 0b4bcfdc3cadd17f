"""Whether what is said of a state in which nobody can move is true, sentence by sentence.

A report says of each process where it is, which statements it could go on with, and why each cannot be executed. Every
such sentence has a meaning that can be looked up in the state; where it gives a value, that is the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from everafter.execution.perform import actor_of, value_of
from everafter.execution.state import State
from everafter.execution.step import steps
from everafter.program.control_flow import ControlFlowGraph, DeterministicStep, Effect, Node, Terminate
from everafter.program.naming import value_name
from everafter.program.program import ProcessType, Program
from everafter.promela.model import Expression, Match, Receive, Send, Test
from everafter.source import Place
from everafter.verdict.waiting import Wait, waits
from oracles.hints.whole import Whole

_VALUE = re.compile(r"(?P<name>[A-Za-z_][\w.\[\]]*) = (?P<value>-?\w+)")


def falsehoods(graph: Whole) -> Iterator[str]:
    """Every untrue sentence about a state of the graph in which nothing can happen."""
    for state in graph.stopped:
        yield from _of_state(graph.program, state)


def _of_state(program: Program, state: State) -> Iterator[str]:
    assert not steps(program, state)
    told = waits(program, state)
    if len(told) != len(state.processes):
        yield f"{len(told)} processes are told, there are {len(state.processes)}"
        return
    for number, wait in enumerate(told):
        here = _Here(program, state, number)
        for problem in here.untrue(wait):
            yield f"{wait.process}: {problem}"


@dataclass(frozen=True)
class _Here:
    """A process in a state in which nobody can move."""

    program: Program
    state: State
    number: int

    def untrue(self, wait: Wait) -> Iterator[str]:
        """What is wrong about what is said of it."""
        ways = list(self.ways(is_held=self.is_held()))
        named = [(place.seen_at().line, text) for place, text, _ in ways]
        told = [(each.spot.line, each.statement) for each in wait.obstacles]
        if list(dict.fromkeys(told)) != list(dict.fromkeys(named)):
            yield f"the ways on are {named}, told are {told}"
            return
        for obstacle in wait.obstacles:
            line, text = obstacle.spot.line, obstacle.statement
            same = [effect for place, its, effect in ways if (place.seen_at().line, its) == (line, text)]
            if not any(self.is_true(obstacle.reason, effect) for effect in same):
                yield f"{obstacle.statement}: {obstacle.reason}"
        if wait.may_stop != self.node.is_end:
            yield "it may stop here" if wait.may_stop else "it may not stop here"
        is_server = not self.node.is_end and self.is_idle() and self.node.number in loop_heads(self.kind.graph)
        if is_server != (wait.advice is not None):
            yield f"advice: {wait.advice}"

    def ways(self, is_held: bool = False) -> Iterator[tuple[Place, str, Effect]]:
        """What the process could go on with: each statement, or, of a d_step, each of its guards, unless it is held."""
        for step in self.node.transitions:
            guards = step.effect.guards if isinstance(step.effect, DeterministicStep) else None
            if guards is None or is_held:
                yield step.place, step.text, step.effect
            else:
                yield from ((guard.place, guard.text, guard) for guard in guards)

    @property
    def kind(self) -> ProcessType:
        """What the process runs."""
        return self.program.processes[self.state.processes[self.number].proctype]

    @property
    def node(self) -> Node:
        """Where it is."""
        return self.kind.graph.nodes[self.state.processes[self.number].node]

    def is_held(self) -> bool:
        """Whether it may not move whatever its statements say."""
        return self.is_forbidden() or self.is_outranked()

    def is_forbidden(self) -> bool:
        """Whether what it is `provided` is false."""
        return self.kind.provided is not None and not self.value(self.kind.provided)

    def is_outranked(self) -> bool:
        """Whether a process of higher priority goes first: one that its own clause allows to move, and that could."""
        own = self.state.processes[self.number].priority
        return self.program.uses_priority and any(
            other.priority > own and self.at(number).could_move() for number, other in enumerate(self.state.processes)
        )

    def could_move(self) -> bool:
        """Whether some statement is executable by itself: a rendezvous send is, whoever may receive."""
        return not self.is_forbidden() and actor_of(self.program).may_move(self.state, self.number, True)

    def is_idle(self) -> bool:
        """Whether it waits for nothing but messages, of which there are none."""
        effects = [step.effect for step in self.node.transitions]
        return bool(effects) and all(isinstance(each, Receive) and not self.messages(each.channel) for each in effects)

    def at(self, number: int) -> _Here:
        """Another process in the same state."""
        return _Here(self.program, self.state, number)

    def value(self, expression: Expression) -> int:
        """The value of an expression here."""
        return value_of(self.program, self.state, self.number, expression, timeout=True)

    def channel(self, expression: Expression) -> int:
        """The number of a channel."""
        return actor_of(self.program).channel(expression)(self.state, self.number, True)[0]

    def messages(self, expression: Expression) -> tuple[tuple[int, ...], ...]:
        """The messages in a channel, oldest first; none where there is no such channel any more."""
        number = self.channel(expression)
        return self.state.channels[number - 1].messages if number <= len(self.state.channels) else ()

    def capacity(self, expression: Expression) -> int | None:
        """How many messages a channel holds; None where there is no such channel any more."""
        number = self.channel(expression)
        if number > len(self.state.channels):
            return None
        return self.program.channels[self.state.channels[number - 1].type].capacity

    # What the sentences mean

    def is_true(self, reason: str, effect: Effect) -> bool:
        """Whether a sentence is true of an effect of this process."""
        if reason.startswith("what it is `provided` is false"):
            return self.is_forbidden() and self.has_values(reason)
        if reason == "a process of higher priority goes first":
            return self.is_outranked() and not self.is_forbidden()
        if self.is_held():
            return False
        match effect:
            case Terminate():
                is_older = self.number + 1 < len(self.state.processes)
                return reason == "it has ended, and goes after all younger processes" and is_older
            case Test(condition=condition):
                return reason.startswith("false") and not self.value(condition) and self.has_values(reason)
            case Send():
                return self.is_true_of_send(reason, effect)
            case Receive():
                return self.is_true_of_receive(reason, effect) and self.has_values(reason)
            case _:
                return False

    def is_true_of_send(self, reason: str, send: Send) -> bool:
        """There is no room, or nobody to receive."""
        capacity, held = self.capacity(send.channel), self.messages(send.channel)
        if (said := re.fullmatch(r"nobody is ready to receive this from (.*)", reason)) is not None:
            return capacity == 0 and self.is_name(said[1], send.channel) and not self.is_answered(send)
        if (said := re.fullmatch(r"\w+\((\d+)\) could receive this from (.*), but may not move", reason)) is not None:
            other = self.at(int(said[1]))
            return self.is_name(said[2], send.channel) and other.is_held() and self.is_answered(send, [other.number])
        said = re.fullmatch(r"(.*) is full: (\[.*\])", reason)
        return said is not None and capacity == len(held) > 0 and self.is_shown(said[1], said[2], send.channel)

    def others(self) -> list[int]:
        """The other processes."""
        return [number for number in range(len(self.state.processes)) if number != self.number]

    def is_answered(self, send: Send, by: list[int] | None = None) -> bool:
        """Whether another process, or one of these, is at a receive that the message of a send matches."""
        fields = self.program.channels[self.state.channels[self.channel(send.channel) - 1].type].widths
        message = [width.store(self.value(each)) for width, each in zip(fields, send.arguments, strict=True)]
        return any(
            other.takes(receive, self.channel(send.channel), message)
            for number in (self.others() if by is None else by)
            for other in [self.at(number)]
            for _, _, receive in other.ways()
            if isinstance(receive, Receive)
        )

    def takes(self, receive: Receive, channel: int, message: list[int]) -> bool:
        """Whether a receive of this process is from a channel, and a message matches it."""
        return self.channel(receive.channel) == channel and self.matches(receive, message)

    def matches(self, receive: Receive, message: list[int] | tuple[int, ...]) -> bool:
        """Whether a message has the values that a receive asks for."""
        return all(
            self.value(pattern.value) == field
            for pattern, field in zip(receive.arguments, message, strict=False)
            if isinstance(pattern, Match)
        )

    def is_true_of_receive(self, reason: str, receive: Receive) -> bool:
        """There is no message, none that matches, or nobody to send one."""
        capacity, held = self.capacity(receive.channel), self.messages(receive.channel)
        if reason == "the channel died with the process that created it":
            return capacity is None
        if (said := re.match(r"nobody is ready to send this to ([^:]*)", reason)) is not None:
            return capacity == 0 and self.is_name(said[1], receive.channel) and not self.is_offered(receive)
        if (said := re.match(r"\w+\((\d+)\) could send this to ([^:,]*), but may not move", reason)) is not None:
            other = self.at(int(said[1]))
            return (
                self.is_name(said[2], receive.channel) and other.is_held() and self.is_offered(receive, [other.number])
            )
        if (said := re.fullmatch(r"(.*) is empty", reason)) is not None:
            return bool(capacity) and not held and self.is_name(said[1], receive.channel)
        if (said := re.match(r"the first message does not match in (.*?) = (\[.*?\])(: |$)", reason)) is not None:
            is_right = bool(held) and not receive.anywhere and not self.matches(receive, held[0])
            return is_right and self.is_shown(said[1], said[2], receive.channel)
        if (said := re.match(r"no message matches in (.*?) = (\[.*?\])(: |$)", reason)) is not None:
            is_right = receive.anywhere and not any(self.matches(receive, each) for each in held)
            return bool(held) and is_right and self.is_shown(said[1], said[2], receive.channel)
        return False

    def is_offered(self, receive: Receive, by: list[int] | None = None) -> bool:
        """Whether another process, or one of these, is at a send whose message matches a receive."""
        for number in self.others() if by is None else by:
            other = self.at(number)
            for _, _, send in other.ways():
                if isinstance(send, Send):
                    channel = other.channel(send.channel)
                    if channel == self.channel(receive.channel) and channel <= len(self.state.channels):
                        widths = self.program.channels[self.state.channels[channel - 1].type].widths
                        message = [w.store(other.value(e)) for w, e in zip(widths, send.arguments, strict=True)]
                        if self.matches(receive, message):
                            return True
        return False

    def is_shown(self, name: str, contents: str, channel: Expression) -> bool:
        """Whether a channel has this name, and these messages in it."""
        kind = self.state.channels[self.channel(channel) - 1]
        fields = self.program.channels[kind.type].fields
        messages = [
            [value_name(self.program, field, value) for field, value in zip(fields, message, strict=True)]
            for message in kind.messages
        ]
        told = [each.strip("()").split(", ") for each in re.findall(r"\([^)]*\)|[^,\s\[\]]+", contents)]
        return self.is_name(name, channel) and told == messages

    def is_name(self, name: str, channel: Expression) -> bool:
        """Whether some variable of this name holds a channel, or the name is its number."""
        number = self.channel(channel)
        if name == f"channel {number}":
            return True
        *owner, variable = name.split(").") if ")." in name else [name]
        memory, region = self.state.memory, self.program.memory
        if owner:
            process = self.state.processes[int(owner[0].split("(")[1])]
            memory, region = process.memory, self.program.processes[process.proctype].memory
        return any(c.name == variable and memory[i] == number for i, c in enumerate(region.cells))

    def has_values(self, sentence: str) -> bool:
        """Whether every variable of which the sentence gives a value has that value."""
        values = sentence.rpartition(": ")[2] if ": " in sentence else ""
        return all(self.has_value(said["name"], said["value"]) for said in _VALUE.finditer(values))

    def has_value(self, name: str, value: str) -> bool:
        """Whether a variable that the process sees has a value. What is no variable is not looked at."""
        own = self.state.processes[self.number]
        regions = [(self.kind.memory, own.memory), (self.program.memory, self.state.memory)]
        found = [
            value_name(self.program, cell.variable.type, memory[index])
            for region, memory in regions
            for index, cell in enumerate(region.cells)
            if cell.name == name
        ]
        return not found or value in found


def loop_heads(graph: ControlFlowGraph) -> set[int]:
    """The places where a loop begins: an edge leads back there from a place to which every way leads through it."""
    targets = {
        number: {step.target for step in node.transitions if not isinstance(step.effect, Terminate)} & set(graph.nodes)
        for number, node in graph.nodes.items()
    }
    through = {number: set(graph.nodes) for number in graph.nodes}
    through[graph.start] = {graph.start}
    changed = True
    while changed:
        changed = False
        for number in graph.nodes:
            before = [through[source] for source, row in targets.items() if number in row]
            if number != graph.start and before:
                now = {number} | set.intersection(*before)
                changed, through[number] = changed or now != through[number], now
    return {target for source, row in targets.items() for target in row if target in through[source]}
