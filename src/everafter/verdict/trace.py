"""Runs on disk: our own traces, and SPIN's .trail files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from everafter.execution.run import Choice
from everafter.execution.state import State
from everafter.execution.step import Step, initial_state, process_steps, steps
from everafter.ltl import text_of
from everafter.program.program import Program
from everafter.verdict.json_text import pieces
from everafter.verdict.replay import ReplayError, replay
from everafter.verdict.result import Counterexample

FORMAT = "everafter trace 1"
_MAXIMUM_CATCHING_UP = 1000


@dataclass(frozen=True, slots=True)
class Trace:
    """The choices of a run, enough to take it again."""

    model: str
    property: str
    defines: Mapping[str, str]
    prefix: tuple[Choice, ...]
    cycle: tuple[Choice, ...] = ()
    formula: str | None = None
    """The formula that the run violates: which places of control there are may depend on it."""

    def text(self) -> Iterator[str]:
        """The text of the trace file, piece by piece."""
        content = {
            "format": FORMAT,
            "model": self.model,
            "property": self.property,
            "formula": self.formula,
            "defines": dict(self.defines),
            "prefix": map(_to_json, self.prefix),
            "cycle": map(_to_json, self.cycle),
        }
        yield from pieces(content)
        yield "\n"


def trace_of(run: Counterexample, model: str, property_name: str, defines: Mapping[str, str]) -> Trace:
    """The trace of a counterexample."""
    return Trace(
        model,
        property_name,
        defines,
        tuple(Choice.of(step) for step in run.prefix),
        tuple(Choice.of(step) for step in run.cycle),
        text_of(run.formula) if run.formula is not None else None,
    )


def read_trace(text: str) -> Trace:
    """A trace from its text. Raises ReplayError if it is none."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise ReplayError(f"not a trace file: {error}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ReplayError(f"not a trace file of the format '{FORMAT}'")
    try:
        return Trace(
            str(content["model"]),
            str(content["property"]),
            {str(name): str(value) for name, value in content["defines"].items()},
            tuple(_from_json(item) for item in content["prefix"]),
            tuple(_from_json(item) for item in content["cycle"]),
            str(content["formula"]) if content.get("formula") is not None else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ReplayError(f"the trace file is damaged: {error!r}") from error


def _to_json(choice: Choice) -> list[int]:
    if choice.partner is None or choice.partner_element is None:
        return [choice.process, choice.element]
    return [choice.process, choice.element, choice.partner, choice.partner_element]


def _from_json(item: Any) -> Choice:
    numbers = [int(number) for number in item]
    if len(numbers) not in (2, 4):
        raise ValueError(f"a step is 2 or 4 numbers, not {item}")
    return Choice(*numbers)


def run_of_trace(program: Program, trace: Trace) -> tuple[State, list[Step]]:
    """The run a trace describes, taken on the reference."""
    return replay(program, (*trace.prefix, *trace.cycle))


# SPIN's trails


def is_trail(text: str) -> bool:
    """Whether a text looks like a .trail file: lines of three numbers."""
    first = text.lstrip().split("\n", 1)[0]
    return first.count(":") == 2 and all(part.strip().lstrip("-").isdigit() for part in first.split(":"))


@dataclass(slots=True)
class _Entry:
    process: int
    identity: int


def run_of_trail(program: Program, text: str) -> tuple[State, list[Step]]:
    """The run a SPIN trail describes.

    SPIN numbers transitions through all processes in order of declaration. By default it merges local steps, and then a
    trail names only the first of them: a process that is not yet where its next entry starts is moved on first.
    """
    offsets: list[int] = []
    total = 0
    for process in program.processes:
        offsets.append(total)
        total += process.elements
    start = state = initial_state(program)
    taken: list[Step] = []
    entries = _entries(text)
    position = 0
    while position < len(entries):
        entry = entries[position]
        following = entries[position + 1] if position + 1 < len(entries) else None
        step, used = _step_of(program, offsets, state, entry, following, taken)
        if step is None:
            raise ReplayError(f"entry {position + 1} of the trail (process {entry.process}) does not fit this model")
        taken.append(step)
        position += used
        if step.state is None:
            break
        state = step.state
    if taken and taken[-1].problem is None and entries:
        taken += _merged_into_last(program, state, entries[-1].process)
    return start, taken


def _merged_into_last(program: Program, state: State, number: int) -> list[Step]:
    """The steps merged into the last entry of a trail: those that lead to a problem without a choice, if any do."""
    found: list[Step] = []
    for _ in range(_MAXIMUM_CATCHING_UP):
        possible = process_steps(program, state, number, False) if number < len(state.processes) else []
        if len(possible) != 1:
            return []
        found.append(possible[0])
        if possible[0].problem is not None:
            return found
        following = possible[0].state
        assert following is not None
        state = following
    return []


def _entries(text: str) -> list[_Entry]:
    entries: list[_Entry] = []
    has_claim = False
    for line in text.splitlines():
        parts = line.split(":")
        if len(parts) != 3:
            continue
        try:
            depth, process, identity = (int(part) for part in parts)
        except ValueError as error:
            raise ReplayError(f"not a line of a trail: '{line}'") from error
        if depth == -2:
            has_claim = True
        elif depth >= 0:
            entries.append(_Entry(process, identity))
    if has_claim:
        # Process 0 is the claim, whose moves are not steps of the system.
        entries = [_Entry(entry.process - 1, entry.identity) for entry in entries if entry.process > 0]
    return entries


def _step_of(
    program: Program,
    offsets: list[int],
    state: State,
    entry: _Entry,
    following: _Entry | None,
    taken: list[Step],
) -> tuple[Step | None, int]:
    """The step an entry means, and how many entries it uses up: two if it is a rendezvous."""
    for _ in range(_MAXIMUM_CATCHING_UP):
        step = _matching(state, offsets, steps(program, state), entry, following)
        if step is not None:
            return step, 2 if step.partner is not None else 1
        behind = entry
        if following is not None and _is_at(program, offsets, state, entry):
            behind = following
        merged = process_steps(program, state, behind.process, False) if behind.process < len(state.processes) else []
        if len(merged) != 1 or merged[0].state is None:
            return None, 1
        taken.append(merged[0])
        state = merged[0].state
    return None, 1


def _is_at(program: Program, offsets: list[int], state: State, entry: _Entry) -> bool:
    """Whether the process of an entry is where the entry's transition starts."""
    if entry.process >= len(state.processes):
        return False
    process = state.processes[entry.process]
    first = offsets[process.proctype] - 1
    transitions = program.processes[process.proctype].graph.nodes[process.node].transitions
    return any(first + step.element == entry.identity for step in transitions)


def _matching(
    state: State, offsets: list[int], possible: list[Step], entry: _Entry, following: _Entry | None
) -> Step | None:
    def fits(step: Step, process: int, element: int, wanted: _Entry) -> bool:
        return process == wanted.process and offsets[state.processes[process].proctype] + element - 1 == wanted.identity

    for step in possible:
        if not fits(step, step.process, step.transition.element, entry):
            continue
        if step.partner is None:
            return step
        answer = step.partner_transition
        if following is not None and answer is not None and fits(step, step.partner, answer.element, following):
            return step
    return None
