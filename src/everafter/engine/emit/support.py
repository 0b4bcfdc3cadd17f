"""The functions that the code of every model shares, and those that differ only in a table.

copy(to, from)             copy a row; up to 24 bytes behind it are overwritten
emit(c, row)               the row just written is a successor
hold(c, row)               the row just written is in the middle of an atomic sequence: it will be expanded too
locate(row, pid)           the offset of a process, or of the end of the row for the first number not in use
find(row, proctype)        the number of the oldest process of a type, -1 without one
channels(row)              how many channels there are
channel(row, n)            the type of a channel in the upper, its offset in the lower half; -1 if it is dead
append(c, row, size)       room for one more process, zero; null if there is none
step(c, row, at, pid, timeout), meet(c, row, sender), may_move(c, row, pid, timeout), scheduled(…), provided(…)
                           dispatch on the types of processes
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from everafter.engine.emit import facts as control
from everafter.engine.emit.facts import MOST_PROCESSES, Facts
from everafter.engine.emit.writer import Writer
from everafter.program.layout import COUNT, HOLDER, LENGTH, WORD
from everafter.program.program import ProcessType
from everafter.search.space import KNOWN

DECLARATIONS = """
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
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %more ]
  %a = getelementptr i8, ptr %left, i64 %i
  %b = getelementptr i8, ptr %right, i64 %i
  %x = load i64, ptr %a
  %y = load i64, ptr %b
  %equal = icmp eq i64 %x, %y
  br i1 %equal, label %more, label %no
more:
  %next = add i64 %i, 8
  %last = icmp uge i64 %next, %end
  br i1 %last, label %yes, label %loop
yes:
  ret i1 true
no:
  ret i1 false
}}
"""


def support(facts: Facts) -> list[str]:
    """The text of every function above but those that dispatch."""
    return [
        DECLARATIONS,
        *_tables(facts),
        _COPY,
        _function("internal void @emit(ptr %c, ptr %new)", _emit),
        _function("internal void @hold(ptr %c, ptr %new)", _hold),
        _function("internal void @deliver(ptr %c, ptr %new)", lambda w: _deliver(w, facts)),
        _function("internal i64 @locate(ptr %row, i64 %pid)", lambda w: _locate(w, facts)),
        _function("internal i64 @find(ptr %row, i64 %type)", lambda w: _find(w, facts)),
        _function("internal i64 @channels(ptr %row)", lambda w: _channels(w, facts)),
        _function("internal i64 @channel(ptr %row, i64 %n)", lambda w: _channel(w, facts)),
        _function("internal ptr @append(ptr %c, ptr %row, i64 %size)", _append),
        _function("internal i64 @youngest(ptr %row)", _youngest),
        _function("internal i1 @without_progress(ptr %row)", lambda w: _nowhere(w, facts, "progress")),
        _function("internal i1 @without_accept(ptr %row)", lambda w: _nowhere(w, facts, "accept")),
        _function("internal i1 @valid_end(ptr %row)", lambda w: _valid_end(w, facts)),
    ]


def _function(head: str, body: Callable[[Writer], None]) -> str:
    w = Writer(head)
    body(w)
    return w.text()


def _tables(facts: Facts) -> list[str]:
    layout = facts.layout
    types = layout.processes
    tables = [
        table("sizes", [item.size for item in types]),
        table("created", [len(item.channels) for item in types]),
        table("capacities", [kind.capacity for kind in facts.program.channels]),
        table("channel_types", [kind for kind, _ in layout.global_channels]),
        table("channel_offsets", [offset for _, offset in layout.global_channels]),
        table("own_starts", _running_sum(len(item.channels) for item in types)),
        table("own_types", [kind for item in types for kind, _ in item.channels]),
        table("own_offsets", [offset for item in types for _, offset in item.channels]),
    ]
    nodes = 1 + max((number for kind in facts.program.processes for number in kind.graph.nodes), default=0)
    for mark in ("end", "accept", "progress"):
        marks = [_is_marked(kind, number, mark) for kind in facts.program.processes for number in range(nodes)]
        tables.append(table(f"{mark}_marks", marks))
    return tables


def _is_marked(kind: ProcessType, number: int, mark: str) -> int:
    node = kind.graph.nodes.get(number)
    if node is None:
        return 0
    return int({"end": node.is_end, "accept": node.is_accepting, "progress": node.is_progress}[mark])


def _running_sum(numbers: Iterable[int]) -> list[int]:
    total, sums = 0, []
    for number in numbers:
        sums.append(total)
        total += number
    return sums


def table(name: str, numbers: list[int]) -> str:
    """A constant table of numbers."""
    listed = ", ".join(f"i64 {number}" for number in numbers or [0])
    return f"@{name} = internal constant [{len(numbers or [0])} x i64] [ {listed} ]"


def entry(w: Writer, name: str, index: str) -> str:
    """An entry of a table."""
    return w.get(f"load i64, ptr {w.get(f'getelementptr i64, ptr @{name}, i64 {index}')}")


# Successors


def _emit(w: Writer) -> None:
    _count_step(w)
    w.do("call void @deliver(ptr %c, ptr %new)")
    w.end("ret void")


def _count_step(w: Writer) -> None:
    """Count an outcome, note its problem, and leave if that was all that is asked."""
    steps, flags = w.at("%c", control.STEPS), w.at("%c", control.FLAGS)
    w.store(steps, w.add(w.load(steps, 8), 1), 8)
    following, leave = w.fresh("go"), w.fresh("leave")
    w.branch(w.compare("eq", w.load(w.at("%c", control.PROBING), 8), 0), following, leave)
    w.label(leave)
    w.end("ret void")
    w.label(following)
    w.store(flags, w.get(f"or i64 {w.load(flags, 8)}, {w.load(w.at('%c', control.PROBLEM), 8)}"), 8)


def _deliver(w: Writer, facts: Facts) -> None:
    """Count the row as a successor and go on behind it."""
    w.store("%new", KNOWN, 1)
    out = w.at("%new", w.get("call i64 @bytes(ptr %new)"))
    limit = w.pointer(w.at("%c", control.OUT_LIMIT))
    w.when(w.get(f"icmp ugt ptr {out}, {limit}"), "full")
    w.do(f"store ptr {out}, ptr {w.at('%c', control.OUT)}")
    counter = w.at("%c", control.COUNT_OUT)
    count = w.load(counter, 8)
    if facts.fair:
        w.when(w.compare("uge", count, control.MOST_MASKS), "full")
        place = w.get(f"getelementptr i64, ptr {w.at('%c', facts.masks)}, i64 {count}")
        w.store(place, w.load(w.at("%c", control.MOVERS), 8), 8)
    w.store(counter, w.add(count, 1), 8)
    w.end("ret void")
    w.label("full")
    flags = w.at("%c", control.FLAGS)
    w.store(flags, w.get(f"or i64 {w.load(flags, 8)}, {control.OVERFLOW}"), 8)
    w.end("ret void")


_UNCOMPARED = 16
"""A short atomic sequence is followed without looking whether it meets itself, which costs more than it saves."""


def _hold(w: Writer) -> None:
    _count_step(w)
    w.store("%new", 0, 1)
    w.do(f"%end = getelementptr i8, ptr %new, i64 -{WORD}")
    limit = w.pointer(w.at("%c", control.CHAIN_LIMIT))
    w.when(w.get(f"icmp ugt ptr %end, {limit}"), "full")
    movers = w.load(w.at("%c", control.MOVERS), 8)
    count = w.load(w.at("%c", control.CHAIN_COUNT), 8)
    w.when(w.compare("ult", count, _UNCOMPARED), "keep")
    w.do(f"%first = load ptr, ptr {w.at('%c', control.CHAIN_BEGIN)}")
    before = w.block
    w.label("look")
    w.do(f"%other = phi ptr [ %first, %{before} ], [ %following, %more ]")
    w.branch(w.get("icmp uge ptr %other, %end"), "keep", "test")
    w.label("test")
    alike = w.compare("eq", w.load("%other", 8), movers)
    w.do(f"%other_row = getelementptr i8, ptr %other, i64 {WORD}")
    w.branch(w.both(alike, w.get("call i1 @same(ptr %other_row, ptr %new)")), "leave", "more")
    w.label("more")
    w.do("%step = call i64 @bytes(ptr %other_row)")
    w.do("%following = getelementptr i8, ptr %other_row, i64 %step")
    w.jump("look")
    w.label("keep")
    w.store("%end", movers, 8)
    behind = w.at("%new", w.get("call i64 @bytes(ptr %new)"))
    w.do(f"store ptr {behind}, ptr {w.at('%c', control.CHAIN_END)}")
    w.store(w.at("%c", control.CHAIN_COUNT), w.add(count, 1), 8)
    w.jump("leave")
    w.label("leave")
    w.end("ret void")
    w.label("full")
    _deliver_holding(w)


_SAVED = (
    control.OUT,
    control.COUNT_OUT,
    control.STEPS,
    control.FLAGS,
    control.HANDSHAKE,
    control.PROBLEM,
    control.MOVERS,
    control.SENDER,
    control.ABLE,
)


def _deliver_holding(w: Writer) -> None:
    """The sequence is too long to be followed here: its row becomes a successor, if its process can go on."""
    saved = [(w.at("%c", field), w.load(w.at("%c", field), 8)) for field in _SAVED]
    w.do(f"%row = load ptr, ptr {w.at('%c', control.OUT)}")
    w.do("call void @copy(ptr %row, ptr %new)")
    w.do(f"store ptr {w.at('%row', w.get('call i64 @bytes(ptr %row)'))}, ptr {w.at('%c', control.OUT)}")
    w.store(w.at("%c", control.STEPS), 0, 8)
    w.store(w.at("%c", control.HANDSHAKE), 0, 8)
    w.store(w.at("%c", control.PROBING), 1, 8)
    step_holder(w, "%row")
    steps = w.load(w.at("%c", control.STEPS), 8)
    for place, value in saved:
        w.store(place, value, 8)
    w.store(w.at("%c", control.PROBING), 0, 8)
    lost, deliver = w.fresh("lost"), w.fresh("deliver")
    w.branch(w.compare("eq", steps, 0), lost, deliver)
    w.label(lost)
    w.store(w.at("%row", HOLDER), 0, 1)
    w.label(deliver)
    w.do("call void @deliver(ptr %c, ptr %row)")
    w.end("ret void")


def step_holder(w: Writer, row: str) -> None:
    """Let the process move that is in the middle of an atomic sequence."""
    pid = w.add(w.load(w.at(row, HOLDER), 1), -1)
    at = w.get(f"call i64 @locate(ptr {row}, i64 {pid})")
    w.do(f"call void @step(ptr %c, ptr {row}, i64 {at}, i64 {pid}, i64 0)")


# Walking over the processes


def each_process(w: Writer, facts: Facts, count: str, body: Callable[[str, str, str], None]) -> str:
    """A loop over the processes with numbers below `count`: `body(number, offset, type)`. The end's offset."""
    loop, inside, following, done = w.fresh("loop"), w.fresh("inside"), w.fresh("following"), w.fresh("done")
    before = w.block
    w.label(loop)
    next_number, next_offset = f"%{w.fresh()}", f"%{w.fresh()}"
    number = w.phi("i64", ("0", before), (next_number, following))
    offset = w.phi("i64", (str(facts.layout.first_process), before), (next_offset, following))
    w.branch(w.compare("ult", number, count), inside, done)
    w.label(inside)
    kind = w.load(w.at("%row", offset), 1)
    body(number, offset, kind)
    w.label(following)
    w.do(f"{next_number} = add i64 {number}, 1")
    w.do(f"{next_offset} = add i64 {offset}, {entry(w, 'sizes', kind)}")
    w.jump(loop)
    w.label(done)
    return offset


def _locate(w: Writer, facts: Facts) -> None:
    w.end(f"ret i64 {each_process(w, facts, '%pid', lambda *_: None)}")


def alive(w: Writer) -> str:
    """How many processes there are."""
    return w.load(w.at("%row", COUNT), 1)


def _find(w: Writer, facts: Facts) -> None:
    def look(number: str, _offset: str, kind: str) -> None:
        found, other = w.fresh("found"), w.fresh("other")
        w.branch(w.compare("eq", kind, "%type"), found, other)
        w.label(found)
        w.end(f"ret i64 {number}")
        w.label(other)

    each_process(w, facts, alive(w), look)
    w.end("ret i64 -1")


def _channels(w: Writer, facts: Facts) -> None:
    w.do("%total = alloca i64")
    w.store("%total", len(facts.layout.global_channels), 8)

    def count(_number: str, _offset: str, kind: str) -> None:
        w.store("%total", w.add(w.load("%total", 8), entry(w, "created", kind)), 8)

    each_process(w, facts, alive(w), count)
    w.end(f"ret i64 {w.load('%total', 8)}")


def _channel(w: Writer, facts: Facts) -> None:
    known = len(facts.layout.global_channels)
    w.when(w.compare("ugt", "%n", known), "local")
    index = w.add("%n", -1)
    _return_channel(w, entry(w, "channel_types", index), entry(w, "channel_offsets", index))
    w.label("local")
    if not any(item.channels for item in facts.layout.processes):
        w.end("ret i64 -1")
        return
    w.do("%left = alloca i64")
    w.store("%left", w.add("%n", -1 - known), 8)

    def look(_number: str, offset: str, kind: str) -> None:
        left, created = w.load("%left", 8), entry(w, "created", kind)
        here, other = w.fresh("here"), w.fresh("other")
        w.branch(w.compare("ult", left, created), here, other)
        w.label(here)
        index = w.add(entry(w, "own_starts", kind), left)
        _return_channel(w, entry(w, "own_types", index), w.add(offset, entry(w, "own_offsets", index)))
        w.label(other)
        w.store("%left", w.get(f"sub i64 {left}, {created}"), 8)

    each_process(w, facts, alive(w), look)
    w.end("ret i64 -1")


def _return_channel(w: Writer, kind: str, offset: str) -> None:
    upper = w.get(f"shl i64 {kind}, 32")
    w.end(f"ret i64 {w.get(f'or i64 {upper}, {offset}')}")


def _append(w: Writer) -> None:
    count = alive(w)
    w.when(w.compare("uge", count, MOST_PROCESSES), "full")
    end = w.get(f"call i64 @locate(ptr %row, i64 {count})")
    words = w.get(f"lshr i64 {w.add(w.add(end, '%size'), 7)}, 3")
    w.when(w.compare("ugt", words, 0xFFFF), "large")
    place = w.at("%row", end)
    w.do(f"call void @llvm.memset.p0.i64(ptr {place}, i8 0, i64 {w.add('%size', 8)}, i1 false)")
    w.store(w.at("%row", COUNT), w.add(count, 1), 1)
    w.store(w.at("%row", LENGTH), words, 2)
    w.end(f"ret ptr {place}")
    w.label("large")
    flags = w.at("%c", control.FLAGS)
    w.store(flags, w.get(f"or i64 {w.load(flags, 8)}, {control.OVERFLOW}"), 8)
    w.jump("full")
    w.label("full")
    w.end("ret ptr null")


def _youngest(w: Writer) -> None:
    w.end(f"ret i64 {w.add(alive(w), -1)}")


def _marked(w: Writer, facts: Facts, mark: str, offset: str, kind: str) -> str:
    """Whether the place of control of a process has a mark."""
    nodes = 1 + max((number for item in facts.program.processes for number in item.graph.nodes), default=0)
    node = w.load(w.at(w.at("%row", offset), facts.layout.node), facts.layout.node_bytes)
    return w.compare("ne", entry(w, f"{mark}_marks", w.add(w.times(kind, nodes), node)), 0)


def _nowhere(w: Writer, facts: Facts, mark: str) -> None:
    def look(_number: str, offset: str, kind: str) -> None:
        w.when(_marked(w, facts, mark, offset, kind), "marked")

    each_process(w, facts, alive(w), look)
    w.end("ret i1 true")
    w.label("marked")
    w.end("ret i1 false")


def _valid_end(w: Writer, facts: Facts) -> None:
    trace, event = facts.program.trace, facts.layout.event
    w.when(w.compare("eq", alive(w), 0), "valid")
    if trace is not None and event is not None:
        ends = [node.number for node in trace.graph.nodes.values() if node.is_end]
        w.switch(w.load(w.at("%row", event), 2), "wrong", [(number, "complete") for number in ends])
        w.label("complete")

    def look(_number: str, offset: str, kind: str) -> None:
        w.unless(_marked(w, facts, "end", offset, kind), "wrong")

    each_process(w, facts, alive(w), look)
    w.jump("valid")
    w.label("valid")
    w.end("ret i1 true")
    w.label("wrong")
    w.end("ret i1 false")
