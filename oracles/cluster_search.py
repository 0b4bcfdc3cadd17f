"""Whether a group of workers finds what one machine does, however many there are."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace

from everafter.backends.cluster import group_at
from everafter.check import answer
from everafter.choices import ReductionWish, StoreKind
from everafter.engine.cluster.address import Address
from everafter.engine.cluster.coordinator import ClusterOutcome, ClusterSearch
from everafter.engine.cluster.worker import BATCH_BYTES, JobDescription
from everafter.engine.emit.module import code_of
from everafter.engine.run.native_model import NativeModel
from everafter.engine.run.search_outcome import SearchEnding, SearchFigures
from everafter.program.program import Program
from everafter.questions.limits import Limits
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.reduction_choice import reduction_for
from everafter.questions.request import Request
from everafter.reduction.ample import Reduction
from everafter.source import InputError
from everafter.stated_questions import questions
from everafter.user_model import Model, parse
from everafter.verdict.result import Result
from oracles.claims import formula as random_formula
from oracles.claims import global_names
from oracles.looks import without_look
from oracles.promela.random_programs import program as random_program

WORKERS = (1, 2, 3, 5)
PLACES = tuple(f"inside:{workers}" for workers in WORKERS)
MEMORY = 8 << 30
_MANY = 30
"""So many times the states that one machine may look at a group may."""


def searched(
    program: Program,
    where: str,
    past_errors: bool,
    reduction: Reduction | None = None,
    batch: int = BATCH_BYTES,
    store: StoreKind = "plain",
) -> ClusterOutcome:
    """What a group at an address comes to."""
    description = JobDescription(code_of(program, reduction=reduction), past_errors, batch, store=store)
    return ClusterSearch(group_at(Address.of(where)), description, MEMORY).run()


def differences(
    program: Program,
    most_states: int,
    batch: int = BATCH_BYTES,
    places: Sequence[str] = PLACES,
    store: StoreKind = "plain",
) -> list[str] | None:
    """How groups differ from the native engine: in what there is past errors, with and without reduction, and in the
    length of a shortest way to a violation. None if there are too many states to compare.
    """
    found: list[str] = []
    reduction = reduction_for(Question(program, SAFETY))
    for reduced in (None, reduction) if isinstance(reduction, Reduction) else (None,):
        expected = _on_one_machine(program, reduced, most_states)
        if expected is None:
            return None
        for place in places:
            ours = searched(program, place, True, reduced, batch, store)
            if ours.ending is not SearchEnding.COMPLETED or _counts(ours.figures) != expected:
                found.append(f"{place}: {ours.ending.value} with {_counts(ours.figures)}, one {expected}")
    length = _shortest(program)
    for place in places:
        path = searched(program, place, False, None, batch, store).path
        if len(path) != length:
            found.append(f"{place}: a way of {len(path)} states, one machine {length}")
    return found


def claim_differences(
    seed: int, most_states: int = 3000, places: Sequence[str] = PLACES, store: StoreKind = "plain"
) -> list[str] | None:
    """How groups differ from one machine on a random formula of a random program: in the verdict, and where it
    holds in states and transitions. None if there is nothing to compare.
    """
    text = random_program(seed)
    names = global_names(text)
    if not names:
        return None
    formula = random_formula(random.Random(seed), names, random.Random(seed).randrange(2, 6))
    try:
        model = parse(re.sub(r"\bassert\b", "(true) || ", text))
    except InputError:
        return None
    return formula_differences(model, formula, most_states, places, seed % 2 == 0, store)


def formula_differences(
    model: Model,
    formula: str,
    most_states: int,
    places: Sequence[str] = PLACES,
    reduced: bool = False,
    store: StoreKind = "plain",
) -> list[str] | None:
    """The same of one formula of a model, with all steps or those that suffice."""
    (asked,) = questions(model, Request(formulas=(formula,)))
    wish: ReductionWish = "static" if reduced else "none"
    like = Question(model.program, SAFETY, reduction=wish, limits=Limits(states=most_states))
    expected = answer(asked.question(like), Request(engine="native", algorithm="tarjan"))
    if expected.verdict == "incomplete":
        return None
    found: list[str] = []
    enough = Limits(states=_MANY * most_states)
    for place in places:
        with without_look():
            ours = answer(asked.question(replace(like, limits=enough)), Request(cluster=place, store=store))
        if ours.verdict == "incomplete" and expected.verdict == "violated" and "states was reached" in ours.reason:
            return None  # a group looks at every state first, and one machine has met a cycle early
        if _told(ours) != _told(expected):
            found.append(f"{formula}, {place}: {_told(ours)} {ours.reason}, one machine {_told(expected)}")
    return found


def _told(result: Result) -> tuple[str, int, int]:
    """The verdict, and where it holds the states and transitions that there are."""
    if result.verdict == "holds":
        return result.verdict, result.states, result.transitions
    return result.verdict, 0, 0


def _counts(figures: SearchFigures) -> tuple[int, int, int]:
    return figures.states, figures.rows, figures.transitions


def _on_one_machine(program: Program, reduction: Reduction | None, most_states: int) -> tuple[int, int, int] | None:
    model = NativeModel(program, reduction=reduction)
    model.go_past_errors()
    outcome = model.search("unordered", MEMORY, lambda _: None).run(lambda seen: seen.states > most_states)
    is_whole = outcome.ending is SearchEnding.COMPLETED and outcome.figures.states <= most_states
    return _counts(outcome.figures) if is_whole else None


def _shortest(program: Program) -> int:
    """How many states a shortest way to a violation has, 0 without one."""
    model = NativeModel(program)
    answer = model.search("breadth-first", MEMORY, lambda _: None).run().answer
    return len(answer) - 1 if isinstance(answer, tuple) else 0
