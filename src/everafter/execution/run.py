"""A run by the choices that lead along it: enough to take it again, and nothing to be believed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from everafter.execution.step import Step
from everafter.record import dataclass


class Choice(NamedTuple):
    """Which step was taken: the process and its transition, and for a rendezvous also the receiver's."""

    process: int
    element: int
    partner: int | None = None
    partner_element: int | None = None

    @staticmethod
    def of(step: Step) -> Choice:
        """The choice that leads to this step."""
        answer = step.partner_transition
        return Choice(step.process, step.transition.element, step.partner, answer.element if answer else None)

    def means(self, step: Step) -> bool:
        """Whether this is the choice that leads to a step."""
        return self.element == step.transition.element and self == Choice.of(step)


RunEnd = Literal["problem", "cycle", "stop"]
"""At the end of a run something goes wrong; or its cycle is repeated for ever; or the system has stopped for ever."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run from the initial state: the choices that lead on, and those that are repeated for ever."""

    prefix: tuple[Choice, ...]
    cycle: tuple[Choice, ...]
    end: RunEnd

    @staticmethod
    def along(prefix: Iterable[Step | None], cycle: Iterable[Step | None] = (), *, is_finite: bool = False) -> Run:
        """Return the run that takes the steps of `prefix`, then those of `cycle` for ever; None stays where one is.

        A cycle of nothing else stops. A run that `is_finite` ends behind both, with a problem.
        """
        leading = tuple(Choice.of(step) for step in prefix if step is not None)
        repeated = tuple(Choice.of(step) for step in cycle if step is not None)
        if is_finite:
            return Run((*leading, *repeated), (), "problem")
        return Run(leading, repeated, "cycle" if repeated else "stop")
