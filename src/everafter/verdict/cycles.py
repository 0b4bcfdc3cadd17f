"""Verdicts on infinite runs: is there one that a claim accepts?"""

from __future__ import annotations

import time
from typing import cast

from everafter.execution.state import Problem
from everafter.execution.step import Step
from everafter.product.fairness import Fairness, FairRun, fair_run
from everafter.product.product import VIOLATION, Product, ProductState
from everafter.program.program import Program
from everafter.search import ALGORITHMS, Lasso, Meter, Stopped, shortest_lasso
from everafter.verdict.judge import judged
from everafter.verdict.limits import Limits
from everafter.verdict.property import Property
from everafter.verdict.result import Counterexample, PropertyKind, Result, Verdict

DEFAULT = "schwoon-esparza"
_SHORTENING_EFFORT = 4
"""A shorter counterexample is looked for among so many times the states that it took to find one."""
_LEAST_SHORTENING = 500


def check_property(
    program: Program,
    asked: Property,
    limits: Limits,
    algorithm: str = DEFAULT,
    fairness: Fairness | None = None,
) -> Result:
    """Search the product for a run that the claim accepts; if there is one, judge it before it is shown."""
    product = Product(program, asked.claim, asked.accept_labels)
    meter = limits.meter()
    started = time.monotonic()
    run: Counterexample | None = None
    verdict: Verdict = "holds"
    reason = "no run violates it" if fairness is None else f"no {fairness}ly fair run violates it"
    try:
        run = _found(product, meter, algorithm, fairness)
        if run is not None:
            run = judged(program, asked, run)
            verdict, reason = "violated", _reason(run)
    except Stopped:
        verdict, reason = "incomplete", limits.reached or "the search was stopped"
    except KeyboardInterrupt:
        verdict, reason = "incomplete", "interrupted"
    except MemoryError:
        verdict, reason = "incomplete", "memory was exhausted"
    return Result(
        property=asked.name,
        kind=asked.kind,
        verdict=verdict,
        reason=reason,
        states=meter.states,
        transitions=meter.transitions,
        depth=meter.depth,
        seconds=time.monotonic() - started,
        bytes_per_state=len(next(iter(product.initial()))[0]) + 1,
        algorithm=algorithm if fairness is None else f"components, {fairness} fairness",
        counterexample=run,
    )


def undecided(name: str, kind: PropertyKind, reason: str, algorithm: str) -> Result:
    """The result of a check that could not even begin."""
    return Result(name, kind, "incomplete", reason, 0, 0, 0, 0.0, 0.0, algorithm)


def _reason(run: Counterexample) -> str:
    if run.problem is not None:
        return run.problem.message
    if not run.cycle:
        return "a run stops for ever"
    return f"a run repeats {len(run.cycle)} step{'s' if len(run.cycle) > 1 else ''} for ever"


def _found(product: Product, meter: Meter, algorithm: str, fairness: Fairness | None) -> Counterexample | None:
    if fairness is not None:
        fair = fair_run(product, fairness, meter)
        return _of_fair_run(product, fair) if fair is not None else None
    lasso = cast("Lasso[ProductState] | None", ALGORITHMS[algorithm](product, meter))
    if lasso is None:
        return None
    effort = _SHORTENING_EFFORT * meter.states + _LEAST_SHORTENING
    return _of_lasso(product, _shortened(product, lasso, effort))


def _shortened(product: Product, lasso: Lasso[ProductState], effort: int) -> Lasso[ProductState]:
    """A shorter run if one is found without much effort, else the one given."""
    try:
        shorter = shortest_lasso(product, Meter(lambda _: True, every=effort))
    except Stopped:
        return lasso
    return shorter if shorter is not None and len(shorter) < len(lasso) else lasso


def _of_lasso(product: Product, lasso: Lasso[ProductState]) -> Counterexample:
    """The steps of the system along a lasso of the product."""
    folded = lasso.folded()
    prefix = [_step(product, source, target) for source, target in _pairs(folded)[: len(folded.prefix)]]
    cycle = [_step(product, source, target) for source, target in _pairs(folded)[len(folded.prefix) :]]
    return _assembled(product, folded, prefix, cycle)


def _pairs(lasso: Lasso[ProductState]) -> list[tuple[ProductState, ProductState]]:
    return list(lasso.steps())


def _of_fair_run(product: Product, run: FairRun) -> Counterexample:
    return _assembled(product, run.lasso, list(run.prefix), list(run.cycle))


def _step(product: Product, source: ProductState, target: ProductState) -> Step | None:
    return next(step for successor, step in product.edges(source) if successor == target)


def _assembled(
    product: Product, lasso: Lasso[ProductState], prefix: list[Step | None], cycle: list[Step | None]
) -> Counterexample:
    start = product.packer.unpack(lasso.states()[0][0])
    problem: Problem | None = None
    taken = [step for step in prefix if step is not None]
    if VIOLATION in lasso.cycle:
        last = next(state for state in reversed(lasso.prefix) if state != VIOLATION)
        problem = product.problem(last)
        error = product.expansion(last[0]).error
        if error is not None:
            taken.append(error)
        return Counterexample(start, tuple(taken), (), problem)
    repeated = tuple(step for step in cycle if step is not None)
    return Counterexample(start, tuple(taken), repeated, None, stutters=not repeated)
