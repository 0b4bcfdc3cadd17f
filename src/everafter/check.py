"""The whole path of a model on one screen.

text ─read─► Model ─questions─► Question ─plan─► Backend ─decide─► Outcome ─judge─► Result ─follow_up─► Result
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from everafter.certificates.file import CertificateError, CertificateWriter, writing
from everafter.checking.decision import decide
from everafter.checking.engines import ENGINES
from everafter.checking.limits import Limits, Observer, unobserved
from everafter.checking.outcome import Disagreement, Ending, Outcome
from everafter.checking.plan import ON_CLUSTER, advice_for, engine_for, goals_of
from everafter.checking.property import (
    SAFETY,
    Property,
    PropertyKind,
    Understood,
    check_labels,
    no_acceptance_cycle,
    no_cycle_without_progress,
    of_automaton,
    of_formula,
    of_never,
    understand,
    with_reason,
)
from everafter.checking.question import FEW, Goal, Question, ReductionWish
from everafter.checking.request import Request, conditions_of, definitions
from everafter.deadline import NEVER, Deadline, OutOfTime
from everafter.engine.columns import FORGETFUL, StoreKind
from everafter.execution.run import Choice
from everafter.hints.effort import Means
from everafter.hints.follow_up import follow_up
from everafter.ltl import Automaton, Formula, TooLargeError, from_hoa
from everafter.ltl.degeneralise import degeneralised
from everafter.product.claim import Fairness
from everafter.program.expected import AS_USUAL
from everafter.program.lint import lint
from everafter.program.program import Program, build, program_for
from everafter.promela.model import Expression
from everafter.promela.parser import parse as parse_promela
from everafter.promela.propositions import formula_text, proposition
from everafter.promela.units import Model as Tree
from everafter.promela.units import Needs, together
from everafter.report.presenter import Presenter
from everafter.source import Diagnostic, InputError, OptionError, Place, Source, closest, read_source
from everafter.verdict.heading import Heading, Section, automaton_of
from everafter.verdict.judge import judge
from everafter.verdict.replay import state_along
from everafter.verdict.result import Result
from everafter.verdict.simulation import Simulation, simulated

KEPT_FOR_JUDGING = 0.1
"""This fraction of a property's time is kept for replaying, shortening and judging what the search has found."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model that has been read and understood."""

    name: str
    tree: Tree = field(repr=False)
    program: Program = field(repr=False)
    formulas: Mapping[str, Understood] = field(repr=False)
    warnings: tuple[Diagnostic, ...] = ()
    defines: Mapping[str, str] = field(default_factory=dict)

    def _repr_html_(self) -> str:
        """What a notebook shows: what is stated, and the control flow of the processes."""
        from everafter.report.model import model_html  # noqa: PLC0415 # only notebooks draw models

        return model_html(self.name, self.program, list(self.formulas))

    def check(
        self,
        formula: str | None = None,
        *,
        fairness: Fairness | None = None,
        algorithm: str | None = None,
        engine: str | None = None,
        reduction: ReductionWish = "static",
        threads: int | None = None,
        store: StoreKind | None = None,
        cluster: str | None = None,
        limits: Limits | None = None,
        observer: Observer = unobserved,
        certificate: str | Path | None = None,
    ) -> Result:
        """The verdict on one formula, or the name of one; without it, on safety. It is true exactly if that holds.

        What shows it to be right is written to the file `certificate`, for `everafter.certify`.
        """
        asked = Request(
            safety=formula is None,
            formulas=() if formula is None else (formula,),
            fairness=fairness,
            algorithm=algorithm,
            engine=engine,
            reduction=reduction,
            threads=threads,
            store=store,
            cluster=cluster,
        )
        return self.check_all(asked, limits, observer, certificate)[0]

    def check_all(
        self,
        request: Request | None = None,
        limits: Limits | None = None,
        observer: Observer = unobserved,
        certificate: str | Path | None = None,
    ) -> list[Result]:
        """The verdict on everything asked for, or on everything the model states.

        What shows them to be right is written to the file `certificate`; raises CertificateError if that fails.
        """
        asked = request or Request()
        if certificate is None:
            return check(self, asked, limits, observer)
        with writing(certificate) as writer:
            results = check(self, asked, limits, observer, certificate=writer)
            writer.finish()
        if writer.failed is not None:
            raise CertificateError(f"no certificate was written to {certificate}: {writer.failed}")
        return results


# From a model to results


def check(
    model: Model,
    request: Request,
    limits: Limits | None = None,
    observer: Observer = unobserved,
    deadline: Deadline | None = None,
    along: Sequence[Choice] = (),
    certificate: CertificateWriter | None = None,
) -> list[Result]:
    """The verdict on every property asked for, in order.

    `deadline` is for a check that began earlier, with reading; without it the time of the limits begins now. The runs
    looked at begin in the state that the choices `along` lead to; so do counterexamples. Raises ReplayError if they
    lead to none in which any process may move. Every verdict that can be certified is written to the `certificate`, if
    there is one.
    """
    bounds = limits or Limits()
    whole = deadline or Deadline.after(bounds.seconds)
    judged = replace(model, program=replace(model.program, expected=request.expected))
    asked = list(questions(judged, request))
    _check_wishes(request, asked)  # before anything is searched
    if certificate is not None:
        _check_certifiable(request, asked)
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
            usual = replace(usual, few=usual.few or any(map(_shows_few, found)))
    return results


def _connections(request: Request) -> AbstractContextManager[None]:
    """While this lasts, searches on a cluster share a connection to it."""
    if request.cluster is None and request.engine != ON_CLUSTER:
        return nullcontext()
    from everafter.engine.cluster.connection import kept_connections  # noqa: PLC0415 # few checks need a cluster

    return kept_connections()


def _shows_few(result: Result) -> bool:
    """Whether all states of the system were visited, and were few."""
    return result.kind == "safety" and result.verdict == "holds" and result.states <= FEW


def _answers(item: Asked, like: Question, request: Request, certified: Certified | None) -> tuple[list[Result], bool]:
    """The verdict on one property; of safety, if that is asked for, also on what is left behind each violation.

    Whether the user wants the check to end comes with it.
    """
    result, interrupted = _answered(item, like, _wishes(request, item.goal), request.coverage, certified)
    results = [result]
    following = beyond(item, result, 1) if request.all_violations else None
    while following is not None and not interrupted:
        result, interrupted = _answered(following, like, _wishes(request, following.goal), request.coverage)
        results.append(result)
        following = beyond(following, result, len(results))
    return results, interrupted


def beyond(item: Asked, result: Result, violations: int) -> Asked | None:
    """What is left to ask behind so many violations: None if there is none, or none that can be passed over."""
    run, expected = result.counterexample, item.program.expected
    asked = result.property.split(" beyond ")[0]
    if item.kind != "safety" or run is None or run.problem is None:
        return None
    match run.problem.kind:
        case "assertion":
            expected = replace(expected, passed_over=expected.passed_over | {run.problem.place})
        case "end-state":
            expected = replace(expected, end_states=False)
        case _:
            return None
    name = f"{asked} beyond {violations}"
    program = replace(item.program, expected=expected)
    return Asked(name, "safety", program, lambda: replace(SAFETY, name=name))


def answer(question: Question, wishes: Request | None = None) -> Result:
    """The verdict on one question: plan, decide, judge."""
    return judge(question, decide(question, wishes))


def _answered(
    item: Asked, like: Question, wishes: Request, thorough: bool, certified: Certified | None = None
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
        outcome = decide(replace(question, certificate=section.take if section is not None else None), wishes)
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
        result = _unanswered(item, _why_unfinished(outcome, reason))
    except TooLargeError as error:
        result = _unanswered(item, str(error))
    except Disagreement as error:
        result = replace(_unanswered(item, f"the engine and the reference disagree: {error}"), disagreement=str(error))
    return replace(result, seconds=time.monotonic() - started, presenter=Presenter()), interrupted


def _why_unfinished(outcome: Outcome | None, reason: str) -> str:
    """Why there is no verdict; a violation that was found, but not judged, is told."""
    found = outcome is not None and outcome.ending is Ending.FOUND
    return f"a violation was found, but before it was judged {reason}" if found else reason


def _unanswered(item: Asked, reason: str) -> Result:
    """The result of a question that has no answer."""
    return Result(item.name, item.kind, "incomplete", reason, presenter=Presenter())


def _section(model: Model, request: Request, item: Asked, question: Question, writer: CertificateWriter) -> Section:
    """Where a verdict on a property is certified."""
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


# From a request to questions


@dataclass(frozen=True, slots=True)
class Asked:
    """A property asked for: its name, the program that can tell, and how it is made, which may take its time."""

    name: str
    kind: PropertyKind
    program: Program
    make: Callable[[], Property]
    words: str = ""
    """The formula, its name or the automaton, as it was asked for."""
    formula: Formula | None = None
    """The formula in full, with the model's macros replaced in it."""
    make_with: Callable[[Automaton], Property] | None = None
    """How it is made of an automaton of its violations, where such a one is translated of a formula."""

    @property
    def goal(self) -> Goal:
        """What a search must look for."""
        return "reachability" if self.kind == "safety" else "cycle"

    def question(self, like: Question, automaton: Automaton | None = None) -> Question:
        """The question whether it holds, asked like another one, `like`.

        With an `automaton` of its violations nothing is translated.
        """
        if automaton is None:
            return replace(like, program=self.program, property=self.make())
        assert self.make_with is not None
        return replace(like, program=self.program, property=self.make_with(automaton))


Certified = Callable[[Asked, Question], Section]
"""Where the verdict on a property is certified."""


def questions(model: Model, request: Request) -> Iterator[Asked]:
    """The properties asked for, in order."""
    everything = request.asks_nothing
    program = model.program
    if everything or request.safety:
        name = program.expected.safety
        yield Asked(name, "safety", program, lambda: replace(SAFETY, name=name))
    for text in model.formulas if everything else request.formulas:
        item = _formula(model, text)
        told = program_for(program, item.needs)
        check_labels(told, item.expressions.values())
        make = partial(of_formula, told, item)
        yield Asked(item.name, "ltl", told, make, text, item.formula, make)
    if everything or request.never:
        for process in program.processes:
            if process.role == "never":
                yield Asked(process.name, "never", program, partial(of_never, program, process.index))
    if request.automaton is not None:
        yield _of_automaton(model, degeneralised(from_hoa(request.automaton)), request.automaton)
    if request.acceptance:
        acceptance = partial(no_acceptance_cycle, program)
        yield Asked("acceptance", "acceptance", program, acceptance, make_with=acceptance)
    if request.progress:
        progress = partial(no_cycle_without_progress, program)
        yield Asked("progress", "progress", program, progress, make_with=progress)


def warnings_of(model: Model, request: Request) -> tuple[Diagnostic, ...]:
    """The warnings about a model of which this is asked: what a formula or an automaton names is used, too.

    Raises InputError if a formula that is asked for cannot be understood.
    """
    stated = [expression for formula in model.formulas.values() for expression in formula.expressions.values()]
    given = [each for text in request.formulas for each in _formula(model, text).expressions.values()]
    if request.automaton is not None:
        read = _propositions(model, from_hoa(request.automaton), request.automaton)
        given += [expression for expression, _ in read.values()]
    beside = set(lint(model.program, stated))
    others = [warning for warning in model.warnings if warning not in beside]
    return (*others, *lint(model.program, [*stated, *given]))


def _propositions(model: Model, automaton: Automaton, source: Source) -> dict[str, tuple[Expression, Needs]]:
    """What the propositions of an automaton mean."""
    place = Place(source, 1, 1)
    return {text: proposition(model.tree, text, place) for text in automaton.propositions}


def _of_automaton(model: Model, automaton: Automaton, source: Source) -> Asked:
    read = _propositions(model, automaton, source)
    expressions = {text: expression for text, (expression, _) in read.items()}
    program = program_for(model.program, together(needs for _, needs in read.values()))
    check_labels(program, expressions.values())
    name = Path(source.name).stem
    return Asked(name, "never", program, partial(of_automaton, program, automaton, expressions, name), source.text)


def _formula(model: Model, text: str) -> Understood:
    """The formula of that name, or the formula itself."""
    if text in model.formulas:
        return model.formulas[text]
    known = text in model.tree.macros or any(variable.name == text for variable in model.tree.variables)
    if text.isidentifier() and not known:
        place = Place(Source("<ltl>", text), 1, 1, len(text))
        advice = closest(text, model.formulas) or "the model names: " + (", ".join(model.formulas) or "none")
        raise InputError([Diagnostic(place, f"no formula or variable is called '{text}'", advice)])
    return understand(model.tree, formula_text(model.tree, text, "ltl"))


def program_asked(model: Model, formula: str | None) -> Program:
    """The program that was searched for a formula: it tells what the formula asks for."""
    return model.program if formula is None else program_for(model.program, _formula(model, formula).needs)


def _wishes(request: Request, goal: Goal) -> Request:
    """What is wished for a goal: an algorithm is wished for the questions that it answers."""
    wishes = request.wishes
    wanted = wishes.algorithm is None or goal in goals_of(wishes.algorithm)
    return wishes if wanted else replace(wishes, algorithm=None)


def _check_wishes(request: Request, asked: Sequence[Asked]) -> None:
    """That all that is wished for can be had, and is of use to some question. Raises OptionError."""
    goals = [each.goal for each in asked]
    kinds = {each.kind for each in asked}
    if request.expected != AS_USUAL and not kinds & {"safety", "never"}:
        raise OptionError("what is ignored or expected of end states matters to safety only", "ask for safety, too")
    if request.all_violations and "safety" not in kinds:
        raise OptionError("all violations are looked for where safety is asked for", "ask for safety, too")
    if request.algorithm is not None and not goals_of(request.algorithm).intersection(goals):
        raise OptionError(f"{request.algorithm} answers none of the questions asked", advice_for(goals[0]))
    if request.fairness is not None and "cycle" not in goals:
        raise OptionError("fairness matters to infinite runs only", "leave out fairness, or ask for a formula")
    for goal in goals:
        engine_for(goal, request.fairness, _wishes(request, goal), ENGINES)


def _check_certifiable(request: Request, asked: Sequence[Asked]) -> None:
    """That the searches leave what a certificate needs. Raises OptionError."""
    if request.store in FORGETFUL:
        raise OptionError(
            f"the {request.store} store forgets what a certificate needs", "leave out --certificate, or --store"
        )
    for item in asked:
        engine = engine_for(item.goal, request.fairness, _wishes(request, item.goal), ENGINES)
        if not engine.certifies:
            advice = "leave out --certificate, or " + ("--engine" if request.engine is not None else "--fair strong")
            raise OptionError(f"the {engine.name} engine writes no certificates", advice)


# From a text to a model


def load(
    path: str | Path,
    defines: Mapping[str, object] | None = None,
    *,
    loses_messages: bool = False,
    never: str | Path | None = None,
    include: Sequence[str | Path] = (),
) -> Model:
    """Read a model from a file, or from the standard input if that is `-`, and a never claim from another.

    `include` names folders in which included files are looked for. Raises InputError with every mistake in the texts.
    """
    appended = [read_source(never)] if never is not None else []
    folders = [Path(folder) for folder in ([include] if isinstance(include, str) else include)]
    return understood(read_source(path), definitions(defines), loses_messages, appended, folders)


def parse(text: str, defines: Mapping[str, object] | None = None, *, loses_messages: bool = False) -> Model:
    """Read a model from a text. Raises InputError with every mistake in it."""
    return understood(Source("<model>", text), definitions(defines), loses_messages)


def simulate(model: Model, *, seed: int = 0, steps: int = 1000) -> Simulation:
    """One run of a model, of at most so many random steps. Another seed gives another run. Raises OptionError."""
    if steps < 0:
        raise OptionError(f"steps of simulate is a number from 0 on, not {steps}")
    return simulated(model.program, seed, steps)


def understood(
    source: Source,
    defines: Mapping[str, str],
    loses_messages: bool,
    appended: Sequence[Source] = (),
    folders: Sequence[Path] = (),
) -> Model:
    """The model of a text, with texts appended to it. Raises InputError with every mistake in them."""
    tree, warnings = parse_promela(source, defines, appended, folders)
    formulas = {text.name: understand(tree, text) for text in tree.formulas}
    program = build(tree, loses_messages, together(formula.needs for formula in formulas.values()))
    for formula in formulas.values():
        check_labels(program, formula.expressions.values())
    asked = [expression for formula in formulas.values() for expression in formula.expressions.values()]
    return Model(source.name, tree, program, formulas, (*warnings, *lint(program, asked)), dict(defines))
