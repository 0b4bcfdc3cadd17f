"""Labels that state a property which a request leaves out."""

from __future__ import annotations

from collections.abc import Iterator

from everafter.program.effect_parts import expressions_in
from everafter.program.program import Program
from everafter.promela.model import Labelled, NonProgress
from everafter.promela.walk import statements, subexpressions
from everafter.questions.request import Request
from everafter.source import Diagnostic


def unasked_labels(program: Program, request: Request) -> tuple[Diagnostic, ...]:
    """Return warnings about `accept` and `progress` labels of `program`, if `request` is for all that a model states.

    Labels are not among that.
    """
    if not request.asks_nothing:
        return ()
    found: list[Diagnostic] = []
    if not any(process.role == "never" for process in program.processes):
        found += _unasked(program, "accept", "--acceptance")
    if not _asks_for_progress(program):
        found += _unasked(program, "progress", "--progress")
    return tuple(found)


def _unasked(program: Program, beginning: str, option: str) -> list[Diagnostic]:
    labels = [label for label in _labels(program) if label.label.name.startswith(beginning)]
    if not labels:
        return []
    message = f"labels that begin with '{beginning}' are looked at only if that is asked for"
    return [Diagnostic(labels[0].place, message, f"check with {option}", "warning")]


def _labels(program: Program) -> Iterator[Labelled]:
    for process in program.processes:
        if process.role in ("process", "init"):
            for statement in statements(process.declaration.body):
                if isinstance(statement, Labelled):
                    yield statement


def _asks_for_progress(program: Program) -> bool:
    """Whether the model's own claims ask for progress."""
    return any(
        isinstance(part, NonProgress)
        for effect in program.effects()
        for whole in expressions_in(effect)
        for part in subexpressions(whole)
    )
