"""From what is asked of a model to its questions: which properties, and whether they can be decided as chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from everafter.backends.engines import ENGINES
from everafter.choices import LOSSY
from everafter.ltl.automaton import Automaton
from everafter.ltl.formula import Formula
from everafter.program.expected import AS_USUAL
from everafter.program.lint import lint
from everafter.program.program import Program, program_for
from everafter.promela.model import Expression
from everafter.promela.propositions import formula_text, proposition
from everafter.promela.units import Needs, together
from everafter.questions.plan import advice_for, engine_for, goals_of
from everafter.questions.property import (
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
)
from everafter.questions.question import Goal, Question
from everafter.questions.request import Request
from everafter.record import dataclass, replace
from everafter.source import Diagnostic, InputError, OptionError, Place, Source, closest
from everafter.specification import Specification
from everafter.verdict.result import Result


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


def questions(model: Specification, request: Request) -> Iterator[Asked]:
    """Yield the properties of `model` that `request` asks for, in order."""
    everything = request.asks_nothing
    program = model.program
    if everything or request.safety:
        name = program.expected.safety
        yield Asked(name, "safety", program, lambda: replace(SAFETY, name=name))
    for text in (*model.formulas, *model.unread) if everything else request.formulas:
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
        from everafter.ltl.degeneralise import degeneralised  # noqa: PLC0415 # automata are seldom given
        from everafter.ltl.hoa_reader import from_hoa  # noqa: PLC0415 # likewise

        yield _of_automaton(model, degeneralised(from_hoa(request.automaton)), request.automaton)
    if request.acceptance:
        acceptance = partial(no_acceptance_cycle, program)
        yield Asked("acceptance", "acceptance", program, acceptance, make_with=acceptance)
    if request.progress:
        progress = partial(no_cycle_without_progress, program)
        yield Asked("progress", "progress", program, progress, make_with=progress)


def warnings_of(model: Specification, request: Request) -> tuple[Diagnostic, ...]:
    """The warnings about `model` under `request`: what a formula or an automaton names is used, too.

    Raises InputError if a formula that is asked for cannot be understood.
    """
    stated = [expression for formula in model.formulas.values() for expression in formula.expressions.values()]
    given = [each for text in request.formulas for each in _formula(model, text).expressions.values()]
    if request.automaton is not None:
        from everafter.ltl.hoa_reader import from_hoa  # noqa: PLC0415 # automata are seldom given

        read = _propositions(model, from_hoa(request.automaton), request.automaton)
        given += [expression for expression, _ in read.values()]
    beside = set(lint(model.program, stated))
    others = [warning for warning in model.warnings if warning not in beside]
    return (*others, *lint(model.program, [*stated, *given]))


def _propositions(model: Specification, automaton: Automaton, source: Source) -> dict[str, tuple[Expression, Needs]]:
    """What the propositions of an automaton mean."""
    place = Place(source, 1, 1)
    return {text: proposition(model.tree, text, place) for text in automaton.propositions}


def _of_automaton(model: Specification, automaton: Automaton, source: Source) -> Asked:
    read = _propositions(model, automaton, source)
    expressions = {text: expression for text, (expression, _) in read.items()}
    program = program_for(model.program, together(needs for _, needs in read.values()))
    check_labels(program, expressions.values())
    name = Path(source.name).stem
    return Asked(name, "never", program, partial(of_automaton, program, automaton, expressions, name), source.text)


def _formula(model: Specification, text: str) -> Understood:
    """The formula of that name, or the formula itself."""
    if text in model.formulas:
        return model.formulas[text]
    if text in model.unread:
        raise model.unread[text]
    known = text in model.tree.macros or any(variable.name == text for variable in model.tree.variables)
    if text.isidentifier() and not known:
        place = Place(Source("<ltl>", text), 1, 1, len(text))
        advice = closest(text, model.formulas) or "the model names: " + (", ".join(model.formulas) or "none")
        raise InputError([Diagnostic(place, f"no formula or variable is called '{text}'", advice)])
    return understand(model.tree, formula_text(model.tree, text, "ltl"))


def program_asked(model: Specification, formula: str | None) -> Program:
    """The program of `model` that was searched for `formula`: it tells what the formula needs."""
    return model.program if formula is None else program_for(model.program, _formula(model, formula).needs)


def options_for(request: Request, goal: Goal) -> Request:
    """How `request` wants a `goal` searched for: an algorithm is wanted for the questions that it answers."""
    options = request.wishes
    wanted = options.algorithm is None or goal in goals_of(options.algorithm)
    return options if wanted else replace(options, algorithm=None)


def check_combination(request: Request, asked: Sequence[Asked]) -> None:
    """Raise OptionError unless all that `request` says can be had, and is of use to some property `asked`."""
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
        engine_for(goal, request.fairness, options_for(request, goal), ENGINES)


def check_certifiable(request: Request, asked: Sequence[Asked]) -> None:
    """Raise OptionError unless the searches that `request` wants leave what certificates of those `asked` need."""
    if request.store in LOSSY:
        raise OptionError(
            f"the {request.store} store forgets what a certificate needs", "leave out --certificate, or --store"
        )
    if request.fairness == "strong" and any(item.goal == "cycle" for item in asked):
        what = "the search for strongly fair runs writes no certificates"
        raise OptionError(what, "leave out --certificate, or --fair strong")
    for item in asked:
        engine = engine_for(item.goal, request.fairness, options_for(request, item.goal), ENGINES)
        if not engine.certifies:
            raise OptionError(
                f"the {engine.name} engine writes no certificates", "leave out --certificate, or --engine"
            )


def beyond(item: Asked, result: Result, violations: int) -> Asked | None:
    """What is left to ask of `item` behind `result`, the last of `violations`; None if nothing is left."""
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
