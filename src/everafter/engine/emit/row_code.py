"""Rows that are written: copied, compared, counted as successors.

copy(to, from)       copy a row; up to 24 bytes behind it are overwritten
bytes(row)           its size
same(row, row)       whether two rows are equal
emit(c, row)         the row just written is a successor
deliver(c, row)      count the row as a successor, and go on behind it
"""

from __future__ import annotations

from collections.abc import Callable

from everafter.engine.emit.control_block import MOST_MASKS, OVERFLOW, Word, increase, mark, read
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.writer import EIGHT, Writer
from everafter.program.layout import HOLDER, LENGTH
from everafter.search.space import KNOWN

DECLARATIONS = f"""
{EIGHT} = !{{i64 8}}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""

_COPY = f"""
define internal void @copy(ptr noalias %to, ptr noalias %from) noinline {{
entry:
  %place = getelementptr i8, ptr %from, i64 {LENGTH}
  %words = load i16, ptr %place
  %wide = zext i16 %words to i64
  %end = shl i64 %wide, 3
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %source = getelementptr i8, ptr %from, i64 %i
  %target = getelementptr i8, ptr %to, i64 %i
  %data = load <4 x i64>, ptr %source, align 8
  store <4 x i64> %data, ptr %target, align 8
  %next = add i64 %i, 32
  %more = icmp ult i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}}

define internal i64 @bytes(ptr %row) alwaysinline {{
  %place = getelementptr i8, ptr %row, i64 {LENGTH}
  %words = load i16, ptr %place
  %wide = zext i16 %words to i64
  %size = shl i64 %wide, 3
  ret i64 %size
}}

define internal i1 @same(ptr %left, ptr %right) {{
entry:
  %end = call i64 @bytes(ptr %left)
  br label %lines
lines:
  %i = phi i64 [ 0, %entry ], [ %next, %more ]
  %next = add i64 %i, 32
  %fits = icmp ule i64 %next, %end
  br i1 %fits, label %line, label %words
line:
  %a = getelementptr i8, ptr %left, i64 %i
  %b = getelementptr i8, ptr %right, i64 %i
  %x = load <4 x i64>, ptr %a, align 8
  %y = load <4 x i64>, ptr %b, align 8
  %unequal = icmp ne <4 x i64> %x, %y
  %any = bitcast <4 x i1> %unequal to i4
  %equal = icmp eq i4 %any, 0
  br i1 %equal, label %more, label %no
more:
  br label %lines
words:
  %j = phi i64 [ %i, %lines ], [ %following, %word ]
  %last = icmp uge i64 %j, %end
  br i1 %last, label %yes, label %word
word:
  %c = getelementptr i8, ptr %left, i64 %j
  %d = getelementptr i8, ptr %right, i64 %j
  %v = load i64, ptr %c
  %w = load i64, ptr %d
  %following = add i64 %j, 8
  %alike = icmp eq i64 %v, %w
  br i1 %alike, label %words, label %no
yes:
  ret i1 true
no:
  ret i1 false
}}
"""


def rows(facts: Facts) -> list[str]:
    """The text of these functions."""
    return [_COPY, _emit(), _deliver(facts)]


def _emit() -> str:
    w = Writer("internal void @emit(ptr %c, ptr %new)")
    count_step(w)
    w.do("call void @deliver(ptr %c, ptr %new)")
    w.end("ret void")
    return w.text()


def count_step(w: Writer) -> None:
    """Count an outcome, note its problem, and leave if only the existence of one is wanted."""
    increase(w, Word.STEPS)
    following, leave = w.fresh("go"), w.fresh("leave")
    w.branch(w.compare("eq", read(w, Word.PROBING), 0), following, leave)
    w.label(leave)
    w.end("ret void")
    w.label(following)
    mark(w, Word.FLAGS, read(w, Word.PROBLEM))


def _deliver(facts: Facts) -> str:
    w = Writer("internal void @deliver(ptr %c, ptr %new)")
    w.store("%new", KNOWN, 1)
    out = w.at("%new", w.get("call i64 @bytes(ptr %new)"))
    limit = w.pointer(w.at("%c", Word.OUT_LIMIT))
    w.when(w.get(f"icmp ugt ptr {out}, {limit}"), "full")
    w.do(f"store ptr {out}, ptr {w.at('%c', Word.OUT)}")
    counter = w.at("%c", Word.COUNT_OUT)
    count = w.load(counter, 8)
    if facts.notes_steps:
        w.when(w.compare("uge", count, MOST_MASKS), "full")
        place = w.get(f"getelementptr i64, ptr {w.at('%c', facts.rooms.masks)}, i64 {count}")
        w.store(place, read(w, Word.MOVERS), 8)
    w.store(counter, w.add(count, 1), 8)
    w.end("ret void")
    w.label("full")
    mark(w, Word.FLAGS, OVERFLOW)
    w.end("ret void")
    return w.text()


def each_row(w: Writer, begin: str, end: str, body: Callable[[str], None]) -> None:
    """Emit, by `w`, a loop of `body` over the rows from the address `begin` to `end`."""
    loop, inside, done, before = w.fresh("loop"), w.fresh("inside"), w.fresh("done"), w.block
    w.label(loop)
    following, last = f"%{w.fresh()}", w.fresh("last")
    row = w.phi("ptr", (begin, before), (following, last))
    w.branch(w.get(f"icmp uge ptr {row}, {end}"), done, inside)
    w.label(inside)
    body(row)
    w.label(last)
    size = w.get(f"call i64 @bytes(ptr {row})")
    w.do(f"{following} = getelementptr i8, ptr {row}, i64 {size}")
    w.jump(loop)
    w.label(done)


def step_holder(w: Writer, row: str) -> None:
    """Let, in `row`, the process move that is in the middle of an atomic sequence, by code of `w`."""
    pid = w.add(w.load(w.at(row, HOLDER), 1), -1)
    at = w.get(f"call i64 @locate(ptr {row}, i64 {pid})")
    w.do(f"call void @step(ptr %c, ptr {row}, i64 {at}, i64 {pid}, i64 0)")
