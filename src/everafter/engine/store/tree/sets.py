"""Sets of nodes: 128 bits each, or as many more as a half has that is kept whole, and the number of each."""

from __future__ import annotations

from everafter.engine.block import (
    BATCH,
    BATCH_ROWS,
    LEFT_SET,
    SET_BITS,
    SET_COUNT,
    SET_LEAVES,
    SET_LINES,
    SET_SLOTS,
    SET_VALUES,
)
from everafter.engine.code.intrinsics import (
    folded_product,
    load,
    lowest,
    prefetch,
    put,
    shifted_right,
    store,
    word,
)
from everafter.engine.store.arena_rows import FIRST_SECRET, FOURTH_SECRET, SECOND_SECRET, THIRD_SECRET
from everafter.engine.store.backoff import hesitate
from everafter.engine.store.table import line_of, next_line
from everafter.engine.store.tree.slots import (
    enter,
    fill_empty,
    hinted_number,
    number_at,
    second_line,
    surveyed_line,
    tag_of,
)


def hash_node(low: int, high: int) -> int:
    """Return 64 well mixed bits of the node (`low`, `high`)."""
    return folded_product(folded_product(low ^ FIRST_SECRET, high ^ SECOND_SECRET) ^ low, high ^ THIRD_SECRET)


def node_at(values: int, number: int) -> int:
    """Return the address of the node `number` among the nodes at the address `values`."""
    return values + (number << 4)


def same_node(place: int, low: int, high: int) -> bool:
    """Return whether the node at the address `place` is (`low`, `high`)."""
    return load(place) == low and load(place + 8) == high


def leaves_in(block: int, which: int) -> int:
    """Return how many times 128 bits each value of the set `which` of the `block` has."""
    return 1 if which < LEFT_SET else word(block, which + SET_LEAVES)


def hash_two(first: int, second: int, third: int, fourth: int) -> int:
    """Return 64 well mixed bits of two leaves: (`first`, `second`) and (`third`, `fourth`).

    There are two products that need not wait for each other, and one of both.
    """
    one = folded_product(first ^ FIRST_SECRET, second ^ SECOND_SECRET)
    two = folded_product(third ^ THIRD_SECRET, fourth ^ FOURTH_SECRET)
    return folded_product(one ^ THIRD_SECRET, two ^ FOURTH_SECRET)


def hash_stored(place: int, leaves: int) -> int:
    """Return 64 well mixed bits of one leaf, or two, as `leaves` says, at the address `place`."""
    if leaves == 1:
        return hash_node(load(place), load(place + 8))
    return hash_two(load(place), load(place + 8), load(place + 16), load(place + 24))


def next_number(block: int, which: int) -> int:
    """Return the number that the `block` gives next in the set `which`."""
    return word(block, which + SET_COUNT) + 1


def is_left_out(_low: int, _high: int) -> bool:
    """Return whether a node has the number 0 and is in no set: not where one worker numbers nodes."""
    return False


def count_node(block: int, which: int, number: int) -> None:
    """Count the node just written under `number`, and entered, in the set `which` of the `block`."""
    put(block, which + SET_COUNT, number)


def write_node(block: int, which: int, low: int, high: int) -> int:
    """Write the node (`low`, `high`) under the next number of the `block` in the set `which`; return the number.

    It is not given yet.
    """
    number = next_number(block, which)
    place = node_at(word(block, which + SET_VALUES), number)
    store(place, low)
    store(place + 8, high)
    return number


def number_of(block: int, which: int, low: int, high: int) -> int:
    """Return the number of the node (`low`, `high`) in the set `which` of the `block`, adding it if it is new."""
    if is_left_out(low, high):
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
                count_node(block, which, number)
                return number
        else:
            line = following
            following = next_line(slots, lines, line)


def enter_part(block: int, which: int, first: int, last: int) -> None:
    """Enter the nodes `first` to `last` of the set `which` of the `block` into its hash table.

    Some are entered at a time, to wait for memory only once.
    """
    slots = word(block, which + SET_SLOTS)
    lines = word(block, which + SET_LINES)
    bits = word(block, which + SET_BITS)
    values = word(block, which + SET_VALUES)
    leaves = leaves_in(block, which)
    batch = block + (BATCH << 3)
    number = first
    while number <= last:
        count = min(BATCH_ROWS, last - number + 1)
        for offset in range(count):
            mixed = hash_stored(values + (number + offset) * (leaves << 4), leaves)
            prefetch(line_of(slots, lines, mixed))
            store(batch + (offset << 3), mixed)
        for offset in range(count):
            place = values + (number + offset) * (leaves << 4)
            if not is_left_out(load(place), load(place + 8)):  # a number that was given
                enter(slots, lines, bits, load(batch + (offset << 3)), number + offset)
        number += count
