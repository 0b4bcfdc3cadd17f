"""How a worker waits for others."""

from __future__ import annotations

from everafter.engine.code.atomics import relax, shared
from everafter.engine.code.intrinsics import call_one, call_zero
from everafter.engine.store.offsets import NAP, SLEEP, YIELD

SPINS = 64  # how often a waiting worker looks again before it lets other threads run
YIELDS = 256  # how often it waits before it sleeps: a run without branches has work for one alone


def hesitate(_block: int) -> None:
    """A place at which another worker may come between. Tests bind it to a function that waits there by chance."""


def relaxed(team: int, turn: int) -> None:
    """Wait a moment, in the `turn` of a loop: spin at first, then let other threads of the `team` run, then sleep."""
    if turn < SPINS:
        relax(0)
    elif turn < YIELDS:
        call_zero(shared(team + YIELD))
    else:
        call_one(shared(team + SLEEP), shared(team + NAP))
