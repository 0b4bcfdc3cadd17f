"""Safety: no assertion fails, no run stops where it must not, no step goes wrong."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from everafter.engine.run.model import NativeModel
from everafter.engine.run.outcome import Ending, SearchOutcome
from everafter.execution.packing import Packer
from everafter.execution.state import NOBODY, Problem, State
from everafter.execution.step import Step, end_problem, initial_state, is_valid_end, steps
from everafter.product.reduced import possible_steps
from everafter.program.layout import HOLDER
from everafter.program.program import Program
from everafter.reduction.ample import Reduction
from everafter.search import Statistics, Stopped, find_path, reachable_states, shortest_path
from everafter.search.catalogue import names
from everafter.verdict.limits import Limits
from everafter.verdict.native import NativeRun, bridged
from everafter.verdict.reduction import Chosen, described, for_safety_check, usable
from everafter.verdict.replay import confirmed
from everafter.verdict.result import Counterexample, Engine, Result, Verdict

_VIOLATION = b""
"""Stands for every violation as a state of the graph; no state packs to nothing."""
ALGORITHMS = names("reachability", "one")


@dataclass(slots=True)
class SafetyGraph:
    """The states of a program, packed. A step that violates something leads to _VIOLATION, if that is asked for."""

    program: Program
    stops_at_violations: bool = True
    reduction: Reduction | None = None
    packer: Packer = field(init=False)
    states: int = 0
    """States expanded in which any process may move: those that SPIN stores."""
    violations: int = 0

    def __post_init__(self) -> None:
        self.packer = Packer(self.program)

    def initial(self) -> Iterator[bytes]:
        """The packed initial state."""
        yield self.packer.pack(initial_state(self.program))

    def successors(self, packed: bytes) -> Iterator[bytes]:
        """The packed successors, in the order SPIN tries them."""
        if packed == _VIOLATION:
            return
        state = self.packer.unpack(packed)
        self.states += state.holder == NOBODY
        found = possible_steps(self.program, state, self.reduction)
        if self._violated(state, found):
            self.violations += 1
            if self.stops_at_violations:
                yield _VIOLATION
                return
        for step in found:
            if step.state is not None:
                yield self.packer.pack(step.state)

    def _violated(self, state: State, found: list[Step]) -> bool:
        return self.first_problem(state, found) is not None

    def first_problem(self, state: State, found: list[Step]) -> tuple[Problem, Step | None] | None:
        """What goes wrong in a state, and the step in which it does."""
        for step in found:
            if step.problem is not None:
                return step.problem, step
        if not found and not is_valid_end(self.program, state):
            return end_problem(self.program, state), None
        return None


def check_safety(
    program: Program,
    limits: Limits,
    algorithm: str = "breadth-first",
    engine: Engine = "reference",
    reduction: Chosen = "none",
    threads: int | None = 1,
) -> Result:
    """Look at every reachable state, until something is wrong; breadth-first gives the shortest counterexample."""
    started, processor = time.monotonic(), time.process_time()
    chosen = for_safety_check(program, reduction)
    search: _NativeSafety | _ReferenceSafety
    if engine == "native":
        search = _NativeSafety(program, limits, usable(chosen), threads)
    else:
        search = _ReferenceSafety(program, limits, usable(chosen))
    done, unreduced = described(chosen)
    counterexample: Counterexample | None = None
    verdict: Verdict = "holds"
    reason = "all reachable states were visited"
    try:
        path = search.path(algorithm)
        if path is not None:
            counterexample = _counterexample(search.graph, path)
            assert counterexample.problem is not None
            verdict, reason = "violated", counterexample.problem.message
    except Stopped:
        verdict, reason = "incomplete", limits.reached or "the search was stopped"
    except KeyboardInterrupt:
        verdict, reason = "incomplete", "interrupted"
    except MemoryError:
        verdict, reason = "incomplete", "memory was exhausted"
    result = Result(
        property="safety",
        kind="safety",
        verdict=verdict,
        reason=reason,
        states=search.graph.states,
        transitions=0,
        depth=0,
        seconds=time.monotonic() - started,
        bytes_per_state=0.0,
        algorithm=algorithm,
        engine=engine,
        search_seconds=time.process_time() - processor,
        reduction=done,
        unreduced=unreduced,
        counterexample=counterexample,
    )
    return search.measured(result)


class _ReferenceSafety:
    """The search by interpretation."""

    def __init__(self, program: Program, limits: Limits, reduction: Reduction | None) -> None:
        self.graph = SafetyGraph(program, reduction=reduction)
        self.meter = limits.meter()

    def path(self, algorithm: str) -> tuple[bytes, ...] | None:
        """The packed states on a path to a violation; the last one has it."""
        search = shortest_path if algorithm == "breadth-first" else find_path  # any order is one without order
        path = search(self.graph, lambda packed: packed == _VIOLATION, self.meter)
        return path[:-1] if path is not None else None

    def measured(self, result: Result) -> Result:
        """The result with the figures of the search."""
        return replace(
            result,
            transitions=self.meter.transitions,
            depth=self.meter.depth,
            bytes_per_state=len(next(self.graph.initial())),
        )


class _NativeSafety:
    """The search on machine code."""

    def __init__(self, program: Program, limits: Limits, reduction: Reduction | None, threads: int | None) -> None:
        self.graph = SafetyGraph(program)
        self.reduction = reduction
        self.run = NativeRun(limits, threads)
        self.compile_seconds = 0.0
        self.workers = 1

    def path(self, algorithm: str) -> tuple[bytes, ...] | None:
        """The packed states on a path to a violation; the last one has it."""
        model = NativeModel(self.graph.program, reduction=self.reduction)
        self.compile_seconds = model.seconds
        outcome = self._decided(model, algorithm)
        if outcome.ending is Ending.COMPLETED:
            return None
        if outcome.ending is not Ending.ANSWERED:
            raise Stopped(Statistics(outcome.figures.states, outcome.figures.transitions, outcome.figures.depth))
        assert isinstance(outcome.answer, tuple)
        return self._bridged(outcome.answer[:-1])

    def _decided(self, model: NativeModel, name: str) -> SearchOutcome:
        """How the search ended; with a path if it answered, for which an unordered one is followed by another."""
        if name == "depth-first":
            return self.run.go(model, name)
        outcome = self.run.decide(model, name, "unordered")
        self.workers = self.run.workers
        if outcome.ending is Ending.ANSWERED and (name == "unordered" or self.workers > 1):
            outcome = self.run.go(model, "breadth-first" if name == "breadth-first" else "depth-first")
        return outcome

    def _bridged(self, rows: tuple[bytes, ...]) -> tuple[bytes, ...]:
        """The path with the states inside atomic sequences, and on to the one where the violation is."""
        graph = SafetyGraph(self.graph.program)
        path = [rows[0]]
        for target in (*rows[1:], _VIOLATION):
            targets = (target, _VIOLATION)
            path += bridged(path[-1], targets, graph.successors, lambda row: row != _VIOLATION and row[HOLDER] != 0)
            if path[-1] == _VIOLATION:
                break
        return tuple(path[:-1])

    def measured(self, result: Result) -> Result:
        """The result with the figures of the search."""
        figures = self.run.figures
        return replace(
            result,
            states=figures.states,
            transitions=figures.transitions,
            depth=figures.depth,
            bytes_per_state=self.run.bytes_per_state,
            search_seconds=figures.seconds,
            compile_seconds=self.compile_seconds,
            threads=self.workers,
        )


def count_states(
    program: Program, limits: Limits | None = None, engine: Engine = "reference", reduction: Reduction | None = None
) -> tuple[int, int]:
    """How many states SPIN would store when it goes on past errors, and how many of them have something wrong.

    With a reduction, how many are left. Raises Stopped at a limit.
    """
    bounds = limits or Limits()
    if engine == "native":
        model = NativeModel(program, reduction=reduction)
        model.go_past_errors()
        outcome = NativeRun(bounds).go(model, "unordered")
        figures = outcome.figures
        if outcome.ending is not Ending.COMPLETED:
            raise Stopped(Statistics(figures.states, figures.transitions, figures.depth))
        return figures.states, model.violations
    graph = SafetyGraph(program, stops_at_violations=False, reduction=reduction)
    reachable_states(graph, meter=bounds.meter())
    return graph.states, graph.violations


def _counterexample(graph: SafetyGraph, path: tuple[bytes, ...]) -> Counterexample:
    """The run along a path of packed states, taken again step by step from the initial state."""
    program, packer = graph.program, graph.packer
    state = start = initial_state(program)
    taken: list[Step] = []
    for packed in path[1:]:
        step = next(
            step for step in steps(program, state) if step.state is not None and packer.pack(step.state) == packed
        )
        taken.append(step)
        assert step.state is not None
        state = step.state
    found = graph.first_problem(state, steps(program, state))
    assert found is not None
    problem, last = found
    run = Counterexample(start, (*taken, last) if last is not None else tuple(taken), (), problem)
    return confirmed(program, run)
