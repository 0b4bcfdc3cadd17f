"""What a backend is: the one thing that a new way to search must implement."""

from __future__ import annotations

from typing import Protocol

from everafter.questions.outcome import Outcome
from everafter.questions.question import Question


class Backend(Protocol):
    """Decides questions: by interpretation, on machine code, on a cluster, on a GPU."""

    def decide(self, question: Question) -> Outcome:
        """Search until the question is decided, a limit is reached, or the user interrupts.

        It never outlives `question.deadline`, tells `question.observer` how far it has come, and ends in an outcome
        also when it is interrupted. Raises `Disagreement` where what it found is no run of the reference.
        """
        ...
