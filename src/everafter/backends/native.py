"""The backend of machine code: one worker or a team, stage by stage, and its answers as runs of the reference."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial

from everafter.backends.memory_shortage import disk_for, is_short, shortage
from everafter.backends.question_checkpoints import QuestionCheckpoints
from everafter.backends.run_construction import (
    run_of_fair_run,
    run_of_lasso,
    run_to_violation,
    without_detours,
)
from everafter.backends.search_watch import SearchWatch, memory_reached
from everafter.backends.shortest_run import LEAST_SECONDS, Effort, has_length, shortest_near, shortest_on_machine_code
from everafter.choices import LOSSY
from everafter.engine.code.cache import unwritable
from everafter.engine.emit.module import FAILING_ROW, VIOLATION_ROW
from everafter.engine.emit.nested_claims import NestedCode
from everafter.engine.memory.lossy_memory import LossyMemory
from everafter.engine.memory.search_memory import Memory
from everafter.engine.run.native_model import NativeModel
from everafter.engine.run.row_packing import too_many_bits
from everafter.engine.run.search_outcome import SearchEnding, SearchFigures, SearchOutcome
from everafter.execution.run import Run
from everafter.product.claim import AutomatonClaim, NeverClaim, accepts_inside
from everafter.product.fairness import fair_run_along
from everafter.product.product import Product
from everafter.product.safety import SafetyGraph
from everafter.program.layout import CLAIM
from everafter.questions.limits import Notice
from everafter.questions.outcome import Disagreement, Figures, Method, Outcome
from everafter.questions.plan import QUICK_LOOK, USUAL_BYTES, Plan, Stage
from everafter.questions.question import Question
from everafter.questions.question_code import claim_code, named_lasso, native_model
from everafter.record import dataclass, replace
from everafter.search.lasso import Lasso
from everafter.search.meter import Statistics, Stopped
from everafter.search.streett import PAIRS
from everafter.system import memory_in_use, memory_size

_LEAST_MEMORY = 1 << 24
_SHARE_OF_MEMORY = 0.8
_FORGETTING_MEMORY = 1 << 31
"""For a search that forgets states, where nothing is said: it would use, and wait for, all that it is given."""
_PATIENT_INTERVAL, _HUNTING_INTERVAL = 0.1, 0.01
"""How often a search is looked at, in seconds: one that is to end soon, more often."""
_NOTHING = SearchFigures(0, 0, 0, 0, 0, 0, 0, 0.0)
_TOO_LARGE = (
    "a state, all its successors together, or what a claim or `enabled` asks in one step are too large for the native "
    "engine"
)

_TOO_MANY = f"; or more than {PAIRS} processes are to be treated strongly fairly (--engine reference can do that)"


@dataclass(frozen=True, slots=True)
class Native:
    """Decides on machine code."""

    plan: Plan

    def decide(self, question: Question) -> Outcome:
        """Search stage by stage, until one decides."""
        search = _NativeSearch(self.plan, question)
        outcome = search.watch.concluded(search.run, search.method, search.figures)
        why = unwritable()
        if why is not None:
            question.observer(
                Notice(f"{why}; so each check makes its machine code anew (EVERAFTER_CACHE names a folder)")
            )
        reached = search.model.reached() if search.model is not None else None
        return search.kept.outcome(replace(outcome, is_shortest=search.is_shortest, reached=reached))


class _NativeSearch:
    """The stages of one question, and how far they have come."""

    def __init__(self, plan: Plan, question: Question) -> None:
        self.plan = plan
        self.question = question
        self.watch = SearchWatch(question)
        self.model: NativeModel | None = None
        self.stage = plan.stages[0]
        self.seen = _NOTHING
        self.compile_seconds = 0.0
        self.is_shortest = False
        self.visited: float | None = None
        self.searches = 0
        """How many searches that forget states have come to their end."""
        forgets = plan.store in LOSSY and question.goal == "cycle"
        code = claim_code(question, forgets=True) if forgets else None
        self.nested = code if isinstance(code, NestedCode) else None
        """The code of a search for cycles over a store that forgets states."""
        self.kept = QuestionCheckpoints(plan)
        self.is_warned = False
        """Whether the user has been warned that memory is short."""
        self.workers = 1
        """How many worked on the last search."""
        self.used_before = memory_in_use()
        """The memory in use before any search: each search gives its own back."""

    def run(self) -> Run | None:
        """A run that violates the property, or None if there is none."""
        claim, asked = self.question.property.claim, self.question.property
        with self.question.deadline.enforced():
            forgets, reduction = self.nested is not None, self.plan.usable_reduction
            model = native_model(self.question, reduction, varies=self._is_swarm, forgets=forgets, quickly=True)
        self.model = model
        is_enough, digest = self.question.certificate is None, f"{model.digest} {self._keeps_ranks}"
        self.kept.open(digest, can_be_decided=is_enough, packings=model.packing_digests)
        self.compile_seconds = model.seconds
        if self.kept.decided is not None:
            return self.kept.decided.run
        outcome = self._decided(model)
        if outcome.ending is SearchEnding.COMPLETED and self.plan.store in LOSSY:
            outcome = self._swarmed(model, outcome)
        if outcome.ending is not SearchEnding.ANSWERED and self.plan.store in LOSSY and self.searches:
            raise self._partial(outcome)
        if outcome.ending is SearchEnding.COMPLETED:
            self._rank(model)
            return None
        self.watch.meet(outcome.candidates)
        if outcome.cut is not None:
            raise self._stopped(outcome, outcome.cut)
        if claim is None:
            return self._to_violation(model, outcome)
        assert isinstance(outcome.answer, Lasso)
        assert isinstance(claim, AutomatonClaim | NeverClaim)
        full = Product(self.question.program, claim, asked.accept_labels, start=self.question.start)
        lasso = named_lasso(outcome.answer)
        if has_length(self.question) and (run := self._shortest_refutation()):
            return run
        with self.question.shown_by.enforced():
            if self.question.fairness is not None:
                found = fair_run_along(full, lasso, full.is_inside, self.question.fairness)
                return run_of_fair_run(full, found)
            return run_of_lasso(full, lasso, outcome.figures.states, self.question.shortened_by)

    @property
    def _is_swarm(self) -> bool:
        """Whether one search after the other is made, until time ends."""
        return self.plan.store == "bitstate" and self.question.deadline.at is not None

    def _swarmed(self, model: NativeModel, outcome: SearchOutcome) -> SearchOutcome:
        """Search again and again after a search that came to its end, with other hashes and orders.

        Returns the outcome of the search that has found something, or that was stopped.
        """
        missed, self.searches = 1 - (self.visited or 0), 1
        largest = self.seen
        while self._is_swarm and outcome.ending is SearchEnding.COMPLETED:
            if self.watch.exceeded(0):
                break
            model.vary(self.searches)
            outcome = self._go(model, self.stage)
            if outcome.ending is SearchEnding.COMPLETED:
                missed, self.searches = missed * (1 - (self.visited or 0)), self.searches + 1
            largest = max(largest, self.seen, key=lambda seen: seen.searched)
        model.vary(0)
        self.visited = 1 - missed
        if outcome.ending is SearchEnding.ANSWERED:
            return _without_salt(outcome) if self.nested is None else outcome
        self.seen = largest
        return outcome

    def _partial(self, outcome: SearchOutcome) -> Stopped:
        """What ends searches that forget states, though they came to their end."""
        share = f"some states may have been taken for others: {_share(self.visited)} of them were visited"
        if self.searches > 1:
            share += f" by one of {self.searches:,} searches, each with its own hash function and order"
        self.watch.reached = f"{self.watch.reached}; {share}" if self.watch.reached else share
        return Stopped(Statistics(outcome.figures.states, outcome.figures.transitions, outcome.figures.depth))

    def _shortest_refutation(self) -> Run | None:
        """A short run up to where a claim is over: on the reference if it is near, else by a search that takes no
        longer than the first."""
        with self.question.shown_by.enforced():
            run = shortest_near(self.question, None)
        self.is_shortest = run is not None
        return run or self._shortened(self._way_code)

    def _way_code(self) -> NativeModel:
        """The code of the way to where the claim is over."""
        with self.question.deadline.enforced():
            return native_model(self.question, self.plan.usable_reduction, is_way=True, quickly=True)

    def _shortened(self, made: Callable[[], NativeModel]) -> Run | None:
        """A run that none is shorter than, or at least one that is short, if the effort allows one to be found."""
        seconds, stage = LEAST_SECONDS + time.monotonic() - self.watch.started, Stage("breadth-first")
        store = self.plan.store_of(stage)
        effort = Effort(self.watch, seconds, self._memory(stage), self.seen.bytes, store)
        run, self.is_shortest = shortest_on_machine_code(self.question, made, effort)
        return run

    def _rank(self, model: NativeModel) -> None:
        """Search once more for the ranks of a certificate, where one is wanted and the search that decided has none."""
        if self.question.certificate is None or self.question.goal == "reachability":
            return
        stage = self.plan.ranking(self.stage)
        if stage is not None:
            with self._keeping_figures():
                again = self._go(model, stage)
            self._check_end(again)
            if again.ending is not SearchEnding.COMPLETED:
                raise Disagreement(f"{self.stage.algorithm} finds no accepting cycle, and {stage.algorithm} one")

    def _conclude(self, memory: Memory, stage: Stage) -> None:
        """Read from the memory of a completed search what is wanted of it."""
        if isinstance(memory, LossyMemory):
            self.visited = memory.visited()
        else:
            self._list(memory, stage)

    def _list(self, memory: Memory, stage: Stage) -> None:
        """Give the rows of a completed search to the writer of a certificate, if they have the ranks it needs."""
        sink, goal = self.question.certificate, self.question.goal
        if sink is None or (goal == "cycle" and self.plan.ranking(stage) is not None):
            return
        from everafter.certificates.native.listing import give_rows, listed_blocks  # noqa: PLC0415 # for certificates

        is_reduced, tell = self.plan.usable_reduction is not None, self.question.observer
        give_rows(self.question, is_reduced, lambda sets: listed_blocks(memory, sets, tell))

    def _to_violation(self, model: NativeModel, outcome: SearchOutcome) -> Run:
        """The run into the violation: the shortest if that is found, else the one found, with detours left out."""
        graph = SafetyGraph(self.question.program, start=self.question.start)
        path, stage = outcome.answer, self.stage
        assert isinstance(path, tuple)
        rows, run = path[:-1], None
        self.watch.meet(rows[-1:])
        if stage.algorithm == "breadth-first" and not stage.is_by_team:
            with self.question.shown_by.enforced():
                run = run_to_violation(graph, rows)
            self.is_shortest = len(run.prefix) == len(rows) - 1  # each edge is a step, and the last is a deadlock
        if not self.is_shortest and self.plan.shortens:
            run = self._shortened(lambda: model) or run
        with self.question.shown_by.enforced():
            return run or run_to_violation(graph, without_detours(graph, rows, self.question.shortened_by))

    @contextmanager
    def _keeping_figures(self) -> Iterator[None]:
        """What is reported is the search that decided, not the one that draws ranks."""
        seen, workers = self.seen, self.workers
        try:
            yield
        finally:
            self.seen, self.workers = seen, workers

    # Stages

    def _decided(self, model: NativeModel) -> SearchOutcome:
        """How the stage that decided has ended. Raises Stopped if none could."""
        outcome: SearchOutcome | None = None
        for stage in self.kept.stages_left():
            if self.plan.store_of(stage) == "packed" and not self._packs(model):
                continue
            self.stage = stage
            outcome = self._go(model, stage)
            while self.plan.store_of(stage) == "packed" and _is_unfit(outcome) and model.pack_more():
                outcome = self._go(model, stage)
            by_caller = SearchEnding.STOPPED_BY_CALLER in (outcome.ending, outcome.cut)
            impatient = by_caller and self.watch.reached is None
            if not impatient and outcome.ending is not SearchEnding.UNDECIDED:
                break
        assert outcome is not None
        self._check_end(outcome)
        return outcome

    def _packs(self, model: NativeModel) -> bool:
        """Whether rows can be packed. Raises OptionError where the user wants that, and they cannot."""
        if model.packing is None and self.plan.store == "packed":
            raise too_many_bits()
        return model.packing is not None

    def _goes_on_packed(self, model: NativeModel) -> bool:
        """Whether rows can be packed in a later stage."""
        return any(stage.store == "packed" for stage in self.plan.stages) and self._packs(model)

    def _check_end(self, outcome: SearchOutcome) -> None:
        """Raise Stopped unless the search has decided."""
        if outcome.ending not in (SearchEnding.COMPLETED, SearchEnding.ANSWERED):
            raise self._stopped(outcome, outcome.ending)

    def _stopped(self, outcome: SearchOutcome, ending: SearchEnding) -> Stopped:
        """What to raise where a search, or that for the way to what it has met, has ended so."""
        if ending is SearchEnding.OUT_OF_MEMORY:
            self.watch.reached = memory_reached(self._limit(outcome))
        elif ending is SearchEnding.MODEL_FAILED:
            many = _TOO_MANY if self.question.fairness == "strong" else ""
            self.watch.reached = f"{_TOO_LARGE}{many}"
        elif ending is SearchEnding.UNDECIDED and self.plan.store == "packed":
            self.watch.reached = "a state does not fit into the bits of those met before; --store tree takes any"
        figures = outcome.figures
        return Stopped(Statistics(figures.states, figures.transitions, figures.depth))

    def _go(self, model: NativeModel, stage: Stage) -> SearchOutcome:
        """Run a stage until it ends, a limit is reached, or its state budget is spent."""
        state_budget, tell, memory = stage.state_budget, self.question.observer, self._memory(stage)
        keeping = self._keeps_ranks
        with self.question.deadline.enforced():
            workers = stage.workers if stage.is_by_team else None
            asked = stage.algorithm, memory, tell, keeping, self.plan.store_of(stage)
            search = model.search(*asked, workers=workers, seed=stage.seed)

        packing = model.packing.digest if self.plan.store_of(stage) == "packed" and model.packing is not None else ""
        counted = partial(_of_steps, model) if self.nested is not None else _as_it_is

        def observe(figures: SearchFigures) -> bool:
            is_enough = self._observe(counted(figures), memory) or self._is_impatient(model, stage, figures)
            if not is_enough:
                model.object.look(time.monotonic() - self.watch.started, self.question.deadline.left)
            return is_enough

        claim = self.question.property.claim
        with model.by_steps() if claim is not None and accepts_inside(claim) else nullcontext():
            outcome = search.run(
                observe,
                _PATIENT_INTERVAL if state_budget is None or state_budget > QUICK_LOOK else _HUNTING_INTERVAL,
                lambda memory: self._conclude(memory, stage),
                checkpoints=self.kept.generations(stage, packing),
                disk=disk_for(self.question.limits),
                tell=lambda text: self.question.observer(Notice(text)),
            )
        if self.nested is not None:
            outcome = self._unnested(model, self.nested, outcome)
        self.seen, self.workers = outcome.figures, outcome.workers
        return outcome

    def _unnested(self, model: NativeModel, code: NestedCode, outcome: SearchOutcome) -> SearchOutcome:
        """The outcome of a nested search over a store that forgets states, as that of any search for a cycle."""
        path = outcome.answer
        answer = code.lasso(path) if isinstance(path, tuple) else path
        return replace(outcome, figures=_of_steps(model, outcome.figures), answer=answer)

    def _is_impatient(self, model: NativeModel, stage: Stage, figures: SearchFigures) -> bool:
        """Whether another stage is to take over."""
        if not _is_spent(stage, figures):
            return False
        return figures.bytes >= stage.least_bytes * figures.rows or self._goes_on_packed(model)

    @property
    def _keeps_ranks(self) -> bool:
        """Whether a search keeps what a certificate needs of it."""
        return self.question.certificate is not None and self.question.goal == "cycle"

    def _observe(self, figures: SearchFigures, memory: int) -> bool:
        self.seen = figures
        if figures.has_met:
            self.watch.meet()
        forgets = self.plan.store_of(self.stage) in LOSSY  # which uses all that it is given from the beginning
        if not self.is_warned and not forgets and is_short(figures.bytes, memory):
            self.is_warned = True
            self.question.observer(shortage(self.plan, self.stage, self.question, figures.searched, memory))
        return self.watch.passed(figures.searched, figures.transitions, figures.depth)

    def _limit(self, outcome: SearchOutcome) -> int:
        """The memory limit as the user knows it: that of the request, unless addresses were the limit."""
        asked = self.question.limits.memory
        return outcome.limit if asked is None or outcome.limit < asked - self.used_before else asked

    def _memory(self, stage: Stage) -> int:
        """The bytes that states may take: what the limit leaves, or most of what the machine has."""
        limit = self.question.limits.memory
        if limit is not None:
            return max(limit - self.used_before, _LEAST_MEMORY)
        most = int(memory_size() * _SHARE_OF_MEMORY)
        return min(most, _FORGETTING_MEMORY) if self.plan.store_of(stage) in LOSSY else most

    # What is reported

    def method(self) -> Method:
        """Who searched, and how."""
        return replace(self.plan.method(self.stage, stores=True), threads=self.workers)

    def figures(self) -> Figures:
        """How far the last search has come."""
        seen = self.seen
        size = seen.bytes / max(seen.states, 1)
        return Figures(
            seen.searched,
            seen.transitions,
            seen.depth,
            size,
            seen.seconds,
            self.compile_seconds,
            seen.disk,
            self.visited,
        )


def _is_unfit(outcome: SearchOutcome) -> bool:
    """Whether a search over packed rows has ended at one that does not fit."""
    return outcome.ending is SearchEnding.UNDECIDED


def _is_spent(stage: Stage, figures: SearchFigures) -> bool:
    """Whether the state budget of the stage is spent."""
    if stage.state_budget is None or figures.has_met:
        return False
    return max(figures.states, figures.bytes // USUAL_BYTES) > stage.state_budget


def _as_it_is(figures: SearchFigures) -> SearchFigures:
    return figures


def _of_steps(model: NativeModel, figures: SearchFigures) -> SearchFigures:
    """The figures of a nested search, without what are no steps: a path has about as many of them as steps."""
    return replace(figures, transitions=max(figures.transitions - model.aside, 0), depth=(figures.depth + 1) // 2)


def _without_salt(outcome: SearchOutcome) -> SearchOutcome:
    """The outcome of a search that varies, its rows as they would be elsewhere."""
    rows = (_unsalted(row) for row in outcome.answer) if isinstance(outcome.answer, tuple) else ()
    return replace(outcome, answer=tuple(rows), candidates=tuple(map(_unsalted, outcome.candidates)))


def _unsalted(row: bytes) -> bytes:
    return row if row in (VIOLATION_ROW, FAILING_ROW) else row[:CLAIM] + b"\0\0" + row[CLAIM + 2 :]


def _share(visited: float | None) -> str:
    """An estimated share, rounded down: never all."""
    if visited is None:
        return "an unknown share"
    return f"an estimated {math.floor(min(visited, 0.999999) * 1e6) / 1e4:.4f} %"
