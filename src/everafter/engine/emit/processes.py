"""Walking over the processes of a row, and adding one.

locate(row, pid)           the offset of a process, or of the end of the row for the first number not in use
find(row, proctype)        the number of the oldest process of a type, -1 without one
channels(row)              how many channels there are
channel(row, n)            the type of a channel in the upper, its offset in the lower half; -1 if it is dead
append(c, row, size)       room for one more process, zero; null if there is none
youngest(row)              the number of the process that was started last
without_progress(row), without_accept(row)
                           whether no process is at such a label
valid_end(row)             whether every process may stop where it is
"""

from __future__ import annotations

from collections.abc import Callable

from everafter.engine.emit.constant_tables import entry
from everafter.engine.emit.control_block import MOST_PROCESSES, OVERFLOW, Word, mark
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.writer import Writer
from everafter.program.layout import COUNT, LENGTH, MOST_WORDS


def processes(facts: Facts) -> list[str]:
    """The text of these functions."""
    return [
        _function("internal i64 @locate(ptr %row, i64 %pid)", lambda w: _locate(w, facts)),
        _function("internal i64 @find(ptr %row, i64 %type)", lambda w: _find(w, facts)),
        _function("internal i64 @channels(ptr %row)", lambda w: _channels(w, facts)),
        _function("internal i64 @channel(ptr %row, i64 %n)", lambda w: _channel(w, facts)),
        _function("internal ptr @append(ptr %c, ptr %row, i64 %size)", lambda w: _append(w, facts)),
        _function("internal i64 @youngest(ptr %row)", _youngest),
        _function("internal i1 @without_progress(ptr %row)", lambda w: _nowhere(w, facts, "progress")),
        _function("internal i1 @without_accept(ptr %row)", lambda w: _nowhere(w, facts, "accept")),
        _function("internal i1 @valid_end(ptr %row)", lambda w: _valid_end(w, facts)),
    ]


def _function(head: str, body: Callable[[Writer], None]) -> str:
    w = Writer(head)
    body(w)
    return w.text()


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


def _append(w: Writer, facts: Facts) -> None:
    count, most = alive(w), facts.sizes.processes
    w.when(w.compare("uge", count, most), "full" if most == MOST_PROCESSES else "large")
    end = w.get(f"call i64 @locate(ptr %row, i64 {count})")
    words = w.get(f"lshr i64 {w.add(w.add(end, '%size'), 7)}, 3")
    w.when(w.compare("ugt", words, MOST_WORDS), "large")
    place = w.at("%row", end)
    w.do(f"call void @llvm.memset.p0.i64(ptr {place}, i8 0, i64 {w.add('%size', 8)}, i1 false)")
    w.store(w.at("%row", COUNT), w.add(count, 1), 1)
    w.store(w.at("%row", LENGTH), words, 2)
    w.end(f"ret ptr {place}")
    w.label("large")
    mark(w, Word.FLAGS, OVERFLOW)
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
    expected, trace, event = facts.program.expected, facts.program.trace, facts.layout.event
    if not expected.end_states:
        w.end("ret i1 true")
        return
    if expected.empty_channels:
        _all_empty(w, facts)
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


def _all_empty(w: Writer, facts: Facts) -> None:
    """Go to the label `wrong` unless every channel is empty."""
    layout = facts.layout

    def check(kind: int, place: str) -> None:
        if layout.channels[kind].size:
            w.unless(w.compare("eq", w.load(place, layout.count_bytes), 0), "wrong")

    for kind, offset in layout.global_channels:
        check(kind, w.at("%row", offset))

    def look(_number: str, offset: str, proctype: str) -> None:
        for index, process in enumerate(layout.processes):
            other = w.fresh("other")
            w.unless(w.compare("eq", proctype, index), other)
            for kind, place in process.channels:
                check(kind, w.at("%row", w.add(offset, place)))
            w.label(other)

    each_process(w, facts, alive(w), look)
