"""Reports for programs: one JSON object."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from everafter.execution.state import State
from everafter.execution.step import Step
from everafter.ltl import text_of
from everafter.program.program import Program
from everafter.verdict.changes import changes, process_name
from everafter.verdict.result import Counterexample, Result


def as_json(program: Program, model: str, results: Iterable[Result], seconds: float, version: str) -> str:
    """The results of a check as docs/command-line.md describes them."""
    content = {
        "model": model,
        "results": [_result(program, result) for result in results],
        "seconds": round(seconds, 6),
        "version": version,
    }
    return json.dumps(content, indent=2)


def _result(program: Program, result: Result) -> dict[str, Any]:
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
        "engine": result.engine,
        "reduction": result.reduction,
        "unreduced": result.unreduced or None,
        "algorithm": result.algorithm,
        "threads": result.threads,
        "counterexample": _counterexample(program, result.counterexample),
    }


def _counterexample(program: Program, run: Counterexample | None) -> dict[str, Any] | None:
    if run is None:
        return None
    prefix, state = _steps(program, run.start, run.prefix)
    cycle, _ = _steps(program, state, run.cycle)
    content: dict[str, Any] = {"prefix": prefix, "cycle": cycle}
    if run.formula is not None:
        content["truth"] = {text_of(part): list(values) for part, values in run.truth()}
        content["positions"] = list(run.positions)
    return content


def _steps(program: Program, state: State, taken: tuple[Step, ...]) -> tuple[list[dict[str, Any]], State]:
    rows: list[dict[str, Any]] = []
    for step in taken:
        place = step.transition.place.seen_at()
        row: dict[str, Any] = {
            "process": process_name(program, state, step.process),
            "file": place.source.name,
            "line": place.line,
            "column": place.column,
            "statement": step.transition.text,
        }
        if step.partner is not None and step.partner_transition is not None:
            row["partner"] = process_name(program, state, step.partner)
            row["partner_statement"] = step.partner_transition.text
            row["partner_line"] = step.partner_transition.place.seen_at().line
        row["changes"] = changes(program, state, step.state) if step.state is not None else []
        if step.problem is not None:
            row["problem"] = step.problem.message
        rows.append(row)
        if step.state is not None:
            state = step.state
    return rows, state
