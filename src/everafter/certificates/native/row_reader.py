"""Streams of differences as rows again, each with its rank in the word before it. Nothing of a stream is believed."""

from __future__ import annotations

from typing import Any

from everafter.certificates.native.job_words import (
    ARENA,
    BYTES_END,
    BYTES_STREAM,
    DAMAGED,
    END,
    FULL,
    LAST_RANK,
    LONGEST_ROW,
    PREVIOUS,
    RANKS_END,
    RANKS_STREAM,
    ROOM,
    ROWS,
    VALUES_END,
    VALUES_STREAM,
    WORDS_END,
    WORDS_STREAM,
)
from everafter.engine.code.intrinsics import Column, column_at, load, put, shifted_right, store, word

as_bytes: Any = column_at(Column(8, 1))

COLOUR = 255
NO_STREAM = 0


def byte_of(job: int, stream: int, end: int) -> int:
    """The next byte of a stream, or -1. `stream` is the index of where it is, `end` that of how many are left."""
    left = word(job, end)
    if left == 0:
        return -1
    place = word(job, stream)
    put(job, stream, place + 1)
    put(job, end, left - 1)
    return as_bytes(place)[0]  # type: ignore[no-any-return]


def read_word(job: int, at: int) -> bool:
    """Read what differs in the word `at` of the row before, by `job`; return false if the streams are damaged."""
    mask = byte_of(job, BYTES_STREAM, BYTES_END)
    if mask <= 0:
        return False
    now = load(word(job, PREVIOUS) + at)
    for byte in range(8):
        if mask & (1 << byte) != 0:
            value = byte_of(job, VALUES_STREAM, VALUES_END)
            if value < 0:
                return False
            now = (now & ~(255 << (byte << 3))) | (value << (byte << 3))
    store(word(job, PREVIOUS) + at, now)
    return True


def read_eight(job: int, place: int) -> bool:
    """Read what differs in the eight words from `place` on, by `job`; return false if the streams are damaged."""
    changed = byte_of(job, WORDS_STREAM, WORDS_END)
    if changed < 0:
        return False
    offset = 0
    while offset < 8 and (changed & (1 << offset) == 0 or read_word(job, (place + offset) << 3)):
        offset += 1
    return offset == 8


def read_row(job: int) -> int:
    """Make the next row of the row before; how many words it has, or DAMAGED."""
    if not read_eight(job, 0):
        return DAMAGED
    first = load(word(job, PREVIOUS))
    words = shifted_right(first, 16) & 0xFFFF
    if words == 0 or first & COLOUR != 0:
        return DAMAGED
    place = 8
    while place < words:
        if not read_eight(job, place):
            return DAMAGED
        place += 8
    return words


def read_rank(job: int) -> int:
    """The next rank, or DAMAGED."""
    value = 0
    shift = 0
    while True:
        byte = byte_of(job, RANKS_STREAM, RANKS_END)
        if byte < 0 or shift > 56:
            return DAMAGED
        value |= (byte & 127) << shift
        if byte < 128:
            break
        shift += 7
    distance = -shifted_right(value + 1, 1) if value & 1 else shifted_right(value, 1)
    rank = word(job, LAST_RANK) + distance
    if rank < 0:
        return DAMAGED
    put(job, LAST_RANK, rank)
    return rank


def read_rows(job: int) -> int:
    """Add the rows of a block to the arena, each behind a word with its rank; how many, or what is wrong."""
    has_ranks = word(job, RANKS_STREAM) != NO_STREAM
    for _ in range(word(job, ROWS)):
        words = read_row(job)
        if words < 0:
            return words
        end = word(job, END)
        if end + words + LONGEST_ROW > word(job, ROOM):
            return FULL
        rank = 0
        if has_ranks:
            rank = read_rank(job)
            if rank < 0:
                return rank
        target = word(job, ARENA) + (end << 3)
        store(target, rank)
        for offset in range(0, words << 3, 8):
            store(target + 8 + offset, load(word(job, PREVIOUS) + offset))
        put(job, END, end + words + 1)
    if word(job, WORDS_END) + word(job, BYTES_END) + word(job, VALUES_END) + word(job, RANKS_END) != 0:
        return DAMAGED
    return word(job, ROWS)
