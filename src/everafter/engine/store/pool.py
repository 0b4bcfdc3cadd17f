"""Work sharing: nodes that any worker may expand, given to idle workers or offered for several to search from."""

from __future__ import annotations

from everafter.engine.block import NO_NODE, OFFERED, TEAM
from everafter.engine.code.atomics import add, share, shared, swap_if
from everafter.engine.code.intrinsics import word
from everafter.engine.store.arena_rows import row_of
from everafter.engine.store.backoff import hesitate, relaxed
from everafter.engine.store.offsets import BLOCKS, IDLE, LOCK, POOL, POOL_ROOM, POOLED, WORKERS
from everafter.engine.store.single_store import NO_ROOM, PENDING, as_number
from everafter.engine.store.team_store import pause
from everafter.search.space import DISCOVERED

LEAST_GIVEN = 64  # a worker with fewer nodes keeps them
MOST_GIVEN = 4096


def lock(team: int) -> None:
    """Wait for the lock of the `team`. It is held for a short time, during which its holder waits for nothing."""
    turn = 0
    while swap_if(team + LOCK, 0, 1) != 0:
        relaxed(team, turn)
        turn += 1


def give(block: int, height: int) -> int:
    """Give half of the nodes in `pending[0 … height - 1]` of the `block` to idle workers, if there are any.

    Return how many of the `height` nodes are left.
    """
    team = word(block, TEAM)
    if height < LEAST_GIVEN or shared(team + IDLE) == 0 or shared(team + POOLED) != 0:
        return height
    pending = as_number(word(block, PENDING))
    lock(team)
    pooled = shared(team + POOLED)
    hesitate(block)
    count = min(height >> 1, MOST_GIVEN, shared(team + POOL_ROOM) - pooled)
    pool = as_number(shared(team + POOL))
    for offset in range(count):
        pool[pooled + offset] = pending[offset]
    share(team + POOLED, pooled + count)
    share(team + LOCK, 0)
    for position in range(count, height):
        pending[position - count] = pending[position]
    return height - count


def colour_now(block: int, node: int) -> int:
    """Return the colour of `node` in the `block`, which other workers change: the lowest bits of a word."""
    return shared(row_of(block, node))


def offered(block: int) -> int:
    """Return a node that another worker of the team of the `block` searches from and is not done, or NO_NODE."""
    team = word(block, TEAM)
    for place in range(team + BLOCKS, team + BLOCKS + (shared(team + WORKERS) << 3), 8):
        node = shared(shared(place) + (OFFERED << 3))
        if node != NO_NODE and colour_now(block, node) & DISCOVERED == 0:
            return node
    return NO_NODE


def take(block: int) -> int:
    """Wait for nodes, into `pending` of the `block` from 0 on.

    Return how many, 0 when every worker waits for some, negative to stop. A node that another worker searches from
    comes alone.
    """
    team = word(block, TEAM)
    lock(team)
    add(team + IDLE, 1)
    share(team + LOCK, 0)
    pending = as_number(word(block, PENDING))
    turn = 0
    while True:
        lock(team)
        pooled = shared(team + POOLED)
        if pooled > 0:
            count = min(pooled, max(1, pooled // shared(team + IDLE)))
            pool = as_number(shared(team + POOL))
            for offset in range(count):
                pending[offset] = pool[pooled - count + offset]
            share(team + POOLED, pooled - count)
            add(team + IDLE, -1)
            share(team + LOCK, 0)
            return count
        joined = offered(block)
        if joined != NO_NODE:
            pending[0] = joined
            add(team + IDLE, -1)
            share(team + LOCK, 0)
            return 1
        done = shared(team + IDLE) == shared(team + WORKERS)
        share(team + LOCK, 0)
        hesitate(block)
        if done:
            return 0
        if pause(block, turn) == 0:
            return NO_ROOM
        turn += 1
