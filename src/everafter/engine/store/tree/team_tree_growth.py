"""How a team that keeps rows as trees makes its hash tables larger: what takes the place of functions of growth.py.

All workers meet, as where rows are kept whole. The coordinator empties those of the three tables that are too full; all
fill them again together, from the nodes, the headers and the roots, which stay where they are.
"""

from __future__ import annotations

from everafter.engine.block import (
    COLUMN_BYTES,
    GROWTHS,
    HEADER_SET,
    HIGHEST_FRAME,
    HIGHEST_PENDING,
    LIMIT_BYTES,
    LINES,
    NODE_SET,
    QUOTA,
    ROOT_BITS,
    ROWS_LACK,
    SEGMENT_SET,
    SEGMENT_SHIFT,
    SET_BITS,
    SET_BYTES,
    SET_LACK,
    SET_LINES,
    SET_OWN,
    SET_OWN_END,
    SET_PART,
    SET_SLOTS,
    SLOTS,
    SLOTS_BYTES,
    TEAM,
)
from everafter.engine.code.atomics import add, share, shared
from everafter.engine.code.intrinsics import clear, put, shifted_right, word
from everafter.engine.store.backoff import hesitate
from everafter.engine.store.offsets import (
    FAILED,
    FILLED,
    GROWN,
    HEADER_LINES,
    NEXT_FILL,
    NODE_LINES,
    RESERVED,
    SEGMENTS_BEGUN,
    STACK_BYTES,
    TEAM_LINES,
    TEAM_ROOT_BITS,
    TEAM_ROOTS_END,
    WORKERS,
)
from everafter.engine.store.team_growth import grow_together
from everafter.engine.store.team_store import QUOTA_ROWS
from everafter.engine.store.tree.sets import enter_part
from everafter.engine.store.tree.slots import MOST_NUMBERS, bits_with
from everafter.engine.store.tree.team_roots import enter_segment, has_segments, most_segments, segments_for
from everafter.engine.store.tree.team_sets import forget_draft, numbers_left, taken_at
from everafter.engine.store.tree.tree_room import lines_within, nodes_in, remember_more, roots_in

NODES_AGAIN, HEADERS_AGAIN, ROOTS_AGAIN = 1, 2, 4  # which table is filled again
FILL_SHIFT = 12  # nodes that one worker enters again before it takes more, as a power of two
AHEAD_SEGMENTS = 8  # numbers of slots have room for this many more segments of each worker


def lines_at(block: int, which: int) -> int:
    """Return where the team of the `block` says how many lines the hash table of the set `which` has.

    The number of bits of its numbers is behind it.
    """
    return word(block, TEAM) + (NODE_LINES if which == NODE_SET else HEADER_LINES)


def bytes_used(block: int) -> int:
    """Return the memory in use by all workers of the team of the `block`."""
    team = word(block, TEAM)
    lines = shared(team + NODE_LINES) + shared(team + HEADER_LINES) + shared(team + TEAM_LINES)
    return (
        ((shared(taken_at(block, NODE_SET)) + shared(taken_at(block, HEADER_SET))) << 4)
        + (lines << 6)
        + shared(team + TEAM_ROOTS_END)
        + (shared(team + SEGMENTS_BEGUN) << SEGMENT_SHIFT) * word(block, COLUMN_BYTES)
        + shared(team + STACK_BYTES)
    )


def bytes_in_tree(block: int) -> int:
    """Return the memory in use by all workers of the team of the `block`."""
    return bytes_used(block)


def hand_in(block: int) -> None:
    """Give back the rows that the worker of the `block` has reserved and not added.

    Let no node be under its next numbers.
    """
    add(word(block, TEAM) + RESERVED, -word(block, QUOTA))
    put(block, QUOTA, 0)
    if word(block, NODE_SET + SET_OWN) != word(block, NODE_SET + SET_OWN_END):
        forget_draft(block, NODE_SET)
    if word(block, HEADER_SET + SET_OWN) != word(block, HEADER_SET + SET_OWN_END):
        forget_draft(block, HEADER_SET)


def learn_sizes(block: int) -> None:
    """Note in the `block` how large the hash tables of the team are."""
    team = word(block, TEAM)
    put(block, LINES, shared(team + TEAM_LINES))
    put(block, ROOT_BITS, shared(team + TEAM_ROOT_BITS))
    put(block, NODE_SET + SET_LINES, shared(lines_at(block, NODE_SET)))
    put(block, NODE_SET + SET_BITS, shared(lines_at(block, NODE_SET) + 8))
    put(block, HEADER_SET + SET_LINES, shared(lines_at(block, HEADER_SET)))
    put(block, HEADER_SET + SET_BITS, shared(lines_at(block, HEADER_SET) + 8))


# Who leads


def lacks_in_set(block: int, which: int) -> bool:
    """Return whether the coordinator, of this `block`, cannot have the numbers that it wants in the set `which`."""
    wanted = shared(taken_at(block, which)) + word(block, which + SET_LACK)
    return word(block, which + SET_LACK) > 0 and wanted > min(nodes_in(block, which), MOST_NUMBERS)


def lacks_rows(block: int) -> bool:
    """Return whether the coordinator, of this `block`, cannot have the rows that it wants."""
    return shared(word(block, TEAM) + RESERVED) + word(block, ROWS_LACK) > roots_in(block)


def lacks_segments(block: int) -> bool:
    """Return whether the coordinator, of this `block`, cannot have the segments that it wants."""
    lack = word(block, SEGMENT_SET + SET_LACK)
    return lack > 0 and shared(taken_at(block, SEGMENT_SET)) + lack > most_segments(block)


def empty_set(block: int, which: int, needed: int) -> bool:
    """Empty the hash table of the set `which`, and let it have room for `needed` numbers.

    Return whether there is memory for it in the team of the `block`.
    """
    old = word(block, which + SET_LINES)
    lines = lines_within(block, old, needed, 0, word(block, which + SET_BYTES))
    if lines == 0:
        return False
    clear(word(block, which + SET_SLOTS), old << 6)
    share(lines_at(block, which), lines)
    share(lines_at(block, which) + 8, bits_with(lines, 0))
    learn_sizes(block)
    return True


def emptied_set(block: int, which: int) -> bool:
    """Empty the hash table of the set `which` if it is too full, or will soon be, and a larger one fits into memory.

    Return whether it was emptied in the team of the `block`.
    """
    taken = shared(taken_at(block, which))
    soon = taken + max(
        shared(word(block, TEAM) + WORKERS) * word(block, which + SET_PART), word(block, which + SET_LACK)
    )
    if soon <= nodes_in(block, which):
        return False
    if empty_set(block, which, soon):
        return True
    return lacks_in_set(block, which) and empty_set(block, which, taken + word(block, which + SET_LACK))


def numbers_left_out(block: int) -> int:
    """Return how many numbers of states were never given, and may not be while the table of the `block` is filled."""
    team = word(block, TEAM)
    ahead = AHEAD_SEGMENTS * shared(team + WORKERS) + word(block, SEGMENT_SET + SET_LACK)
    return ((shared(taken_at(block, SEGMENT_SET)) + 1 + ahead) << SEGMENT_SHIFT) - shared(team + RESERVED)


def empty_roots(block: int, needed: int) -> bool:
    """Empty the hash table of the roots, and let it have room for `needed` of them.

    Return whether there is memory for it in the team of the `block`.
    """
    old = word(block, LINES)
    more = numbers_left_out(block)
    lines = lines_within(block, old, needed, more, word(block, SLOTS_BYTES))
    if lines == 0:
        return False
    clear(word(block, SLOTS), old << 6)
    share(word(block, TEAM) + TEAM_LINES, lines)
    share(word(block, TEAM) + TEAM_ROOT_BITS, bits_with(lines, more))
    learn_sizes(block)
    put(block, GROWTHS, word(block, GROWTHS) + 1)
    return True


def emptied_roots(block: int) -> bool:
    """Empty the roots' hash table if it is too full, or will soon be, and a larger one fits into memory.

    Return whether it was emptied in the team of the `block`.
    """
    team = word(block, TEAM)
    reserved = shared(team + RESERVED)
    soon = reserved + max(shared(team + WORKERS) * QUOTA_ROWS, word(block, ROWS_LACK))
    must = lacks_segments(block)
    if soon <= roots_in(block) and not must:
        return False
    if empty_roots(block, soon):
        return True
    return (must or lacks_rows(block)) and empty_roots(block, reserved + word(block, ROWS_LACK))


def emptied(block: int) -> bool:
    """Empty the hash tables that are too full and write how large they are to be.

    Return whether any must be filled again by the team of the `block`.
    """
    team = word(block, TEAM)
    grown = NODES_AGAIN if emptied_set(block, NODE_SET) else 0
    grown |= HEADERS_AGAIN if emptied_set(block, HEADER_SET) else 0
    grown |= ROOTS_AGAIN if emptied_roots(block) else 0
    share(team + GROWN, grown)
    if lacks_in_set(block, NODE_SET) or lacks_in_set(block, HEADER_SET) or lacks_rows(block) or lacks_segments(block):
        share(team + FAILED, 1)
    put(block, NODE_SET + SET_LACK, 0)
    put(block, HEADER_SET + SET_LACK, 0)
    put(block, SEGMENT_SET + SET_LACK, 0)
    put(block, ROWS_LACK, 0)
    return grown != 0


# All together


def parts_of_set(block: int, which: int) -> int:
    """Return in how many parts the nodes of the set `which` in the `block` are entered again."""
    return shifted_right(shared(taken_at(block, which)), FILL_SHIFT) + 1


def fill_part(block: int, which: int, part: int) -> None:
    """Enter the nodes of the part `part` of the set `which` in the `block` again."""
    last = min(((part + 1) << FILL_SHIFT) - 1, shared(taken_at(block, which)))
    enter_part(block, which, max(part << FILL_SHIFT, 1), last)


def fill_together(block: int) -> None:
    """Enter nodes, headers and roots again, part by part, by the worker of the `block`, while there are parts."""
    team = word(block, TEAM)
    learn_sizes(block)
    grown = shared(team + GROWN)
    nodes = parts_of_set(block, NODE_SET) if grown & NODES_AGAIN else 0
    headers = nodes + (parts_of_set(block, HEADER_SET) if grown & HEADERS_AGAIN else 0)
    segments = headers + (shared(taken_at(block, SEGMENT_SET)) if grown & ROOTS_AGAIN else 0)
    part = add(team + NEXT_FILL, 1)
    while part < segments:
        if part < nodes:
            fill_part(block, NODE_SET, part)
        elif part < headers:
            fill_part(block, HEADER_SET, part - nodes)
        else:
            enter_segment(block, part - headers + 1)
        hesitate(block)
        part = add(team + NEXT_FILL, 1)
    remember_more(block)
    add(team + FILLED, 1)


# Room


def has_rows(block: int, rows: int) -> bool:
    """Return whether the worker of the `block` may add `rows` rows, or could reserve them."""
    if word(block, QUOTA) >= rows:
        return True
    team = word(block, TEAM)
    wanted = max(rows, QUOTA_ROWS)
    if add(team + RESERVED, wanted) + wanted <= roots_in(block):
        put(block, QUOTA, word(block, QUOTA) + wanted)
        return True
    add(team + RESERVED, -wanted)
    put(block, ROWS_LACK, wanted)
    return False


def room_for_states(block: int, _words: int, rows: int) -> bool:
    """Return whether the `block` has room for `rows` more states, beside their nodes, within the memory allowed."""
    while not (has_segments(block, rows) and has_rows(block, rows)):
        if not grow_together(block):
            return False
    return bytes_used(block) <= word(block, LIMIT_BYTES)


def is_enough(block: int, _words: int, rows: int, pending: int, frames: int) -> bool:
    """Return whether the `block` has room, without more being made, for what `make_room` says.

    That is for `rows` more, and for `pending` successors and `frames` frames in all.
    """
    return (
        rows <= word(block, QUOTA)
        and segments_for(rows) <= numbers_left(block, SEGMENT_SET)
        and pending <= word(block, HIGHEST_PENDING)
        and frames <= word(block, HIGHEST_FRAME)
    )
