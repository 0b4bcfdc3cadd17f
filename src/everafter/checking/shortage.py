"""What to say while memory lasts: that it will soon be used up, and what would help."""

from __future__ import annotations

from everafter.checking.limits import Notice
from everafter.checking.plan import Plan, Stage
from everafter.checking.question import Question
from everafter.engine.columns import FORGETFUL

NEARLY_ALL = 0.75
"""The share of the memory allowed from which on it is short."""


def is_short(used: int, limit: int) -> bool:
    """Whether so many bytes of those allowed are in use that the user should know."""
    return used > NEARLY_ALL * limit


def shortage(plan: Plan, stage: Stage, question: Question, states: int, limit: int) -> Notice:
    """What a user is told then."""
    helps = ", or ".join(remedies(plan, stage, question))
    used = f"over {NEARLY_ALL:.0%} of the {limit / 2**20:,.0f} MiB for states are in use after {states:,} states"
    return Notice(f"{used}; what would help: {helps}")


def remedies(plan: Plan, stage: Stage, question: Question) -> list[str]:
    """What would need less memory, or have more, the least loss first."""
    found = ["more --memory"]
    if question.reduction == "none":
        found.append("--reduction static")
    store = plan.store_of(stage)
    if store == "plain":
        found.append("--store tree, some 12 bytes a state (one thread)")
    if question.goal == "reachability":
        found.append("--cluster, the memory of many machines")
        if store not in FORGETFUL:
            found.append("--store compact or bitstate, which may find a violation but show none to be absent")
    return found
