"""The partition function as the kernels compute it, and the initial rows that a worker owns: text that Numba compiles.

The owner follows from some bytes of the row, which are chosen once for all workers (`partition.py`), or else from its
hash.
"""

from __future__ import annotations

from everafter.engine.block import BUFFER, CONTROL, INITIAL
from everafter.engine.cluster.owned_rows import enlist, note_listed
from everafter.engine.cluster.worker_words import (
    CHOSEN,
    CHOSEN_BYTES,
    CHOSEN_LINES,
    CHOSEN_WORDS,
    OWN,
    PLACE,
    WORKERS,
)
from everafter.engine.code.intrinsics import call_two, changed, folded_product, high_product, load, word
from everafter.engine.store.arena_rows import hash_row, row_words
from everafter.engine.store.single_store import failed

KEY_SECRET = 0x369DEA0F31A53F85
OWNER_SECRET = 0x5851F42D4C957F2D  # the table uses the hash itself: owners must not depend on the same bits
NO_PARENT = -1


def owner_of(job: int, row: int, words: int, mixed: int) -> int:
    """Return the owner of `row`, of `words` words, with the hash `mixed`, by the partition function of the `job`.

    See `partition.py`, which computes the same.
    """
    key = mixed
    chosen = word(job, CHOSEN)
    end = chosen + (word(job, CHOSEN_WORDS) << 4)
    if chosen != end:
        key = OWNER_SECRET
    for place in range(chosen, end, 16):
        index = load(place)
        value = load(row + (index << 3)) & load(place + 8) if index < words else 0
        key = folded_product(value ^ key, KEY_SECRET)
    return high_product(folded_product(key, OWNER_SECRET), word(job, WORKERS))


def has_same_owner(job: int, row: int, words: int, successor: int) -> bool:
    """Return whether `successor`, of `words` words, has the owner of `row`, since the bits that count are the same.

    Whole lines of the bits of the `job` are compared: where other things lie behind both rows, it is not known to have.
    """
    bits = word(job, CHOSEN_LINES)
    size = word(job, CHOSEN_BYTES)
    if size == 0 or row_words(row) != words:
        return False
    end = bits + min(size, words << 3)
    different = 0
    while bits < end:
        different |= changed(row, successor, bits)
        row += 64
        successor += 64
        bits += 64
    return different == 0


def list_initial(block: int, job: int) -> int:
    """List the initial rows of the `block` that are this worker's, in its `job`; return how many, or NO_ROOM."""
    row = word(block, BUFFER)
    count = call_two(word(block, INITIAL), row, word(block, CONTROL))
    if count < 0:
        return failed(block, count)
    own = 0
    for _ in range(count):
        words = row_words(row)
        mixed = hash_row(row, words)
        if owner_of(job, row, words, mixed) == word(job, PLACE):
            enlist(word(job, OWN), own, mixed, row, NO_PARENT)
            own += 1
        row += words << 3
    return note_listed(block, word(job, OWN), 0, own)
