"""The whole text of a model's code: what `engine/native.py` calls.

    expand(row, out, c)    write the successors of a row; how many, or -1 if there was no room
    initial(out, c)        write the initial row; 1

A run that violates something leads to VIOLATION, a row of one word that no state has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from everafter.engine.emit import facts as control
from everafter.engine.emit.ample import ample
from everafter.engine.emit.claims import VIOLATION, ClaimCode, Safety
from everafter.engine.emit.facts import CHAIN_BYTES, OUT_BYTES, Facts
from everafter.engine.emit.reduced import reduced
from everafter.engine.emit.steps import Steps
from everafter.engine.emit.support import alive, each_process, step_holder, support
from everafter.engine.emit.watching import watchers
from everafter.engine.emit.writer import Writer
from everafter.execution.packing import Packer
from everafter.execution.step import initial_state, receives
from everafter.program.layout import HOLDER, WORD
from everafter.program.program import ProcessType, Program
from everafter.reduction.ample import Reduction
from everafter.search.space import KNOWN

VIOLATION_ROW = VIOLATION.to_bytes(8, "little")


@dataclass(frozen=True, slots=True)
class Code:
    """The text of a model's code, and how large its control block is."""

    text: str
    control_size: int
    sets: int | None = None
    """Where in the control block the acceptance sets of the successors are, if they have any."""


def code_of(program: Program, claim: ClaimCode | None = None, reduction: Reduction | None = None) -> Code:
    """The code of a program, alone or in product with a claim, with all steps or those that suffice."""
    chosen = claim or Safety()
    facts = Facts(program, chosen.watched, chosen.fair, reduction)
    parts = [*support(facts), *_dispatch(facts)]
    for kind in facts.running:
        parts += _process(facts, kind)
    if facts.watches:
        parts += watchers(facts)
    if reduction is not None:
        parts += ample(facts, reduction)
    parts += [_successors(facts), _initial(facts, chosen), *chosen.text(facts)]
    return Code("\n".join(parts), facts.control_size, facts.masks if facts.fair else None)


# One proctype


def _process(facts: Facts, kind: ProcessType) -> list[str]:
    index, usual = kind.index, "ptr %c, ptr %row, i64 %at, i64 %pid"
    parameters = "".join(f", i64 %a{number}" for number in range(len(kind.parameters)))
    wanted: list[tuple[str, Callable[[Steps], None]]] = [
        (f"internal void @P{index}({usual}, i64 %timeout)", Steps.process),
        (f"internal i64 @create{index}(ptr %c, ptr %row, i64 %priority{parameters})", Steps.create),
    ]
    if _answers(facts, kind):
        wanted.append((f"internal i64 @A{index}({usual}, i64 %n)", Steps.answers))
    if facts.asks_who_may_move:
        wanted.append((f"internal i64 @M{index}({usual}, i64 %timeout)", Steps.may_move))
    if kind.provided is not None:
        wanted.append((f"internal i64 @V{index}({usual}, i64 %timeout)", Steps.provided))
    texts: list[str] = []
    for head, body in wanted:
        writer = Writer(head)
        body(Steps(facts, writer, kind))
        texts.append(writer.text())
    return texts


def _answers(facts: Facts, kind: ProcessType) -> bool:
    """Whether a process of this type may answer a rendezvous."""
    rendezvous = any(not shape.capacity for shape in facts.shapes)
    return rendezvous and any(receives(step) for node in kind.graph.nodes.values() for step in node.transitions)


# Dispatch on the types of processes


def _dispatch(facts: Facts) -> list[str]:
    written = [_step(facts)]
    if any(not shape.capacity for shape in facts.shapes):
        written.append(_meet(facts))
    if facts.asks_who_may_move:
        written.append(_may_move(facts))
    if facts.schedules:
        written += [_provided(facts), _scheduled(facts)]
    return written


def _step(facts: Facts) -> str:
    w = Writer("internal void @step(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %timeout)")
    labels = [(kind.index, w.fresh("type")) for kind in facts.running]
    w.switch(w.load(w.at("%row", "%at"), 1), "leave", labels)
    for index, label in labels:
        w.label(label)
        w.do(f"call void @P{index}(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %timeout)")
        w.jump("leave")
    w.label("leave")
    w.end("ret void")
    return w.text()


def _meet(facts: Facts) -> str:
    """Let every other process answer, youngest first."""
    w = Writer("internal i64 @meet(ptr %c, ptr %row, i64 %sender)")
    n = w.load(w.at("%c", control.HANDSHAKE), 8)
    count = alive(w)
    before = w.block
    w.label("loop")
    w.do(f"%above = phi i64 [ {count}, %{before} ], [ %number, %following ]")
    w.when(w.compare("eq", "%above", 0), "leave")
    w.do("%number = add i64 %above, -1")
    w.when(w.compare("eq", "%number", "%sender"), "following")
    at = w.get("call i64 @locate(ptr %row, i64 %number)")
    if facts.schedules:
        allowed = w.get(f"call i64 @scheduled(ptr %c, ptr %row, i64 {at}, i64 %number, i64 0)")
        w.when(w.compare("eq", allowed, 2), "failed")
        w.when(w.compare("eq", allowed, 0), "following")
    labels = [(kind.index, w.fresh("type")) for kind in facts.running if _answers(facts, kind)]
    w.switch(w.load(w.at("%row", at), 1), "following", labels)
    for index, label in labels:
        w.label(label)
        failed = w.get(f"call i64 @A{index}(ptr %c, ptr %row, i64 {at}, i64 %number, i64 {n})")
        w.branch(w.compare("eq", failed, 0), "following", "failed")
    w.label("following")
    w.jump("loop")
    w.label("leave")
    w.end("ret i64 0")
    w.label("failed")
    w.end("ret i64 1")
    return w.text()


def _may_move(facts: Facts) -> str:
    w = Writer("internal i64 @may_move(ptr %c, ptr %row, i64 %pid, i64 %timeout)")
    w.do("%at = call i64 @locate(ptr %row, i64 %pid)")
    _forward(w, "M", [kind.index for kind in facts.running], "0")
    return w.text()


def _provided(facts: Facts) -> str:
    w = Writer("internal i64 @provided(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %timeout)")
    _forward(w, "V", [kind.index for kind in facts.running if kind.provided is not None], "1")
    return w.text()


def _forward(w: Writer, name: str, indices: list[int], otherwise: str) -> None:
    """Hand the question on to the function of the process's type."""
    labels = [(index, w.fresh("type")) for index in indices]
    w.switch(w.load(w.at("%row", "%at"), 1), "other", labels)
    for index, label in labels:
        w.label(label)
        answer = w.get(f"call i64 @{name}{index}(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %timeout)")
        w.end(f"ret i64 {answer}")
    w.label("other")
    w.end(f"ret i64 {otherwise}")


def _scheduled(facts: Facts) -> str:
    """Whether `provided` allows a process to move, and no process of higher priority wants to: 0, 1, or 2 if raised."""
    w = Writer("internal i64 @scheduled(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %timeout)")
    w.do("%allowed = call i64 @provided(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %timeout)")
    w.unless(w.compare("eq", "%allowed", 1), "leave")
    priority = facts.layout.priority
    if priority is not None:
        own = w.load(w.at(w.at("%row", "%at"), priority), 1)

        def ask(number: str, offset: str, _kind: str) -> None:
            other = w.fresh("other")
            w.when(w.compare("eq", number, "%pid"), other)
            w.unless(w.compare("ugt", w.load(w.at(w.at("%row", offset), priority), 1), own), other)
            who = f"ptr %c, ptr %row, i64 {offset}, i64 {number}, i64 %timeout"
            allowed = w.get(f"call i64 @provided({who})")
            w.when(w.compare("eq", allowed, 2), "failed")
            w.when(w.compare("eq", allowed, 0), other)
            able = w.get(f"call i64 @may_move(ptr %c, ptr %row, i64 {number}, i64 %timeout)")
            w.when(w.compare("eq", able, 2), "failed")
            w.when(w.compare("eq", able, 1), "kept")
            w.label(other)

        each_process(w, facts, alive(w), ask)
    w.end("ret i64 1")
    w.label("leave")
    w.end("ret i64 %allowed")
    w.label("kept")
    w.end("ret i64 0")
    w.label("failed")
    w.end("ret i64 2")
    return w.text()


# A whole row


def _successors(facts: Facts) -> str:
    """Every successor of the system; the flags say what went wrong. 1 if nothing can happen at all."""
    w = Writer("internal i64 @successors(ptr %c, ptr %row, ptr %out)")
    for field in (control.FLAGS, control.COUNT_OUT, control.STEPS, control.HANDSHAKE, control.CHAIN_COUNT):
        w.store(w.at("%c", field), 0, 8)
    for field in (control.PROBING, control.MOVERS, control.EARLIER_MOVERS, control.SENDER, control.ABLE):
        w.store(w.at("%c", field), 0, 8)
    w.do(f"%chain = getelementptr i8, ptr %c, i64 {facts.chain}")
    w.do(f"%chain_limit = getelementptr i8, ptr %chain, i64 {CHAIN_BYTES}")
    w.do(f"%out_limit = getelementptr i8, ptr %out, i64 {OUT_BYTES}")
    for field, place in (
        (control.OUT, "%out"),
        (control.OUT_LIMIT, "%out_limit"),
        (control.CHAIN_BEGIN, "%chain"),
        (control.CHAIN_END, "%chain"),
        (control.CHAIN_LIMIT, "%chain_limit"),
    ):
        w.do(f"store ptr {place}, ptr {w.at('%c', field)}")
    w.branch(w.compare("eq", w.load(w.at("%row", HOLDER), 1), 0), "free", "held")
    w.label("held")
    step_holder(w, "%row")
    w.jump("moved")
    w.label("free")
    if facts.reduction is not None:
        reduced(w)
    _everybody(w, facts)
    w.label("moved")
    steps = w.load(w.at("%c", control.STEPS), 8)
    stopped = w.number(w.compare("eq", steps, 0))
    able = w.load(w.at("%c", control.ABLE), 8)
    _finish_chain(w)
    w.store(w.at("%c", control.ABLE), able, 8)
    w.end(f"ret i64 {stopped}")
    return w.text()


def _everybody(w: Writer, facts: Facts) -> None:
    """Let every process move, youngest first; if none can, once more with `timeout` true."""
    count = alive(w)
    table = w.at("%c", facts.offsets)

    def note(number: str, offset: str, _kind: str) -> None:
        w.store(w.get(f"getelementptr i64, ptr {table}, i64 {number}"), offset, 8)

    each_process(w, facts, count, note)
    before = w.block
    w.label("round")
    w.do(f"%timeout = phi i64 [ 0, %{before} ], [ 1, %again ]")
    w.jump("process")
    w.label("process")
    w.do(f"%above = phi i64 [ {count}, %round ], [ %number, %turn ]")
    w.branch(w.compare("eq", "%above", 0), "tried", "turn")
    w.label("turn")
    w.do("%number = add i64 %above, -1")
    at = w.load(w.get(f"getelementptr i64, ptr {table}, i64 %number"), 8)
    w.do(f"call void @step(ptr %c, ptr %row, i64 {at}, i64 %number, i64 %timeout)")
    w.jump("process")
    w.label("tried")
    stuck = w.compare("eq", w.load(w.at("%c", control.STEPS), 8), 0)
    first = w.compare("eq", "%timeout", 0)
    w.branch(w.both(stuck, first) if facts.uses_timeout else "false", "again", "moved")
    w.label("again")
    w.jump("round")


def _finish_chain(w: Writer) -> None:
    """Go on with the rows in the middle of an atomic sequence; a process that cannot go on loses its atomicity."""
    first, before = w.pointer(w.at("%c", control.CHAIN_BEGIN)), w.block
    w.label("chain_loop")
    w.do(f"%kept = phi ptr [ {first}, %{before} ], [ %next_kept, %chain_next ]")
    end = w.pointer(w.at("%c", control.CHAIN_END))
    w.branch(w.get(f"icmp uge ptr %kept, {end}"), "chain_done", "chain_step")
    w.label("chain_step")
    movers = w.load("%kept", 8)
    w.store(w.at("%c", control.EARLIER_MOVERS), movers, 8)
    w.do(f"%held_row = getelementptr i8, ptr %kept, i64 {WORD}")
    w.store(w.at("%c", control.STEPS), 0, 8)
    step_holder(w, "%held_row")
    w.branch(w.compare("eq", w.load(w.at("%c", control.STEPS), 8), 0), "lost", "chain_next")
    w.label("lost")
    new = w.pointer(w.at("%c", control.OUT))
    w.do(f"call void @copy(ptr {new}, ptr %held_row)")
    w.store(w.at(new, HOLDER), 0, 1)
    w.store(w.at("%c", control.MOVERS), movers, 8)
    w.do(f"call void @deliver(ptr %c, ptr {new})")
    w.label("chain_next")
    w.do("%row_bytes = call i64 @bytes(ptr %held_row)")
    w.do("%next_kept = getelementptr i8, ptr %held_row, i64 %row_bytes")
    w.jump("chain_loop")
    w.label("chain_done")


def _initial(facts: Facts, claim: ClaimCode) -> str:
    row = bytearray(Packer(facts.program).pack(initial_state(facts.program), claim.start))
    row[0] = KNOWN
    listed = ", ".join(f"i8 {byte}" for byte in row)
    w = Writer("i64 @initial(ptr %out, ptr %c)")
    w.do(f"call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr @first, i64 {len(row)}, i1 false)")
    w.do("call void @colour(ptr %out)")
    w.end("ret i64 1")
    return f"@first = internal constant [{len(row)} x i8] [ {listed} ]\n{w.text()}"


__all__ = ["VIOLATION_ROW", "Code", "code_of"]
