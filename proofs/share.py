"""A share of the proofs that is checked anew whatever the record says, another one each time.

The record is a file like any other: who writes into it what no prover has said is found out, since which proofs are
checked anew depends on the commit and the day, and comes to all of them in turn.
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from proofs.task import ROOT, Task


def seed() -> str:
    """What the share depends on: the commit, which is not there in an unpacked archive, and the day."""
    asked = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    commit = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return f"{commit} {datetime.now(UTC).date()}"


def share(every: Sequence[Task], entries: dict[str, dict[str, Any]], seconds: float, seed: str) -> list[Task]:
    """Tasks that take about so many seconds of processor time together, at least one, as the seed has it."""

    def turn(task: Task) -> bytes:
        return hashlib.sha256(f"{seed} {task.name}".encode()).digest()

    chosen: list[Task] = []
    for task in sorted(every, key=turn):
        cost = entries.get(task.name, {}).get("processor", 0.0)
        if not chosen or cost <= seconds:
            chosen.append(task)
            seconds -= cost
    return chosen
