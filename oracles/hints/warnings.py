"""What warnings about a model must be told, from what the model does, or what becomes of it without a part of its text.

A declaration is of use if the model cannot be read without it. A process is started if some state has it. A number does
not fit if a variable, or a message, has another value behind the step that stores it. A label is a place if some
process comes to rest there. An `else` beside a message is one that a run takes where a send or a receive of the same
place could not be executed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from everafter.program.control_flow import DeterministicStep, Effect
from everafter.promela.model import Else, Receive, Send
from everafter.source import InputError
from everafter.user_model import parse
from oracles.hints.whole import Whole
from oracles.reduction.random_small import small_model

Warned = set[tuple[int, str]]
"""Lines, and what is said there."""
_DECLARED = re.compile(
    r"^ *(hidden )?(?P<kind>bit|bool|byte|short|int|mtype|chan|unsigned|Outer) (?P<name>\w+)"
    r"( : \d+)?( = ([^\[;]*|\[\d\] of [^;]*))?;$"
)


def warned(text: str) -> Warned:
    """The warnings that are told of a text."""
    return {(each.place.line, each.message) for each in parse(text).warnings}


def useless(text: str) -> Warned:
    """The declarations, each on a line of its own, without which the text can still be read."""
    found, lines = set(), text.split("\n")
    for number, line in enumerate(lines):
        declared = _DECLARED.match(line)
        if declared is not None and _can_be_read([*lines[:number], "", *lines[number + 1 :]]):
            what = "channel" if declared["kind"] == "chan" and "=" in line else "variable"
            found.add((number + 1, f"the {what} '{declared['name']}' is never used"))
    return found


def _can_be_read(lines: list[str]) -> bool:
    try:
        parse("\n".join(lines))
    except InputError:
        return False
    return True


def unstarted(graph: Whole) -> set[str]:
    """The process types of which no state has a process."""
    alive = {process.proctype for state in graph.states for process in state.processes}
    return {kind.name for kind in graph.program.processes if kind.role == "process" and kind.index not in alive}


def elses_taken(graph: Whole) -> set[int]:
    """The lines of an `else` that a run takes where a message could not be sent, or received, at the same place."""
    found = set()
    for state, step in graph.every_step():
        if isinstance(step.transition.effect, Else):
            process = state.processes[step.process]
            node = graph.program.processes[process.proctype].graph.nodes[process.node]
            beside = [each for each in node.transitions if each.escape == step.transition.escape]
            before = beside[: beside.index(step.transition)]
            if any(isinstance(first, Send | Receive) for each in before for first in _firsts(each.effect)):
                found.add(step.transition.place.seen_at().line)
    return found


def elses_beside(graph: Whole) -> set[int]:
    """The lines of an `else` at a place where a message can be sent or received, whether a run comes there or not."""
    return {
        step.place.seen_at().line
        for kind in graph.program.processes
        for node in kind.graph.nodes.values()
        for step in node.transitions
        if isinstance(step.effect, Else)
        and any(isinstance(first, Send | Receive) for each in node.transitions for first in _firsts(each.effect))
    }


def _firsts(effect: Effect) -> tuple[Effect, ...]:
    return (effect.guards or ()) if isinstance(effect, DeterministicStep) else (effect,)


def rests(graph: Whole) -> set[tuple[str, str]]:
    """The labels at which some process is in some state, with the name of its type."""
    found = set()
    for state in graph.states:
        for process in state.processes:
            kind = graph.program.processes[process.proctype]
            found |= {(kind.name, label) for label, node in kind.graph.labels.items() if node == process.node}
    return found


_TYPES = ("bit", "bool", "byte", "short", "int", "unsigned", "bit[2]", "byte[2]")


def storing_model(seed: int) -> tuple[str, list[tuple[str, int]]]:
    """A model that stores numbers in variables and in a channel; where each must be, as `cell` of the last state.

    Each number is on a line of its own: the lines 1 to n are declarations with an initial value, then come assignments.
    """
    chance = random.Random(seed)
    lines, stored, body = [], [], []
    for number in range(4):
        kind, value = chance.choice(_TYPES), _number(chance)
        name, _, length = kind.partition("[")
        declared = (
            f"unsigned v{number} : 3" if name == "unsigned" else f"{name} v{number}{'[' + length if length else ''}"
        )
        lines.append(f"{declared} = {value};")
        stored.append((f"v{number}", value))
        if chance.random() < 0.5:
            stored.pop()
            stored.append((f"v{number}", other := _number(chance)))
            lines[-1] = f"{declared};"
            body.append(f"v{number}{'[0]' if length else ''} = {other};")
    fields = [chance.choice(("bit", "byte", "short", "int")) for _ in range(chance.choice((1, 2)))]
    values = [_number(chance) for _ in fields]
    lines.append(f"chan q = [1] of {{ {', '.join(fields)} }};")
    body.append(f"q!{', '.join(map(str, values))};")
    stored += [(f"q {field}", value) for field, value in enumerate(values, 1)]
    return "\n".join([*lines, "active proctype P() {", *body, "}"]), stored


def _number(chance: random.Random) -> int:
    return chance.choice(
        (0, 1, 2, 3, 7, 8, 127, 128, 255, 256, 257, 300, 32767, 32768, 65535, 65536, -1, -2, -300, -32769)
    )


def cut(graph: Whole, stored: list[tuple[str, int]]) -> dict[str, tuple[int, int]]:
    """Where another number is at the end than the one that was stored: the variable or field, what was stored, what is
    there."""
    last, cells = graph.states[-1], [cell.name.removesuffix("[0]") for cell in graph.program.memory.cells]
    ((message,),) = [channel.messages for channel in last.channels]
    held = {
        **{f"q {field}": value for field, value in enumerate(message, 1)},
        **dict(zip(cells, last.memory, strict=True)),
    }
    return {where: (value, held[where]) for where, value in stored if held[where] != value}


def fitting(warnings: Warned) -> Iterator[tuple[str, tuple[int, int]]]:
    """What is told of numbers that do not fit, in the same form."""
    for _, message in warnings:
        said = re.fullmatch(r"(-?\d+) does not fit (?:field (\d+) of )?'(\w+)', .*: (-?\d+) is stored", message)
        if said is not None:
            yield (f"q {said[2]}" if said[2] else said[3]), (int(said[1]), int(said[4]))


_MARKS = ("at", "at", "accept", "progress", "end")


def labelled_model(seed: int) -> str:
    """A tiny model in which options begin with labels of its own that a formula asks for, and with sequences."""
    chance = random.Random(seed)
    labels: list[tuple[str, str]] = []
    lines = []
    for line in small_model(seed).split("\n"):
        owner = re.match(r"active proctype (P\d)", line)

        def begun(found: re.Match[str], owner: re.Match[str] | None = owner) -> str:
            if owner is None or chance.random() < 0.5:
                return found[0]
            labels.append((owner[1], f"{chance.choice(_MARKS)}{len(labels) + 10}"))
            return f":: {labels[-1][1]}: "

        sent = re.sub(r":: ([qrzw][?!]\w+)", lambda it: chance.choice((it[0], f":: atomic {{ {it[1]} }}")), line)
        lines.append(re.sub(r":: (?!else|timeout)", begun, sent))
    asked = [each for each in labels if chance.random() < 0.7]
    formulas = [f"ltl f{number} {{ [] !{owner}@{label} }}" for number, (owner, label) in enumerate(asked)]
    text = "\n".join([*lines, *formulas])
    return text if _can_be_read(text.split("\n")) else small_model(seed)


def labels_that_matter(text: str) -> set[str]:
    """The labels that formulas ask for, and those that say where a process may stop."""
    return {*re.findall(r"\w+@(\w+)", text), *re.findall(r":: (end\d+):", text)}


def places(graph: Whole) -> set[str]:
    """The labels of places at which control can rest, whether a run comes there or not."""
    return {
        label
        for kind in graph.program.processes
        for label, number in kind.graph.labels.items()
        if number in kind.graph.nodes
    }
