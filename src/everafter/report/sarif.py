"""Results as SARIF 2.1.0, in which analysers of programs report what they found, and where."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from everafter.report.model_report import Checked
from everafter.source import Diagnostic, Spot
from everafter.verdict.result import Counterexample, Result
from everafter.verdict.run_rows import Row

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_MOST_STEPS = 1000
"""Of a longer run only the first and the last steps are given: those who show these files have limits."""
_RULES = {
    "assertion": "An assertion fails",
    "end-state": "A run stops where it must not",
    "runtime": "A step cannot be completed",
    "trace": "A run is none that the trace allows",
    "safety": "Something goes wrong in a run",
    "ltl": "A formula is violated",
    "never": "A run is one that must never be",
    "acceptance": "A run is at accept labels again and again",
    "progress": "A run makes no progress for ever",
    "incomplete": "A property was not decided",
    "input": "The model cannot be read",
    "warning": "Something in the model is probably not meant",
}


def as_sarif(models: Sequence[Checked], version: str) -> str:
    """Return the SARIF of one run of this `version` over `models`.

    It has all that is not as it should be, in a model, its properties or the check.
    """
    found = [entry for checked in models for entry in _entries(checked)]
    used = {entry["ruleId"] for entry in found}
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in _RULES.items() if name in used]
    run = {
        "tool": {"driver": {"name": "everafter", "version": version, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": all(checked.error is None for checked in models)}],
        "results": found,
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _entries(checked: Checked) -> Iterator[dict[str, Any]]:
    for diagnostic in checked.diagnostics:
        yield _diagnosed(diagnostic)
    if checked.error is not None and not any(each.severity == "error" for each in checked.diagnostics):
        yield _entry("input", "error", str(checked.error), Spot(checked.model, 1, 1))
    for result in checked.results:
        if result.violated:
            yield _violation(result, checked.spot_of(result))
        elif result.incomplete:
            message = f"'{result.property}' was not decided: {result.reason}"
            yield _entry("incomplete", "warning", message, checked.spot_of(result))


def _diagnosed(diagnostic: Diagnostic) -> dict[str, Any]:
    is_error = diagnostic.severity == "error"
    message = diagnostic.message + (f" ({diagnostic.advice})" if diagnostic.advice else "")
    return _entry("input" if is_error else "warning", diagnostic.severity, message, Spot.of(diagnostic.place))


def _violation(result: Result, spot: Spot) -> dict[str, Any]:
    run = result.counterexample
    problem = run.problem if run is not None else None
    rule = problem.kind if problem is not None and problem.kind != "claim" else result.kind
    entry = _entry(rule, "error", f"'{result.property}' is violated: {result.reason}", spot)
    if run is not None:
        entry["codeFlows"] = [{"threadFlows": [{"locations": list(_flow(run))}]}]
    return entry


def _entry(rule: str, level: str, message: str, spot: Spot) -> dict[str, Any]:
    return {"ruleId": rule, "level": level, "message": {"text": message}, "locations": [_location(spot)]}


def _location(spot: Spot) -> dict[str, Any]:
    region = {"startLine": max(spot.line, 1), "startColumn": max(spot.column, 1)}
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(spot.file)}, "region": region}}


def _uri(file: str) -> str:
    """A file as a relative or absolute reference."""
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def _flow(run: Counterexample) -> Iterator[dict[str, Any]]:
    """The steps of a run, each at its place."""
    for row in _shown(run):
        text = f"{row.process}: {row.statement}"
        if row.partner is not None:
            text += f" → {row.partner}: {row.partner_statement}"
        notes = [*row.change_texts, *([row.problem] if row.problem is not None else [])]
        begins_cycle = run.cycle and row.number == len(run.prefix) + 1
        said = ("from here again and again, for ever: " if begins_cycle else "") + text
        location = {**_location(row.spot), "message": {"text": said + (f" [{', '.join(notes)}]" if notes else "")}}
        yield {"location": location, "executionOrder": row.number}


def _shown(run: Counterexample) -> Iterable[Row]:
    if len(run) <= _MOST_STEPS:
        return run.rows_between(0, len(run))
    half = _MOST_STEPS // 2
    return [*run.rows_between(0, half), *run.rows_between(len(run) - half, len(run))]
