"""The hash table, through which the row of a state is found.

It is open: lines of 8 slots, each one cache line, filled from the left and probed one after the other. A slot is 24
bits of the hash, the tag, and 40 bits of the state's number; zero is an empty slot. To grow, the table is cleared first
and filled again in one pass over the arena, so that an old and a new one never exist together.

The text is that of one worker and of a team, in which a row is first written into the worker's own part of the arena
and then entered by one compare-and-swap on an empty slot: no other worker can see it before it is complete, and no
worker waits for another. Slots of a line are never emptied, so two workers with the same row aim at the same slot; the
one that comes second finds the row of the first.
"""

from __future__ import annotations

from everafter.engine.block import ARENA, BATCH, BATCH_ROWS, COLUMN_WORDS, LINES, NO_NODE, SLOTS
from everafter.engine.code.atomics import hinted, shared, surveyed, swap_if, vacant
from everafter.engine.code.intrinsics import high_product, load, lowest, prefetch, shifted_right, store, word
from everafter.engine.store.arena_rows import count_row, hash_row, row_at, row_words, same_row, write_row
from everafter.engine.store.backoff import hesitate

TAG = (1 << 24) - 1
TAG_SHIFT = 40
STATE_NUMBER = (1 << TAG_SHIFT) - 1


def line_of(slots: int, lines: int, mixed: int) -> int:
    """Return the address of the line to look at first for a row with the hash `mixed`, of `lines` from `slots` on."""
    return slots + (high_product(mixed, lines) << 6)


def next_line(slots: int, lines: int, line: int) -> int:
    """Return the address of the line after `line`; the first, at `slots`, follows the last of `lines`."""
    return slots if line + 64 == slots + (lines << 6) else line + 64


def node_in(slot: int) -> int:
    """Return the number of the state in the slot with the content `slot`."""
    return slot & STATE_NUMBER


def slot_of(mixed: int, node: int) -> int:
    """Return the slot for the state `node` whose row has the hash `mixed`.

    Proof: proofs/store/packing.vpr, method slot_of.
    """
    return ((mixed & TAG) << TAG_SHIFT) | node


def candidate(line: int, tag: int) -> int:
    """Return a state in `line` whose row may have a hash with this `tag`, or NO_NODE. Others may be there, too.

    Which slot to look at is a hint, and may be any; what is in it is read as it must be.
    """
    matches = hinted(line, tag, TAG_SHIFT)
    return node_in(shared(line + (lowest(matches) << 3))) if matches != 0 else NO_NODE


def find_or_put(block: int, arena: int, slots: int, lines: int, row: int, words: int, mixed: int) -> int:
    """Return the number of the state that `row`, of `words` words, describes; a new one if it was not stored yet.

    Its hash is `mixed`. The `block` has its rows in `arena`, and its hash table has `lines` lines from `slots` on.

    Proof: proofs/store/table.vpr, method find_or_put.
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
                return number
        else:
            line = next_line(slots, lines, line)


def insert_again(slots: int, lines: int, number: int, mixed: int) -> None:
    """Enter the stored row `number`, with the hash `mixed`, into the table of `lines` lines from `slots` on.

    It is not there; other workers may enter other rows meanwhile.

    Proof: proofs/store/table.vpr, method insert_again.
    """
    line = line_of(slots, lines, mixed)
    while True:
        free = vacant(line)
        if free == 0:
            line = next_line(slots, lines, line)
        elif swap_if(line + (lowest(free) << 3), 0, slot_of(mixed, number)) == 0:
            return


def fill(block: int, number: int, end: int) -> None:
    """Enter the rows of the `block` from `number` up to `end` into the hash table.

    Some are entered at a time, to wait for memory only once.
    """
    slots = word(block, SLOTS)
    lines = word(block, LINES)
    batch = block + (BATCH << 3)
    arena = word(block, ARENA)
    columns = word(block, COLUMN_WORDS)
    while number < end:
        count = 0
        while number < end and count < BATCH_ROWS:
            row = row_at(arena, number)
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
    """Return how many rows a table of `lines` lines takes before it grows: seven eighths of its slots."""
    return lines * 7
