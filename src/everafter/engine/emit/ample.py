"""Whether the steps of one process suffice, as code: `reduction/ample.py` says when, and in which terms.

fits(c, row, at, pid, place, positions)
                           whether what a process can do at its place may be done alone, whatever others do
independent(c, row, count, pid, positions, skipped)
                           whether that depends on nothing that others may still do; those in the bits of `skipped`
                           do not count
inert(c, row, count, pid, blocked, awake …)
                           those of the blocked processes that nobody but `pid` can let move; `awake` are the
                           columns of the others, see `clashes.py`
waived_send, waived_receive(c, row, pid, n)
                           whether only processes with lower numbers may still receive from, or send to, channel n
reduced(c, row, out)       see `reduced.py`
"""

from __future__ import annotations

from collections.abc import Iterable

from everafter.engine.emit.clashes import Channels, Clashes, Places, signed
from everafter.engine.emit.expressions import Frame
from everafter.engine.emit.facts import MOST_POSITIONS, Facts
from everafter.engine.emit.records import PLACE, channels_of, field_of, open_records, record
from everafter.engine.emit.reduced import reduced_steps
from everafter.engine.emit.support import alive, each_process, entry, table
from everafter.engine.emit.writer import FALSE, Writer
from everafter.program.program import ProcessType
from everafter.reduction.ample import Reduction
from everafter.reduction.candidates import Candidate

_OPPOSITE = {"receive": frozenset({"send", "insert"}), "send": frozenset({"receive", "pick"})}
"""What must not be done any more by others for an operation to be waived."""


def ample(facts: Facts, reduction: Reduction) -> list[str]:
    """The text of all these functions."""
    places = Places(facts)
    candidates = [reduction.rows[kind.index, number].candidate for kind, number in places.listed]
    hopeless = [
        _is_hopeless(candidate, len(kind.graph.nodes[number].transitions))
        for candidate, (kind, number) in zip(candidates, places.listed, strict=True)
    ]
    clashes = Clashes(facts, reduction, places, hopeless)
    waived = {waiver.opposite for candidate in candidates for waiver in candidate.waivers.values()}
    return [
        *clashes.tables(),
        table("meets_inside", [int(candidate.meets_inside) for candidate in candidates]),
        *clashes.functions(),
        _fits(facts, places, candidates, hopeless),
        "declare i64 @llvm.cttz.i64(i64, i1)",
        _independent(facts, clashes),
        _independent_of(facts, clashes),
        _inert(facts, clashes),
        *(_waived(facts, reduction, places, name) for name, operations in _OPPOSITE.items() if operations in waived),
        reduced_steps(facts, clashes),
    ]


def _mask(positions: Iterable[int]) -> int:
    return signed(sum(1 << position for position in positions))


def _is_hopeless(candidate: Candidate, transitions: int) -> bool:
    """Whether no step at a place may ever be taken alone."""
    firm = candidate.sticky - candidate.waivers.keys()
    return not candidate.possible or transitions > MOST_POSITIONS or candidate.visible | firm >= set(range(transitions))


class _Fitting(Channels):
    """The part of `fits` that depends on the place of the process."""

    def at_place(self, candidate: Candidate, kind: ProcessType) -> None:
        """Go to the label `no` if what the process can do here is not to be done alone."""
        w = self.writer
        alone = candidate.visible | (candidate.sticky - candidate.waivers.keys())
        if alone:
            w.unless(w.compare("eq", w.get(f"and i64 %positions, {_mask(alone)}"), 0), "no")
        for position in sorted(candidate.sticky & candidate.waivers.keys()):
            self._waiver(candidate, kind, position)

    def _waiver(self, candidate: Candidate, kind: ProcessType, position: int) -> None:
        """A sticky operation on a channel may be taken alone if its waiver applies."""
        w = self.writer
        waiver, done = candidate.waivers[position], w.fresh("done")
        w.when(w.compare("eq", w.get(f"and i64 %positions, {signed(1 << position)}"), 0), done)
        own = w.at("%row", "%at")
        (number,) = self.numbers(Frame("%row", own, "%pid", kind, "0", ""), waiver.channel)
        if not waiver.lasts:
            w.when(w.compare("ugt", number, channels_of(w, self.facts, record(w, "%pid"))), "no")
        name = next(name for name, operations in _OPPOSITE.items() if operations == waiver.opposite)
        w.unless(w.get(f"call i1 @waived_{name}(ptr %c, ptr %row, i64 %pid, i64 {number})"), "no")
        w.label(done)


def _fits(facts: Facts, places: Places, candidates: list[Candidate], hopeless: list[bool]) -> str:
    w = Writer("internal i1 @fits(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %place, i64 %positions)")
    open_records(w, facts)
    code = _Fitting(facts, w)
    asked = [place for place, item in enumerate(candidates) if not hopeless[place] and (item.visible or item.sticky)]
    never = [(place, "no") for place, item in enumerate(hopeless) if item]
    w.switch("%place", "yes", [*((place, f"place{place}") for place in asked), *never])
    for place in asked:
        w.label(f"place{place}")
        code.at_place(candidates[place], places.listed[place][0])
        w.jump("yes")
    w.label("yes")
    w.end("ret i1 true")
    w.label("no")
    w.end("ret i1 false")
    return w.text()


def _independent(facts: Facts, clashes: Clashes) -> str:
    w = Writer("internal i1 @independent(ptr %c, ptr %row, i64 %count, i64 %pid, i64 %positions)")
    open_records(w, facts)
    own = record(w, "%pid")
    row, before = clashes.row(w, own), w.block
    w.label("loop")
    w.do(f"%other = phi i64 [ 0, %{before} ], [ %next, %following ]")
    w.when(w.compare("uge", "%other", "%count"), "yes")
    w.when(w.compare("eq", "%other", "%pid"), "following")
    clashes.ask(w, row, own, "%pid", "%other", "%positions", "no")
    w.label("following")
    w.do("%next = add i64 %other, 1")
    w.jump("loop")
    w.label("yes")
    w.end("ret i1 true")
    w.label("no")
    w.end("ret i1 false")
    return w.text()


def _independent_of(facts: Facts, clashes: Clashes) -> str:
    w = Writer("internal i1 @independent_of(ptr %c, ptr %row, i64 %pid, i64 %positions, i64 %others)")
    open_records(w, facts)
    own = record(w, "%pid")
    _ask_each(w, clashes, own, "%pid", "%others", "%positions", "no")
    w.end("ret i1 true")
    w.label("no")
    w.end("ret i1 false")
    return w.text()


def _ask_each(w: Writer, clashes: Clashes, own: str, pid: str, others: str, positions: str, yes: str) -> None:
    """Go to a label if a process depends on one of those whose bits are set."""
    row, before = clashes.row(w, own), w.block
    loop, following, none = w.fresh("loop"), w.fresh("following"), w.fresh("none")
    fewer = f"%{w.fresh()}"
    w.label(loop)
    left = w.phi("i64", (others, before), (fewer, following))
    w.when(w.compare("eq", left, 0), none)
    other = w.get(f"call i64 @llvm.cttz.i64(i64 {left}, i1 true)")
    clashes.ask(w, row, own, pid, other, positions, yes)
    w.label(following)
    w.do(f"{fewer} = and i64 {left}, {w.add(left, -1)}")
    w.jump(loop)
    w.label(none)


def _inert(facts: Facts, clashes: Clashes) -> str:
    """Take those out of the blocked processes, again and again, that somebody who is not one of them may let move."""
    words = range(clashes.words)
    given = "".join(f", i64 %awake{word}" for word in words)
    w = Writer(f"internal i64 @inert(ptr %c, ptr %row, i64 %pid, i64 %blocked, i64 %others{given})")
    open_records(w, facts)
    for name in ("found", "left", "changed", *(f"columns{word}" for word in words)):
        w.do(f"%{name} = alloca i64")
    w.store("%found", "%blocked", 8)
    for word in words:
        w.store(f"%columns{word}", f"%awake{word}", 8)
    w.unless(w.compare("eq", entry(w, "meets_inside", field_of(w, record(w, "%pid"), PLACE)), 0), "none")
    w.label("again")
    w.store("%changed", 0, 8)
    w.store("%left", w.load("%found", 8), 8)
    w.label("loop")
    left = w.load("%left", 8)
    w.when(w.compare("eq", left, 0), "round")
    w.store("%left", w.get(f"and i64 {left}, {w.add(left, -1)}"), 8)
    sleeper = w.get(f"call i64 @llvm.cttz.i64(i64 {left}, i1 true)")
    own = record(w, sleeper)
    place = field_of(w, own, PLACE)
    awake = [w.load(f"%columns{word}", 8) for word in words]
    w.unless(clashes.meets(w, "may_wake", place, awake), "loop")
    w.when(clashes.meets(w, "wakes", place, awake), "woken")
    moving = w.get(f"xor i64 {w.load('%found', 8)}, -1")
    actors = w.get(f"and i64 %others, {moving}")
    _ask_each(w, clashes, own, sleeper, actors, "0", "woken")
    w.jump("loop")
    w.label("woken")
    w.store("%found", w.get(f"xor i64 {w.load('%found', 8)}, {w.get(f'shl i64 1, {sleeper}')}"), 8)
    for word, bits in enumerate(clashes.of_place(w, "column", place)):
        w.store(f"%columns{word}", w.get(f"or i64 {w.load(f'%columns{word}', 8)}, {bits}"), 8)
    w.store("%changed", 1, 8)
    w.jump("loop")
    w.label("round")
    w.when(w.compare("ne", w.load("%changed", 8), 0), "again")
    w.end(f"ret i64 {w.load('%found', 8)}")
    w.label("none")
    w.end("ret i64 0")
    return w.text()


class _Waived(Channels):
    """Whether a process may still do one kind of operation on a channel."""

    def uses(self, reduction: Reduction, kind: ProcessType, number: int, operations: frozenset[str], own: str) -> str:
        uses = reduction.futures.of(kind.index, number).uses
        wanted = dict.fromkeys(use.channel for use in uses if use.operation in operations)
        frame = Frame("%row", own, "%other", kind, "0", "")
        condition = FALSE
        for channel in wanted:
            condition = self.writer.either(condition, self.may_mean(frame, channel, ["%n"]))
        return condition


def _waived(facts: Facts, reduction: Reduction, places: Places, name: str) -> str:
    w = Writer(f"internal i1 @waived_{name}(ptr %c, ptr %row, i64 %pid, i64 %n)")
    code, opposite = _Waived(facts, w), _OPPOSITE[name]

    def ask(number: str, offset: str, kind: str) -> None:
        following = w.fresh("other")
        w.when(w.compare("ult", number, "%pid"), following)
        own = w.at("%row", offset)
        using = [
            (place, w.fresh("place"))
            for place, (kind, node) in enumerate(places.listed)
            if any(use.operation in opposite for use in reduction.futures.of(kind.index, node).uses)
        ]
        w.switch(places.of(w, own, kind), following, using)
        for place, label in using:
            w.label(label)
            w.branch(code.uses(reduction, *places.listed[place], opposite, own), "no", following)
        w.label(following)

    each_process(w, facts, alive(w), ask)
    w.end("ret i1 true")
    w.label("no")
    w.end("ret i1 false")
    return w.text()
