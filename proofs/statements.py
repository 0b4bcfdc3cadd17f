"""What the proofs say, pinned: for every proof a file that a reader can review, and that must not change unnoticed.

A file in `statements/` holds the contracts or theorems that matter, as they are written, and the definitions that they
are made of. Whoever empties a theorem, drops an `ensures` or adds a hypothesis changes one of these files, or fails.
`EVERAFTER_UPDATE=1 python -m proofs` writes them anew.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from proofs.task import FOLDER, Task

STATEMENTS = FOLDER / "statements"
WORD = re.compile(r"[\w']+")


def pinned_path(file: str) -> Path:
    """Where the statements of the proof are pinned."""
    return STATEMENTS / f"{file}.txt"


def pinned(file: str) -> str:
    """What the proof must say."""
    path = pinned_path(file)
    return path.read_text() if path.exists() else ""


def compared(task: Task, found: str) -> tuple[Task, str | None]:
    """The task, and how the proof departs from what it must say. If that is to be pinned now, it must say this."""
    if task.pinned == found:
        return task, None
    if os.environ.get("EVERAFTER_UPDATE"):
        path = pinned_path(task.file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found)
        return replace(task, pinned=found), None
    before, after = task.pinned.splitlines(), found.splitlines()
    gone = [f"- {line}" for line in before if line not in after]
    new = [f"+ {line}" for line in after if line not in before]
    return task, "\n".join((f"it does not say what statements/{task.file}.txt pins:", *gone[:8], *new[:8]))


def needed(statement: Iterable[str], definitions: Mapping[str, str]) -> list[str]:
    """The definitions whose names the statements use, and those whose names these use, and so on, in their order."""
    found: set[str] = set()
    waiting = list(statement)
    while waiting:
        new = {word for word in WORD.findall(waiting.pop()) if word in definitions} - found
        found |= new
        waiting.extend(definitions[name] for name in new)
    return list(dict.fromkeys(definitions[name] for name in definitions if name in found))
