"""Whether the steps of one process suffice, as code: `reduction/ample.py` says when, and in which terms.

fits(c, row, at, pid, place, positions)
                           whether what a process can do at its place may be done alone, whatever others do
independent(c, row, count, pid, positions)
                           whether that depends on nothing that others may still do, as far as they are to be asked
only_inert(c, row, pid, positions, able, blocked, awake …)
                           whether all that it depends on are inert: blocked processes that nobody but `pid` can let
                           move; `awake` are the columns of the other ones that are able, see `clashes.py`
waived_send, waived_receive(c, row, pid, n)
                           whether only processes with lower numbers may still receive from, or send to, channel n
reduced(c, row, out)       see `reduced.py`
"""

from __future__ import annotations

from collections.abc import Iterable

from everafter.engine.emit.control import MOST_POSITIONS, Record
from everafter.engine.emit.facts import Facts
from everafter.engine.emit.frame import Frame
from everafter.engine.emit.processes import alive, each_process
from everafter.engine.emit.reduction.clashes import Clashes, Places
from everafter.engine.emit.reduction.conditions import Meanings
from everafter.engine.emit.reduction.records import channels_of, noted, open_records, record
from everafter.engine.emit.reduction.reduced import reduced_steps
from everafter.engine.emit.tables import entry, table
from everafter.engine.emit.writer import FALSE, Writer, signed
from everafter.program.locations import RECEIVING, SENDING
from everafter.program.program import ProcessType
from everafter.reduction.ample import Reduction
from everafter.reduction.candidates import Candidate
from everafter.reduction.footprint import Use

_OPPOSITE = {"receive": SENDING, "send": RECEIVING}
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
        *([_independent(facts, clashes)] if clashes.asked else []),
        _only_inert(facts, clashes),
        *(_waived(facts, reduction, places, name) for name, operations in _OPPOSITE.items() if operations in waived),
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


def _may_use(meanings: Meanings, uses: frozenset[Use], operations: frozenset[str], kind: ProcessType, own: str) -> str:
    """Whether a process may still do one of some operations on the channel `%n`."""
    # In the same order every time, so that code on disk is found again.
    wanted = sorted({use.channel for use in uses if use.operation in operations}, key=repr)
    frame = Frame("%row", own, "%other", kind, "0", "")
    condition = FALSE
    for channel in wanted:
        condition = meanings.writer.either(condition, meanings.may_mean(frame, channel, ["%n"]))
    return condition


def _waived(facts: Facts, reduction: Reduction, places: Places, name: str) -> str:
    w = Writer(f"internal i1 @waived_{name}(ptr %c, ptr %row, i64 %pid, i64 %n)")
    meanings, opposite = Meanings.of(facts, w), _OPPOSITE[name]
    uses = [reduction.futures.of(kind.index, node).uses for kind, node in places.listed]

    def ask(number: str, offset: str, kind: str) -> None:
        following = w.fresh("other")
        w.when(w.compare("ult", number, "%pid"), following)
        own = w.at("%row", offset)
        using = [
            (place, w.fresh("place"))
            for place, found in enumerate(uses)
            if any(use.operation in opposite for use in found)
        ]
        w.switch(places.of(w, own, kind), following, using)
        for place, label in using:
            w.label(label)
            asked, _ = places.listed[place]
            w.branch(_may_use(meanings, uses[place], opposite, asked, own), "no", following)
        w.label(following)

    each_process(w, facts, alive(w), ask)
    w.end("ret i1 true")
    w.label("no")
    w.end("ret i1 false")
    return w.text()
