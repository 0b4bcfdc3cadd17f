"""States that differ only by numbers of processes, and by those at their end: do the same steps lead on from them?"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from everafter.execution.state import NO_PROCESS, Process, State
from everafter.execution.step import Step, initial_state, process_steps, steps
from everafter.program.control_flow import Terminate
from everafter.program.program import Program
from everafter.reduction.candidates import started_types


def likeness(program: Program, state: State) -> Hashable:
    """Return what is left of `state` without the numbers of processes that are started, and without those at their end.

    The processes of the start keep their numbers.
    """
    started = {program.by_name[name] for name in started_types(program)}
    alive = [item for item in enumerate(state.processes) if not _is_at_end(program, item[1])]
    first = tuple(item for item in alive if item[1].proctype not in started)
    others = tuple(sorted(process for _, process in alive if process.proctype in started))
    holder = state.processes[state.holder] if state.holder != NO_PROCESS else None
    return state.memory, state.channels, state.event, first, others, holder


def _is_at_end(program: Program, process: Process) -> bool:
    node = program.processes[process.proctype].graph.nodes[process.node]
    return any(isinstance(step.effect, Terminate) for step in node.transitions)


def differences(program: Program, most: int) -> Iterator[str]:
    """Yield what tells two alike states of `program` apart, among the first `most` states."""
    known: dict[Hashable, frozenset[Hashable]] = {}
    pending = [initial_state(program)]
    seen = set(pending)
    while pending and len(seen) < most:
        state = pending.pop()
        own = likeness(program, state)
        found: set[Hashable] = set()
        for step in _steps_but_timeout(program, state):
            if not isinstance(step.transition.effect, Terminate):
                found.add(_outcome(program, state, step))
            elif step.state is None or likeness(program, step.state) != own:
                yield f"an end changes {own}"
        if known.setdefault(own, frozenset(found)) != found:
            yield f"alike states {own} lead to {known[own] ^ found}"
        new = {step.state for step in steps(program, state) if step.state is not None} - seen
        seen |= new
        pending += new


def _steps_but_timeout(program: Program, state: State) -> Iterator[Step]:
    numbers = range(len(state.processes)) if state.holder == NO_PROCESS else (state.holder,)
    for number in numbers:
        yield from process_steps(program, state, number, False)


def _outcome(program: Program, state: State, step: Step) -> Hashable:
    """A step by what takes it, and where it leads, up to numbers."""
    problem = step.problem.kind if step.problem is not None else None
    after = likeness(program, step.state) if step.state is not None else None
    return state.processes[step.process], step.transition.element, problem, after
