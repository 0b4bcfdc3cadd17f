"""Who talks to whom: the processes, the channels, and what is sent and received."""

from __future__ import annotations

from collections.abc import Iterator

from everafter.diagrams.aliases import Aliases
from everafter.drawing.diagram import Diagram, Edge, Line, Node, clipped, joined
from everafter.program.control_flow import DeterministicStep, Effect, Perform
from everafter.program.naming import proctype_name
from everafter.program.program import ProcessType, Program
from everafter.promela.model import ChannelShape, Receive, Scalar, Send, Struct, Variable

LEGEND = (
    "Processes are round, channels have a second line at each side and tell how many messages they hold (0: a "
    "rendezvous) and of what. An arrow to a channel is what is sent to it, one from it what is received; a dashed "
    "arrow leads to a channel of which nobody knows where it comes from."
)
_UNKNOWN = "some channel"


def channel_graph(program: Program) -> Diagram:
    """The processes of a program and the channels they use, whatever the way a channel takes to reach them."""
    aliases = Aliases(program)
    processes = [process for process in program.processes if process.role in ("process", "init")]
    edges: list[Edge] = []
    for process in processes:
        for statement in _talking(process):
            known = aliases.of(statement.channel)
            for key in sorted(map(_channel_key, known)) or [_UNKNOWN]:
                edges.append(_edge(process.name, key, statement))
    used = {name for edge in edges for name in (edge.source, edge.target)}
    channels = [variable for variable in program.model.all_variables() if isinstance(variable.initial, ChannelShape)]
    nodes = [_process(program, process) for process in processes]
    nodes += [
        _channel(variable, variable.initial) for variable in channels if isinstance(variable.initial, ChannelShape)
    ]
    if _UNKNOWN in used:
        nodes.append(Node(_UNKNOWN, (_UNKNOWN,), "queue", "muted"))
    return Diagram("Channels", tuple(nodes), joined(edges), note="" if edges else "nobody sends or receives")


def _talking(process: ProcessType) -> Iterator[Send | Receive]:
    seen: set[int] = set()
    for transition in process.graph.transitions():
        if transition.element not in seen:
            seen.add(transition.element)
            yield from _in_effect(transition.effect)


def _in_effect(effect: Effect) -> Iterator[Send | Receive]:
    if isinstance(effect, Send | Receive):
        yield effect
    elif isinstance(effect, DeterministicStep):
        for instruction in effect.instructions.values():
            if isinstance(instruction, Perform) and isinstance(instruction.statement, Send | Receive):
                yield instruction.statement


def _edge(process: str, channel: str, statement: Send | Receive) -> Edge:
    text = (clipped(_message(statement.text), 32),)
    line: Line = "dashed" if channel == _UNKNOWN else "solid"
    hint = f"line {statement.place.seen_at().line}: {statement.text}"
    if isinstance(statement, Send):
        return Edge(process, channel, text, line, "plain", hint)
    return Edge(channel, process, text, line, "plain", hint)


def _message(statement: str) -> str:
    """What stands behind the operator of a send or receive: behind the first `!` or `?` outside brackets."""
    depth = 0
    for position, letter in enumerate(statement):
        depth += (letter in "[(") - (letter in "])")
        if depth == 0 and letter in "!?":
            return statement[position:].lstrip("!?").strip()
    return statement


def _process(program: Program, process: ProcessType) -> Node:
    name = proctype_name(program, process.index)
    times = f" × {process.instances}" if process.instances > 1 else ""
    return Node(process.name, (name + times,), "round", "accent", f"line {process.declaration.place.line}")


def _channel_key(variable: Variable) -> str:
    return variable.name if variable.proctype is None else f"{variable.proctype}.{variable.name}"


def _channel(variable: Variable, shape: ChannelShape) -> Node:
    name = _channel_key(variable) + (f"[{variable.length}]" if variable.length is not None else "")
    kinds = ", ".join(map(_kind, (shape.message,) if shape.message is not None else shape.fields))
    return Node(
        _channel_key(variable), (name, f"{shape.capacity} of {kinds}"), "queue", hint=f"line {variable.place.line}"
    )


def _kind(item: Scalar | Struct) -> str:
    return item.name if isinstance(item, Struct) else item.mtype or item.kind.value
