"""Room for more: whether the memory allowed is enough, and a larger hash table where it is."""

from __future__ import annotations

from everafter.engine.block import (
    ARENA_WORDS,
    END,
    FIRST,
    FRAME_BYTES,
    FRAMES,
    GROWTHS,
    HIGHEST_FRAME,
    HIGHEST_PENDING,
    LIMIT_BYTES,
    LINES,
    PENDING_BYTES,
    PENDING_ROOM,
    ROOM_END,
    ROOM_ROWS,
    ROWS,
    SLOTS,
    SLOTS_BYTES,
    STATE_BYTES,
)
from everafter.engine.code.intrinsics import clear, put, word
from everafter.engine.store.table import fill, rows_in

STEP_WORDS = 1 << 16
STEP_FRAMES = 1 << 12


def bytes_with(block: int, lines: int) -> int:
    """Return the memory in use in the `block` if the hash table has this many `lines`."""
    return (
        (word(block, END) << 3)
        + (lines << 6)
        + word(block, ROWS) * word(block, STATE_BYTES)
        + word(block, HIGHEST_FRAME) * word(block, FRAME_BYTES)
        + word(block, HIGHEST_PENDING) * word(block, PENDING_BYTES)
    )


def grow(block: int, rows: int) -> bool:
    """Make the hash table of the `block` large enough for `rows` rows and more; return whether it could be.

    It becomes twice as large, or as large as the limit allows.

    Proof: proofs/store/table.vpr, method grow.
    """
    old = word(block, LINES)
    lines = max(old << 1, rows // 6 + 1)
    limit = word(block, LIMIT_BYTES)
    if bytes_with(block, lines) > limit or (lines << 6) > word(block, SLOTS_BYTES):
        lines = min((limit - bytes_with(block, 0)) >> 7, word(block, SLOTS_BYTES) >> 6)
    if rows_in(lines) < rows or lines < old + (old >> 3):
        return False
    clear(word(block, SLOTS), old << 6)
    put(block, LINES, lines)
    put(block, ROOM_ROWS, rows_in(lines))
    put(block, GROWTHS, word(block, GROWTHS) + 1)
    fill(block, word(block, FIRST), word(block, END))
    return True


def make_room(block: int, words: int, rows: int, pending: int, frames: int) -> bool:
    """Return whether the `block` has room for `words` more words and for `rows`, `pending` and `frames` in all.

    These are rows, successors that wait, and frames. If so, the room may be used without another call up to the marks
    that this sets.
    """
    if frames > word(block, FRAMES) or pending > word(block, PENDING_ROOM):
        return False
    old_frames = word(block, HIGHEST_FRAME)
    old_pending = word(block, HIGHEST_PENDING)
    if frames > old_frames:
        put(block, HIGHEST_FRAME, min(frames + STEP_FRAMES, word(block, FRAMES)))
    if pending > old_pending:
        put(block, HIGHEST_PENDING, min(pending + STEP_FRAMES, word(block, PENDING_ROOM)))
    end = word(block, END)
    if rows <= word(block, ROOM_ROWS) or grow(block, rows):
        free = word(block, LIMIT_BYTES) - bytes_with(block, word(block, LINES))
        last = min(end + free // (8 + word(block, STATE_BYTES)), word(block, ARENA_WORDS))
        put(block, ROOM_END, min(end + words + STEP_WORDS, last))
        if free >= 0 and end + words <= last:
            return True
    put(block, HIGHEST_FRAME, old_frames)
    put(block, HIGHEST_PENDING, old_pending)
    return False
