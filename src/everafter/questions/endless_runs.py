"""Runs that stay in the middle of an atomic sequence for ever.

A formula sees the states in which any process may move, so it says nothing of a run that comes to no more of them.
That a property of infinite runs holds can be said only where there is no such run.
"""

from __future__ import annotations

from collections.abc import Callable

from everafter.ltl.automaton import Automaton, Edge
from everafter.ltl.diagrams import Diagrams
from everafter.ltl.functions import FALSE, TRUE
from everafter.product.claim import AutomatonClaim, accepts_inside
from everafter.questions.outcome import Ending, Outcome
from everafter.questions.property import Property
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.record import replace
from everafter.reduction.endless_sequences import endless_sequences
from everafter.source import Place

Decide = Callable[[Question, Request], Outcome]
_INSIDE = Automaton((), Diagrams(), 0, ((Edge(TRUE, 0, 1), Edge(TRUE, 0, 0)), (Edge(FALSE, 1, 1),)), 1)
"""It guesses that the run never leaves the sequence that now begins: behind that it can read no state any more."""
_ENDLESS = Property("atomic sequences end", "safety", AutomatonClaim(_INSIDE, {}, inside=True))


def doubtful_sequences(question: Question) -> tuple[Place, ...]:
    """Return where atomic sequences have loops of which it is not known that they end, if that matters to `question`.

    It does for properties of infinite runs. No row of a certificate tells.
    """
    claim = question.property.claim
    return () if claim is None or accepts_inside(claim) else endless_sequences(question.program)


def without_endless(question: Question, outcome: Outcome, decide: Decide) -> Outcome:
    """Return `outcome`; if that means that the property of `question` holds, only where no run stays in a sequence.

    Whether one does, a second search tells, by `decide`.
    """
    if outcome.ending is not Ending.COMPLETED:
        return outcome
    places = doubtful_sequences(question)
    if not places:
        return outcome
    asked = replace(question, property=_ENDLESS, fairness=None, certificate=None)
    engine = "reference" if outcome.method.engine == "reference" else "native"
    found = decide(asked, Request(engine=engine, algorithm="schwoon-esparza", threads=1))
    where = ", ".join(f"line {place.line}" for place in places)
    match found.ending:
        case Ending.COMPLETED:
            return outcome
        case Ending.FOUND:
            reason = f"a run can stay in an atomic sequence for ever ({where}), and of such a run it says nothing"
            return replace(outcome, ending=Ending.STOPPED, reason=reason)
        case Ending.STOPPED | Ending.INTERRUPTED:
            reason = f"no run violates it, but one may stay in an atomic sequence for ever ({where}): {found.reason}"
            return replace(outcome, ending=found.ending, reason=reason)
