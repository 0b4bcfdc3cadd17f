"""Roots that several workers write: what takes the place of functions of roots.py.

Each worker fills segments of its own. A root, and the colour that its state begins with, are written under a number of
the worker's segment before the number is entered into the hash table. Where the states of a segment end is noted by
its worker, and read by others when it has ended, or waits for a hash table to grow.
"""

from __future__ import annotations

from everafter.engine.block import (
    HEADER_SET,
    LIMIT_BYTES,
    LINES,
    MOST_REMEMBERED_LINES,
    NEXT,
    NODE_SET,
    REMEMBERED_LINES,
    REMEMBERED_SHIFT,
    ROOT_BITS,
    ROOTS_BYTES,
    SEGMENT,
    SEGMENT_END,
    SEGMENT_SET,
    SEGMENT_SHIFT,
    SEGMENTS,
    SET_OWN,
    SLOTS,
    STATE_ROOM,
    TEAM,
)
from everafter.engine.code.atomics import add, shared, shared_byte
from everafter.engine.code.intrinsics import load, prefetch, put, shifted_right, store, word
from everafter.engine.store.arena_rows import COLOUR
from everafter.engine.store.offsets import SEGMENTS_BEGUN, STACK_BYTES, TEAM_ROOTS_END, WORKERS
from everafter.engine.store.table import line_of
from everafter.engine.store.tree.roots import (
    COLOUR_COLUMN,
    MOST_ROOT_BYTES,
    SPARE_BYTES,
    STATE_SHIFT,
    bring_root,
    enter_roots,
    find_or_put_root,
    fits,
    header_bits,
    left_bits,
    right_bits,
    root_at,
    segment_bytes,
    segment_with,
    write_root,
)
from everafter.engine.store.tree.slots import MOST_NUMBERS, bits_for, hinted_number, tag_of
from everafter.engine.store.tree.team_sets import next_number, numbers_left, take_numbers, taken_at
from everafter.engine.store.tree.tree_room import bytes_in_tree

SPARE_SEGMENTS = 2  # a worker that adds rows may have to leave one segment, and fills one more to its end


def colour_now(block: int, node: int) -> int:
    """Return the colour of `node`, which other workers change, as the `block` finds it."""
    return shared_byte(word(block, COLOUR_COLUMN) + node)


def most_segments(block: int) -> int:
    """Return the highest number of a segment that the `block` has room for, also for numbers of states in slots."""
    states = min(1 << word(block, ROOT_BITS), word(block, STATE_ROOM), MOST_NUMBERS)
    roots = word(block, ROOTS_BYTES) // ((MOST_ROOT_BYTES << SEGMENT_SHIFT) + SPARE_BYTES)
    return min(shifted_right(states, SEGMENT_SHIFT) - 1, roots)


def segments_for(rows: int) -> int:
    """Return how many segments a worker must have that is to add `rows` rows."""
    return shifted_right(rows, SEGMENT_SHIFT) + SPARE_SEGMENTS


def has_segments(block: int, rows: int) -> bool:
    """Return whether the worker of the `block` has segments for `rows` rows, or could take them."""
    more = segments_for(rows)
    return numbers_left(block, SEGMENT_SET) >= more or take_numbers(block, SEGMENT_SET, more, most_segments(block))


def root_bits(segment: int) -> int:
    """Return how many bits a root has in `segment`: whole bytes, since writing one must not touch another."""
    return (left_bits(segment) + right_bits(segment) + header_bits(segment) + 7) & ~7


def begin_segment(block: int) -> int:
    """Begin a segment of the `block` with room for all numbers there are; return its first state."""
    number = next_number(block, SEGMENT_SET)
    put(block, SEGMENT_SET + SET_OWN, number + 1)
    nodes = bits_for(shared(taken_at(block, NODE_SET)))
    headers = bits_for(shared(taken_at(block, HEADER_SET)))
    size = segment_bytes(segment_with(0, nodes, nodes, headers))
    segment = segment_with(add(word(block, TEAM) + TEAM_ROOTS_END, size), nodes, nodes, headers)
    add(word(block, TEAM) + SEGMENTS_BEGUN, 1)
    store(word(block, SEGMENTS) + (number << 4), segment)
    put(block, SEGMENT, segment)
    put(block, NEXT, number << SEGMENT_SHIFT)
    put(block, SEGMENT_END, (number + 1) << SEGMENT_SHIFT)
    return number << SEGMENT_SHIFT


def new_root(block: int, left: int, right: int, header: int) -> int:
    """Write a root of `left`, `right` and `header` under the next number of the `block`; return the number.

    It does not count yet.
    """
    if word(block, NEXT) == word(block, SEGMENT_END) or not fits(word(block, SEGMENT), left, right, header):
        begin_segment(block)
    number = word(block, NEXT)
    segment = word(block, SEGMENT)
    write_root(root_at(block, segment, number), segment, left, right, header)
    return number


def put_root(block: int, left: int, right: int, header: int, mixed: int, start: int) -> int:
    """Return the number of the state with the root (`left`, `right`, `header`) in the `block`, as `find_or_put_root`.

    Its hash is `mixed`, and `start` says how it begins.
    """
    return find_or_put_root(block, left, right, header, mixed, start & COLOUR, shifted_right(start, STATE_SHIFT))


def bring_candidate(block: int, mixed: int) -> int:
    """Start to bring a root of the `block`, and its colour, that one with the hash `mixed` is compared with.

    Return its state, or 0.
    """
    bits = word(block, ROOT_BITS)
    number = hinted_number(line_of(word(block, SLOTS), word(block, LINES), mixed), tag_of(mixed, bits), bits)
    if number != 0:
        bring_root(block, number)
        prefetch(word(block, COLOUR_COLUMN) + number)
    return number


def enter_segment(block: int, number: int) -> None:
    """Enter the states of the segment `number` of the `block` into the hash table."""
    enter_roots(block, number << SEGMENT_SHIFT, load(word(block, SEGMENTS) + (number << 4) + 8))


def remember_more(block: int) -> None:
    """Let the `block` remember more changes, as there are more states, if there is room.

    They are the worker's share of what one worker would remember.
    """
    team = word(block, TEAM)
    workers = shared(team + WORKERS)
    old = word(block, REMEMBERED_LINES)
    lines = min(shifted_right(word(block, LINES), REMEMBERED_SHIFT) // workers, MOST_REMEMBERED_LINES)
    if lines > old and bytes_in_tree(block) + (((lines - old) * workers) << 6) <= word(block, LIMIT_BYTES):
        put(block, REMEMBERED_LINES, lines)
        add(team + STACK_BYTES, (lines - old) << 6)
