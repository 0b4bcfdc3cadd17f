"""Kernels that make message batches of rows for other workers, and read them: text that Numba compiles.

    put_foreign(job, …)     put a successor that is another's aside
    make_batches(job, end)  sort what was put aside by owner, each row as what differs from the row before it
    unpack_row(…)           a row of a batch, from what differs from the row before it

In a batch, a row is its parent and then, for every 64 words, a bit for each that differs from the row before, and these
words. Where there is no row before, or one of another length, every word counts as different.
"""

from __future__ import annotations

from everafter.engine.cluster.worker_words import (
    BATCHES,
    FOREIGN,
    OWNER_SHIFT,
    PADDING,
    PLACE,
    SENT,
    STARTS,
    TORN,
    WORKERS,
)
from everafter.engine.code.intrinsics import (
    clear,
    copy_line,
    folded_product,
    load,
    lowest,
    ones,
    shifted_right,
    store,
    unequal,
    word,
)
from everafter.engine.store.arena_rows import COLOUR, row_words

MARK_SECRET = 0x5851F42D4C957F2D
NODE_BITS = (1 << OWNER_SHIFT) - 1
NO_ROW = 0
START_BYTES = 24  # for each owner: where its batch begins and ends, and the row that was put there last


def mark_of(row: int, mixed: int, parent: int) -> int:
    """Return what `row`, with its colour and its hash `mixed`, and its `parent` add to the sum sent, or taken in."""
    return folded_product(mixed + (load(row) & COLOUR), parent ^ MARK_SECRET)


def copy_row(target: int, row: int, words: int) -> int:
    """Copy `row`, of `words` words, to `target` by whole lines; return where it ends.

    What lies behind it is written later, or is padding.
    """
    end = target + (words << 3)
    while target < end:
        copy_line(target, row)
        target += 64
        row += 64
    return end


def mask_bytes(words: int) -> int:
    """Return how many bytes a bit for each of `words` words takes."""
    return ((words + 63) >> 6) << 3


def begin_batches(job: int) -> None:
    """Let no row be put aside in the `job`."""
    clear(word(job, STARTS), word(job, WORKERS) * START_BYTES)


def put_foreign(job: int, place: int, owner: int, node: int, row: int, words: int, mixed: int) -> int:
    """Put `row`, a successor of `node`, aside at `place` for `owner`, behind its owner and the node.

    It has `words` words and the hash `mixed`; the `job` counts it as sent. Return where the next one goes.
    """
    store(place, (owner << OWNER_SHIFT) | node)
    size = word(job, STARTS) + owner * START_BYTES + 8
    store(size, load(size) + 8 + (words << 3) + mask_bytes(words))
    sent = word(job, SENT) + (owner << 4)
    store(sent, load(sent) + 1)
    store(sent + 8, load(sent + 8) + mark_of(row, mixed, (word(job, PLACE) << OWNER_SHIFT) | node))
    return copy_row(place + 8, row, words)


def make_batches(job: int, end: int) -> None:
    """Make a message batch for each owner of the rows that were put aside in the `job`, up to `end`."""
    starts = word(job, STARTS)
    own = word(job, PLACE) << OWNER_SHIFT
    total = 0
    for start in range(starts, starts + word(job, WORKERS) * START_BYTES, START_BYTES):
        size = load(start + 8)
        store(start, total)
        store(start + 8, total)
        total += size + PADDING
    place = word(job, FOREIGN)
    while place < end:
        start = starts + shifted_right(load(place), OWNER_SHIFT) * START_BYTES
        target = word(job, BATCHES) + load(start + 8)
        row = place + 8
        store(target, own | (load(place) & NODE_BITS))
        store(start + 8, pack_row(target + 8, row, load(start + 16)) - word(job, BATCHES))
        store(start + 16, row)
        place = row + (row_words(row) << 3)


def pack_row(target: int, row: int, before: int) -> int:
    """Write to `target` what differs between `row` and the row `before`; return where it ends."""
    words = row_words(row)
    is_alike = before != NO_ROW and row_words(before) == words
    place = target
    for first in range(0, words, 64):
        bits = 0
        mask = place
        place += 8
        for index in range(first, min(first + 64, words), 8):
            line = row + (index << 3)
            different = (1 << min(words - index, 8)) - 1
            if is_alike:
                different = unequal(line, before + (index << 3), -1, words - index)
            bits |= different << (index - first)
            while different != 0:
                store(place, load(line + (lowest(different) << 3)))
                place += 8
                different &= different - 1
        store(mask, bits)
    return place


def unpack_row(target: int, place: int, end: int, before: int) -> int:
    """Write a row to `target` from what is at `place` of a batch and the row `before`.

    Return where the next one is, or TORN if it would not end before `end`.
    """
    if place + 8 > end:
        return TORN
    is_first_known = load(place) & 1 == 0
    if before == NO_ROW if is_first_known else place + 16 > end:
        return TORN
    words = row_words(before if is_first_known else place + 8)
    is_alike = before != NO_ROW and row_words(before) == words
    if is_alike:
        copy_row(target, before, words)
    for first in range(0, words, 64):
        every = -1 if words - first >= 64 else (1 << (words - first)) - 1
        bits = load(place) if place < end else 0
        place += 8
        if place + (ones(bits) << 3) > end or bits & ~every != 0 or (not is_alike and bits != every):
            return TORN
        while bits != 0:
            store(target + ((first + lowest(bits)) << 3), load(place))
            place += 8
            bits &= bits - 1
    return place if words > 0 else TORN
