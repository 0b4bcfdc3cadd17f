"""Room for more: whether the memory allowed is enough, and a larger hash table where it is."""

from __future__ import annotations

from everafter.engine.block import (
    ARENA_WORDS,
    COMPONENT_HEIGHT,
    END,
    FIRST,
    FRAME_BYTES,
    FRAMES,
    GROWTHS,
    HIGHEST_COMPONENT,
    HIGHEST_FRAME,
    HIGHEST_PENDING,
    LIMIT_BYTES,
    LINES,
    PENDING_BYTES,
    PENDING_ROOM,
    QUOTA,
    ROOM_END,
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
    put(block, QUOTA, rows_in(lines) - word(block, ROWS))
    put(block, GROWTHS, word(block, GROWTHS) + 1)
    fill(block, word(block, FIRST), word(block, END))
    return True


def room_for_states(block: int, words: int, rows: int) -> bool:
    """Return whether the `block` has room for `words` more words and `rows` more rows, within the memory allowed."""
    if rows > word(block, QUOTA) and not grow(block, word(block, ROWS) + rows):
        return False
    end = word(block, END)
    free = word(block, LIMIT_BYTES) - bytes_with(block, word(block, LINES))
    last = min(end + free // (8 + word(block, STATE_BYTES)), word(block, ARENA_WORDS))
    put(block, ROOM_END, min(end + words + STEP_WORDS, last))
    return free >= 0 and end + words <= last


def put_mark(block: int, index: int, mark: int, _size: int) -> None:
    """Let the `block` say at `index` that a stack may use up to `mark` elements."""
    put(block, index, mark)


def raise_mark(block: int, index: int, needed: int, most: int, size: int) -> None:
    """Note at `index` of the `block` that a stack needs `needed` elements of `size` bytes, and more, up to `most`."""
    if needed > word(block, index):
        put_mark(block, index, min(needed + STEP_FRAMES, most), size)


def make_room(block: int, words: int, rows: int, pending: int, frames: int) -> bool:
    """Return whether the `block` has room for `words` and `rows` more, and for `pending` and `frames` in all.

    These are words and rows, successors that wait, and frames. If so, the room may be used without another call up to
    the marks that this sets.
    """
    if frames > word(block, FRAMES) or pending > word(block, PENDING_ROOM):
        return False
    old_frames = word(block, HIGHEST_FRAME)
    old_pending = word(block, HIGHEST_PENDING)
    gathered = word(block, COMPONENT_HEIGHT)
    raise_mark(block, HIGHEST_FRAME, frames, word(block, FRAMES), word(block, FRAME_BYTES))
    raise_mark(block, HIGHEST_PENDING, pending, word(block, PENDING_ROOM), word(block, PENDING_BYTES))
    raise_mark(block, HIGHEST_COMPONENT, gathered, gathered + STEP_FRAMES, word(block, STATE_BYTES))
    if room_for_states(block, words, rows):
        return True
    put_mark(block, HIGHEST_FRAME, old_frames, word(block, FRAME_BYTES))
    put_mark(block, HIGHEST_PENDING, old_pending, word(block, PENDING_BYTES))
    return False
