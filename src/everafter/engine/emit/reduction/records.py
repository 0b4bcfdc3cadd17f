"""The records of a reduced search: what is noted of each process of the row that is expanded."""

from __future__ import annotations

from everafter.engine.emit.control_block import RECORD_BYTES, Record
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.writer import Writer


def open_records(w: Writer, facts: Facts) -> None:
    """Give the records a name in the function that `w` is writing, for `facts`."""
    w.do(f"%records = getelementptr i8, ptr %c, i64 {facts.rooms.records}")


def record(w: Writer, number: str) -> str:
    """Return the record of the process `number`, by code of `w`."""
    return w.at("%records", w.times(number, RECORD_BYTES))


def noted(w: Writer, own: str, field: Record) -> str:
    """Return `field` of the record `own`, by code of `w`."""
    return w.load(w.at(own, field), 8)


def create_channels(facts: Facts) -> bool:
    """Whether processes create channels."""
    return any(process.channels for process in facts.layout.processes)


def channels_of(w: Writer, facts: Facts, own: str) -> str:
    """Return how many channels there are that no process younger than that of the record `own` created.

    `w` writes the code, for `facts`.
    """
    return noted(w, own, Record.CHANNELS) if create_channels(facts) else str(len(facts.layout.global_channels))
