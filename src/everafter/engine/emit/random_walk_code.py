"""A random walk as code: one step after the other, chosen by random words that the caller draws.

walk(r, c)   go on until no step is LEFT to be taken, or something is the caller's to decide; returns a Stop

`%r` is a block of words, see WalkWord. Every step is taken in the row itself, and taken back, in the order of the
reference (`step_log.py`); then one is taken again. The row BEFORE is always one step behind. Each step may be traced
(`walk_trace.py`).
"""

from __future__ import annotations

from enum import IntEnum

from everafter.engine.emit.control_block import Word, read, write
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.row_code import step_holder
from everafter.engine.emit.step_log import WalkWord
from everafter.engine.emit.writer import Writer
from everafter.program.layout import HOLDER, WORD


class Stop(IntEnum):
    """Why a walk stops."""

    DONE = 0
    """No step is left to be taken."""
    DRY = 1
    """There are no random words any more."""
    PRINTED = 2
    """The last step has executed a printf."""
    UNDECIDED = 3
    """In this row no step is possible, or one goes wrong, or there is no room: the reference says what is the case."""
    FULL = 4
    """There is no room for the trace of another step."""
    RENAMED = 5
    """The last step has changed what the texts of others depend on, beside their entries."""


DECLARATION = "declare i64 @llvm.ctlz.i64(i64, i1)"


def walk(facts: Facts) -> str:
    """Return the text of the function, for `facts`."""
    w = Writer("i64 @walk(ptr %r, ptr %c)")
    w.do("store ptr %r, ptr @run")
    w.label("step")
    left = _word(w, WalkWord.LEFT)
    _stop_if(w, w.compare("eq", left, 0), Stop.DONE)
    _stop_if(w, w.compare("ugt", _word(w, WalkWord.TRACE), _word(w, WalkWord.TRACE_LIMIT)), Stop.FULL)
    row, out, spare = (w.pointer(w.at("%r", word)) for word in (WalkWord.ROW, WalkWord.OUT, WalkWord.SPARE))
    stopped = w.get(f"call i64 @successors(ptr %c, ptr {row}, ptr {out})")
    wrong = w.get(f"or i64 {stopped}, {read(w, Word.FLAGS)}")
    count = read(w, Word.COUNT_OUT)
    _stop_if(w, w.either(w.compare("ne", wrong, 0), w.compare("eq", count, 0)), Stop.UNDECIDED)
    chosen = _below(w, count)
    record = _record(w, out, chosen)
    before, last = (w.pointer(w.at("%r", word)) for word in (WalkWord.BEFORE, WalkWord.LAST))
    w.do(f"call void @apply(ptr {last}, ptr {before})")
    w.do(f"call void @apply(ptr {record}, ptr {row})")
    if facts.goes_on:
        _let_go(w, row, record)
    place = w.get(f"getelementptr i64, ptr {w.at('%c', facts.rooms.masks)}, i64 {chosen}")
    label = w.load(place, 8)
    for word, address in ((WalkWord.LAST, record), (WalkWord.OUT, spare), (WalkWord.SPARE, out)):
        w.do(f"store ptr {address}, ptr {w.at('%r', word)}")
    w.store(w.at("%r", WalkWord.LABEL), label, 8)
    w.store(w.at("%r", WalkWord.LEFT), w.add(left, -1), 8)
    w.unless(w.compare("eq", _word(w, WalkWord.TRACE), 0), "traced")
    _stop_if(w, w.compare("slt", label, 0), Stop.PRINTED)
    w.jump("step")
    w.label("traced")
    w.do(f"call void @trace(ptr {record}, ptr {before}, ptr {row}, i64 {label})")
    _stop_if(w, w.compare("slt", label, 0), Stop.PRINTED)
    _stop_if(w, w.compare("ne", _word(w, WalkWord.RENAMED), 0), Stop.RENAMED)
    w.jump("step")
    return w.text()


def _let_go(w: Writer, row: str, record: str) -> None:
    """A process in the middle of an atomic sequence that cannot go on loses its atomicity, in `row` and `record`."""
    w.when(w.compare("eq", w.load(w.at(row, HOLDER), 1), 0), "free")
    write(w, Word.PROBING, 1)
    write(w, Word.STEPS, 0)
    step_holder(w, row)
    write(w, Word.PROBING, 0)
    w.unless(w.compare("eq", read(w, Word.STEPS), 0), "free")
    w.store(w.at(row, HOLDER), 0, 1)
    w.do(f"call void @refresh(ptr {record}, ptr {row})")
    w.label("free")


def _word(w: Writer, word: WalkWord) -> str:
    return w.load(w.at("%r", word), 8)


def _stop_if(w: Writer, condition: str, stop: Stop) -> None:
    leave, following = w.fresh("stop"), w.fresh("go")
    w.branch(condition, leave, following)
    w.label(leave)
    w.end(f"ret i64 {stop.value}")
    w.label(following)


def _below(w: Writer, count: str) -> str:
    """A random number less than `count`: as many bits of a word as `count` has, drawn until the number is less.

    `execution/random_words.py` draws alike.
    """
    unused = w.add(w.get(f"call i64 @llvm.ctlz.i64(i64 {count}, i1 true)"), -32)
    draw, drawn = w.fresh("draw"), w.fresh("drawn")
    w.label(draw)
    words = w.load(w.at("%r", WalkWord.WORDS), 8)
    _stop_if(w, w.compare("uge", words, _word(w, WalkWord.WORDS_END)), Stop.DRY)
    number = w.get(f"lshr i64 {w.load(w.get(f'inttoptr i64 {words} to ptr'), 4)}, {unused}")
    w.store(w.at("%r", WalkWord.WORDS), w.add(words, 4), 8)
    w.branch(w.compare("ult", number, count), drawn, draw)
    w.label(drawn)
    return number


def _record(w: Writer, first: str, number: str) -> str:
    """The record with a number among those from `first` on."""
    loop, onward, found, before = w.fresh("loop"), w.fresh("onward"), w.fresh("found"), w.block
    following, fewer = f"%{w.fresh()}", f"%{w.fresh()}"
    w.label(loop)
    record = w.phi("ptr", (first, before), (following, onward))
    ahead = w.phi("i64", (number, before), (fewer, onward))
    w.branch(w.compare("eq", ahead, 0), found, onward)
    w.label(onward)
    size = w.add(w.load(record, 8), WORD)
    w.do(f"{following} = getelementptr i8, ptr {record}, i64 {size}")
    w.do(f"{fewer} = add i64 {ahead}, -1")
    w.jump(loop)
    w.label(found)
    return record
