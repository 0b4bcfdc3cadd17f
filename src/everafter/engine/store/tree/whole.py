"""Halves that are kept whole: a half of few words is one value of a set, and no tree.

How many leaves such a half has at most is said for each side before the search: as many as usual rows have there, if
these are few. Where it has fewer, zeros follow. One lookup then gives its number, however many of its words differ from
those of the row it comes from, and its numbers are not mixed with those of nodes, so that they need fewer bits. A half
with more leaves is a tree. The header says how long a row is, and so which of the two a half is, and where it ends.

Where the words of such halves are is the same for all rows of one length. It is noted once, as long as that stays, as
the shape: for each of four words, how many bytes from the row on it is, and which bits to keep: none of one that the
row has not.
"""

from __future__ import annotations

from everafter.engine.block import (
    LEFT_PLACES,
    LEFT_SET,
    LEFT_SHAPE,
    PARENT_WORDS,
    RIGHT_PLACES,
    RIGHT_SET,
    RIGHT_SHAPE,
    SET_BITS,
    SET_COUNT,
    SET_LEAVES,
    SET_LINES,
    SET_SLOTS,
    SET_VALUES,
    SHAPE_WORDS,
    WHOLE_WORDS,
)
from everafter.engine.code.intrinsics import load, lowest, prefetch, put, put_half, shifted_right, store, word
from everafter.engine.store.table import line_of, next_line
from everafter.engine.store.tree.halves import entry_at, leaves_of, words_in_left
from everafter.engine.store.tree.sets import hash_node, hash_two
from everafter.engine.store.tree.slots import (
    EVERY_SLOT,
    LAST_SLOT,
    fill_empty,
    number_at,
    second_line,
    surveyed_line,
    tag_of,
)

MOST_KEPT = 4  # words of a half


def is_whole(block: int, which: int, leaves: int) -> bool:
    """Return whether a half of `leaves` leaves, of the side `which`, is kept whole in the `block`."""
    return 0 < leaves <= word(block, which + SET_LEAVES)


# Where the words are


def word_in(row: int, place: int, size: int) -> int:
    """Return the word of `row` listed at `place`: zero where the row's `size` bytes end before it."""
    offset = load(place)
    return load(row + offset) if offset < size else 0


def shaped_word(block: int, row: int, shape: int, index: int) -> int:
    """Return the word `index` of the half of `row` that has this `shape` in the `block`: zero if there is none."""
    return load(row + word(block, shape + index)) & word(block, shape + MOST_KEPT + index)


def note_side(block: int, which: int, shape: int, places: int, size: int) -> None:
    """Note at `shape` of the `block` where the words of the half `which` are in rows of `size` bytes.

    They are listed at `places`.
    """
    kept = word(block, which + SET_LEAVES) << 1
    for index in range(MOST_KEPT):
        offset = load(places + (index << 3))
        is_there = index < kept and offset < size
        put(block, shape + index, offset if is_there else 0)
        put(block, shape + MOST_KEPT + index, -1 if is_there else 0)


def note_shape(block: int, words: int) -> None:
    """Note in the `block` where the words of both halves are in rows of `words` words, and if both are kept whole."""
    lefts = words_in_left(block, words)
    ones, twos = leaves_of(lefts), leaves_of(words - 1 - lefts)
    both = is_whole(block, LEFT_SET, ones) and is_whole(block, RIGHT_SET, twos)
    put(block, SHAPE_WORDS, words)
    put(block, WHOLE_WORDS, words if both else 0)
    note_side(block, LEFT_SET, LEFT_SHAPE, word(block, LEFT_PLACES), words << 3)
    note_side(block, RIGHT_SET, RIGHT_SHAPE, word(block, RIGHT_PLACES), words << 3)


def whole_words(block: int) -> int:
    """Return how many words the row has that the `block` rebuilt last, if both its halves are kept whole, else 0."""
    if word(block, SHAPE_WORDS) != word(block, PARENT_WORDS):
        note_shape(block, word(block, PARENT_WORDS))
    return word(block, WHOLE_WORDS)


# Their numbers


def hash_whole(block: int, which: int, first: int, second: int, third: int, fourth: int) -> int:
    """Return 64 well mixed bits of a half of the words `first`, `second`, `third` and `fourth`.

    The `block` says whether those of the side `which` have two words, or four.
    """
    return hash_node(first, second) if word(block, which + SET_LEAVES) == 1 else hash_two(first, second, third, fourth)


def bring_whole(block: int, which: int, first: int, second: int, third: int, fourth: int) -> int:
    """Start to bring the line in which the half (`first`, `second`, `third`, `fourth`) is looked up; return its hash.

    It is in the set `which` of the `block`.
    """
    mixed = hash_whole(block, which, first, second, third, fourth)
    prefetch(line_of(word(block, which + SET_SLOTS), word(block, which + SET_LINES), mixed))
    return mixed


def bring_listed(block: int, which: int, row: int, places: int, size: int) -> int:
    """Start to bring the line in which the half `which` of `row`, of `size` bytes, is looked up; return its hash.

    Its words are listed at `places`. The line is one of the `block`.
    """
    first, second = word_in(row, places, size), word_in(row, places + 8, size)
    return bring_whole(block, which, first, second, word_in(row, places + 16, size), word_in(row, places + 24, size))


def bring_shaped(block: int, which: int, row: int, shape: int) -> int:
    """Start to bring the line in which the half `which` of `row` is looked up; return its hash.

    The half has this `shape` in the `block`.
    """
    first, second = shaped_word(block, row, shape, 0), shaped_word(block, row, shape, 1)
    third, fourth = shaped_word(block, row, shape, 2), shaped_word(block, row, shape, 3)
    return bring_whole(block, which, first, second, third, fourth)


def whole_at(block: int, which: int, number: int) -> int:
    """Return the address of the half `number` of the side `which` in the `block`."""
    return word(block, which + SET_VALUES) + number * (word(block, which + SET_LEAVES) << 4)


def same_whole(value: int, leaves: int, first: int, second: int, third: int, fourth: int) -> bool:
    """Return whether the half of `leaves` leaves at the address `value` is (`first`, `second`, `third`, `fourth`)."""
    wrong = (load(value) ^ first) | (load(value + 8) ^ second)
    if leaves > 1:
        wrong |= (load(value + 16) ^ third) | (load(value + 24) ^ fourth)
    return wrong == 0


def new_whole(block: int, which: int, first: int, second: int, third: int, fourth: int) -> int:
    """Add the half (`first`, `second`, `third`, `fourth`) to the set `which` of the `block`; return its number."""
    number = word(block, which + SET_COUNT) + 1
    value = whole_at(block, which, number)
    store(value, first)
    store(value + 8, second)
    if word(block, which + SET_LEAVES) > 1:
        store(value + 16, third)
        store(value + 24, fourth)
    put(block, which + SET_COUNT, number)
    return number


def number_of_whole(block: int, which: int, mixed: int, first: int, second: int, third: int, fourth: int) -> int:
    """Return the number of the half (`first`, `second`, `third`, `fourth`), with the hash `mixed`.

    It is in the set `which` of the `block`; a new one if it was not known.
    """
    slots = word(block, which + SET_SLOTS)
    lines = word(block, which + SET_LINES)
    bits = word(block, which + SET_BITS)
    leaves = word(block, which + SET_LEAVES)
    tag = tag_of(mixed, bits)
    line = line_of(slots, lines, mixed)
    following = second_line(slots, lines, mixed)
    while True:
        seen = surveyed_line(line, tag, bits)
        matches = seen & 0xFFFF
        while matches != 0:
            number = number_at(line, lowest(matches), bits)
            if same_whole(whole_at(block, which, number), leaves, first, second, third, fourth):
                return number
            matches &= matches - 1
        free = shifted_right(seen, 16)
        if free != 0:
            number = new_whole(block, which, first, second, third, fourth)
            fill_empty(line, lowest(free), tag, number, bits)
            return number
        line = following
        following = next_line(slots, lines, line)


def number_of_listed(block: int, which: int, row: int, places: int, size: int, mixed: int) -> int:
    """Return the number of the half `which`, with the hash `mixed`, of `row`, which has `size` bytes.

    Its words are listed at `places`. It is a new number of the `block` if it was not known.
    """
    first, second = word_in(row, places, size), word_in(row, places + 8, size)
    third, fourth = word_in(row, places + 16, size), word_in(row, places + 24, size)
    return number_of_whole(block, which, mixed, first, second, third, fourth)


def candidate_whole(block: int, which: int, mixed: int) -> int:
    """Start to bring the first half of the side `which` that one with the hash `mixed` is compared with in the `block`.

    Return its number, or any, also 0.
    """
    bits = word(block, which + SET_BITS)
    line = line_of(word(block, which + SET_SLOTS), word(block, which + SET_LINES), mixed)
    matches = surveyed_line(line, tag_of(mixed, bits), bits) & EVERY_SLOT
    number = number_at(line, lowest(matches | LAST_SLOT), bits)
    prefetch(whole_at(block, which, number))
    return number


def number_of_shaped(block: int, which: int, row: int, shape: int, candidate: int) -> int:
    """Return the number of the half `which`, of this `shape`, of `row`, perhaps that of `candidate`.

    It is a new one of the `block` if it was not known.
    """
    leaves = word(block, which + SET_LEAVES)
    first, second = shaped_word(block, row, shape, 0), shaped_word(block, row, shape, 1)
    third, fourth = shaped_word(block, row, shape, 2), shaped_word(block, row, shape, 3)
    same = same_whole(whole_at(block, which, candidate), leaves, first, second, third, fourth)
    if same and candidate != 0:  # as most are
        return candidate
    mixed = hash_whole(block, which, first, second, third, fourth)
    return number_of_whole(block, which, mixed, first, second, third, fourth)


def rebuild_whole(block: int, which: int, row: int, places: int, heap: int, number: int) -> None:
    """Write the half `number` of the side `which` into `row`, at the `places` of its words.

    Its number, in the set of the `block`, goes to `heap`, where that of a tree would be. Whole leaves are written, as
    by `rebuild_half`: zeros may follow behind the row.
    """
    put_half(entry_at(heap, 0), number)
    value = whole_at(block, which, number)
    store(row + load(places), load(value))
    store(row + load(places + 8), load(value + 8))
    if word(block, which + SET_LEAVES) > 1:
        store(row + load(places + 16), load(value + 16))
        store(row + load(places + 24), load(value + 24))
