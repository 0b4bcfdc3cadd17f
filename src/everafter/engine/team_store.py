"""The store of states for a team of workers, as text that Numba compiles: that of everafter.engine.store, shared.

What is defined here replaces functions of the same names there. A row is written into the worker's own part of the
arena first and then entered into the hash table by one compare-and-swap on an empty slot: no other worker can see it
before it is complete, and nobody waits for anybody. Slots of a line are filled from the left and never emptied, so two
workers with the same row aim at the same slot; the one that comes second finds the row of the first.

Only to grow must all workers meet: `GROWTH` becomes odd, every worker that has not left comes to `take_part` when it
next expands a node or waits for something, all enter the rows again together, and go on. Whoever leads waits only for
workers that are on their way there, so nobody waits for ever.

The arena is given out in chunks; where the rows of a chunk end is noted when its worker turns to another, comes to
`take_part`, or leaves. Words of the team, `Team`, are only touched by the steps of everafter.engine.atomics.
"""

from __future__ import annotations

from everafter.engine.atomics import acquire, add, relax, share, shared, swap_if
from everafter.engine.block import (
    ARENA,
    ARENA_WORDS,
    BY_CALLER,
    CHUNK,
    CHUNK_SHIFT,
    COLUMN_WORDS,
    COMPONENT_HEIGHT,
    END,
    FIELD,
    FRAME_BYTES,
    FRAMES,
    HIGHEST_COMPONENT,
    HIGHEST_FRAME,
    HIGHEST_PENDING,
    LIMIT_BYTES,
    LINES,
    MEMORY,
    OFFERED,
    PENDING_BYTES,
    PENDING_ROOM,
    QUOTA,
    ROOM_END,
    SEED,
    SLOTS,
    SLOTS_BYTES,
    STATE_BYTES,
    TEAM,
    WORKER,
    Team,
)
from everafter.engine.intrinsics import (
    call_zero,
    clear,
    empty,
    high_product,
    load,
    lowest,
    put,
    shifted_right,
    surveyed,
    word,
)
from everafter.engine.store import (
    FIRST_SECRET,
    NO_ROOM,
    PENDING_FIELD,
    SECOND_SECRET,
    STATE_NUMBER,
    STEP_FRAMES,
    TAG,
    TAG_SHIFT,
    as_number,
    bring_candidates,
    count_row,
    fill,
    line_of,
    next_line,
    number_all,
    rows_in,
    same_row,
    stopped,
    write_row,
)
from everafter.search.space import DISCOVERED

ABORT, STOP, TEAM_LINES, ENDS, YIELD, WORKERS = (
    Team.ABORT << 3,
    Team.STOP << 3,
    Team.LINES << 3,
    Team.ENDS << 3,
    Team.YIELD << 3,
    Team.WORKERS << 3,
)
POOL, POOL_ROOM, POOLED, IDLE, LOCK = (
    Team.POOL << 3,
    Team.POOL_ROOM << 3,
    Team.POOLED << 3,
    Team.IDLE << 3,
    Team.LOCK << 3,
)
GROWTH, FILLING, FAILED, NEXT_CHUNK, RESERVED, STACK_BYTES = (
    Team.GROWTH << 3,
    Team.FILLING << 3,
    Team.FAILED << 3,
    Team.NEXT_CHUNK << 3,
    Team.RESERVED << 3,
    Team.STACK_BYTES << 3,
)
BLOCKS = Team.BLOCKS << 3
ACTIVE, ARRIVED, FILLED, NEXT_FILL = Team.ACTIVE << 3, Team.ARRIVED << 3, Team.FILLED << 3, Team.NEXT_FILL << 3

CHUNK_WORDS = 1 << CHUNK_SHIFT
SPARE_WORDS = 8  # at the end of a chunk: whole lines are copied
QUOTA_ROWS = 128
LEAST_GIVEN = 64  # who has fewer nodes keeps them
MOST_GIVEN = 4096
SPINS = 64  # so often a waiting worker looks again before it lets other threads run


# Waiting


def hesitate(_block: int) -> None:
    """A place at which another worker may come between. Tests bind it to a function that waits there by chance."""


def relaxed(team: int, turn: int) -> None:
    """Wait a moment; longer if this is not the first time."""
    if turn < SPINS:
        relax(0)
    else:
        call_zero(shared(team + YIELD))


def must_stop(block: int) -> bool:
    """Whether somebody wants the search to end. A worker comes here before each expansion, and helps to grow."""
    team = word(block, TEAM)
    if shared(team + GROWTH) & 1:
        take_part(block)
    return shared(team + STOP) != 0


def pause(block: int, turn: int) -> int:
    """Wait a moment for other workers; 0 when the search is to stop."""
    team = word(block, TEAM)
    if must_stop(block):
        stopped(block, BY_CALLER)
        return 0
    if shared(team + ABORT) != 0:
        return 0
    relaxed(team, turn)
    return 1


def leave(block: int) -> int:
    """The worker is done, and touches the store no more."""
    hand_in(block)
    hesitate(block)
    return add(word(block, TEAM) + ACTIVE, -1)


# Rows


def find_or_put(block: int, arena: int, slots: int, lines: int, row: int, words: int, mixed: int) -> int:
    """The number of the state that the row describes; a new number if it was not stored yet."""
    tag = mixed & TAG
    line = line_of(slots, lines, mixed)
    number = 0
    while True:
        # Tags and empty slots of one look: if the first empty slot still is, nothing was entered since on its left.
        seen = surveyed(line, tag, TAG_SHIFT)
        acquire(0)
        hesitate(block)
        matches = seen & 255
        while matches != 0:
            other = load(line + (lowest(matches) << 3)) & STATE_NUMBER
            if same_row(arena + (other << 3), row, words):
                return other
            matches &= matches - 1
        free = shifted_right(seen, 8)
        if free != 0:
            if number == 0:
                number = write_row(block, row, words)
            hesitate(block)
            if swap_if(line + (lowest(free) << 3), 0, (tag << TAG_SHIFT) | number) == 0:
                count_row(block, row, words, number)
                put(block, QUOTA, word(block, QUOTA) - 1)
                return number
        else:
            line = next_line(slots, lines, line)


def insert_again(slots: int, lines: int, number: int, mixed: int) -> None:
    """Enter a stored row, which is not in the hash table, into it."""
    line = line_of(slots, lines, mixed)
    while True:
        free = empty(line)
        acquire(0)
        if free == 0:
            line = next_line(slots, lines, line)
        elif swap_if(line + (lowest(free) << 3), 0, ((mixed & TAG) << TAG_SHIFT) | number) == 0:
            return


# Growth


def hand_in(block: int) -> None:
    """Note where the worker's rows end, and give back the rows it has reserved and not added."""
    team = word(block, TEAM)
    if word(block, END) > 0:
        share(shared(team + ENDS) + (word(block, CHUNK) << 3), word(block, END))
    add(team + RESERVED, -word(block, QUOTA))
    put(block, QUOTA, 0)


def fill_together(block: int) -> None:
    """Enter the rows of one chunk after the other, as long as there are chunks that no worker has taken."""
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
    """Meet the other workers while the hash table grows, and help. Returns at once if it does not, or at a stop."""
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
    """Wait until every other worker has come, let all make the hash table larger, and let them go on."""
    team = word(block, TEAM)
    hand_in(block)
    add(team + ARRIVED, 1)
    turn = 0
    while shared(team + ARRIVED) != shared(team + ACTIVE):
        if shared(team + STOP) != 0:
            return
        relaxed(team, turn)
        turn += 1
    old = word(block, LINES)
    lines = larger(block, old)
    if lines == 0:
        share(team + FAILED, 1)
    else:
        clear(word(block, SLOTS), old << 6)
        share(team + TEAM_LINES, lines)
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


def larger(block: int, old: int) -> int:
    """How many lines the hash table is to have: twice as many, or as many as the limit allows; 0 if no more."""
    lines = old << 1
    limit = word(block, LIMIT_BYTES)
    used = bytes_used(block) - (old << 6)
    if used + (lines << 6) > limit or (lines << 6) > word(block, SLOTS_BYTES):
        lines = min((limit - used) >> 7, word(block, SLOTS_BYTES) >> 6)
    return lines if lines >= old + (old >> 3) else 0


def grow_together(block: int) -> bool:
    """Make the hash table larger, or help whoever has begun to; whether it could be."""
    team = word(block, TEAM)
    growth = shared(team + GROWTH)
    if growth & 1 == 0 and swap_if(team + GROWTH, growth, growth + 1) == growth:
        lead(block, growth + 1)
    else:
        take_part(block)
    return shared(team + FAILED) == 0 and shared(team + STOP) == 0


# Room


def bytes_used(block: int) -> int:
    """The memory in use by all workers."""
    team = word(block, TEAM)
    return (shared(team + NEXT_CHUNK) << (CHUNK_SHIFT + 3)) + (word(block, LINES) << 6) + shared(team + STACK_BYTES)


def reserve_rows(block: int, rows: int) -> bool:
    """See to it that the worker may add so many rows."""
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
    """Turn to a new chunk of the arena, with room for so many words."""
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
    """Note that a stack needs so many elements of this size, and some more."""
    old = word(block, index)
    if needed > old:
        new = min(needed + STEP_FRAMES, most)
        put(block, index, new)
        add(word(block, TEAM) + STACK_BYTES, (new - old) * size)


def make_room(block: int, words: int, rows: int, pending: int, frames: int) -> bool:
    """Whether there is room for so many more words and rows, and for so many successors and frames in all."""
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


def settle(block: int, count: int, size: int, begin: int, depth: int) -> int:
    """Give the hashed rows, of so many bytes, their numbers, in `pending` from `begin` on; the end, or NO_ROOM."""
    words = shifted_right(size, 3) + count * word(block, COLUMN_WORDS)
    end = begin + count
    enough = (
        word(block, END) + words <= word(block, ROOM_END)
        and count <= word(block, QUOTA)
        and end <= word(block, HIGHEST_PENDING)
        and depth + 2 <= word(block, HIGHEST_FRAME)
    )
    if not enough and not make_room(block, words, count, end, depth + 2):
        return stopped(block, BY_CALLER if shared(word(block, TEAM) + STOP) != 0 else MEMORY)
    bring_candidates(block, count)
    number_all(block, count, begin)
    return end


def arrange(block: int, node: int, begin: int, end: int) -> None:
    """Put the successors into an order of this worker's own, so that workers spread; the first keeps the model's."""
    worker = word(block, WORKER) + word(block, SEED)
    if worker == 0:
        return
    pending = as_number(word(block, FIELD + PENDING_FIELD))
    chance = (node ^ (worker * FIRST_SECRET)) * SECOND_SECRET
    for last in range(end - 1, begin, -1):
        chance = chance * FIRST_SECRET + SECOND_SECRET
        other = begin + high_product(chance, last - begin + 1)
        kept = pending[last]
        pending[last] = pending[other]
        pending[other] = kept


# Nodes that any worker may expand


def lock(team: int) -> None:
    """Wait for the lock. Nobody holds it for long, and nobody who holds it waits for anything."""
    turn = 0
    while swap_if(team + LOCK, 0, 1) != 0:
        relaxed(team, turn)
        turn += 1


def give(block: int, height: int) -> int:
    """Give half of the nodes in `pending[0 … height - 1]` to idle workers, if there are any; how many are left."""
    team = word(block, TEAM)
    if height < LEAST_GIVEN or shared(team + IDLE) == 0 or shared(team + POOLED) != 0:
        return height
    pending = as_number(word(block, FIELD + PENDING_FIELD))
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


def offered(block: int) -> int:
    """A node that another worker searches from, if there is one that is not done, or 0."""
    team = word(block, TEAM)
    for place in range(team + BLOCKS, team + BLOCKS + (shared(team + WORKERS) << 3), 8):
        node = shared(shared(place) + (OFFERED << 3))
        if node != 0 and shared(word(block, ARENA) + (node << 3)) & DISCOVERED == 0:
            return node
    return 0


def take(block: int) -> int:
    """Wait for nodes, into `pending` from 0 on; how many, 0 when every worker waits for some, negative to stop.

    A node that another worker searches from comes alone.
    """
    team = word(block, TEAM)
    lock(team)
    add(team + IDLE, 1)
    share(team + LOCK, 0)
    pending = as_number(word(block, FIELD + PENDING_FIELD))
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
        if joined != 0:
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
