"""One step of the whole system: who may move, what comes of it.

The rules are SPIN's. A process tries its transitions in order, escapes first; once an escape is possible nothing
else is. `else` is possible when nothing before it was. A rendezvous is one step of two processes. In the middle of an
atomic sequence only its process moves, unless it cannot. `timeout` is true only when nothing else can happen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from everafter.execution.perform import Actor, create_process, initialise, is_executable, may_move, perform
from everafter.execution.state import NOBODY, Draft, Problem, RuntimeProblem, State, View
from everafter.program.graph import DeterministicStep, Terminate, Transition
from everafter.program.program import Program
from everafter.promela.model import Else, Expression, Receive
from everafter.source import Place


@dataclass(frozen=True, slots=True)
class Step:
    """A step somebody can take. `state` is None when it cannot be completed; then `problem` says why."""

    process: int
    transition: Transition
    state: State | None
    problem: Problem | None = None
    partner: int | None = None
    partner_transition: Transition | None = None
    output: tuple[str, ...] = ()


def initial_state(program: Program) -> State:
    """The state in which `init` and the active processes have been started, in order of declaration."""
    draft = Draft(program, State((0,) * len(program.memory.cells), (), ()))
    for variable in program.initial:
        initialise(draft, NOBODY, variable, None)
    for process in program.processes:
        for _ in range(process.instances):
            arguments = [0] * len(process.parameters)
            create_process(draft, process.index, arguments, process.priority, process.declaration.place)
    if program.trace is not None:
        draft.event = program.trace.graph.start
    return draft.freeze(NOBODY)


def steps(program: Program, state: State) -> list[Step]:
    """Every step possible in a state, youngest process first. None at all: the system has stopped."""
    if state.holder != NOBODY:
        return process_steps(program, state, state.holder, False)
    for timeout in (False, True):
        found: list[Step] = []
        for number in reversed(range(len(state.processes))):
            found += process_steps(program, state, number, timeout)
        if found:
            return found
    return []


def process_steps(program: Program, state: State, number: int, timeout: bool) -> list[Step]:
    """The steps one process can take now."""
    return [_settled(program, step) for step in _open_steps(program, state, number, timeout)]


def _settled(program: Program, step: Step) -> Step:
    """The step, its state made final: a holder that cannot go on has lost its atomicity."""
    state = step.state
    if state is None or state.holder == NOBODY:
        return step
    if next(_open_steps(program, state, state.holder, False), None) is not None:
        return step
    return replace(step, state=state._replace(holder=NOBODY))


def _open_steps(program: Program, state: State, number: int, timeout: bool) -> Iterator[Step]:
    """The steps one process can take now; whether a holder can go on afterwards is not yet looked at."""
    process = state.processes[number]
    kind = program.processes[process.proctype]
    transitions = kind.graph.nodes[process.node].transitions
    try:
        if not may_be_scheduled(program, state, number, timeout):
            return
    except RuntimeProblem as stop:
        yield Step(number, transitions[0], None, stop.problem)
        return
    moved = False
    escape = 0
    for transition in transitions:
        if escape and transition.escape != escape:
            break
        outcomes = _attempt(program, state, number, transition, moved, timeout)
        if outcomes is None:
            continue
        if not outcomes:
            escape = 0  # a rendezvous nobody answered
            continue
        escape = transition.escape
        if moved and kind.declaration.deterministic:
            outcomes = [_not_deterministic(step) for step in outcomes]
        moved = True
        yield from outcomes


def _not_deterministic(step: Step) -> Step:
    """A second possible step in a D_proctype, which promises to have only one."""
    if isinstance(step.transition.effect, Else) or step.problem is not None:
        return step
    return replace(step, problem=Problem("runtime", "a D_proctype has a choice here", step.transition.place))


def is_valid_end(program: Program, state: State) -> bool:
    """Whether every process has ended, or is at a label that says it may stop there, and a trace is complete.

    SPIN asks neither when no process is left. Channels must be empty if that is expected.
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
    """What to say of a state where the system stops though it must not."""
    stuck = []
    place: Place | None = None
    for number, process in enumerate(state.processes):
        kind = program.processes[process.proctype]
        node = kind.graph.nodes[process.node]
        if not node.is_end:
            place = place or node.place
            stuck.append(f"{kind.name}({number})")
    if place is None and _leaves_messages(program, state):
        first = program.model.proctypes[0].place
        return Problem("end-state", "invalid end state: no step is possible, and a channel is not empty", first)
    if place is None:
        assert program.trace is not None
        return Problem("end-state", "invalid end state: the trace is not complete", program.trace.declaration.place)
    names = ", ".join(stuck)
    return Problem("end-state", f"invalid end state: no step is possible, and {names} cannot stop there", place)


def holds(program: Program, view: View, proposition: Expression) -> bool:
    """Whether an atomic proposition is true in a state."""
    return bool(Actor(program, view, NOBODY).value(proposition))


# Scheduling


def may_be_scheduled(program: Program, view: View, number: int, timeout: bool) -> bool:
    """Whether `provided` allows the process to move, and no process of higher priority wants to."""
    if not _is_provided(program, view, number, timeout):
        return False
    if not program.uses_priority:
        return True
    own = view.processes[number].priority
    return not any(
        process.priority > own
        and _is_provided(program, view, other, timeout)
        and may_move(program, view, other, timeout)
        for other, process in enumerate(view.processes)
        if other != number
    )


def _is_provided(program: Program, view: View, number: int, timeout: bool) -> bool:
    provided = program.processes[view.processes[number].proctype].provided
    return provided is None or bool(Actor(program, view, number, timeout).value(provided))


# Trying one transition


def _attempt(
    program: Program, state: State, number: int, transition: Transition, moved: bool, timeout: bool
) -> list[Step] | None:
    """What comes of a transition: None if it is not executable, nothing if it is a send nobody receives."""
    effect = transition.effect
    if moved and begins_with_else(transition):
        return None
    try:
        if not is_executable(program, state, number, effect, timeout):
            return None
        draft = Draft(program, state)
        perform(draft, number, effect, timeout)
        if draft.handshake is not None:
            return list(_handshakes(draft, number, transition))
        return [_finished(draft, number, transition)]
    except RuntimeProblem as stop:
        return [Step(number, transition, None, stop.problem)]


def begins_with_else(transition: Transition) -> bool:
    """Whether a transition is possible only if none before it was."""
    effect = transition.effect
    if isinstance(effect, DeterministicStep):
        return effect.guards is not None and len(effect.guards) == 1 and isinstance(effect.guards[0], Else)
    return isinstance(effect, Else)


def _finished(draft: Draft, number: int, transition: Transition) -> Step:
    if not isinstance(transition.effect, Terminate):
        draft.move(number, transition.target)
    holder = number if transition.keeps_atomic else NOBODY
    return Step(number, transition, _closed(draft, number, holder), draft.problem, output=tuple(draft.output))


def _handshakes(draft: Draft, sender: int, transition: Transition) -> Iterator[Step]:
    """The second halves of a rendezvous: every process that can receive, in the same step."""
    draft.move(sender, transition.target)
    for number in reversed(range(len(draft.processes))):
        if number == sender or not may_be_scheduled(draft.program, draft, number, False):
            continue
        process = draft.processes[number]
        escape = 0
        for answer in draft.program.processes[process.proctype].graph.nodes[process.node].transitions:
            if escape and answer.escape != escape:
                break
            if not receives(answer) or not is_executable(draft.program, draft, number, answer.effect, False):
                continue
            both = draft.copy()
            try:
                perform(both, number, answer.effect, False)
            except RuntimeProblem as stop:
                yield Step(sender, transition, None, stop.problem, number, answer)
                continue
            escape = answer.escape
            both.move(number, answer.target)
            state = _closed(both, number, number if answer.keeps_atomic else NOBODY)
            yield Step(sender, transition, state, both.problem, number, answer, tuple(both.output))


def receives(transition: Transition) -> bool:
    """Whether a transition begins with a receive, so that it may answer a rendezvous."""
    effect = transition.effect
    if isinstance(effect, DeterministicStep):
        return effect.guards is not None and any(isinstance(guard, Receive) for guard in effect.guards)
    return isinstance(effect, Receive)


def _closed(draft: Draft, number: int, holder: int) -> State:
    """The state after a step of process `number`."""
    if draft.program.uses_last:
        draft.last = number
    return draft.freeze(holder)
