"""The kernels of a worker that owns a part of all states: text that Numba compiles, over the store of one worker.

    begin(block, job, …)                          store the initial rows that are its own
    restore_table(block, job, …)                  find the rows of a checkpoint again
    expand_part(block, job, …)                    expand some rows of the level, sort successors of others into batches
    take_in(block, job, address, size, sender)    settle the rows of a batch: store them, if new

The partition function is in `partition_kernels.py`. Rows are numbered in the order in which they came, so that a level
is a range of numbers; how they are kept is a matter of `owned_rows.py` and `owned_trees.py`. What was sent in message
batches (`message_batches.py`) and what was taken in is counted, by rows and by marks that depend on their contents.

Once all rows are stored, the same is done with rows in a queue, whose successors are then looked up
(`owcty_kernels.py`).
"""

from __future__ import annotations

import sys
from typing import Final

from everafter.engine.block import (
    BUFFER,
    BY_CALLER,
    CONTROL,
    ENTERED,
    EXPAND,
    EXPANSIONS,
    FIRST,
    MEMORY,
    NO_NODE,
    ROWS,
    TRANSITIONS,
)
from everafter.engine.cluster import message_batches as batches
from everafter.engine.cluster import owcty_kernels as trimming
from everafter.engine.cluster import owned_rows as kept
from everafter.engine.cluster import partition_kernels as owners
from everafter.engine.cluster.message_batches import (
    NO_ROW,
    begin_batches,
    make_batches,
    mark_of,
    put_foreign,
    unpack_row,
)
from everafter.engine.cluster.owcty_kernels import follow_listed, queued
from everafter.engine.cluster.owned_rows import (
    bring_line,
    enlist,
    enter_restored,
    is_hashed,
    note_listed,
    row_behind,
    row_from,
    rows_end,
    settle_listed,
)
from everafter.engine.cluster.partition_kernels import has_same_owner, list_initial, owner_of
from everafter.engine.cluster.worker_words import (
    BATCH_ROOM,
    EXPLORE,
    FOREIGN,
    FOUND,
    LEVEL_END,
    LISTED_BYTES,
    MODE,
    NEXT,
    OWN,
    OWNER_SHIFT,
    PLACE,
    STRAY,
    TAKEN,
    TORN,
    VISITS,
)
from everafter.engine.code.intrinsics import (
    call_three,
    load,
    put,
    shifted_right,
    store,
    word,
)
from everafter.engine.code.parts import functions_of
from everafter.engine.emit.claims import VIOLATION
from everafter.engine.store.arena_rows import COLOUR, hash_row, is_state, row_of, row_words
from everafter.engine.store.single_store import NO_ROOM, TOGETHER_BYTES, failed, must_stop, stopped

VIOLATION_WORD = VIOLATION - (1 << 64)
TOGETHER_ROWS = 16  # how many rows are expanded before their successors are settled
PART_ROWS = 1 << 18  # after this many a part ends


def is_violation(row: int) -> bool:
    """Return whether `row` is where a violating run leads to."""
    return load(row) & ~COLOUR == VIOLATION_WORD


def settle_own(block: int, job: int, count: int, words: int) -> int:
    """Do with the `count` rows of the list of its own, of `words` words, what successors are for now.

    `block` and `job` are the worker's. Return how many they are, or why it could not.
    """
    if word(job, MODE) == EXPLORE:
        return settle_listed(block, word(job, OWN), count, words)
    return follow_listed(block, job, word(job, OWN), count)


def begin(block: int, job: int, _address: int, _size: int, _sender: int) -> int:
    """Store the initial rows in the `block` that are this worker's, by its `job`; return how many, or NO_ROOM."""
    own = list_initial(block, job)
    if own < 0:
        return own
    size = 0
    for place in range(word(job, OWN), word(job, OWN) + own * LISTED_BYTES, LISTED_BYTES):
        size += row_words(load(place + 8))
    return settle_listed(block, word(job, OWN), own, size)


def restore_table(block: int, job: int, _address: int, _size: int, _sender: int) -> int:
    """Let all rows of the `block`, read from a checkpoint, be found; return 0, or why that cannot be.

    That is NO_ROOM, STRAY if one of them belongs to another worker by the `job`, or TORN if there are not as many as
    were stored.
    """
    rows = 0
    node = row_from(block, word(block, FIRST))
    while node < rows_end(block):
        row = row_of(block, node)
        words = row_words(row)
        if owner_of(job, row, words, hash_row(row, words)) != word(job, PLACE):
            return STRAY
        rows += 1
        node = row_from(block, row_behind(block, node))
    if rows != word(block, ROWS):
        return TORN
    return 0 if enter_restored(block) else stopped(block, MEMORY)


def count_successors(block: int, job: int, row: int, count: int) -> None:
    """Count in the `block` the `count` successors of `row`, if the `job` is to explore: else they were counted."""
    if word(job, MODE) == EXPLORE:
        put(block, TRANSITIONS, word(block, TRANSITIONS) + count)
        put(block, ENTERED, word(block, ENTERED) + is_state(row))


def count_expanded(block: int, job: int, count: int) -> None:
    """Count in the `block`, or in the `job` after exploration, `count` rows that were expanded.

    Their successors that are this worker's are settled.
    """
    if word(job, MODE) == EXPLORE:
        put(block, EXPANSIONS, word(block, EXPANSIONS) + count)
    else:
        put(job, VISITS, word(job, VISITS) + count)


def expand_part(block: int, job: int, _address: int, _size: int, _sender: int) -> int:
    """Expand the next rows of the level, settle successors that are this worker's, and batch the others.

    `block` and `job` are the worker's. Return how many rows there are in the message batches, or why it could not:
    NO_ROOM or UNKNOWN.
    """
    explores = word(job, MODE) == EXPLORE
    place = word(job, PLACE)
    buffer = word(block, BUFFER)
    following = word(job, NEXT)
    end = word(job, LEVEL_END)
    foreign = word(job, FOREIGN)
    enough = foreign + word(job, BATCH_ROOM)
    count_foreign = 0
    expanded = 0
    begin_batches(job)
    while following < end and expanded < PART_ROWS and foreign < enough:
        if must_stop(block):
            return stopped(block, BY_CALLER)
        out = buffer
        own = 0
        size = 0
        together = 0
        while following < end and together < TOGETHER_ROWS and out - buffer < TOGETHER_BYTES:
            node = row_from(block, following) if explores else queued(block, following)
            row = row_of(block, node)
            count = call_three(word(block, EXPAND), row, out, word(block, CONTROL))
            if count < 0:
                return failed(block, count)
            before = own
            for _ in range(count):
                words = row_words(out)
                if is_violation(out):
                    if word(job, FOUND) == NO_NODE:
                        put(job, FOUND, node)
                else:
                    stays = has_same_owner(job, row, words, out)
                    mixed = hash_row(out, words) if is_hashed() or not stays else 0
                    owner = place if stays else owner_of(job, out, words, mixed)
                    if owner == place:
                        bring_line(block, mixed)
                        enlist(word(job, OWN), own, mixed, out, (place << OWNER_SHIFT) | node)
                        own += 1
                        size += words
                    else:
                        foreign = put_foreign(job, foreign, owner, node, out, words, mixed)
                        count_foreign += 1
                out += words << 3
            count_successors(block, job, row, count)
            if note_listed(block, word(job, OWN), before, own - before) < 0:
                return NO_ROOM
            following = row_behind(block, node) if explores else following + 1
            together += 1
        settled = settle_own(block, job, own, size)
        if settled < 0:
            return settled
        count_expanded(block, job, together)
        expanded += together
    put(job, NEXT, following)
    make_batches(job, foreign)
    return count_foreign


def take_in(block: int, job: int, address: int, size: int, sender: int) -> int:
    """Settle the rows of the message batch of `size` bytes at `address`, from the worker `sender`.

    `block` and `job` are the worker's. Return how many rows it has, or why it could not: NO_ROOM, TORN, STRAY or
    UNKNOWN.
    """
    place = word(job, PLACE)
    buffer = word(block, BUFFER)
    taken = word(job, TAKEN) + (sender << 4)
    end = address + size
    before = NO_ROW
    count = 0
    while address < end:
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
            bring_line(block, mixed)
            enlist(word(job, OWN), own, mixed, row, parent)
            own += 1
            total += words
            marks += mark_of(row, mixed, parent)
            before = row
            row += words << 3
        if note_listed(block, word(job, OWN), 0, own) < 0:
            return NO_ROOM
        settled = settle_own(block, job, own, total)
        if settled < 0:
            return settled
        store(taken, load(taken) + own)
        store(taken + 8, load(taken + 8) + marks)
        count += own
    return count


FUNCTIONS: Final = functions_of(kept, owners, batches, trimming, sys.modules[__name__])
"""What a worker of a cluster does with its store."""
