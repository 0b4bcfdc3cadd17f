"""What is said of random programs beside the verdict, compared with the definitions, seed by seed.

Each comparison yields what it has compared, in a few words; where a hint is not what its definition says, it raises
AssertionError with both.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from everafter.check import check
from everafter.choices import Fairness
from everafter.hints.sentences import fairness_hint, remarks
from everafter.hints.unasked_labels import unasked_labels
from everafter.promela.propositions import formula_text
from everafter.questions.property import of_formula, understand
from everafter.questions.request import Request
from everafter.search.catalogue import names
from everafter.user_model import Model, parse
from everafter.verdict.result import Result
from oracles.asking import Engine
from oracles.hints import coverage, figures, sweep, vacuity, waiting, warnings
from oracles.hints.programs import random_formula, scheduled_model
from oracles.hints.runs import is_true
from oracles.hints.whole import Whole, hangs, whole
from oracles.promela.random_parts import CORNERS
from oracles.promela.random_programs import program
from oracles.reduction.random_small import small_model

Comparison = Callable[[int, Engine], Iterator[str]]
_MOST_STATES, _FEW_STATES = 1_000, 150
_FORMULAS = 3
_SAFE: Final = Request(safety=True, ignore=("end-states", "assertions"), threads=1)


def _program(seed: int) -> str:
    return small_model(seed) if seed % 2 else program(seed)


def _graph(model: Model, most: int) -> Whole | None:
    """The whole graph, if it is small, and every step in it comes to its end."""
    graph = whole(model.program, most)
    return None if graph is None or graph.breaks or hangs(graph) else graph


def compare_coverage(seed: int, engine: Engine) -> Iterator[str]:
    """The statements that are never executed, with all steps and with reduction, alone and in a team."""
    text = _program(seed)
    model = parse(text)
    graph = _graph(model, _MOST_STATES)
    if graph is None:
        return
    safe = replace(_SAFE, engine=engine, threads=1 + seed % 2 if engine == "native" else 1)
    for reduction in ("none", "static"):
        (result,) = check(model, replace(safe, reduction=reduction, coverage=seed % 3 > 0))
        if result.coverage is not None:
            wrong = coverage.difference(graph, result.coverage)
            assert wrong is None, f"coverage, seed {seed}, reduction {reduction}: {wrong}\n{text}"
            yield "coverage" + (" exact" if result.coverage.is_exact else " of a reduced search")


def compare_formulas(seed: int, engine: Engine) -> Iterator[str]:
    """In what a formula holds vacuously, and what becomes under fairness of one that is violated."""
    chance = random.Random(seed)
    text = (scheduled_model if seed % 2 else small_model)(seed)
    model = parse(text)
    graph = _graph(model, _FEW_STATES)
    if graph is None:
        return
    for _ in range(_FORMULAS):
        formula = random_formula(chance)
        fairness: Fairness | None = chance.choice((None, None, None, "weak", "strong"))
        everything = chance.random() < 0.7
        request = Request(formulas=(formula,), fairness=fairness, engine=engine, threads=1, coverage=everything)
        if fairness == "strong":
            request = Request(formulas=(formula,), fairness=fairness, coverage=everything)
        (result,) = check(model, request)
        understood = understand(model.tree, formula_text(model.tree, formula, "ltl"))
        question = vacuity.Question(graph, understood.formula, understood.expressions, fairness)
        where = f"seed {seed}, {formula}, fair: {fairness}\n{text}"
        assert not result.incomplete, where
        assert question.holds(understood.formula) == result.holds, f"verdict {result.verdict}, {where}"
        yield from _vacuity(question, result, everything, where) if result.holds else _fairness(question, result, where)


def _vacuity(question: vacuity.Question, result: Result, everything: bool, where: str) -> Iterator[str]:
    assert result.vacuity is not None, where
    if result.vacuity.undecided:
        return
    expected, told = vacuity.expected(question, everything), vacuity.told(result.vacuity)
    assert expected == told, f"vacuity {told}, not {expected}, {where}"
    for line in remarks(result, full=True)[2:]:
        assert vacuity.is_true_line(question, line.strip()), f"{line}, {where}"
    yield "vacuity" + (" found" if any(told) else "")


def _fairness(question: vacuity.Question, result: Result, where: str) -> Iterator[str]:
    fair, hint = result.under_fairness, fairness_hint(result)
    assert fair is not None, where
    for kind, told in (("weak", fair.weak), ("strong", fair.strong)):
        expected = "holds" if _holds_fairly(question, kind) else "violated"
        assert told in (expected, "not decided"), f"under {kind} fairness {told}, not {expected}, {where}"
        if hint is not None and (said := re.search(f"it (holds|is violated) under {kind} fairness", hint)) is not None:
            assert (said[1] == "holds") == (expected == "holds"), f"{hint}, {where}"
        yield f"under {kind} fairness: {told}"


def _holds_fairly(question: vacuity.Question, kind: str) -> bool:
    fairness: Fairness = "weak" if kind == "weak" else "strong"
    return is_true(question.graph, question.formula, question.expressions, fairness)


def compare_waits(seed: int, _engine: Engine) -> Iterator[str]:
    """Every sentence about every state in which nobody can move."""
    text = _waiting_program(seed)
    graph = whole(parse(text).program, _MOST_STATES)
    if graph is None:
        return
    wrong = next(waiting.falsehoods(graph), None)
    assert wrong is None, f"waits, seed {seed}: {wrong}\n{text}"
    yield from ("state in which nobody can move" for _ in graph.stopped)


def _waiting_program(seed: int) -> str:
    chance = random.Random(seed)
    match seed % 4:
        case 0:
            return small_model(seed)
        case 1:
            clauses = ("", "", " priority 2", " provided (x == 0)", " provided (y < 2 && x != 1)")
            return re.sub(
                r"(active proctype \w+\(\))", lambda found: found[1] + chance.choice(clauses), small_model(seed)
            )
        case 2:
            return program(seed)
        case _:
            return program(seed, CORNERS["priorities"])


def compare_warnings(seed: int, _engine: Engine) -> Iterator[str]:
    """Numbers that do not fit, declarations without use, what is never started, labels, and `else` beside messages."""
    text, stored = warnings.storing_model(seed)
    graph = whole(parse(text).program, _FEW_STATES)
    assert graph is not None
    cut, told = warnings.cut(graph, stored), dict(warnings.fitting(warnings.warned(text)))
    assert cut == told, f"numbers, seed {seed}: {told}, not {cut}\n{text}"
    yield from ("number that does not fit" for _ in cut)
    yield from _useless(seed)
    for text in (program(seed), warnings.labelled_model(seed)):
        yield from _about_runs(seed, text)


def _useless(seed: int) -> Iterator[str]:
    text = program(seed)
    unused = {(line, said) for line, said in warnings.warned(text) if said.endswith("is never used")}
    expected = warnings.useless(text)
    assert unused == expected, f"unused, seed {seed}: {unused}, not {expected}\n{text}"
    yield from ("declaration without use" for _ in unused)


def _about_runs(seed: int, text: str) -> Iterator[str]:
    told = warnings.warned(text)
    graph = whole(parse(text).program, _MOST_STATES)
    if graph is None:
        return
    named = {said.split("'")[1] for _, said in told if said.endswith("is ever started")}
    assert named <= warnings.unstarted(graph), f"never started, seed {seed}: {named}\n{text}"
    yield from ("process type that is never started" for _ in named)
    elses = {line for line, said in told if said.startswith("'else' beside")}
    taken, there = warnings.elses_taken(graph), warnings.elses_beside(graph)
    assert taken <= elses <= there, f"else, seed {seed}: {elses}, not from {taken} to {there}\n{text}"
    yield from ("else beside a message" for _ in elses)
    labels = {said.split("'")[1] for _, said in told if said.startswith("no process is ever at")}
    rests = {label for _, label in warnings.rests(graph)}
    assert not labels & rests, f"labels, seed {seed}: {labels & rests}\n{text}"
    hidden = warnings.labels_that_matter(text) - warnings.places(graph)
    assert hidden <= labels, f"labels, seed {seed}: not told {hidden - labels}\n{text}"
    yield from ("label at which no process is ever" for _ in labels)
    unasked = {each.message.split("'")[1] for each in unasked_labels(graph.program, Request())}
    expected = {mark for mark in ("accept", "progress") if re.search(rf"\b{mark}\w*:", text)}
    assert unasked == expected, f"labels, seed {seed}: nobody asks for {expected}, told are {unasked}\n{text}"
    yield from ("label that nobody asks for" for _ in unasked)


def compare_figures(seed: int, engine: Engine) -> Iterator[str]:
    """States, transitions and depth of searches that take all steps, alone and in a team."""
    text = _program(seed)
    if "hidden" in text:
        return  # such a variable may be no part of the state
    model = parse(text)
    graph = _graph(model, _MOST_STATES)
    if graph is None:
        return
    for algorithm in names("reachability", "one"):
        (result,) = check(model, replace(_SAFE, engine=engine, reduction="none", algorithm=algorithm))
        if result.holds:
            order: figures.Order = "breadth-first" if algorithm == "breadth-first" else "depth-first"
            expected = figures.size(graph, order, engine == "native")
            if algorithm == "unordered" and engine == "native":
                expected = expected._replace(depth=0)  # it has no paths; the reference takes another order
            told = figures.Size(result.states, result.transitions, result.depth)
            assert told == expected, f"{algorithm}, seed {seed}: {told}, not {expected}\n{text}"
            yield f"figures, {algorithm}"
    if engine == "native":
        for request in _requests(names("reachability", "team")):
            (result,) = check(model, replace(request, safety=True, ignore=_SAFE.ignore))
            if result.holds:
                expected = figures.size(graph, "breadth-first", True)
                _assert_figures(result, expected.states, expected.transitions, f"seed {seed}\n{text}")
                yield f"figures, {_place(result)}"


_EACH_ONCE: Final = frozenset({"tarjan", "couvreur", "streett"})
"""What follows every edge of a product once. Others do so again, nested, in rounds or by each worker."""


def compare_products(seed: int, engine: Engine) -> Iterator[str]:
    """States and transitions of searches of a product, alone and in a team."""
    chance = random.Random(seed)
    text = (scheduled_model if seed % 2 else small_model)(seed)
    model = parse(text)
    graph = _graph(model, _FEW_STATES)
    if graph is None:
        return
    formula = random_formula(chance)
    understood = understand(model.tree, formula_text(model.tree, formula, "ltl"))
    claim = of_formula(model.program, understood).claim
    assert claim is not None
    requests = [Request(engine=engine, reduction="none", threads=1, algorithm=each) for each in names("cycle", "one")]
    if engine == "native":
        requests += _requests(names("cycle", "team"))
    for request in requests:
        (result,) = check(model, replace(request, formulas=(formula,)))
        if not result.holds:
            return
        states, transitions = figures.product_size(graph, claim)
        _assert_figures(result, states, transitions, f"seed {seed}, {formula}\n{text}")
        yield f"figures of a product, {_place(result)}"


def _requests(algorithms: Iterable[str]) -> list[Request]:
    """What is asked of several workers, of a cluster inside this process, and of a GPU if there is one."""
    team = [Request(engine="native", reduction="none", threads=3, algorithm=each) for each in algorithms]
    cards = [Request(engine="gpu", reduction="none")] if os.environ.get("EVERAFTER_GPU") else []
    return [*team, Request(cluster="inside:2", reduction="none"), *cards]


def _place(result: Result) -> str:
    return f"{result.algorithm} by {result.engine}" + (" in a team" if result.threads > 1 else "")


def _assert_figures(result: Result, states: int, transitions: int, where: str) -> None:
    """That a search has met all states, and followed every edge; once, if it is one that does so.

    Two workers of a team may both go depth-first from a state.
    """
    is_shared = result.algorithm == "depth-first" and result.threads > 1
    once = (result.kind == "safety" and not is_shared) or result.algorithm in _EACH_ONCE
    told = f"{_place(result)}: {result.states} states, {result.transitions} transitions"
    assert result.states == states, f"{told}, not {states}, {where}"
    assert result.transitions >= transitions, f"{told}, not {transitions}, {where}"
    assert not once or result.transitions == transitions, f"{told}, not {transitions}, {where}"


def compare_sweeps(seed: int, _engine: Engine) -> Iterator[str]:
    """Every line of the table and the JSON of a sweep, and the bars."""
    for wrong in sweep.differences(seed):
        assert not wrong, f"sweep, seed {seed}: {wrong}\n{sweep.swept_model(seed)}"
        yield "line of a sweep"


COMPARISONS: Final[Mapping[str, Comparison]] = MappingProxyType(
    {
        "coverage": compare_coverage,
        "formulas": compare_formulas,
        "waits": compare_waits,
        "warnings": compare_warnings,
        "figures": compare_figures,
        "products": compare_products,
        "sweeps": compare_sweeps,
    }
)
