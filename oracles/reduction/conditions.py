"""The conditions on a reduction, checked as they are defined, on the whole state graph.

States are those in which any process may move, and an action is everything a process does until it can be interrupted:
a step, or a whole atomic sequence. Brunner and Lammich, 2018, section 2.1; the comments give their names.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field

from everafter.execution.state import NO_PROCESS, State
from everafter.execution.step import Step, initial_state, steps
from everafter.product.ample_steps import reduced_steps
from everafter.program.program import Program
from everafter.reduction.ample import Reduction
from everafter.search import ExplicitGraph, find_cycle

Micro = tuple[int, int, int, int | None, int | None]
Action = tuple[Micro, ...]
"""Who takes which transition, step by step, with the partner of a rendezvous."""
Letter = Callable[[State], Hashable]
_MOST_WAYS = 5000
"""So many ways through atomic sequences are looked at from one state."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an action leads to; None for a step that cannot be completed. `wrong`: something goes wrong on the way."""

    state: State | None
    wrong: str | None


class TooLargeError(Exception):
    """More states than were asked for."""


def _micro(step: Step) -> Micro:
    partner = step.partner_transition
    return (
        step.process,
        step.transition.element,
        step.transition.escape,
        step.partner,
        partner.element if partner is not None else None,
    )


def actions(program: Program, state: State, first: list[Step]) -> dict[Action, Outcome]:
    """The actions that begin with these steps. An atomic sequence without end leads nowhere and is none."""
    found: dict[Action, Outcome] = {}
    pending: list[tuple[Action, str | None, Step, tuple[State, ...]]] = [((), None, step, ()) for step in first]
    for _ in range(_MOST_WAYS):
        if not pending:
            return found
        before, wrong, step, passed = pending.pop()
        action = (*before, _micro(step))
        wrong = wrong or (step.problem.kind if step.problem is not None else None)
        if step.state is None or step.state.holder == NO_PROCESS:
            found[action] = Outcome(step.state, wrong)
        elif step.state not in passed:
            following = steps(program, step.state)
            pending += [(action, wrong, inner, (*passed, step.state)) for inner in following]
    raise TooLargeError


@dataclass(slots=True)
class Whole:
    """The full state graph, with the actions that suffice in each state."""

    program: Program
    enabled: dict[State, dict[Action, Outcome]] = field(default_factory=dict)
    ample: dict[State, frozenset[Action]] = field(default_factory=dict)

    def breaks_off(self, state: State) -> bool:
        """Whether some step here cannot be completed: the run-time error is all that counts, and nothing follows."""
        return any(outcome.state is None for outcome in self.enabled[state].values())


def whole_graph(program: Program, reduction: Reduction, most: int) -> Whole:
    """Build the full graph; raises TooLargeError if it has more states than `most`."""
    graph = Whole(program)
    pending = [initial_state(program)]
    seen = set(pending)
    while pending:
        state = pending.pop()
        if state.holder != NO_PROCESS:  # only the initial state could be, and never is
            raise AssertionError("a run begins in the middle of an atomic sequence")
        graph.enabled[state] = actions(program, state, steps(program, state))
        graph.ample[state] = frozenset(actions(program, state, reduced_steps(program, reduction, state)))
        for outcome in graph.enabled[state].values():
            if outcome.state is not None and outcome.state not in seen:
                seen.add(outcome.state)
                pending.append(outcome.state)
        if len(seen) > most:
            raise TooLargeError
    return graph


def flaws(graph: Whole, letter: Letter | None = None) -> Iterator[str]:
    """Everything that is wrong with a reduction."""
    reduced: dict[frozenset[Action], list[State]] = {}
    for state, ample in graph.ample.items():
        enabled = graph.enabled[state]
        if not ample <= enabled.keys():  # subset
            yield f"subset: {ample - enabled.keys()}"
        elif ample != enabled.keys():
            if not ample:  # nonempty
                yield f"nonempty: nothing is left of {set(enabled)}"
            yield from _seen(graph, ample, state, letter)
            if not graph.breaks_off(state) and not any(enabled[action].wrong for action in ample):
                reduced.setdefault(ample, []).append(state)
    yield from _cycles(graph)
    for ample, states in reduced.items():
        yield from _dependences(graph, ample, states, letter)


def _cycles(graph: Whole) -> Iterator[str]:
    """wellfounded: no cycle of states in all of which something is left out."""
    edges = {
        state: [after for action in ample if (after := graph.enabled[state][action].state) is not None]
        for state, ample in graph.ample.items()
        if ample < graph.enabled[state].keys()
    }
    cycle = find_cycle(ExplicitGraph(edges, list(edges)))
    if cycle is not None:
        yield f"wellfounded: a cycle of {len(cycle.cycle)} states without full expansion"


def _seen(graph: Whole, ample: frozenset[Action], state: State, letter: Letter | None) -> Iterator[str]:
    """invisible: no ample action changes the letter of this state."""
    if letter is not None:
        for action in ample:
            after = graph.enabled[state][action].state
            if after is not None and letter(after) != letter(state):
                yield f"invisible: {action} is seen"


def _dependences(graph: Whole, ample: frozenset[Action], starts: list[State], letter: Letter | None) -> Iterator[str]:
    """independent: whatever happens before an ample action commutes with all of them, state by state.

    And wherever an ample action can be put off to, it is invisible. Every start has the same ample set, so their
    futures without it are looked at together.
    """
    seen = set(starts)
    pending = list(starts)
    while pending:
        state = pending.pop()
        enabled = graph.enabled[state]
        if not ample <= enabled.keys():
            yield f"independent: {ample - enabled.keys()} can be disabled"
            return
        yield from _seen(graph, ample, state, letter)
        for other, outcome in enabled.items():
            if other in ample:
                continue
            flaw = _flaw_between(graph, ample, other, state)
            if flaw is not None:
                yield f"independent: {flaw}"
                return
            if outcome.state is not None and outcome.state not in seen and not graph.breaks_off(outcome.state):
                seen.add(outcome.state)
                pending.append(outcome.state)


def _flaw_between(graph: Whole, ample: frozenset[Action], other: Action, state: State) -> str | None:
    """How an action fails to commute with ample ones in a state, if it does."""
    theirs = graph.enabled[state][other]
    assert theirs.state is not None
    for action in ample:
        mine = graph.enabled[state][action]
        assert mine.state is not None
        if graph.breaks_off(mine.state):
            continue  # this error is found with and without reduction
        after = graph.enabled[mine.state].get(other)
        if after is None or after.state is None:
            return f"{action} disables {other}"
        if after.wrong != theirs.wrong:
            return f"{action} changes what goes wrong in {other}: {theirs.wrong}, then {after.wrong}"
        if graph.breaks_off(theirs.state):
            if not graph.breaks_off(after.state):
                return f"{action} hides an error after {other}"
            continue
        back = graph.enabled[theirs.state].get(action)
        if back is None:
            return f"{other} disables {action}"
        if back.wrong != mine.wrong or back.state != after.state:
            return f"{action} and {other} do not commute"
    return None
