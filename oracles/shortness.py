"""How long a shortest counterexample is, by definition, and whether an engine that says it has one is right.

A run is as long as the steps that a report lists: the statements that are executed, also inside atomic sequences, and
the one that goes wrong. That nobody can move is no step. A formula that is violated after finitely many steps is
violated as soon as its claim is over, which reads the last state again and again where the system has stopped.
"""

from __future__ import annotations

import os
import random
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from unittest.mock import patch

from everafter.check import answer
from everafter.choices import ReductionWish
from everafter.execution.state import NO_PROCESS, RuntimeProblem, State
from everafter.execution.step import Step, initial_state, is_valid_end, steps
from everafter.product.ample_steps import possible_steps
from everafter.product.claim import AutomatonClaim, is_terminal
from everafter.questions.limits import Limits
from everafter.questions.outcome import Disagreement
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.reduction_choice import reduction_for
from everafter.questions.request import Request
from everafter.reduction.ample import Reduction
from everafter.source import InputError
from everafter.stated_questions import questions
from everafter.user_model import parse
from everafter.verdict.result import Result
from oracles.claims import global_names
from oracles.promela.random_programs import program
from oracles.promela.random_races import race

GPU_VARIABLE = "EVERAFTER_GPU"
ONE_OF = 3
"""One of so many programs is of all there is in the language; the others are races between things that go wrong."""
TEMPLATES = (
    "[] {0}",
    "[] ({0} || {1})",
    "[] ({0} -> X {1})",
    "[] ({0} -> X X {1})",
    "({0} W {1})",
    "X X {0}",
    "X X X X {0}",
    "[] ({0} -> ({1} W {2}))",
)
"""Of formulas whose violations show after finitely many steps; with comparisons in the places."""


class TooManyStates(Exception):
    """The program has more states than are looked at."""


def fewest_steps(question: Question, reduction: Reduction | None = None, most: int = 20_000) -> int | None:
    """The steps of a shortest run that violates what is asked, or None if there is none.

    With a reduction, among the steps that it leaves. Raises TooManyStates.
    """
    asked, begin = question.property, initial_state(question.program)
    assert asked.claim is None or isinstance(asked.claim, AutomatonClaim)
    start: _Node = (begin, 0 if asked.claim is None else asked.claim.start)
    known = {start: 0}
    best: int | None = None
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        taken = known[node]
        if best is not None and taken >= best:
            return best
        state = node[0]
        found = possible_steps(question.program, state, reduction)
        if not found or reduction is None:
            assert found == steps(question.program, state)
        more, following = _ends(question, node, found)
        if more is not None:
            best = taken + more if best is None else min(best, taken + more)
        for target, cost in following:
            if target not in known or known[target] > taken + cost:
                known[target] = taken + cost
                (waiting.append if cost else waiting.appendleft)(target)
        if len(known) > most:
            raise TooManyStates
    return best


_Node = tuple[State, int]


def _ends(question: Question, node: _Node, found: list[Step]) -> tuple[int | None, list[tuple[_Node, int]]]:
    """In how many steps the run can end in a violation here, if it can; and where it can go on, in how many."""
    claim, (state, at) = question.property.claim, node
    if claim is None:
        targets = [at]
        more = 1 if any(step.problem for step in found) else None
        if not found and not is_valid_end(question.program, state):
            more = 0
    else:
        more = 1 if any(step.state is None for step in found) else None
        targets = [at]
        if state.holder == NO_PROCESS:
            try:
                targets = claim.moves(state, at, not found)
            except RuntimeProblem:
                return 0, []
            if any(claim.is_end(each) for each in targets):
                return 0, []
            more = more if targets else None
    following: list[tuple[_Node, int]] = []
    for target in targets:
        following += [((step.state, target), 1) for step in found if step.state is not None]
        if claim is not None and not found:
            following.append(((state, target), 0))
    return more, following


# Every engine


@dataclass(frozen=True, slots=True)
class Way:
    """How a question is asked."""

    name: str
    options: Request
    environment: str = ""
    """What the variable says that lets threads of the processor run the kernels of a GPU."""


WAYS = (
    Way("reference", Request(engine="reference")),
    Way("native", Request(engine="native", threads=1)),
    Way("native, breadth-first", Request(engine="native", algorithm="breadth-first", threads=1)),
    Way("native, team", Request(engine="native", threads=2)),
    Way("native, team without order", Request(engine="native", algorithm="breadth-first", threads=2)),
    Way("native, trees", Request(engine="native", algorithm="breadth-first", threads=1, store="tree")),
    Way("gpu", Request(engine="gpu"), "cpu"),
    Way("cluster", Request(cluster="inside:2")),
)
REDUCTIONS: tuple[ReductionWish, ...] = ("none", "static")


def asked_of(seed: int, reduction: ReductionWish) -> Iterator[Question]:
    """Of the random program of a seed: safety, and a formula whose violations show after finitely many steps."""
    text, rng = program(seed) if seed % ONE_OF == 0 else race(seed), random.Random(seed)
    names = global_names(text) if seed % ONE_OF == 0 else ["x", "y"]
    atoms = [f"({rng.choice(names)} {rng.choice(('==', '!=', '<'))} {rng.randrange(3)})" for _ in range(3) if names]
    formulas = (rng.choice(TEMPLATES).format(*atoms),) if names else ()
    model = parse(text)
    like = Question(model.program, SAFETY, reduction=reduction, limits=Limits(states=200_000))
    for item in questions(model, Request(safety=True, formulas=formulas)):
        question = item.question(like)
        if question.property.claim is None or is_terminal(question.property.claim):
            yield question


def compare(seed: int, ways: tuple[Way, ...] = WAYS, reductions: tuple[ReductionWish, ...] = REDUCTIONS) -> Compared:
    """What is wrong with the hints on the random program of a seed, and how often which was compared."""
    compared = Compared(Counter(), [])
    for wish in reductions:
        try:
            asked = list(asked_of(seed, wish))
        except (InputError, RecursionError):
            return compared
        for question in asked:
            reduction = reduction_for(question)
            try:
                shortest = fewest_steps(question)
                left = fewest_steps(question, reduction) if isinstance(reduction, Reduction) else shortest
            except (TooManyStates, RecursionError):
                continue
            if shortest is None:
                compared.outcomes["all", "holds"] += 1
                continue
            for way in ways:
                if way.options.algorithm is not None and question.goal == "cycle":
                    continue
                outcome, wrong = _compared(question, way, shortest, left)
                compared.outcomes[way.name, outcome] += 1
                if wrong:
                    compared.wrong.append(f"seed {seed}, {question.property.name}, {wish}, {way.name}: {wrong}")
    return compared


@dataclass(frozen=True, slots=True)
class Compared:
    """What was compared: by engine and outcome, how often; and what was wrong."""

    outcomes: Counter[tuple[str, str]]
    wrong: list[str]


def _compared(question: Question, way: Way, shortest: int, left: int | None) -> tuple[str, str]:
    """What came of asking an engine, and what is wrong with it."""
    try:
        with patch.dict(os.environ, {GPU_VARIABLE: way.environment} if way.environment else {}):
            result = answer(question, way.options)
    except Disagreement as error:
        return "wrong", f"a disagreement: {error}"
    wrong = _wrong(result, shortest, left)
    return "wrong" if wrong else _kind(question, result), wrong


def _wrong(result: Result, shortest: int, left: int | None) -> str:
    """What the definition says against a result: nothing, if it is right. `left`: among the steps reduction leaves."""
    if result.verdict == "incomplete":
        return ""
    if result.counterexample is None or left is None:
        return f"{result.verdict}, but the shortest run into a violation has {shortest} steps, with reduction {left}"
    length = len(result.counterexample)
    if length < shortest and result.counterexample.problem is not None:
        return f"a counterexample of {length} steps, but none has fewer than {shortest}"
    if result.is_shortest and length > left:
        return f"no counterexample is said to be shorter than {length} steps, but one has {left}"
    return ""


def _kind(question: Question, result: Result) -> str:
    kind = "formula " if question.property.claim is not None else ""
    said = {True: " shortest", False: ""}[result.is_shortest]
    return f"{kind}{result.verdict}{said}"
