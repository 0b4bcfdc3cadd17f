"""What the code of a reduced search notes of each process of the row that it expands.

AT, PLACE                   where the process is in the row, and the number of its place of control
STEPS, FLAGS, POSITIONS, ANSWERS
                            what its steps came to, as in the control block
BEGIN, END, COUNT           its successors: where they were written, and how many
CHAIN_BEGIN, CHAIN_END      its rows in the middle of atomic sequences
"""

from __future__ import annotations

from everafter.engine.emit.facts import RECORD_BYTES, Facts
from everafter.engine.emit.writer import Writer

AT, PLACE, STEPS, FLAGS, POSITIONS, ANSWERS, BEGIN, END, COUNT, CHAIN_BEGIN, CHAIN_END, CHANNELS = range(0, 96, 8)


def open_records(w: Writer, facts: Facts) -> None:
    """Give the records a name in the function being written."""
    w.do(f"%records = getelementptr i8, ptr %c, i64 {facts.records}")


def record(w: Writer, number: str) -> str:
    """The record of a process."""
    return w.at("%records", w.times(number, RECORD_BYTES))


def field_of(w: Writer, noted: str, field: int) -> str:
    """A field of a record."""
    return w.load(w.at(noted, field), 8)


def create_channels(facts: Facts) -> bool:
    """Whether processes create channels."""
    return any(process.channels for process in facts.layout.processes)


def channels_of(w: Writer, facts: Facts, noted: str) -> str:
    """How many channels there are that no process younger than this one created."""
    return field_of(w, noted, CHANNELS) if create_channels(facts) else str(len(facts.layout.global_channels))
