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
from everafter.engine.store.table import line_of, next_line
from everafter.engine.store.tree.slots import enter, fill_slot, number_at, second_line, surveyed_line, tag_of


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


def new_node(block: int, which: int, low: int, high: int) -> int:
    """Add the node (`low`, `high`) to the set `which` of the `block`; return its number."""
    number = word(block, which + SET_COUNT) + 1
    place = node_at(word(block, which + SET_VALUES), number)
    store(place, low)
    store(place + 8, high)
    put(block, which + SET_COUNT, number)
    return number


def number_of(block: int, which: int, low: int, high: int) -> int:
    """Return the number of the node (`low`, `high`) in the set `which` of the `block`, adding it if it is new."""
    mixed = hash_node(low, high)
    slots = word(block, which + SET_SLOTS)
    lines = word(block, which + SET_LINES)
    bits = word(block, which + SET_BITS)
    values = word(block, which + SET_VALUES)
    tag = tag_of(mixed, bits)
    line = line_of(slots, lines, mixed)
    following = second_line(slots, lines, mixed)
    while True:
        seen = surveyed_line(line, tag, bits)
        matches = seen & 0xFFFF
        while matches != 0:
            number = number_at(line, lowest(matches), bits)
            place = node_at(values, number)
            if same_node(place, low, high):
                return number
            matches &= matches - 1
        free = shifted_right(seen, 16)
        if free != 0:
            number = new_node(block, which, low, high)
            fill_slot(line, lowest(free), tag, number, bits)
            return number
        line = following
        following = next_line(slots, lines, line)


def enter_nodes(block: int, which: int) -> None:
    """Enter all nodes of the set `which` of the `block` into its hash table, which is empty.

    Some are entered at a time, to wait for memory only once.
    """
    slots = word(block, which + SET_SLOTS)
    lines = word(block, which + SET_LINES)
    bits = word(block, which + SET_BITS)
    values = word(block, which + SET_VALUES)
    leaves = leaves_in(block, which)
    batch = block + (BATCH << 3)
    last = word(block, which + SET_COUNT)
    number = 1
    while number <= last:
        count = min(BATCH_ROWS, last - number + 1)
        for offset in range(count):
            mixed = hash_stored(values + (number + offset) * (leaves << 4), leaves)
            prefetch(line_of(slots, lines, mixed))
            store(batch + (offset << 3), mixed)
        for offset in range(count):
            enter(slots, lines, bits, load(batch + (offset << 3)), number + offset)
        number += count
