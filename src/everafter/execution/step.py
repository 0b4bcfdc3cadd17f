"""One step of the whole system: who may move, what comes of it.

The rules are SPIN's. A process tries its transitions in order, escapes first; once an escape is possible nothing
else is. `else` is possible when nothing before it was. A rendezvous is one step of two processes. In the middle of an
atomic sequence only its process moves, unless it cannot. `timeout` is true only when nothing else can happen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from everafter.execution.assignment import Creation
from everafter.execution.perform import Action, Actor, actor_of, value_of
from everafter.execution.state import NO_PROCESS, Draft, Problem, ReadableState, RuntimeProblem, State
from everafter.program.control_flow import Terminate, Transition
from everafter.program.naming import numbered_name
from everafter.program.program import Program
from everafter.promela.model import Else, Expression
from everafter.source import Place


class Step(NamedTuple):
    """A step that a process can take. `state` is None when it cannot be completed; then `problem` says why."""

    process: int
    transition: Transition
    state: State | None
    problem: Problem | None = None
    partner: int | None = None
    partner_transition: Transition | None = None
    output: tuple[str, ...] = ()
    inside: tuple[int, ...] = ()
    """The elements of the statements that a d_step has executed, the mover's or its partner's."""


def initial_state(program: Program) -> State:
    """The state in which `init` and the active processes have been started, in order of declaration."""
    actor = actor_of(program)
    draft = Draft(State((0,) * len(program.memory.cells), (), ()))
    Creation(actor, None).initialise(draft)
    for process in program.processes:
        for _ in range(process.instances):
            arguments = [0] * len(process.parameters)
            actor.creation(process.index).start_process(draft, arguments, process.priority, process.declaration.place)
    if program.trace is not None:
        draft.event = program.trace.graph.start
    return draft.freeze(NO_PROCESS)


def steps(program: Program, state: State) -> list[Step]:
    """Return every step of `program` possible in `state`, youngest process first.

    If there is none, the system has stopped.
    """
    if state.holder != NO_PROCESS:
        return process_steps(program, state, state.holder, False)
    for timeout in (False, True):
        found: list[Step] = []
        for number in reversed(range(len(state.processes))):
            found += steps_of(program, state, number, timeout)
        if found:
            return found
    return []


def process_steps(program: Program, state: State, number: int, timeout: bool) -> list[Step]:
    """Return the steps of `program` that process `number` can take in `state`, given whether `timeout` is true."""
    return list(steps_of(program, state, number, timeout))


def steps_of(program: Program, state: State, number: int, timeout: bool) -> Iterator[Step]:
    """Yield the steps of `program` that process `number` can take in `state`, given whether `timeout` is true.

    They are computed one by one, as the caller takes them.
    """
    actor = actor_of(program)
    for step in _open_steps(actor, state, number, timeout):
        yield _settled(actor, step)


def _settled(actor: Actor, step: Step) -> Step:
    """The step, its state made final: a holder that cannot go on has lost its atomicity."""
    state = step.state
    if state is None or state.holder == NO_PROCESS:
        return step
    if next(_open_steps(actor, state, state.holder, False), None) is not None:
        return step
    return step._replace(state=state._replace(holder=NO_PROCESS))


def _open_steps(actor: Actor, state: State, number: int, timeout: bool) -> Iterator[Step]:
    """The steps one process can take now; whether a holder can go on afterwards is not yet looked at."""
    process = state.processes[number]
    actions = actor.actions(process.proctype, process.node)
    try:
        if not _may_be_scheduled(actor, state, number, timeout):
            return
    except RuntimeProblem as stop:
        yield Step(number, actions[0].transition, None, stop.problem)
        return
    moved = False
    escape = 0
    for action in actions:
        if escape and action.transition.escape != escape:
            break
        if moved and action.begins_with_else:
            continue
        outcomes = _attempt(actor, state, number, action, timeout)
        if outcomes is None:
            continue
        if not outcomes:
            escape = 0  # a rendezvous nobody answered
            continue
        escape = action.transition.escape
        if moved and actor.program.processes[process.proctype].declaration.deterministic:
            outcomes = [_not_deterministic(step) for step in outcomes]
        moved = True
        yield from outcomes


def _not_deterministic(step: Step) -> Step:
    """A second possible step in a D_proctype, which promises to have only one."""
    if isinstance(step.transition.effect, Else) or step.problem is not None:
        return step
    return step._replace(problem=Problem("runtime", "a D_proctype has a choice here", step.transition.place))


def is_valid_end(program: Program, state: State) -> bool:
    """Return whether `program` may stop in `state`: each process has ended or is at an end label, and a trace is over.

    SPIN demands neither when no process is left. Channels must be empty if that is expected.
    """
    expected, trace = program.expected, program.trace
    if not expected.end_states:
        return True
    if _leaves_messages(program, state):
        return False
    if trace is not None and state.processes and not trace.graph.nodes[state.event].is_end:
        return False
    return all(program.processes[process.proctype].graph.nodes[process.node].is_end for process in state.processes)


def _leaves_messages(program: Program, state: State) -> bool:
    """Whether a channel has messages in it that are expected to be received."""
    return program.expected.empty_channels and any(channel.messages for channel in state.channels)


def end_problem(program: Program, state: State) -> Problem:
    """Return what to say of `state`, where the system stops though `program` must not."""
    stuck = []
    place: Place | None = None
    for number, process in enumerate(state.processes):
        kind = program.processes[process.proctype]
        node = kind.graph.nodes[process.node]
        if not node.is_end:
            place = place or node.place
            stuck.append(numbered_name(program, process.proctype, number))
    if place is None and _leaves_messages(program, state):
        first = program.model.proctypes[0].place
        return Problem("end-state", "invalid end state: no step is possible, and a channel is not empty", first)
    if place is None:
        assert program.trace is not None
        return Problem("end-state", "invalid end state: the trace is not complete", program.trace.declaration.place)
    names = ", ".join(stuck)
    return Problem("end-state", f"invalid end state: no step is possible, and {names} cannot stop there", place)


def holds(program: Program, view: ReadableState, proposition: Expression) -> bool:
    """Return whether the atomic `proposition` of `program` is true in `view`."""
    return value_of(program, view, NO_PROCESS, proposition) != 0


# Scheduling


def may_be_scheduled(program: Program, view: ReadableState, number: int, timeout: bool) -> bool:
    """Return whether process `number` of `program` may move at all in `view`, whatever its transitions say.

    `timeout` is the value of `timeout` meanwhile.
    """
    return _may_be_scheduled(actor_of(program), view, number, timeout)


def _may_be_scheduled(actor: Actor, view: ReadableState, number: int, timeout: bool) -> bool:
    """Whether `provided` allows the process to move, and no process of higher priority wants to."""
    if not _is_provided(actor, view, number, timeout):
        return False
    if not actor.uses_priority:
        return True
    own = view.processes[number].priority
    return not any(
        process.priority > own and _is_provided(actor, view, other, timeout) and actor.may_move(view, other, timeout)
        for other, process in enumerate(view.processes)
        if other != number
    )


def _is_provided(actor: Actor, view: ReadableState, number: int, timeout: bool) -> bool:
    provided = actor.provided[view.processes[number].proctype]
    return provided is None or provided(view, number, timeout) != 0


# Trying one transition


def _attempt(actor: Actor, state: State, number: int, action: Action, timeout: bool) -> list[Step] | None:
    """What comes of a transition: None if it is not executable, nothing if it is a send that no process receives."""
    try:
        if not action.may(state, number, timeout):
            return None
        draft = Draft(state)
        action.do(draft, number, timeout)
        if draft.handshake is not None:
            return list(_handshakes(actor, draft, number, action.transition))
        return [_finished(actor, draft, number, action.transition)]
    except RuntimeProblem as stop:
        return [Step(number, action.transition, None, stop.problem)]


def _finished(actor: Actor, draft: Draft, number: int, transition: Transition) -> Step:
    if not isinstance(transition.effect, Terminate):
        draft.move(number, transition.target)
    holder = number if transition.keeps_atomic else NO_PROCESS
    state = _closed(actor, draft, number, holder)
    return Step(number, transition, state, draft.problem, None, None, draft.output, draft.inside)


def _handshakes(actor: Actor, draft: Draft, sender: int, transition: Transition) -> Iterator[Step]:
    """The second halves of a rendezvous: every process that can receive, in the same step."""
    draft.move(sender, transition.target)
    for number in reversed(range(len(draft.processes))):
        if number == sender or not _may_be_scheduled(actor, draft, number, False):
            continue
        process = draft.processes[number]
        escape = 0
        for answer, may, do, _, receives in actor.actions(process.proctype, process.node):
            if escape and answer.escape != escape:
                break
            if not receives or not may(draft, number, False):
                continue
            both = draft.copy()
            try:
                do(both, number, False)
            except RuntimeProblem as stop:
                yield Step(sender, transition, None, stop.problem, number, answer)
                continue
            escape = answer.escape
            both.move(number, answer.target)
            state = _closed(actor, both, number, number if answer.keeps_atomic else NO_PROCESS)
            yield Step(sender, transition, state, both.problem, number, answer, both.output, both.inside)


def _closed(actor: Actor, draft: Draft, number: int, holder: int) -> State:
    """The state after a step of process `number`."""
    if actor.uses_last:
        draft.last = number
    return draft.freeze(holder)
