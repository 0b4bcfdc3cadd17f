"""The whole path of a model on one screen.

text ─read─► Model ─questions─► Question ─plan─► Backend ─decide─► Outcome ─judge─► Result ─follow_up─► Result
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

from everafter.backends.decision import decide
from everafter.backends.engines import ENGINES
from everafter.certificates.file import CertificateWriter
from everafter.deadline import NEVER, Deadline, OutOfTime
from everafter.execution.run import Choice
from everafter.hints.effort import Means
from everafter.hints.follow_up import follow_up
from everafter.ltl.functions import TooLargeError
from everafter.questions.endless_runs import doubtful_sequences
from everafter.questions.limits import Limits, Observer, unobserved
from everafter.questions.outcome import Disagreement, Ending, Outcome
from everafter.questions.plan import ON_CLUSTER
from everafter.questions.property import SAFETY, with_reason
from everafter.questions.question import Question
from everafter.questions.request import Request, conditions_of
from everafter.record import replace
from everafter.report.presenter import ResultPresenter
from everafter.specification import Specification
from everafter.stated_questions import Asked, beyond, check_certifiable, check_combination, options_for, questions
from everafter.verdict.judge import judge
from everafter.verdict.replay import state_along
from everafter.verdict.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from everafter.certificates.heading import Section

KEPT_FOR_JUDGING = 0.1
"""This fraction of a property's time is kept for replaying, shortening and judging what the search has found."""
Certified: TypeAlias = "Callable[[Asked, Question], Section]"
"""Where the verdict on a property is certified."""


def check(
    model: Specification,
    request: Request,
    limits: Limits | None = None,
    observer: Observer = unobserved,
    deadline: Deadline | None = None,
    along: Sequence[Choice] = (),
    certificate: CertificateWriter | None = None,
) -> list[Result]:
    """The verdict on every property of `model` that `request` asks for, in order.

    The search is within `limits` and tells the `observer` how far it has come. `deadline` is for a check that began
    earlier, with reading; without it the time of the limits begins now. The runs looked at begin in the state that the
    choices `along` lead to; so do counterexamples. Raises ReplayError if they lead to none in which any process may
    move. Every verdict that can be certified is written to the `certificate`, if there is one.
    """
    bounds = limits or Limits()
    whole = deadline or Deadline.after(bounds.seconds)
    judged = replace(model, program=replace(model.program, expected=request.expected))
    asked = list(questions(judged, request))
    check_combination(request, asked)  # before anything is searched
    if certificate is not None:
        check_certifiable(request, asked)
    usual = Question(model.program, SAFETY, request.fairness, request.reduction, bounds, observer=observer)
    results: list[Result] = []
    interrupted = False
    with _connections(request):
        for number, item in enumerate(asked, 1):
            if interrupted:
                results.append(_unanswered(item, "interrupted"))
                continue
            share = whole.share(len(asked) - number + 1)
            searched_by = share.before_end(KEPT_FOR_JUDGING)
            start = state_along(item.program, along) if along else None
            like = replace(usual, start=start, deadline=searched_by, shown_by=share, number=number, total=len(asked))
            certified = partial(_section, judged, request, writer=certificate) if certificate is not None else None
            found, interrupted = _answers(item, like, request, certified)
            results += found
    return results


def _connections(request: Request) -> AbstractContextManager[None]:
    """While this lasts, searches on a cluster share a connection to it."""
    if request.cluster is None and request.engine != ON_CLUSTER:
        return nullcontext()
    from everafter.engine.cluster.connection import kept_connections  # noqa: PLC0415 # few checks need a cluster

    return kept_connections()


def _answers(item: Asked, like: Question, request: Request, certified: Certified | None) -> tuple[list[Result], bool]:
    """The verdict on one property; of safety, if that is asked for, also on what is left behind each violation.

    Whether the user wants the check to end comes with it.
    """
    result, interrupted = _answered(item, like, options_for(request, item.goal), request.coverage, certified)
    results = [result]
    following = beyond(item, result, 1) if request.all_violations else None
    while following is not None and not interrupted:
        result, interrupted = _answered(following, like, options_for(request, following.goal), request.coverage)
        results.append(result)
        following = beyond(following, result, len(results))
    return results, interrupted


def answer(question: Question, options: Request | None = None) -> Result:
    """The verdict on one `question`, searched for as `options` say: plan, decide, judge."""
    return judge(question, decide(question, options))


def _answered(
    item: Asked, like: Question, options: Request, thorough: bool, certified: Certified | None = None
) -> tuple[Result, bool]:
    """The verdict within a share of the check's time, and whether the user wants the check to end.

    What keeps a verdict from being given is said in its place.
    """
    started = time.monotonic()
    outcome: Outcome | None = None
    interrupted = False
    try:
        with like.deadline.enforced():
            question = item.question(like)
            if certified is not None:
                question = replace(question, property=with_reason(question.property))
        section = certified(item, question) if certified is not None else None
        sink = section.take if section is not None and not doubtful_sequences(question) else None
        outcome = decide(replace(question, certificate=sink), options)
        with (like.shown_by if outcome.ending is Ending.FOUND else NEVER).enforced():
            result = judge(question, outcome)
        if section is not None and result.counterexample is not None:
            section.add_run(result.counterexample)
        means = Means(decide, lambda engine, fairness: fairness in ENGINES[engine].fairness)
        result, interrupted = follow_up(question, outcome, result, time.monotonic() - started, thorough, means)
        interrupted = interrupted or outcome.ending is Ending.INTERRUPTED
    except (OutOfTime, KeyboardInterrupt) as stop:
        interrupted = isinstance(stop, KeyboardInterrupt)
        reason = "the check was interrupted" if interrupted else str(stop)
        result = _unanswered(item, _why_unfinished(outcome, reason), outcome)
    except TooLargeError as error:
        result = _unanswered(item, str(error), outcome)
    except Disagreement as error:
        reason = f"the engine and the reference disagree: {error}"
        result = replace(_unanswered(item, reason, outcome), disagreement=str(error))
    return _presented(replace(result, seconds=time.monotonic() - started)), interrupted


def _presented(result: Result) -> Result:
    """The result, and its counterexample, as they show themselves to people."""
    shown, run = ResultPresenter(), result.counterexample
    return replace(result, presenter=shown, counterexample=run and replace(run, presenter=shown))


def _why_unfinished(outcome: Outcome | None, reason: str) -> str:
    """Why there is no verdict; a violation that was found, but not judged, is told."""
    if outcome is None or outcome.ending is not Ending.FOUND:
        return reason
    return f"{outcome.reason}, but before it was judged {reason}"


def _unanswered(item: Asked, reason: str, outcome: Outcome | None = None) -> Result:
    """The result of a question that has no answer, in the figures of `outcome`, if the search came to one."""
    result = Result(item.name, item.kind, "incomplete", reason, presenter=ResultPresenter())
    return result if outcome is None else replace(result, figures=outcome.figures, method=outcome.method)


def _section(
    model: Specification, request: Request, item: Asked, question: Question, writer: CertificateWriter
) -> Section:
    """Where a verdict on a property is certified."""
    from everafter.certificates.heading import Heading, Section, automaton_of  # noqa: PLC0415 # few checks are certified

    heading = Heading(
        everafter=writer.version,
        model=model.name,
        digest=model.tree.digest,
        conditions=conditions_of(request, model.defines, model.program.loses_messages),
        property=item.name,
        kind=item.kind,
        words=item.words,
        automaton=automaton_of(question),
        verdict="holds",
    )
    return Section(heading, writer)


class _Callable(ModuleType):
    """This module under its other meaning: `everafter.check(…)` is the public function, whatever was imported first."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        return import_module("everafter.public").check(*given, **named)


sys.modules[__name__].__class__ = _Callable
