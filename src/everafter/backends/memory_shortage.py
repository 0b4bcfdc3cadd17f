"""When memory is short: what to say, and what would help; and where stacks and queues go then."""

from __future__ import annotations

import tempfile
from pathlib import Path

from everafter.choices import LOSSY
from everafter.engine.code.cache import cache_folder
from everafter.engine.memory.disk import Disk
from everafter.engine.run.spill import SHORT
from everafter.questions.limits import NO_DISK, Limits, Notice
from everafter.questions.plan import Plan, Stage
from everafter.questions.question import Question
from everafter.system import is_in_memory


def is_short(used: int, limit: int) -> bool:
    """Return whether `used` bytes of `limit` are enough for a notice to the user."""
    return used > SHORT * limit


def shortage(plan: Plan, stage: Stage, question: Question, states: int, limit: int) -> Notice:
    """Return the notice that memory is short after `states` states of `question`, with `limit` bytes for them.

    `plan` and `stage` say which search it is.
    """
    helps = ", or ".join(remedies(plan, stage, question))
    used = f"over {SHORT:.0%} of the {limit / 2**20:,.0f} MiB for states are in use after {states:,} states"
    return Notice(f"{used}; what would help: {helps}")


def remedies(plan: Plan, stage: Stage, question: Question) -> list[str]:
    """Return what would need less memory than `stage` of `plan` for `question`, or have more, the least loss first."""
    found = ["more --memory"]
    if question.reduction == "none":
        found.append("--reduction static")
    store = plan.store_of(stage)
    if store == "plain":
        found.append("--store tree, some 12 bytes a state")
    if question.goal == "reachability":
        found.append("--cluster, the memory of many machines")
        if store not in LOSSY:
            found.append("--store compact or bitstate, which may find a violation but show none to be absent")
    return found


def disk_for(limits: Limits) -> Disk | None:
    """Where stacks go when memory is short: the folder of the option, or one that is known to be on a disk."""
    if limits.disk is not None:
        return None if limits.disk == NO_DISK else Disk(Path(limits.disk))
    usual = (Path(tempfile.gettempdir()), cache_folder())
    return next((Disk(folder) for folder in usual if folder.is_dir() and not is_in_memory(folder)), None)
