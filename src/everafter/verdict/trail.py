"""SPIN's .trail files: runs by the numbers that SPIN gives to processes and statements, written and read.

A line is `depth:process:statement`. Statements are numbered through all processes in order of declaration. Lines of
negative depth are marks: -2 starts a claim, which then is process 0; -4: steps are merged; -1 starts the cycle.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from everafter.execution.state import State
from everafter.execution.step import Step, end_problem, initial_state, is_valid_end, process_steps, steps
from everafter.program.program import Program
from everafter.record import dataclass
from everafter.verdict.merging import StepMerging
from everafter.verdict.replay import ReplayError
from everafter.verdict.result import Counterexample

_CYCLE, _CLAIM, _MERGED = -1, -2, -4


def offsets_of(program: Program) -> list[int]:
    """For each process, what is added to the number of its element to make SPIN's number of the statement."""
    offsets: list[int] = []
    total = -1
    for process in program.processes:
        offsets.append(total)
        total += process.end
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
    """Whether a text looks like a .trail file: lines of three numbers, or none if the initial state is at fault."""
    first = text.lstrip().split("\n", 1)[0]
    return not first or (first.count(":") == 2 and all(part.strip().lstrip("-").isdigit() for part in first.split(":")))


class TrailRun(NamedTuple):
    """The run that a trail describes."""

    start: State
    steps: list[Step]
    repeated: int = 0
    """How many of the steps, the last ones, make the cycle."""
    ending: str | None = None
    """What is wrong behind the last step, or that nothing is. None where the last step says it."""


@dataclass(frozen=True, slots=True)
class _Entry:
    process: int
    identity: int


@dataclass(slots=True)
class _TrailText:
    """What the lines of a trail say."""

    entries: list[_Entry]
    """The moves of processes."""
    turn: int | None = None
    """How many of them come before the cycle, if there is one."""
    has_claim: bool = False
    is_merged: bool = False
    ends_in_claim: bool = False
    """Whether the last move is the claim's, which is no step of the system."""


def run_of_trail(program: Program, text: str) -> TrailRun:
    """Return the run of `program` that the SPIN trail `text` describes, with the steps that SPIN has merged.

    A verifier compares states without what is never read again: such a cycle may be one here only the second time. One
    that never leads back to where it starts is taken for none. Raises ReplayError if the trail does not fit.
    """
    trail = _read(text)
    follower = _Follower(program, trail.is_merged)
    if trail.turn is None:
        follower.follow(trail.entries, 1)
        return TrailRun(follower.start, follower.taken, 0, _ending(program, follower, trail))
    follower.follow(trail.entries[: trail.turn], 1)
    try:
        leading = _leading(follower, trail.entries[trail.turn :], trail.turn + 1)
    except ReplayError as error:
        return TrailRun(follower.start, follower.taken, 0, f"the trail claims a cycle, but {error}")
    repeated = len(follower.taken) - leading
    return TrailRun(follower.start, follower.taken, repeated, None if repeated else "and here everything stops")


def _leading(follower: _Follower, entries: list[_Entry], number: int) -> int:
    """How many steps come before the cycle, which is followed once or, where only the second time is one, twice."""
    for _ in range(2):
        begin, leading = follower.state, len(follower.taken)
        follower.follow(entries, number)
        if follower.state == begin:
            return leading
    raise ReplayError("it does not lead back to where it begins")


def _ending(program: Program, follower: _Follower, trail: _TrailText) -> str | None:
    """What there is to say of the place where a trail without a cycle ends."""
    if follower.stop is not None:
        return follower.stop
    if follower.has_failed or trail.ends_in_claim:
        return None
    if steps(program, follower.state):
        return "here the trail ends, but nothing is violated: the model can go on"
    if is_valid_end(program, follower.state):
        return "here the trail ends, but nothing is violated: every process may end here"
    problem = end_problem(program, follower.state)
    return f"{problem.place}: {problem.message}"


def _read(text: str) -> _TrailText:
    trail = _TrailText([])
    for line in text.splitlines():
        parts = line.split(":")
        if len(parts) != 3:
            continue
        try:
            depth, process, identity = (int(part) for part in parts)
        except ValueError as error:
            raise ReplayError(f"not a line of a trail: '{line}'") from error
        if depth == _CLAIM:
            trail.has_claim = True
        elif depth == _MERGED:
            trail.is_merged = True
        elif depth == _CYCLE:
            trail.turn = len(trail.entries)
        elif depth >= 0:
            trail.ends_in_claim = process < trail.has_claim
            if not trail.ends_in_claim:
                trail.entries.append(_Entry(process - trail.has_claim, identity))
    return trail


class _Follower:
    """Takes the steps that the entries of a trail mean."""

    def __init__(self, program: Program, is_merged: bool) -> None:
        self.program = program
        self.offsets = offsets_of(program)
        self.merging = [StepMerging(program, kind) for kind in program.processes] if is_merged else None
        self.start = self.state = initial_state(program)
        self.taken: list[Step] = []
        self.stop: str | None = None
        """Why the entries were not followed to the last one."""

    @property
    def has_failed(self) -> bool:
        """Whether the last step says what is wrong."""
        return bool(self.taken) and self.taken[-1].problem is not None

    def follow(self, entries: list[_Entry], number: int) -> None:
        """Go on by these entries, the first of which has this number in the trail."""
        position = 0
        while position < len(entries) and self.stop is None:
            entry, following = entries[position], (*entries[position + 1 : position + 2], None)[0]
            step = next((step for step in steps(self.program, self.state) if self._fits(step, entry, following)), None)
            position += 1
            if step is None:
                self._pass_over(entry, number + position - 1, position == len(entries))
                continue
            position += step.partner is not None
            mover = step.process if step.partner is None else step.partner
            kind = self.state.processes[mover].proctype
            self._take(step)
            if self.merging is not None:
                self._take_merged(mover, self.merging[kind].end(step.partner_transition or step.transition))
            if step.state is None and position < len(entries):
                self.stop = f"the trail goes on behind this, for {len(entries) - position} steps"

    def _pass_over(self, entry: _Entry, number: int, is_last: bool) -> None:
        """Leave out an entry that is no step here; raises ReplayError if it is one of another model."""
        where = f"entry {number} of the trail (process {entry.process})"
        if entry.process < len(self.state.processes):
            process = self.state.processes[entry.process]
            element = entry.identity - self.offsets[process.proctype]
            if self.merging is not None and self.merging[process.proctype].is_passed_over(element):
                return
            here = self.program.processes[process.proctype].graph.nodes[process.node].transitions
            if is_last and any(step.element == element for step in here):
                self.stop = f"{where} is a step that cannot be taken here, though a verifier has looked at it"
                return
        raise ReplayError(f"{where} does not fit this model")

    def _fits(self, step: Step, entry: _Entry, following: _Entry | None) -> bool:
        """Whether a step is what an entry means, together with the one behind it if two processes meet."""
        first = _Entry(step.process, self._identity(step.process, step.transition.element))
        if step.partner is None or step.partner_transition is None:
            return first == entry
        second = _Entry(step.partner, self._identity(step.partner, step.partner_transition.element))
        return (first, second) == (entry, following)

    def _identity(self, process: int, element: int) -> int:
        return self.offsets[self.state.processes[process].proctype] + element

    def _take(self, step: Step) -> None:
        self.taken.append(step)
        self.state = step.state or self.state

    def _take_merged(self, process: int, end: int | None) -> None:
        """Take the steps of a process that are merged into its last one, up to a place, or to what goes wrong."""
        while end is not None and not self.has_failed and self.state.processes[process].node != end:
            possible = process_steps(self.program, self.state, process, False)
            if len(possible) != 1:
                raise ReplayError(f"process {process} cannot go on as the trail says: its steps are not merged here")
            self._take(possible[0])
