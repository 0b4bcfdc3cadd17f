"""What can be requested while a model is explored. States have numbers: those that the page knows, it was sent."""

from __future__ import annotations

import random

from everafter.check import check
from everafter.execution.run import Choice
from everafter.execution.state import State
from everafter.execution.step import Step, initial_state, steps
from everafter.page.check_page import Album
from everafter.page.content import AnswerView, Live, OptionView, Page, Reply
from everafter.page.run_view import run_of
from everafter.questions.limits import Limits
from everafter.questions.request import Request
from everafter.record import dataclass, replace
from everafter.source import OptionError
from everafter.user_model import Model
from everafter.verdict.random_run import stopping_problem
from everafter.verdict.replay import ReplayError, replay, take
from everafter.verdict.result import Counterexample, Result
from everafter.verdict.run_rows import Row, row_of

SAFETY = "safety"
OWN_RUN = "your run"
MOST_STEPS = 100_000
"""A run that is explored has no more."""


@dataclass(frozen=True, slots=True)
class _Known:
    """A state that was met: by which step from which other one. None: that step could not be completed."""

    state: State | None
    step: Step | None
    before: int
    length: int


class Session:
    """A model, and the states of it that were met."""

    def __init__(self, model: Model, limits: Limits | None = None) -> None:
        self.model = model
        self.limits = limits or Limits()
        self._album = Album(model.program)
        self._known = [_Known(initial_state(model.program), None, 0, 0)]
        self._following: dict[tuple[int, Choice], int] = {}

    def page(self, version: str, token: str) -> Page:
        """Return the page of a run that is still to begin, made by this `version`.

        `token` lets the page send requests.
        """
        live = Live(token, (SAFETY, *self.model.formulas))
        return self._album.page(self.model.name, version, [self.run_to(0)], live)

    # Questions

    def options(self, place: int) -> tuple[OptionView, ...]:
        """The steps that can be taken in a state."""
        state = self._at(place).state
        return tuple(self._option(state, step) for step in self._steps(place)) if state is not None else ()

    def taken(self, place: int, number: int) -> AnswerView:
        """Return the run to the state `place`, and one step on: the one with this `number` among the options."""
        possible = self._steps(place)
        if not 0 <= number < len(possible):
            raise OptionError(f"there is no step {number} here")
        return self.run_to(self._met(place, possible[number]))

    def walked(self, place: int, count: int, seed: int) -> AnswerView:
        """Return the run to the state `place`, and `count` random steps on, or until something goes wrong.

        `seed` draws the steps.
        """
        generator = random.Random(seed)
        for _ in range(count):
            possible = self._steps(place)
            if not possible:
                break
            place = self._met(place, generator.choice(possible))
            step = self._at(place).step
            if step is not None and step.problem is not None:
                break
        return self.run_to(place)

    def checked(self, place: int, formula: str) -> Reply:
        """Return the verdict on `formula` for the runs that begin in the state `place`.

        `formula` is SAFETY, the name of one of the model's formulas, or a text. The run of a violation is given from
        the initial state on.
        """
        choices = self._choices(place)
        request = Request(safety=formula == SAFETY, formulas=() if formula == SAFETY else (formula,))
        result = check(self.model, request, self.limits, along=choices)[0]
        if result.counterexample is None:
            return Reply(self._named(self._album.answer(result), place), self._album.systems)
        program = result.counterexample.program
        start, before = replay(program, choices)
        answer = self._album.answer(result, (start, tuple(before)))
        shown = replace(self._named(answer, place), places=self._places(place, result))
        return Reply(shown, self._album.systems)

    # Runs

    def run_to(self, place: int) -> AnswerView:
        """The run that leads to a state."""
        program = self.model.program
        drawn, number = self._album.drawn(program)
        known = self._at(place)
        taken = tuple(step for step in (self._at(each).step for each in self._way(place)) if step is not None)
        problem = known.step.problem if known.step is not None else None
        is_over = known.state is not None and problem is None and not steps(program, known.state)
        if is_over and known.state is not None:
            problem = stopping_problem(program, known.state)
        found = Counterexample(program, initial_state(program), taken, (), problem, stutters=is_over)
        run = run_of(found, None, drawn, number)
        reason = (
            problem.message if problem is not None else "no step is possible" if is_over else "as far as you took it"
        )
        return AnswerView(OWN_RUN, "", "", "run", reason, (), None, run, places=tuple(self._way(place)))

    def _way(self, place: int) -> list[int]:
        """The states on the way to one, the initial state first."""
        way = [place]
        while way[-1]:
            way.append(self._at(way[-1]).before)
        return way[::-1]

    def _choices(self, place: int) -> list[Choice]:
        known = (self._at(each).step for each in self._way(place))
        return [Choice.of(step) for step in known if step is not None]

    def _at(self, place: int) -> _Known:
        if not 0 <= place < len(self._known):
            raise OptionError("this state belongs to another session", "load the page anew")
        return self._known[place]

    def _steps(self, place: int) -> list[Step]:
        state = self._at(place).state
        return steps(self.model.program, state) if state is not None else []

    def _met(self, place: int, step: Step) -> int:
        """The number of the state that a step leads to."""
        key = place, Choice.of(step)
        if key not in self._following:
            length = self._known[place].length + 1
            if length > MOST_STEPS:
                raise OptionError(f"a run of more than {MOST_STEPS:,} steps cannot be explored", "start over")
            self._following[key] = len(self._known)
            self._known.append(_Known(step.state, step, place, length))
        return self._following[key]

    def _places(self, place: int, result: Result) -> tuple[int, ...]:
        """What the states of a counterexample are called, behind those on the way to where it begins."""
        assert result.counterexample is not None
        places = self._way(place)
        for step in result.counterexample.steps:
            state = self._known[places[-1]].state
            if state is None:
                break
            try:
                places.append(self._met(places[-1], take(self.model.program, state, Choice.of(step))))
            except ReplayError:  # the formula asked for a program with other places of control
                return ()
        return tuple(places)

    def _named(self, answer: AnswerView, place: int) -> AnswerView:
        length = self._at(place).length
        return replace(answer, property=f"{answer.property}, from step {length}") if length else answer

    def _option(self, state: State, step: Step) -> OptionView:
        row: Row = row_of(self.model.program, state, step, 1)
        spot = self._album.texts.spot(step.transition.place)
        text = row.statement if row.partner_statement is None else f"{row.statement} … {row.partner_statement}"
        return OptionView(row.process, step.process, text, spot, row.change_texts, row.problem or "", row.partner or "")
