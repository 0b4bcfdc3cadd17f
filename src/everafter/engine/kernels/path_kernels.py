"""The way to a state that a search without an order has found: breadth-first, through the states stored already.

The kernels are over the store as the search has left it, and run alone, also where a team has searched. The queue is in
`stack`, and the place in it of the state before is in `cursor`, both from FIRST_QUEUED on: the search has used
neither up there. No verdict depends on them: the way is taken again by the reference.
"""

from __future__ import annotations

from everafter.engine.block import FIRST_QUEUED, FRAMES, MEMORY, REASON
from everafter.engine.code.intrinsics import put, word
from everafter.search.framework import TOGETHER
from everafter.search.space import ANSWERED, COMPLETED, DISCOVERED, STOPPED


def set_aside(block: int, bits: int) -> int:
    """Add `bits` to the colour of each state that waits in `pending` of `block`; return how many there are.

    The last of them may have been expanded, and are left out.
    """
    space = store_at(block)  # type: ignore[name-defined] # noqa: F821
    waiting: int = space.limit[0] - TOGETHER
    for position in range(waiting):
        node = space.pending[position]
        space.colour[node] |= bits
    return waiting


def way(block: int, met: int, aside: int) -> int:
    """Search for the state `found[1]`, through discovered ones without the bits of `aside`, which get those of `met`.

    ANSWERED: it is at `found[0]` of the queue. COMPLETED: there is no such way. Until then `found[0]` is its end.
    """
    space = store_at(block)  # type: ignore[name-defined] # noqa: F821
    target = space.found[1]
    room = word(block, FRAMES)
    tail = FIRST_QUEUED
    for start in space.initial:
        space.colour[start] |= met
        space.stack[tail] = start
        space.cursor[tail] = 0
        space.found[0] = tail
        if start == target:
            return ANSWERED
        tail += 1
    head = FIRST_QUEUED
    while head < tail:
        count = min(TOGETHER, tail - head)
        if not expand_all(space, space.stack, head, count, 0):  # type: ignore[name-defined] # noqa: F821
            return STOPPED
        if tail + space.limit[count - 1] > room:
            put(block, REASON, MEMORY)
            return STOPPED
        for frame in range(count):
            for position in range(space.cursor[frame], space.limit[frame]):
                node = space.pending[position]
                if node == target or space.colour[node] & (DISCOVERED | met | aside) == DISCOVERED:
                    space.colour[node] |= met
                    space.stack[tail] = node
                    space.cursor[tail] = head + frame
                    space.found[0] = tail
                    if node == target:
                        return ANSWERED
                    tail += 1
        head += count
    return COMPLETED
