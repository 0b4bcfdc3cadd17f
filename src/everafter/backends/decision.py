"""From a question to what a backend comes to."""

from __future__ import annotations

from everafter.backends.engines import ENGINES
from everafter.backends.orbit_runs import with_ends
from everafter.questions.endless_runs import without_endless
from everafter.questions.outcome import Outcome
from everafter.questions.plan import plan
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.questions.smaller_program import with_smaller_program
from everafter.questions.symmetric_program import with_symmetry
from everafter.record import replace


def decide(question: Question, options: Request | None = None) -> Outcome:
    """Return what the backend that suits `question`, under the options `options`, comes to.

    Where that is that no infinite run is found, it is also certain that none stays in an atomic sequence for ever.
    No alarm is set while a backend decides: it looks at the time itself, and its threads must not be left behind.
    """
    with question.deadline.enforced():
        searched, whole, asymmetric = with_symmetry(question, options or Request(), with_smaller_program)
        chosen = plan(searched, options or Request(), ENGINES)
    outcome = without_endless(question, ENGINES[chosen.engine].make(chosen).decide(searched), decide)
    if outcome.run is not None and searched.program.symmetry is not None:
        outcome = replace(outcome, run=with_ends(question, outcome.run))
    symmetry = searched.program.symmetry
    method = replace(
        outcome.method,
        erased=searched.program.erased is not None,
        merged=bool(searched.program.merged),
        whole=whole,
        symmetry=symmetry.words if symmetry is not None else "",
        asymmetric=asymmetric,
    )
    return replace(outcome, method=method)
