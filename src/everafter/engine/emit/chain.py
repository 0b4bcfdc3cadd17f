"""The chain: the worklist of intermediate rows of atomic sequences, and the rows at which there was a choice.

hold(c, row)           the row just written is in the middle of an atomic sequence: it waits, or if the sequence is too
                       long or too wide for that, it is a successor as it is
choose(c, row)         several steps are possible from a row: whether they are not to be taken, since they have been,
                       from an equal row, or since the row is a successor as it is
hash(row, movers)      64 mixed bits, equal for equal rows with equal movers
enter(c, kept, row)    whether an equal row is known; else this one is from now on, and will be kept there
recall(c)              make more slots, and enter again all that is kept
leave(c, row)          a row in the middle of an atomic sequence is a successor as it is

So ways that meet are one from the next choice on. Rows with a choice are looked up in a table of slots, probed one
after the other. A slot has the number of the generation in which it was filled, above the place of the row: in another
generation it is empty, so that nothing is to be cleared.
"""

from __future__ import annotations

from enum import auto

from everafter.engine.emit.control_block import (
    LEAST_KEPT,
    PROCESSOR,
    Offset,
    Word,
    increase,
    read,
    write,
)
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.row_code import count_step
from everafter.engine.emit.writer import Writer
from everafter.program.layout import WORD


class Kept(Offset):
    """The words before each row of the chain."""

    HASH = auto()
    """0 if it waits, else it is known, and has been expanded."""
    MOVERS = auto()
    """The processes that have moved in the sequence so far, in a fair search: with others it is another row."""


KEPT_BYTES = WORD * len(Kept)

FIRST_SECRET, SECOND_SECRET = 0x2D358DCCAA6C78A5, 0x0BB8FE6A5C4D7C91
"""Any odd constants with about as many ones as zeros will do."""
_NOT_ZERO = -(1 << 63)
"""A bit of the hash that is always set."""

_PLACE_BITS = 16
"""The low bits of a slot: where the row is kept, in words."""
assert PROCESSOR.chain <= WORD << _PLACE_BITS

_WIDE = 3
"""A sequence that was left in the middle is followed on while no more rows wait than about this power of two.

The wider it is, the more of its rows are met again from others that were left, so that the store had better know them.
"""
_LANDMARK = 511
"""It is left again at landmarks, where these bits of a row's hash are zero: every walk leaves it at the same."""

_HASH = f"""
define internal i64 @fold(i64 %left, i64 %right) alwaysinline {{
  %x = zext i64 %left to i128
  %y = zext i64 %right to i128
  %product = mul i128 %x, %y
  %upper = lshr i128 %product, 64
  %both = xor i128 %product, %upper
  %word = trunc i128 %both to i64
  ret i64 %word
}}

define internal i64 @hash(ptr %row, i64 %movers) {{
entry:
  %size = call i64 @bytes(ptr %row)
  %last = getelementptr i8, ptr %row, i64 %size
  %final_place = getelementptr i8, ptr %last, i64 -{WORD}
  %final = load i64, ptr %final_place
  %start = xor i64 %movers, {FIRST_SECRET}
  br label %loop
loop:
  %i = phi i64 [ {2 * WORD}, %entry ], [ %next, %loop ]
  %sum = phi i64 [ %start, %entry ], [ %mixed, %loop ]
  %behind = getelementptr i8, ptr %row, i64 %i
  %first_place = getelementptr i8, ptr %behind, i64 -{2 * WORD}
  %second_place = getelementptr i8, ptr %behind, i64 -{WORD}
  %first = load i64, ptr %first_place
  %second = load i64, ptr %second_place
  %left = xor i64 %sum, %first
  %right = xor i64 %second, {SECOND_SECRET}
  %mixed = call i64 @fold(i64 %left, i64 %right)
  %next = add i64 %i, {2 * WORD}
  %more = icmp ule i64 %next, %size
  br i1 %more, label %loop, label %done
done:
  %all = xor i64 %mixed, %final
  %hash = call i64 @fold(i64 %all, i64 {FIRST_SECRET})
  ret i64 %hash
}}
"""


def chain(facts: Facts) -> list[str]:
    """The text of these functions."""
    return [_HASH, _hold(), _choose(facts), _enter(facts), _recall(), _leave(facts)]


def open_chain(w: Writer, facts: Facts) -> None:
    """Begin with no intermediate rows, by code of `w`, for the successors of `%row`.

    Where every step counts there never are any; `facts` have the sizes.
    """
    w.do(f"%chain = getelementptr i8, ptr %c, i64 {facts.rooms.chain}")
    w.do(f"%chain_end = getelementptr i8, ptr %chain, i64 {facts.sizes.chain}")
    together = w.compare("eq", read(w, Word.BY_STEPS), 0)
    w.do(f"%chain_limit = select i1 {together}, ptr %chain_end, ptr null")
    for word, place in (
        (Word.CHAIN_BEGIN, "%chain"),
        (Word.CHAIN_NEXT, "%chain"),
        (Word.CHAIN_END, "%chain"),
        (Word.CHAIN_LIMIT, "%chain_limit"),
    ):
        w.do(f"store ptr {place}, ptr {w.at('%c', word)}")
    write(w, Word.CHAIN_MASK, facts.sizes.first_slots - 1)
    write(w, Word.WALKED, 0)
    forget(w)


def forget(w: Writer) -> None:
    """Empty all slots."""
    increase(w, Word.GENERATION)


def is_landmark(w: Writer, mixed: str) -> str:
    """Return whether the row with the hash `mixed` is a landmark, by code of `w`."""
    return w.compare("eq", w.get(f"and i64 {mixed}, {_LANDMARK}"), 0)


def close_chain(w: Writer) -> None:
    """Keep no more rows: all that would be kept are successors as they are."""
    w.do(f"store ptr null, ptr {w.at('%c', Word.CHAIN_LIMIT)}")


def _hold() -> str:
    w = Writer("internal void @hold(ptr %c, ptr %new)")
    count_step(w)
    w.store("%new", 0, 1)
    w.do(f"%end = getelementptr i8, ptr %new, i64 -{KEPT_BYTES}")
    w.when(w.get(f"icmp uge ptr %end, {w.pointer(w.at('%c', Word.CHAIN_LIMIT))}"), "full")
    w.do("%size = call i64 @bytes(ptr %new)")
    waiting = _distance(w, w.pointer(w.at("%c", Word.CHAIN_NEXT)), "%end")
    was_left = w.compare("ne", read(w, Word.LEFT), 0)
    wide = w.compare("ugt", waiting, w.get(f"shl i64 %size, {_WIDE}"))
    w.when(w.both(was_left, wide), "full")
    w.store(w.at("%end", Kept.HASH), 0, 8)
    w.store(w.at("%end", Kept.MOVERS), read(w, Word.MOVERS), 8)
    w.do(f"store ptr {w.at('%new', '%size')}, ptr {w.at('%c', Word.CHAIN_END)}")
    w.end("ret void")
    w.label("full")
    close_chain(w)
    w.do("call void @leave(ptr %c, ptr %new)")
    w.end("ret void")
    return w.text()


def _choose(facts: Facts) -> str:
    w = Writer("internal i1 @choose(ptr %c, ptr %row)")
    w.do(f"%kept = load ptr, ptr {w.at('%c', Word.CHAIN_END)}")
    movers = read(w, Word.EARLIER_MOVERS)
    mixed = w.get(f"call i64 @hash(ptr %row, i64 {movers})")
    was_left = w.compare("ne", read(w, Word.LEFT), 0)
    w.when(w.both(was_left, is_landmark(w, mixed)), "landmark")
    w.when(w.get(f"icmp uge ptr %kept, {w.pointer(w.at('%c', Word.CHAIN_LIMIT))}"), "new")
    w.store(w.at("%kept", Kept.HASH), w.get(f"or i64 {mixed}, {_NOT_ZERO}"), 8)
    w.store(w.at("%kept", Kept.MOVERS), movers, 8)
    w.when(w.get("call i1 @enter(ptr %c, ptr %kept, ptr %row)"), "known")
    _remember(w, facts)
    w.label("new")
    w.end("ret i1 false")
    w.label("landmark")
    write(w, Word.MOVERS, movers)
    w.do("call void @leave(ptr %c, ptr %row)")
    w.label("known")
    increase(w, Word.STEPS)
    w.end("ret i1 true")
    return w.text()


def _remember(w: Writer, facts: Facts) -> None:
    """Keep the row that was entered; half of the slots stay empty, however small the rows are."""
    copy = w.at("%kept", KEPT_BYTES)
    w.do(f"call void @copy(ptr {copy}, ptr %row)")
    end = w.at(copy, w.get("call i64 @bytes(ptr %row)"))
    w.do(f"store ptr {end}, ptr {w.at('%c', Word.CHAIN_END)}")
    used = _distance(w, w.at("%c", facts.rooms.chain), "%kept")
    needed = w.get(f"udiv i64 {used}, {LEAST_KEPT // 2}")
    w.unless(w.compare("ugt", needed, read(w, Word.CHAIN_MASK)), "new")
    w.do("call void @recall(ptr %c)")


def _leave(facts: Facts) -> str:
    w = Writer("internal void @leave(ptr %c, ptr %new)")
    if facts.labelled:
        w.do("call void @deliver(ptr %c, ptr %new)")
        w.end("ret void")
        return w.text()
    w.do(f"%row = load ptr, ptr {w.at('%c', Word.OUT)}")
    w.do("call void @copy(ptr %row, ptr %new)")
    w.do("call void @deliver(ptr %c, ptr %row)")
    write(w, Word.UNASKED, 1)
    w.end("ret void")
    return w.text()


def _distance(w: Writer, begin: str, end: str) -> str:
    """The bytes from one address to another."""
    first, last = (w.get(f"ptrtoint ptr {place} to i64") for place in (begin, end))
    return w.get(f"sub i64 {last}, {first}")


def _enter(facts: Facts) -> str:
    w = Writer("internal i1 @enter(ptr %c, ptr %kept, ptr %row)")
    w.do(f"%chain = getelementptr i8, ptr %c, i64 {facts.rooms.chain}")
    w.do(f"%slots = getelementptr i8, ptr %c, i64 {facts.rooms.slots}")
    wanted = w.load(w.at("%kept", Kept.HASH), 8)
    mask, generation = read(w, Word.CHAIN_MASK), read(w, Word.GENERATION)
    before = w.block
    w.label("look")
    w.do(f"%probe = phi i64 [ {wanted}, %{before} ], [ %following, %more ]")
    slot = w.get(f"getelementptr i64, ptr %slots, i64 {w.get(f'and i64 %probe, {mask}')}")
    filled = w.load(slot, 8)
    w.when(w.compare("ne", w.get(f"lshr i64 {filled}, {_PLACE_BITS}"), generation), "put")
    place = w.times(w.get(f"and i64 {filled}, {(1 << _PLACE_BITS) - 1}"), WORD)
    other = w.at("%chain", place)
    w.unless(w.compare("eq", w.load(w.at(other, Kept.HASH), 8), wanted), "more")
    w.unless(_same_movers(w, other), "more")
    w.branch(w.get(f"call i1 @same(ptr {w.at(other, KEPT_BYTES)}, ptr %row)"), "known", "more")
    w.label("more")
    w.do("%following = add i64 %probe, 1")
    w.jump("look")
    w.label("known")
    w.end("ret i1 true")
    w.label("put")
    words = w.get(f"udiv i64 {_distance(w, '%chain', '%kept')}, {WORD}")
    w.store(slot, w.get(f"or i64 {w.get(f'shl i64 {generation}, {_PLACE_BITS}')}, {words}"), 8)
    w.end("ret i1 false")
    return w.text()


def _same_movers(w: Writer, other: str) -> str:
    movers, others = (w.load(w.at(kept, Kept.MOVERS), 8) for kept in ("%kept", other))
    return w.compare("eq", movers, others)


def _recall() -> str:
    w = Writer("internal void @recall(ptr %c)")
    mask = read(w, Word.CHAIN_MASK)
    write(w, Word.CHAIN_MASK, w.get(f"or i64 {w.get(f'shl i64 {mask}, 2')}, 3"))
    increase(w, Word.GENERATION)
    first, end = (w.pointer(w.at("%c", word)) for word in (Word.CHAIN_BEGIN, Word.CHAIN_END))
    before = w.block
    w.label("loop")
    w.do(f"%kept = phi ptr [ {first}, %{before} ], [ %following, %next ]")
    w.branch(w.get(f"icmp ult ptr %kept, {end}"), "inside", "done")
    w.label("inside")
    w.do(f"%row = getelementptr i8, ptr %kept, i64 {KEPT_BYTES}")
    w.when(w.compare("eq", w.load(w.at("%kept", Kept.HASH), 8), 0), "next")
    w.do("call i1 @enter(ptr %c, ptr %kept, ptr %row)")
    w.label("next")
    w.do("%size = call i64 @bytes(ptr %row)")
    w.do("%following = getelementptr i8, ptr %row, i64 %size")
    w.jump("loop")
    w.label("done")
    w.end("ret void")
    return w.text()
