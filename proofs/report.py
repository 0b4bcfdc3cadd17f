"""What is told of the proofs: what each proves, what it takes for granted, and how long it took."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from typing import Any

from proofs.task import Outcome, Task

Entries = dict[str, dict[str, Any]]


def progress(outcome: Outcome) -> str:
    """One line as soon as an answer is there."""
    state = "as it must be" if outcome.problem is None else "NOT as it must be"
    return f"{outcome.task.name}: {state}, {outcome.seconds:.0f} s"


def as_text(meant: Sequence[Task], outcomes: Sequence[Outcome], entries: Entries) -> str:
    """The report for people."""
    asked = {outcome.task.name: outcome for outcome in outcomes}
    parts = [line for task in meant for line in _task_lines(task, asked.get(task.name), entries.get(task.name, {}))]
    failed = [outcome for outcome in outcomes if outcome.problem is not None]
    return "\n".join((*parts, *_failures(failed), _total(meant, outcomes, entries)))


def _task_lines(task: Task, outcome: Outcome | None, entry: dict[str, Any]) -> list[str]:
    if outcome is not None and outcome.problem is not None:
        state = "FAILED"
    else:
        state = "checked" if outcome is not None else "checked before"
    times = f"{entry.get('seconds', 0):7.1f} s {entry.get('processor', 0):7.1f} s processor"
    lines = [f"{task.name:<58} {state:<15} {times}"]
    if task.variant != "proof":
        return lines
    if task.proves:
        lines.append(textwrap.fill(", ".join(task.proves), 118, initial_indent="    proves ", subsequent_indent="    "))
    granted = [f"{each.name} ({each.file}:{each.line})" for each in task.assumptions if each.line]
    granted += entry.get("rests on", [])
    if granted:
        lines.append(
            textwrap.fill(", ".join(dict.fromkeys(granted)), 118, initial_indent="    given ", subsequent_indent="    ")
        )
    return lines


def _failures(failed: Sequence[Outcome]) -> list[str]:
    return [f"\n{outcome.task.name} is not as it must be:\n{outcome.problem}" for outcome in failed]


def _total(meant: Sequence[Task], outcomes: Sequence[Outcome], entries: Entries) -> str:
    failed = sum(outcome.problem is not None for outcome in outcomes)
    proved = sum(len(task.proves) for task in meant if task.variant == "proof")
    spent = sum(outcome.processor for outcome in outcomes)
    whole = sum(entries.get(task.name, {}).get("processor", 0) for task in meant)
    return (
        f"\n{len(meant)} runs for {proved} methods and theorems: {len(outcomes)} now, {failed} failed; "
        f"{spent:.0f} s of processor time now, {whole:.0f} s for all of them"
    )


def as_json(meant: Sequence[Task], outcomes: Sequence[Outcome], entries: Entries) -> str:
    """The report for programs."""
    problems = {outcome.task.name: outcome.problem for outcome in outcomes}
    return json.dumps(
        [
            {
                "name": task.name,
                "proves": list(task.proves),
                "given": [f"{each.file}:{each.line} {each.name}" for each in task.assumptions if each.line],
                "now": task.name in problems,
                "problem": problems.get(task.name),
                **entries.get(task.name, {}),
            }
            for task in meant
        ],
        indent=1,
    )
