"""The whole path of a model on one screen: read it, build its program, search its states, judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from everafter.ltl import Automaton, TooLargeError, from_hoa
from everafter.ltl.degeneralise import degeneralised
from everafter.product.fairness import Fairness
from everafter.program.program import Program, build, program_for
from everafter.promela.parser import parse as parse_promela
from everafter.promela.propositions import formula_text, proposition
from everafter.promela.units import Model as Tree
from everafter.promela.units import together
from everafter.search import ALGORITHMS as CYCLE_ALGORITHMS
from everafter.search.parallel import PARALLEL_ALGORITHMS
from everafter.source import Diagnostic, InputError, Place, Source, closest
from everafter.verdict import safety
from everafter.verdict.cycles import DEFAULT, check_property, undecided
from everafter.verdict.limits import Limits
from everafter.verdict.property import (
    Property,
    Understood,
    check_labels,
    no_acceptance_cycle,
    no_cycle_without_progress,
    of_automaton,
    of_formula,
    of_never,
    understand,
)
from everafter.verdict.reduction import Chosen
from everafter.verdict.result import Engine, Result

CYCLES = (*CYCLE_ALGORITHMS, *PARALLEL_ALGORITHMS)
ALGORITHMS = (*safety.ALGORITHMS, *CYCLES)


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a model. With nothing asked, everything it states: safety, formulas, never claims."""

    safety: bool = False
    formulas: Sequence[str] = ()
    """Names of `ltl` blocks, or formulas."""
    never: bool = False
    automaton: Source | None = None
    """An automaton in HOA format that accepts what must not be."""
    acceptance: bool = False
    progress: bool = False
    fairness: Fairness | None = None
    algorithm: str | None = None
    engine: Engine = "native"
    """Machine code, or the reference that says what it must do."""
    reduction: Chosen = "static"
    """Whether steps that need not be taken are left out where that is sound."""
    threads: int | None = None
    """How many threads search together, where they can. Without a number: one, or as many as there are processors if
    the search is large."""

    @property
    def asks_nothing(self) -> bool:
        """Whether no property is named."""
        return not (self.safety or self.formulas or self.never or self.automaton or self.acceptance or self.progress)


@dataclass(frozen=True, slots=True)
class Model:
    """A model that has been read and understood."""

    name: str
    tree: Tree
    program: Program
    formulas: Mapping[str, Understood]
    warnings: tuple[Diagnostic, ...]
    defines: Mapping[str, str] = field(default_factory=dict)

    def check(self, formula: str | None = None, limits: Limits | None = None) -> Result:
        """The verdict on one formula, or the name of one; without it, on safety."""
        request = Request(safety=True) if formula is None else Request(formulas=(formula,))
        return check(self, request, limits)[0]

    def check_all(self, request: Request | None = None, limits: Limits | None = None) -> list[Result]:
        """The verdict on everything asked for, or on everything the model states."""
        return check(self, request or Request(), limits)


def check(model: Model, request: Request, limits: Limits | None = None) -> list[Result]:
    """The verdict on every property asked for, in order."""
    bounds = limits or Limits()
    everything = request.asks_nothing
    results: list[Result] = []
    if everything or request.safety:
        order = request.algorithm if request.algorithm in safety.ALGORITHMS else safety.ALGORITHMS[0]
        results.append(
            safety.check_safety(model.program, bounds, order, request.engine, request.reduction, request.threads)
        )
    named = request.algorithm
    algorithm = named if named is not None and named in CYCLES else DEFAULT
    for name, program, asked in properties(model, request):
        try:
            how = (algorithm, request.fairness, request.engine, request.reduction, request.threads)
            results.append(check_property(program, asked(), bounds, *how))
        except TooLargeError as error:
            results.append(undecided(name, "ltl", str(error), algorithm))
    return results


def obstacle_to_threads(request: Request) -> str | None:
    """Why the number of threads asked for cannot be had, or None if it can."""
    if request.threads is None or request.threads == 1:
        return None
    if request.engine == "reference":
        return "the reference runs in one thread: leave out --threads or --engine reference"
    if request.fairness is not None:
        return "fair runs are searched for by one thread: leave out --threads or --fair"
    together = ("breadth-first", "unordered", *PARALLEL_ALGORITHMS)
    if request.algorithm is not None and request.algorithm not in together:
        return f"{request.algorithm} is a search by one thread; several can run {', '.join(together)}"
    return None


def properties(model: Model, request: Request) -> list[tuple[str, Program, Callable[[], Property]]]:
    """For each property of infinite runs asked for its name, the program that can tell, and how it is made."""
    everything = request.asks_nothing
    understood = list(model.formulas.values()) if everything else [_formula(model, text) for text in request.formulas]
    automaton = degeneralised(from_hoa(request.automaton)) if request.automaton is not None else None
    found: list[tuple[str, Program, Callable[[], Property]]] = []
    for item in understood:
        program = program_for(model.program, item.needs)
        found.append((item.name, program, partial(of_formula, program, item)))
    program = model.program
    if everything or request.never:
        claims = [process for process in program.processes if process.role == "never"]
        found += [(claim.name, program, partial(of_never, program, claim.index)) for claim in claims]
    if automaton is not None and request.automaton is not None:
        found.append(_of_automaton(model, automaton, request.automaton))
    if request.acceptance:
        found.append(("acceptance", program, partial(no_acceptance_cycle, program)))
    if request.progress:
        found.append(("progress", program, partial(no_cycle_without_progress, program)))
    return found


def _of_automaton(model: Model, automaton: Automaton, source: Source) -> tuple[str, Program, Callable[[], Property]]:
    place = Place(source, 1, 1)
    read = {text: proposition(model.tree, text, place) for text in automaton.propositions}
    expressions = {text: expression for text, (expression, _) in read.items()}
    program = program_for(model.program, together(needs for _, needs in read.values()))
    name = Path(source.name).stem
    return name, program, partial(of_automaton, program, automaton, expressions, name)


def _formula(model: Model, text: str) -> Understood:
    """The formula of that name, or the formula itself."""
    if text in model.formulas:
        return model.formulas[text]
    if text.isidentifier() and not any(variable.name == text for variable in model.tree.variables):
        place = Place(Source("<ltl>", text), 1, 1, len(text))
        advice = closest(text, model.formulas) or "the model names: " + (", ".join(model.formulas) or "none")
        raise InputError([Diagnostic(place, f"no formula or variable is called '{text}'", advice)])
    return understand(model.tree, formula_text(model.tree, text, "ltl"))


def load(
    path: str | Path,
    defines: Mapping[str, str] | None = None,
    *,
    loses_messages: bool = False,
    never: str | Path | None = None,
) -> Model:
    """Read a model from a file, and a never claim from another. Raises InputError with every mistake in them."""
    appended = [read_source(never)] if never is not None else []
    return _understood(read_source(path), defines, loses_messages, appended)


def parse(text: str, defines: Mapping[str, str] | None = None, *, loses_messages: bool = False) -> Model:
    """Read a model from a text. Raises InputError with every mistake in it."""
    return _understood(Source("<model>", text), defines, loses_messages, [])


def read_source(path: str | Path) -> Source:
    """The text of a file. Raises InputError if it cannot be read."""
    name = str(path)
    try:
        return Source(name, Path(path).read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        place = Place(Source(name, ""), 1, 1)
        raise InputError([Diagnostic(place, f"cannot read this file: {error.strerror or error}")]) from error


def _understood(
    source: Source, defines: Mapping[str, str] | None, loses_messages: bool, appended: Sequence[Source]
) -> Model:
    tree, warnings = parse_promela(source, defines, appended)
    formulas = {text.name: understand(tree, text) for text in tree.formulas}
    program = build(tree, loses_messages, together(formula.needs for formula in formulas.values()))
    for formula in formulas.values():
        check_labels(program, formula.expressions.values())
    return Model(source.name, tree, program, formulas, warnings, dict(defines or {}))
