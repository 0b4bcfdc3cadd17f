"""Verdicts on infinite runs: is there one that a claim accepts?"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, cast

from everafter.engine.emit.claims import Product as ProductCode
from everafter.engine.run.model import NativeModel
from everafter.engine.run.outcome import Ending, SearchOutcome
from everafter.execution.state import Problem
from everafter.execution.step import Step
from everafter.product.claim import AutomatonClaim, NeverClaim
from everafter.product.fairness import Fairness, fair_run, fair_run_along
from everafter.product.product import VIOLATION, Product, ProductState
from everafter.program.program import Program
from everafter.search import ALGORITHMS, Lasso, Meter, Statistics, Stopped, parallel_nested_dfs, shortest_lasso
from everafter.search.catalogue import TEAM
from everafter.verdict.judge import judged
from everafter.verdict.limits import Limits
from everafter.verdict.native import NativeRun, is_inside, named_lasso, product_lasso
from everafter.verdict.property import Property
from everafter.verdict.reduction import Chosen, described, for_property, usable
from everafter.verdict.result import Counterexample, Engine, PropertyKind, Result, Verdict

DEFAULT = "schwoon-esparza"
TOGETHER, TOGETHER_IF_CLOSED = "cndfs", "acyclic"
"""What several threads run in place of the default: the second for claims that stay in accepting states."""
_REFERENCE_WORKERS = 2
_SHORTENING_EFFORT = 4
"""A shorter counterexample is looked for among so many times the states that it took to find one."""
_LEAST_SHORTENING, _MOST_SHORTENING = 500, 20_000


def check_property(
    program: Program,
    asked: Property,
    limits: Limits,
    algorithm: str = DEFAULT,
    fairness: Fairness | None = None,
    engine: Engine = "reference",
    reduction: Chosen = "none",
    threads: int | None = 1,
) -> Result:
    """Search the product for a run that the claim accepts; if there is one, judge it before it is shown."""
    chosen = for_property(program, asked, fairness, reduction)
    product = Product(program, asked.claim, asked.accept_labels, usable(chosen))
    done, unreduced = described(chosen)
    started, processor = time.monotonic(), time.process_time()
    search: _Search
    if engine == "native" and fairness != "strong":
        search = _NativeSearch(product, limits, algorithm, fairness, threads)
    elif fairness is not None:
        search = _FairSearch(product, limits, fairness)
    else:
        search = _ReferenceSearch(product, limits, algorithm)
    run: Counterexample | None = None
    verdict: Verdict = "holds"
    reason = "no run violates it" if fairness is None else f"no {fairness}ly fair run violates it"
    try:
        run = search.found()
        if run is not None:
            run = judged(program, asked, run, fairness)
            verdict, reason = "violated", _reason(run)
    except Stopped:
        verdict, reason = "incomplete", limits.reached or "the search was stopped"
    except KeyboardInterrupt:
        verdict, reason = "incomplete", "interrupted"
    except MemoryError:
        verdict, reason = "incomplete", "memory was exhausted"
    result = Result(
        property=asked.name,
        kind=asked.kind,
        verdict=verdict,
        reason=reason,
        states=0,
        transitions=0,
        depth=0,
        seconds=time.monotonic() - started,
        bytes_per_state=len(next(iter(product.initial()))[0]) + 1,
        algorithm=algorithm if fairness is None else f"components, {fairness} fairness",
        search_seconds=time.process_time() - processor,
        reduction=done,
        unreduced=unreduced,
        counterexample=run,
    )
    return search.measured(result)


class _Search(Protocol):
    """A way to look for an accepted run."""

    def found(self) -> Counterexample | None:
        """A run that the claim accepts, or None if there is none."""

    def measured(self, result: Result) -> Result:
        """The result with the figures of the search."""


@dataclass(slots=True)
class _ReferenceSearch:
    """The search by interpretation."""

    product: Product
    limits: Limits
    algorithm: str
    meter: Meter = field(init=False)

    def __post_init__(self) -> None:
        self.meter = self.limits.meter()

    def found(self) -> Counterexample | None:
        """A run that the claim accepts, or None if there is none."""
        lasso: Lasso[ProductState] | None
        if self.algorithm in TEAM:
            lasso = parallel_nested_dfs(self.product, _REFERENCE_WORKERS, self.algorithm, meter=self.meter)
        else:
            lasso = cast("Lasso[ProductState] | None", ALGORITHMS[self.algorithm](self.product, self.meter))
        full = _unreduced(self.product)
        return _of_lasso(full, _shortened(full, lasso, self.meter.states)) if lasso else None

    def measured(self, result: Result) -> Result:
        """The result with the figures of the search."""
        meter = self.meter
        return replace(result, states=meter.states, transitions=meter.transitions, depth=meter.depth)


@dataclass(slots=True)
class _FairSearch(_ReferenceSearch):
    """The search for a fair run, by interpretation."""

    algorithm: Fairness

    def found(self) -> Counterexample | None:
        """A fair run that the claim accepts, or None if there is none."""
        fair = fair_run(self.product, self.algorithm, self.meter)
        return _assembled(self.product, fair.lasso, list(fair.prefix), list(fair.cycle)) if fair else None


@dataclass(slots=True)
class _NativeSearch:
    """The search on machine code."""

    product: Product
    limits: Limits
    algorithm: str
    fairness: Literal["weak"] | None = None
    threads: int | None = 1
    run: NativeRun = field(init=False)
    compile_seconds: float = 0.0

    def __post_init__(self) -> None:
        self.run = NativeRun(self.limits, self.threads)

    def found(self) -> Counterexample | None:
        """A run that the claim accepts, or None if there is none."""
        claim = self.product.claim
        assert isinstance(claim, AutomatonClaim | NeverClaim)
        fair = self.fairness is not None
        code = ProductCode(claim, self.product.accept_labels, fair)
        model = NativeModel(self.product.program, code, self.product.reduction)
        self.compile_seconds = model.seconds
        outcome = self._decided(model, "couvreur" if fair else self.algorithm)
        if outcome.ending is Ending.COMPLETED:
            return None
        if outcome.ending is not Ending.ANSWERED:
            raise Stopped(Statistics(outcome.figures.states, outcome.figures.transitions, outcome.figures.depth))
        assert isinstance(outcome.answer, Lasso)
        if fair:
            return self._fair(named_lasso(outcome.answer))
        full = _unreduced(self.product)
        lasso = product_lasso(full, outcome.answer)
        return _of_lasso(full, _shortened(full, lasso, outcome.figures.states))

    def _decided(self, model: NativeModel, name: str) -> SearchOutcome:
        """How the search ended. The default has a counterpart for several threads; every other is what it is."""
        if name == DEFAULT:
            claim = self.product.claim
            assert isinstance(claim, AutomatonClaim | NeverClaim)
            closed = claim.is_closed and not self.product.accept_labels
            return self.run.decide(model, name, TOGETHER_IF_CLOSED if closed else TOGETHER)
        if name in TEAM:
            return self.run.go_together(model, name, self.threads or len(os.sched_getaffinity(0)))
        return self.run.go(model, name)

    def _fair(self, lasso: Lasso[ProductState]) -> Counterexample:
        run = fair_run_along(self.product, lasso, lambda pair: is_inside(self.product, pair))
        return _assembled(self.product, run.lasso, list(run.prefix), list(run.cycle))

    def measured(self, result: Result) -> Result:
        """The result with the figures of the search."""
        figures = self.run.figures
        return replace(
            result,
            states=figures.states,
            transitions=figures.transitions,
            depth=figures.depth,
            bytes_per_state=self.run.bytes_per_state,
            engine="native",
            algorithm=(self.run.algorithm if self.fairness is None else "") or result.algorithm,
            threads=self.run.workers,
            search_seconds=figures.seconds,
            compile_seconds=self.compile_seconds,
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


def _unreduced(product: Product) -> Product:
    """The product with all steps: a run found without some of them is a run with them, and maybe not the shortest."""
    return Product(product.program, product.claim, product.accept_labels)


def _shortened(product: Product, lasso: Lasso[ProductState], states: int) -> Lasso[ProductState]:
    """A shorter run if one is found without much effort, else the one given."""
    effort = min(_SHORTENING_EFFORT * states + _LEAST_SHORTENING, _MOST_SHORTENING)
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
        if error is not None and error.problem == problem:
            taken.append(error)
        return Counterexample(start, tuple(taken), (), problem)
    repeated = tuple(step for step in cycle if step is not None)
    return Counterexample(start, tuple(taken), repeated, None, stutters=not repeated)
