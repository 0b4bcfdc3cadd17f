"""The page of a check: the verdicts, and the runs that show violations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from everafter.execution.state import State
from everafter.execution.step import Step
from everafter.hints.facts import Coverage
from everafter.hints.sentences import fairness_hint, unstarted
from everafter.ltl.formula_text import text_of
from everafter.page.claim_view import claim_graph
from everafter.page.content import AnswerView, Live, Page, SpotView, System
from everafter.page.program_view import Drawn, Texts
from everafter.page.run_view import run_of
from everafter.program.program import Program
from everafter.verdict.result import Result


class Album:
    """The programs and texts that the parts of one page refer to by number."""

    def __init__(self, program: Program) -> None:
        self.texts = Texts(program.model.source)
        self._drawn = [Drawn(program, self.texts)]

    def drawn(self, program: Program) -> tuple[Drawn, int]:
        """A program as the page has it, and its number."""
        for number, known in enumerate(self._drawn):
            if known.program is program:
                return known, number
        self._drawn.append(Drawn(program, self.texts))
        return self._drawn[-1], len(self._drawn) - 1

    @property
    def systems(self) -> tuple[System, ...]:
        """The programs so far."""
        return tuple(drawn.system for drawn in self._drawn)

    def answer(self, result: Result, led: tuple[State, tuple[Step, ...]] | None = None) -> AnswerView:
        """Return the verdict of `result`, with its run.

        `led` is a state and the steps that lead from it to where that begins.
        """
        found = result.counterexample
        drawn, number = self.drawn(found.program) if found is not None else (self._drawn[0], 0)
        claim = result.claim
        return AnswerView(
            property=result.property,
            kind=result.kind,
            formula=text_of(found.formula) if found is not None and found.formula is not None else "",
            verdict=result.verdict,
            reason=result.reason,
            figures=tuple(_figures(result)),
            claim=claim_graph(claim, drawn, result.property) if claim is not None else None,
            run=run_of(found, claim, drawn, number, led) if found is not None else None,
            notes=tuple(_notes(result)),
            unreached=tuple(self._unreached(result.coverage)) if result.coverage is not None else (),
        )

    def _unreached(self, coverage: Coverage) -> Iterator[SpotView]:
        for each in coverage.unreached:
            yield SpotView(self.texts.number(each.spot.file), each.spot.line, each.spot.column)

    def page(self, name: str, version: str, answers: Iterable[AnswerView], live: Live | None = None) -> Page:
        """Return the whole page of the model `name` with `answers`, made by this `version`.

        `live` says how the page talks to the model behind it, if there is one.
        """
        told = tuple(answers)
        return Page(name, version, self.texts.files, self.systems, told, live)


def page_of(name: str, version: str, program: Program, results: Iterable[Result]) -> Page:
    """Return the page of `results`, those of a check of `program`, the model `name`, made by this `version`."""
    album = Album(program)
    return album.page(name, version, [album.answer(result) for result in results])


def _notes(result: Result) -> Iterator[str]:
    """What is known beside a verdict: of fairness, and of statements that no process comes to."""
    if (hint := fairness_hint(result)) is not None:
        yield hint
    coverage = result.coverage
    if coverage is None:
        return
    yield from unstarted(coverage)
    if coverage.unreached:
        search = "no run" if coverage.is_exact else "the reduced search never"
        count = f"{len(coverage.unreached):,} of {coverage.statements:,} statements"
        yield f"{search} comes to {count}, which are underlined in the source"


def _figures(result: Result) -> Iterable[tuple[str, str]]:
    if result.states:
        yield "states", f"{result.states:,}"
        yield "transitions", f"{result.transitions:,}"
        yield "time", f"{result.seconds:.2f} s"
    if result.algorithm:
        yield "search", f"{result.algorithm}, {result.engine}"
    if result.algorithm:
        yield "reduction", result.reduction
    if result.counterexample is not None:
        yield "run", _length(result)


def _length(result: Result) -> str:
    found = result.counterexample
    assert found is not None
    length = f"{len(found):,} step{'s' if len(found) != 1 else ''}"
    return f"{length}, the shortest" if result.is_shortest else length
