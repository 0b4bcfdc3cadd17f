"""Rows by their content: sorted into buckets by a key, in two passes over all of them, and found by a look into one.

A key is made of all words of a row. Its highest bits say the bucket; an entry has its lowest bits and the row's number.
"""

from __future__ import annotations

from everafter.certificates.native.job_words import ARENA, BUCKET_BITS, BUCKETS, CROWDED, END, ENTRIES
from everafter.engine.code.intrinsics import load, prefetch, shifted_right, store, word

COLOUR = 255
MULTIPLIER = 0x5851F42D4C957F2D  # any odd number with about as many ones as zeros
TAG = (1 << 24) - 1
TAG_SHIFT = 40
NUMBER = (1 << TAG_SHIFT) - 1
FIRST = 1  # the number of the first row: its rank is in the word before
ABSENT = -1
MOST_IN_BUCKET = 64  # on average it has two to four; of a million honest rows, a dozen


def words_of(row: int) -> int:
    """How many words the row has."""
    return shifted_right(load(row), 16) & 0xFFFF


def key_of(row: int, words: int) -> int:
    """Return the key of `row`, of `words` words; its first byte is not part of it."""
    key = load(row) & ~COLOUR
    for place in range(row + 8, row + (words << 3), 8):
        key = (key ^ shifted_right(key, 32) ^ load(place)) * MULTIPLIER
    key = (key ^ shifted_right(key, 29)) * MULTIPLIER
    return key ^ shifted_right(key, 32)


def bucket_of(job: int, key: int) -> int:
    """Return the address of where the entries of the bucket of `key` begin in `job`."""
    return word(job, BUCKETS) + (shifted_right(key, 64 - word(job, BUCKET_BITS)) << 3)


def sort_rows(job: int) -> int:
    """Make the entries of all rows; how many there are, or CROWDED if rows are chosen to have the same key.

    The words of all buckets, and one more, are zero before.
    """
    arena = word(job, ARENA)
    entries = word(job, ENTRIES)
    row = FIRST
    while row < word(job, END):
        place = arena + (row << 3)
        words = words_of(place)
        bucket = bucket_of(job, key_of(place, words))
        store(bucket, load(bucket) + 1)
        row += words + 1
    before = 0
    buckets = word(job, BUCKETS)
    for bucket in range(buckets, buckets + (8 << word(job, BUCKET_BITS)), 8):
        if load(bucket) > MOST_IN_BUCKET:
            return CROWDED
        before += load(bucket)
        store(bucket, before)  # where its entries end; each that is written moves it, to where they begin
    store(buckets + (8 << word(job, BUCKET_BITS)), before)
    row = FIRST
    while row < word(job, END):
        place = arena + (row << 3)
        words = words_of(place)
        key = key_of(place, words)
        bucket = bucket_of(job, key)
        entry = load(bucket) - 1
        store(bucket, entry)
        store(entries + (entry << 3), ((key & TAG) << TAG_SHIFT) | row)
        row += words + 1
    return before


def is_same(one: int, other: int, words: int) -> bool:
    """Return whether the rows `one` and `other`, which has `words` words, are the same but for their first bytes."""
    if (load(one) ^ load(other)) & ~COLOUR != 0:
        return False
    different = 0
    for place in range(8, words << 3, 8):
        different |= load(one + place) ^ load(other + place)
    return different == 0


def bring_bucket(job: int, key: int) -> None:
    """Prefetch the bucket of `key` in `job`, which `find_row` looks at first."""
    prefetch(bucket_of(job, key))


def bring_entries(job: int, key: int) -> None:
    """Prefetch the entries of the bucket of `key` in `job`, which `find_row` looks at next."""
    prefetch(word(job, ENTRIES) + (load(bucket_of(job, key)) << 3))


def find_row(job: int, row: int, words: int, key: int) -> int:
    """Return the number of the row of `job` that is the same as `row`, which has `words` words and `key`, or ABSENT."""
    bucket = bucket_of(job, key)
    entries = word(job, ENTRIES)
    for place in range(entries + (load(bucket) << 3), entries + (load(bucket + 8) << 3), 8):
        entry = load(place)
        if shifted_right(entry, TAG_SHIFT) == key & TAG:
            number = entry & NUMBER
            if is_same(word(job, ARENA) + (number << 3), row, words):
                return number
    return ABSENT
