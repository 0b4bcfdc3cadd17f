"""The states of a model: each for itself while they are few, else those that are alike in one box."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence

from everafter.diagrams.unfolding import UnfoldedEdge, UnfoldedStates, explored
from everafter.diagrams.words import Words
from everafter.drawing.diagram import Diagram, Edge, Node, Shape, Tone, clipped, joined
from everafter.execution.perform import value_of
from everafter.execution.state import NO_PROCESS, RuntimeProblem, State
from everafter.program.naming import value_name
from everafter.program.program import Program
from everafter.promela.model import Expression, Reference
from everafter.record import dataclass
from everafter.verdict.changes import process_name

MOST_STATES = 2_000
"""How many states are looked at, unless more are chosen for: they are found by interpretation, which is slow."""
MOST_BOXES = 40
"""More boxes than these are no picture."""
LEGEND = (
    "A box is a state, or several that are alike, and an arrow a step or an atomic sequence. Of a state the picture "
    "tells where each process is, by label or line, and what differs from the initial state. A red box: nothing can "
    "happen though somebody may not stop there. A red arrow: something goes wrong. A double border: all may stop there."
)


@dataclass(frozen=True, slots=True)
class Named:
    """An expression of the model, as the user wrote it."""

    text: str
    expression: Expression


@dataclass(frozen=True, slots=True)
class Merging:
    """Which states are drawn as one: those of the same `key`. `said` is what their box says, `note` how it was done."""

    key: Callable[[State], Hashable]
    said: Callable[[State], list[str]]
    note: str = ""


def state_graph(
    program: Program, by: Sequence[Named] = (), most: int = MOST_STATES, boxes: int = MOST_BOXES
) -> Diagram:
    """Return a diagram of the states of `program`, of which at most `most` are looked at.

    With `by`, states that agree on these expressions are one box. Else, if there are more than `boxes` of them, they
    are merged by places of control. The note below the title says what was merged, and whether all states were seen.
    """
    found = explored(program, most)
    words = Words(program)
    if by:
        merging = _by_expressions(program, by)
    elif len(found.states) <= boxes:
        merging = Merging(lambda state: state, lambda state: words.briefly(state, found.states[0]))
    else:
        merging = _by_places(program, found, words, boxes)
    return _drawn(found, words, merging)


# What is alike


def _by_places(program: Program, found: UnfoldedStates, words: Words, boxes: int) -> Merging:
    """States in which the first processes are at the same places: as many processes as the picture has room for."""
    longest = max(found.states, key=lambda state: len(state.processes))
    everybody = len(longest.processes)
    count = next(
        (count for count in range(everybody, 0, -1) if len(set(map(_places_of(count), found.states))) <= boxes), 0
    )
    names = ", ".join(process_name(program, longest, number) for number in range(count))
    whose = "all processes" if count == everybody else names or "no process"
    return Merging(
        _places_of(count),
        lambda state: words.places(state, count) or ["nobody is left" if count else "any state"],
        f"merged by the places of {whose}",
    )


def _places_of(count: int) -> Callable[[State], Hashable]:
    return lambda state: tuple((process.proctype, process.node) for process in state.processes[:count])


def _by_expressions(program: Program, by: Sequence[Named]) -> Merging:
    def values(state: State) -> tuple[str, ...]:
        return tuple(_value(program, state, each.expression) for each in by)

    def said(state: State) -> list[str]:
        return [f"{each.text} = {value}" for each, value in zip(by, values(state), strict=True)]

    return Merging(values, said, "merged by " + ", ".join(each.text for each in by))


def value_in(program: Program, state: State, expression: Expression) -> int | None:
    """Return the value of `expression` in `state` of `program`; None if it has none: an index is outside its array."""
    try:
        return value_of(program, state, NO_PROCESS, expression)
    except RuntimeProblem:
        return None


def _value(program: Program, state: State, expression: Expression) -> str:
    value = value_in(program, state, expression)
    if value is None:
        return "?"
    return value_name(program, expression.leaf.type, value) if isinstance(expression, Reference) else str(value)


# The picture


def _drawn(found: UnfoldedStates, words: Words, merging: Merging) -> Diagram:
    """The states with those that are alike in one box, and the ways between the boxes."""
    members: dict[Hashable, list[int]] = defaultdict(list)
    for number, state in enumerate(found.states):
        members[merging.key(state)].append(number)
    box_of = {number: str(box) for box, numbers in enumerate(members.values()) for number in numbers}
    nodes = [_box(found, words, merging, str(box), numbers) for box, numbers in enumerate(members.values())]
    failures: dict[str, Node] = {}
    edges: list[Edge] = []
    for way in found.ways:
        if way.target is None:
            message = way.problem.message if way.problem is not None else "the run ends here"
            failures.setdefault(message, Node(f"! {message}", (clipped(message),), "round", "bad", message))
        target = box_of[way.target] if way.target is not None else f"! {message}"
        edges.append(_edge(found, words, way, box_of[way.source], target))
    size = f"{len(found.states):,} state{'s' if len(found.states) > 1 else ''}" + (
        "" if found.is_whole else ", the first ones; there are more"
    )
    note = f"{size}; {merging.note}" if merging.note else size
    return Diagram("States", (*nodes, *failures.values()), joined(edges, 5), box_of[0], note, in_order=True)


def _box(found: UnfoldedStates, words: Words, merging: Merging, key: str, numbers: list[int]) -> Node:
    first = found.states[numbers[0]]
    lines = [clipped(line) for line in merging.said(first)]
    if len(numbers) > 1:
        lines.append(f"({len(numbers):,} states)")
    shape: Shape = "double" if found.ended.intersection(numbers) else "box"
    tone: Tone = "bad" if found.stuck.intersection(numbers) else "accent" if numbers[0] == 0 else "plain"
    return Node(key, tuple(lines), shape, tone, words.wholly(first) if len(numbers) == 1 else "")


def _edge(found: UnfoldedStates, words: Words, way: UnfoldedEdge, source: str, target: str) -> Edge:
    text = words.way(found.states[way.source], way)
    if way.problem is None:
        return Edge(source, target, (clipped(text),), hint=text)
    return Edge(source, target, (clipped(text),), tone="bad", hint=f"{text}\n{way.problem.message}")
