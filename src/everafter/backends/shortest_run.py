"""How long a run into a violation is: as many steps as a report lists. Searches for the shortest count so.

In the graphs of these searches a path to VIOLATION has one edge more than the run has steps: each step is an edge, also
in the middle of an atomic sequence, and so is the step that goes wrong; a deadlock is no step, and none is taken where
the system stays for ever while the claim moves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final

from everafter.backends.orbit_runs import OrbitFrame
from everafter.backends.run_construction import little
from everafter.backends.search_watch import SearchWatch
from everafter.choices import StoreKind
from everafter.deadline import Deadline, OutOfTime
from everafter.engine.emit.module import FAILING_ROW
from everafter.engine.run.native_model import NativeModel
from everafter.engine.run.search_outcome import SearchEnding, SearchFigures
from everafter.execution.packing import Packer
from everafter.execution.run import Choice, Run
from everafter.execution.step import initial_state, steps
from everafter.product.claim import AutomatonClaim, is_terminal
from everafter.product.product import VIOLATION, Product, ProductState
from everafter.product.safety import VIOLATION as UNSAFE
from everafter.product.safety import SafetyGraph
from everafter.questions.outcome import Disagreement
from everafter.questions.plan import SHORTENING
from everafter.questions.question import Question
from everafter.record import dataclass
from everafter.reduction.ample import Reduction
from everafter.search.breadth import shortest_path
from everafter.search.meter import Stopped

LEAST_SECONDS: Final = 1.0
"""So long it may take beyond what it took to find some run."""
LEAST_BYTES: Final = 1 << 26
"""So much memory it may take, even where the search that found some run took less."""
_INTERVAL: Final = 0.01
_FAILING: Final = b"failing"  # no state packs to seven bytes


def has_length(question: Question) -> bool:
    """Whether every run that violates the property has a last step, up to which it is measured."""
    claim = question.property.claim
    return claim is None or (is_terminal(claim) and question.fairness is None)


# By interpretation


@dataclass(frozen=True, slots=True)
class _Unsafe:
    """The states of a program, and what goes wrong in them, step by step."""

    graph: SafetyGraph

    def initial(self) -> Iterator[bytes]:
        """The packed state in which all begins."""
        return self.graph.initial()

    def successors(self, packed: bytes) -> Iterator[bytes]:
        """The packed states one step away."""
        if packed == _FAILING:
            yield UNSAFE
            return
        for target, _ in self.graph.edges(packed):
            yield _FAILING if target == UNSAFE and self.graph.wrong_step(packed) is not None else target


@dataclass(frozen=True, slots=True)
class _Refuted:
    """The states of a product with a claim that is over after finitely many steps, step by step."""

    product: Product

    def initial(self) -> Iterator[ProductState]:
        """The product states in which all begins."""
        return self.product.initial()

    def successors(self, pair: ProductState) -> Iterator[ProductState]:
        """The product states one step away."""
        if pair == (_FAILING, 0):
            yield VIOLATION
        elif self.product.expansion(pair[0]).stopped:
            if self._is_refuted_at_last(pair):
                yield VIOLATION
        else:
            for target, _ in self.product.edges(pair):
                yield (_FAILING, 0) if target == VIOLATION and not self.product.is_over(pair) else target

    def _is_refuted_at_last(self, pair: ProductState) -> bool:
        """Whether the claim comes to its end while the system stays where it has stopped."""
        met, pending = {pair}, [pair]
        while pending:
            for target, _ in self.product.edges(pending.pop()):
                if target == VIOLATION:
                    return True
                if target not in met:
                    met.add(target)
                    pending.append(target)
        return False


def shortest_near(question: Question, reduction: Reduction | None, states: int = 0) -> Run | None:
    """Return a shortest run into the violation of `question`, if a search of few states finds it, else None.

    It may take more where the search took `states` states. Among the steps that `reduction` leaves; with a claim, among
    all.
    """
    asked, meter = question.property, little(states, question.shortened_by)
    with suppress(Stopped):
        if asked.claim is None:
            graph = _Unsafe(SafetyGraph(question.program, reduction=reduction, start=question.start))
            rows = shortest_path(graph, lambda packed: packed == UNSAFE, meter)
        else:
            product = Product(question.program, asked.claim, asked.accept_labels, start=question.start)
            path = shortest_path(_Refuted(product), lambda pair: pair == VIOLATION, meter)
            rows = tuple(packed for packed, _ in path) if path is not None else None
        if rows is None:
            raise Disagreement("a run was found into a violation, but a second search did not find it")
        return run_by_steps(question, rows[:-1], _FAILING)
    return None


# On machine code


@dataclass(frozen=True, slots=True)
class Effort:
    """The bounds of a search for a shortest run: seconds and bytes, and the limits of the watch."""

    watch: SearchWatch
    seconds: float
    memory: int
    """The bytes that there are."""
    taken: int
    """The bytes that the search has taken that found some run: as much may be taken again."""
    store: StoreKind = "plain"

    @property
    def bytes(self) -> int:
        """The bytes that it may take."""
        return min(self.memory, max(self.taken, LEAST_BYTES))

    def is_over(self, by: Deadline) -> Callable[[SearchFigures], bool]:
        """Whether a search that begins now, and has come so far, has taken as much, or has gone on until `by`."""
        ends = time.monotonic() + self.seconds
        return lambda figures: (
            figures.searched > SHORTENING
            or time.monotonic() > ends
            or by.is_over
            or self.watch.exceeded(figures.searched)
        )


def shortest_on_machine_code(
    question: Question, made: Callable[[], NativeModel], effort: Effort
) -> tuple[Run | None, bool]:
    """A run into the violation, and whether none is shorter among the steps that the reduction of the code leaves.

    None if the effort does not suffice. `made` makes the code: with a claim, that of the way to VIOLATION.
    """
    question.observer("looking for a shorter counterexample …")
    with suppress(OutOfTime, MemoryError):
        by = question.shortened_by
        model = made()
        search = model.search("breadth-first", effort.bytes, question.observer, store=effort.store)
        with model.by_steps():
            outcome = search.run(effort.is_over(by), _INTERVAL)
        effort.watch.reached = None  # what it has met is no limit of the check: a run is known
        if outcome.ending is SearchEnding.COMPLETED:
            raise Disagreement("a run was found into a violation, but a second search did not find it")
        if isinstance(outcome.answer, tuple):
            rows = outcome.answer[:-1]
            exact = not model.stood_still or _is_read_at_once(question)
            with question.shortened_by.enforced():
                return run_by_steps(question, [_of_system(question, row) for row in rows], FAILING_ROW), exact
    effort.watch.reached = None
    return None, False


def _is_read_at_once(question: Question) -> bool:
    """Whether the claim is over at once, or never, where the system stays for ever: it has one state beside its end."""
    claim = question.property.claim
    return isinstance(claim, AutomatonClaim) and sum(not claim.is_end(at) for at in claim.automaton.states) <= 1


def _of_system(question: Question, row: bytes) -> bytes:
    """The state of the system in a row of machine code."""
    return row if question.property.claim is None or row == FAILING_ROW else row[:6] + b"\0\0" + row[8:]


# From states to the run


def run_by_steps(question: Question, rows: Sequence[bytes], failing: bytes) -> Run:
    """The run that takes one step from each state to the next, into the violation; to `failing` the step goes wrong."""
    program = question.program
    pack, frame = Packer(program).pack, OrbitFrame(program)
    state = frame.represented(question.start or initial_state(program))
    any_problem = question.property.claim is None
    taken: list[Choice] = []
    for row in rows[1:]:
        possible = steps(program, state)
        if row == failing:
            found = (step for step in possible if step.problem and (any_problem or step.state is None))
        else:
            found = (step for step in possible if step.state is not None and pack(step.state) == row)
        step = next(found, None)
        if step is not None:
            taken.append(frame.named(Choice.of(step)))
            state = frame.represented(step.state or state)
        elif possible or pack(state) != row:  # else the system has stopped, and the claim goes on
            raise Disagreement("the engine found a step that the reference does not have")
    return Run(tuple(taken), (), "problem")
