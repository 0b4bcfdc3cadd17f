"""The kernels: a breadth-first search in which threads share the rows of the frontier, and one hash table.

    start(job, worker, workers, control, out)    store the initial row
    search(…)                                    expand rows, level by level, until there is a reason to stop
    refill(…)                                    enter all rows again into a hash table that was cleared

A row is written first and then inserted by one compare-and-swap on an empty slot, so no thread finds half a row and
none waits. Rows are numbered in the order in which numbers are taken, so that a level is a range of numbers. The loser
of the race for a slot to an equal row keeps its number for the next one; what is left at the end of a slice is a hole.

There is a barrier at the end of a slice. Where there was no room for a row, the slice is done again later: what is
stored already is found, and nothing is counted twice.
"""

from __future__ import annotations

from everafter.engine.code.intrinsics import load, put, shifted_right, store, word
from everafter.engine.emit.claims import VIOLATION
from everafter.engine.gpu.device_functions import (
    block_meets,
    blocks,
    bring_pair,
    differing,
    expand_row,
    initial_row,
    is_first,
    keep,
    lanes,
    least,
    peek,
    publish,
    relax,
    swap_if,
    take,
    write_pair,
)
from everafter.engine.gpu.device_words import (
    ANSWERED,
    ARENA,
    ARRIVED,
    BEGIN,
    BUDGET,
    COMPLETED,
    COUNT,
    FAILURE,
    FIRST_ROW,
    FOUND,
    FULL,
    GOES_ON,
    HELD,
    HOLES,
    LEVEL,
    LEVEL_END,
    LINE_WORDS,
    MASK,
    MEETING,
    MODEL_FAILED,
    NO_NUMBER,
    NO_PROCESS,
    PARENTS,
    PAUSED,
    REASON,
    ROOM,
    ROW_TOO_LONG,
    SLICE,
    SLICE_END,
    SLOTS,
    STRIDE,
    SUM_LINES,
    SUMS,
    TURN,
    TURNS,
)
from everafter.engine.store.arena_rows import COLOUR, hash_row, is_state, row_words
from everafter.engine.store.table import STATE_NUMBER, TAG, TAG_SHIFT, slot_of

PADDING = 32  # bytes behind a row: rows are copied by four words at once
VIOLATION_WORD = VIOLATION - (1 << 64)


def is_violation(row: int) -> bool:
    """Return whether `row` is where a violating run leads to."""
    return load(row) & ~COLOUR == VIOLATION_WORD


def same_row(stored: int, row: int, words: int) -> bool:
    """Return whether the row `stored`, by any thread, is the same state as `row`, of `words` words.

    Its colour, too, is the same then: colours do not change here, and the model gives equal states equal ones.
    """
    end = (words & ~1) << 3
    offset = 0
    while offset + 32 <= end:
        if differing(stored + offset, row + offset) | differing(stored + offset + 16, row + offset + 16) != 0:
            return False
        offset += 32
    different = 0
    if offset < end:
        different = differing(stored + offset, row + offset)
    if words & 1 != 0:
        different |= peek(stored + end) ^ load(row + end)
    return different == 0


def write_row(job: int, number: int, row: int, words: int, parent: int) -> None:
    """Write `row`, of `words` words, and up to one word behind it, where the row `number` is, for readers of the
    number.

    The number of its `parent` is written, too, beside the others in the `job`.
    """
    target = word(job, ARENA) + number * word(job, STRIDE)
    for offset in range(0, words << 3, 16):
        write_pair(target + offset, row + offset)
    keep(word(job, PARENTS) + (number << 2), parent)
    publish(0)


def find_or_put(job: int, row: int, words: int, parent: int, spare: int) -> int:
    """Store `row`, of `words` words, with its `parent`, unless it is in the table of the `job`.

    `spare` is a number that was taken and not used, or 0. Return the number that is left to use for another row: 0 for
    none, NO_NUMBER if no more are.
    """
    mixed = hash_row(row, words)
    tag = mixed & TAG
    slots = word(job, SLOTS)
    mask = word(job, MASK)
    place = shifted_right(mixed, TAG_SHIFT - 16) & mask
    is_written = 0
    while True:
        slot = slots + (place << 3)
        found = peek(slot)
        if found == 0:
            if spare == 0:
                spare = take(job + (COUNT << 3), 1) + 1
                if spare > word(job, ROOM):
                    return NO_NUMBER
            if is_written == 0:
                write_row(job, spare, row, words, parent)
                is_written = 1
            found = swap_if(slot, 0, slot_of(mixed, spare))
            if found == 0:
                if not is_state(row):
                    take(job + (HELD << 3), 1)
                return 0
        if shifted_right(found, TAG_SHIFT) == tag:
            stored = word(job, ARENA) + (found & STATE_NUMBER) * word(job, STRIDE)
            if same_row(stored, row, words):
                return spare
        place = (place + 1) & mask


def enter(job: int, row: int, parent: int, spare: int) -> int:
    """Store `row`, which the model wrote for `parent`, unless it is there, with the number `spare`, as `find_or_put`.

    A row that is too long is noted in the `job` as a failure, and one that violates as found.
    """
    if is_violation(row):
        least(job + (FOUND << 3), parent)
        return spare
    words = row_words(row)
    if words << 3 > word(job, STRIDE):
        least(job + (FAILURE << 3), ROW_TOO_LONG)
        return spare
    return find_or_put(job, row, words, parent, spare)


def copy_row(stored: int, own: int) -> int:
    """Copy the row `stored` to `own`, which only this thread reads, with up to one word behind it.

    Return how many words it has, 0 for a hole.
    """
    bring_pair(stored, own)
    words = row_words(own)
    for offset in range(16, words << 3, 16):
        bring_pair(stored + offset, own + offset)
    return words


def leave_hole(job: int, number: int) -> None:
    """Note in the `job` that no row has this `number`, if there is one."""
    if number > 0:
        store(word(job, ARENA) + number * word(job, STRIDE), 0)
        take(job + (HOLES << 3), 1)


def expand_slice(job: int, worker: int, workers: int, control: int, out: int) -> int:
    """Store the successors of every row of the slice of the `job` that belongs to `worker` of `workers`.

    Return how many there were. Successors go to `out`; `control` is the model's. Neighbours go to threads that take
    each step together, but to few of them if all have little to do: these wait for each other.
    """
    stride = word(job, STRIDE)
    begin = peek(job + (BEGIN << 3))
    end = peek(job + (SLICE_END << 3))
    groups = workers // lanes(0)
    together = min(lanes(0), (end - begin + groups - 1) // groups)
    number = begin + worker % groups * together + worker // groups
    if worker // groups >= together:
        number = end
    transitions = 0
    spare = 0
    while number < end and spare >= 0:
        words = copy_row(word(job, ARENA) + number * stride, out)
        if words != 0:
            successors = out + stride + PADDING
            count = expand_row(out, successors, control)
            if count < 0:
                least(job + (FAILURE << 3), MODEL_FAILED)
                count = 0
            transitions += count
            place = successors
            while count > 0 and spare >= 0:
                spare = enter(job, place, number, spare)
                place += row_words(place) << 3
                count -= 1
        number += groups * together
    leave_hole(job, spare)
    return transitions


def end_slice(job: int) -> int:
    """Let the next slice of the `job` begin, since all threads have expanded theirs.

    Return the reason if there is none.
    """
    failure = peek(job + (FAILURE << 3))
    count = peek(job + (COUNT << 3))
    if failure != NO_PROCESS:
        return failure
    if count > word(job, ROOM):
        return FULL
    begin = peek(job + (SLICE_END << 3))
    end = peek(job + (LEVEL_END << 3))
    turn = peek(job + (TURN << 3)) + 1
    if begin == end:
        end = count + 1
        put(job, LEVEL, peek(job + (LEVEL << 3)) + 1)
        put(job, LEVEL_END, end)
    put(job, BEGIN, begin)
    put(job, SLICE_END, min(begin + word(job, SLICE), end))
    put(job, TURN, turn)
    if peek(job + (FOUND << 3)) != NO_PROCESS:
        return ANSWERED
    if begin == end:
        return COMPLETED
    return PAUSED if turn == word(job, TURNS) or begin > word(job, BUDGET) else GOES_ON


def meet(job: int, worker: int, workers: int, waits: bool) -> None:
    """Come to the barrier of the `job`: `worker` has no more rows in this slice.

    The last of `workers` ends the slice; the others wait for that if `waits`.
    """
    block_meets(0)
    if is_first(worker) != 0:
        meeting = peek(job + (MEETING << 3))
        publish(0)
        if take(job + (ARRIVED << 3), 1) == blocks(workers) - 1:
            publish(0)
            put(job, REASON, end_slice(job))
            put(job, ARRIVED, 0)
            publish(0)
            take(job + (MEETING << 3), 1)
        else:
            while waits and peek(job + (MEETING << 3)) == meeting:
                relax(0)
        publish(0)
    block_meets(0)


def start(job: int, worker: int, _workers: int, control: int, out: int) -> int:
    """Store the initial row in the `job`, as worker 0; it goes to `out` first, and `control` is the model's.

    Every other `worker` has nothing to do.
    """
    if worker == 0:
        initial_row(out, control)
        enter(job, out, 0, 0)
    return 0


def search(job: int, worker: int, workers: int, control: int, out: int) -> int:
    """Expand rows of the `job`, level by level, as `worker` of `workers`, until there is a reason to go no further.

    Successors go to `out`; `control` is the model's.
    """
    transitions = 0
    goes_on = True
    while goes_on:
        found = expand_slice(job, worker, workers, control, out)
        waits = word(job, TURNS) > 1  # asked here, so that the loop is not written twice
        meet(job, worker, workers, waits)
        reason = peek(job + (REASON << 3))
        if not waits or reason != FULL:
            transitions += found
        goes_on = waits and reason == GOES_ON
    take(job + ((SUMS + (worker & (SUM_LINES - 1)) * LINE_WORDS) << 3), transitions)
    return 0


def refill(job: int, worker: int, workers: int, _control: int, _out: int) -> int:
    """Enter all rows of the `job` again into a cleared hash table: `worker` takes its share among `workers`."""
    slots = word(job, SLOTS)
    mask = word(job, MASK)
    for number in range(FIRST_ROW + worker, word(job, COUNT) + 1, workers):
        row = word(job, ARENA) + number * word(job, STRIDE)
        words = row_words(row)
        if words != 0:
            mixed = hash_row(row, words)
            place = shifted_right(mixed, TAG_SHIFT - 16) & mask
            while swap_if(slots + (place << 3), 0, slot_of(mixed, number)) != 0:
                place = (place + 1) & mask
    return 0
