"""A backend that is nothing but an implementation of `Backend`: it walks through a program's states with a dictionary.

It also shows what a backend must be kept from: `Liar` claims what is not true.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from everafter.execution.run import Choice, Run
from everafter.execution.state import State
from everafter.execution.step import Step, initial_state, is_valid_end, steps
from everafter.questions.outcome import Ending, Figures, Method, Outcome
from everafter.questions.plan import Engine, Plan
from everafter.questions.question import Question


@dataclass(frozen=True)
class Toy:
    """Decides safety, breadth-first."""

    plan: Plan

    def decide(self, question: Question) -> Outcome:
        assert question.goal == "reachability"
        method = Method("toy", "breadth-first", why="it was asked for")
        start = initial_state(question.program)
        arrived: dict[State, tuple[State, Step] | None] = {start: None}
        queue = deque([start])
        while queue:
            state = queue.popleft()
            possible = steps(question.program, state)
            wrong = next((step for step in possible if step.problem is not None), None)
            if wrong is not None or (not possible and not is_valid_end(question.program, state)):
                taken = [wrong] if wrong is not None else []
                while (before := arrived[state]) is not None:
                    state, step = before
                    taken.append(step)
                run = Run.along(reversed(taken), is_finite=True)
                return Outcome(Ending.FOUND, method, Figures(len(arrived)), run)
            for step in possible:
                if step.state is not None and step.state not in arrived:
                    arrived[step.state] = (state, step)
                    queue.append(step.state)
        return Outcome(Ending.COMPLETED, method, Figures(len(arrived)))


@dataclass(frozen=True)
class Liar:
    """Claims to have found a run, whatever is asked."""

    plan: Plan
    run: Run = field(default=Run((Choice(0, 1),), (), "problem"))

    def decide(self, question: Question) -> Outcome:
        del question
        return Outcome(Ending.FOUND, Method("liar", "guessing"), run=self.run)


TOY = Engine("toy", Toy)
LIAR = Engine("liar", Liar)
