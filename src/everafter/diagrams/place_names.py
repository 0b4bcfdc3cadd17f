"""Short names for the places of control: the label that stands there, or the line."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from everafter.program.control_flow import ControlFlowGraph, Node, Terminate

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def line_of(node: Node) -> int:
    """The line on which a place is seen: where the outermost macro or inline was called."""
    return node.place.seen_at().line


def as_read(graph: ControlFlowGraph) -> list[int]:
    """The places in the order in which a reader comes to them: the first option first, and all behind it."""
    found: dict[int, None] = {}
    pending = [graph.start]
    while pending:
        number = pending.pop()
        if number not in found and number in graph.nodes:
            found[number] = None
            pending += [step.target for step in reversed(graph.nodes[number].transitions)]
    return list(found)


def place_names(graph: ControlFlowGraph) -> Mapping[int, str]:
    """A name for each place, no two alike: its labels, or its line, `12a` and `12b` where several share a line.

    The last place of a process is "the end".
    """
    names: dict[int, str] = {}
    by_line: dict[int, list[int]] = defaultdict(list)
    for number in as_read(graph):
        node = graph.nodes[number]
        if node.labels:
            names[number] = ", ".join(sorted(node.labels))
        elif any(isinstance(step.effect, Terminate) for step in node.transitions):
            names[number] = "the end"
        else:
            by_line[line_of(node)].append(number)
    for line, numbers in by_line.items():
        for position, number in enumerate(numbers):
            names[number] = str(line) + (_letters(position) if len(numbers) > 1 else "")
    alike = Counter(names.values())
    return {number: name if alike[name] == 1 else f"{name} ({number})" for number, name in names.items()}


def _letters(position: int) -> str:
    """a, b, … z, aa, ab, …"""
    more, last = divmod(position, len(_LETTERS))
    return (_letters(more - 1) if more else "") + _LETTERS[last]
