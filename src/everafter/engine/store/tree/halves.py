"""Half a row as a tree, and back.

A row has leaves of two words each. Those of its first half and those of its second take turns: leaf 0 of the first,
leaf 0 of the second, leaf 1 of the first, … The left tree has the first half of these turns, the right one the others.
So each has a part of the global variables and channels, which come first in a row, and a part of the processes.

The nodes of a tree are numbered by position: 0 is the top, the nodes below position p are 4p + 1 to 4p + 4, and the
leaves are the last positions. The number of the node at each position is kept in 32 bits at `heap`, so that the numbers
below an inner node are just its 128 bits.
"""

from __future__ import annotations

from everafter.engine.block import CHANGES, NODE_SET, SET_VALUES
from everafter.engine.code.intrinsics import half, highest, load, put_half, shifted_right, store, unequal, word
from everafter.engine.store.tree.sets import node_at, number_of


def inner_nodes(leaves: int) -> int:
    """How many inner nodes a half of so many leaves has."""
    return (leaves + 1) // 3


def entry_at(heap: int, position: int) -> int:
    """Where the number of the node at this position is kept; those below one node share 16 bytes."""
    return heap + ((position + 3) << 2)


def below(heap: int, position: int) -> int:
    """Where the numbers of the nodes below this position are kept."""
    return heap + ((position + 1) << 4)


def middle_of(words: int) -> int:
    """How many leaves the first half of a row of so many words has; as many turns has its left tree."""
    return (shifted_right(words, 1) + 1) >> 1


def leaf_at(row: int, middle: int, turn: int) -> int:
    """The address of the leaf whose turn it is, in a row whose first half has so many leaves."""
    return row + 8 + (((turn >> 1) + (turn & 1) * middle) << 4)


def second_word(place: int, end: int) -> int:
    """The second word of the leaf at this place: zero where the row ends before it."""
    return load(place + 8) if place + 8 < end else 0


def rebuild_half(block: int, row: int, middle: int, heap: int, top: int, first: int, leaves: int) -> None:
    """Write so many leaves, from a turn on, of the tree whose top has this number, and the numbers of all its nodes.

    Whole leaves are written: behind an odd number of words, one word is zero.
    """
    values = word(block, NODE_SET + SET_VALUES)
    inner = inner_nodes(leaves)
    put_half(entry_at(heap, 0), top)
    for position in range(inner):
        node = node_at(values, half(entry_at(heap, position)))
        target = below(heap, position)
        store(target, load(node))
        store(target + 8, load(node + 8))
    for leaf in range(leaves):
        node = node_at(values, half(entry_at(heap, inner + leaf)))
        target = leaf_at(row, middle, first + leaf)
        store(target, load(node))
        store(target + 8, load(node + 8))


def number_of_half(block: int, row: int, words: int, heap: int, first: int, leaves: int) -> int:
    """The number of the tree of so many leaves, from a turn on. The numbers of its nodes are left at `heap`."""
    if leaves == 0:
        return 0
    middle = middle_of(words)
    inner = inner_nodes(leaves)
    for leaf in range(leaves):
        place = leaf_at(row, middle, first + leaf)
        number = number_of(block, NODE_SET, load(place), second_word(place, row + (words << 3)))
        put_half(entry_at(heap, inner + leaf), number)
    for position in range(inner + leaves, 4 * inner + 1):
        put_half(entry_at(heap, position), 0)
    for position in range(inner - 1, -1, -1):
        place = below(heap, position)
        put_half(entry_at(heap, position), number_of(block, NODE_SET, load(place), load(place + 8)))
    return half(entry_at(heap, 0))


def change(block: int, heap: int, noted: int, low: int, high: int) -> None:
    """Let the node at the position noted there be another, and note beside the position what it was."""
    place = entry_at(heap, load(noted))
    store(noted + 8, half(place))
    put_half(place, number_of(block, NODE_SET, low, high))


def pairs(bits: int) -> int:
    """Of 8 bits for words, every second one, set if it or the next is: a bit for each leaf."""
    return (bits | (bits >> 1)) & 0x55


def different_turns(row: int, words: int, old: int, group: int) -> int:
    """A bit for each of the 8 turns from `8 * group` on whose leaf is not as in the old row of as many words."""
    first = 2 * middle_of(words)
    one = 8 + (group << 6)
    other = one + (first << 3)
    ones = unequal(row + one, old + one, -1, min(first, words - 1) - (group << 3))
    others = unequal(row + other, old + other, -1, max(words - 1 - first - (group << 3), 0))
    return pairs(ones) | (pairs(others) << 1)


def change_leaves(block: int, row: int, words: int, old: int, heap: int, first: int, leaves: int) -> int:
    """Change the leaves, so many from a turn on, that are not as in the old row, the last first; how many."""
    middle = middle_of(words)
    offset = inner_nodes(leaves) - first
    noted = word(block, CHANGES)
    group = (first + leaves - 1) >> 3
    while (group << 3) + 7 >= first and leaves > 0:
        different = different_turns(row, words, old, group)
        different &= (1 << min(first + leaves - (group << 3), 8)) - 1
        different &= -(1 << max(first - (group << 3), 0))
        while different != 0:
            turn = (group << 3) + highest(different)
            different ^= 1 << highest(different)
            place = leaf_at(row, middle, turn)
            store(noted, offset + turn)
            change(block, heap, noted, load(place), second_word(place, row + (words << 3)))
            noted += 16
        group -= 1
    return (noted - word(block, CHANGES)) >> 4


def change_above(block: int, heap: int, count: int, inner: int) -> int:
    """Change all nodes above so many leaves, which are noted; how many are noted then.

    Positions are noted in falling order, each once, and changed in this order: after all that are below them.
    """
    changes = word(block, CHANGES)
    last = inner
    turn = 0
    while turn < count:
        noted = changes + (turn << 4)
        position = load(noted)
        if position < inner:
            place = below(heap, position)
            change(block, heap, noted, load(place), load(place + 8))
        above = (position - 1) >> 2
        if 0 <= above < last:
            last = above
            store(changes + (count << 4), above)
            count += 1
        turn += 1
    return count


def number_of_changed_half(block: int, row: int, words: int, old: int, heap: int, first: int, leaves: int) -> int:
    """The number of the tree of so many leaves, from a turn on, by that of the old row, whose nodes are at `heap`.

    These are left as they were.
    """
    count = change_leaves(block, row, words, old, heap, first, leaves)
    if count == 0:
        return half(entry_at(heap, 0))
    changes = word(block, CHANGES)
    count = change_above(block, heap, count, inner_nodes(leaves))
    top = half(entry_at(heap, 0))
    for noted in range(changes, changes + (count << 4), 16):
        put_half(entry_at(heap, load(noted)), load(noted + 8))
    return top
