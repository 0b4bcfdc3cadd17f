"""Sets of nodes that several workers fill: what takes the place of functions of sets.py.

Each worker takes numbers in parts, from a counter of the team, and writes a node under a number of its own before it
enters the number. The loser of a race keeps its number for the next node. A number that was taken and not given has no
node: the place of its node is zero. The node that is zero itself is not entered: its number is 0, and so is that of an
inner node above nothing but such nodes. Trees can still be distinguished, since the header says which nodes there are.
"""

from __future__ import annotations

from everafter.engine.block import (
    BATCH,
    BATCH_ROWS,
    BY_CALLER,
    HEADER_SET,
    LIMIT_BYTES,
    NODE_SET,
    SEGMENT_SET,
    SET_BITS,
    SET_LACK,
    SET_LINES,
    SET_OWN,
    SET_OWN_END,
    SET_PART,
    SET_SLOTS,
    SET_SPARE,
    SET_SPARE_END,
    SET_VALUES,
    TEAM,
)
from everafter.engine.code.atomics import shared, swap_if
from everafter.engine.code.intrinsics import load, lowest, prefetch, put, shifted_right, store, word
from everafter.engine.store.backoff import hesitate
from everafter.engine.store.offsets import HEADERS_TAKEN, NODES_TAKEN, SEGMENTS_TAKEN, STOP
from everafter.engine.store.single_store import stopped
from everafter.engine.store.table import line_of, next_line
from everafter.engine.store.team_growth import grow_together
from everafter.engine.store.tree.sets import hash_node, node_at, same_node
from everafter.engine.store.tree.slots import MOST_NUMBERS, bits_for, enter, second_line, surveyed_line, tag_of
from everafter.engine.store.tree.team_slots import fill_empty, hinted_number, number_at
from everafter.engine.store.tree.tree_room import bytes_in_tree, nodes_in

# Numbers in parts


def taken_at(block: int, which: int) -> int:
    """Return where the highest number is that a worker of the team of the `block` may give in the set `which`."""
    if which == NODE_SET:
        return word(block, TEAM) + NODES_TAKEN
    return word(block, TEAM) + (HEADERS_TAKEN if which == HEADER_SET else SEGMENTS_TAKEN)


def numbers_left(block: int, which: int) -> int:
    """Return how many numbers the worker of the `block` may still give in the set `which`."""
    own = word(block, which + SET_OWN_END) - word(block, which + SET_OWN)
    return own + word(block, which + SET_SPARE_END) - word(block, which + SET_SPARE)


def next_number(block: int, which: int) -> int:
    """Return the number that the worker of the `block` gives next in the set `which`; there must be one."""
    if word(block, which + SET_OWN) == word(block, which + SET_OWN_END):
        put(block, which + SET_OWN, word(block, which + SET_SPARE))
        put(block, which + SET_OWN_END, word(block, which + SET_SPARE_END))
        put(block, which + SET_SPARE, word(block, which + SET_SPARE_END))
    return word(block, which + SET_OWN)


def keep_numbers(block: int, which: int, first: int, end: int) -> None:
    """Let the worker of the `block` give the numbers from `first` up to `end` in the set `which`, too.

    It has two ranges of them. A third is for a worker that needs more at once than it ever did, which is seldom: then
    some numbers are given to nothing.
    """
    if word(block, which + SET_SPARE) != word(block, which + SET_SPARE_END):
        if word(block, which + SET_OWN) != word(block, which + SET_OWN_END):
            forget_draft(block, which)
        put(block, which + SET_OWN, word(block, which + SET_SPARE))
        put(block, which + SET_OWN_END, word(block, which + SET_SPARE_END))
    put(block, which + SET_SPARE, first)
    put(block, which + SET_SPARE_END, end)


def take_numbers(block: int, which: int, more: int, most: int) -> bool:
    """Take at least `more` numbers in the set `which`, up to the highest there may be, `most`.

    Return whether there were as many for the worker of the `block`.
    """
    part = max(word(block, which + SET_PART), 1 << bits_for(more))
    put(block, which + SET_PART, part)
    place = taken_at(block, which)
    before = shared(place)
    while before + part <= most:
        hesitate(block)
        seen = swap_if(place, before, before + part)
        if seen == before:
            keep_numbers(block, which, before + 1, before + part + 1)
            put(block, which + SET_LACK, 0)
            return True
        before = seen
    put(block, which + SET_LACK, part)
    return False


# Nodes


def write_node(block: int, which: int, low: int, high: int) -> int:
    """Write the node (`low`, `high`) under the next number of the `block` in the set `which`; return the number.

    It is not given yet.
    """
    number = next_number(block, which)
    place = node_at(word(block, which + SET_VALUES), number)
    store(place, low)
    store(place + 8, high)
    return number


def forget_draft(block: int, which: int) -> None:
    """Let no node be under the next number of the `block` in the set `which`.

    One may have been written for which another worker was first.
    """
    if which == SEGMENT_SET:  # which has no nodes
        return
    place = node_at(word(block, which + SET_VALUES), word(block, which + SET_OWN))
    store(place, 0)
    store(place + 8, 0)


def number_of(block: int, which: int, low: int, high: int) -> int:
    """Return the number of the node (`low`, `high`) in the set `which` of the `block`, adding it if it is new."""
    if low | high == 0:
        return 0
    mixed = hash_node(low, high)
    slots = word(block, which + SET_SLOTS)
    lines = word(block, which + SET_LINES)
    bits = word(block, which + SET_BITS)
    values = word(block, which + SET_VALUES)
    tag = tag_of(mixed, bits)
    line = line_of(slots, lines, mixed)
    following = second_line(slots, lines, mixed)
    known = hinted_number(line, tag, bits)
    if known != 0 and same_node(node_at(values, known), low, high):  # as most are
        return known
    number = 0
    while True:
        # A slot that is filled stays as it is. So, if the first empty one still is, all on its left were looked at.
        seen = surveyed_line(line, tag, bits)
        hesitate(block)
        matches = seen & 0xFFFF
        while matches != 0:
            other = number_at(line, lowest(matches), bits)
            if same_node(node_at(values, other), low, high):
                return other
            matches &= matches - 1
        free = shifted_right(seen, 16)
        if free != 0:
            if number == 0:
                number = write_node(block, which, low, high)
            hesitate(block)
            if fill_empty(line, lowest(free), tag, number, bits):
                put(block, which + SET_OWN, number + 1)
                return number
        else:
            line = following
            following = next_line(slots, lines, line)


# Room


def room_for_row(block: int, words: int) -> bool:
    """Return whether the `block` has room for all nodes that a row of `words` words may add: fewer than words."""
    enough = room_in_set(block, NODE_SET, words + 2) and room_in_set(block, HEADER_SET, 1)
    if not enough and shared(word(block, TEAM) + STOP) != 0:
        stopped(block, BY_CALLER)
    return enough


def room_for_halves(_block: int, _rows: int) -> bool:
    """Return whether there is room for all halves of rows that may be kept whole: a team keeps none."""
    return True


def room_in_set(block: int, which: int, more: int) -> bool:
    """Return whether there is room for `more` nodes in the set `which` of the `block`."""
    return numbers_left(block, which) >= more or make_set_room(block, which, more)


def make_set_room(block: int, which: int, more: int) -> bool:
    """Return whether there is room for `more` nodes in the set `which`; then the `block` has numbers for them."""
    while numbers_left(block, which) < more:
        if bytes_in_tree(block) + (max(word(block, which + SET_PART), more) << 4) > word(block, LIMIT_BYTES):
            return False
        most = min(nodes_in(block, which), MOST_NUMBERS)
        if not take_numbers(block, which, more, most) and not grow_together(block):
            return False
    return True


# Growing


def enter_part(block: int, which: int, first: int, last: int) -> None:
    """Enter the nodes `first` to `last` of the set `which` of the `block` into its hash table.

    Some are entered at a time, to wait for memory only once.
    """
    slots = word(block, which + SET_SLOTS)
    lines = word(block, which + SET_LINES)
    bits = word(block, which + SET_BITS)
    values = word(block, which + SET_VALUES)
    batch = block + (BATCH << 3)
    number = first
    while number <= last:
        count = min(BATCH_ROWS, last - number + 1)
        for offset in range(count):
            place = node_at(values, number + offset)
            mixed = hash_node(load(place), load(place + 8))
            prefetch(line_of(slots, lines, mixed))
            store(batch + (offset << 3), mixed)
        for offset in range(count):
            if not same_node(node_at(values, number + offset), 0, 0):  # a number that was given
                enter(slots, lines, bits, load(batch + (offset << 3)), number + offset)
        number += count
