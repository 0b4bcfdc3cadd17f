"""Half a row as a tree, and back.

Each word of a row behind the header is in its left half or in its right one; which, a mask says for the first 64 words
(from then on they take turns). The words of a half keep their order, and two of them are a leaf. Where the words of a
half are in the row is listed at `places`: bytes from the row on.

The nodes of a tree are numbered by position: 0 is the top, the nodes below position p are 4p + 1 to 4p + 4, and the
leaves are the last positions. The number of the node at each position is kept in 32 bits at `heap`, so that the numbers
below an inner node are just its 128 bits.
"""

from __future__ import annotations

from everafter.engine.block import CHANGES, LEFT_MASK, NODE_SET, SET_VALUES
from everafter.engine.code.intrinsics import half, highest, load, ones, put_half, shifted_right, store, unequal, word
from everafter.engine.store.tree.sets import node_at, number_of

MASKED = 64  # words that the mask is about


def inner_nodes(leaves: int) -> int:
    """Return how many inner nodes a half of `leaves` leaves has."""
    return (leaves + 1) // 3


def entry_at(heap: int, position: int) -> int:
    """Return where at `heap` the number of the node at `position` is kept; those below one node share 16 bytes."""
    return heap + ((position + 3) << 2)


def below(heap: int, position: int) -> int:
    """Return where at `heap` the numbers of the nodes below `position` are kept."""
    return heap + ((position + 1) << 4)


def words_in_left(block: int, words: int) -> int:
    """Return how many words of a row of `words` are in its left half, by the mask of the `block`."""
    mask = word(block, LEFT_MASK)
    return ones(mask & ((1 << words) - 1)) if words < MASKED else ones(mask) + ((words - MASKED + 1) >> 1)


def leaves_of(words: int) -> int:
    """Return how many leaves a half of `words` words has."""
    return (words + 1) >> 1


def first_word(row: int, place: int) -> int:
    """Return the first word of the leaf of `row` that is listed at `place`."""
    return load(row + load(place))


def second_word(row: int, place: int, size: int) -> int:
    """Return the second word of the leaf of `row` listed at `place`: zero if the row, of `size` bytes, ends before."""
    offset = load(place + 8)
    return load(row + offset) if offset < size else 0


def rebuild_half(block: int, row: int, places: int, heap: int, top: int, leaves: int) -> None:
    """Write `leaves` leaves of the tree whose top has the number `top` into `row`, at the `places` of its words.

    The numbers of its nodes, in the set of the `block`, go to `heap`. Whole leaves are written: where a half has an odd
    number of words, its last one may be followed by a zero behind the row.

    Proof: proofs/store/tree.vpr, method rebuild_half.
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
        place = places + (leaf << 4)
        store(row + load(place), load(node))
        store(row + load(place + 8), load(node + 8))


def number_of_half(block: int, row: int, words: int, places: int, heap: int, leaves: int) -> int:
    """Return the number of the tree of `leaves` leaves of `row`, of `words` words, which are listed at `places`.

    The numbers of its nodes, in the set of the `block`, are left at `heap`.

    Proof: proofs/store/tree.vpr, method number_of_half.
    """
    if leaves == 0:
        return 0
    inner = inner_nodes(leaves)
    for leaf in range(leaves):
        place = places + (leaf << 4)
        number = number_of(block, NODE_SET, first_word(row, place), second_word(row, place, words << 3))
        put_half(entry_at(heap, inner + leaf), number)
    for position in range(inner + leaves, 4 * inner + 1):
        put_half(entry_at(heap, position), 0)
    for position in range(inner - 1, -1, -1):
        place = below(heap, position)
        put_half(entry_at(heap, position), number_of(block, NODE_SET, load(place), load(place + 8)))
    return half(entry_at(heap, 0))


def change(block: int, heap: int, noted: int, low: int, high: int) -> None:
    """Let the node at the position `noted` be that of `low` and `high`, and note beside the position what it was.

    Its number, in the set of the `block`, goes to `heap`.
    """
    place = entry_at(heap, load(noted))
    store(noted + 8, half(place))
    put_half(place, number_of(block, NODE_SET, low, high))


def different_words(row: int, words: int, old: int) -> int:
    """Return a bit for each word behind the header that is not in `row` as in `old`, of as many `words`, at most 64."""
    different = unequal(row, old, 0, words)
    begin = 8
    while begin < words:
        different |= unequal(row + (begin << 3), old + (begin << 3), -1, words - begin) << begin
        begin += 8
    return different


def change_leaves(
    block: int, row: int, words: int, places: int, heap: int, leaves: int, own: int, different: int
) -> int:
    """Change the leaves with `different` words in a half of `row`, the last leaf first; return how many.

    `own` has a bit for each word of the half, which has `leaves` leaves; the row has `words` words, those of the half
    at `places`. The numbers of the nodes, in the set of the `block`, are at `heap`.
    """
    inner = inner_nodes(leaves)
    noted = word(block, CHANGES)
    while different != 0:
        leaf = ones(own & ((1 << highest(different)) - 1)) >> 1
        place = places + (leaf << 4)
        store(noted, inner + leaf)
        change(block, heap, noted, first_word(row, place), second_word(row, place, words << 3))
        noted += 16
        different &= (1 << shifted_right(load(place), 3)) - 1
    return (noted - word(block, CHANGES)) >> 4


def change_leaves_of_long(block: int, row: int, words: int, old: int, places: int, heap: int, leaves: int) -> int:
    """Change the leaves of a half that are not in `row` as in `old`, of as many `words`; return how many.

    The half has `leaves` leaves, with their words at `places`. The numbers of the nodes, in the set of the `block`, are
    at `heap`.
    """
    inner = inner_nodes(leaves)
    noted = word(block, CHANGES)
    size = words << 3
    for leaf in range(leaves - 1, -1, -1):
        place = places + (leaf << 4)
        low, high = first_word(row, place), second_word(row, place, size)
        if low != first_word(old, place) or high != second_word(old, place, size):
            store(noted, inner + leaf)
            change(block, heap, noted, low, high)
            noted += 16
    return (noted - word(block, CHANGES)) >> 4


def change_above(block: int, heap: int, count: int, inner: int) -> int:
    """Change all nodes at `heap` above `count` leaves, noted in the `block`, in a tree of `inner` inner nodes.

    Return how many nodes are noted then. Positions are noted in falling order, each once, and changed in this order:
    after all that are below them.
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


def number_above(block: int, heap: int, count: int, leaves: int) -> int:
    """Return the number of the tree, of `leaves` leaves, of which `count` are changed, as noted in the `block`.

    The nodes at `heap` become as they were.
    """
    if count == 0:
        return half(entry_at(heap, 0))
    changes = word(block, CHANGES)
    count = change_above(block, heap, count, inner_nodes(leaves))
    top = half(entry_at(heap, 0))
    for noted in range(changes, changes + (count << 4), 16):
        put_half(entry_at(heap, load(noted)), load(noted + 8))
    return top
