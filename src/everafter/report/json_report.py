"""Reports for programs: one JSON object."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import Any

from everafter.hints.facts import Coverage
from everafter.ltl.formula_text import text_of
from everafter.questions.outcome import WorkerFigures
from everafter.record import asdict
from everafter.source import Diagnostic, EverafterError, InputError
from everafter.verdict.json_pieces import Encoded, pieces
from everafter.verdict.result import Counterexample, Result
from everafter.verdict.run_rows import Row
from everafter.verdict.waiting import Wait

SCHEMA = 1
"""The version of the shape that check.schema.json describes. It grows when a field goes or changes its meaning."""


def as_json(
    model: str,
    results: Iterable[Result],
    seconds: float,
    version: str,
    *,
    warnings: Iterable[Diagnostic] = (),
    choice: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """Return the JSON of `results`, as docs/command-line.md describes it, piece by piece: a run may be long.

    They are those of a check of `model` that took `seconds`, by this `version`; `warnings` were given about the model.
    In a sweep, `choice` says which values the parameters have.
    """
    content = {
        "schema": SCHEMA,
        "model": model,
        **({"defines": dict(choice)} if choice is not None else {}),
        "results": [_result(result) for result in results],
        "diagnostics": [_diagnostic(warning) for warning in warnings],
        "seconds": round(seconds, 6),
        "version": version,
    }
    return pieces(content)


def unread_as_json(model: str, error: EverafterError, version: str, choice: Mapping[str, str] | None = None) -> str:
    """Return the JSON that says, in place of results, that `error` kept `model` from being checked by this `version`.

    In a sweep, `choice` says which values the parameters have.
    """
    mistakes = error.diagnostics if isinstance(error, InputError) else ()
    content = {
        "schema": SCHEMA,
        "model": model,
        **({"defines": dict(choice)} if choice is not None else {}),
        "results": [],
        "error": str(error),
        "diagnostics": [_diagnostic(mistake) for mistake in mistakes],
        "version": version,
    }
    return json.dumps(content, indent=2)


def schema_text(command: str = "check") -> str:
    """The JSON Schema of what `command` prints: `check`, by `as_json` and `unread_as_json`, or `certify`."""
    return files("everafter.report").joinpath(f"{command}.schema.json").read_text(encoding="utf-8")


def _diagnostic(diagnostic: Diagnostic) -> dict[str, Any]:
    place = diagnostic.place
    return {
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "advice": diagnostic.advice,
        "file": place.source.name,
        "line": place.line,
        "column": place.column,
        "length": place.length,
        "rendered": diagnostic.render(),
    }


def _result(result: Result) -> dict[str, Any]:
    return {
        "property": result.property,
        "kind": result.kind,
        "verdict": result.verdict,
        "reason": result.reason,
        "states": result.states,
        "transitions": result.transitions,
        "depth": result.depth,
        "seconds": round(result.seconds, 6),
        "search_seconds": round(result.search_seconds, 6),
        "compile_seconds": round(result.compile_seconds, 6),
        "bytes_per_state": round(result.bytes_per_state, 2),
        "disk_bytes": result.disk_bytes,
        "engine": result.engine,
        "reduction": result.reduction,
        "unreduced": result.unreduced or None,
        "erased": result.erased,
        "merged": result.merged,
        "symmetry": result.symmetry or None,
        "asymmetric": result.asymmetric or None,
        "whole": result.whole or None,
        "algorithm": result.algorithm,
        "threads": result.threads,
        "why": result.why or None,
        "store": result.store or None,
        "workers": [_worker(each) for each in result.workers] or None,
        "visited": result.visited,
        "checkpoint": result.checkpoint,
        "shortest": result.is_shortest,
        "coverage": None if result.coverage is None else _coverage(result.coverage),
        "vacuity": None if result.vacuity is None else asdict(result.vacuity),
        "under_fairness": None if result.under_fairness is None else asdict(result.under_fairness),
        "certified": result.certified or None,
        "disagreement": result.disagreement or None,
        "counterexample": _counterexample(result.counterexample),
    }


def _worker(figures: WorkerFigures) -> dict[str, Any]:
    return {**asdict(figures), "search_seconds": round(figures.search_seconds, 6)}


def _coverage(coverage: Coverage) -> dict[str, Any]:
    unreached = [{**asdict(each), "spot": each.spot._asdict()} for each in coverage.unreached]
    return {**asdict(coverage), "unreached": unreached}


def _counterexample(run: Counterexample | None) -> dict[str, Any] | None:
    if run is None:
        return None
    rows = _RowsAsJson()
    content: dict[str, Any] = {
        "prefix": map(rows.text, run.rows_between(0, len(run.prefix))),
        "cycle": map(rows.text, run.rows_between(len(run.prefix), len(run))),
    }
    if run.formula is not None:
        content["truth"] = {text_of(part): values for part, values in run.truth()}
        content["positions"] = run.positions
    if run.waits:
        content["waits"] = [_wait(wait) for wait in run.waits]
    return content


def _wait(wait: Wait) -> dict[str, Any]:
    return {
        "process": wait.process,
        "file": wait.spot.file,
        "line": wait.spot.line,
        "may_stop": wait.may_stop,
        "for": [
            {"line": each.spot.line, "statement": each.statement, "reason": each.reason} for each in wait.obstacles
        ],
        "advice": wait.advice,
    }


class _RowsAsJson:
    """Writes rows; what is the same whenever a statement is executed is written once."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], str] = {}
        self._encode = json.JSONEncoder().encode

    def text(self, row: Row) -> Encoded:
        """The row as JSON."""
        key = (row.process, row.spot, row.statement, row.partner, row.partner_spot, row.partner_statement)
        beginning = self._known.get(key)
        if beginning is None:
            beginning = self._known[key] = self._encode(_statement(row)).removesuffix("}")
        changes = ", ".join(map(self._encode, row.change_texts))
        problem = "" if row.problem is None else f', "problem": {self._encode(row.problem)}'
        return Encoded(f'{beginning}, "changes": [{changes}]{problem}}}')


def _statement(row: Row) -> dict[str, Any]:
    content: dict[str, Any] = {
        "process": row.process,
        "file": row.spot.file,
        "line": row.spot.line,
        "column": row.spot.column,
        "statement": row.statement,
    }
    if row.partner is not None and row.partner_spot is not None:
        content["partner"] = row.partner
        content["partner_statement"] = row.partner_statement
        content["partner_line"] = row.partner_spot.line
    return content
