"""Judging a counterexample: it is taken again on the reference, and the formula evaluated on it by its definition.

Only a run that passes is called a violation. Nothing of the search is trusted here: the choices of the run are
replayed from the initial state, the propositions evaluated in the states met, and the formula in the word they make.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from everafter.execution.packing import Packer
from everafter.execution.state import NOBODY, Problem, RuntimeProblem, State
from everafter.execution.step import Step, steps
from everafter.ltl import Lasso, holds
from everafter.product.claim import AtAcceptLabel, Claim, Proposition
from everafter.product.fairness import Fairness
from everafter.program.program import Program
from everafter.verdict.property import Property
from everafter.verdict.replay import Choice, ReplayError, replay
from everafter.verdict.result import Counterexample


def judged(program: Program, asked: Property, run: Counterexample, fairness: Fairness | None = None) -> Counterexample:
    """The counterexample with the word it makes. Raises ReplayError if it is no violation, or not a fair one."""
    choices = [Choice.of(step) for step in (*run.prefix, *run.cycle)]
    start, taken = replay(program, choices)
    if start != run.start or len(taken) != len(choices):
        raise ReplayError("the counterexample is not a run of the model")
    states = visited(start, taken)
    if run.problem is not None:
        if not _goes_wrong(asked.claim, run.problem, states, taken):
            raise ReplayError("the counterexample does not show the problem that was found")
        return _judged_prefix(asked, run, states) if run.problem.kind == "claim" else run
    _check_shape(program, states, run)
    if fairness is not None and not run.stutters:
        _check_fairness(program, states[len(run.prefix) :], taken[len(run.prefix) :], fairness)
    word = [(state, index) for index, state in enumerate(states[: _distinct(run)]) if state.holder == NOBODY]
    loop = next((position for position, (_, index) in enumerate(word) if index >= len(run.prefix)), len(word) - 1)
    if run.stutters:
        loop = len(word) - 1
    if asked.formula is None:
        if not _accepts(asked.claim, program, asked, word, loop, run.stutters):
            raise ReplayError("the claim does not accept the counterexample")
        return run
    assert asked.propositions is not None
    letters = tuple(
        _letter(asked.propositions, state, run.stutters and i == len(word) - 1) for i, (state, _) in enumerate(word)
    )
    if holds(asked.formula, Lasso(letters[:loop], letters[loop:])):
        raise ReplayError("the formula holds on the counterexample")
    positions = tuple(index for _, index in word)
    return replace(run, letters=letters, positions=positions, loop=loop, formula=asked.formula)


def _judged_prefix(asked: Property, run: Counterexample, states: list[State]) -> Counterexample:
    """A run that is bad whatever follows: at least it is if the last state is repeated for ever."""
    if asked.formula is None or asked.propositions is None:
        return run
    word = [(state, index) for index, state in enumerate(states) if state.holder == NOBODY]
    letters = tuple(_letter(asked.propositions, state, False) for state, _ in word)
    if holds(asked.formula, Lasso(letters[:-1], letters[-1:])):
        raise ReplayError("the formula holds on a continuation of the counterexample")
    positions = tuple(index for _, index in word)
    return replace(run, letters=letters, positions=positions, loop=len(letters) - 1, formula=asked.formula)


def visited(start: State, taken: list[Step]) -> list[State]:
    """The states a run meets, the first one included."""
    states = [start]
    for step in taken:
        if step.state is not None:
            states.append(step.state)
    return states


def _goes_wrong(claim: Claim, problem: Problem, states: list[State], taken: list[Step]) -> bool:
    """Whether the last step has this problem, or the claim gets to its end, or cannot be evaluated, on the way."""
    if taken and taken[-1].problem == problem:
        return True
    at = {claim.start}
    for state in states:
        if any(claim.is_end(place) for place in at):
            return True
        if state.holder != NOBODY:
            continue
        try:
            at = {target for place in at for target in claim.moves(state, place, False)}
        except RuntimeProblem as stop:
            return stop.problem == problem
    return any(claim.is_end(place) for place in at)


def _distinct(run: Counterexample) -> int:
    """How many states of the run are written down once: the last one of a cycle is its first again."""
    return len(run.prefix) + (1 if run.stutters else len(run.cycle))


def _check_shape(program: Program, states: list[State], run: Counterexample) -> None:
    if run.stutters:
        if steps(program, states[-1]):
            raise ReplayError("the counterexample stops where the model can go on")
    elif Packer(program).pack(states[-1]) != Packer(program).pack(states[len(run.prefix)]):
        raise ReplayError("the cycle of the counterexample does not close")


def _check_fairness(program: Program, states: list[State], taken: list[Step], fairness: Fairness) -> None:
    """Whether the cycle is fair to every process, by the definition of fairness."""
    moved = {process for step in taken for process in (step.process, step.partner)}
    able = [_able(program, state) for state in states[:-1] if state.holder == NOBODY]
    always = set[int].intersection(*able) if able else set()
    wanting = always if fairness == "weak" else set[int]().union(*able)
    if wanting - moved:
        raise ReplayError(f"the counterexample is not {fairness}ly fair")


def _able(program: Program, state: State) -> set[int]:
    """The processes that can move in a state."""
    possible = steps(program, state)
    return {step.process for step in possible} | {step.partner for step in possible if step.partner is not None}


def _letter(propositions: Mapping[str, Proposition], state: State, stopped: bool) -> frozenset[str]:
    return frozenset(name for name, meaning in propositions.items() if meaning(state, stopped))


def _accepts(
    claim: Claim, program: Program, asked: Property, word: list[tuple[State, int]], loop: int, stutters: bool
) -> bool:
    """Whether the claim has an accepting run on the word: a cycle through an accepting claim state, or its end."""
    last = len(word) - 1
    pairs: set[tuple[int, int]] = set()
    edges: dict[tuple[int, int], list[tuple[int, int]]] = {}
    pending = [(0, claim.start)]
    while pending:
        pair = pending.pop()
        if pair in pairs:
            continue
        pairs.add(pair)
        position, at = pair
        if claim.is_end(at):
            return True
        following = position + 1 if position < last else loop
        moves = claim.moves(word[position][0], at, stutters and position == last)
        edges[pair] = [(following, target) for target in moves]
        pending += edges[pair]
    accepting = [pair for pair in pairs if claim.is_accepting(pair[1]) or _labelled(program, asked, word[pair[0]][0])]
    return any(_returns(edges, pair) for pair in accepting)


def _labelled(program: Program, asked: Property, state: State) -> bool:
    return asked.accept_labels and AtAcceptLabel(program)(state, False)


def _returns(edges: dict[tuple[int, int], list[tuple[int, int]]], pair: tuple[int, int]) -> bool:
    seen: set[tuple[int, int]] = set()
    pending = list(edges[pair])
    while pending:
        other = pending.pop()
        if other == pair:
            return True
        if other not in seen:
            seen.add(other)
            pending += edges[other]
    return False
