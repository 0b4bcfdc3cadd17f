"""Whether the steps of one process are an ample set, as code: `reduction/ample.py` says when, and in which terms.

fits(c, row, at, pid, place, positions)
                           whether what a process can do at its place may be done alone, whatever others do
independent(c, row, count, pid, positions)
                           whether that depends on nothing that others may still do, as far as that matters
only_inert(c, row, pid, positions, able, blocked, awake …)
                           whether all that it depends on are inert: blocked processes that only `pid` can let
                           move; `awake` are the columns of the other ones that are able, see `clashes.py`
waived_send, waived_receive(c, row, pid, n)
                           whether only processes with lower numbers may still receive from, or send to, channel n
reduced(c, row, out)       see `reduced_successors.py`
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeGuard

from everafter.engine.emit.constant_tables import entry, table
from everafter.engine.emit.control_block import MOST_POSITIONS, Record
from everafter.engine.emit.frame import Frame
from everafter.engine.emit.processes import alive, each_process
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.reduction.clashes import Clashes, Places
from everafter.engine.emit.reduction.conditions import Meanings
from everafter.engine.emit.reduction.reach import WORD_BITS, in_words
from everafter.engine.emit.reduction.records import channels_of, noted, open_records, record
from everafter.engine.emit.reduction.reduced_successors import reduced_steps
from everafter.engine.emit.writer import FALSE, Writer, signed
from everafter.program.locations import RECEIVING, SENDING
from everafter.program.program import ProcessType
from everafter.reduction.ample import Reduction
from everafter.reduction.candidates import Candidate
from everafter.reduction.footprint import Cells, Use

_OPPOSITE = {"receive": SENDING, "send": RECEIVING}
"""What must not be done any more by others for an operation to be waived."""


def ample(facts: Facts, reduction: Reduction) -> list[str]:
    """Return the text of all these functions, for `facts` and `reduction`."""
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
        *([_independent(facts, clashes)] if clashes.asked else []),
        _only_inert(facts, clashes),
        *(
            text
            for name, operations in _OPPOSITE.items()
            if operations in waived
            for text in _Waived(facts, reduction, places, name).texts()
        ),
        reduced_steps(facts, clashes),
    ]


def _mask(positions: Iterable[int]) -> int:
    return signed(sum(1 << position for position in positions))


def _is_hopeless(candidate: Candidate, transitions: int) -> bool:
    """Whether no step at a place may ever be taken alone."""
    firm = candidate.sticky - candidate.waivers.keys()
    return not candidate.possible or transitions > MOST_POSITIONS or candidate.visible | firm >= set(range(transitions))


def _leave_unless_alone(meanings: Meanings, candidate: Candidate, kind: ProcessType) -> None:
    """Go to the label `no` if what a process can do at a place is not to be done alone."""
    w = meanings.writer
    alone = candidate.visible | (candidate.sticky - candidate.waivers.keys())
    if alone:
        w.unless(w.compare("eq", w.get(f"and i64 %positions, {_mask(alone)}"), 0), "no")
    for position in sorted(candidate.sticky & candidate.waivers.keys()):
        _leave_unless_waived(meanings, candidate, kind, position)


def _leave_unless_waived(meanings: Meanings, candidate: Candidate, kind: ProcessType, position: int) -> None:
    """A sticky operation on a channel may be taken alone if its waiver applies."""
    w = meanings.writer
    waiver, done = candidate.waivers[position], w.fresh("done")
    w.when(w.compare("eq", w.get(f"and i64 %positions, {signed(1 << position)}"), 0), done)
    own = w.at("%row", "%at")
    (number,) = meanings.numbers(Frame("%row", own, "%pid", kind, "0", ""), waiver.channel)
    if not waiver.lasts:
        w.when(w.compare("ugt", number, channels_of(w, meanings.facts, record(w, "%pid"))), "no")
    name = next(name for name, operations in _OPPOSITE.items() if operations == waiver.opposite)
    w.unless(w.get(f"call i1 @waived_{name}(ptr %c, ptr %row, i64 %pid, i64 {number})"), "no")
    w.label(done)


def _fits(facts: Facts, places: Places, candidates: list[Candidate], hopeless: list[bool]) -> str:
    w = Writer("internal i1 @fits(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %place, i64 %positions)")
    open_records(w, facts)
    meanings = Meanings.of(facts, w)
    asked = [place for place, item in enumerate(candidates) if not hopeless[place] and (item.visible or item.sticky)]
    never = [(place, "no") for place, item in enumerate(hopeless) if item]
    w.switch("%place", "yes", [*((place, f"place{place}") for place in asked), *never])
    for place in asked:
        w.label(f"place{place}")
        _leave_unless_alone(meanings, candidates[place], places.listed[place][0])
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


def _only_inert(facts: Facts, clashes: Clashes) -> str:
    """Follow who may let whom move, from the process itself on; if that leads to one that is able, the answer is no."""
    words = range(clashes.words)
    given = "".join(f", i64 %awake{word}" for word in words)
    w = Writer(f"internal i1 @only_inert(ptr %c, ptr %row, i64 %pid, i64 %positions, i64 %able, i64 %blocked{given})")
    open_records(w, facts)
    clashes.make_room(w)
    awake = [f"%awake{word}" for word in words]
    for name in ("pending", "unseen"):
        w.do(f"%{name} = alloca i64")
    w.store("%pending", w.get("shl i64 1, %pid"), 8)
    w.store("%unseen", "%blocked", 8)
    w.unless(w.compare("eq", entry(w, "meets_inside", noted(w, record(w, "%pid"), Record.PLACE)), 0), "no")
    w.label("following")
    pending = w.load("%pending", 8)
    w.when(w.compare("eq", pending, 0), "yes")
    w.store("%pending", w.get(f"and i64 {pending}, {w.add(pending, -1)}"), 8)
    number = w.get(f"call i64 @llvm.cttz.i64(i64 {pending}, i1 true)")
    own, is_first = record(w, number), w.compare("eq", number, "%pid")
    place = noted(w, own, Record.PLACE)
    positions = w.get(f"select i1 {is_first}, i64 %positions, i64 0")
    certain = [
        w.get(f"select i1 {is_first}, i64 {always}, i64 {wakes}")
        for always, wakes in zip(clashes.of_place(w, "always", place), clashes.of_place(w, "wakes", place), strict=True)
    ]
    w.when(clashes.meet(w, certain, awake), "no")
    reach = clashes.reach(w, own, number, positions)
    w.when(clashes.meet(w, reach, awake), "no")
    reach = [w.get(f"or i64 {one}, {other}") for one, other in zip(certain, reach, strict=True)]
    if clashes.asked:
        apart = w.fresh("apart")
        w.unless(clashes.meets(w, "asked", place, awake), apart)
        _ask_each(w, clashes, own, number, "%able", positions, "no")
        w.label(apart)
    _wake(w, clashes, own, number, positions, reach)
    w.jump("following")
    w.label("yes")
    w.end("ret i1 true")
    w.label("no")
    w.end("ret i1 false")
    return w.text()


def _wake(w: Writer, clashes: Clashes, own: str, pid: str, positions: str, reach: list[str]) -> None:
    """Note those of the unseen processes on which a process depends; `reach` are columns on which it surely does."""
    unseen, before, row = w.load("%unseen", 8), w.block, clashes.row(w, own)
    w.label("each")
    fewer = f"%{w.fresh()}"
    left = w.phi("i64", (unseen, before), (fewer, "other"))
    w.when(w.compare("eq", left, 0), "following")
    other = w.get(f"call i64 @llvm.cttz.i64(i64 {left}, i1 true)")
    place = noted(w, record(w, other), Record.PLACE)
    w.when(clashes.meets(w, "column", place, reach), "woken")
    if clashes.asked:
        clashes.ask(w, row, own, pid, other, positions, "woken")
    w.jump("other")
    w.label("woken")
    bit = w.get(f"shl i64 1, {other}")
    for name in ("pending", "unseen"):
        w.store(f"%{name}", w.get(f"xor i64 {w.load(f'%{name}', 8)}, {bit}"), 8)
    w.label("other")
    w.do(f"{fewer} = and i64 {left}, {w.add(left, -1)}")
    w.jump("each")


class _Waived:
    """Writes a function: whether no process from a given one on may still do some operations on a channel."""

    def __init__(self, facts: Facts, reduction: Reduction, places: Places, name: str) -> None:
        self.facts = facts
        self.places = places
        self.name = name
        self.writer = Writer(f"internal i1 @waived_{name}(ptr %c, ptr %row, i64 %pid, i64 %n)")
        self.meanings = Meanings.of(facts, self.writer)
        self.last = len(facts.layout.global_channels)
        self.words = self.last // WORD_BITS + 1
        futures = [reduction.futures.of(kind.index, node) for kind, node in places.listed]
        self.uses = [_channels(future.uses, _OPPOSITE[name]) for future in futures]
        """For every place the channels that may still be used."""

    def texts(self) -> list[str]:
        """The function, and a table with the numbers of the global channels that the text tells, for every place."""
        w = self.writer
        each_process(w, self.facts, alive(w), self._ask)
        w.end("ret i1 true")
        w.label("no")
        w.end("ret i1 false")
        told = [word for uses in self.uses for word in in_words(self._numbers(uses), self.words)]
        return [table(f"still_{self.name}", told), w.text()]

    def _numbers(self, uses: Iterable[Cells | None]) -> int:
        """The set of the numbers of those channels that the text tells."""
        memory = self.facts.initial_memory
        cells = {cell for channel in uses if _is_told(channel) for cell in channel.cells}
        return sum(1 << number for number in {memory[cell] for cell in cells})

    def _ask(self, number: str, offset: str, kind: str) -> None:
        """Go to the label `no` if a process, from this one on, may still use the channel `%n`."""
        w, following = self.writer, self.writer.fresh("other")
        w.when(w.compare("ult", number, "%pid"), following)
        own = w.at("%row", offset)
        place = self.places.of(w, own, kind)
        self._ask_told(place)
        asked: dict[tuple[int, tuple[Cells | None, ...]], list[int]] = {}
        for at, ((process, _), uses) in enumerate(zip(self.places.listed, self.uses, strict=True)):
            untold = tuple(channel for channel in uses if not _is_told(channel))
            if untold:
                asked.setdefault((process.index, untold), []).append(at)
        labels = {key: w.fresh("place") for key in asked}
        w.switch(place, following, [(at, labels[key]) for key, found in asked.items() for at in found])
        for (process_index, untold), label in labels.items():
            w.label(label)
            frame = Frame("%row", own, "%other", self.facts.program.processes[process_index], "0", "")
            w.branch(self._may_mean(frame, untold), "no", following)
        w.label(following)

    def _ask_told(self, place: str) -> None:
        w, apart = self.writer, self.writer.fresh("apart")
        w.when(w.compare("ugt", "%n", self.last), apart)
        index = w.add(w.times(place, self.words), w.get(f"lshr i64 %n, {WORD_BITS.bit_length() - 1}"))
        bit = w.get(f"and i64 %n, {WORD_BITS - 1}")
        shifted = w.get(f"lshr i64 {entry(w, f'still_{self.name}', index)}, {bit}")
        w.unless(w.compare("eq", w.get(f"and i64 {shifted}, 1"), 0), "no")
        w.label(apart)

    def _may_mean(self, frame: Frame, channels: Iterable[Cells | None]) -> str:
        condition = FALSE
        for channel in channels:
            condition = self.writer.either(condition, self.meanings.may_mean(frame, channel, ["%n"]))
        return condition


def _channels(uses: frozenset[Use], operations: frozenset[str]) -> list[Cells | None]:
    """The channels on which some of the operations are done."""
    # In the same order every time, so that code on disk is found again.
    return sorted({use.channel for use in uses if use.operation in operations}, key=repr)


def _is_told(channel: Cells | None) -> TypeGuard[Cells]:
    """Whether the text tells the channel: a global variable that names one always names the same."""
    return channel is not None and not channel.is_local
