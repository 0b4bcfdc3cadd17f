"""The successors of states, for one worker: from the rows that the model writes to the numbers that searches use.

The names `as_number`, `as_mask` and `as_colour` are given by the module that compiles the text: for numbers of states
of some bytes, with or without acceptance sets, and for colours as far apart as the store keeps them.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from everafter.engine.block import (
    ARENA,
    BUFFER,
    BY_CALLER,
    COLUMN_WORDS,
    CONTROL,
    END,
    ENTERED,
    EXPAND,
    EXPANSIONS,
    FRAMES,
    HIGHEST_FRAME,
    HIGHEST_PENDING,
    INITIAL,
    INITIAL_ROWS,
    LINES,
    MEMORY,
    MODEL_CODE,
    MODEL_FAILED,
    MODEL_SETS,
    NO_NODE,
    NODES,
    QUOTA,
    REASON,
    ROOM_END,
    SCRATCH,
    SLOTS,
    STOP,
    TRANSITIONS,
    word_of,
)
from everafter.engine.code.intrinsics import (
    Column,
    call_three,
    call_two,
    column_at,
    load,
    prefetch,
    put,
    shifted_right,
    store,
    word,
)
from everafter.engine.code.parts import functions_of
from everafter.engine.store import arena_rows as rows
from everafter.engine.store import backoff, table
from everafter.engine.store import table_room as room
from everafter.engine.store.arena_rows import (
    bring_row,
    go_ahead,
    hash_row,
    is_state,
    row_ahead,
    row_at,
    row_of,
    row_words,
)
from everafter.engine.store.table import TAG, candidate, find_or_put, line_of
from everafter.engine.store.table_room import make_room
from everafter.search.space import ACCEPTING, ON_PATH

as_number: Any = column_at(Column(64, 8))
as_mask: Any = column_at(Column(0, 0))
as_colour: Any = column_at(Column(8, 8))

INITIAL_NODES = word_of("initial")
COLOUR_COLUMN = word_of("colour")
PENDING = word_of("pending")
CURSOR = word_of("cursor")
LIMIT = word_of("limit")
MASKS = word_of("masks")
TOGETHER_BYTES = 1 << 16  # this much of several nodes' successors is settled at once, while it is in the cache
NO_ROOM = -1


def stopped(block: int, reason: int) -> int:
    """Note in the `block` the first `reason` why the search stops; return NO_ROOM."""
    if word(block, REASON) == 0:
        put(block, REASON, reason)
    return NO_ROOM


def must_stop(block: int) -> bool:
    """Return whether the words of the `block` say that the search is to end."""
    return word(block, STOP) != 0


def arrange(_block: int, _node: int, _begin: int, _end: int) -> None:
    """Put the successors in `pending[begin … end - 1]` into another order: not where one worker searches alone."""


def hash_all(block: int, row: int, first: int, count: int) -> int:
    """Hash the `count` rows that the model has written from `row` on, and start to bring their lines.

    The first of them is the row `first` of those to be settled in this `block`. Return where the rows end, or NO_ROOM.
    """
    slots = word(block, SLOTS)
    lines = word(block, LINES)
    place = word(block, SCRATCH) + (first << 3)
    for hashed in range(place, place + (count << 3), 8):
        words = row_words(row)
        mixed = hash_row(row, words)
        store(hashed, mixed)
        prefetch(line_of(slots, lines, mixed))
        row += words << 3
    return row


def bring_candidates(block: int, count: int) -> None:
    """Start to bring the stored rows that `count` rows, written by the model of the `block`, will be compared with."""
    slots = word(block, SLOTS)
    lines = word(block, LINES)
    arena = word(block, ARENA)
    row = word(block, BUFFER)
    scratch = word(block, SCRATCH)
    for place in range(scratch, scratch + (count << 3), 8):
        size = row_words(row) << 3
        mixed = load(place)
        other = candidate(line_of(slots, lines, mixed), mixed & TAG)
        if other != NO_NODE:
            stored = row_at(arena, other)
            for part in range(stored, stored + size, 64):
                prefetch(part)
            prefetch(stored + size - 8)
        row += size


def number_all(block: int, count: int, begin: int) -> bool:
    """Write the number of each of `count` rows the model has written into `pending` of the `block` from `begin` on.

    Return whether all have one: there is room for them.
    """
    slots = word(block, SLOTS)
    lines = word(block, LINES)
    arena = word(block, ARENA)
    pending = as_number(word(block, PENDING))
    row = word(block, BUFFER)
    scratch = word(block, SCRATCH)
    for index in range(count):
        words = row_words(row)
        pending[begin + index] = find_or_put(block, arena, slots, lines, row, words, load(scratch + (index << 3)))
        row += words << 3
    return True


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


def reason_of_lack(_block: int) -> int:
    """Return why there is no room: the memory allowed is in use."""
    return MEMORY


def settle(block: int, count: int, size: int, begin: int, depth: int) -> int:
    """Give `count` hashed rows, of `size` bytes together, their numbers, in `pending` of the `block` from `begin` on.

    Return the end, or NO_ROOM. There will be room for frames up to one above `depth`.
    """
    words = shifted_right(size, 3) + count * word(block, COLUMN_WORDS)
    end = begin + count
    frames = depth + 2
    if not is_enough(block, words, count, end, frames) and not make_room(block, words, count, end, frames):
        return stopped(block, reason_of_lack(block))
    bring_candidates(block, count)
    return end if number_all(block, count, begin) else stopped(block, reason_of_lack(block))


def failed(block: int, code: int) -> int:
    """Note in the `block` that the model failed with this `code`; return NO_ROOM."""
    put(block, MODEL_CODE, code)
    return stopped(block, MODEL_FAILED)


def initial_states(block: int) -> int:
    """Store the initial states of the `block`, and list each once; return how many there are, or NO_ROOM to stop."""
    buffer = word(block, BUFFER)
    count = call_two(word(block, INITIAL), buffer, word(block, CONTROL))
    if count < 0:
        return failed(block, count)
    out = hash_all(block, buffer, 0, count)
    if out < 0:
        return NO_ROOM
    end = settle(block, count, out - buffer, 0, 0)
    if end < 0:
        return NO_ROOM
    pending = as_number(word(block, PENDING))
    colour = as_colour(word(block, COLOUR_COLUMN))
    target = word(block, INITIAL_NODES)
    listed = 0
    for position in range(end):
        number = pending[position]
        if colour[number] & ON_PATH == 0:
            colour[number] |= ON_PATH
            store(target + (listed << 3), number)
            listed += 1
    for position in range(listed):
        colour[load(target + (position << 3))] &= ~ON_PATH
    put(block, INITIAL_ROWS, listed)
    return listed


def note_sets(block: int, begin: int, end: int, accepting: int) -> None:
    """Note the acceptance sets of the successors in `pending[begin … end - 1]` of the `block`.

    From `begin` to `end`, each has those that the model writes, and set 0 if its source is `accepting`.
    """
    masks = as_mask(word(block, MASKS))
    written = word(block, MODEL_SETS)
    for position in range(begin, end):
        own = load(written + ((position - begin) << 3)) if written != 0 else 0
        masks[position] = own | accepting


def successors(block: int, node: int, begin: int, depth: int) -> int:
    """Write the numbers of the successors of `node` into `pending` of the `block` from `begin` on.

    Return the end, or NO_ROOM to stop. There will be room for frames up to one above `depth`. For NO_NODE, store the
    initial states and list each once in `initial`; return how many there are, or NO_ROOM to stop.
    """
    if node == NO_NODE:
        return initial_states(block)
    if must_stop(block):
        return stopped(block, BY_CALLER)
    row = row_of(block, node)
    buffer = word(block, BUFFER)
    count = call_three(word(block, EXPAND), row, buffer, word(block, CONTROL))
    if count < 0:
        return failed(block, count)
    out = hash_all(block, buffer, 0, count)
    if out < 0:
        return NO_ROOM
    end = settle(block, count, out - buffer, begin, depth)
    if end >= 0:
        put(block, EXPANSIONS, word(block, EXPANSIONS) + 1)
        put(block, ENTERED, word(block, ENTERED) + is_state(row))
        put(block, TRANSITIONS, word(block, TRANSITIONS) + count)
        note_sets(block, begin, end, 1 if load(row) & ACCEPTING else 0)
        arrange(block, node, begin, end)
    return end


def successors_of_all(block: int, count: int, begin: int, frame: int) -> int:
    """Write the successors of `count` nodes, listed at NODES of the `block`, into the frames from `frame` up.

    They go into `pending` from `begin` on; return the end, or NO_ROOM to stop. While one node is expanded, the lines of
    the hash table that the others need are on their way.
    """
    if must_stop(block):
        return stopped(block, BY_CALLER)
    if frame + count + 2 > word(block, FRAMES):
        return stopped(block, MEMORY)
    nodes = block + (NODES << 3)
    buffer = word(block, BUFFER)
    limit = as_number(word(block, LIMIT))
    cursor = as_number(word(block, CURSOR))
    for place in range(nodes, nodes + (count << 3), 8):
        bring_row(block, load(place))
    done = 0
    rows = 0
    out = buffer
    row = row_of(block, load(nodes))
    while done < count:
        written = call_three(word(block, EXPAND), row, out, word(block, CONTROL))
        if written < 0:
            return failed(block, written)
        put(block, ENTERED, word(block, ENTERED) + is_state(row))
        if done + 1 < count:
            row = row_ahead(block, load(nodes + ((done + 1) << 3)))
        out = hash_all(block, out, rows, written)
        if out < 0:
            return NO_ROOM
        go_ahead(block)
        cursor[frame + done] = begin + rows
        rows += written
        limit[frame + done] = begin + rows
        done += 1
        if done == count or out - buffer > TOGETHER_BYTES:
            if settle(block, rows, out - buffer, begin, frame + count) < 0:
                return NO_ROOM
            put(block, TRANSITIONS, word(block, TRANSITIONS) + rows)
            begin += rows
            rows = 0
            out = buffer
    put(block, EXPANSIONS, word(block, EXPANSIONS) + count)
    return begin


FUNCTIONS: Final = functions_of(rows, table, room, backoff, sys.modules[__name__])
"""The store of one worker."""
