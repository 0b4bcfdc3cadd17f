"""The kernels of a worker that owns a part of all states: text that Numba compiles, over the store of one worker.

    begin(block, job, …)                          store the initial rows that are its own
    restore_table(block, job, …)                  find the rows of a checkpoint again
    expand_part(block, job, …)                    expand some rows of the level, sort successors of others into parcels
    take_in(block, job, address, size, sender)    settle the rows of a parcel: store them, if they are new

The owner of a row follows from some of its bytes, which are chosen once for all workers (`owning.py`), or else from its
hash. Rows lie in the arena in the order in which they came, so that a level is a range of it. What was sent in parcels
(`parcels.py`) and what was taken in is counted, by rows and by marks that depend on their contents.

Once all rows are stored, the same is done with rows in a queue, whose successors are then looked up: see `trimming.py`.
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
    FIRST,
    INITIAL,
    LINES,
    MEMORY,
    NO_NODE,
    ROOM_END,
    ROOM_ROWS,
    ROWS,
    SLOTS,
    TRANSITIONS,
    word_of,
)
from everafter.engine.cluster import parcels, trimming
from everafter.engine.cluster.job import (
    CHOSEN,
    CHOSEN_BYTES,
    CHOSEN_LINES,
    CHOSEN_WORDS,
    EXPLORE,
    FOREIGN,
    FOUND,
    LEVEL_END,
    LISTED_BYTES,
    MODE,
    NEXT,
    OWN,
    OWNER_SHIFT,
    PARCEL_ROOM,
    PLACE,
    STRAY,
    TAKEN,
    TORN,
    VISITS,
    WORKERS,
)
from everafter.engine.cluster.parcels import NO_ROW, begin_parcels, make_parcels, mark_of, put_foreign, unpack_row
from everafter.engine.cluster.trimming import bring_listed, follow_listed, queued
from everafter.engine.code.intrinsics import (
    Column,
    call_three,
    call_two,
    changed,
    column_at,
    folded_product,
    high_product,
    load,
    prefetch,
    put,
    shifted_right,
    store,
    word,
)
from everafter.engine.emit.claims import VIOLATION
from everafter.engine.store import alone
from everafter.engine.store.alone import TOGETHER_BYTES, failed, must_stop, stopped
from everafter.engine.store.parts import functions_of
from everafter.engine.store.room import grow, make_room
from everafter.engine.store.rows import COLOUR, hash_row, is_state, row_of, row_words
from everafter.engine.store.table import find_or_put, line_of

as_parent: Any = column_at(Column(64, 8, 1))

PARENT = word_of("parent")
VIOLATION_WORD = VIOLATION - (1 << 64)
KEY_SECRET = 0x369DEA0F31A53F85
OWNER_SECRET = 0x5851F42D4C957F2D  # the table uses the hash itself: owners must not depend on the same bits
TOGETHER_ROWS = 16  # so many rows are expanded before their successors are settled
PART_ROWS = 1 << 18  # after so many a part ends
NO_PARENT = -1


def owner_of(job: int, row: int, words: int, mixed: int) -> int:
    """Who owns a row of so many words with this hash: see `owning.py`, which computes the same."""
    key = mixed
    chosen = word(job, CHOSEN)
    end = chosen + (word(job, CHOSEN_WORDS) << 4)
    if chosen != end:
        key = OWNER_SECRET
    for place in range(chosen, end, 16):
        index = load(place)
        value = load(row + (index << 3)) & load(place + 8) if index < words else 0
        key = folded_product(value ^ key, KEY_SECRET)
    return high_product(folded_product(key, OWNER_SECRET), word(job, WORKERS))


def has_same_owner(job: int, row: int, words: int, successor: int) -> bool:
    """Whether a successor of so many words has the owner of its row, since the bits that tell it are the same there.

    Whole lines are compared: where other things lie behind both rows, it is not known to have.
    """
    bits = word(job, CHOSEN_LINES)
    size = word(job, CHOSEN_BYTES)
    if size == 0 or row_words(row) != words:
        return False
    end = bits + min(size, words << 3)
    different = 0
    while bits < end:
        different |= changed(row, successor, bits)
        row += 64
        successor += 64
        bits += 64
    return different == 0


def is_violation(row: int) -> bool:
    """Whether the row is where a violating run leads to."""
    return load(row) & ~COLOUR == VIOLATION_WORD


def enlist(listed: int, position: int, mixed: int, row: int, parent: int) -> None:
    """Write a row into a list."""
    place = listed + position * LISTED_BYTES
    store(place, mixed)
    store(place + 8, row)
    store(place + 16, parent)


def settle_listed(block: int, listed: int, count: int, words: int) -> int:
    """Store the rows of the list that are new, with their parents; how many are listed, or NO_ROOM.

    All of them together have so many words.
    """
    rows = word(block, ROWS) + count
    needed = words + count * word(block, COLUMN_WORDS)
    enough = word(block, END) + needed <= word(block, ROOM_END) and rows <= word(block, ROOM_ROWS)
    if not enough and not make_room(block, needed, rows, 0, 0):
        return stopped(block, MEMORY)
    bring_listed(block, listed, count)
    slots = word(block, SLOTS)
    lines = word(block, LINES)
    arena = word(block, ARENA)
    parents = as_parent(word(block, PARENT))
    for place in range(listed, listed + count * LISTED_BYTES, LISTED_BYTES):
        row = load(place + 8)
        before = word(block, ROWS)
        number = find_or_put(block, arena, slots, lines, row, row_words(row), load(place))
        if word(block, ROWS) != before:
            parents[number] = load(place + 16)
    return count


def settle_own(block: int, job: int, count: int, words: int) -> int:
    """Do with the rows of the list of its own what successors are for now; how many they are, or why it could not."""
    if word(job, MODE) == EXPLORE:
        return settle_listed(block, word(job, OWN), count, words)
    return follow_listed(block, job, word(job, OWN), count)


def begin(block: int, job: int, _address: int, _size: int, _sender: int) -> int:
    """Store the initial rows that are this worker's; how many were written by the model, or NO_ROOM."""
    row = word(block, BUFFER)
    count = call_two(word(block, INITIAL), row, word(block, CONTROL))
    if count < 0:
        return failed(block, count)
    own = 0
    size = 0
    for _ in range(count):
        words = row_words(row)
        mixed = hash_row(row, words)
        if owner_of(job, row, words, mixed) == word(job, PLACE):
            enlist(word(job, OWN), own, mixed, row, NO_PARENT)
            own += 1
            size += words
        row += words << 3
    return settle_listed(block, word(job, OWN), own, size)


def restore_table(block: int, job: int, _address: int, _size: int, _sender: int) -> int:
    """Enter all rows, which were read from a checkpoint, into the hash table; 0, or why it could not.

    That is NO_ROOM, or STRAY if one of them belongs to another worker.
    """
    columns = word(block, COLUMN_WORDS)
    node = word(block, FIRST)
    while node < word(block, END):
        row = row_of(block, node)
        words = row_words(row)
        if owner_of(job, row, words, hash_row(row, words)) != word(job, PLACE):
            return STRAY
        node += words + columns
    rows = word(block, ROWS)
    return 0 if rows == 0 or grow(block, rows) else stopped(block, MEMORY)


def count_successors(block: int, job: int, row: int, count: int) -> None:
    """The row has so many successors, which count when it is expanded for the first time."""
    if word(job, MODE) == EXPLORE:
        put(block, TRANSITIONS, word(block, TRANSITIONS) + count)
        put(block, ENTERED, word(block, ENTERED) + is_state(row))


def count_expanded(block: int, job: int, count: int) -> None:
    """So many rows were expanded, and their successors that are this worker's are settled."""
    if word(job, MODE) == EXPLORE:
        put(block, EXPANSIONS, word(block, EXPANSIONS) + count)
    else:
        put(job, VISITS, word(job, VISITS) + count)


def expand_part(block: int, job: int, _address: int, _size: int, _sender: int) -> int:
    """Expand the next rows of the level: settle successors that are this worker's, and make parcels of the others.

    How many rows there are in the parcels, or why it could not: NO_ROOM or UNKNOWN.
    """
    explores = word(job, MODE) == EXPLORE
    place = word(job, PLACE)
    slots = word(block, SLOTS)
    buffer = word(block, BUFFER)
    columns = word(block, COLUMN_WORDS)
    following = word(job, NEXT)
    end = word(job, LEVEL_END)
    foreign = word(job, FOREIGN)
    enough = foreign + word(job, PARCEL_ROOM)
    count_foreign = 0
    expanded = 0
    begin_parcels(job)
    while following < end and expanded < PART_ROWS and foreign < enough:
        if must_stop(block):
            return stopped(block, BY_CALLER)
        lines = word(block, LINES)
        out = buffer
        own = 0
        size = 0
        together = 0
        while following < end and together < TOGETHER_ROWS and out - buffer < TOGETHER_BYTES:
            node = following if explores else queued(block, following)
            row = row_of(block, node)
            count = call_three(word(block, EXPAND), row, out, word(block, CONTROL))
            if count < 0:
                return failed(block, count)
            for _ in range(count):
                words = row_words(out)
                mixed = hash_row(out, words)
                if is_violation(out):
                    if word(job, FOUND) == NO_NODE:
                        put(job, FOUND, node)
                else:
                    owner = place if has_same_owner(job, row, words, out) else owner_of(job, out, words, mixed)
                    if owner == place:
                        prefetch(line_of(slots, lines, mixed))
                        enlist(word(job, OWN), own, mixed, out, (place << OWNER_SHIFT) | node)
                        own += 1
                        size += words
                    else:
                        foreign = put_foreign(job, foreign, owner, node, out, words, mixed)
                        count_foreign += 1
                out += words << 3
            count_successors(block, job, row, count)
            following += row_words(row) + columns if explores else 1
            together += 1
        settled = settle_own(block, job, own, size)
        if settled < 0:
            return settled
        count_expanded(block, job, together)
        expanded += together
    put(job, NEXT, following)
    make_parcels(job, foreign)
    return count_foreign


def take_in(block: int, job: int, address: int, size: int, sender: int) -> int:
    """Settle the rows of a parcel from this sender; how many it has, or why it could not.

    That is NO_ROOM, TORN, STRAY or UNKNOWN.
    """
    place = word(job, PLACE)
    slots = word(block, SLOTS)
    buffer = word(block, BUFFER)
    taken = word(job, TAKEN) + (sender << 4)
    end = address + size
    before = NO_ROW
    count = 0
    while address < end:
        lines = word(block, LINES)
        row = buffer
        own = 0
        total = 0
        marks = 0
        while address < end and row - buffer < TOGETHER_BYTES:
            parent = load(address)
            address = unpack_row(row, address + 8, end, before)
            if address < 0:
                return TORN
            words = row_words(row)
            mixed = hash_row(row, words)
            if owner_of(job, row, words, mixed) != place or shifted_right(parent, OWNER_SHIFT) != sender:
                return STRAY
            prefetch(line_of(slots, lines, mixed))
            enlist(word(job, OWN), own, mixed, row, parent)
            own += 1
            total += words
            marks += mark_of(row, mixed, parent)
            before = row
            row += words << 3
        settled = settle_own(block, job, own, total)
        if settled < 0:
            return settled
        store(taken, load(taken) + own)
        store(taken + 8, load(taken + 8) + marks)
        count += own
    return count


FUNCTIONS: Final = {**alone.FUNCTIONS, **functions_of(parcels, trimming, sys.modules[__name__])}
"""The store of one worker, and what a worker of a company does with it."""
