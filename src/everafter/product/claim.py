"""What a claim is: an observer that reads the states of a run and accepts the runs that must not be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from everafter.execution.perform import actor_of, value_of
from everafter.execution.state import NO_PROCESS, State
from everafter.execution.step import holds
from everafter.ltl.automaton import Automaton
from everafter.ltl.functions import TRUE as ANYTHING
from everafter.ltl.strong_components import components_of
from everafter.program.control_flow import Jump, Terminate, Transition
from everafter.program.program import ProcessType, Program
from everafter.promela.model import Assert, Else, Expression, Print, Test
from everafter.record import dataclass, field
from everafter.source import Diagnostic, InputError


@dataclass(frozen=True, slots=True)
class Holds:
    """The proposition that an expression of the model is not zero."""

    program: Program
    expression: Expression

    def __call__(self, state: State, _stopped: bool) -> bool:
        """Whether it is true of a state."""
        return holds(self.program, state, self.expression)


@dataclass(frozen=True, slots=True)
class AtAcceptLabel:
    """The proposition that some process is at a label that begins with `accept`."""

    program: Program

    def __call__(self, state: State, _stopped: bool) -> bool:
        """Whether it is true of a state."""
        return any(self.program.processes[p.proctype].graph.nodes[p.node].is_accepting for p in state.processes)


@dataclass(frozen=True, slots=True)
class WithoutProgress:
    """The proposition that the system has not stopped and no process is at a label that begins with `progress`."""

    program: Program

    def __call__(self, state: State, stopped: bool) -> bool:
        """Whether it is true of a state; the flag says that the system has stopped there for good."""
        nodes = (self.program.processes[p.proctype].graph.nodes[p.node] for p in state.processes)
        return not stopped and not any(node.is_progress for node in nodes)


Proposition = Holds | AtAcceptLabel | WithoutProgress
"""Whether something is true of a state."""


class Claim(Protocol):
    """An observer with numbered states. It moves first, then the system does."""

    @property
    def start(self) -> int:
        """The claim's first state."""

    def moves(self, state: State, at: int, stopped: bool) -> list[int]:
        """Return where the claim can go from its state `at` on reading `state` of the system, which may have `stopped`.

        Where it can go nowhere the run is of no interest.
        """

    def is_accepting(self, at: int) -> bool:
        """Whether runs that meet this state for ever are accepted."""

    def is_end(self, at: int) -> bool:
        """Whether the claim is over here, so that the run is accepted whatever follows."""

    @property
    def ending(self) -> str:
        """What it means that the claim is over."""


@dataclass(frozen=True)
class AutomatonClaim:
    """A Büchi automaton with accepting states, over propositions. What leads to acceptance is tried first."""

    automaton: Automaton
    propositions: Mapping[str, Proposition]
    inside: bool = False
    """Whether accepting states count in the middle of atomic sequences, and there alone."""
    _accepting: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "automaton", self.automaton.eager())
        object.__setattr__(self, "_accepting", self.automaton.accepting_states)

    @property
    def start(self) -> int:
        """The initial state of the automaton."""
        return self.automaton.initial

    def letter(self, state: State, stopped: bool) -> frozenset[str]:
        """Return the propositions that are true of `state`, in which the system has `stopped` or not."""
        return frozenset(name for name in self.automaton.propositions if self.propositions[name](state, stopped))

    def moves(self, state: State, at: int, stopped: bool) -> list[int]:
        """Return the targets of the edges from `at` that read the letter of `state`.

        `stopped` is whether the system has.
        """
        valuation = self.automaton.valuation(self.letter(state, stopped))
        return [edge.target for edge in self.automaton.successors(at, valuation)]

    def is_accepting(self, at: int) -> bool:
        """Whether the automaton's state is accepting."""
        return at in self._accepting

    def is_end(self, at: int) -> bool:
        """Whether the automaton accepts whatever follows: it stays in this accepting state for ever."""
        edges = self.automaton.outgoing[at]
        return at in self._accepting and len(edges) == 1 and edges[0].target == at and edges[0].label == ANYTHING

    @property
    def is_closed(self) -> bool:
        """Whether the automaton, once in an accepting state, is in accepting states for ever."""
        targets = (edge.target for state in self._accepting for edge in self.automaton.outgoing[state])
        return self._accepting.issuperset(targets)

    @property
    def is_weak(self) -> bool:
        """Whether the states of the automaton that are on a cycle together are all accepting, or none is."""
        states = list(self.automaton.states)
        following = [[edge.target for edge in self.automaton.outgoing[state]] for state in states]
        found = components_of(following, states)
        return len({(found[state], state in self._accepting) for state in states}) == len(
            {found[state] for state in states}
        )

    @property
    def is_terminal(self) -> bool:
        """Whether the automaton accepts only runs that are bad whatever follows: those of an invariant are."""
        return all(self.is_end(state) for state in self._accepting)

    @property
    def ending(self) -> str:
        """The formula cannot become true any more."""
        return "violated here already, whatever comes next"


def is_terminal(claim: Claim) -> bool:
    """Whether a claim is known to accept only runs that are bad whatever follows."""
    return isinstance(claim, AutomatonClaim) and claim.is_terminal


def accepts_inside(claim: Claim) -> bool:
    """Whether a claim asks for runs that stay in the middle of an atomic sequence, whatever else they do."""
    return isinstance(claim, AutomatonClaim) and claim.inside


FAILED = -1
"""Where a never claim is when an assertion of its own has failed: its run is found."""


@dataclass(frozen=True)
class NeverClaim:
    """A never claim, executed as a process that moves in lockstep with the system. It only observes."""

    program: Program
    process: ProcessType

    def __post_init__(self) -> None:
        for transition in self.process.graph.transitions():
            if not isinstance(transition.effect, Test | Else | Assert | Print | Jump | Terminate):
                message = "a never claim can only observe: tests, assertions and jumps"
                raise InputError([Diagnostic(transition.place, message)])

    @property
    def start(self) -> int:
        """Where the claim's body begins."""
        return self.process.graph.start

    def moves(self, state: State, at: int, stopped: bool) -> list[int]:
        """Return where one move of the claim leads from `at` in `state`; inside atomic it goes on moving.

        `stopped` says whether the system has. FAILED is among the states where an assertion of the claim fails.
        """
        found: list[int] = []
        for transition in self._executable(state, at, stopped):
            if self._fails(state, transition, stopped):
                found.append(FAILED)
            elif transition.keeps_atomic:
                found += self.moves(state, transition.target, stopped)
            else:
                found.append(transition.target)
        return found

    def _executable(self, state: State, at: int, stopped: bool) -> list[Transition]:
        found: list[Transition] = []
        for action in actor_of(self.program).actions(self.process.index, at):
            effect = action.transition.effect
            if isinstance(effect, Terminate) or (isinstance(effect, Else) and found):
                continue
            if action.may(state, NO_PROCESS, stopped):
                found.append(action.transition)
        return found

    def _fails(self, state: State, transition: Transition, stopped: bool) -> bool:
        effect = transition.effect
        return isinstance(effect, Assert) and not value_of(self.program, state, NO_PROCESS, effect.condition, stopped)

    def is_accepting(self, at: int) -> bool:
        """Whether the claim is at an accept label."""
        return at != FAILED and self.process.graph.nodes[at].is_accepting

    def is_end(self, at: int) -> bool:
        """Whether the claim has reached its end, or a label that begins with `end`, or failed an assertion."""
        return at == FAILED or self.process.graph.nodes[at].is_end

    @property
    def is_closed(self) -> bool:
        """Whether the claim, once at an accept label, is at accept labels until it ends."""
        accepting = [node for node in self.process.graph.nodes.values() if node.is_accepting]
        taken = (each for node in accepting for each in node.transitions if not isinstance(each.effect, Terminate))
        return all(self.is_accepting(each.target) for each in taken)

    @property
    def is_weak(self) -> bool:
        """Whether the claim is known to stay at accept labels, or away from them, on every cycle."""
        return self.is_closed

    @property
    def ending(self) -> str:
        """The claim has described a whole run that must not be."""
        return "the never claim has reached its end"
