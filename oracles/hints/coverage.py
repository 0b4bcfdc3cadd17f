"""Which statements no run executes, from the definition.

A statement is executed if, in some state that can be reached, a step takes it; a statement inside a d_step, if the
d_step comes to it. The statements there are: all that are written, what is jumped by `goto` or `break`, and the end of
each process. They are told by process type, place and text, as the report tells them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from everafter.execution.step import Step
from everafter.hints.facts import Coverage
from everafter.program.control_flow import DeterministicStep, Jump, Terminate, Transition
from everafter.program.naming import proctype_name
from everafter.program.program import ProcessType, Program
from everafter.promela.walk import basics
from everafter.source import Place
from oracles.hints.whole import Whole

Key = tuple[int, object]
"""A statement: the index of its process type, and what stands for it there."""


class Told(NamedTuple):
    """A statement as a report names it."""

    process: int
    line: int
    column: int
    text: str


def executed(graph: Whole) -> set[Key]:
    """The statements that some step executes."""
    return {key for state, step in graph.every_step() for key in _keys(step, [p.proctype for p in state.processes])}


def _keys(step: Step, kinds: list[int]) -> Iterator[Key]:
    for process, transition in ((step.process, step.transition), (step.partner, step.partner_transition)):
        if process is not None and transition is not None:
            yield kinds[process], _of(transition)
            if isinstance(transition.effect, DeterministicStep):
                for element in step.inside:
                    instruction = transition.effect.instructions[element]
                    yield kinds[process], id(getattr(instruction, "statement", instruction))


def _of(transition: Transition) -> object:
    """A jump and an end are written nowhere in the tree, so their number stands for them."""
    numbered = isinstance(transition.effect, Jump | Terminate)
    return ("jump", transition.element) if numbered else id(transition.effect)


def written(program: Program) -> dict[Key, Told]:
    """Every statement there is."""
    found: dict[Key, Told] = {}
    for kind in program.processes:
        if kind.role in ("process", "init"):
            found |= {(kind.index, what): told for what, told in _in(kind)}
    return found


def _in(kind: ProcessType) -> Iterator[tuple[object, Told]]:
    for statement in basics(kind.declaration.body):
        yield id(statement), _told(kind, statement.place, statement.text)
    for transition in kind.graph.transitions():
        is_jump = isinstance(transition.effect, Jump) and transition.text != "goto"
        if is_jump or isinstance(transition.effect, Terminate):
            yield _of(transition), _told(kind, transition.place, transition.text)


def _told(kind: ProcessType, place: Place, text: str) -> Told:
    seen = place.seen_at()
    return Told(kind.index, seen.line, seen.column, text)


def starters(graph: Whole) -> set[int]:
    """The process types of which some process takes a step."""
    moved = set()
    for state, step in graph.every_step():
        moved.add(state.processes[step.process].proctype)
        if step.partner is not None:
            moved.add(state.processes[step.partner].proctype)
    return moved


def difference(graph: Whole, coverage: Coverage) -> str | None:
    """How what is told differs from the definition: all that was never executed must be told, and, where it is said to
    be exact, nothing else."""
    program, done, moved = graph.program, executed(graph), starters(graph)
    every = written(program)
    never = {told for key, told in every.items() if key not in done}
    names = {proctype_name(program, kind.index): kind.index for kind in program.processes}
    silent = {kind.index for kind in program.processes if kind.role in ("process", "init")} - moved
    unstarted = {names[name] for name in coverage.unstarted}
    unreached = {
        Told(names[each.proctype], each.spot.line, each.spot.column, each.statement) for each in coverage.unreached
    }
    if coverage.statements != len(every):
        return f"{coverage.statements} statements are told, there are {len(every)}"
    missing = {told for told in never if told.process not in unstarted} - unreached
    if missing or silent - unstarted:
        return f"not told: {sorted(missing)}, {silent - unstarted}"
    if coverage.is_exact and (unreached - never or unstarted - silent):
        return f"told, and executed: {sorted(unreached - never)}, {unstarted - silent}"
    return None
