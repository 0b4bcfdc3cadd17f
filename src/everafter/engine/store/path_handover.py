"""How workers that forget states share a depth-first search: one hands another a path, and half of what waits along it.

The worker that gives goes through the frames of its stack and takes every second successor that waits, so that both
have as much left, near the initial states and far from them. The rows of its path, and those of these successors, it
writes into the mail of the team, if that is empty. An idle worker writes them into its own arena as frames of its own,
and runs the search from the start of that path: the first successors that the store gives it are those frames, the next
row of the path first in each. So it is led to the end of the path, and finds the successors that wait on its way back.
The search is one that knows of nothing but an initial state.

After a gift of so many rows, a worker gives nothing before it has expanded as many nodes.
"""

from __future__ import annotations

from everafter.engine.block import (
    ARENA_WORDS,
    COLUMN_WORDS,
    END,
    EXPANSIONS,
    FIRST,
    FRAME_ENDS,
    HIGHEST_END,
    INITIAL_ROWS,
    LED,
    LED_FRAMES,
    LIMIT_BYTES,
    MAIL_BYTES,
    NEXT_GIFT,
    NO_NODE,
    ROOM_END,
    SEEN,
    TEAM,
    word_of,
)
from everafter.engine.code.atomics import add, share, shared
from everafter.engine.code.intrinsics import copy_line, load, put, shifted_right, store, word
from everafter.engine.store.arena_rows import row_of, row_words, write_row
from everafter.engine.store.backoff import hesitate
from everafter.engine.store.offsets import ABORT, IDLE, LOCK, POOL, POOLED, STACK_BYTES, WORKERS
from everafter.engine.store.pool import lock
from everafter.engine.store.single_store import (
    CURSOR,
    INITIAL_NODES,
    LIMIT,
    NO_ROOM,
    PENDING,
    as_number,
    reason_of_lack,
    stopped,
    successors,
)
from everafter.engine.store.table_room import STEP_WORDS, make_room
from everafter.engine.store.team_growth import bytes_used
from everafter.engine.store.team_store import pause, reserve_rows

STACK = word_of("stack")
MAIL_ROWS = 8  # bytes from the beginning of the mail: how many rows it has; at the beginning, how many bytes
MAIL_PATH = 16
SPARE_BYTES = 1 << 21  # at the end of the mail: two rows, of which none is so large


def room_for_states(block: int, words: int, rows: int) -> bool:
    """Return whether the `block` has room for `words` more words and `rows` more rows, within the memory allowed."""
    if not reserve_rows(block, rows):
        return False
    end = word(block, END) + words
    if end > word(block, ARENA_WORDS):
        return False
    if end > word(block, ROOM_END):
        team = word(block, TEAM)
        mark = min(end + STEP_WORDS, word(block, ARENA_WORDS))
        more = (mark - word(block, ROOM_END)) << 3
        add(team + STACK_BYTES, more)
        if bytes_used(block) > word(block, LIMIT_BYTES):
            add(team + STACK_BYTES, -more)
            return False
        put(block, ROOM_END, mark)
    return bytes_used(block) <= word(block, LIMIT_BYTES)


def shared_successors(block: int, node: int, begin: int, depth: int) -> int:
    """Do as `successors`, for one of several workers: the `block`, `node`, `begin` and `depth` are as there.

    The worker may be led along a path, or give some of what waits to an idle one.
    """
    if word(block, LED) < word(block, LED_FRAMES):
        return led_successors(block, begin, depth)
    team = word(block, TEAM)
    if (
        node != NO_NODE
        and shared(team + IDLE) != 0
        and shared(team + POOLED) == 0
        and word(block, EXPANSIONS) >= word(block, NEXT_GIFT)
    ):
        hand_over(block, depth)
    return successors(block, node, begin, depth)


def led_successors(block: int, begin: int, depth: int) -> int:
    """Write the numbers of the rows of frame `depth`, which are stored, into `pending` of the `block` from `begin` on.

    Return the end.
    """
    put(block, LED, word(block, LED) + 1)
    pending = as_number(word(block, PENDING))
    end = word(block, FRAME_ENDS) + (depth << 3)
    columns = word(block, COLUMN_WORDS)
    number = load(end) + columns
    position = begin
    while number < load(end + 8):
        pending[position] = number
        position += 1
        number += row_words(row_of(block, number)) + columns
    return position


def hand_over(block: int, depth: int) -> None:
    """Fill the mail of the team of the `block`, if it is still empty, with half of what waits below frame `depth`."""
    team = word(block, TEAM)
    lock(team)
    hesitate(block)
    if shared(team + POOLED) == 0:
        share(team + POOLED, frames_written(block, shared(team + POOL), depth))
    share(team + LOCK, 0)


def frames_written(block: int, mail: int, depth: int) -> int:
    """Write the path of the `block` up to frame `depth`, and every second successor that waits on it, into `mail`.

    Return how many frames these are: the last has one. What is given is nothing that waits here any more. A frame is
    the number of these rows, the rows, and the next one of the path.
    """
    stack = as_number(word(block, STACK))
    cursor = as_number(word(block, CURSOR))
    limit = as_number(word(block, LIMIT))
    pending = as_number(word(block, PENDING))
    last = mail + MAIL_BYTES - SPARE_BYTES
    place = row_written(row_of(block, stack[0]), mail + MAIL_PATH)
    frames = 0
    rows = 1
    waiting = 0
    frame = 0
    while frame < depth and place < last:
        noted = place
        place += 8
        count = 0
        for position in range(cursor[frame], limit[frame]):
            node = pending[position]
            if node != SEEN:
                waiting += 1
                if waiting & 1 != 0 and place < last:
                    place = row_written(row_of(block, node), place)
                    pending[position] = SEEN
                    count += 1
        store(noted, count)
        frame += 1
        place = row_written(row_of(block, stack[frame]), place)
        rows += count + 1
        if count != 0:
            frames = frame
    store(mail, place - mail)
    store(mail + MAIL_ROWS, rows)
    put(block, NEXT_GIFT, word(block, EXPANSIONS) + rows + waiting)
    return frames


def row_written(row: int, place: int) -> int:
    """Copy `row` to `place`, in whole lines; return where it ends."""
    size = row_words(row) << 3
    for offset in range(0, size, 64):
        copy_line(place + offset, row + offset)
    return place + size


def take(block: int) -> int:
    """Wait for a path from another worker; return 1 when the `block` has one, 0 when every worker waits for one.

    Negative: the search is to stop.
    """
    team = word(block, TEAM)
    lock(team)
    add(team + IDLE, 1)
    share(team + LOCK, 0)
    turn = 0
    while True:
        lock(team)
        frames = shared(team + POOLED)
        if frames > 0:
            taken = frames_taken(block, shared(team + POOL), frames)
            share(team + POOLED, 0)
            add(team + IDLE, -1)
            share(team + LOCK, 0)
            return taken
        done = shared(team + IDLE) == shared(team + WORKERS)
        share(team + LOCK, 0)
        hesitate(block)
        if done:
            return 0
        if pause(block, turn) == 0:
            return NO_ROOM
        turn += 1


def frames_taken(block: int, mail: int, frames: int) -> int:
    """Write the `frames` frames of the `mail` into the arena of the `block`, in which nothing is needed any more.

    Return 1, or NO_ROOM; the search stops then, since what waits in the mail is lost.
    """
    put(block, END, word(block, FIRST))
    rows = load(mail + MAIL_ROWS)
    words = shifted_right(load(mail), 3) + rows * word(block, COLUMN_WORDS)
    if not make_room(block, words, 0, rows, frames + 2):
        share(word(block, TEAM) + ABORT, 1)
        return stopped(block, reason_of_lack(block))
    ends = word(block, FRAME_ENDS)
    row = mail + MAIL_PATH
    store(word(block, INITIAL_NODES), row_taken(block, row))
    put(block, INITIAL_ROWS, 1)
    store(ends, word(block, END))
    place = row + (row_words(row) << 3)
    for frame in range(1, frames + 1):
        given = place + 8
        count = load(place)
        path = rows_behind(given, count)
        if frame < frames:
            row_taken(block, path)
        row = given
        while row != path:
            row_taken(block, row)
            row += row_words(row) << 3
        place = path + (row_words(path) << 3)
        store(ends + (frame << 3), word(block, END))
    put(block, HIGHEST_END, max(word(block, HIGHEST_END), word(block, END)))
    put(block, LED, 0)
    put(block, LED_FRAMES, frames)
    return 1


def rows_behind(row: int, count: int) -> int:
    """Return where `count` rows end that begin at `row`."""
    for _ in range(count):
        row += row_words(row) << 3
    return row


def row_taken(block: int, row: int) -> int:
    """Write `row` into the arena of the `block`, where it was counted by another worker; return its number."""
    words = row_words(row)
    number = write_row(block, row, words)
    put(block, END, number + words)
    return number
