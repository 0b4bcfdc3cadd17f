"""The successors of a whole row, atomic sequences taken to their end.

successors(c, row, out)   write them; the flags say what went wrong. 1 if nothing can happen at all
"""

from __future__ import annotations

from everafter.engine.emit.caller_choice import take_chosen
from everafter.engine.emit.chain import KEPT_BYTES, Kept, open_chain
from everafter.engine.emit.control_block import Word, read, write
from everafter.engine.emit.processes import alive, each_process
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.reduction.reduced_successors import reduced
from everafter.engine.emit.row_code import each_row, step_holder
from everafter.engine.emit.sequence_walk import begin_walk
from everafter.engine.emit.writer import Writer
from everafter.program.layout import HOLDER

_CLEARED = (
    Word.FLAGS,
    Word.COUNT_OUT,
    Word.STEPS,
    Word.HANDSHAKE,
    Word.PROBING,
    Word.MOVERS,
    Word.EARLIER_MOVERS,
    Word.SENDER,
    Word.ABLE,
    Word.UNASKED,
    Word.LEFT,
)


def successors(facts: Facts) -> str:
    """The text of the function."""
    w = Writer("internal i64 @successors(ptr %c, ptr %row, ptr %out)")
    _prepare(w, facts)
    w.branch(w.compare("eq", w.load(w.at("%row", HOLDER), 1), 0), "free", "held")
    w.label("held")
    write(w, Word.LEFT, 1)
    step_holder(w, "%row")
    w.jump("moved")
    w.label("free")
    if facts.judged is not None:
        take_chosen(w)
    if facts.reduction is not None:
        reduced(w)
    _everybody(w, facts)
    w.label("moved")
    steps = read(w, Word.STEPS)
    stopped = w.number(w.compare("eq", steps, 0))
    able = read(w, Word.ABLE)
    if facts.goes_on:
        _finish_chain(w, facts)
        if not facts.labelled:  # a walk asks in the one that it takes
            _ask_holders(w)
    if facts.program.symmetry is not None:
        each_row(w, "%out", w.pointer(w.at("%c", Word.OUT)), lambda row: w.do(f"call void @represent(ptr {row})"))
    write(w, Word.ABLE, able)
    if facts.judged is not None:
        write(w, Word.TAKEN_ENDS, w.get(f"or i64 {read(w, Word.COUNT_OUT)}, {read(w, Word.FLAGS)}"))
    w.end(f"ret i64 {stopped}")
    return w.text()


def prepared(facts: Facts) -> str:
    """A function that prepares the control block for steps of one process."""
    w = Writer("internal void @prepare(ptr %c, ptr %out)")
    _prepare(w, facts)
    w.end("ret void")
    return w.text()


def _prepare(w: Writer, facts: Facts) -> None:
    """Begin with nothing found, and successors to be written to `%out`."""
    for word in _CLEARED:
        write(w, word, 0)
    if facts.reduction is not None:
        write(w, Word.TAKEN, -1)
    if facts.goes_on:
        open_chain(w, facts)
    w.do(f"%out_limit = getelementptr i8, ptr %out, i64 {facts.sizes.out}")
    for word, place in ((Word.OUT, "%out"), (Word.OUT_LIMIT, "%out_limit")):
        w.do(f"store ptr {place}, ptr {w.at('%c', word)}")


def _everybody(w: Writer, facts: Facts) -> None:
    """Let every process move, youngest first; if none can, once more with `timeout` true."""
    count = alive(w)
    table = w.at("%c", facts.rooms.offsets)

    def note(number: str, offset: str, _kind: str) -> None:
        w.store(w.get(f"getelementptr i64, ptr {table}, i64 {number}"), offset, 8)

    each_process(w, facts, count, note)
    turn = w.get(f"urem i64 {read(w, Word.SALT)}, {_at_least_one(w, count)}") if facts.varies else ""
    before = w.block
    w.label("round")
    w.do(f"%timeout = phi i64 [ 0, %{before} ], [ 1, %again ]")
    w.jump("process")
    w.label("process")
    w.do(f"%above = phi i64 [ {count}, %round ], [ %number, %turn ]")
    w.branch(w.compare("eq", "%above", 0), "tried", "turn")
    w.label("turn")
    w.do("%number = add i64 %above, -1")
    mover = _turned(w, turn, count) if facts.varies else "%number"
    at = w.load(w.get(f"getelementptr i64, ptr {table}, i64 {mover}"), 8)
    w.do(f"call void @step(ptr %c, ptr %row, i64 {at}, i64 {mover}, i64 %timeout)")
    w.jump("process")
    w.label("tried")
    stuck = w.compare("eq", read(w, Word.STEPS), 0)
    first = w.compare("eq", "%timeout", 0)
    w.branch(w.both(stuck, first) if facts.uses_timeout else "false", "again", "moved")
    w.label("again")
    w.jump("round")


def _at_least_one(w: Writer, count: str) -> str:
    return w.get(f"select i1 {w.compare('eq', count, 0)}, i64 1, i64 {count}")


def _turned(w: Writer, turn: str, count: str) -> str:
    """The number of the process that moves where the order of `count` processes begins elsewhere by `turn`."""
    later = w.add("%number", turn)
    is_behind = w.compare("uge", later, count)
    return w.get(f"select i1 {is_behind}, i64 {w.get(f'sub i64 {later}, {count}')}, i64 {later}")


def _finish_chain(w: Writer, facts: Facts) -> None:
    """Go on with the rows in the middle of an atomic sequence; a process that cannot go on loses its atomicity."""
    first, before = w.pointer(w.at("%c", Word.CHAIN_BEGIN)), w.block
    w.label("chain_loop")
    w.do(f"%kept = phi ptr [ {first}, %{before} ], [ %next_kept, %chain_next ]")
    end = w.pointer(w.at("%c", Word.CHAIN_END))
    w.branch(w.get(f"icmp uge ptr %kept, {end}"), "chain_done", "chain_step")
    w.label("chain_step")
    movers, known = (w.load(w.at("%kept", word), 8) for word in (Kept.MOVERS, Kept.HASH))
    write(w, Word.EARLIER_MOVERS, movers)
    w.do(f"%held_row = getelementptr i8, ptr %kept, i64 {KEPT_BYTES}")
    w.do("%row_bytes = call i64 @bytes(ptr %held_row)")
    w.do("%next_kept = getelementptr i8, ptr %held_row, i64 %row_bytes")
    w.do(f"store ptr %next_kept, ptr {w.at('%c', Word.CHAIN_NEXT)}")
    w.unless(w.compare("eq", known, 0), "chain_next")
    write(w, Word.STEPS, 0)
    walker = begin_walk(w, facts, "%held_row")
    step_holder(w, walker)
    w.branch(w.compare("eq", read(w, Word.STEPS), 0), "lost", "chain_next")
    w.label("lost")
    new = w.pointer(w.at("%c", Word.OUT))
    w.do(f"call void @copy(ptr {new}, ptr {walker})")
    w.store(w.at(new, HOLDER), 0, 1)
    write(w, Word.MOVERS, movers)
    w.do(f"call void @deliver(ptr %c, ptr {new})")
    w.label("chain_next")
    w.jump("chain_loop")
    w.label("chain_done")


def _ask_holders(w: Writer) -> None:
    """Ask in successors that are in the middle of a sequence whether it can go on, as far as that is not known."""
    w.when(w.compare("eq", read(w, Word.UNASKED), 0), "all_asked")
    flags, end = read(w, Word.FLAGS), w.pointer(w.at("%c", Word.OUT))
    write(w, Word.PROBING, 1)

    def ask(row: str) -> None:
        w.when(w.compare("eq", w.load(w.at(row, HOLDER), 1), 0), "holder_done")
        write(w, Word.STEPS, 0)
        step_holder(w, row)
        w.branch(w.compare("eq", read(w, Word.STEPS), 0), "holder_stuck", "holder_done")
        w.label("holder_stuck")
        w.store(w.at(row, HOLDER), 0, 1)
        w.label("holder_done")

    each_row(w, "%out", end, ask)
    write(w, Word.FLAGS, flags)
    write(w, Word.PROBING, 0)
    w.label("all_asked")
