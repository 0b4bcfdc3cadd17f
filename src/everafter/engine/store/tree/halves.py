"""Half a row as a tree, and back.

A half has some leaves, of two words each. Its nodes are numbered by position: 0 is the top, the nodes below position p
are 4p + 1 to 4p + 4, and the leaves are the last positions. The number of the node at each position is kept in 32 bits
at `heap`, so that the numbers below an inner node are just its 128 bits.
"""

from __future__ import annotations

from everafter.engine.block import CHANGES, NODE_SET, SET_VALUES
from everafter.engine.code.intrinsics import half, highest, load, put_half, store, unequal, word
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


def second_word(place: int, words: int, leaf: int) -> int:
    """The second word of the leaf at this place: zero where the half, of so many words, ends before it."""
    return load(place + 8) if 2 * leaf + 1 < words else 0


def rebuild_half(block: int, row: int, heap: int, top: int, leaves: int) -> None:
    """Write the words of the half whose top has this number, and the numbers of all its nodes.

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
        target = row + (leaf << 4)
        store(target, load(node))
        store(target + 8, load(node + 8))


def number_of_half(block: int, row: int, heap: int, words: int) -> int:
    """The number of the half that these words are. The numbers of its nodes are left at `heap`."""
    leaves = (words + 1) >> 1
    if leaves == 0:
        return 0
    inner = inner_nodes(leaves)
    for leaf in range(leaves):
        place = row + (leaf << 4)
        number = number_of(block, NODE_SET, load(place), second_word(place, words, leaf))
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


def change_leaves(block: int, row: int, old: int, heap: int, words: int) -> int:
    """Change the leaves in which the words differ from the old ones, the last first; how many."""
    inner = inner_nodes((words + 1) >> 1)
    noted = word(block, CHANGES)
    begin = (words - 1) & ~7
    while begin >= 0:
        different = unequal(row + (begin << 3), old + (begin << 3), -1, words - begin)
        while different != 0:
            pair = highest(different) >> 1
            different &= (1 << (pair << 1)) - 1
            leaf = (begin >> 1) + pair
            place = row + (leaf << 4)
            store(noted, inner + leaf)
            change(block, heap, noted, load(place), second_word(place, words, leaf))
            noted += 16
        begin -= 8
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


def number_of_changed_half(block: int, row: int, old: int, heap: int, words: int) -> int:
    """The number of the half that these words are, from the old words, as many, whose nodes are at `heap`.

    These are left as they were.
    """
    count = change_leaves(block, row, old, heap, words)
    if count == 0:
        return half(entry_at(heap, 0))
    changes = word(block, CHANGES)
    count = change_above(block, heap, count, inner_nodes((words + 1) >> 1))
    top = half(entry_at(heap, 0))
    for noted in range(changes, changes + (count << 4), 16):
        put_half(entry_at(heap, load(noted)), load(noted + 8))
    return top
