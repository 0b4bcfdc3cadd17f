"""Rows in which the steps of one process were taken alone: whose, whether they are ample, and that no cycle is of such.

The reduction's own code makes the choice, from a copy of the row without the state of the claim: so it is a function of
the system's state, as the theorem wants it, and nothing else about it is believed. The model's code, without any
reduction in it, then takes the steps of that process; `certificates/sufficing.py` decides whether they are an ample
set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from everafter.certificates.native.job_words import (
    ABLE_CODE,
    CHOOSE,
    CHOOSE_CONTROL,
    CHOSEN,
    CONTROL,
    MEANT_CODE,
    NOTES_AT,
    ROW,
    SPARE,
    SPARE_ROW,
    TABLE,
    TAKEN,
)
from everafter.certificates.native.row_index import words_of
from everafter.certificates.sufficing import ABLE, NOTES, look_at_processes, suffices
from everafter.engine.code.intrinsics import (
    Column,
    call_four,
    call_three,
    column_at,
    load,
    put,
    store,
    word,
)

as_row: Any = column_at(Column(8, 1))

ALL = -1
FAILED = -2
SYSTEM = 0x0000_FFFF_FFFF_FF00  # the bits of a row's first word that are neither its colour nor the state of the claim
HOLDER_SHIFT = 32


def has_holder(place: int) -> bool:
    """Whether a row is in the middle of an atomic sequence."""
    return (load(place) >> HOLDER_SHIFT) & 255 != 0


def choose(job: int, place: int) -> int:
    """Let the model take, in the row at `place`, the steps that the reduction would, by `job`.

    Return the number of the process whose steps these are, or ALL, or FAILED.
    """
    copy = word(job, SPARE_ROW)
    store(copy, load(place) & SYSTEM)
    for offset in range(8, words_of(place) << 3, 8):
        store(copy + offset, load(place + offset))
    if call_three(word(job, CHOOSE), copy, word(job, SPARE), word(job, CHOOSE_CONTROL)) < 0:
        return FAILED
    taken = load(word(job, CHOSEN))
    store(word(job, TAKEN), taken)
    return taken


def may_be_taken_alone(job: int, place: int, taken: int) -> bool:
    """Return whether the steps of `taken`, just taken alone in the row at `place`, are an ample set, by `job`.

    Which other processes can move is computed only if it matters.
    """
    positions = load(word(job, TAKEN) + 8)
    answers = load(word(job, TAKEN) + 16)
    completed = load(word(job, TAKEN) + 24)
    put(job, ROW, place)
    count = look_at_processes(job)
    if suffices(job, taken, positions, answers, completed, count, False):
        return True
    for process in range(count):
        able = call_four(word(job, ABLE_CODE), place, word(job, SPARE), word(job, CONTROL), process)
        put(word(job, NOTES_AT), process * NOTES + ABLE, able)
    return suffices(job, taken, positions, answers, completed, count, True)


# What the decision asks


def row_byte_of_job(asked: int, at: int) -> int:
    """Return the byte `at` of the row of the job `asked`."""
    return as_row(word(asked, ROW))[at]  # type: ignore[no-any-return]


def table_entry_of_job(asked: int, at: int) -> int:
    """Return the number `at` of the table of the job `asked`."""
    return word(word(asked, TABLE), at)


def noted_of_job(asked: int, at: int) -> int:
    """Return the note `at` of the job `asked`."""
    return word(word(asked, NOTES_AT), at)


def set_note_of_job(asked: int, at: int, value: int) -> None:
    """Write `value` as the note `at` of the job `asked`."""
    put(word(asked, NOTES_AT), at, value)


def meant_of_job(asked: int, process: int, expression: int) -> int:
    """Return the number of the channel that `expression` means to `process`, by the model's code of the job `asked`."""
    return call_four(word(asked, MEANT_CODE), word(asked, ROW), word(asked, CONTROL), process, expression)


REPLACING: Final[dict[str, Callable[..., Any]]] = {
    "row_byte": row_byte_of_job,
    "table_entry": table_entry_of_job,
    "noted": noted_of_job,
    "set_note": set_note_of_job,
    "meant": meant_of_job,
}
"""What machine code has in place of the functions of `certificates/sufficing.py` that ask."""
