"""The kernels that look for accepting cycles once all rows are stored: `everafter.search.trimming` as it is.

    gather(block, job, bits, …)    make the rows with some of these bits active, and list them; how many
    begin_reaching(block, job, …)  begin a round: the accepting rows are due
    begin_removing(block, job, …)  its second half: rows not reached leave; those without predecessor are due
    note_leaving(block, job, …)    the rows of this level leave
    count_active(block, job, …)    how many are left
    begin_stem(block, job, …)      the initial row is due, on the way to rows that are targets

A time, if it is not 0, is kept of each row that leaves: along every edge it stays or rises, and behind an accepting row
it rises. Rows that are due wait in the queue. An edge is sent to the owner of the row it leads to, as a row with its
parent, and `follow_listed` does there what `search.trimming` does with an edge of its own. The names of that text are
given by the module that compiles this one, and so is `store_at`.
"""

from __future__ import annotations

from typing import Any, Final

from everafter.engine.block import FIRST, NO_NODE
from everafter.engine.cluster.owned_rows import find_listed, row_behind, row_from, rows_end
from everafter.engine.cluster.partition_kernels import list_initial
from everafter.engine.cluster.worker_words import (
    FOUND,
    LEVEL_END,
    LISTED_BYTES,
    MODE,
    NEXT,
    OWN,
    REACH,
    REMOVE,
    TAIL,
    UNKNOWN,
    VISITS,
)
from everafter.engine.code.intrinsics import load, put, word
from everafter.engine.store.single_store import NO_ROOM
from everafter.search.space import RED, TARGET
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


def gather(block: int, _job: int, bits: int, _size: int, _sender: int) -> int:
    """List the rows of the `block` that have one of these `bits` as active; return how many."""
    space = store_at(block)
    space.component_height[0] = 0
    node = row_from(block, word(block, FIRST))
    while node < rows_end(block):
        if space.colour[node] & bits:
            collect(space, -1, node)
        node = row_from(block, row_behind(block, node))
    return int(space.component_height[0])


def begin_queue(job: int, tail: int) -> int:
    """Let the `tail` rows of the queue of the `job` be due; return how many they are."""
    put(job, TAIL, tail)
    put(job, VISITS, 0)
    return tail


def begin_reaching(block: int, job: int, _address: int, _size: int, _sender: int) -> int:
    """Begin a round with the rows of the `block`; return how many are due in the `job`."""
    space = store_at(block)
    return begin_queue(job, begin_round(space, space.component_height[0]))


def begin_removing(block: int, job: int, time: int, _size: int, _sender: int) -> int:
    """End the first half of a round with the rows of the `block`, at this `time`; return how many are due in the `job`.

    A row that is not reached counts no more predecessors: where it had their number, it has the time.
    """
    space = store_at(block)
    for position in range(space.component_height[0]):
        node = space.component[position]
        if time != 0 and not space.colour[node] & RED:
            space.predecessors[node] = time
    space.component_height[0] = keep_reached(space, space.component_height[0])
    return begin_queue(job, begin_removal(space, space.component_height[0]))


def note_leaving(block: int, job: int, time: int, _size: int, _sender: int) -> int:
    """Note that the rows of the level of the `job` leave the `block` at this `time`; return how many."""
    space = store_at(block)
    for position in range(word(job, NEXT), word(job, LEVEL_END)):
        space.predecessors[space.queue[position]] = time
    return word(job, LEVEL_END) - word(job, NEXT)


def count_active(block: int, _job: int, _address: int, _size: int, _sender: int) -> int:
    """End a round; return how many rows of the `block` are left."""
    space = store_at(block)
    space.component_height[0] = keep_active(space, space.component_height[0])
    return int(space.component_height[0])


def begin_stem(block: int, job: int, _address: int, _size: int, _sender: int) -> int:
    """Begin the search for the stem; return how many initial rows of the `block` are due, or why it could not.

    They are listed by the `job`.
    """
    begin_queue(job, 0)
    own = list_initial(block, job)
    followed = follow_listed(block, job, word(job, OWN), own) if own >= 0 else own
    return begin_queue(job, word(job, TAIL)) if followed >= 0 else followed


def aim(space: Any, job: int, node: int) -> None:
    """Note `node` of `space` in the `job` if it is the first target that was met."""
    if space.colour[node] & TARGET and word(job, FOUND) == NO_NODE:
        put(job, FOUND, node)


def queued(block: int, position: int) -> int:
    """Return the row at `position` of the queue of the `block`."""
    return int(store_at(block).queue[position])


def follow_listed(block: int, job: int, listed: int, count: int) -> int:
    """Follow the edges to the `count` rows at `listed` in the `block`, by the mode of the `job`.

    Return how many they are, or why it could not: NO_ROOM or UNKNOWN.
    """
    space = store_at(block)
    mode = word(job, MODE)
    tail = word(job, TAIL)
    if find_listed(block, listed, count) < 0:
        return NO_ROOM
    for place in range(listed, listed + count * LISTED_BYTES, LISTED_BYTES):
        node = load(place)
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
