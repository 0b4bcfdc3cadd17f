"""Room for more nodes and roots: larger hash tables, within the memory allowed."""

from __future__ import annotations

from everafter.engine.block import (
    FRAME_BYTES,
    GROWTHS,
    HEADER_SET,
    HIGHEST_FRAME,
    HIGHEST_PENDING,
    LEFT_SET,
    LIMIT_BYTES,
    LINES,
    MOST_REMEMBERED_LINES,
    NEXT,
    NODE_SET,
    PENDING_BYTES,
    QUOTA,
    REMEMBERED_LINES,
    REMEMBERED_SHIFT,
    RIGHT_SET,
    ROOT_BITS,
    ROOTS_BYTES,
    ROOTS_END,
    ROWS,
    SEGMENT_SHIFT,
    SET_BITS,
    SET_BYTES,
    SET_COUNT,
    SET_LINES,
    SET_ROOM,
    SET_SLOTS,
    SLOTS,
    SLOTS_BYTES,
    STATE_BYTES,
)
from everafter.engine.code.intrinsics import clear, put, word
from everafter.engine.store.tree.roots import (
    MOST_ROOT_BYTES,
    enter_all_roots,
)
from everafter.engine.store.tree.sets import enter_part, leaves_in
from everafter.engine.store.tree.slots import MOST_NUMBERS, bits_with, more_lines, numbers_in

STEP_NODES = 1 << 14
STEP_ROWS = 1 << 14
NODE_SHARE = 64  # of the memory left, a set is promised a quarter, 16 bytes for a leaf, before it is added up again
EARLY_SEGMENTS = 97  # at most this many are begun before another is full: once for each bit that a number needs more
CHANGES_OF_NODE = 4  # how many are remembered for each node at most


def set_bytes(block: int, which: int) -> int:
    """Return the memory in use by the set `which` of nodes in the `block`."""
    return word(block, which + SET_COUNT) * (leaves_in(block, which) << 4) + (word(block, which + SET_LINES) << 6)


def bytes_in_tree(block: int) -> int:
    """Return the memory in use in the `block`."""
    return (
        set_bytes(block, NODE_SET)
        + set_bytes(block, HEADER_SET)
        + set_bytes(block, LEFT_SET)
        + set_bytes(block, RIGHT_SET)
        + word(block, ROOTS_END)
        + ((word(block, LINES) + word(block, REMEMBERED_LINES)) << 6)
        + word(block, NEXT) * word(block, STATE_BYTES)
        + word(block, HIGHEST_FRAME) * word(block, FRAME_BYTES)
        + word(block, HIGHEST_PENDING) * word(block, PENDING_BYTES)
    )


def set_promised(block: int, which: int) -> int:
    """Return the memory of the nodes that may be added to the set `which` of the `block` before room is made again."""
    more = word(block, which + SET_ROOM) - word(block, which + SET_COUNT)
    return max(more, 0) * (leaves_in(block, which) << 4)


def bytes_promised(block: int) -> int:
    """Return the memory in use in the `block`, and all that may be used before room is made again."""
    return (
        bytes_in_tree(block)
        + set_promised(block, NODE_SET)
        + set_promised(block, HEADER_SET)
        + set_promised(block, LEFT_SET)
        + set_promised(block, RIGHT_SET)
        + max(word(block, QUOTA), 0) * row_bytes(block)
    )


def row_bytes(block: int) -> int:
    """Return what a state takes at most in the `block`, beside its nodes."""
    return MOST_ROOT_BYTES + word(block, STATE_BYTES)


def lines_within(block: int, old: int, needed: int, more: int, most_bytes: int) -> int:
    """Return how many lines a table of `old` lines is to have for `needed` numbers: 0 if there is no room for them.

    The numbers may be up to `more` higher than there are, and the table may have `most_bytes` bytes, within the limit
    of the `block`.
    """
    lines = more_lines(old, needed)
    while numbers_in(lines, bits_with(lines, more)) < needed:
        lines += (lines >> 2) + 1
    free = word(block, LIMIT_BYTES) - bytes_promised(block) + (old << 6)
    if (lines << 6) > free or (lines << 6) > most_bytes:
        lines = min(free >> 7, most_bytes >> 6)
    enough = numbers_in(lines, bits_with(lines, more)) >= needed
    return lines if enough and lines >= old + (old >> 3) else 0


def grow_set(block: int, which: int, needed: int) -> bool:
    """Make the hash table of the set `which` of the `block` large enough for `needed` nodes; return if it could be."""
    old = word(block, which + SET_LINES)
    lines = lines_within(block, old, needed, 0, word(block, which + SET_BYTES))
    if lines == 0:
        return False
    clear(word(block, which + SET_SLOTS), old << 6)
    put(block, which + SET_LINES, lines)
    put(block, which + SET_BITS, bits_with(lines, 0))
    enter_part(block, which, 1, word(block, which + SET_COUNT))
    return True


def nodes_in(block: int, which: int) -> int:
    """Return how many nodes the set `which` of the `block` takes before its hash table grows."""
    return numbers_in(word(block, which + SET_LINES), word(block, which + SET_BITS))


def make_set_room(block: int, which: int, more: int) -> bool:
    """Return whether there is room for `more` nodes in the set `which` of the `block`; then they may be added."""
    needed = word(block, which + SET_COUNT) + more
    if needed > MOST_NUMBERS:
        return False
    put(block, which + SET_ROOM, 0)  # what was promised was not enough
    if needed > nodes_in(block, which) and not grow_set(block, which, needed):
        return False
    leaves = max(leaves_in(block, which), 1)  # a side whose halves are all trees has a set that stays empty
    free = word(block, LIMIT_BYTES) - bytes_promised(block) - more * (leaves << 4)
    if free < 0:
        return False
    most = min(nodes_in(block, which), MOST_NUMBERS)
    put(block, which + SET_ROOM, min(most, needed + min(STEP_NODES, free // (NODE_SHARE * leaves))))
    return True


def room_for_row(block: int, words: int) -> bool:
    """Return whether the `block` has room for all nodes that a row of `words` words may add: fewer than words."""
    return room_in_set(block, NODE_SET, words + 2) and room_in_set(block, HEADER_SET, 1)


def room_for_halves(block: int, rows: int) -> bool:
    """Return whether the `block` has room for all halves of `rows` rows that may be kept whole, and for headers."""
    halves = room_in_set(block, LEFT_SET, rows) and room_in_set(block, RIGHT_SET, rows)
    return halves and room_in_set(block, HEADER_SET, rows)


def room_in_set(block: int, which: int, more: int) -> bool:
    """Return whether there is room for `more` nodes in the set `which` of the `block`."""
    enough = word(block, which + SET_COUNT) + more <= word(block, which + SET_ROOM)
    return enough or make_set_room(block, which, more)


def grow_roots(block: int, rows: int) -> bool:
    """Make the hash table of the roots of the `block` large enough for `rows` of them; return whether it could be."""
    old = word(block, LINES)
    more = numbers_left_out(block)
    lines = lines_within(block, old, rows, more, word(block, SLOTS_BYTES))
    if lines == 0:
        return False
    clear(word(block, SLOTS), old << 6)
    put(block, LINES, lines)
    put(block, ROOT_BITS, bits_with(lines, more))
    put(block, GROWTHS, word(block, GROWTHS) + 1)
    enter_all_roots(block)
    remember_more(block)
    return True


def remember_more(block: int) -> None:
    """Let more changes be remembered in the `block`, as there are more states and nodes, if there is room.

    What is remembered stays true; where it is looked for no longer, it is overwritten one day.
    """
    old = word(block, REMEMBERED_LINES)
    nodes = word(block, NODE_SET + SET_COUNT)
    lines = min(word(block, LINES) >> REMEMBERED_SHIFT, MOST_REMEMBERED_LINES, nodes * CHANGES_OF_NODE)
    if lines > old and bytes_promised(block) + ((lines - old) << 6) <= word(block, LIMIT_BYTES):
        put(block, REMEMBERED_LINES, lines)


def numbers_left_out(block: int) -> int:
    """Return how many numbers of states were never given, and may not be while the table of the `block` is filled."""
    return word(block, NEXT) - word(block, ROWS) + (EARLY_SEGMENTS << SEGMENT_SHIFT)


def roots_in(block: int) -> int:
    """Return how many roots the hash table of the `block` takes before it grows."""
    return numbers_in(word(block, LINES), word(block, ROOT_BITS))


def room_for_states(block: int, _words: int, rows: int) -> bool:
    """Return whether the `block` has room for `rows` more states, beside their nodes; it is noted for how many."""
    put(block, QUOTA, 0)  # what was promised did not suffice
    stored = word(block, ROWS)
    if stored + rows > roots_in(block) and not grow_roots(block, stored + rows):
        return False
    most = min(rows_within_memory(block), rows_within_area(block))
    put(block, QUOTA, min(roots_in(block) - stored, rows + STEP_ROWS, most))
    return rows <= most


def rows_within_memory(block: int) -> int:
    """Return how many more rows fit into half of the memory left in the `block`.

    What is left empty of two segments does not count.
    """
    free = word(block, LIMIT_BYTES) - bytes_promised(block)
    return (free >> 1) // row_bytes(block) - (2 << SEGMENT_SHIFT)


def rows_within_area(block: int) -> int:
    """Return how many more rows the `block` has room for beside the segments begun early, and how many numbers."""
    room = (word(block, ROOTS_BYTES) - word(block, ROOTS_END)) // MOST_ROOT_BYTES
    return min(room, MOST_NUMBERS - word(block, NEXT)) - (EARLY_SEGMENTS << SEGMENT_SHIFT)
