"""Safety: no assertion fails, no run stops where it must not, no step goes wrong."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from everafter.execution.packing import Packer
from everafter.execution.state import NOBODY, Problem, State
from everafter.execution.step import Step, end_problem, initial_state, is_valid_end, steps
from everafter.program.program import Program
from everafter.search import Meter, Stopped, find_path, reachable_states, shortest_path
from everafter.verdict.limits import Limits
from everafter.verdict.replay import confirmed
from everafter.verdict.result import Counterexample, Result

_VIOLATION = b""
"""Stands for every violation as a state of the graph; no state packs to nothing."""
ALGORITHMS = ("breadth-first", "depth-first")


@dataclass(slots=True)
class SafetyGraph:
    """The states of a program, packed. A step that violates something leads to _VIOLATION, if that is asked for."""

    program: Program
    stops_at_violations: bool = True
    check_end_states: bool = True
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
        found = steps(self.program, state)
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
        if not found and self.check_end_states and not is_valid_end(self.program, state):
            return end_problem(self.program, state), None
        return None


def check_safety(
    program: Program,
    limits: Limits,
    algorithm: str = "breadth-first",
    *,
    check_end_states: bool = True,
    name: str = "safety",
) -> Result:
    """Look at every reachable state, until something is wrong; breadth-first gives the shortest counterexample."""
    graph = SafetyGraph(program, check_end_states=check_end_states)
    meter = limits.meter()
    started = time.monotonic()
    search = shortest_path if algorithm == "breadth-first" else find_path
    counterexample: Counterexample | None = None
    verdict, reason = "holds", "all reachable states were visited"
    try:
        path = search(graph, lambda packed: packed == _VIOLATION, meter)
        if path is not None:
            counterexample = _counterexample(graph, path[:-1])
            assert counterexample.problem is not None
            verdict, reason = "violated", counterexample.problem.message
    except Stopped:
        verdict, reason = "incomplete", limits.reached or "the search was stopped"
    except KeyboardInterrupt:
        verdict, reason = "incomplete", "interrupted"
    except MemoryError:
        verdict, reason = "incomplete", "memory was exhausted"
    return _result(graph, meter, time.monotonic() - started, name, algorithm, verdict, reason, counterexample)


def count_states(program: Program, limits: Limits | None = None) -> tuple[int, int]:
    """How many states SPIN would store when it goes on past errors, and how many of them have something wrong."""
    graph = SafetyGraph(program, stops_at_violations=False)
    reachable_states(graph, meter=(limits or Limits()).meter())
    return graph.states, graph.violations


def _result(
    graph: SafetyGraph,
    meter: Meter,
    seconds: float,
    name: str,
    algorithm: str,
    verdict: str,
    reason: str,
    counterexample: Counterexample | None,
) -> Result:
    return Result(
        property=name,
        kind="safety",
        verdict=verdict,  # type: ignore[arg-type]  # one of the three words above
        reason=reason,
        states=graph.states,
        transitions=meter.transitions,
        depth=meter.depth,
        seconds=seconds,
        bytes_per_state=len(next(graph.initial())),
        algorithm=algorithm,
        counterexample=counterexample,
    )


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
