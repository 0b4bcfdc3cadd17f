"""The question of a check: one property of one program, of which runs, and how far to go for the answer."""

from __future__ import annotations

import builtins
from typing import Literal

from everafter.certificates.rows import Sink
from everafter.choices import Fairness, ReductionWish
from everafter.deadline import NEVER, Deadline
from everafter.execution.state import State
from everafter.program.program import Program
from everafter.questions.limits import Limits, Observer, unobserved
from everafter.questions.property import Property
from everafter.record import dataclass, field

Goal = Literal["reachability", "cycle"]
"""Can a state be reached in which something goes wrong? Is there an accepting cycle? (everafter.search.catalogue)"""

_KEPT_FOR_SHOWING = 0.5
"""The share of the time left, once a violation was met, that is kept to take the run into it again."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question about a program. A backend decides it, and needs nothing else to."""

    program: Program
    property: Property
    fairness: Fairness | None = None
    reduction: ReductionWish = "static"
    limits: Limits = field(default_factory=Limits)
    deadline: Deadline = NEVER
    """By when a search must be over: most of the share that this question has of the check's time."""
    shown_by: Deadline = NEVER
    """By when what was found must be shown and judged: the end of that share."""
    observer: Observer = field(default=unobserved, compare=False)
    """Called with how far a search has come."""
    certificate: Sink | None = field(default=None, compare=False)
    """Is given the rows of a search that has decided that the property holds, where they are wanted."""
    number: int = 1
    """Which of the check's questions this is …"""
    total: int = 1
    """… and how many there are."""
    start: State | None = None
    """Where all runs begin, if not in the initial state: another one that can be reached, outside atomic sequences."""

    @builtins.property
    def shortened_by(self) -> Deadline:
        """By when a search for a shorter run must be over: half of the time left now is kept to show the one known."""
        return self.shown_by.before_end(_KEPT_FOR_SHOWING)

    @builtins.property
    def goal(self) -> Goal:
        """What a search must look for."""
        return "reachability" if self.property.claim is None else "cycle"
