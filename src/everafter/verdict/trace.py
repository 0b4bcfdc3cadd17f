"""Runs on disk in our own format: the choices of a run, enough to take it again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from everafter.execution.run import Choice
from everafter.execution.state import State
from everafter.execution.step import Step
from everafter.ltl import text_of
from everafter.program.program import Program
from everafter.verdict.json_text import pieces
from everafter.verdict.replay import ReplayError, replay
from everafter.verdict.result import Counterexample

FORMAT = "everafter trace 1"


@dataclass(frozen=True, slots=True)
class Trace:
    """The choices of a run, enough to take it again."""

    model: str
    property: str
    defines: Mapping[str, str]
    prefix: tuple[Choice, ...]
    cycle: tuple[Choice, ...] = ()
    formula: str | None = None
    """The formula that the run violates: which places of control there are may depend on it."""

    def text(self) -> Iterator[str]:
        """The text of the trace file, piece by piece."""
        content = {
            "format": FORMAT,
            "model": self.model,
            "property": self.property,
            "formula": self.formula,
            "defines": dict(self.defines),
            "prefix": map(_to_json, self.prefix),
            "cycle": map(_to_json, self.cycle),
        }
        yield from pieces(content)
        yield "\n"


def trace_of(run: Counterexample, model: str, property_name: str, defines: Mapping[str, str]) -> Trace:
    """The trace of a counterexample."""
    return Trace(
        model,
        property_name,
        defines,
        tuple(Choice.of(step) for step in run.prefix),
        tuple(Choice.of(step) for step in run.cycle),
        text_of(run.formula) if run.formula is not None else None,
    )


def read_trace(text: str) -> Trace:
    """A trace from its text. Raises ReplayError if it is none."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise ReplayError(f"not a trace file: {error}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ReplayError(f"not a trace file of the format '{FORMAT}'")
    try:
        return Trace(
            str(content["model"]),
            str(content["property"]),
            {str(name): str(value) for name, value in content["defines"].items()},
            tuple(_from_json(item) for item in content["prefix"]),
            tuple(_from_json(item) for item in content["cycle"]),
            str(content["formula"]) if content.get("formula") is not None else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ReplayError(f"the trace file is damaged: {error!r}") from error


def _to_json(choice: Choice) -> list[int]:
    if choice.partner is None or choice.partner_element is None:
        return [choice.process, choice.element]
    return [choice.process, choice.element, choice.partner, choice.partner_element]


def _from_json(item: Any) -> Choice:
    numbers = [int(number) for number in item]
    if len(numbers) not in (2, 4):
        raise ValueError(f"a step is 2 or 4 numbers, not {item}")
    return Choice(*numbers)


def run_of_trace(program: Program, trace: Trace) -> tuple[State, list[Step]]:
    """The run a trace describes, taken on the reference."""
    return replay(program, (*trace.prefix, *trace.cycle))
