"""What the store of a team does otherwise than that of one worker: everything that workers could disturb each other in.

A row is written into the worker's own part of the arena first and then entered into the hash table by one
compare-and-swap on an empty slot: no other worker can see it before it is complete, and no worker waits for another.
Slots of a line are filled from the left and never emptied, so two workers with the same row aim at the same slot; the
one that comes second finds the row of the first.

The arena is given out in chunks; where the rows of a chunk end is noted when its worker turns to another, comes to
`take_part`, or leaves. Words of the team, `Team`, are only touched by the steps of everafter.engine.code.atomics.
"""

from __future__ import annotations

from everafter.engine.block import (
    ARENA_WORDS,
    BY_CALLER,
    CHUNK,
    CHUNK_SHIFT,
    COLUMN_WORDS,
    COMPONENT_HEIGHT,
    END,
    FRAME_BYTES,
    FRAMES,
    HIGHEST_COMPONENT,
    HIGHEST_FRAME,
    HIGHEST_PENDING,
    LIMIT_BYTES,
    LINES,
    MEMORY,
    NO_NODE,
    PENDING_BYTES,
    PENDING_ROOM,
    QUOTA,
    ROOM_END,
    SEED,
    STATE_BYTES,
    TEAM,
    WORKER,
)
from everafter.engine.code.atomics import add, hinted, share, shared, surveyed, swap_if, vacant
from everafter.engine.code.intrinsics import high_product, lowest, put, shifted_right, word
from everafter.engine.store.arena_rows import FIRST_SECRET, SECOND_SECRET, count_row, row_at, same_row, write_row
from everafter.engine.store.backoff import hesitate, relaxed
from everafter.engine.store.offsets import ABORT, ACTIVE, ENDS, GROWTH, NEXT_CHUNK, RESERVED, STACK_BYTES, STOP
from everafter.engine.store.single_store import PENDING, as_number, bring_candidates, number_all, stopped
from everafter.engine.store.table import TAG, TAG_SHIFT, line_of, next_line, node_in, rows_in, slot_of
from everafter.engine.store.table_room import STEP_FRAMES
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


def candidate(line: int, tag: int) -> int:
    """Return a state in `line` whose row may have a hash with this `tag`, or NO_NODE. Others may be there, too.

    Which slot to look at is a hint, and may be any; what is in it is read as it must be.
    """
    matches = hinted(line, tag, TAG_SHIFT)
    return node_in(shared(line + (lowest(matches) << 3))) if matches != 0 else NO_NODE


def find_or_put(block: int, arena: int, slots: int, lines: int, row: int, words: int, mixed: int) -> int:
    """Return the number of the state that `row`, of `words` words, describes; a new one if it was not stored yet.

    Its hash is `mixed`. The `block` has its rows in `arena`, and the shared hash table has `lines` lines from `slots`
    on.
    """
    tag = mixed & TAG
    line = line_of(slots, lines, mixed)
    known = candidate(line, tag)
    if known != NO_NODE and same_row(row_at(arena, known), row, words):  # as most are
        return known
    number = NO_NODE
    while True:
        # A slot that is filled stays as it is. So, if the first empty one still is, all on its left were looked at.
        seen = surveyed(line, tag, TAG_SHIFT)
        hesitate(block)
        matches = seen & 255
        while matches != 0:
            other = node_in(shared(line + (lowest(matches) << 3)))
            if same_row(row_at(arena, other), row, words):
                return other
            matches &= matches - 1
        free = shifted_right(seen, 8)
        if free != 0:
            if number == NO_NODE:
                number = write_row(block, row, words)
            hesitate(block)
            if swap_if(line + (lowest(free) << 3), 0, slot_of(mixed, number)) == 0:
                count_row(block, row, words, number)
                put(block, QUOTA, word(block, QUOTA) - 1)
                return number
        else:
            line = next_line(slots, lines, line)


def insert_again(slots: int, lines: int, number: int, mixed: int) -> None:
    """Enter the stored row `number`, with the hash `mixed`, into the table of `lines` lines from `slots` on.

    It is not there; other workers may enter other rows meanwhile.
    """
    line = line_of(slots, lines, mixed)
    while True:
        free = vacant(line)
        if free == 0:
            line = next_line(slots, lines, line)
        elif swap_if(line + (lowest(free) << 3), 0, slot_of(mixed, number)) == 0:
            return


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


def raise_mark(block: int, index: int, needed: int, most: int, size: int) -> None:
    """Note at `index` of the `block` that a stack needs `needed` elements of `size` bytes, and more, up to `most`."""
    old = word(block, index)
    if needed > old:
        new = min(needed + STEP_FRAMES, most)
        put(block, index, new)
        add(word(block, TEAM) + STACK_BYTES, (new - old) * size)


def make_room(block: int, words: int, rows: int, pending: int, frames: int) -> bool:
    """Return whether the `block` has room for `words` and `rows` more, and for `pending` and `frames` in all.

    These are words and rows, successors that wait, and frames.
    """
    if frames > word(block, FRAMES) or pending > word(block, PENDING_ROOM):
        return False
    raise_mark(block, HIGHEST_FRAME, frames, word(block, FRAMES), word(block, FRAME_BYTES))
    raise_mark(block, HIGHEST_PENDING, pending, word(block, PENDING_ROOM), word(block, PENDING_BYTES))
    gathered = word(block, COMPONENT_HEIGHT)
    raise_mark(block, HIGHEST_COMPONENT, gathered, gathered + STEP_FRAMES, word(block, STATE_BYTES))
    if not reserve_rows(block, rows):
        return False
    if word(block, END) + words > word(block, ROOM_END) and not take_chunk(block, words):
        return False
    return bytes_used(block) <= word(block, LIMIT_BYTES)


def is_enough(block: int, words: int, rows: int, pending: int, frames: int) -> bool:
    """Return whether the `block` has room, without more being made, for what `make_room` says.

    That is for `words` and `rows` more, and for `pending` successors and `frames` frames in all.
    """
    return (
        word(block, END) + words <= word(block, ROOM_END)
        and rows <= word(block, QUOTA)
        and pending <= word(block, HIGHEST_PENDING)
        and frames <= word(block, HIGHEST_FRAME)
    )


def settle(block: int, count: int, size: int, begin: int, depth: int) -> int:
    """Give `count` hashed rows, of `size` bytes together, their numbers, in `pending` of the `block` from `begin` on.

    Return the end, or NO_ROOM. There will be room for frames up to one above `depth`.
    """
    words = shifted_right(size, 3) + count * word(block, COLUMN_WORDS)
    end = begin + count
    frames = depth + 2
    if not is_enough(block, words, count, end, frames) and not make_room(block, words, count, end, frames):
        return stopped(block, BY_CALLER if shared(word(block, TEAM) + STOP) != 0 else MEMORY)
    bring_candidates(block, count)
    number_all(block, count, begin)
    return end


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
