"""What the store of a team does otherwise than that of one worker: everything that workers could disturb each other in.

The arena is given out in chunks; where the rows of a chunk end is noted when its worker turns to another, comes to
`take_part`, or leaves. Words of the team, `Team`, are only touched by the steps of everafter.engine.code.atomics.
"""

from __future__ import annotations

from everafter.engine.block import (
    ARENA_WORDS,
    BY_CALLER,
    CHUNK,
    CHUNK_SHIFT,
    END,
    LIMIT_BYTES,
    LINES,
    MEMORY,
    QUOTA,
    ROOM_END,
    SEED,
    TEAM,
    WORKER,
)
from everafter.engine.code.atomics import add, share, shared
from everafter.engine.code.intrinsics import high_product, put, shifted_right, word
from everafter.engine.store.arena_rows import FIRST_SECRET, SECOND_SECRET
from everafter.engine.store.backoff import hesitate, relaxed
from everafter.engine.store.offsets import ABORT, ACTIVE, ENDS, GROWTH, NEXT_CHUNK, RESERVED, STACK_BYTES, STOP
from everafter.engine.store.single_store import PENDING, as_number, stopped
from everafter.engine.store.table import rows_in
from everafter.engine.store.team_growth import bytes_used, grow_together, hand_in, take_part

CHUNK_WORDS = 1 << CHUNK_SHIFT
SPARE_WORDS = 8  # at the end of a chunk: whole lines are copied
QUOTA_ROWS = 128


def must_stop(block: int) -> bool:
    """Return whether the search is to end.

    The worker of the `block` comes here before each expansion, and helps to grow.
    """
    team = word(block, TEAM)
    if shared(team + GROWTH) & 1:
        take_part(block)
    return shared(team + STOP) != 0


def pause(block: int, turn: int) -> int:
    """Let the worker of the `block` wait a moment for others, longer as `turn` grows; 0 when the search is to stop."""
    team = word(block, TEAM)
    if must_stop(block):
        stopped(block, BY_CALLER)
        return 0
    if shared(team + ABORT) != 0:
        return 0
    relaxed(team, turn)
    return 1


def leave(block: int) -> int:
    """Let the worker of the `block`, which is done, touch the store no more; return how many were there before."""
    hand_in(block)
    hesitate(block)
    return add(word(block, TEAM) + ACTIVE, -1)


def reserve_rows(block: int, rows: int) -> bool:
    """Reserve `rows` rows for the worker of the `block`, in a larger table if need be; return if it may add them."""
    team = word(block, TEAM)
    while word(block, QUOTA) < rows:
        wanted = max(rows, QUOTA_ROWS)
        before = add(team + RESERVED, wanted)
        if before + wanted <= rows_in(word(block, LINES)):
            put(block, QUOTA, word(block, QUOTA) + wanted)
        else:
            add(team + RESERVED, -wanted)
            hesitate(block)
            if not grow_together(block):
                return False
    return True


def take_chunk(block: int, words: int) -> bool:
    """Turn to a new chunk of the arena with room for `words` words; return whether the `block` has one now."""
    team = word(block, TEAM)
    if word(block, END) > 0:
        share(shared(team + ENDS) + (word(block, CHUNK) << 3), word(block, END))
    hesitate(block)
    chunks = shifted_right(words + SPARE_WORDS + CHUNK_WORDS - 1, CHUNK_SHIFT)
    first = add(team + NEXT_CHUNK, chunks)
    if (first + chunks) << CHUNK_SHIFT > word(block, ARENA_WORDS):
        add(team + NEXT_CHUNK, -chunks)
        return False
    put(block, CHUNK, first)
    put(block, END, first << CHUNK_SHIFT)
    put(block, ROOM_END, ((first + chunks) << CHUNK_SHIFT) - SPARE_WORDS)
    return True


def put_mark(block: int, index: int, mark: int, size: int) -> None:
    """Let the `block` say at `index` that a stack may use up to `mark` elements of `size` bytes, which all count."""
    add(word(block, TEAM) + STACK_BYTES, (mark - word(block, index)) * size)
    put(block, index, mark)


def room_for_states(block: int, words: int, rows: int) -> bool:
    """Return whether the `block` has room for `words` more words and `rows` more rows, within the memory allowed."""
    if not reserve_rows(block, rows):
        return False
    if word(block, END) + words > word(block, ROOM_END) and not take_chunk(block, words):
        return False
    return bytes_used(block) <= word(block, LIMIT_BYTES)


def reason_of_lack(block: int) -> int:
    """Return why there is no room in the `block`: no table grows while the search is to end."""
    return BY_CALLER if shared(word(block, TEAM) + STOP) != 0 else MEMORY


def arrange(block: int, node: int, begin: int, end: int) -> None:
    """Put the successors of `node` in `pending[begin … end - 1]` of the `block` into an order of this worker's own.

    So workers spread; the first keeps the model's order. The successors are those from `begin` to `end`.
    """
    worker = word(block, WORKER) + word(block, SEED)
    if worker == 0:
        return
    pending = as_number(word(block, PENDING))
    chance = (node ^ (worker * FIRST_SECRET)) * SECOND_SECRET
    for last in range(end - 1, begin, -1):
        chance = chance * FIRST_SECRET + SECOND_SECRET
        other = begin + high_product(chance, last - begin + 1)
        kept = pending[last]
        pending[last] = pending[other]
        pending[other] = kept
