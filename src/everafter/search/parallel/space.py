"""What several workers share of a search, and what each has of its own: the store of the parallel kernels.

Everything that workers tell each other is in `colour`, `count` and `abort`. They are changed only by the functions of
this module, each of which is atomic; they are read plainly, and a kernel takes what it reads for old as soon as it has
it. Ranks are read when the search is over: by no worker. Everything else belongs to one worker. A native
store binds these functions anew, as it does with `expand`.

Reads and changes of shared numbers must be seen by all workers in one order: a read is a load of its own each time the
kernel asks (no loop may keep the value), with acquire order, and a change is a sequentially consistent operation.
"""

from __future__ import annotations

from typing import Annotated, Final

from everafter.search.fields import ONE_NUMBER, Field, Numbers, fields_of
from everafter.search.space import Store

# A bit of the colour that never changes, beside KNOWN, ACCEPTING and TARGET.
ORDERED: Final = 128  # behind an accepting node, where the order in which nodes are searched matters

# Bits of a worker's own byte, beside DISCOVERED (cyan or blue) and ON_PATH (cyan).
PINK: Final = 16  # on the way of this worker's red search, or in the set that search has gathered
MIXED: Final = 32  # one of its successors was not red when this worker was done with it

MOST_RANK: Final = (1 << 32) - 1
"""The rank of a state that none was given to."""


class SharedStore(Store):
    """What one worker may use. Of `Store`, `colour` is shared and `initial` the same for all; the rest is its own."""

    # colour   KNOWN, ACCEPTING, ORDERED, TARGET, and what workers tell each other, RED and DISCOVERED
    # parent   a node that the state was met from, which others may write again
    # How many workers are in a red search from the state.
    count: Annotated[Numbers, Field("state", "byte", always=True, team="shared")]
    own: Annotated[Numbers, Field("state", "byte", always=True)]  # the sets of this worker that the state is in
    abort: Annotated[Numbers, Field("once", always=True, team="shared")]  # not 0 once a worker answers, or must stop
    worker: Annotated[Numbers, ONE_NUMBER]  # the number of this worker, from 0
    draws: Annotated[Numbers, Field("once", always=True, team="same")]  # how many ranks were drawn
    below: Annotated[Numbers, Field("state", team="same")]  # how far the rank of the state is below MOST_RANK


SHARED_FIELDS: Final = fields_of(SharedStore)


def colour_shared(space: SharedStore, node: int, bits: int) -> int:
    """Add `bits` to the colour of `node` in `space`, in one atomic step; return the colour before."""
    before = space.colour[node]
    space.colour[node] = before | bits
    return before


def add_shared(space: SharedStore, node: int, amount: int) -> int:
    """Add `amount`, 1 or -1, to the count of `node` in `space`, in one atomic step; return the count before."""
    before = space.count[node]
    space.count[node] = before + amount
    return before


def raise_abort(space: SharedStore) -> None:
    """Tell all workers to stop."""
    space.abort[0] = 1


def pause(space: SharedStore, _turn: int) -> bool:
    """Let others work for a moment, in a loop that waits for them; false when the search is to stop.

    The turn counts the loop's calls from 0, so that a store can wait the longer the more often it is called.
    """
    return not space.abort[0]


def draw_rank(space: SharedStore) -> int:
    """A rank higher than all that were drawn before, in one atomic step; 0 if ranks are not kept."""
    if not space.below:
        return 0
    space.draws[0] += 1
    return space.draws[0]


def give_rank(space: SharedStore, node: int, rank: int) -> None:
    """Give `node` of `space` this `rank`, unless it has a lower one, in one atomic step.

    It does nothing if ranks are not kept.
    """
    if space.below:
        space.below[node] = max(space.below[node], MOST_RANK - rank)


def give(_space: SharedStore, height: int) -> int:
    """Give some of the nodes in `pending[0 … height - 1]` to workers that wait for nodes; how many are left.

    In plain Python workers keep their nodes.
    """
    return height


def take(_space: SharedStore) -> int:
    """Wait for nodes from other workers, into `pending` from 0 on, as long as any worker has some.

    How many there are; 0 when no worker has any, negative when the search is to stop.
    """
    return 0


def offer(_space: SharedStore, _node: int) -> None:
    """Let workers that wait for nodes search from the one from which this worker begins to."""


def withdraw(_space: SharedStore) -> None:
    """The search that was offered is over."""
