"""Steps of a walk in place: each is taken in the row itself, its changes are delivered, and then it is taken back.

note(place, size)      these bytes are about to be overwritten: if they are of the row, it is logged what they were
undo()                 put back all that was logged behind LOG_BASE
keep(), drop()         begin behind the first half of a rendezvous; put it back, too
deliver(c, row)        count the row as a successor: write the words that were logged, as they are now
apply(record, row)     write the words of a record, which `deliver` has written, into a row
refresh(record, row)   let a record have these words as they are in a row

A record is a word, how many bytes follow, and for each word that changes where it is in the row, and what it becomes.
So a step costs what it changes, not a copy of the row.
"""

from __future__ import annotations

import re
from enum import auto

from everafter.engine.emit.control_block import MOST_MASKS, OVERFLOW, Offset, Word, mark, read, write
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.writer import Writer
from everafter.program.layout import WORD

RUN = "@run = internal global ptr null"
"""The block of the walk, for all functions."""
ENTRY = 2 * WORD
"""The bytes of one word in the log, or in a record."""


class WalkWord(Offset):
    """The words of the block of a walk, `%r`."""

    ROW = auto()
    """The row from which the next step is taken."""
    BEFORE = auto()
    """The row before the last step."""
    OUT = auto()
    """Where the records of the successors are written."""
    SPARE = auto()
    """The room that takes turns with it."""
    LAST = auto()
    """The record of the last step, in one of the two."""
    LOG = auto()
    """Where the log begins."""
    LOG_BASE = auto()
    """From here on it is of the step being built; before, of the first half of a rendezvous."""
    LOG_END = auto()
    STAMPS = auto()
    """A word for each of the row: the generation in which it was logged last."""
    GENERATION = auto()
    WORDS = auto()
    """The next random word, of 32 bits."""
    WORDS_END = auto()
    LEFT = auto()
    """How many steps are still to be taken."""
    LABEL = auto()
    """The label of the last step (`step_label.py`)."""
    TRACE = auto()
    """Where the next entry of the trace is written, or 0 if there is no trace (`walk_trace.py`)."""
    TRACE_LIMIT = auto()
    """Behind this address there is no room for another entry."""
    TABLE = auto()
    PARTS = auto()
    RENAMED = auto()
    """Whether the last step has changed what texts depend on beside its entry."""


def step_log(facts: Facts) -> list[str]:
    """The text of these functions, for `facts`."""
    return [RUN, _note(facts), _log(), _undo(), _keep(), _drop(), _deliver(facts), _apply(), _refresh()]


def _at(w: Writer, word: WalkWord) -> str:
    return w.at("%r", word)


def _run(w: Writer) -> None:
    w.do("%r = load ptr, ptr @run, !align !0")
    w.do(f"%row = load ptr, ptr {_at(w, WalkWord.ROW)}, !align !0")


def _note(facts: Facts) -> str:
    w = Writer("internal void @note(i64 %place, i64 %size) alwaysinline")
    _run(w)
    at = w.get(f"sub i64 %place, {w.get('ptrtoint ptr %row to i64')}")
    w.unless(w.compare("ult", at, facts.longest_row), "leave")
    w.do(f"call void @log(ptr %r, ptr %row, i64 {at}, i64 %size)")
    w.label("leave")
    w.end("ret void")
    return w.text()


def _log() -> str:
    w = Writer("internal void @log(ptr %r, ptr %row, i64 %at, i64 %size) noinline")
    first, end = w.get(f"and i64 %at, {-WORD}"), w.add("%at", "%size")
    generation, stamps = w.load(_at(w, WalkWord.GENERATION), 8), w.pointer(_at(w, WalkWord.STAMPS))
    before = w.block
    w.label("loop")
    w.do(f"%word = phi i64 [ {first}, %{before} ], [ %following, %next ]")
    w.unless(w.compare("ult", "%word", end), "leave")
    stamp = w.at(stamps, "%word")
    w.when(w.compare("eq", w.load(stamp, 8), generation), "next")
    w.store(stamp, generation, 8)
    entry = w.pointer(_at(w, WalkWord.LOG_END))
    w.store(entry, "%word", 8)
    w.store(w.at(entry, WORD), w.load(w.at("%row", "%word"), 8), 8)
    w.do(f"store ptr {w.at(entry, ENTRY)}, ptr {_at(w, WalkWord.LOG_END)}")
    w.label("next")
    w.do(f"%following = add i64 %word, {WORD}")
    w.jump("loop")
    w.label("leave")
    w.end("ret void")
    return w.text()


def _undo() -> str:
    w = Writer("internal void @undo() noinline")
    _run(w)
    base, end = w.pointer(_at(w, WalkWord.LOG_BASE)), w.pointer(_at(w, WalkWord.LOG_END))
    generation = _at(w, WalkWord.GENERATION)
    w.store(generation, w.add(w.load(generation, 8), 1), 8)
    before = w.block
    w.label("loop")
    w.do(f"%behind = phi ptr [ {end}, %{before} ], [ %entry_place, %word ]")
    w.branch(w.get(f"icmp ugt ptr %behind, {base}"), "word", "leave")
    w.label("word")
    w.do(f"%entry_place = getelementptr i8, ptr %behind, i64 {-ENTRY}")
    _put(w, "%entry_place")
    w.jump("loop")
    w.label("leave")
    w.do(f"store ptr {base}, ptr {_at(w, WalkWord.LOG_END)}")
    w.end("ret void")
    return w.text()


def _keep() -> str:
    w = Writer("internal void @keep()")
    _run(w)
    w.do(f"store ptr {w.pointer(_at(w, WalkWord.LOG_END))}, ptr {_at(w, WalkWord.LOG_BASE)}")
    generation = _at(w, WalkWord.GENERATION)
    w.store(generation, w.add(w.load(generation, 8), 1), 8)
    w.end("ret void")
    return w.text()


def _drop() -> str:
    w = Writer("internal void @drop()")
    _run(w)
    w.do(f"store ptr {w.pointer(_at(w, WalkWord.LOG))}, ptr {_at(w, WalkWord.LOG_BASE)}")
    w.do("call void @undo()")
    w.end("ret void")
    return w.text()


def _put(w: Writer, entry: str) -> None:
    """Write the word of an entry into `%row`."""
    w.store(w.at("%row", w.load(entry, 8)), w.load(w.at(entry, WORD), 8), 8)


def _deliver(facts: Facts) -> str:
    w = Writer("internal void @deliver(ptr %c, ptr %new)")
    _run(w)
    log, end = w.pointer(_at(w, WalkWord.LOG)), w.pointer(_at(w, WalkWord.LOG_END))
    first, last = (w.get(f"ptrtoint ptr {place} to i64") for place in (log, end))
    size = w.get(f"sub i64 {last}, {first}")
    record = w.pointer(w.at("%c", Word.OUT))
    entries = w.at(record, WORD)
    following = w.at(entries, size)
    w.when(w.get(f"icmp ugt ptr {following}, {w.pointer(w.at('%c', Word.OUT_LIMIT))}"), "full")
    count = read(w, Word.COUNT_OUT)
    w.when(w.compare("uge", count, MOST_MASKS), "full")
    w.store(record, size, 8)
    words = w.get(f"lshr i64 {size}, 4")

    def taken(number: str) -> None:
        place = w.times(number, ENTRY)
        word, entry = w.load(w.at(log, place), 8), w.at(entries, place)
        w.store(entry, word, 8)
        w.store(w.at(entry, WORD), w.load(w.at("%row", word), 8), 8)

    w.each(words, taken)
    w.do(f"store ptr {following}, ptr {w.at('%c', Word.OUT)}")
    place = w.get(f"getelementptr i64, ptr {w.at('%c', facts.rooms.masks)}, i64 {count}")
    w.store(place, read(w, Word.MOVERS), 8)
    write(w, Word.COUNT_OUT, w.add(count, 1))
    w.end("ret void")
    w.label("full")
    mark(w, Word.FLAGS, OVERFLOW)
    w.end("ret void")
    return w.text()


def _apply() -> str:
    w = Writer("internal void @apply(ptr %record, ptr %row)")
    entries = w.at("%record", WORD)
    w.each(_words(w), lambda number: _put(w, w.at(entries, w.times(number, ENTRY))))
    w.end("ret void")
    return w.text()


def _refresh() -> str:
    w = Writer("internal void @refresh(ptr %record, ptr %row)")
    entries = w.at("%record", WORD)

    def refreshed(number: str) -> None:
        entry = w.at(entries, w.times(number, ENTRY))
        w.store(w.at(entry, WORD), w.load(w.at("%row", w.load(entry, 8)), 8), 8)

    w.each(_words(w), refreshed)
    w.end("ret void")
    return w.text()


def _words(w: Writer) -> str:
    """How many words `%record` has."""
    return w.get(f"lshr i64 {w.load('%record', 8)}, 4")


# What is written to

_APART = r"  (%\S+) = (?:alloca |getelementptr i8, ptr %c, )"
_STORE = r"  store i(\d+) \S+, ptr (\S+), align \d"
_MEMORY = r"  call void @llvm\.mem\w+\.p0(?:\.p0)?\.i64\(ptr (\S+), (?:i8 0|ptr \S+), i64 (\S+), i1 false\)"
_OTHER = ("  store ptr ", "  store <4 x i64> ")
"""Addresses in the control block; and copies of rows, of which a walk makes none."""


def noted(text: str) -> str:
    """Return the functions `text` with a note before all that they write, unless it is certainly in no row.

    Raises ValueError for what writes in an unknown way.
    """
    lines: list[str] = []
    apart: set[str] = {"%c"}
    for line in text.split("\n"):
        if line.startswith("define "):
            apart = {"%c"}
        elif (named := re.match(_APART, line)) is not None:
            apart.add(named[1])
        elif (written := _written(line)) is not None and written[0] not in apart:
            place, size = written
            address = f"%noted{len(lines)}"
            lines += [f"  {address} = ptrtoint ptr {place} to i64", f"  call void @note(i64 {address}, i64 {size})"]
        lines.append(line)
    return "\n".join(lines)


def _written(line: str) -> tuple[str, str] | None:
    """The address to which an instruction writes, and how many bytes; None if it writes nothing."""
    if (stored := re.fullmatch(_STORE, line)) is not None:
        return stored[2], str(int(stored[1]) // 8)
    if (moved := re.fullmatch(_MEMORY, line)) is not None:
        return moved[1], moved[2]
    if line.startswith(("  store ", "  call void @llvm.mem")) and not line.startswith(_OTHER):
        raise ValueError(f"an instruction that is not noted: {line.strip()}")
    return None
