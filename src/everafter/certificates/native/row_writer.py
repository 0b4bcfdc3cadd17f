"""Rows of a store as streams of differences, in the order in which the store has them."""

from __future__ import annotations

from typing import Any

from everafter.certificates.native.job_words import (
    ARENA,
    BYTES_END,
    BYTES_STREAM,
    COLUMN_WORDS,
    COMPONENTS,
    END,
    HIGHEST,
    LAST_RANK,
    MISSING,
    NEXT,
    PREVIOUS,
    RANKS_END,
    RANKS_STREAM,
    ROWS,
    SETS,
    STREAM_ROOM,
    VALUES_END,
    VALUES_STREAM,
    WORDS_END,
    WORDS_STREAM,
)
from everafter.engine.code.intrinsics import Column, column_at, load, put, shifted_right, store, word

as_bytes: Any = column_at(Column(8, 1))
as_component: Any = column_at(Column(64, 8))
as_missing: Any = column_at(Column(8, 8))

COLOUR = 255
MOST_RANK_BYTES = 10


def words_in(row: int) -> int:
    """How many words the row has."""
    return shifted_right(load(row), 16) & 0xFFFF


def write_word(job: int, now: int, change: int) -> None:
    """Add to `job` the bytes of the word `now` that `change` says differ."""
    mask = 0
    end = word(job, VALUES_STREAM) + word(job, VALUES_END)
    first = end
    for byte in range(8):
        if shifted_right(change, byte << 3) & 255 != 0:
            mask |= 1 << byte
            as_bytes(end)[0] = shifted_right(now, byte << 3) & 255
            end += 1
    put(job, VALUES_END, word(job, VALUES_END) + end - first)
    as_bytes(word(job, BYTES_STREAM) + word(job, BYTES_END))[0] = mask
    put(job, BYTES_END, word(job, BYTES_END) + 1)


def write_row(job: int, row: int, words: int) -> None:
    """Add `row`, of `words` words, to `job`: what differs from the row before, which it then is."""
    previous = word(job, PREVIOUS)
    place = 0
    while place < words:
        changed = 0
        for offset in range(min(8, words - place)):
            at = (place + offset) << 3
            now = load(row + at) if at != 0 else load(row) & ~COLOUR
            change = now ^ load(previous + at)
            if change != 0:
                changed |= 1 << offset
                write_word(job, now, change)
                store(previous + at, now)
        as_bytes(word(job, WORDS_STREAM) + word(job, WORDS_END))[0] = changed
        put(job, WORDS_END, word(job, WORDS_END) + 1)
        place += 8


def write_rank(job: int, rank: int) -> None:
    """Add `rank` to `job`: its distance from the one before, the sign in the lowest bit, seven bits a byte."""
    distance = rank - word(job, LAST_RANK)
    left = (distance << 1) if distance >= 0 else ((-distance) << 1) - 1
    end = word(job, RANKS_STREAM) + word(job, RANKS_END)
    first = end
    while left > 127:
        as_bytes(end)[0] = (left & 127) | 128
        left = shifted_right(left, 7)
        end += 1
    as_bytes(end)[0] = left
    put(job, RANKS_END, word(job, RANKS_END) + end + 1 - first)
    put(job, LAST_RANK, rank)


def rank_of(job: int, node: int) -> int:
    """Return the rank of the state `node`, by `job`: along every edge it stays or falls.

    It is made of the number of the component; or numbers are how far ranks are below the highest.
    """
    component = as_component(word(job, COMPONENTS))[node]
    if word(job, HIGHEST) != 0:
        component = word(job, HIGHEST) - component
    missing = as_missing(word(job, MISSING))[node] if word(job, MISSING) != 0 else 0
    return component * word(job, SETS) + missing  # type: ignore[no-any-return]


def write_rows(job: int) -> int:
    """Add rows, from the next one on, until all are added or a stream is full; how many."""
    node = word(job, NEXT)
    rows = 0
    room = word(job, STREAM_ROOM)
    while node < word(job, END):
        row = word(job, ARENA) + (node << 3)
        words = words_in(row)
        if word(job, VALUES_END) + (words << 3) > room or word(job, BYTES_END) + words > room:
            break
        if word(job, WORDS_END) + words > room or word(job, RANKS_END) + MOST_RANK_BYTES > room:
            break
        write_row(job, row, words)
        if word(job, COMPONENTS) != 0:
            write_rank(job, rank_of(job, node))
        rows += 1
        node += words + word(job, COLUMN_WORDS)
    put(job, NEXT, node)
    put(job, ROWS, word(job, ROWS) + rows)
    return rows
