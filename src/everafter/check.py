"""The whole path of a model on one screen: read it, build its program, search its states, judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from everafter.program.program import Program, build
from everafter.promela.parser import parse as parse_promela
from everafter.source import Diagnostic, InputError, Place, Source
from everafter.verdict.limits import Limits
from everafter.verdict.result import Result
from everafter.verdict.safety import check_safety


@dataclass(frozen=True, slots=True)
class Model:
    """A model that has been read and understood."""

    name: str
    program: Program
    warnings: tuple[Diagnostic, ...]
    defines: Mapping[str, str] = field(default_factory=dict)

    def check(self, limits: Limits | None = None, algorithm: str = "breadth-first") -> list[Result]:
        """The verdict on everything the model states."""
        bounds = limits or Limits()
        return [check_safety(self.program, bounds, algorithm)]


def load(path: str | Path, defines: Mapping[str, str] | None = None, *, loses_messages: bool = False) -> Model:
    """Read a model from a file. Raises InputError with every mistake in it."""
    name = str(path)
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        place = Place(Source(name, ""), 1, 1)
        raise InputError([Diagnostic(place, f"cannot read the model: {error.strerror or error}")]) from error
    return _understood(Source(name, text), defines, loses_messages)


def parse(text: str, defines: Mapping[str, str] | None = None, *, loses_messages: bool = False) -> Model:
    """Read a model from a text. Raises InputError with every mistake in it."""
    return _understood(Source("<model>", text), defines, loses_messages)


def _understood(source: Source, defines: Mapping[str, str] | None, loses_messages: bool) -> Model:
    model, warnings = parse_promela(source, defines)
    return Model(source.name, build(model, loses_messages), warnings, dict(defines or {}))
