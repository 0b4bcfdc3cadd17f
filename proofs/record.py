"""What has been checked, by content: a proof that is unchanged costs nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from proofs.catalogue import fingerprint
from proofs.task import FOLDER, Outcome, Task

RECORD = FOLDER / "checked.json"


def recorded() -> dict[str, dict[str, Any]]:
    """By name of the task: its fingerprint when it was last found as it must be, and what that took."""
    entries: dict[str, dict[str, Any]] = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    return entries


def is_fresh(task: Task, entries: dict[str, dict[str, Any]]) -> bool:
    """Whether this very task has been found as it must be."""
    return entries.get(task.name, {}).get("fingerprint") == fingerprint(task)


def remember(outcomes: Iterable[Outcome], every: Iterable[Task]) -> None:
    """Write down what is as it must be, and forget tasks that are no more."""
    entries = recorded()
    for outcome in outcomes:
        if outcome.problem is None:
            entries[outcome.task.name] = {
                "fingerprint": fingerprint(outcome.task),
                "seconds": round(outcome.seconds, 1),
                "processor": round(outcome.processor, 1),
                "rests on": list(outcome.notes),
            }
        else:
            entries.pop(outcome.task.name, None)
    names = {task.name for task in every}
    kept = {name: entry for name, entry in sorted(entries.items()) if name in names}
    RECORD.write_text(json.dumps(kept, indent=1) + "\n")
