"""Walking through an atomic sequence in place: while only one step is possible, no row is copied, kept or looked up.

rest(c, row)   after some steps of a walk: whether to go no further, since it runs in a circle, or since it is too long,
               so that the row is a successor as it is

A row of the chain is copied to the walker before it is expanded, and there the function of its proctype takes one step
after the other. Where more steps are possible, and where the sequence ends, all are written as those of any row.

Only the holder walks, which had moved before, so that on the way no process is added to those that have moved.

A walk runs in a circle if it comes back to its mark, a row that is put where it is after 1, 2, 4, 8 … rests (Brent,
1980), and with which it is compared at every rest: this costs nearly nothing, and ends it soon enough. A walk that is
too long for one expansion ends at the next landmark, so that a long circle ends, too, when it comes to one once more.
"""

from __future__ import annotations

from everafter.engine.emit.chain import close_chain, is_landmark
from everafter.engine.emit.control_block import Word, increase, read, write
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.writer import Writer

STEPS_BETWEEN_RESTS = 256
_SEARCH_FOR_LANDMARK = 1 << 15
"""The number of steps after which, without a landmark, any row will do."""


def walk(facts: Facts) -> str:
    """The text of `rest`."""
    w = Writer("internal i1 @rest(ptr %c, ptr %row)")
    mark = w.at("%c", facts.rooms.mark)
    walked = read(w, Word.WALKED)
    w.when(w.compare("uge", walked, facts.sizes.walked), "long")
    write(w, Word.REST_AT, w.add(walked, STEPS_BETWEEN_RESTS))
    increase(w, Word.RESTS)
    rests = read(w, Word.RESTS)
    w.when(w.compare("eq", rests, 1), "put")
    w.when(w.get(f"call i1 @same(ptr %row, ptr {mark})"), "end")
    w.unless(w.compare("eq", w.get(f"and i64 {rests}, {w.add(rests, -1)}"), 0), "go")
    w.label("put")
    w.do(f"call void @copy(ptr {mark}, ptr %row)")
    w.label("go")
    w.end("ret i1 false")
    _leave_at_landmark(w, facts, walked)
    w.label("end")
    increase(w, Word.STEPS)
    w.end("ret i1 true")
    return w.text()


def begin_walk(w: Writer, facts: Facts, row: str) -> str:
    """Return a copy of `row` to walk on, by code of `w`, for `facts`."""
    lift_mark(w)
    write(w, Word.REST_AT, w.add(read(w, Word.WALKED), STEPS_BETWEEN_RESTS))
    walker = w.at("%c", facts.rooms.walker)
    w.do(f"call void @copy(ptr {walker}, ptr {row})")
    return walker


def lift_mark(w: Writer) -> None:
    """Begin with no rests, and so without a mark."""
    write(w, Word.RESTS, 0)


def is_walker(w: Writer, facts: Facts) -> str:
    """Return whether `%row` may be changed in place, by code of `w`, for `facts`."""
    return w.get(f"icmp eq ptr %row, {w.at('%c', facts.rooms.walker)}")


def walk_on(w: Writer, again: str, end: str) -> None:
    """Emit, by `w`, what follows a step taken in place: go on at the label `again`, or no further, at `end`."""
    count = w.add(read(w, Word.WALKED), 1)
    write(w, Word.WALKED, count)
    w.unless(w.compare("uge", count, read(w, Word.REST_AT)), again)
    w.branch(w.get("call i1 @rest(ptr %c, ptr %row)"), end, again)


def count_instructions(w: Writer) -> None:
    """The d_step just run counts as what it did."""
    write(w, Word.WALKED, w.add(read(w, Word.WALKED), read(w, Word.D_STEP_COUNT)))


def _leave_at_landmark(w: Writer, facts: Facts, walked: str) -> None:
    """The walk is too long: rest at every step, until there is a landmark, and leave the row there."""
    w.label("long")
    write(w, Word.REST_AT, 0)
    mixed = w.get(f"call i64 @hash(ptr %row, i64 {read(w, Word.EARLIER_MOVERS)})")
    far = w.compare("uge", walked, facts.sizes.walked + _SEARCH_FOR_LANDMARK)
    w.unless(w.either(is_landmark(w, mixed), far), "go")
    close_chain(w)
    w.do("call void @leave(ptr %c, ptr %row)")
