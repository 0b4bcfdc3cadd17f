"""What a check says: the verdict, how it was reached, and the run that shows a violation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from everafter.execution.state import Problem, State
from everafter.execution.step import Step

Verdict = Literal["holds", "violated", "incomplete"]
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
    """The propositions that are true before each step in turn, where a formula was judged; None inside atomic."""
    loop: int = 0
    """The position among the letters to which the last one leads back."""


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
    seconds: float
    bytes_per_state: float
    algorithm: str
    reduction: str = "none"
    threads: int = 1
    counterexample: Counterexample | None = None
