"""Which statements no run comes to.

What a search has executed can be executed. What it has not, cannot be, if it took all steps. A reduction leaves out
steps: then all are taken in a second search, so far as that is wanted, and what it does not execute either cannot be.
"""

from __future__ import annotations

from everafter.hints.effort import Means
from everafter.hints.facts import Coverage, Unreached
from everafter.program.naming import proctype_name
from everafter.program.program import Program
from everafter.program.sites import Reached, Site, sites
from everafter.questions.limits import Limits
from everafter.questions.outcome import Disagreement, Ending, Outcome
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.record import replace
from everafter.source import Spot

_MOST_STATES = 20_000
"""The state budget of a second search that the user has not requested."""


def coverage(question: Question, outcome: Outcome, is_wanted: bool, means: Means) -> Coverage | None:
    """Return which statements the search of `question` that came to `outcome` has not executed.

    None where that says nothing: the search has not visited all states, or follows a claim, or runs begin in another
    state than the initial one, since what led there was executed.

    If it `is_wanted` to know this exactly, all effort is made that the question allows; `means` search again.
    Raises KeyboardInterrupt if the user wants the check to end, and Disagreement if a search with all steps finds a
    violation that the first has not.
    """
    if outcome.reached is None or outcome.ending is not Ending.COMPLETED or question.start is not None:
        return None
    method, reached = outcome.method, outcome.reached
    is_exact = method.reduction == "none" and not method.merged and not method.symmetry
    if not is_exact and any(site.element is not None for site in _missing(question.program, reached)):
        second = _with_all_steps(question, outcome, is_wanted, means)
        reached |= second.reached or frozenset()
        is_exact = second.ending is Ending.COMPLETED
    return _told(question.program, reached, is_exact)


def _missing(program: Program, reached: Reached) -> list[Site]:
    return [site for site in sites(program) if (site.process, site.element) not in reached]


def _with_all_steps(question: Question, outcome: Outcome, is_wanted: bool, means: Means) -> Outcome:
    limits = question.limits
    if not is_wanted:
        limits = Limits(memory=limits.memory, states=min(limits.states or _MOST_STATES, _MOST_STATES))
    again = replace(question, reduction="none", limits=limits)
    second = means.decide(again, Request(engine=outcome.method.engine, algorithm="depth-first", threads=1))
    if second.ending is Ending.INTERRUPTED:
        raise KeyboardInterrupt
    if second.ending is Ending.FOUND:
        raise Disagreement("with all steps there is a violation, which the search with fewer steps has not found")
    return second


def _told(program: Program, reached: Reached, is_exact: bool) -> Coverage:
    """The statements that were not reached, and the proctypes whose processes take no step."""
    started = {process for process, _ in reached}
    every = list(sites(program))
    missing = [site for site in every if (site.process, site.element) not in reached]
    unstarted = dict.fromkeys(site.process for site in missing if site.process not in started)
    unreached = [
        Unreached(proctype_name(program, site.process), Spot.of(site.place), site.text)
        for site in missing
        if site.process in started
    ]
    names = tuple(proctype_name(program, process) for process in unstarted)
    return Coverage(len(every), names, tuple(dict.fromkeys(unreached)), is_exact or not (unreached or names))
