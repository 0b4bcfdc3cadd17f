"""Runs on disk in our own format: the choices of a run, enough to take it again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from everafter.execution.run import Choice
from everafter.execution.state import State
from everafter.execution.step import Step
from everafter.ltl.formula_text import text_of
from everafter.program.program import Program
from everafter.record import dataclass
from everafter.verdict.json_pieces import Encoded, pieces
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
            "prefix": _encoded(self.prefix),
            "cycle": _encoded(self.cycle),
        }
        yield from pieces(content)
        yield "\n"


def trace_of(run: Counterexample, model: str, property_name: str, defines: Mapping[str, str]) -> Trace:
    """Return the trace of the counterexample `run` of `property_name`, of `model` with the macros `defines`."""
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
            _choices(content["prefix"]),
            _choices(content["cycle"]),
            str(content["formula"]) if content.get("formula") is not None else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ReplayError(f"the trace file is damaged: {error!r}") from error


# A long run makes few different choices: each is written and read once.


def _encoded(choices: Iterable[Choice]) -> Iterator[Encoded]:
    known: dict[Choice, Encoded] = {}
    for choice in choices:
        text = known.get(choice)
        if text is None:
            text = known[choice] = Encoded(json.dumps([number for number in choice if number is not None]))
        yield text


def _choices(items: Iterable[Any]) -> tuple[Choice, ...]:
    known: dict[tuple[Any, ...], Choice] = {}
    found = []
    for item in items:
        key = tuple(item)
        choice = known.get(key)
        if choice is None:
            choice = known[key] = _choice(key)
        found.append(choice)
    return tuple(found)


def _choice(item: tuple[Any, ...]) -> Choice:
    numbers = [int(number) for number in item]
    if len(numbers) not in (2, 4):
        raise ValueError(f"a step is 2 or 4 numbers, not {list(item)}")
    return Choice(*numbers)


def run_of_trace(program: Program, trace: Trace) -> tuple[State, list[Step]]:
    """Return the run of `program` that `trace` describes, taken on the reference."""
    return replay(program, (*trace.prefix, *trace.cycle))
