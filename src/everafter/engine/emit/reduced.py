"""The successors of a row in a reduced search: the steps of one process if they suffice, else of all.

Every process's steps are written, youngest first, and it is noted where; when those of one suffice, the others are
dropped. `product/reduced.py` is the same for the reference.
"""

from __future__ import annotations

from everafter.engine.emit import facts as control
from everafter.engine.emit.facts import RECORD_BYTES, Facts
from everafter.engine.emit.support import alive, each_process
from everafter.engine.emit.writer import Writer

AT, POSITIONS, ANSWERS, STEPS, FLAGS, BEGIN, END, COUNT, CHAIN_BEGIN, CHAIN_END = range(0, 80, 8)
"""What is noted of each process."""


def reduced(w: Writer, facts: Facts) -> None:
    """Go to the label `moved` when the steps of one process suffice, or all have been written; else go on."""
    count = alive(w)
    for name in ("all_flags", "all_steps", "able", "movers"):
        w.do(f"%{name} = alloca i64")
        w.store(f"%{name}", 0, 8)
    w.do(f"%records = getelementptr i8, ptr %c, i64 {facts.records}")

    def note(number: str, offset: str, _kind: str) -> None:
        w.store(_record(w, number), offset, 8)

    each_process(w, facts, count, note)
    _each_alone(w, count)
    w.when(w.compare("eq", w.load("%all_steps", 8), 0), "nobody")
    _each_with_inert(w, count)
    w.store(w.at("%c", control.FLAGS), w.load("%all_flags", 8), 8)
    w.store(w.at("%c", control.STEPS), w.load("%all_steps", 8), 8)
    w.do(f"store ptr %chain, ptr {w.at('%c', control.CHAIN_BEGIN)}")
    w.jump("moved")
    w.label("nobody")


def _record(w: Writer, number: str) -> str:
    return w.at("%records", w.times(number, RECORD_BYTES))


def _youngest_first(w: Writer, count: str, name: str) -> tuple[str, str]:
    """Begin a loop over the processes, youngest first; the number, and the label at which the next one's turn is."""
    turn, following, done = f"{name}_turn", f"{name}_next", f"{name}_done"
    before = w.block
    w.label(f"{name}_loop")
    w.do(f"%{name}_above = phi i64 [ {count}, %{before} ], [ %{name}_number, %{following} ]")
    w.branch(w.compare("eq", f"%{name}_above", 0), done, turn)
    w.label(turn)
    w.do(f"%{name}_number = add i64 %{name}_above, -1")
    return f"%{name}_number", following


def _end_loop(w: Writer, name: str) -> None:
    w.label(f"{name}_next")
    w.jump(f"{name}_loop")
    w.label(f"{name}_done")


def _each_alone(w: Writer, count: str) -> None:
    """Let every process move; the first whose steps suffice ends it."""
    number, following = _youngest_first(w, count, "alone")
    record = _record(w, number)
    for field in (control.FLAGS, control.STEPS, control.POSITIONS, control.ANSWERS):
        w.store(w.at("%c", field), 0, 8)
    for field, kept in ((control.OUT, BEGIN), (control.CHAIN_END, CHAIN_BEGIN), (control.COUNT_OUT, COUNT)):
        w.store(w.at(record, kept), w.load(w.at("%c", field), 8), 8)
    w.store(w.at("%c", control.CHAIN_BEGIN), w.load(w.at(record, CHAIN_BEGIN), 8), 8)
    at = w.load(record, 8)
    w.do(f"call void @step(ptr %c, ptr %row, i64 {at}, i64 {number}, i64 0)")
    for field, kept in (
        (control.POSITIONS, POSITIONS),
        (control.ANSWERS, ANSWERS),
        (control.STEPS, STEPS),
        (control.FLAGS, FLAGS),
        (control.OUT, END),
        (control.CHAIN_END, CHAIN_END),
    ):
        w.store(w.at(record, kept), w.load(w.at("%c", field), 8), 8)
    before = w.load(w.at(record, COUNT), 8)
    written = w.get(f"sub i64 {w.load(w.at('%c', control.COUNT_OUT), 8)}, {before}")
    w.store(w.at(record, COUNT), written, 8)
    steps = w.load(w.at(record, STEPS), 8)
    w.when(w.compare("eq", steps, 0), following)
    w.store("%all_steps", w.add(w.load("%all_steps", 8), steps), 8)
    w.store("%movers", w.add(w.load("%movers", 8), 1), 8)
    flags = w.load(w.at(record, FLAGS), 8)
    w.store("%all_flags", w.get(f"or i64 {w.load('%all_flags', 8)}, {flags}"), 8)
    bit = w.get(f"shl i64 1, {w.get(f'and i64 {number}, 63')}")
    w.store("%able", w.get(f"or i64 {w.load('%able', 8)}, {bit}"), 8)
    _take_if_sufficing(w, record, number, "0", following)
    _end_loop(w, "alone")


def _each_with_inert(w: Writer, count: str) -> None:
    """Ask again, leaving out processes that cannot move before the one asked does."""
    w.when(w.compare("ule", w.load("%movers", 8), 1), "asked")
    w.when(w.compare("eq", w.load("%movers", 8), count), "asked")
    w.when(w.compare("ugt", count, 64), "asked")
    unused = w.get(f"shl i64 -2, {w.add(count, -1)}")
    moving = w.get(f"or i64 {w.load('%able', 8)}, {unused}")
    blocked = w.get(f"xor i64 {moving}, -1")
    number, following = _youngest_first(w, count, "again")
    record = _record(w, number)
    w.when(w.compare("eq", w.load(w.at(record, STEPS), 8), 0), following)
    at = w.load(record, 8)
    inert = w.get(f"call i64 @inert(ptr %c, ptr %row, i64 {at}, i64 {number}, i64 {blocked})")
    w.when(w.compare("eq", inert, 0), following)
    _take_if_sufficing(w, record, number, inert, following)
    _end_loop(w, "again")
    w.label("asked")


def _take_if_sufficing(w: Writer, record: str, number: str, inert: str, following: str) -> None:
    """Drop all other successors if those of this process suffice."""
    w.unless(w.compare("eq", w.load(w.at(record, ANSWERS), 8), 0), following)
    positions = w.load(w.at(record, POSITIONS), 8)
    who = f"ptr %c, ptr %row, i64 {w.load(record, 8)}, i64 {number}, i64 {positions}, i64 {inert}"
    w.unless(w.get(f"call i1 @suffices({who})"), following)
    begin, end = w.load(w.at(record, BEGIN), 8), w.load(w.at(record, END), 8)
    size = w.get(f"sub i64 {end}, {begin}")
    source = w.get(f"inttoptr i64 {begin} to ptr")
    w.do(f"call void @llvm.memmove.p0.p0.i64(ptr %out, ptr {source}, i64 {size}, i1 false)")
    w.do(f"store ptr {w.at('%out', size)}, ptr {w.at('%c', control.OUT)}")
    for kept, field in (
        (COUNT, control.COUNT_OUT),
        (FLAGS, control.FLAGS),
        (STEPS, control.STEPS),
        (CHAIN_BEGIN, control.CHAIN_BEGIN),
        (CHAIN_END, control.CHAIN_END),
    ):
        w.store(w.at("%c", field), w.load(w.at(record, kept), 8), 8)
    w.jump("moved")
