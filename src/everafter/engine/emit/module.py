"""The whole text of a model's code: what `engine/run/native_model.py` compiles.

    expand(row, out, c)    write the successors of a row; how many, or -1 if there was no room
    initial(out, c)        write the initial row; 1

A run that violates something leads to VIOLATION, a row of one word that no state has; where every step counts, one that
goes wrong in a step does so through FAILING, another such row.
"""

from __future__ import annotations

from everafter.certificates.independence.conflict_table import ConflictTable
from everafter.engine.emit import random_walk_code, scheduling
from everafter.engine.emit.answers import Answers, may_answer
from everafter.engine.emit.caller_choice import judged
from everafter.engine.emit.chain import chain
from everafter.engine.emit.claims import FAILING, VIOLATION, ClaimCode, Safety
from everafter.engine.emit.constant_tables import tables
from everafter.engine.emit.control_block import MESSAGE, PROCESSOR, Sizes, Word, read
from everafter.engine.emit.creation import CreationCode
from everafter.engine.emit.process_code import Steps
from everafter.engine.emit.processes import alive, processes
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.reduction.ample_code import ample
from everafter.engine.emit.representative import representatives
from everafter.engine.emit.row_code import DECLARATIONS, rows
from everafter.engine.emit.sequence_walk import walk
from everafter.engine.emit.step_log import noted, step_log
from everafter.engine.emit.successors import prepared, successors
from everafter.engine.emit.walk_trace import TRACE
from everafter.engine.emit.watch_code import watchers
from everafter.engine.emit.writer import Writer
from everafter.execution.packing import Packer
from everafter.execution.state import State
from everafter.execution.step import initial_state
from everafter.program.program import ProcessType, Program
from everafter.record import dataclass
from everafter.reduction.ample import Reduction
from everafter.search.space import KNOWN

VIOLATION_ROW, FAILING_ROW = (word.to_bytes(8, "little") for word in (VIOLATION, FAILING))


@dataclass(frozen=True, slots=True)
class Code:
    """The text of a model's code, and how large its control block is."""

    text: str
    control_size: int
    sets: int | None = None
    """Where in the control block the acceptance sets of the successors are, if they have any."""
    wanted: int = 0
    """Which of these a cycle must meet, as bits."""
    reached: int | None = None
    """Where in it the bytes are that tell which statements were executed, if that is noted."""
    cleared: tuple[tuple[int, int], ...] = ()
    """What of it must be zero before its first use: where, and how many bytes."""
    longest_row: int = 0
    """More bytes than any row can have."""


def code_of(
    program: Program,
    claim: ClaimCode | None = None,
    reduction: Reduction | None = None,
    start: State | None = None,
    judge: ConflictTable | None = None,
    sizes: Sizes = PROCESSOR,
    walks: bool = False,
    varies: bool = False,
) -> Code:
    """Return the code of `program`, alone or in product with `claim`, with all steps or, by `reduction`, ample sets.

    With a table `judge`, the caller names the process whose steps are taken (`judged.py`). `start` is the initial
    state, or another one in which any process may move. The code writes no more than `sizes` allow. If it `walks`, it
    has the function `walk` (`random_walk_code.py`), and no `initial`. If
    it `varies`, searches for safety, and nested ones, differ by the word SALT.
    """
    chosen = claim or Safety()
    covers = claim is None and sizes == PROCESSOR and not walks  # what a thread of a GPU executes is not gathered
    asked = chosen.watched, chosen.fair, reduction, covers, judge, claim is not None, sizes
    facts = Facts(program, *asked, labelled=walks, varies=varies, nested=chosen.nested)
    parts = [*chain(facts), walk(facts), *processes(facts)]
    parts += _dispatch(facts)
    for kind in facts.running:
        parts += _process(facts, kind)
    if program.symmetry is not None:
        parts += representatives(program.symmetry)
    if facts.watches:
        parts += watchers(facts)
    if reduction is not None:
        parts += ample(facts, reduction)
    if judge is not None:
        parts += [prepared(facts), *judged(facts, judge)]
    parts.append(successors(facts))
    if walks:
        parts = [noted("\n".join(parts)), random_walk_code.DECLARATION, *step_log(facts)]
        parts += [TRACE, random_walk_code.walk(facts)]
    else:
        parts += [*chosen.text(facts), _initial(facts, chosen, start)]
    *written, delivered = rows(facts)
    parts = [DECLARATIONS, *tables(facts), *written, *([] if walks else [delivered]), *parts]
    sets, reached = facts.rooms.masks if facts.fair else None, facts.rooms.reached if facts.covers else None
    slots = ((facts.rooms.slots, 8 * sizes.slots),) if facts.goes_on else ()
    cleared = ((0, MESSAGE), *slots)
    wanted = chosen.wanted if facts.fair else 0
    return Code("\n".join(parts), facts.rooms.end, sets, wanted, reached, cleared, facts.longest_row)


def _process(facts: Facts, kind: ProcessType) -> list[str]:
    """The functions of one proctype."""
    answers = [Answers(facts, kind).text()] if may_answer(facts, kind) else []
    return [Steps(facts, kind).text(), CreationCode(facts, kind).text(), *answers, *scheduling.of_type(facts, kind)]


# Dispatch on the types of processes


def _dispatch(facts: Facts) -> list[str]:
    meet = [_meet(facts)] if any(not shape.capacity for shape in facts.shapes) else []
    return [_step(facts), *meet, *scheduling.dispatch(facts)]


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
    n = read(w, Word.HANDSHAKE)
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
    labels = [(kind.index, w.fresh("type")) for kind in facts.running if may_answer(facts, kind)]
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


def _initial(facts: Facts, claim: ClaimCode, start: State | None) -> str:
    row = bytearray(Packer(facts.program).pack(start or initial_state(facts.program), claim.start))
    row[0] = KNOWN
    listed = ", ".join(f"i8 {byte}" for byte in row)
    w = Writer("i64 @initial(ptr %out, ptr %c)")
    w.do(f"call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr @first, i64 {len(row)}, i1 false)")
    w.do("call void @colour(ptr %out)")
    claim.begin(w, facts)
    w.end("ret i64 1")
    return f"@first = internal constant [{len(row)} x i8] [ {listed} ]\n{w.text()}"


__all__ = ["FAILING_ROW", "VIOLATION_ROW", "Code", "code_of"]
