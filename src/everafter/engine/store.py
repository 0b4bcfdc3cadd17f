"""The store of states, as text that Numba compiles: rows dense in an arena, found through a hash table.

A row is a state: some 64-bit words. Byte 0 of its first word is the colour, which the searches use; bytes 2 and 3 are
the number of words; byte 4 is zero when the row counts as a state. Rows are the same state when all their words are
equal, the colour ignored. The number of a state is the word of the arena at which its row starts, 0 for none. The
columns that a search keeps for each state are directly before its row.

The hash table is open: lines of 8 slots, each one cache line, filled from the left and probed one after the other. A
slot is 24 bits of the hash, the tag, and 40 bits of the state's number; zero is an empty slot. To grow, the table is
cleared first and filled again in one pass over the arena, so that an old and a new one never exist together.

All functions take the address of the block of words that everafter.engine.block describes. The names `hash_row`,
`as_number` and `as_mask` may be bound to others when the text is compiled.
"""

from __future__ import annotations

from typing import Any

from everafter.engine.block import (
    ARENA,
    ARENA_WORDS,
    BATCH,
    BATCH_ROWS,
    BUFFER,
    BY_CALLER,
    COLUMN_WORDS,
    CONTROL,
    END,
    EXPAND,
    EXPANSIONS,
    FIELD,
    FIELDS,
    FIRST,
    FRAME_BYTES,
    FRAMES,
    GROWTHS,
    HIGHEST_FRAME,
    HIGHEST_PENDING,
    INITIAL,
    INITIAL_ROWS,
    LIMIT_BYTES,
    LINES,
    MEMORY,
    MODEL_CODE,
    MODEL_FAILED,
    MODEL_SETS,
    NODES,
    PENDING_BYTES,
    PENDING_ROOM,
    REASON,
    ROOM_END,
    ROOM_ROWS,
    ROWS,
    SCRATCH,
    SLOTS,
    SLOTS_BYTES,
    STATE_BYTES,
    STATES,
    STOP,
    TRANSITIONS,
)
from everafter.engine.intrinsics import (
    Column,
    call_three,
    call_two,
    clear,
    column_at,
    copy_line,
    empty,
    folded_product,
    high_product,
    load,
    lowest,
    prefetch,
    prefetch_to_write,
    put,
    shifted_right,
    store,
    tagged,
    unequal,
    word,
)
from everafter.search.space import ACCEPTING, ON_PATH

as_number: Any = column_at(Column(64, 8))
as_mask: Any = column_at(Column(0, 0))
as_colour: Any = column_at(Column(8, 8))

PENDING_FIELD = FIELDS.index("pending")
CURSOR_FIELD = FIELDS.index("cursor")
LIMIT_FIELD = FIELDS.index("limit")
MASKS_FIELD = FIELDS.index("masks")
COLOUR = 255
TAG = (1 << 24) - 1
TAG_SHIFT = 40
STATE_NUMBER = (1 << TAG_SHIFT) - 1
STEP_WORDS = 1 << 16
STEP_FRAMES = 1 << 12
TOGETHER_BYTES = 1 << 16  # so much of several nodes' successors is settled at once, while it is in the cache
AHEAD_BYTES = 1024  # lines so far ahead of a new row are brought, since they will be written soon
NO_ROOM = -1

# Any odd constants with about as many ones as zeros will do.
FIRST_SECRET = 0x2D358DCCAA6C78A5
SECOND_SECRET = 0x0BB8FE6A5C4D7C91
THIRD_SECRET = 0x4B33A62ED433D4A3
FOURTH_SECRET = 0x4D5A2DA51DE1AA47


def row_words(row: int) -> int:
    """How many words the row has."""
    return shifted_right(load(row), 16) & 0xFFFF


def hash_row(row: int, words: int) -> int:
    """64 well mixed bits that are equal for equal rows. Two chains of products, so that one need not wait."""
    one = (load(row) & ~COLOUR) ^ FIRST_SECRET
    two = SECOND_SECRET
    place = row + 8
    left = words - 1
    while left >= 4:
        one = folded_product(load(place) ^ one, load(place + 8) ^ THIRD_SECRET)
        two = folded_product(load(place + 16) ^ two, load(place + 24) ^ FOURTH_SECRET)
        place += 32
        left -= 4
    if left >= 2:
        one = folded_product(load(place) ^ one, load(place + 8) ^ THIRD_SECRET)
        place += 16
        left -= 2
    if left > 0:
        two = folded_product(load(place) ^ two, THIRD_SECRET)
    return folded_product(one ^ THIRD_SECRET, two ^ FOURTH_SECRET)


def same_row(one: int, other: int, words: int) -> bool:
    """Whether two rows, the second of this many words, are the same state."""
    different = unequal(one, other, ~COLOUR, words)
    place = 8
    while place < words:
        different |= unequal(one + (place << 3), other + (place << 3), -1, words - place)
        place += 8
    return different == 0


def line_of(slots: int, lines: int, mixed: int) -> int:
    """The address of the line at which to look first for a row with this hash."""
    return slots + (high_product(mixed, lines) << 6)


def next_line(slots: int, lines: int, line: int) -> int:
    """The address of the line after it; the first follows the last."""
    return slots if line + 64 == slots + (lines << 6) else line + 64


def write_row(block: int, row: int, words: int) -> int:
    """Copy the row to the end of the arena, with zeros in its columns; its number. It does not count yet.

    Whole lines are copied: what lies behind the last row belongs to nobody.
    """
    number = word(block, END) + word(block, COLUMN_WORDS)
    target = word(block, ARENA) + (number << 3)
    for place in range(target - (word(block, COLUMN_WORDS) << 3), target, 8):
        store(place, 0)
    for offset in range(0, words << 3, 64):
        copy_line(target + offset, row + offset)
        prefetch_to_write(target + offset + AHEAD_BYTES)
    return number


def count_row(block: int, row: int, words: int, number: int) -> None:
    """The row just written is one of those stored."""
    put(block, END, number + words)
    put(block, ROWS, word(block, ROWS) + 1)
    if shifted_right(load(row), 32) & 255 == 0:
        put(block, STATES, word(block, STATES) + 1)


def find_or_put(block: int, arena: int, slots: int, lines: int, row: int, words: int, mixed: int) -> int:
    """The number of the state that the row describes; a new number if it was not stored yet."""
    tag = mixed & TAG
    line = line_of(slots, lines, mixed)
    while True:
        matches = tagged(line, tag, TAG_SHIFT)
        while matches != 0:
            number = load(line + (lowest(matches) << 3)) & STATE_NUMBER
            if same_row(arena + (number << 3), row, words):
                return number
            matches &= matches - 1
        free = empty(line)
        if free != 0:
            number = write_row(block, row, words)
            count_row(block, row, words, number)
            store(line + (lowest(free) << 3), (tag << TAG_SHIFT) | number)
            return number
        line = next_line(slots, lines, line)


def insert_again(slots: int, lines: int, number: int, mixed: int) -> None:
    """Enter a stored row, which is not in the hash table, into it."""
    line = line_of(slots, lines, mixed)
    free = empty(line)
    while free == 0:
        line = next_line(slots, lines, line)
        free = empty(line)
    store(line + (lowest(free) << 3), ((mixed & TAG) << TAG_SHIFT) | number)


def fill(block: int, number: int, end: int) -> None:
    """Enter the rows from this one up to the end into the hash table: some at a time, to wait for memory only once."""
    slots = word(block, SLOTS)
    lines = word(block, LINES)
    batch = block + (BATCH << 3)
    arena = word(block, ARENA)
    columns = word(block, COLUMN_WORDS)
    while number < end:
        count = 0
        while number < end and count < BATCH_ROWS:
            row = arena + (number << 3)
            words = row_words(row)
            mixed = hash_row(row, words)
            prefetch(line_of(slots, lines, mixed))
            store(batch + (count << 4), number)
            store(batch + (count << 4) + 8, mixed)
            number += words + columns
            count += 1
        for place in range(batch, batch + (count << 4), 16):
            insert_again(slots, lines, load(place), load(place + 8))


def rows_in(lines: int) -> int:
    """How many rows a table of so many lines takes before it grows: seven eighths of its slots, but all if tiny."""
    return lines * 7


def bytes_with(block: int, lines: int) -> int:
    """The memory in use if the hash table has so many lines."""
    return (
        (word(block, END) << 3)
        + (lines << 6)
        + word(block, ROWS) * word(block, STATE_BYTES)
        + word(block, HIGHEST_FRAME) * word(block, FRAME_BYTES)
        + word(block, HIGHEST_PENDING) * word(block, PENDING_BYTES)
    )


def grow(block: int, rows: int) -> bool:
    """Make the hash table large enough for so many rows and more: twice as large, or as much as the limit allows."""
    old = word(block, LINES)
    lines = max(old << 1, rows // 6 + 1)
    limit = word(block, LIMIT_BYTES)
    if bytes_with(block, lines) > limit or (lines << 6) > word(block, SLOTS_BYTES):
        lines = min((limit - bytes_with(block, 0)) >> 7, word(block, SLOTS_BYTES) >> 6)
    if rows_in(lines) < rows or lines < old + (old >> 3):
        return False
    clear(word(block, SLOTS), old << 6)
    put(block, LINES, lines)
    put(block, ROOM_ROWS, rows_in(lines))
    put(block, GROWTHS, word(block, GROWTHS) + 1)
    fill(block, word(block, FIRST), word(block, END))
    return True


def make_room(block: int, words: int, rows: int, pending: int, frames: int) -> bool:
    """Whether there is room for so many more words in the arena, and for so many rows, successors and frames in all.

    If so, it may be used without asking again up to the marks that this sets.
    """
    if frames > word(block, FRAMES) or pending > word(block, PENDING_ROOM):
        return False
    old_frames = word(block, HIGHEST_FRAME)
    old_pending = word(block, HIGHEST_PENDING)
    if frames > old_frames:
        put(block, HIGHEST_FRAME, min(frames + STEP_FRAMES, word(block, FRAMES)))
    if pending > old_pending:
        put(block, HIGHEST_PENDING, min(pending + STEP_FRAMES, word(block, PENDING_ROOM)))
    end = word(block, END)
    if rows <= word(block, ROOM_ROWS) or grow(block, rows):
        free = word(block, LIMIT_BYTES) - bytes_with(block, word(block, LINES))
        last = min(end + free // (8 + word(block, STATE_BYTES)), word(block, ARENA_WORDS))
        put(block, ROOM_END, min(end + words + STEP_WORDS, last))
        if free >= 0 and end + words <= last:
            return True
    put(block, HIGHEST_FRAME, old_frames)
    put(block, HIGHEST_PENDING, old_pending)
    return False


def stopped(block: int, reason: int) -> int:
    """Note why the search stops."""
    if word(block, REASON) == 0:
        put(block, REASON, reason)
    return NO_ROOM


def must_stop(block: int) -> bool:
    """Whether somebody wants the search to end."""
    return word(block, STOP) != 0


def arrange(_block: int, _node: int, _begin: int, _end: int) -> None:
    """Put the successors in `pending[begin … end - 1]` into another order: not where one worker searches alone."""


def hash_all(block: int, row: int, first: int, count: int) -> int:
    """Hash the rows that the model has written from `row` on, and start to bring their lines; where the rows end.

    The first of them is the row `first` of those to be settled.
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
    """Start to bring the stored rows that the rows written by the model will be compared with."""
    slots = word(block, SLOTS)
    lines = word(block, LINES)
    arena = word(block, ARENA)
    row = word(block, BUFFER)
    scratch = word(block, SCRATCH)
    for place in range(scratch, scratch + (count << 3), 8):
        size = row_words(row) << 3
        mixed = load(place)
        line = line_of(slots, lines, mixed)
        matches = tagged(line, mixed & TAG, TAG_SHIFT)
        if matches != 0:
            stored = arena + ((load(line + (lowest(matches) << 3)) & STATE_NUMBER) << 3)
            for part in range(stored, stored + size, 64):
                prefetch(part)
            prefetch(stored + size - 8)
        row += size


def number_all(block: int, count: int, begin: int) -> None:
    """Write the number of each row that the model has written into `pending` from `begin` on."""
    slots = word(block, SLOTS)
    lines = word(block, LINES)
    arena = word(block, ARENA)
    pending = as_number(word(block, FIELD + PENDING_FIELD))
    row = word(block, BUFFER)
    scratch = word(block, SCRATCH)
    for index in range(count):
        words = row_words(row)
        pending[begin + index] = find_or_put(block, arena, slots, lines, row, words, load(scratch + (index << 3)))
        row += words << 3


def settle(block: int, count: int, size: int, begin: int, depth: int) -> int:
    """Give the hashed rows, of so many bytes, their numbers, in `pending` from `begin` on; the end, or NO_ROOM.

    There will be room for frames up to one above `depth`.
    """
    words = shifted_right(size, 3) + count * word(block, COLUMN_WORDS)
    rows = word(block, ROWS) + count
    end = begin + count
    enough = (
        word(block, END) + words <= word(block, ROOM_END)
        and rows <= word(block, ROOM_ROWS)
        and end <= word(block, HIGHEST_PENDING)
        and depth + 2 <= word(block, HIGHEST_FRAME)
    )
    if not enough and not make_room(block, words, rows, end, depth + 2):
        return stopped(block, MEMORY)
    bring_candidates(block, count)
    number_all(block, count, begin)
    return end


def failed(block: int, code: int) -> int:
    """Note that the model failed."""
    put(block, MODEL_CODE, code)
    return stopped(block, MODEL_FAILED)


def initial_states(block: int) -> int:
    """Store the initial states, and list the number of each once; how many there are, or NO_ROOM to stop."""
    buffer = word(block, BUFFER)
    count = call_two(word(block, INITIAL), buffer, word(block, CONTROL))
    if count < 0:
        return failed(block, count)
    end = settle(block, count, hash_all(block, buffer, 0, count) - buffer, 0, 0)
    if end < 0:
        return NO_ROOM
    pending = as_number(word(block, FIELD + PENDING_FIELD))
    colour = as_colour(word(block, ARENA))
    target = word(block, FIELD)
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
    """Note the acceptance sets of each successor: set 0 if its source is accepting, and those the model writes."""
    masks = as_mask(word(block, FIELD + MASKS_FIELD))
    written = word(block, MODEL_SETS)
    for position in range(begin, end):
        own = load(written + ((position - begin) << 3)) if written != 0 else 0
        masks[position] = own | accepting


def successors(block: int, node: int, begin: int, depth: int) -> int:
    """Write the numbers of the node's successors into `pending` from `begin` on; the end, or NO_ROOM to stop.

    For node 0, store the initial states and list each once in `initial`; how many there are, or NO_ROOM to stop.
    """
    if node == 0:
        return initial_states(block)
    if must_stop(block):
        return stopped(block, BY_CALLER)
    row = word(block, ARENA) + (node << 3)
    buffer = word(block, BUFFER)
    count = call_three(word(block, EXPAND), row, buffer, word(block, CONTROL))
    if count < 0:
        return failed(block, count)
    end = settle(block, count, hash_all(block, buffer, 0, count) - buffer, begin, depth)
    if end >= 0:
        put(block, EXPANSIONS, word(block, EXPANSIONS) + 1)
        put(block, TRANSITIONS, word(block, TRANSITIONS) + count)
        note_sets(block, begin, end, 1 if load(row) & ACCEPTING else 0)
        arrange(block, node, begin, end)
    return end


def successors_of_all(block: int, count: int, begin: int, frame: int) -> int:
    """Write the successors of the nodes listed at NODES into the frames from `frame` up, and into `pending` from
    `begin` on; the end, or NO_ROOM to stop.

    While one node is expanded, the lines of the hash table that the others need are on their way.
    """
    if must_stop(block):
        return stopped(block, BY_CALLER)
    if frame + count + 2 > word(block, FRAMES):
        return stopped(block, MEMORY)
    nodes = block + (NODES << 3)
    arena = word(block, ARENA)
    buffer = word(block, BUFFER)
    limit = as_number(word(block, FIELD + LIMIT_FIELD))
    cursor = as_number(word(block, FIELD + CURSOR_FIELD))
    for place in range(nodes, nodes + (count << 3), 8):
        prefetch(arena + (load(place) << 3))
    done = 0
    rows = 0
    out = buffer
    while done < count:
        row = arena + (load(nodes + (done << 3)) << 3)
        written = call_three(word(block, EXPAND), row, out, word(block, CONTROL))
        if written < 0:
            return failed(block, written)
        out = hash_all(block, out, rows, written)
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
