"""What a picture says of a state, and of a way between two."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from everafter.diagrams.place_names import place_names
from everafter.diagrams.unfolding import UnfoldedEdge
from everafter.execution.state import State
from everafter.execution.step import Step
from everafter.program.naming import value_name
from everafter.program.program import Program
from everafter.program.storage import Region
from everafter.verdict.changes import changes, channel_name, contents, process_name

_MOST_LINES = 10


class Words:
    """Speaks of the states of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program

    @cached_property
    def _names(self) -> list[dict[int, str]]:
        return [dict(place_names(process.graph)) for process in self.program.processes]

    def places(self, state: State, count: int | None = None) -> list[str]:
        """Return where the processes are in `state`, all or the first `count` of them."""
        return [
            f"{process_name(self.program, state, number)} {self._names[process.proctype][process.node]}"
            for number, process in enumerate(state.processes[:count])
        ]

    def briefly(self, state: State, initial: State) -> list[str]:
        """Return, in lines, where all processes are in `state`, and what differs from the state `initial`."""
        lines = [*self.places(state), *self._differences(initial, state)] or ["nobody is left"]
        if len(lines) > _MOST_LINES:
            return [*lines[: _MOST_LINES - 1], f"… {len(lines) - _MOST_LINES + 1} more"]
        return lines

    def _differences(self, initial: State, state: State) -> Iterator[str]:
        """Values that are not as at the start; that a process has come or gone is seen by the places."""
        for text in changes(self.program, initial, state):
            if not text.endswith((" starts", " is gone")):
                yield text

    def wholly(self, state: State) -> str:
        """Everything that a state tells, line by line."""
        facts = self.facts(state)
        return "\n".join(f"{name} {value}" if is_place else f"{name} = {value}" for name, value, is_place in facts)

    def facts(self, state: State) -> Iterator[tuple[str, str, bool]]:
        """Yield everything that `state` tells: what it is about, the value, and whether that is a place of control."""
        program = self.program
        yield from _values(program, program.memory, state.memory, "")
        for number, process in enumerate(state.processes):
            name = process_name(program, state, number)
            yield name, self._names[process.proctype][process.node], True
            yield from _values(program, program.processes[process.proctype].memory, process.memory, f"{name}.")
        for number, channel in enumerate(state.channels, 1):
            yield channel_name(program, state, number), contents(program, channel), False

    def way(self, before: State, way: UnfoldedEdge) -> str:
        """Return as text which process moves on `way`, taken in the state `before`, and by which statements."""
        text = f"{process_name(self.program, before, way.steps[0].process)}: "
        text += "; ".join(self._statement(before, step) for step in way.steps) + ("; …" if way.is_cut else "")
        return text if way.problem is None else f"✗ {text}"

    def _statement(self, before: State, step: Step) -> str:
        if step.partner is None or step.partner_transition is None:
            return step.transition.text
        partner = process_name(self.program, before, step.partner)
        return f"{step.transition.text} → {partner}: {step.partner_transition.text}"


def _values(program: Program, region: Region, memory: tuple[int, ...], owner: str) -> Iterator[tuple[str, str, bool]]:
    for cell, value in zip(region.cells, memory, strict=True):
        yield f"{owner}{cell.name}", value_name(program, cell.variable.type, value), False
