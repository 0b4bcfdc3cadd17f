"""The control flow of a process: its places, and the statements that lead from one to another."""

from __future__ import annotations

from everafter.diagrams.place_names import as_read, line_of, place_names
from everafter.drawing.diagram import Diagram, Edge, Line, Node, Tone, clipped, joined
from everafter.program.control_flow import Node as Place
from everafter.program.control_flow import Terminate, Transition
from everafter.program.program import ProcessType, Program

LEGEND = (
    "A box is a place where a process can rest, named by its label or its line; a double border means that it may "
    "stop there. A thick arrow keeps an atomic sequence going, a dashed one is an escape of `unless`."
)


def control_flow(program: Program) -> list[Diagram]:
    """A diagram for each proctype, claim and trace of a program, in their order."""
    return [of_process(process) for process in program.processes if process.graph.nodes]


def of_process(process: ProcessType) -> Diagram:
    """The control-flow graph of one proctype. The key of a node is the number of its place."""
    graph = process.graph
    names = place_names(graph)
    order = as_read(graph)
    nodes = tuple(_node(graph.nodes[number], names[number]) for number in order)
    edges = [_edge(number, step) for number in order for step in graph.nodes[number].transitions if _leads(step)]
    return Diagram(_title(process), nodes, joined(edges), str(graph.start), _note(process))


def _leads(step: Transition) -> bool:
    """Whether a transition leads to another place. The last one of a process leads out of it."""
    return not isinstance(step.effect, Terminate)


def _node(place: Place, name: str) -> Node:
    marks = [
        word
        for word, is_so in (
            ("may stop", place.is_end),
            ("accepting", place.is_accepting),
            ("progress", place.is_progress),
        )
        if is_so
    ]
    text = f"line {line_of(place)}" + "".join(f", {mark}" for mark in marks)
    return Node(str(place.number), (clipped(name),), "double" if place.is_end else "box", _tone(place), text)


def _tone(place: Place) -> Tone:
    if place.is_accepting:
        return "accent"
    if place.is_progress:
        return "good"
    return "plain"


def _edge(source: int, step: Transition) -> Edge:
    line: Line = "bold" if step.keeps_atomic else "dashed" if step.escape else "solid"
    hint = f"line {step.place.seen_at().line}: {step.text}"
    return Edge(str(source), str(step.target), (clipped(step.text),), line, "plain", hint)


def _title(process: ProcessType) -> str:
    if process.role != "process":
        name = process.name.strip(":")
        return process.role if name in ("", process.role) else f"{process.role} {name}"
    if process.declaration.is_sole:
        return process.name
    parameters = ", ".join(parameter.name for parameter in process.declaration.parameters)
    return f"{process.name}({parameters})"


def _note(process: ProcessType) -> str:
    return f"{process.instances} of these run from the start" if process.instances > 1 else ""
