"""The hash table of packed rows: what a slot's place tells of a row need not be in the slot (Cleary 1984).

A row is a number, already scrambled. Its line is that number divided by the span of a line; the slot has the remainder,
how many lines behind its own the row was put since those were full, and the colour. So a row is known exactly by what
is in its slot and where that is. Lines are filled from the left, and never emptied. Where a line is full, a row that
is further from its own takes the place of the one that is nearest to its own (Celis 1986): so none comes far, though
nine slots of ten are filled, and what is not there is soon known not to be.

A line is a cache line. The lower 24 bits of remainder and distance, and the colour below them, are a half of a word;
what is left of the remainder stands behind all of these, in as many bytes as it needs. So there are 16 slots in a line,
or 12, 10, 9 or 8.

Rows are in the table in the order of their numbers, but for what full lines have moved. So it grows where it is: from
the last line to the first, each is emptied and its rows go to lines that are as far or further behind.
"""

from __future__ import annotations

from everafter.engine.block import (
    CARRIED,
    GROWTHS,
    LIMIT_BYTES,
    LINE_SLOTS,
    LINES,
    LOOKED_AT,
    LOOKED_FOR,
    LOW_LINES_COPY,
    NOWHERE,
    PACKED_BITS,
    QUOTA,
    REST_BYTES,
    ROWS,
    SLOTS,
    SLOTS_BYTES,
    SPAN,
    SPAN_RECIPROCAL,
    STATES,
)
from everafter.engine.code.intrinsics import (
    clear,
    copy_line,
    half,
    high_product,
    load,
    load_anywhere,
    lowest,
    put,
    put_half,
    shifted_right,
    store,
    store_anywhere,
    surveyed_halves,
    word,
)
from everafter.engine.store.table_room import bytes_with

COLOUR_BITS = 8
COLOUR_MASK = (1 << COLOUR_BITS) - 1
HALF_BITS = 24  # of remainder and distance, beside the colour
HALF_MASK = (1 << HALF_BITS) - 1
DISTANCE_BITS = 4
MOST_DISTANCE = (1 << DISTANCE_BITS) - 1
NOTHING = -1
SPARE_LINES = MOST_DISTANCE + 3  # behind the last line that packed rows belong to: others belong to the first two
PRODUCT_BITS = 62  # of a scrambled row that can be divided
HINT_MASK = 63
LOW_LINES = 256  # below, a row might go to a line that is not emptied yet
EVEN_LINES = 1 << 12  # a smaller table doubles; a larger one grows by a quarter, so that less of it is empty


def line_number(mixed: int, span: int, reciprocal: int) -> int:
    """Return the number of the line that the row `mixed` belongs to: divided by `span`, which has this `reciprocal`.

    The product is at most one less than the quotient.
    """
    line = high_product(mixed << 2, reciprocal)
    return line + 1 if mixed - line * span >= span else line


def reciprocal_of(span: int) -> int:
    """Return what `line_number` multiplies by where lines have this `span`."""
    return (1 << PRODUCT_BITS) // span


def slots_with(rest: int) -> int:
    """Return how many slots a line has of which each takes `rest` bytes beside its half of a word."""
    return 64 // (4 + rest)


def rest_bytes(span: int) -> int:
    """Return how many bytes a slot takes beside its half of a word where lines have this `span`."""
    rest = 0
    while shifted_right(span - 1, HALF_BITS - DISTANCE_BITS + 8 * rest) != 0:
        rest += 1
    return rest


def lines_with(bits: int, span: int) -> int:
    """Return how many lines a table of rows of `bits` bits has if each line has this `span`."""
    return ((1 << bits) + span - 1) // span + SPARE_LINES


def rows_between(lines: int, slots: int) -> int:
    """Return how many rows a table of `lines` lines, with `slots` slots each, takes before it grows: nine tenths."""
    return (lines - SPARE_LINES) * slots * 9 // 10


def line_address(block: int, mixed: int) -> int:
    """Return the address of the line of the `block` that the row `mixed` belongs to."""
    return word(block, SLOTS) + (line_number(mixed, word(block, SPAN), word(block, SPAN_RECIPROCAL)) << 6)


def rest_address(place: int, slots: int, rest: int) -> int:
    """Return where the `rest` bytes are of the slot at `place`, in a line of `slots` slots."""
    return (place & ~63) + (slots << 2) + shifted_right(place & 63, 2) * rest


def rest_at(place: int, slots: int, rest: int) -> int:
    """Return what is in the `rest` bytes of the slot at `place`, in a line of `slots` slots."""
    if rest == 0:
        return 0
    return load_anywhere(rest_address(place, slots, rest)) & ((1 << (rest << 3)) - 1)


def distance_at(place: int) -> int:
    """Return how many lines behind its own the row in the slot at `place` is."""
    return shifted_right(half(place), COLOUR_BITS) & MOST_DISTANCE


def nearest(line: int, slots: int) -> int:
    """Return the address of the slot of the full `line`, of `slots` slots, whose row is nearest to its own line."""
    found = line
    for place in range(line, line + (slots << 2), 4):
        if distance_at(place) < distance_at(found):
            found = place
        if distance_at(found) == 0:
            break
    return found


def probed(block: int, mixed: int) -> int:
    """Return the address of the slot of the `block` with the row `mixed`, 0 if it is not stored.

    It cannot be behind a line with an empty slot, nor behind one with a row that it would have moved.
    """
    span = word(block, SPAN)
    slots = word(block, LINE_SLOTS)
    rest = word(block, REST_BYTES)
    every = (1 << slots) - 1
    number = line_number(mixed, span, word(block, SPAN_RECIPROCAL))
    line = word(block, SLOTS) + (number << 6)
    wanted = (mixed - number * span) << DISTANCE_BITS
    last = wanted + MOST_DISTANCE
    while wanted <= last:
        seen = surveyed_halves(line, wanted & HALF_MASK, COLOUR_BITS)
        matches = seen & every
        while matches != 0:
            place = line + (lowest(matches) << 2)
            if rest_at(place, slots, rest) == shifted_right(wanted, HALF_BITS):
                return place
            matches &= matches - 1
        if shifted_right(seen, 16) & every != 0:
            return 0
        distance = wanted & MOST_DISTANCE
        if distance != 0 and distance_at(nearest(line, slots)) < distance:
            return 0
        line += 64
        wanted += 1
    return 0


def content_at(place: int, slots: int, rest: int) -> int:
    """Return remainder and distance of the row in the slot at `place`; lines have `slots` slots of `rest` bytes."""
    return shifted_right(half(place), COLOUR_BITS) | (rest_at(place, slots, rest) << HALF_BITS)


def fill_slot(place: int, slots: int, rest: int, content: int, colour: int) -> None:
    """Write a row and its `colour` into the slot at `place`, in a line of `slots` slots with `rest` bytes.

    Its remainder and distance are the `content`.
    """
    put_half(place, ((content & HALF_MASK) << COLOUR_BITS) | colour)
    if rest != 0:
        where = rest_address(place, slots, rest)
        others = load_anywhere(where) & ~((1 << (rest << 3)) - 1)
        store_anywhere(where, others | shifted_right(content, HALF_BITS))


def entered(block: int, mixed: int, colour: int) -> int:
    """Enter the row `mixed`, which is not there, with its `colour` into the table of the `block`, and return NOTHING.

    If a row would come too far from its line, return that one; CARRIED is its colour.
    """
    span = word(block, SPAN)
    slots = word(block, LINE_SLOTS)
    rest = word(block, REST_BYTES)
    number = line_number(mixed, span, word(block, SPAN_RECIPROCAL))
    content = (mixed - number * span) << DISTANCE_BITS
    line = word(block, SLOTS) + (number << 6)
    put(block, LOOKED_FOR, 0)  # rows may move
    while True:
        free = shifted_right(surveyed_halves(line, 0, COLOUR_BITS), 16) & ((1 << slots) - 1)
        if free != 0:
            fill_slot(line + (lowest(free) << 2), slots, rest, content, colour)
            return NOTHING
        distance = content & MOST_DISTANCE
        place = nearest(line, slots) if distance != 0 else 0
        if distance != 0 and distance_at(place) < distance:
            moved, its_colour = content_at(place, slots, rest), half(place) & COLOUR_MASK
            fill_slot(place, slots, rest, content, colour)
            content, colour = moved, its_colour
        if content & MOST_DISTANCE == MOST_DISTANCE:
            number = shifted_right(line - word(block, SLOTS), 6) - MOST_DISTANCE
            put(block, CARRIED, colour)
            return number * span + shifted_right(content, DISTANCE_BITS)
        content += 1
        line += 64


def put_packed(block: int, mixed: int, colour: int, counts: int) -> bool:
    """Store the row `mixed` in the `block` if it was not; it then has this `colour`, and adds `counts` states, 1 or 0.

    Return whether there was room.
    """
    if probed(block, mixed) != 0:
        return True
    put(block, ROWS, word(block, ROWS) + 1)
    put(block, QUOTA, word(block, QUOTA) - 1)
    put(block, STATES, word(block, STATES) + counts)
    left = entered(block, mixed, colour)
    while left != NOTHING:  # the table grows before it is full
        colour = word(block, CARRIED)
        if not grow(block, word(block, ROWS)):
            return False
        left = entered(block, left, colour)
    return True


def place_of(block: int, number: int) -> int:
    """Return the address of the slot of the state `number`, which is stored in the `block`."""
    if word(block, LOOKED_FOR) != number:
        place = probed(block, number - 1)
        put(block, LOOKED_AT, place if place != 0 else block + (NOWHERE << 3))
        put(block, LOOKED_FOR, number)
    return word(block, LOOKED_AT)


def colour_of(block: int, number: int) -> int:
    """Return the colour of the state `number` of the `block`."""
    return half(place_of(block, number)) & COLOUR_MASK


def put_colour(block: int, number: int, colour: int) -> int:
    """Give the state `number` of the `block` this `colour`; return it."""
    place = place_of(block, number)
    put_half(place, (half(place) & ~COLOUR_MASK) | (colour & COLOUR_MASK))
    return colour


def narrower(span: int, lines: int) -> int:
    """Return the span that lines have once a table of `lines` lines with this `span` has grown."""
    return shifted_right(span + 1, 1) if lines < EVEN_LINES else span - (span + 4) // 5


def fits_with(block: int, span: int) -> bool:
    """Return whether the table of the `block` may have lines of this `span`, within the memory allowed."""
    lines = lines_with(word(block, PACKED_BITS), span)
    return bytes_with(block, lines) <= word(block, LIMIT_BYTES) and (lines << 6) <= word(block, SLOTS_BYTES)


def grow(block: int, rows: int) -> bool:
    """Make the table of the `block` larger, and large enough for `rows` rows; return whether it could be."""
    bits = word(block, PACKED_BITS)
    old = word(block, SPAN)
    span = narrower(old, word(block, LINES))
    while span > 1 and rows_between(lines_with(bits, span), slots_with(rest_bytes(span))) < rows:
        span = shifted_right(span + 1, 1)
    if not fits_with(block, span):
        span = old - (old + 8) // 9
    slots = slots_with(rest_bytes(max(span, 1)))
    if not 1 <= span < old or not fits_with(block, span) or rows_between(lines_with(bits, span), slots) < rows:
        return False
    lines = word(block, LINES)
    old_slots, old_rest = word(block, LINE_SLOTS), word(block, REST_BYTES)
    put(block, SPAN, span)
    put(block, SPAN_RECIPROCAL, reciprocal_of(span))
    put(block, LINE_SLOTS, slots)
    put(block, REST_BYTES, rest_bytes(span))
    put(block, LINES, lines_with(bits, span))
    put(block, QUOTA, rows_between(word(block, LINES), slots) - word(block, ROWS))
    put(block, GROWTHS, word(block, GROWTHS) + 1)
    put(block, LOOKED_FOR, 0)
    return spread(block, lines, old, old_slots, old_rest)


def spread(block: int, lines: int, span: int, slots: int, rest: int) -> bool:
    """Let all rows of the table of the `block`, which has grown, go to their new lines; return whether they could.

    It had `lines` lines of this `span`, `slots` slots, and `rest` bytes for each.
    """
    table = word(block, SLOTS)
    copy = word(block, LOW_LINES_COPY)
    clear(copy + (LOW_LINES << 6) + 64, (HINT_MASK + 1) << 3)
    line = lines - 1
    while line >= LOW_LINES:
        copy_line(copy, table + (line << 6))
        clear(table + (line << 6), 64)
        if not enter_line(block, copy, line, span, slots, rest):
            return False
        line -= 1
    for each in range(line + 1):
        copy_line(copy + (each << 6), table + (each << 6))
    clear(table, (line + 1) << 6)
    for each in range(line + 1):  # noqa: SIM110 # a kernel has no generators
        if not enter_line(block, copy + (each << 6), each, span, slots, rest):
            return False
    return True


def enter_line(block: int, copy: int, line: int, span: int, slots: int, rest: int) -> bool:
    """Enter the rows of the old line with the number `line` into the table of the `block`; return whether they fit.

    The line is at `copy`; lines had this `span`, `slots` slots, and `rest` bytes for each.
    """
    table = word(block, SLOTS)
    new_span, reciprocal = word(block, SPAN), word(block, SPAN_RECIPROCAL)
    new_slots, new_rest = word(block, LINE_SLOTS), word(block, REST_BYTES)
    hints = word(block, LOW_LINES_COPY) + (LOW_LINES << 6) + 64
    for place in range(copy, copy + (slots << 2), 4):
        colour = half(place) & COLOUR_MASK
        if colour == 0:
            return True
        content = content_at(place, slots, rest)
        mixed = (line - (content & MOST_DISTANCE)) * span + shifted_right(content, DISTANCE_BITS)
        number = line_number(mixed, new_span, reciprocal)
        target = first_empty(table + (number << 6), number, new_slots, hints + ((number & HINT_MASK) << 3))
        if target != 0:  # as most have
            fill_slot(target, new_slots, new_rest, (mixed - number * new_span) << DISTANCE_BITS, colour)
        elif entered(block, mixed, colour) != NOTHING:
            return False
    return True


def first_empty(line: int, number: int, slots: int, hint: int) -> int:
    """Return the address of the first empty slot of `line`, of `slots` slots, which is to be filled now, or 0.

    The line has this `number`. At `hint` is the number of a line that was looked for before, and how many of its slots
    were filled then: to look at a whole line would have to wait until what was written last is there.
    """
    noted = load(hint)
    filled = noted & HINT_MASK
    if shifted_right(noted, 8) != number or (filled < slots and half(line + (filled << 2)) != 0):
        free = shifted_right(surveyed_halves(line, 0, COLOUR_BITS), 16) & ((1 << slots) - 1)
        filled = lowest(free | (1 << slots))
    if filled == slots:
        return 0
    store(hint, (number << 8) | (filled + 1))
    return line + (filled << 2)
