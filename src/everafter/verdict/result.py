"""What a check says: the verdict, how it was reached, and the run that shows a violation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from everafter.execution.state import Problem, State
from everafter.execution.step import Step
from everafter.ltl import Formula, Lasso, holds
from everafter.ltl.formula import subformulas

Verdict = Literal["holds", "violated", "incomplete"]
Engine = Literal["native", "reference"]
PropertyKind = Literal["safety", "ltl", "never", "acceptance", "progress"]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A run: where it starts, the steps that lead on, and, for an infinite run, the steps repeated for ever."""

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

    def truth(self) -> list[tuple[Formula, tuple[bool, ...]]]:
        """Every subformula, the formula itself first, with its truth at each letter."""
        if self.formula is None:
            return []
        word = Lasso(self.letters[: self.loop], self.letters[self.loop :])
        parts = dict.fromkeys(subformulas(self.formula))
        rows = [(part, tuple(holds(part, word, i) for i in range(len(self.letters)))) for part in parts]
        return sorted(rows, key=lambda row: row[0] != self.formula)


@dataclass(frozen=True, slots=True)
class Result:
    """The answer to one question about a model."""

    property: str
    kind: PropertyKind
    verdict: Verdict
    reason: str
    states: int
    transitions: int
    depth: int
    """The states on the longest path that the search had in hand; 0 where it has no paths."""
    seconds: float
    bytes_per_state: float
    algorithm: str
    engine: Engine = "reference"
    search_seconds: float = 0.0
    """Processor time of the search alone."""
    compile_seconds: float = 0.0
    """Processor time to make, or find, the model's machine code."""
    reduction: str = "none"
    unreduced: str = ""
    """Why all steps were taken, if reduction was wanted."""
    threads: int = 1
    counterexample: Counterexample | None = None
