"""SPIN's .trail files: runs by the numbers that SPIN gives to processes and statements, written and read.

A line is `depth:process:statement`. Statements are numbered through all processes in order of declaration. Lines of
negative depth are marks: -2 starts a claim, which then is process 0; -4: steps are merged; -1 starts the cycle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from everafter.execution.state import State
from everafter.execution.step import Step, initial_state, process_steps, steps
from everafter.program.program import Program
from everafter.verdict.replay import ReplayError
from everafter.verdict.result import Counterexample

_CYCLE, _CLAIM, _MERGED = -1, -2, -4
_MAXIMUM_CATCHING_UP = 1000


def offsets_of(program: Program) -> list[int]:
    """For each process, what is added to the number of its element to make SPIN's number of the statement."""
    offsets: list[int] = []
    total = -1
    for process in program.processes:
        offsets.append(total)
        total += process.elements
    return offsets


# Writing


def trail_of(run: Counterexample) -> Iterator[str]:
    """The trail of a run, line by line, as SPIN's `spin -t` replays it.

    It names every step, so it does not say that steps are merged; and no claim is started, so processes keep their
    numbers.
    """
    offsets = offsets_of(run.program)
    state: State | None = run.start
    depth = 0
    for number, step in enumerate(run.steps):
        if run.cycle and number == len(run.prefix):
            yield f"{_CYCLE}:{_CYCLE}:{_CYCLE}\n"
        assert state is not None
        moves = [(step.process, step.transition)]
        if step.partner is not None and step.partner_transition is not None:
            moves.append((step.partner, step.partner_transition))
        for process, transition in moves:
            depth += 1
            yield f"{depth}:{process}:{offsets[state.processes[process].proctype] + transition.element}\n"
        state = step.state


# Reading


def is_trail(text: str) -> bool:
    """Whether a text looks like a .trail file: lines of three numbers."""
    first = text.lstrip().split("\n", 1)[0]
    return first.count(":") == 2 and all(part.strip().lstrip("-").isdigit() for part in first.split(":"))


@dataclass(frozen=True, slots=True)
class _Entry:
    process: int
    identity: int


def run_of_trail(program: Program, text: str) -> tuple[State, list[Step], int]:
    """Return the run of `program` that the SPIN trail `text` describes: its start, its steps, the length of its cycle.

    By default SPIN merges local steps, and then a trail names only the first of them: a process that is not yet where
    its next entry starts is moved on first. A cycle that does not lead back to where it starts is taken for none.
    """
    entries, turn, is_merged = _entries(text)
    start = state = initial_state(program)
    taken: list[Step] = []
    leading: int | None = None
    position = 0
    offsets = offsets_of(program)
    while position < len(entries):
        if position == turn:
            leading = len(taken)
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
    if leading is not None:
        return start, taken, _repeated(start, taken, leading)
    if taken and taken[-1].problem is None and is_merged:
        taken += _merged_into_last(program, state, entries[-1].process)
    return start, taken, 0


def _repeated(start: State, taken: list[Step], leading: int) -> int:
    """How many of the steps make a cycle behind these leading ones."""
    before = taken[leading - 1].state if leading else start
    return len(taken) - leading if taken[-1].state == before else 0


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


def _entries(text: str) -> tuple[list[_Entry], int | None, bool]:
    """The moves of a trail, how many of them come before its cycle, if it has one, and whether steps are merged."""
    entries: list[_Entry] = []
    turn: int | None = None
    has_claim = is_merged = False
    for line in text.splitlines():
        parts = line.split(":")
        if len(parts) != 3:
            continue
        try:
            depth, process, identity = (int(part) for part in parts)
        except ValueError as error:
            raise ReplayError(f"not a line of a trail: '{line}'") from error
        if depth == _CLAIM:
            has_claim = True
        elif depth == _MERGED:
            is_merged = True
        elif depth == _CYCLE:
            turn = len(entries)
        elif depth >= 0 and process >= has_claim:  # process 0 may be the claim, whose moves are no steps of the system
            entries.append(_Entry(process - has_claim, identity))
    return entries, turn, is_merged


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
    first = offsets[process.proctype]
    transitions = program.processes[process.proctype].graph.nodes[process.node].transitions
    return any(first + step.element == entry.identity for step in transitions)


def _matching(
    state: State, offsets: list[int], possible: list[Step], entry: _Entry, following: _Entry | None
) -> Step | None:
    def fits(step: Step, process: int, element: int, wanted: _Entry) -> bool:
        return process == wanted.process and offsets[state.processes[process].proctype] + element == wanted.identity

    for step in possible:
        if not fits(step, step.process, step.transition.element, entry):
            continue
        if step.partner is None:
            return step
        answer = step.partner_transition
        if following is not None and answer is not None and fits(step, step.partner, answer.element, following):
            return step
    return None
