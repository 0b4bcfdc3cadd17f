"""What a check says: the verdict, how it was reached, and the run that shows a violation."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Literal, Protocol

from everafter.execution.state import Problem, State
from everafter.execution.step import Step
from everafter.hints.facts import Coverage, UnderFairness, Vacuity
from everafter.ltl.formula import Formula
from everafter.ltl.lasso_semantics import Lasso
from everafter.ltl.truth import truth
from everafter.product.claim import Claim
from everafter.program.program import Program
from everafter.questions.outcome import Disagreement, Figures, Method, WorkerFigures
from everafter.questions.property import PropertyKind
from everafter.record import dataclass, field
from everafter.source import EverafterError
from everafter.verdict.run_rows import Row, rows_of
from everafter.verdict.waiting import Wait, waits

Verdict = Literal["holds", "violated", "incomplete"]


@dataclass(frozen=True, slots=True, repr=False)
class Counterexample:
    """A run: where it starts, the steps that lead on, and, for an infinite run, the steps repeated for ever."""

    program: Program = field(repr=False, compare=False)
    start: State
    prefix: tuple[Step, ...]
    cycle: tuple[Step, ...] = ()
    problem: Problem | None = None
    stutters: bool = False
    """Whether the run stops behind its prefix and stays there for ever."""
    letters: tuple[frozenset[str], ...] = ()
    """The propositions that are true, where a formula was judged: one letter for each state that the formula sees."""
    positions: tuple[int, ...] = ()
    """For each letter, how many steps come before it. States inside atomic sequences have no letter."""
    loop: int = 0
    """The position among the letters to which the last one leads back."""
    formula: Formula | None = None
    """The formula that was judged."""
    presenter: Presenter | None = field(default=None, repr=False, compare=False)
    """Shows the run to people."""

    def __len__(self) -> int:
        """How many steps are written down."""
        return len(self.prefix) + len(self.cycle)

    def __repr__(self) -> str:
        again = f", the last {len(self.cycle):,} for ever" if self.cycle else ""
        return f"<Counterexample of {len(self):,} {'step' if len(self) == 1 else 'steps'}{again}>"

    def __str__(self) -> str:
        return repr(self) if self.presenter is None else self.presenter.run(self)

    @property
    def steps(self) -> tuple[Step, ...]:
        """Every step once: those of the prefix, then those of the cycle."""
        return self.prefix + self.cycle

    @property
    def rows(self) -> tuple[Row, ...]:
        """The steps as data; the last `len(cycle)` of them are repeated for ever."""
        return tuple(self.rows_between(0, len(self)))

    def rows_between(self, begin: int, end: int) -> Iterator[Row]:
        """The steps from number `begin + 1` to number `end` as data, one by one."""
        steps = self.steps
        state = steps[begin - 1].state if begin else self.start
        if state is not None:
            yield from rows_of(self.program, state, steps[begin:end], begin + 1)

    @property
    def waits(self) -> tuple[Wait, ...]:
        """Where each process waits, and for what, if the run ends because nobody can move."""
        stopped = self.stutters or (self.problem is not None and self.problem.kind == "end-state")
        return waits(self.program, [*self.states()][-1]) if stopped else ()

    def truth(self) -> list[tuple[Formula, tuple[bool, ...]]]:
        """Every subformula, the formula itself first, with its truth at each letter."""
        if self.formula is None:
            return []
        word = Lasso(self.letters[: self.loop], self.letters[self.loop :])
        return [(part, tuple(values)) for part, values in truth(self.formula, word).items()]

    def states(self) -> Iterator[State]:
        """The states that the run meets, the first one included."""
        yield self.start
        for step in self.steps:
            if step.state is not None:
                yield step.state


class Presenter(Protocol):
    """Shows results to people."""

    def text(self, result: Result, /) -> str:
        """The result as the command line prints it."""
        ...

    def html(self, result: Result, /) -> str:
        """The result as a notebook shows it."""
        ...

    def run(self, run: Counterexample, /) -> str:
        """The steps of a counterexample as the command line prints them."""
        ...


class Plain:
    """Shows a result in one line."""

    def text(self, result: Result, /) -> str:
        """The result in one line."""
        return repr(result)

    def html(self, result: Result, /) -> str:
        """The same."""
        from html import escape  # noqa: PLC0415 # notebooks alone need it

        return f"<code>{escape(repr(result))}</code>"

    def run(self, run: Counterexample, /) -> str:
        """The run in one line."""
        return repr(run)


class Violated(EverafterError, AssertionError):
    """A property is violated; raised by `Result.raise_if_violated`. `result` has the counterexample."""

    def __init__(self, result: Result) -> None:
        super().__init__(str(result))
        self.result = result


class Incomplete(EverafterError):
    """A check did not come to an end; raised by `Result.raise_unless_holds`. `result` says why."""

    def __init__(self, result: Result) -> None:
        super().__init__(str(result))
        self.result = result


@dataclass(frozen=True, slots=True, repr=False)
class Result:
    """The answer to one question about a model. It is true exactly if the property holds."""

    property: str
    kind: PropertyKind
    verdict: Verdict
    reason: str
    figures: Figures = field(default_factory=Figures)
    """How far the search went, and what it took."""
    method: Method = field(default_factory=Method)
    """Which engine searched, and how."""
    seconds: float = 0.0
    workers: tuple[WorkerFigures, ...] = ()
    """The figures of each worker of a cluster; empty elsewhere."""
    checkpoint: str | None = None
    """The folder from which an incomplete check can go on, by `everafter resume`."""
    counterexample: Counterexample | None = None
    claim: Claim | None = field(default=None, compare=False)
    """The automaton or never claim of the runs that must not be, if the property has one."""
    is_shortest: bool = False
    """For safety and invariants, whether no counterexample has fewer steps, of those that reduction leaves. Every
    statement that is listed is a step; a deadlock is none."""
    under_fairness: UnderFairness | None = None
    """For a violated property of infinite runs, whether it holds if only fair runs count."""
    coverage: Coverage | None = None
    """For safety that holds, which statements were never executed."""
    vacuity: Vacuity | None = None
    """For a formula that holds, whether it does for another reason than the one meant."""
    certified: str = ""
    """What has confirmed the verdict anew, if that is wanted."""
    disagreement: str = ""
    """What the engine and the reference disagree about, if they do. Then the verdict is `incomplete`, and the fault is
    everafter's."""
    presenter: Presenter = field(default=Plain(), compare=False)
    """Shows the result to people."""

    @builtins.property
    def holds(self) -> bool:
        """Whether the property was shown to hold."""
        return self.verdict == "holds"

    @builtins.property
    def violated(self) -> bool:
        """Whether the property was shown to be violated."""
        return self.verdict == "violated"

    @builtins.property
    def incomplete(self) -> bool:
        """Whether the check came to no answer."""
        return self.verdict == "incomplete"

    @builtins.property
    def states(self) -> int:
        """Distinct states that were searched from."""
        return self.figures.states

    @builtins.property
    def transitions(self) -> int:
        """The successors that were generated."""
        return self.figures.transitions

    @builtins.property
    def depth(self) -> int:
        """The states on the longest path that the search had in hand; 0 where it has no paths."""
        return self.figures.depth

    @builtins.property
    def bytes_per_state(self) -> float:
        """The memory of the search, divided among its states."""
        return self.figures.bytes_per_state

    @builtins.property
    def disk_bytes(self) -> int:
        """Bytes of stacks, queues and parents that were on disk at the end, since memory was short."""
        return self.figures.disk_bytes

    @builtins.property
    def search_seconds(self) -> float:
        """Processor time of the search alone."""
        return self.figures.search_seconds

    @builtins.property
    def compile_seconds(self) -> float:
        """Processor time to make, or find, the model's machine code."""
        return self.figures.compile_seconds

    @builtins.property
    def visited(self) -> float | None:
        """Of a `bitstate` or `compact` store, where nothing was found, an estimate of the share of visited states."""
        return self.figures.visited

    @builtins.property
    def engine(self) -> str:
        """Which engine searched."""
        return self.method.engine

    @builtins.property
    def algorithm(self) -> str:
        """The search that decided."""
        return self.method.algorithm

    @builtins.property
    def threads(self) -> int:
        """How many threads searched, or workers of a cluster."""
        return self.method.threads

    @builtins.property
    def reduction(self) -> str:
        """`static` if steps were left out, else `none`."""
        return self.method.reduction

    @builtins.property
    def unreduced(self) -> str:
        """Why all steps were taken, if reduction was wanted."""
        return self.method.unreduced

    @builtins.property
    def erased(self) -> bool:
        """Whether variables that are not read again were zero in states."""
        return self.method.erased

    @builtins.property
    def merged(self) -> bool:
        """Whether steps that depend on no other process were taken at once with the step before them."""
        return self.method.merged

    @builtins.property
    def symmetry(self) -> str:
        """Which processes were exchanged, so that states which differ by that were one."""
        return self.method.symmetry

    @builtins.property
    def asymmetric(self) -> str:
        """Why no processes were exchanged, or not all, if that was wanted."""
        return self.method.asymmetric

    @builtins.property
    def whole(self) -> str:
        """Why they were not, if that was wanted and matters."""
        return self.method.whole

    @builtins.property
    def why(self) -> str:
        """Why this engine, this algorithm and this number of threads."""
        return self.method.why

    @builtins.property
    def store(self) -> str:
        """How states were kept: `plain`, `tree`, `bitstate` or `compact`; empty where there is no choice."""
        return self.method.store

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        why = "" if self.holds else f" ({self.reason})"
        return f"<Result {self.property}: {self.verdict}{why}, {self.states:,} states>"

    def __str__(self) -> str:
        return self.presenter.text(self)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self.presenter.html(self)

    def raise_if_violated(self) -> Result:
        """Raise `Violated` with the counterexample if the property is; else the result itself.

        Raises `Disagreement` where the engine and the reference do not say the same.
        """
        if self.disagreement:
            raise Disagreement(self.disagreement)
        if self.violated:
            raise Violated(self)
        return self

    def raise_unless_holds(self) -> Result:
        """The same, and raise `Incomplete` if the check came to no answer."""
        if self.raise_if_violated().incomplete:
            raise Incomplete(self)
        return self
