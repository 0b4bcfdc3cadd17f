"""From what a backend came to, to a verdict. Nothing of a search is believed here.

A run that was found is taken again on the reference, choice by choice from the initial state; the propositions are
evaluated in the states met, and the formula in the word they make. Only a run that passes is a violation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from everafter.choices import Fairness
from everafter.execution.packing import Packer
from everafter.execution.run import Run
from everafter.execution.state import NO_PROCESS, Problem, RuntimeProblem, State
from everafter.execution.step import Step, end_problem, is_valid_end, steps
from everafter.ltl.formula import Formula
from everafter.ltl.lasso_semantics import Lasso, holds
from everafter.ltl.strong_components import components_of
from everafter.ltl.truth import is_true
from everafter.product.claim import AtAcceptLabel, Claim, Proposition
from everafter.program.program import Program
from everafter.program.unread_cells import without_unread
from everafter.questions.outcome import Disagreement, Ending, Outcome
from everafter.questions.property import Property
from everafter.questions.question import Question
from everafter.record import replace
from everafter.source import Place
from everafter.system import without_collecting
from everafter.verdict.replay import ReplayError, replay
from everafter.verdict.result import Counterexample, Result, Verdict

_SHORT_WORD = 100
"""Up to this number of letters, a formula is evaluated by its definition."""


def judge(question: Question, outcome: Outcome) -> Result:
    """The verdict that an outcome bears out. Raises Disagreement if what was found does not show a violation."""
    counterexample: Counterexample | None = None
    verdict: Verdict
    match outcome.ending:
        case Ending.COMPLETED:
            verdict, reason = "holds", _why_it_holds(question)
        case Ending.FOUND:
            assert outcome.run is not None
            with without_collecting():
                counterexample = shown(question, outcome.run)
            verdict, reason = "violated", _why_it_is_violated(counterexample)
        case Ending.STOPPED | Ending.INTERRUPTED:
            verdict, reason = "incomplete", outcome.reason
        case _:
            assert_never(outcome.ending)
    return Result(
        property=question.property.name,
        kind=question.property.kind,
        verdict=verdict,
        reason=reason,
        figures=outcome.figures,
        method=outcome.method,
        workers=outcome.workers,
        checkpoint=outcome.checkpoint,
        counterexample=counterexample,
        claim=question.property.claim,
        is_shortest=counterexample is not None and outcome.is_shortest,
    )


def shown(question: Question, run: Run) -> Counterexample:
    """The counterexample that a run is. Raises Disagreement if it is none."""
    try:
        if question.property.claim is None:
            return violating(question.program, run, question.start)
        asked, claim = question.property, question.property.claim
        return accepted(question.program, asked, claim, run, question.fairness, question.start)
    except ReplayError as error:
        raise Disagreement(f"{error}, though the search found it") from error


def _why_it_holds(question: Question) -> str:
    if question.property.claim is None:
        return "all reachable states were visited"
    fair = "" if question.fairness is None else f"{question.fairness}ly fair "
    return f"no {fair}run violates it"


def _why_it_is_violated(run: Counterexample) -> str:
    if run.problem is not None:
        return run.problem.message
    if not run.cycle:
        return "a run stops for ever"
    return f"a run repeats {len(run.cycle)} step{'s' if len(run.cycle) > 1 else ''} for ever"


# Safety


def violating(program: Program, run: Run, begin: State | None = None) -> Counterexample:
    """The run, taken again: at its end something goes wrong. Raises ReplayError if nothing does."""
    start, taken = replay(program, run.prefix, begin)
    last = taken[-1].state if taken else start
    problem = taken[-1].problem if taken else None
    if problem is None and last is not None and not steps(program, last) and not is_valid_end(program, last):
        problem = end_problem(program, last)
    if problem is None or len(taken) != len(run.prefix) or run.cycle:
        raise ReplayError("the counterexample does not show a violation")
    return Counterexample(program, start, tuple(taken), (), problem)


# Infinite runs


def accepted(
    program: Program,
    asked: Property,
    claim: Claim,
    run: Run,
    fairness: Fairness | None = None,
    begin: State | None = None,
) -> Counterexample:
    """The run, taken again, with the word it makes. Raises ReplayError if it is no violation, or not a fair one."""
    choices = (*run.prefix, *run.cycle)
    start, taken = replay(program, choices, begin)
    if len(taken) != len(choices):
        raise ReplayError("the counterexample goes on where the model cannot")
    prefix, cycle = tuple(taken[: len(run.prefix)]), tuple(taken[len(run.prefix) :])
    found = Counterexample(program, start, prefix, cycle, stutters=run.end == "stop")
    states = list(found.states())
    if run.end == "problem":
        return _judged_prefix(asked, replace(found, problem=_problem(program, claim, states, taken)), states)
    _check_shape(program, asked, states, found)
    if fairness is not None and not found.stutters and not is_fair(found, fairness):
        raise ReplayError(f"the counterexample is not {fairness}ly fair")
    word = [(state, index) for index, state in enumerate(states[: _distinct(found)]) if state.holder == NO_PROCESS]
    loop = next((position for position, (_, index) in enumerate(word) if index >= len(prefix)), len(word) - 1)
    if found.stutters:
        loop = len(word) - 1
    if asked.formula is None:
        if not _accepts(claim, program, asked, word, loop, found.stutters):
            raise ReplayError("the claim does not accept the counterexample")
        return found
    assert asked.propositions is not None
    letters = tuple(
        _letter(asked.propositions, state, found.stutters and i == len(word) - 1) for i, (state, _) in enumerate(word)
    )
    if _holds(asked.formula, Lasso(letters[:loop], letters[loop:])):
        raise ReplayError("the formula holds on the counterexample")
    positions = tuple(index for _, index in word)
    return replace(found, letters=letters, positions=positions, loop=loop, formula=asked.formula)


def _holds(formula: Formula, word: Lasso) -> bool:
    """Whether a formula is true of a word: by its definition, which is proved and slow, or, of a long word, in linear
    time."""
    return holds(formula, word) if len(word.letters) <= _SHORT_WORD else is_true(formula, word)


def _judged_prefix(asked: Property, run: Counterexample, states: list[State]) -> Counterexample:
    """A run that is bad whatever follows: at least it is if the last state is repeated for ever."""
    assert run.problem is not None
    if run.problem.kind != "claim" or asked.formula is None or asked.propositions is None:
        return run
    word = [(state, index) for index, state in enumerate(states) if state.holder == NO_PROCESS]
    letters = tuple(_letter(asked.propositions, state, False) for state, _ in word)
    if _holds(asked.formula, Lasso(letters[:-1], letters[-1:])):
        raise ReplayError("the formula holds on a continuation of the counterexample")
    positions = tuple(index for _, index in word)
    return replace(run, letters=letters, positions=positions, loop=len(letters) - 1, formula=asked.formula)


def _problem(program: Program, claim: Claim, states: list[State], taken: list[Step]) -> Problem:
    """What goes wrong on the way: the last step cannot be completed, or the claim is over, or cannot be evaluated."""
    if taken and taken[-1].state is None and taken[-1].problem is not None:
        return taken[-1].problem
    at = {claim.start}
    for number, state in enumerate(states):
        if any(claim.is_end(place) for place in at):
            return Problem("claim", claim.ending, _somewhere(program, state))
        if state.holder != NO_PROCESS:
            continue
        stopped = number + 1 == len(states) and not steps(program, state)
        try:
            at = _read(claim, state, at, stopped)
        except RuntimeProblem as stop:
            return stop.problem
    if any(claim.is_end(place) for place in at):
        return Problem("claim", claim.ending, _somewhere(program, states[-1]))
    raise ReplayError("the counterexample does not show a problem")


def _read(claim: Claim, state: State, at: set[int], stopped: bool) -> set[int]:
    """Where the claim may be when it has read a state; if the system has stopped there, once or more."""
    found = {target for place in at for target in claim.moves(state, place, stopped)}
    while stopped and (more := {target for place in found for target in claim.moves(state, place, True)} - found):
        found |= more
    return found


def _somewhere(program: Program, state: State) -> Place:
    """Some place of the text to name: that of the oldest process."""
    for process in state.processes:
        return program.processes[process.proctype].graph.nodes[process.node].place
    return program.processes[0].declaration.place


def _distinct(run: Counterexample) -> int:
    """How many states of the run are written down once: the last one of a cycle is its first again."""
    return len(run.prefix) + (1 if run.stutters else len(run.cycle))


def _check_shape(program: Program, asked: Property, states: list[State], run: Counterexample) -> None:
    """Check that a run stops, or that its cycle comes back to its state, what is never read left aside."""
    if run.stutters:
        if steps(program, states[-1]):
            raise ReplayError("the counterexample stops where the model can go on")
        return
    packer = Packer(without_unread(program, asked.watched))
    if packer.pack(states[-1]) != packer.pack(states[len(run.prefix)]):
        raise ReplayError("the cycle of the counterexample does not close")


def is_fair(run: Counterexample, fairness: Fairness) -> bool:
    """Whether the cycle of a run is fair to every process, by the definition of fairness.

    Proof: proofs/verdict/fairly.v, theorem judged_fair.
    """
    moved = {process for step in run.cycle for process in (step.process, step.partner)}
    states = list(run.states())[len(run.prefix) : -1]
    able = [_able(run.program, state) for state in states if state.holder == NO_PROCESS]
    always = set[int].intersection(*able) if able else set()
    wanting = always if fairness == "weak" else set[int]().union(*able)
    return not wanting - moved


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
    pairs = [(0, claim.start)]
    numbers = {pairs[0]: 0}
    targets: list[list[int]] = []
    while len(targets) < len(pairs):
        position, at = pairs[len(targets)]
        if claim.is_end(at):
            return True
        following = position + 1 if position < last else loop
        reached = [(following, to) for to in claim.moves(word[position][0], at, stutters and position == last)]
        for pair in reached:
            if pair not in numbers:
                numbers[pair] = len(pairs)
                pairs.append(pair)
        targets.append([numbers[pair] for pair in reached])
    component = components_of(targets, [0])
    cyclic = {component[node] for node, out in enumerate(targets) for to in out if component[to] == component[node]}
    return any(
        component[node] in cyclic and (claim.is_accepting(at) or _labelled(program, asked, word[position][0]))
        for node, (position, at) in enumerate(pairs)
    )


def _labelled(program: Program, asked: Property, state: State) -> bool:
    return asked.accept_labels and AtAcceptLabel(program)(state, False)
