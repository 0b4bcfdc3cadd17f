"""The kernels that look for accepting cycles once all rows are stored: `everafter.search.trimming` as it is.

    gather(block, job, bits, …)    make the rows with some of these bits active, and list them; how many
    begin_reaching(block, job, …)  begin a round: the accepting rows are due
    begin_removing(block, job, …)  its second half: who was not reached leaves, and who has no predecessor, which is due
    count_active(block, job, …)    how many are left
    begin_stem(block, job, …)      the initial row is due, on the way to rows that are targets

Rows that are due wait in the queue. An edge is told to the owner of the row it leads to, as a row with its parent, and
`follow_listed` does there what `search.trimming` does with an edge of its own. The names of that text are given by
whoever compiles this one, and so is `store_at`.
"""

from __future__ import annotations

from typing import Any, Final

from everafter.engine.block import (
    ARENA,
    BUFFER,
    COLUMN_WORDS,
    CONTROL,
    END,
    FIRST,
    INITIAL,
    LINES,
    NO_NODE,
    SLOTS,
)
from everafter.engine.cluster.job import FOUND, LISTED_BYTES, MODE, REACH, REMOVE, TAIL, UNKNOWN, VISITS
from everafter.engine.code.intrinsics import call_two, empty, load, lowest, prefetch, put, tagged, word
from everafter.engine.store.rows import hash_row, row_at, row_of, row_words, same_row
from everafter.engine.store.table import TAG, TAG_SHIFT, line_of, next_line, node_in
from everafter.search.space import TARGET
from everafter.search.trimming import (
    arrive,
    begin_removal,
    begin_round,
    collect,
    discover,
    keep_active,
    keep_reached,
    withdraw,
)

store_at: Any = None
GIVEN: Final = tuple(
    text.__name__
    for text in (arrive, begin_removal, begin_round, collect, discover, keep_active, keep_reached, withdraw)
)
"""The names of the text that is taken as it is."""
NO_SOURCE = -1


def gather(block: int, _job: int, bits: int, _size: int, _sender: int) -> int:
    """List the rows that have one of these bits as active: how many."""
    space = store_at(block)
    space.component_height[0] = 0
    columns = word(block, COLUMN_WORDS)
    node = word(block, FIRST)
    while node < word(block, END):
        row = row_of(block, node)
        if load(row) & bits:
            collect(space, -1, node)
        node += row_words(row) + columns
    return int(space.component_height[0])


def begin_queue(job: int, tail: int) -> int:
    """So many rows are due; how many."""
    put(job, TAIL, tail)
    put(job, VISITS, 0)
    return tail


def begin_reaching(block: int, job: int, _address: int, _size: int, _sender: int) -> int:
    """Begin a round; how many rows are due."""
    space = store_at(block)
    return begin_queue(job, begin_round(space, space.component_height[0]))


def begin_removing(block: int, job: int, _address: int, _size: int, _sender: int) -> int:
    """End the first half of a round; how many rows are due."""
    space = store_at(block)
    space.component_height[0] = keep_reached(space, space.component_height[0])
    return begin_queue(job, begin_removal(space, space.component_height[0]))


def count_active(block: int, _job: int, _address: int, _size: int, _sender: int) -> int:
    """End a round; how many rows are left."""
    space = store_at(block)
    space.component_height[0] = keep_active(space, space.component_height[0])
    return int(space.component_height[0])


def begin_stem(block: int, job: int, _address: int, _size: int, _sender: int) -> int:
    """Begin the search for the stem; 1 if the initial row is this worker's, or 0."""
    space = store_at(block)
    row = word(block, BUFFER)
    tail = 0
    for _ in range(call_two(word(block, INITIAL), row, word(block, CONTROL))):
        words = row_words(row)
        node = find(block, row, words, hash_row(row, words))
        if node != NO_NODE:
            tail = discover(space, NO_SOURCE, node, tail)
            aim(space, job, node)
        row += words << 3
    return begin_queue(job, tail)


def aim(space: Any, job: int, node: int) -> None:
    """Note the node if it is the first target that was met."""
    if space.colour[node] & TARGET and word(job, FOUND) == NO_NODE:
        put(job, FOUND, node)


def queued(block: int, position: int) -> int:
    """The row at this place of the queue."""
    return int(store_at(block).queue[position])


def find(block: int, row: int, words: int, mixed: int) -> int:
    """The number of the state that the row describes, NO_NODE if it is not stored."""
    slots = word(block, SLOTS)
    lines = word(block, LINES)
    arena = word(block, ARENA)
    line = line_of(slots, lines, mixed)
    while True:
        matches = tagged(line, mixed & TAG, TAG_SHIFT)
        while matches != 0:
            number = node_in(load(line + (lowest(matches) << 3)))
            if same_row(row_at(arena, number), row, words):
                return number
            matches &= matches - 1
        if empty(line) != 0:
            return NO_NODE
        line = next_line(slots, lines, line)


def bring_listed(block: int, listed: int, count: int) -> None:
    """Start to bring the stored rows that the rows of the list will be compared with."""
    slots = word(block, SLOTS)
    lines = word(block, LINES)
    arena = word(block, ARENA)
    for place in range(listed, listed + count * LISTED_BYTES, LISTED_BYTES):
        mixed = load(place)
        line = line_of(slots, lines, mixed)
        matches = tagged(line, mixed & TAG, TAG_SHIFT)
        if matches != 0:
            stored = row_at(arena, node_in(load(line + (lowest(matches) << 3))))
            size = row_words(load(place + 8)) << 3
            for part in range(stored, stored + size, 64):
                prefetch(part)
            prefetch(stored + size - 8)


def follow_listed(block: int, job: int, listed: int, count: int) -> int:
    """Follow the edges to the rows of the list; how many they are, or UNKNOWN."""
    space = store_at(block)
    mode = word(job, MODE)
    tail = word(job, TAIL)
    bring_listed(block, listed, count)
    for place in range(listed, listed + count * LISTED_BYTES, LISTED_BYTES):
        row = load(place + 8)
        node = find(block, row, row_words(row), load(place))
        if node == NO_NODE:
            return UNKNOWN
        if mode == REACH:
            tail = arrive(space, load(place + 16), node, tail)
        elif mode == REMOVE:
            tail = withdraw(space, node, tail)
        else:
            tail = discover(space, load(place + 16), node, tail)
            aim(space, job, node)
    put(job, TAIL, tail)
    return count
