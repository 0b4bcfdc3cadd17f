"""Whether the steps of one process suffice, as code: `reduction/ample.py` says when, and in which terms.

    suffices(c, row, at, pid, inert)     after the steps of the process have been written: whether they suffice;
                                         the processes in the bits of `inert` cannot move before it does
    inert(c, row, at, pid, blocked)      those of the blocked processes that nobody but `pid` can let move
    depends(c, row, at, pid, other_at, other, positions)
                                         whether what the process can do depends on what the other may still do
    waived_send, waived_receive(c, row, pid, n)
                                         whether only processes with lower numbers may still receive from, or send to,
                                         channel n

What two places say about each other is looked up in a table of small numbers: 0 they are independent, 1 they always
depend on each other, and from 2 on the conditions that are written as functions `clash2`, `clash3`, …
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import assert_never

from everafter.engine.emit.effects import Effects
from everafter.engine.emit.expressions import Frame
from everafter.engine.emit.facts import MOST_POSITIONS, Facts
from everafter.engine.emit.support import alive, each_process, entry, table
from everafter.engine.emit.writer import FALSE, TRUE, Writer
from everafter.program.layout import Row, bytes_of
from everafter.program.memory import Width
from everafter.program.program import ProcessType
from everafter.reduction.ample import Reduction
from everafter.reduction.candidates import Candidate
from everafter.reduction.dependence import ALWAYS, Clash, Condition, Dies, Named, Spoken, Takes, Watches
from everafter.reduction.footprint import Cells

_SENDING, _RECEIVING = frozenset({"send", "insert"}), frozenset({"receive", "pick"})


def ample(facts: Facts, reduction: Reduction) -> list[str]:
    """The text of all these functions."""
    places = Places(facts)
    clashes = _Clashes(facts, reduction, places)
    rows = clashes.rows()
    return [
        *places.tables(),
        *rows,
        *clashes.functions(),
        _channels_through(facts),
        _depends(facts, clashes),
        _suffices(facts, reduction, places),
        _inert(facts, reduction, places),
        _waived(facts, reduction, places, "send", _RECEIVING),
        _waived(facts, reduction, places, "receive", _SENDING),
    ]


class Places:
    """Every place of control of every proctype whose processes take steps, numbered through."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.listed = [(kind, number) for kind in facts.running for number in sorted(kind.graph.nodes)]
        self.numbers = {(kind.index, number): place for place, (kind, number) in enumerate(self.listed)}

    def tables(self) -> list[str]:
        """The number of a place, by proctype and place of control."""
        width = 1 + max((number for _, number in self.listed), default=0)
        kinds = range(len(self.facts.program.processes))
        numbers = [self.numbers.get((kind, number), 0) for kind in kinds for number in range(width)]
        return [table("places", numbers)]

    def of(self, w: Writer, process: str) -> str:
        """The number of the place where a process is."""
        layout = self.facts.layout
        width = 1 + max((number for _, number in self.listed), default=0)
        node = w.load(w.at(process, layout.node), layout.node_bytes)
        return entry(w, "places", w.add(w.times(w.load(process, 1), width), node))


@dataclass
class _Clashes:
    """The table of conditions between places, with equal rows and equal columns kept once."""

    facts: Facts
    reduction: Reduction
    places: Places
    known: dict[tuple[int, int, frozenset[Condition]], int] = field(default_factory=dict)
    columns: int = 0

    def rows(self) -> list[str]:
        """The tables: for a place its row and its column, and for both together the conditions."""
        matrix = [tuple(self._class(mine, other) for other in self.places.listed) for mine in self.places.listed]
        kept_rows = {row: number for number, row in enumerate(dict.fromkeys(matrix))}
        turned = list(zip(*kept_rows, strict=True))
        kept_columns = {column: number for number, column in enumerate(dict.fromkeys(turned))}
        self.columns = len(kept_columns)
        cells = [column[row] for row in range(len(kept_rows)) for column in kept_columns]
        return [
            table("clash_rows", [kept_rows[row] for row in matrix]),
            table("clash_columns", [kept_columns[column] for column in turned]),
            table("clash_classes", cells),
        ]

    def _class(self, mine: tuple[ProcessType, int], other: tuple[ProcessType, int]) -> int:
        if not self.reduction.rows[mine[0].index, mine[1]].candidate.possible:
            return 1
        conditions = self.reduction.conditions(mine[0].index, mine[1], other[0].index, other[1])
        if not conditions:
            return 0
        if conditions is ALWAYS:
            return 1
        key = (mine[0].index, other[0].index, conditions)
        return self.known.setdefault(key, len(self.known) + 2)

    def functions(self) -> list[str]:
        """The conditions as functions."""
        return [_ClashCode(self.facts, number, *key).text() for key, number in self.known.items()]


class _Channels(Effects):
    """Writes comparisons of channels that processes may mean."""

    def numbers(self, frame: Frame, named: Named) -> list[str]:
        """The numbers of the channels that a process may mean; an expression without a value means none."""
        w = self.writer
        if isinstance(named, Spoken):
            failed, done = w.fresh("failed"), w.fresh("done")
            inner = Frame(frame.row, frame.own, frame.pid, frame.kind, "0", failed)
            value, after = self.value(inner, named.expression), w.block
            w.jump(done)
            w.label(failed)
            w.label(done)
            return [w.phi("i64", (value, after), ("0", failed))]
        return [self._cell(frame, named.is_local, cell) for cell in named.cells]

    def _cell(self, frame: Frame, is_local: bool, cell: int) -> str:
        if is_local:
            assert frame.kind is not None
            row, cells = self.layout.processes[frame.kind.index].row, frame.kind.memory.cells
            start = Row(row.widths[: len(row.widths) - len(cells) + cell]).size
            return self.load(self.writer.at(frame.own, start), cells[cell].width)
        visible = [number for number in self.layout.visible if number < cell]
        widths: tuple[Width, ...] = tuple(self.program.memory.cells[number].width for number in visible)
        start = min(self.layout.offsets.values(), default=0) + sum(map(bytes_of, widths))
        return self.load(self.writer.at(frame.row, start), self.program.memory.cells[cell].width)

    def may_mean(self, frame: Frame, named: Cells | None, numbers: list[str]) -> str:
        """Whether a process may mean one of these channels."""
        w = self.writer
        if named is None:
            return TRUE
        condition = FALSE
        for theirs in self.numbers(frame, named):
            for mine in numbers:
                condition = w.either(condition, w.compare("eq", theirs, mine))
        return condition

    def has_room(self, frame: Frame, unless: str, number: str) -> str:
        """Whether a channel is buffered, and not full or not empty if that is asked."""
        w = self.writer
        alive_channel, dead, done = w.fresh("channel"), w.fresh("dead"), w.fresh("done")
        w.branch(w.compare("eq", number, 0), dead, alive_channel)
        w.label(alive_channel)
        packed = w.get(f"call i64 @channel(ptr {frame.row}, i64 {number})")
        known = w.fresh("known")
        w.branch(w.compare("slt", packed, 0), dead, known)
        w.label(known)
        capacity = entry(w, "capacities", w.get(f"lshr i64 {packed}, 32"))
        buffered = w.compare("ne", capacity, 0)
        look = w.fresh("look")
        w.branch(buffered, look, dead)
        w.label(look)
        length = w.load(w.at(frame.row, w.get(f"and i64 {packed}, {0xFFFFFFFF}")), 1)
        match unless:
            case "not empty":
                answer = w.compare("ne", length, 0)
            case "not full":
                answer = w.compare("ult", length, capacity)
            case _:
                answer = TRUE
        w.jump(done)
        w.label(dead)
        w.label(done)
        return w.phi("i1", (answer, look), (FALSE, dead))


class _ClashCode(_Channels):
    """One set of conditions between processes of two types: whether one of them is true."""

    def __init__(self, facts: Facts, number: int, mine: int, theirs: int, conditions: frozenset[Condition]) -> None:
        parameters = "ptr %c, ptr %row, ptr %own, i64 %pid, ptr %their, i64 %other, i64 %positions"
        super().__init__(facts, Writer(f"internal i1 @clash{number}({parameters})"))
        self.conditions = conditions
        self.mine = Frame("%row", "%own", "%pid", facts.program.processes[mine], "0", "")
        self.theirs = Frame("%row", "%their", "%other", facts.program.processes[theirs], "0", "")

    def text(self) -> str:
        w = self.writer
        for condition in sorted(self.conditions, key=repr):
            w.when(self._is_true(condition), "clash")
        w.end("ret i1 false")
        w.label("clash")
        w.end("ret i1 true")
        return w.text()

    def _is_true(self, condition: Condition) -> str:
        w = self.writer
        match condition:
            case Clash(mine=mine, theirs=theirs, unless=unless, position=position):
                if mine is None:
                    return TRUE
                numbers = self.numbers(self.mine, mine)
                same = self.may_mean(self.theirs, theirs, numbers)
                return w.both(same, w.negated(self._is_excepted(unless, position, numbers)))
            case Dies(mine=named):
                last = w.get(f"call i64 @channels_through(ptr %row, i64 {w.add('%pid', 1)})")
                return self._any_beyond(self.numbers(self.mine, named), last) if named is not None else TRUE
            case Takes(theirs=named):
                first = w.get("call i64 @channels_through(ptr %row, i64 %pid)")
                return self._any_beyond(self.numbers(self.theirs, named), first) if named is not None else TRUE
            case Watches(mine=mine, theirs=theirs, first=one, second=another):
                return w.both(self._is_one_of(self.mine, mine, one), self._is_one_of(self.theirs, theirs, another))
            case _:
                assert_never(condition)

    def _is_one_of(self, frame: Frame, named: Named | None, watched: Cells | None) -> str:
        """Whether a process may mean a channel that is watched."""
        if named is None or watched is None:
            return TRUE
        return self.may_mean(frame, watched, self.numbers(frame, named))

    def _any_beyond(self, numbers: list[str], limit: str) -> str:
        condition = FALSE
        for number in numbers:
            condition = self.writer.either(condition, self.writer.compare("ugt", number, limit))
        return condition

    def _is_excepted(self, unless: str, position: int, numbers: list[str]) -> str:
        w = self.writer
        if unless == "never":
            return FALSE
        if unless == "executable":
            if position > MOST_POSITIONS:
                return FALSE
            return w.compare("ne", w.get(f"and i64 %positions, {_signed(1 << position)}"), 0)
        condition = TRUE
        for number in numbers:
            condition = w.both(condition, self.has_room(self.mine, unless, number))
        return condition


def _signed(word: int) -> int:
    return word - 2**64 if word >> 63 else word


def _mask(positions: Iterable[int]) -> int:
    return _signed(sum(1 << position for position in positions))


def _channels_through(facts: Facts) -> str:
    """How many channels there are that none of the processes from `count` on created."""
    w = Writer("internal i64 @channels_through(ptr %row, i64 %count)")
    w.do("%total = alloca i64")
    w.store("%total", len(facts.layout.global_channels), 8)

    def count(_number: str, _offset: str, kind: str) -> None:
        w.store("%total", w.add(w.load("%total", 8), entry(w, "created", kind)), 8)

    each_process(w, facts, "%count", count)
    w.end(f"ret i64 {w.load('%total', 8)}")
    return w.text()


def _depends(facts: Facts, clashes: _Clashes) -> str:
    head = "internal i1 @depends(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %other_at, i64 %other, i64 %positions)"
    w = Writer(head)
    own, their = w.at("%row", "%at"), w.at("%row", "%other_at")
    row = entry(w, "clash_rows", clashes.places.of(w, own))
    column = entry(w, "clash_columns", clashes.places.of(w, their))
    kind = entry(w, "clash_classes", w.add(w.times(row, clashes.columns), column))
    labels = [(number, f"class{number}") for number in clashes.known.values()]
    w.switch(kind, "always", [(0, "never"), *labels])
    arguments = f"ptr %c, ptr %row, ptr {own}, i64 %pid, ptr {their}, i64 %other, i64 %positions"
    for number, label in labels:
        w.label(label)
        w.end(f"ret i1 {w.get(f'call i1 @clash{number}({arguments})')}")
    w.label("never")
    w.end("ret i1 false")
    w.label("always")
    w.end("ret i1 true")
    return w.text()


class _Sufficing(_Channels):
    """The part of `suffices` that depends on the place of the process."""

    def at_place(self, candidate: Candidate, kind: ProcessType, transitions: int) -> None:
        """Go to the label `no` if what the process can do here is not to be done alone."""
        w = self.writer
        if not candidate.possible or transitions > MOST_POSITIONS:
            w.jump("no")
            return
        if candidate.visible:
            seen = w.get(f"and i64 %positions, {_mask(candidate.visible)}")
            w.unless(w.compare("eq", seen, 0), "no")
        firm = candidate.sticky - candidate.waivers.keys()
        if firm:
            w.unless(w.compare("eq", w.get(f"and i64 %positions, {_mask(firm)}"), 0), "no")
        for position in sorted(candidate.sticky & candidate.waivers.keys()):
            self._waiver(candidate, kind, position)

    def _waiver(self, candidate: Candidate, kind: ProcessType, position: int) -> None:
        """A sticky operation on a channel may be taken alone if its waiver applies."""
        w = self.writer
        waiver, done = candidate.waivers[position], w.fresh("done")
        w.when(w.compare("eq", w.get(f"and i64 %positions, {_signed(1 << position)}"), 0), done)
        own = w.at("%row", "%at")
        (number,) = self.numbers(Frame("%row", own, "%pid", kind, "0", ""), waiver.channel)
        if not waiver.lasts:
            last = w.get(f"call i64 @channels_through(ptr %row, i64 {w.add('%pid', 1)})")
            w.when(w.compare("ugt", number, last), "no")
        name = "receive" if waiver.opposite == _SENDING else "send"
        answer = w.get(f"call i1 @waived_{name}(ptr %c, ptr %row, i64 %pid, i64 {number})")
        w.unless(answer, "no")
        w.label(done)


def _suffices(facts: Facts, reduction: Reduction, places: Places) -> str:
    w = Writer("internal i1 @suffices(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %positions, i64 %inert)")
    code = _Sufficing(facts, w)
    own = w.at("%row", "%at")
    labels = [(place, f"place{place}") for place in range(len(places.listed))]
    w.switch(places.of(w, own), "no", labels)
    for (kind, number), (_, label) in zip(places.listed, labels, strict=True):
        w.label(label)
        code.at_place(reduction.rows[kind.index, number].candidate, kind, len(kind.graph.nodes[number].transitions))
        w.jump("others")
    w.label("others")

    def ask(number: str, offset: str, _kind: str) -> None:
        following = w.fresh("other")
        w.when(w.compare("eq", number, "%pid"), following)
        w.when(_is_in(w, number, "%inert"), following)
        who = f"ptr %c, ptr %row, i64 %at, i64 %pid, i64 {offset}, i64 {number}, i64 %positions"
        w.when(w.get(f"call i1 @depends({who})"), "no")
        w.label(following)

    each_process(w, facts, alive(w), ask)
    w.end("ret i1 true")
    w.label("no")
    w.end("ret i1 false")
    return w.text()


def _is_in(w: Writer, number: str, members: str) -> str:
    """Whether a process is one of those whose bits are set; only the first 64 can be."""
    bit = w.get(f"lshr i64 {members}, {w.get(f'and i64 {number}, 63')}")
    low = w.compare("ult", number, 64)
    return w.both(low, w.compare("ne", w.get(f"and i64 {bit}, 1"), 0))


def _inert(facts: Facts, reduction: Reduction, places: Places) -> str:
    """Take those out of the blocked processes, again and again, that somebody who is not one of them may let move."""
    w = Writer("internal i64 @inert(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %blocked)")
    meets = [reduction.rows[kind.index, number].candidate.meets_inside for kind, number in places.listed]
    w.unless(w.compare("eq", entry(w, "meets_inside", places.of(w, w.at("%row", "%at"))), 0), "none")
    w.do("%found = alloca i64")
    w.do("%changed = alloca i64")
    w.store("%found", "%blocked", 8)
    count = alive(w)
    w.label("again")
    w.store("%changed", 0, 8)

    def sleeper(number: str, offset: str, _kind: str) -> None:
        following, woken = w.fresh("other"), w.fresh("woken")
        w.unless(_is_in(w, number, w.load("%found", 8)), following)

        def actor(other: str, other_offset: str, _other_kind: str) -> None:
            skip = w.fresh("skip")
            w.when(w.compare("eq", other, "%pid"), skip)
            w.when(_is_in(w, other, w.load("%found", 8)), skip)
            who = f"ptr %c, ptr %row, i64 {offset}, i64 {number}, i64 {other_offset}, i64 {other}, i64 0"
            w.when(w.get(f"call i1 @depends({who})"), woken)
            ends = entry(w, "may_end", places.of(w, w.at("%row", offset)))
            later = entry(w, "may_end_later", places.of(w, w.at("%row", other_offset)))
            w.when(w.compare("ne", w.get(f"and i64 {ends}, {later}"), 0), woken)
            w.label(skip)

        each_process(w, facts, count, actor)
        w.jump(following)
        w.label(woken)
        bit = w.get(f"shl i64 1, {number}")
        w.store("%found", w.get(f"and i64 {w.load('%found', 8)}, {w.get(f'xor i64 {bit}, -1')}"), 8)
        w.store("%changed", 1, 8)
        w.label(following)

    each_process(w, facts, count, sleeper)
    w.when(w.compare("ne", w.load("%changed", 8), 0), "again")
    w.end(f"ret i64 {w.load('%found', 8)}")
    w.label("none")
    w.end("ret i64 0")
    ends = [bool(reduction.rows[kind.index, n].candidate.scope.footprint.ends) for kind, n in places.listed]
    later = [bool(reduction.futures.of(kind.index, n).ends) for kind, n in places.listed]
    marks = {"may_end": ends, "may_end_later": later, "meets_inside": meets}
    return "\n".join([*(table(name, list(map(int, mark))) for name, mark in marks.items()), w.text()])


class _Waived(_Channels):
    """Whether a process may still do one kind of operation on a channel."""

    def uses(self, reduction: Reduction, kind: ProcessType, number: int, operations: frozenset[str], own: str) -> str:
        uses = reduction.futures.of(kind.index, number).uses
        wanted = dict.fromkeys(use.channel for use in uses if use.operation in operations)
        frame = Frame("%row", own, "%other", kind, "0", "")
        condition = FALSE
        for channel in wanted:
            condition = self.writer.either(condition, self.may_mean(frame, channel, ["%n"]))
        return condition


def _waived(facts: Facts, reduction: Reduction, places: Places, name: str, opposite: frozenset[str]) -> str:
    w = Writer(f"internal i1 @waived_{name}(ptr %c, ptr %row, i64 %pid, i64 %n)")
    code = _Waived(facts, w)

    def ask(number: str, offset: str, _kind: str) -> None:
        following = w.fresh("other")
        w.when(w.compare("ult", number, "%pid"), following)
        own = w.at("%row", offset)
        labels = [(place, w.fresh("place")) for place in range(len(places.listed))]
        w.switch(places.of(w, own), following, labels)
        for (kind, node), (_, label) in zip(places.listed, labels, strict=True):
            w.label(label)
            w.branch(code.uses(reduction, kind, node, opposite, own), "no", following)
        w.label(following)

    each_process(w, facts, alive(w), ask)
    w.end("ret i1 true")
    w.label("no")
    w.end("ret i1 false")
    return w.text()
