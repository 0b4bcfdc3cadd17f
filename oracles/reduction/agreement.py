"""Comparisons of a model with and without reduction. Each says what it found out, and raises if something differs."""

from __future__ import annotations

import random
import re
from collections.abc import Hashable

from everafter.certificates.independence.observation import Seen
from everafter.execution.state import RuntimeProblem, State
from everafter.execution.step import holds
from everafter.product.claim import NeverClaim
from everafter.program.program import program_for
from everafter.promela.propositions import formula_text
from everafter.questions.property import Understood, of_formula, of_never, understand
from everafter.record import replace
from everafter.reduction.soundness import Unreduced, for_formula, for_never_claim, for_safety
from everafter.search import ALGORITHMS
from everafter.source import InputError
from everafter.user_model import Model, parse
from oracles.reduction.conditions import TooLargeError, flaws, whole_graph
from oracles.reduction.graphs import ClaimGraph, TooManyError, explore
from oracles.reduction.judged import judged
from oracles.reduction.random_never import never_over
from oracles.reduction.stuttering import trace_difference


def names_in(text: str) -> list[str]:
    """What a formula may speak of: the global variables of a random program, and what it shows of its processes."""
    found = GLOBAL.findall(text.replace("byte x, y;", "byte x;\nbyte y;"))
    shown = re.findall(r"^active proctype (\w+)\(.*byte i, j; .*L: ", text, re.MULTILINE)
    return [*found, *(f"{name}{what}" for name in shown for what in (":i", "@L")), *(("np_",) if shown else ())]


GLOBAL = re.compile(r"^(?:byte|bit|bool|short|int) (\w+)[ =;]", re.MULTILINE)
"""The global variables of a random program, or of a simple model."""


def with_formula(model: Model, text: str) -> tuple[Model, Understood]:
    """A formula of a model, understood, and the model whose states tell what it needs."""
    understood = understand(model.tree, formula_text(model.tree, text, "ltl"))
    return replace(model, program=program_for(model.program, understood.needs)), understood


def with_never_claim(text: str, names: list[str], seed: int) -> Model:
    """A program with a random never claim over these names; sometimes one of its places is an accept label."""
    generator = random.Random(f"never claim {seed}")
    labelled = text.replace("i = 1;", "accept: i = 1;", 1) if generator.random() < 0.3 else text
    claim = never_over(generator, names)
    try:
        return parse(labelled + claim)
    except InputError:  # the label does not fit there
        return parse(text + claim)


def conditions_hold(model: Model, most: int) -> str:
    """The conditions of the theorem, as they are defined."""
    reduction = for_safety(model.program)
    if isinstance(reduction, Unreduced):
        return "no reduction"
    try:
        graph = whole_graph(model.program, reduction, most)
    except TooLargeError:
        return "conditions: too large"
    found = list(flaws(graph))
    assert not found, found[0]
    reduced = any(ample != graph.enabled[state].keys() for state, ample in graph.ample.items())
    return "conditions: reduced" if reduced else "conditions: nothing to reduce"


def same_safety(model: Model, most: int) -> str:
    """Something goes wrong in both or in neither."""
    reduction = for_safety(model.program)
    if isinstance(reduction, Unreduced):
        return "no reduction"
    try:
        full = explore(model.program, None, most)
    except TooManyError:
        return "safety: too large"
    reduced = explore(model.program, reduction, most)
    assert bool(full.wrong) == bool(reduced.wrong), f"safety: {full.wrong} without, {reduced.wrong} with reduction"
    assert full.wrong or reduced.states <= full.states, "safety: more states with reduction"
    return "safety: violated" if full.wrong else "safety: holds"


def same_verdict(model: Model, understood: Understood, most: int) -> str:
    """A formula has one verdict, by all algorithms, with and without reduction."""
    reduction = for_formula(model.program, understood.formula, understood.expressions.values())
    if isinstance(reduction, Unreduced):
        return "no reduction"
    claim = of_formula(model.program, understood).claim
    assert claim is not None
    graphs = {
        chosen: ClaimGraph(model.program, claim, item, most) for chosen, item in (("all", None), ("some", reduction))
    }
    try:
        found = {
            (name, chosen): search(graph, None) is not None
            for name, search in ALGORITHMS.items()
            for chosen, graph in graphs.items()
        }
    except TooManyError:
        return "formula: too large"
    assert len(set(found.values())) == 1, f"formula: {found}"
    return "formula: violated" if any(found.values()) else "formula: holds"


def same_never_claim(model: Model, most: int) -> str:
    """The never claim of a model accepts a run with reduction exactly if it does without, by all algorithms."""
    program = model.program
    index = next(kind.index for kind in program.processes if kind.role == "never")
    asked = of_never(program, index)
    assert isinstance(asked.claim, NeverClaim)
    reduction = for_never_claim(program, asked.claim.process)
    if isinstance(reduction, Unreduced):
        return "never claim: no reduction"
    graphs = {
        chosen: ClaimGraph(program, asked.claim, item, most, asked.accept_labels)
        for chosen, item in (("all", None), ("some", reduction))
    }
    try:
        found = {
            (name, chosen): search(graph, None) is not None
            for name, search in ALGORITHMS.items()
            for chosen, graph in graphs.items()
        }
    except TooManyError:
        return "never claim: too large"
    assert len(set(found.values())) == 1, f"never claim: {found}"
    is_less = len(graphs["some"].known) < len(graphs["all"].known)
    verdict = "violated" if any(found.values()) else "holds"
    return f"never claim: {verdict}{', really reduced' if is_less and verdict == 'holds' else ''}"


def judge_agrees(model: Model, understood: Understood | None, most: int) -> str:
    """To the judge of certificates, which shares no text with it, all that the reduction leaves out is needless."""
    expressions = tuple(understood.expressions.values()) if understood is not None else ()
    if understood is None:
        reduction = for_safety(model.program)
    else:
        reduction = for_formula(model.program, understood.formula, expressions)
    if isinstance(reduction, Unreduced):
        return "no reduction"
    try:
        found = judged(model.program, reduction, Seen(expressions), most)
    except TooManyError:
        return "judged: too large"
    assert found == "needless", f"judged: {found}"
    return "judged: needless"


def traces_agree(model: Model, understood: Understood, most: int) -> str:
    """The full and the reduced graph have the same traces of a formula's propositions, up to stuttering."""
    program, expressions = model.program, list(understood.expressions.values())
    reduction = for_formula(program, understood.formula, expressions)
    if isinstance(reduction, Unreduced):
        return "no reduction"

    def letter(state: State) -> Hashable:
        return tuple(holds(program, state, item) for item in expressions)

    try:
        graph = whole_graph(program, reduction, most)
    except TooLargeError:
        return "traces: too large"
    if any(outcome.state is None for enabled in graph.enabled.values() for outcome in enabled.values()):
        return "traces: runs break off"
    try:
        found = list(flaws(graph, letter))
    except RuntimeProblem:
        return "traces: a proposition has no value"
    assert not found, found[0]
    difference = trace_difference(program, graph, letter)
    assert difference is None, difference
    return "traces: the same"
