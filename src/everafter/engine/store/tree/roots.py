"""Roots: the header and the two halves of each state, in as few bits as their numbers need.

Roots are kept in segments of 4,096 states. The roots of a segment have the same size, that which the highest numbers
needed when it was begun, and no bit is left between them; when a number needs more bits, another segment is begun. Two
words for each segment say where its roots are and how many bits their parts have, and behind which state it ends.

    bits 0 … 5    how many bits the number of a left half has
    bits 6 … 11   … of a right half
    bits 12 … 17  … of a header
    bits 18 …     where the roots begin: bytes

A root is known by the number of its first bit in memory: eight times an address, and up to seven.
"""

from __future__ import annotations

from typing import Any

from everafter.engine.block import (
    BATCH,
    BATCH_ROWS,
    HEADER_SET,
    HIGHEST_LEFT,
    HIGHEST_RIGHT,
    LINES,
    NEXT,
    NO_NODE,
    QUOTA,
    ROOT_BITS,
    ROOTS,
    ROOTS_END,
    ROWS,
    SEGMENT,
    SEGMENT_SHIFT,
    SEGMENTS,
    SET_COUNT,
    SLOTS,
    STATES,
    word_of,
)
from everafter.engine.code.intrinsics import (
    Column,
    column_at,
    load,
    load_anywhere,
    lowest,
    prefetch,
    put,
    shifted_right,
    store,
    store_anywhere,
    word,
)
from everafter.engine.store.arena_rows import COLOUR
from everafter.engine.store.backoff import hesitate
from everafter.engine.store.table import line_of, next_line
from everafter.engine.store.tree.sets import hash_node
from everafter.engine.store.tree.slots import (
    EVERY_SLOT,
    LAST_SLOT,
    bits_for,
    enter,
    fill_empty,
    number_at,
    number_in,
    second_line,
    slot_at,
    surveyed_line,
    tag_of,
)

as_colour: Any = column_at(Column(8, 1))

COLOUR_COLUMN = word_of("colour")
LAST_IN_SEGMENT = (1 << SEGMENT_SHIFT) - 1
BEGIN_SHIFT = 18
SPARE_BYTES = 8  # behind a segment: whole words are written
MOST_SHORT = 57  # bits, of which up to seven others may be before
LEAST_NUMBERS = 255  # there is room for this many halves from the beginning
MOST_ROOT_BYTES = 12
STATE_SHIFT = 8  # how a state begins: its colour, whether it counts, and an empty slot for it, counted from 1
FREE_SHIFT = 9


def segment_of(block: int, state: int) -> int:
    """Return the first word of the segment of the `block` that the state `state` is in."""
    return load(word(block, SEGMENTS) + (shifted_right(state, SEGMENT_SHIFT) << 4))


def left_bits(segment: int) -> int:
    """Return how many bits the number of a left half has in `segment`, the first word of one."""
    return segment & 63


def right_bits(segment: int) -> int:
    """Return how many bits the number of a right half has in `segment`."""
    return shifted_right(segment, 6) & 63


def header_bits(segment: int) -> int:
    """Return how many bits the number of a header has in `segment`."""
    return shifted_right(segment, 12) & 63


def root_bits(segment: int) -> int:
    """Return how many bits a root has in `segment`."""
    return left_bits(segment) + right_bits(segment) + header_bits(segment)


def segment_with(begin: int, lefts: int, rights: int, headers: int) -> int:
    """Return the first word of a segment that begins at the byte `begin`.

    In its roots, the numbers of left halves have `lefts` bits, of right ones `rights`, and of headers `headers`.
    """
    return (begin << BEGIN_SHIFT) | (headers << 12) | (rights << 6) | lefts


def segment_bytes(segment: int) -> int:
    """Return how many bytes `segment` takes."""
    return (root_bits(segment) << (SEGMENT_SHIFT - 3)) + SPARE_BYTES


def root_at(block: int, segment: int, state: int) -> int:
    """Return the first bit of the root of the state `state`, in this `segment` of the `block`."""
    begin = word(block, ROOTS) + shifted_right(segment, BEGIN_SHIFT)
    return (begin << 3) + (state & LAST_IN_SEGMENT) * root_bits(segment)


def address_of(root: int) -> int:
    """Return the address of the byte that the first bit of `root` is in."""
    return shifted_right(root, 3)


def bring_root(block: int, state: int) -> None:
    """Start to bring the root of the state `state` of the `block`."""
    prefetch(address_of(root_at(block, segment_of(block, state), state)))


def part(root: int, first: int, count: int) -> int:
    """Return `count` bits of `root`, from the bit `first` on."""
    bit = root + first
    return shifted_right(load_anywhere(address_of(bit)), bit & 7) & ((1 << count) - 1)


def left_in(root: int, segment: int) -> int:
    """Return the number of the left half in `root`, which is in `segment`."""
    return part(root, 0, left_bits(segment))


def right_in(root: int, segment: int) -> int:
    """Return the number of the right half in `root`, which is in `segment`."""
    return part(root, left_bits(segment), right_bits(segment))


def header_in(root: int, segment: int) -> int:
    """Return the number of the header in `root`, which is in `segment`."""
    return part(root, left_bits(segment) + right_bits(segment), header_bits(segment))


def write_part(root: int, first: int, value: int) -> None:
    """Write the bits of `value` into `root` from the bit `first` on; those before stay, those behind become zero."""
    bit = root + first
    place = address_of(bit)
    before = load_anywhere(place) & ((1 << (bit & 7)) - 1)
    store_anywhere(place, before | (value << (bit & 7)))


def hash_root(left: int, right: int, header: int) -> int:
    """Return 64 well mixed bits of a root with the numbers `left`, `right` and `header`."""
    return hash_node((left << 32) | right, header)


def hash_stored_root(root: int, segment: int) -> int:
    """Return 64 well mixed bits of `root` in this `segment`; one that is short is read at once."""
    if not is_short(segment):
        return hash_root(left_in(root, segment), right_in(root, segment), header_in(root, segment))
    bits = part(root, 0, root_bits(segment))
    lefts, rights = left_bits(segment), right_bits(segment)
    left, right = bits & ((1 << lefts) - 1), shifted_right(bits, lefts) & ((1 << rights) - 1)
    return hash_root(left, right, shifted_right(bits, lefts + rights))


def is_short(segment: int) -> bool:
    """Return whether the bits of a root of `segment` are in one word from the byte on in which the first of them is."""
    return root_bits(segment) <= MOST_SHORT


def fits(segment: int, left: int, right: int, header: int) -> bool:
    """Return whether a root in this `segment` has room for the numbers `left`, `right` and `header`."""
    halves = shifted_right(left, left_bits(segment)) | shifted_right(right, right_bits(segment))
    return halves | shifted_right(header, header_bits(segment)) == 0


def packed(segment: int, left: int, right: int, header: int) -> int:
    """Return the numbers `left`, `right` and `header` of a short root of `segment` as one word.

    Proof: proofs/store/packing.vpr, method packed.
    """
    lefts = left_bits(segment)
    return left | (right << lefts) | (header << (lefts + right_bits(segment)))


def same_root(root: int, segment: int, left: int, right: int, header: int) -> bool:
    """Return whether `root`, in this `segment`, has the numbers `left`, `right` and `header`."""
    if is_short(segment):
        same = part(root, 0, root_bits(segment)) == packed(segment, left, right, header)
        return same and fits(segment, left, right, header)
    halves = left_in(root, segment) == left and right_in(root, segment) == right
    return halves and header_in(root, segment) == header


def write_root(root: int, segment: int, left: int, right: int, header: int) -> None:
    """Write the numbers `left`, `right` and `header`, for which `segment` has room, to `root`.

    Some bytes behind become zero.

    Proof: proofs/store/packing.vpr, method write_root.
    """
    if is_short(segment):
        write_part(root, 0, packed(segment, left, right, header))
    else:
        write_part(root, 0, left)
        write_part(root, left_bits(segment), right)
        write_part(root, left_bits(segment) + right_bits(segment), header)


def begin_segment(block: int) -> int:
    """Begin a segment of the `block` with room for the highest numbers there were; return its first state."""
    begin = (word(block, NEXT) + LAST_IN_SEGMENT) & ~LAST_IN_SEGMENT
    lefts = bits_for(word(block, HIGHEST_LEFT) | LEAST_NUMBERS)
    rights = bits_for(word(block, HIGHEST_RIGHT) | LEAST_NUMBERS)
    headers = bits_for(word(block, HEADER_SET + SET_COUNT))
    end = word(block, ROOTS_END)
    segment = segment_with(end, lefts, rights, headers)
    put(block, ROOTS_END, end + segment_bytes(segment))
    put(block, SEGMENT, segment)
    store(word(block, SEGMENTS) + (shifted_right(begin, SEGMENT_SHIFT) << 4), segment)
    return begin


def new_root(block: int, left: int, right: int, header: int) -> int:
    """Add a root of `left`, `right` and `header` to the `block`; return its number. It does not count yet."""
    put(block, HIGHEST_LEFT, max(word(block, HIGHEST_LEFT), left))
    put(block, HIGHEST_RIGHT, max(word(block, HIGHEST_RIGHT), right))
    number = word(block, NEXT)
    segment = word(block, SEGMENT)
    is_full = number & LAST_IN_SEGMENT == 0
    if is_full or not fits(segment, left, right, header):
        number = max(begin_segment(block), 1)  # no state has the number 0
        segment = word(block, SEGMENT)
    write_root(root_at(block, segment, number), segment, left, right, header)
    return number


def new_state(block: int, left: int, right: int, header: int, colour: int) -> int:
    """Write a root of `left`, `right` and `header` into the `block`, and its state's `colour`; return its number."""
    number = new_root(block, left, right, header)
    column = as_colour(word(block, COLOUR_COLUMN))
    column[number] = colour
    return number


def count_root(block: int, number: int, counts: int) -> None:
    """Count the root just written under `number` among those stored in the `block`.

    It adds `counts`, 1 or 0, to the number of states.
    """
    put(block, NEXT, number + 1)
    store(word(block, SEGMENTS) + (shifted_right(number, SEGMENT_SHIFT) << 4) + 8, number + 1)
    put(block, ROWS, word(block, ROWS) + 1)
    put(block, QUOTA, word(block, QUOTA) - 1)
    put(block, STATES, word(block, STATES) + counts)


def find_or_put_root(block: int, left: int, right: int, header: int, mixed: int, colour: int, counts: int) -> int:
    """Return the number of the state with the root (`left`, `right`, `header`) in the `block`.

    Its hash is `mixed`. It is a new number if it was not stored yet: then the state begins with this `colour`, and adds
    `counts`, 1 or 0, to the number of states.
    """
    slots = word(block, SLOTS)
    lines = word(block, LINES)
    bits = word(block, ROOT_BITS)
    tag = tag_of(mixed, bits)
    line = line_of(slots, lines, mixed)
    following = second_line(slots, lines, mixed)
    number = NO_NODE
    while True:
        # A slot that is filled stays as it is. So, if the first empty one still is, all on its left were looked at.
        seen = surveyed_line(line, tag, bits)
        hesitate(block)
        matches = seen & 0xFFFF
        while matches != 0:
            other = number_at(line, lowest(matches), bits)
            if is_root(block, other, left, right, header):
                return other
            matches &= matches - 1
        free = shifted_right(seen, 16)
        if free != 0:
            if number == NO_NODE:
                number = new_state(block, left, right, header, colour)
            hesitate(block)
            if fill_empty(line, lowest(free), tag, number, bits):
                count_root(block, number, counts)
                return number
        else:
            line = following
            following = next_line(slots, lines, line)


def put_root(block: int, left: int, right: int, header: int, mixed: int, start: int) -> int:
    """Return the number of the state with the root (`left`, `right`, `header`), as `find_or_put_root`.

    Its hash is `mixed`, and `start` says how it begins. A slot that was the first empty one when the line was looked
    at, and found without the root, is empty still unless the line has changed in the `block`: slots are filled from the
    left. Then the root is new. Else another successor that is settled together with this one has filled it, often with
    the same root.
    """
    free = shifted_right(start, FREE_SHIFT) - 1
    colour, counts = start & COLOUR, shifted_right(start, STATE_SHIFT) & 1
    if free >= 0:
        bits = word(block, ROOT_BITS)
        line = line_of(word(block, SLOTS), word(block, LINES), mixed)
        slot = slot_at(line, free)
        if slot == 0:
            number = new_state(block, left, right, header, colour)
            fill_empty(line, free, tag_of(mixed, bits), number, bits)
            count_root(block, number, counts)
            return number
        number = number_in(slot, bits)
        if is_root(block, number, left, right, header):
            return number
    return find_or_put_root(block, left, right, header, mixed, colour, counts)


def bring_candidate(block: int, mixed: int) -> int:
    """Start to bring the first root of the `block`, and its colour, that one with the hash `mixed` is compared with.

    Return its state, or 0, and above 32 bits the first empty slot, counted from 1, of a line without such a root: 0 if
    that is full. All of it without a branch: whether a successor is known cannot be foreseen. Nothing is lost where the
    root of no state is brought.
    """
    bits = word(block, ROOT_BITS)
    line = line_of(word(block, SLOTS), word(block, LINES), mixed)
    seen = surveyed_line(line, tag_of(mixed, bits), bits)
    matches, free = seen & EVERY_SLOT, shifted_right(seen, 16)
    is_candidate = -shifted_right(matches + EVERY_SLOT, 16)  # every bit or none
    is_empty = -shifted_right(free + EVERY_SLOT, 16)
    other = second_line(word(block, SLOTS), word(block, LINES), mixed)
    prefetch(line + ((other - line) & ~(is_candidate | is_empty)))  # full, and the root is there if it is known
    number = number_at(line, lowest(matches | LAST_SLOT), bits) & is_candidate
    bring_root(block, number)
    prefetch(word(block, COLOUR_COLUMN) + number)
    return number | (((lowest(free | LAST_SLOT) + 1) & is_empty & ~is_candidate) << 32)


def is_root(block: int, number: int, left: int, right: int, header: int) -> bool:
    """Return whether the state `number` of the `block` has the root (`left`, `right`, `header`)."""
    segment = segment_of(block, number)
    return same_root(root_at(block, segment, number), segment, left, right, header)


def enter_roots(block: int, begin: int, end: int) -> None:
    """Enter the states from `begin` up to `end`, all in one segment, into the hash table of the `block`."""
    slots = word(block, SLOTS)
    lines = word(block, LINES)
    bits = word(block, ROOT_BITS)
    batch = block + (BATCH << 3)
    segment = segment_of(block, begin)
    while begin < end:
        count = min(BATCH_ROWS, end - begin)
        for offset in range(count):
            mixed = hash_stored_root(root_at(block, segment, begin + offset), segment)
            prefetch(line_of(slots, lines, mixed))
            store(batch + (offset << 3), mixed)
        for offset in range(count):
            enter(slots, lines, bits, load(batch + (offset << 3)), begin + offset)
        begin += count


def enter_all_roots(block: int) -> None:
    """Enter all states of the `block` into the hash table, which is empty."""
    begin = 0
    while begin < word(block, NEXT):
        end = load(word(block, SEGMENTS) + (shifted_right(begin, SEGMENT_SHIFT) << 4) + 8)
        enter_roots(block, max(begin, 1), end)
        begin += LAST_IN_SEGMENT + 1
