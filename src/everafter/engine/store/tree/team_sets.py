"""Sets of nodes that several workers fill: what takes the place of functions of sets.py.

Each worker takes numbers in parts, from a counter of the team, and writes a node under a number of its own before it
enters the number. The loser of a race keeps its number for the next node. A number that was taken and not given has no
node: the place of its node is zero. The node that is zero itself is not entered: its number is 0, and so is that of an
inner node above nothing but such nodes. Trees can still be distinguished, since the header says which nodes there are.
"""

from __future__ import annotations

from everafter.engine.block import (
    HEADER_SET,
    LIMIT_BYTES,
    NODE_SET,
    SEGMENT_SET,
    SET_LACK,
    SET_OWN,
    SET_OWN_END,
    SET_PART,
    SET_SPARE,
    SET_SPARE_END,
    SET_VALUES,
    TEAM,
)
from everafter.engine.code.atomics import shared, swap_if
from everafter.engine.code.intrinsics import put, store, word
from everafter.engine.store.backoff import hesitate
from everafter.engine.store.offsets import HEADERS_TAKEN, NODES_TAKEN, SEGMENTS_TAKEN
from everafter.engine.store.team_growth import grow_together
from everafter.engine.store.tree.sets import node_at
from everafter.engine.store.tree.slots import MOST_NUMBERS, bits_for
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


def forget_draft(block: int, which: int) -> None:
    """Let no node be under the next number of the `block` in the set `which`.

    One may have been written for which another worker was first.
    """
    if which == SEGMENT_SET:  # which has no nodes
        return
    place = node_at(word(block, which + SET_VALUES), word(block, which + SET_OWN))
    store(place, 0)
    store(place + 8, 0)


def is_left_out(low: int, high: int) -> bool:
    """Return whether the node (`low`, `high`) has the number 0 and is in no set."""
    return low | high == 0


def count_node(block: int, which: int, number: int) -> None:
    """Count the node just written under `number`, and entered, in the set `which` of the `block`."""
    put(block, which + SET_OWN, number + 1)


# Room


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
