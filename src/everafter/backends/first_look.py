"""A look for deep violations before a search by levels: it meets one that lies deep last, or never."""

from __future__ import annotations

from everafter.questions.backend import Backend
from everafter.questions.outcome import Ending, Outcome
from everafter.questions.question import Question
from everafter.record import dataclass, replace

_SAID = (Ending.FOUND, Ending.INTERRUPTED)


@dataclass(frozen=True, slots=True)
class FirstLook:
    """Decides by `look` what that finds, and by `search` everything else."""

    look: Backend
    search: Backend

    def decide(self, question: Question) -> Outcome:
        """Return the violation of `question` that the look finds, or else what the search comes to.

        A look that has seen all states decides nothing: that is for the engine of the search.
        """
        outcome = self.look.decide(replace(question, certificate=None))
        return outcome if outcome.ending in _SAID else self.search.decide(question)
