"""How a team rehashes into a larger table, behind a barrier.

It is the only barrier: `GROWTH` becomes odd, every worker that has not left calls `take_part` when it next expands a
node or waits for something, all insert the rows again together, and go on. The coordinator waits only for workers that
are on their way to the barrier, so no worker waits for ever.
"""

from __future__ import annotations

from everafter.engine.block import (
    CHUNK,
    CHUNK_SHIFT,
    COLUMN_WORDS,
    END,
    LIMIT_BYTES,
    LINES,
    QUOTA,
    SLOTS,
    SLOTS_BYTES,
    TEAM,
)
from everafter.engine.code.atomics import add, share, shared, swap_if
from everafter.engine.code.intrinsics import clear, put, word
from everafter.engine.store.backoff import hesitate, relaxed
from everafter.engine.store.offsets import (
    ACTIVE,
    ARRIVED,
    ENDS,
    FAILED,
    FILLED,
    FILLING,
    GROWTH,
    NEXT_CHUNK,
    NEXT_FILL,
    RESERVED,
    STACK_BYTES,
    STOP,
    TEAM_LINES,
)
from everafter.engine.store.table import fill


def hand_in(block: int) -> None:
    """Note where the rows of the worker with this `block` end, and give back the rows it has reserved and not added."""
    team = word(block, TEAM)
    if word(block, END) > 0:
        share(shared(team + ENDS) + (word(block, CHUNK) << 3), word(block, END))
    add(team + RESERVED, -word(block, QUOTA))
    put(block, QUOTA, 0)


def fill_together(block: int) -> None:
    """Enter the rows of one chunk after the other, by the worker of the `block`, as long as there are chunks left."""
    team = word(block, TEAM)
    put(block, LINES, shared(team + TEAM_LINES))
    chunk = add(team + NEXT_FILL, 1)
    while chunk < shared(team + NEXT_CHUNK):
        end = shared(shared(team + ENDS) + (chunk << 3))
        fill(block, (chunk << CHUNK_SHIFT) + word(block, COLUMN_WORDS), end)
        hesitate(block)
        chunk = add(team + NEXT_FILL, 1)
    add(team + FILLED, 1)


def take_part(block: int) -> None:
    """Meet the other workers while the hash table grows, and help. Return at once if it does not, or at a stop.

    The worker is that of the `block`; this is its part of the barrier.
    """
    team = word(block, TEAM)
    growth = shared(team + GROWTH)
    if growth & 1 == 0:
        return
    hesitate(block)
    hand_in(block)
    add(team + ARRIVED, 1)
    turn = 0
    while shared(team + GROWTH) == growth and shared(team + FILLING) == 0 and shared(team + STOP) == 0:
        relaxed(team, turn)
        turn += 1
    if shared(team + GROWTH) == growth and shared(team + FILLING) != 0:
        fill_together(block)
        turn = 0
        while shared(team + GROWTH) == growth and shared(team + STOP) == 0:
            relaxed(team, turn)
            turn += 1
    put(block, LINES, shared(team + TEAM_LINES))


def lead(block: int, growth: int) -> None:
    """Coordinate, as the worker of the `block`, that the hash table becomes larger, while GROWTH is `growth`.

    Wait at the barrier for every other worker, let all fill the table together, and let them go on.
    """
    team = word(block, TEAM)
    hand_in(block)
    add(team + ARRIVED, 1)
    turn = 0
    while shared(team + ARRIVED) != shared(team + ACTIVE):
        if shared(team + STOP) != 0:
            return
        relaxed(team, turn)
        turn += 1
    if emptied(block):
        share(team + NEXT_FILL, 0)
        share(team + FILLED, 0)
        workers = shared(team + ARRIVED)
        share(team + FILLING, 1)
        fill_together(block)
        turn = 0
        while shared(team + FILLED) != workers:
            if shared(team + STOP) != 0:
                return
            relaxed(team, turn)
            turn += 1
    share(team + FILLING, 0)
    share(team + ARRIVED, 0)
    hesitate(block)
    share(team + GROWTH, growth + 1)


def emptied(block: int) -> bool:
    """Empty the hash table and write how large it is to be, if it can be larger.

    Return whether all must fill it again, the worker of the `block` among them.
    """
    team = word(block, TEAM)
    old = word(block, LINES)
    lines = larger(block, old)
    if lines == 0:
        share(team + FAILED, 1)
        return False
    clear(word(block, SLOTS), old << 6)
    share(team + TEAM_LINES, lines)
    return True


def larger(block: int, old: int) -> int:
    """Return how many lines the hash table of the `block` is to have, which has `old`; 0 if it cannot be larger.

    These are twice as many, or as many as the limit allows.
    """
    lines = old << 1
    limit = word(block, LIMIT_BYTES)
    used = bytes_used(block) - (old << 6)
    if used + (lines << 6) > limit or (lines << 6) > word(block, SLOTS_BYTES):
        lines = min((limit - used) >> 7, word(block, SLOTS_BYTES) >> 6)
    return lines if lines >= old + (old >> 3) else 0


def grow_together(block: int) -> bool:
    """Make the hash table of the `block` larger, or help its coordinator; return whether it could be."""
    team = word(block, TEAM)
    growth = shared(team + GROWTH)
    if growth & 1 == 0 and swap_if(team + GROWTH, growth, growth + 1) == growth:
        lead(block, growth + 1)
    else:
        take_part(block)
    return shared(team + FAILED) == 0 and shared(team + STOP) == 0


def bytes_used(block: int) -> int:
    """Return the memory in use by all workers of the team of the `block`."""
    team = word(block, TEAM)
    return (shared(team + NEXT_CHUNK) << (CHUNK_SHIFT + 3)) + (word(block, LINES) << 6) + shared(team + STACK_BYTES)
