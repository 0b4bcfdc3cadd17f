"""The pass over all rows: each that a step leads to is expanded, its successors are found, and its edges decided.

A row is expanded only when a step leads to it from another, or it is initial: so whatever a certificate claims to be a
row, the model's code is only ever given rows that it has written itself. What the model says of a row (is it
accepting?) is noted when a step leads to it.
"""

from __future__ import annotations

from typing import Any

from everafter.certificates.deciding import accept_start, all_decided, decide_state
from everafter.certificates.native.job_words import (
    ACCEPTING,
    ARENA,
    AT,
    BAD_EDGE,
    BAD_ROW,
    BEHIND,
    BUFFER,
    CHOOSE,
    CLOSED,
    CONTROL,
    DECIDED,
    DONE,
    EDGES,
    END,
    EXPAND,
    FORBIDDEN,
    FOUND,
    IGNORED,
    INITIAL,
    LAST,
    LIVENESS,
    MET,
    MODE,
    MODEL_FAILED,
    MODEL_SETS,
    NEEDED,
    NEXT,
    OPEN,
    REFUSED,
    SETS,
    SPARED,
    STACK,
    STOP,
    STOPPED,
    TAKEN,
    TOP,
    UNMET,
)
from everafter.certificates.native.row_index import (
    FIRST,
    bring_bucket,
    bring_entries,
    find_row,
    key_of,
    words_of,
)
from everafter.certificates.native.row_reduction import ALL, FAILED, choose, has_holder, may_be_taken_alone
from everafter.engine.code.intrinsics import (
    Column,
    call_three,
    call_two,
    column_at,
    load,
    put,
    shifted_right,
    word,
)

as_numbers: Any = column_at(Column(64, 8))
as_marks: Any = column_at(Column(8, 8))

MODEL_ACCEPTING = 2  # as everafter.search.space has it
MODEL_TARGET = 64
TOGETHER = 512  # so many rows are asked for at once


def find_all(job: int, count: int) -> None:
    """Note at FOUND of `job` the number of each of the `count` rows that the model has written."""
    found = as_numbers(word(job, FOUND))
    keys = as_numbers(word(job, FORBIDDEN))  # until it is known what is forbidden
    row = word(job, BUFFER)
    for edge in range(count):
        words = words_of(row)
        keys[edge] = key_of(row, words)
        bring_bucket(job, keys[edge])
        row += words << 3
    for edge in range(count):
        bring_entries(job, keys[edge])
    row = word(job, BUFFER)
    for edge in range(count):
        words = words_of(row)
        found[edge] = find_row(job, row, words, keys[edge])
        row += words << 3


def forbid(job: int, count: int, is_accepting: int, rank: int) -> None:
    """Note at FORBIDDEN of `job` which of the `count` edges the `rank` of their state forbids.

    `is_accepting` is 1 if the state is accepting, else 0.
    """
    forbidden = as_numbers(word(job, FORBIDDEN))
    row = word(job, BUFFER)
    written = word(job, MODEL_SETS)
    named = rank % word(job, SETS)
    for edge in range(count):
        if word(job, MODE) == LIVENESS:
            sets = is_accepting | (load(written + (edge << 3)) if written != 0 else 0)
            forbidden[edge] = shifted_right(sets, named) & 1
        else:
            forbidden[edge] = load(row) & MODEL_TARGET
        row += words_of(row) << 3


def forbid_start(job: int, count: int) -> None:
    """Note at FORBIDDEN of `job` which of the `count` initial states violate the property."""
    forbidden = as_numbers(word(job, FORBIDDEN))
    row = word(job, BUFFER)
    for place in range(count):
        forbidden[place] = 0 if word(job, MODE) == LIVENESS else load(row) & MODEL_TARGET
        row += words_of(row) << 3


def mark_all(job: int, count: int) -> None:
    """Note of the `count` rows found by `job` that a step leads to them, and whether the model calls them accepting.

    Those that its pass has gone by are put on its stack.
    """
    marks = as_marks(word(job, ARENA))
    found = as_numbers(word(job, FOUND))
    row = word(job, BUFFER)
    for edge in range(count):
        if marks[found[edge]] == UNMET:
            marks[found[edge]] = ACCEPTING if load(row) & MODEL_ACCEPTING else MET
            if word(job, NEXT) <= found[edge] and found[edge] < word(job, AT):
                as_numbers(word(job, BEHIND))[word(job, TOP)] = found[edge]
                put(job, TOP, word(job, TOP) + 1)
        row += words_of(row) << 3


def refused(job: int, row: int, count: int) -> int:
    """Note in `job` that the check failed at `row`, which has `count` edges; return REFUSED."""
    put(job, BAD_ROW, row)
    put(job, BAD_EDGE, count)
    return REFUSED


def check_initial(job: int) -> int:
    """Find the initial states; how many there are, or what is wrong."""
    count = call_two(word(job, INITIAL), word(job, BUFFER), word(job, CONTROL))
    if count < 0:
        return MODEL_FAILED
    find_all(job, count)
    forbid_start(job, count)
    found = as_numbers(word(job, FOUND))
    forbidden = as_numbers(word(job, FORBIDDEN))
    if not accept_start(count, found, forbidden, word(job, END)):
        return refused(job, 0, count)
    mark_all(job, count)
    return count


def expand_row(job: int, place: int) -> int:
    """Write the successors of the row at the address `place`, by `job`, or of its ample set where rows are reduced.

    Return how many there are, or MODEL_FAILED.
    """
    if word(job, CHOOSE) != 0 and choose(job, place) == FAILED:
        return MODEL_FAILED
    return call_three(word(job, EXPAND), place, word(job, BUFFER), word(job, CONTROL))


def leaves_out(job: int) -> bool:
    """Whether the steps of one process were taken alone in the row that was expanded last."""
    return word(job, CHOOSE) != 0 and load(word(job, TAKEN)) != ALL


def check_row(job: int, row: int) -> int:
    """Decide the edges of `row`, by `job`; return how many there are, or what is wrong."""
    marks = as_marks(word(job, ARENA))
    rank = as_numbers(word(job, ARENA) - 8)
    place = word(job, ARENA) + (row << 3)
    is_accepting = 1 if marks[row] == ACCEPTING else 0
    count = expand_row(job, place)
    if count < 0:
        return MODEL_FAILED
    if leaves_out(job) and not may_be_taken_alone(job, place, load(word(job, TAKEN))):
        put(job, BAD_ROW, row)
        return NEEDED
    find_all(job, count)
    forbid(job, count, is_accepting, rank[row])
    found = as_numbers(word(job, FOUND))
    forbidden = as_numbers(word(job, FORBIDDEN))
    mark = DECIDED
    if leaves_out(job) or (word(job, CHOOSE) != 0 and has_holder(place)):
        mark |= SPARED
        put(job, EDGES, word(job, EDGES) + count)
    if not decide_state(row, count, found, forbidden, rank, word(job, END), marks, mark):
        return refused(job, row, count)
    mark_all(job, count)
    return count


def check_waiting(job: int, row: int) -> int:
    """Decide the edges of `row`, by `job`, if a step leads to it and it is not decided: 0, or what is wrong."""
    marks = as_marks(word(job, ARENA))
    if marks[row] != MET and marks[row] != ACCEPTING:
        return 0
    if word(job, STOP) != 0:
        return STOPPED
    count = check_row(job, row)
    if count < 0:
        return count
    put(job, DONE, word(job, DONE) + 1)
    return 0


def check_rows(job: int) -> int:
    """Decide the edges of the rows from NEXT to LAST that a step leads to and that are not decided yet.

    Also of those that a step leads to from one that stands behind them: so every row is looked at once, in any order.
    """
    row = word(job, NEXT)
    last = word(job, LAST)
    behind = as_numbers(word(job, BEHIND))
    while row < last:
        after = row + words_of(word(job, ARENA) + (row << 3)) + 1
        put(job, AT, after)
        outcome = check_waiting(job, row)
        while outcome == 0 and word(job, TOP) > 0:
            put(job, TOP, word(job, TOP) - 1)
            outcome = check_waiting(job, behind[word(job, TOP)])
        if outcome < 0:
            return outcome
        row = after
    return 0


def check_cycles(job: int) -> int:
    """Whether no cycle is of rows in all of which something is left out: 0, or what is wrong."""
    marks = as_marks(word(job, ARENA))
    row = FIRST
    while row < word(job, END):
        place = word(job, ARENA) + (row << 3)
        if marks[row] & (SPARED | CLOSED) == SPARED and not has_holder(place):
            if word(job, STOP) != 0:
                return STOPPED
            outcome = search_cycle(job, row)
            if outcome < 0:
                return outcome
        row += words_of(place) + 1
    return 0


def search_cycle(job: int, start: int) -> int:
    """Follow rows in which something is left out, from `start`, depth first; a back edge to the path closes a cycle.

    Rows in the middle of an atomic sequence are passed: what is left out before it is left out all along. `job` is the
    worker's block.
    """
    marks = as_marks(word(job, ARENA))
    found = as_numbers(word(job, FOUND))
    stack = as_numbers(word(job, STACK))
    stack[0] = start
    top = 1
    while top > 0:
        row = stack[top - 1]
        if marks[row] & OPEN != 0:
            marks[row] = (marks[row] & ~OPEN) | CLOSED
        if marks[row] & CLOSED != 0:
            top -= 1
            continue
        marks[row] = marks[row] | OPEN
        count = expand_row(job, word(job, ARENA) + (row << 3))
        if count < 0:
            return MODEL_FAILED
        find_all(job, count)
        for edge in range(count):
            mark = marks[found[edge]]
            if mark & OPEN != 0:
                put(job, BAD_ROW, row)
                return IGNORED
            if mark & (SPARED | CLOSED) == SPARED:
                stack[top] = found[edge]
                top += 1
    return 0


def find_given(job: int) -> int:
    """The number of the row that the caller has written to BUFFER, or ABSENT."""
    row = word(job, BUFFER)
    words = words_of(row)
    return find_row(job, row, words, key_of(row, words))


def count_decided(job: int) -> int:
    """How many rows there are if all are decided; fewer if one is not."""
    marks = as_marks(word(job, ARENA))
    numbers = as_numbers(word(job, FOUND))
    row = FIRST
    rows = 0
    while row < word(job, END):
        count = 0
        while count < TOGETHER and row < word(job, END):
            numbers[count] = row
            count += 1
            row += words_of(word(job, ARENA) + (row << 3)) + 1
        if not all_decided(count, numbers, marks, DECIDED):
            return rows
        rows += count
    return rows
