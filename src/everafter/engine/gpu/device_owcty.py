"""The kernels that look for accepting cycles, once all rows are stored: OWCTY, as in `everafter.search.trimming`.

    sort_rows(job, worker, workers, control, out)    begin a round, end its first half, or count what is left
    visit(…)                                         expand the rows that are due, and mark their successors

A row is active while its rank is 0. In a round, first the rows are reached that an active accepting row leads to over
active ones, and each counts the edges that arrive; rows that are not reached leave, and then those without an active
predecessor, wave by wave. All of a wave are due at once: those that become due meanwhile wait for the next, so that
edges between two waves lead forwards.

A row that leaves gets a rank, and ranks only grow. The last visit of all rows looks at every edge while no thread
writes: it must lead to a higher rank, or stay among rows that left unreached together, away from one that is not
accepting. Round a cycle ranks do not grow, so that then no cycle has an accepting row, whatever threads have seen of
each other's writing before.
"""

from __future__ import annotations

from everafter.engine.code.intrinsics import put, shifted_right, word
from everafter.engine.gpu.device_functions import expand_row, keep, least, peek, peek_half, take
from everafter.engine.gpu.device_words import (
    ACTIVE_ROW,
    ARENA,
    ARRIVALS,
    BEGIN,
    BEGIN_ROUND,
    CHANGED,
    DUE,
    JUDGE,
    LINE_WORDS,
    LOST,
    MARKS,
    MASK,
    MODE,
    NEXT_DUE,
    RANK,
    RANKS,
    REACH,
    REACHED,
    SETTLE,
    SLICE_END,
    SLOTS,
    STRIDE,
    SUM_LINES,
    SUMS,
    UNREACHED,
)
from everafter.engine.gpu.level_kernels import PADDING, copy_row, is_violation, same_row
from everafter.engine.store.arena_rows import hash_row, row_words
from everafter.engine.store.table import STATE_NUMBER, TAG, TAG_SHIFT
from everafter.search.space import ACCEPTING

EDGES = REACHED - 1  # the bits of a mark that count edges


def find(job: int, row: int, words: int) -> int:
    """Return the number of `row`, of `words` words, in the table of the `job`, 0 if it is not stored."""
    mixed = hash_row(row, words)
    tag = mixed & TAG
    mask = word(job, MASK)
    place = shifted_right(mixed, TAG_SHIFT - 16) & mask
    while True:
        found = peek(word(job, SLOTS) + (place << 3))
        if found == 0:
            return 0
        if shifted_right(found, TAG_SHIFT) == tag:
            number = found & STATE_NUMBER
            if same_row(word(job, ARENA) + number * word(job, STRIDE), row, words):
                return number
        place = (place + 1) & mask


def mark_of(job: int, number: int) -> int:
    """Return the address of the mark of the row `number` of the `job`.

    It says how many edges have arrived, and whether the row is reached and due.
    """
    return word(job, MARKS) + (number << 3)


def rank_of(job: int, number: int) -> int:
    """Return when the row `number` of the `job` has left; 0 if it has not."""
    return peek_half(word(job, RANKS) + (number << 2))


def leave(job: int, number: int, rank: int) -> None:
    """Let the row `number` of the `job` be no longer active: it gets this `rank`."""
    keep(word(job, RANKS) + (number << 2), rank)


def sort_rows(job: int, worker: int, workers: int, _control: int, _out: int) -> int:
    """Do with every active row of `worker` among `workers` what the mode of the `job` says.

    How many stay active is added to the sums.
    """
    mode = word(job, MODE)
    left = 0
    for number in range(word(job, BEGIN) + worker, word(job, SLICE_END), workers):
        header = peek(word(job, ARENA) + number * word(job, STRIDE))
        if header != 0 and rank_of(job, number) == 0:
            left += sort_row(job, mode, number, header & ACCEPTING)
    take(job + ((SUMS + (worker & (SUM_LINES - 1)) * LINE_WORDS) << 3), left)
    return 0


def sort_row(job: int, mode: int, number: int, accepting: int) -> int:
    """Do what `mode` says with the active row `number` of the `job`, in an `accepting` state or not.

    Return 1 if it stays active.
    """
    mark = mark_of(job, number)
    seen = peek(mark)
    if mode == BEGIN_ROUND:
        begun = 0
        if accepting != 0:
            begun = REACHED | word(job, NEXT_DUE)
        take(mark, begun - seen)
    elif mode == SETTLE:
        if seen & REACHED == 0:
            leave(job, number, word(job, UNREACHED))
            return 0
        if seen & EDGES == 0:
            leave(job, number, word(job, RANK))
            take(mark, word(job, NEXT_DUE))
            put(job, CHANGED, 1)
            return 0
    else:
        least(job + (ACTIVE_ROW << 3), number)
    return 1


def visit(job: int, worker: int, workers: int, control: int, out: int) -> int:
    """Expand every row of the `job` that is due, or every row if all are judged, as `worker` of `workers`.

    Successors go to `out`; `control` is the model's.
    """
    mode = word(job, MODE)
    due = word(job, DUE)
    for number in range(word(job, BEGIN) + worker, word(job, SLICE_END), workers):
        if mode == JUDGE:
            visit_row(job, mode, number, control, out)
        elif peek(mark_of(job, number)) & due != 0:
            take(mark_of(job, number), -due)
            visit_row(job, mode, number, control, out)
    return 0


def visit_row(job: int, mode: int, number: int, control: int, out: int) -> None:
    """Let an edge arrive at each successor of the row `number` of the `job`, or be withdrawn, or judge it, by `mode`.

    Successors go to `out`; `control` is the model's.
    """
    stride = word(job, STRIDE)
    if copy_row(word(job, ARENA) + number * stride, out) == 0:
        return
    place = out + stride + PADDING
    count = expand_row(out, place, control)
    if count < 0:
        put(job, LOST, 1)
    while count > 0:
        words = row_words(place)
        target = 0
        if not is_violation(place):
            target = find(job, place, words)
        if target == 0:
            put(job, LOST, 1)
        elif mode == JUDGE:
            judge_edge(job, number, target, peek(word(job, ARENA) + number * stride) & ACCEPTING)
        elif rank_of(job, target) == 0:
            if mode == REACH:
                arrive(job, number, target)
            else:
                withdraw(job, target)
        place += words << 3
        count -= 1


def arrive(job: int, number: int, target: int) -> None:
    """Let an edge between the active rows `number` and `target` of the `job` arrive.

    The first one reaches its row, unless the round has begun there.
    """
    mark = mark_of(job, target)
    seen = take(mark, 1)
    if seen & EDGES == 0:
        keep(word(job, ARRIVALS) + (target << 2), number)
        if seen & REACHED == 0:
            take(mark, REACHED | word(job, NEXT_DUE))
            put(job, CHANGED, 1)


def withdraw(job: int, target: int) -> None:
    """Withdraw an edge to the row `target` of the `job` from a row that has left.

    With the last edge the target leaves.
    """
    mark = mark_of(job, target)
    if take(mark, -1) & EDGES == 1:
        leave(job, target, word(job, RANK))
        take(mark, word(job, NEXT_DUE))
        put(job, CHANGED, 1)


def judge_edge(job: int, number: int, target: int, accepting: int) -> None:
    """Note in the `job` if the edge from `number`, `accepting` or not, to `target` is one that must not be."""
    before = rank_of(job, number)
    after = rank_of(job, target)
    together = before == after and before & 1 == 1 and accepting == 0
    if before == 0 or not (before < after or together):
        put(job, LOST, 1)
