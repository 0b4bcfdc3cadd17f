"""The nested search for accepting cycles as one depth-first search, for stores that forget states.

Such a store keeps no colour of a state. So a row says by which search it was met, in place of the state of the claim:
the first, the nested one, or as the seed that a nested search begins from. The seed is the last successor of an
accepting row: it is searched when all others have been, which is where a nested search begins (Courcoubetis, Vardi,
Wolper and Yannakakis, 1992), and none begins before it has ended. So one seed is kept, and a row that leads to it
leads to CLOSED.

Such a store marks a state when it is met as a successor, and not when it is entered; then seeds would not come in the
order in which a depth-first search leaves states. So every successor is met as a row that waits, which the store takes
for new each time, and whose only successor is the state itself.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

from everafter.engine.emit.claims import FAILING, VIOLATION, ProductCode, leave_at
from everafter.engine.emit.control_block import Word, increase, read
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.writer import Writer
from everafter.program.layout import CLAIM, HOLDER
from everafter.record import dataclass
from everafter.search.lasso import Lasso
from everafter.search.space import ACCEPTING, KNOWN, RED, TARGET

CLOSED = 0xFFFC_00FF_0001_0000
"""The row that the last one of an accepting cycle leads to."""
CLOSED_ROW, VIOLATION_ROW = (word.to_bytes(8, "little") for word in (CLOSED, VIOLATION))
FREE, WAITING, PHASE = 1, 2, 4
"""Bits of a tag: no process holds the row, though it says so, for then it is not counted as a state; the row waits.
Above them is the phase."""
TAGS = 12
EACH_TIME = RED
"""The colour of a row that such a store takes for new each time it is met."""
_MOST_NUMBERS = 0xFFF0
"""Rows have smaller numbers in place of the state of a claim."""


class Phase(IntEnum):
    """By which search a row was met."""

    FIRST = 0
    NESTED = 1
    SEED = 2


@dataclass(frozen=True, slots=True)
class NestedCode(ProductCode):
    """A product whose accepting cycles are ways to CLOSED."""

    @property
    def nested(self) -> bool:
        """Whether one search is nested in another."""
        return True

    @property
    def size(self) -> int:
        """More than any state of the claim."""
        return max(self.states) + 1

    @property
    def searches(self) -> int:
        """How many different searches rows can tell apart; none, if the claim is too large."""
        return _MOST_NUMBERS // (self.size * TAGS)

    def text(self, facts: Facts) -> list[str]:
        """The functions."""
        return [*self.functions(facts, TARGET, "internal i64 @step_product"), _expand(facts, self)]

    def begin(self, w: Writer, facts: Facts) -> None:
        """Write, by `w`, what the initial row at `%out` has in place of a claim's state; `facts` are the program's."""
        w.store(w.at("%out", CLAIM), w.add(_salted(w, facts, self), self.start), 2)
        w.store("%out", KNOWN, 1)

    def lasso(self, path: tuple[bytes, ...]) -> Lasso[bytes]:
        """Return the lasso that a `path` to CLOSED or to VIOLATION stands for, its rows as they are elsewhere."""
        rows = [self._plain(row) for row in path[:-1] if not self._tag(row) & WAITING]
        phases = [self._tag(row) // PHASE for row in path[:-1] if not self._tag(row) & WAITING]
        seed = phases.index(Phase.SEED) if Phase.SEED in phases else len(rows)
        if path[-1][1:] == CLOSED_ROW[1:]:
            return Lasso(tuple(rows[: seed - 1]), tuple(rows[seed:]))
        return Lasso((*rows[:seed], *rows[seed + 1 :]), (VIOLATION_ROW,))

    def _tag(self, row: bytes) -> int:
        return int.from_bytes(row[CLAIM : CLAIM + 2], "little") // self.size % TAGS

    def _plain(self, row: bytes) -> bytes:
        state = int.from_bytes(row[CLAIM : CLAIM + 2], "little") % self.size
        holder = 0 if self._tag(row) & FREE else row[HOLDER]
        return (
            row[:HOLDER] + bytes((holder,)) + row[HOLDER + 1 : CLAIM] + state.to_bytes(2, "little") + row[CLAIM + 2 :]
        )


def _salted(w: Writer, facts: Facts, code: NestedCode) -> str:
    """What tells the rows of this search from those of others, where there are others."""
    if not facts.varies:
        return "0"
    return w.times(w.get(f"urem i64 {read(w, Word.SALT)}, {code.searches}"), code.size * TAGS)


def _expand(facts: Facts, code: NestedCode) -> str:
    w = Writer("i64 @expand(ptr %row, ptr %out, ptr %c)")
    w.do("%place = alloca ptr")
    for end in (VIOLATION, FAILING, CLOSED):
        leave_at(w, end, "ended")
    number = w.load(w.at("%row", CLAIM), 2)
    state, rest = w.get(f"urem i64 {number}, {code.size}"), w.get(f"udiv i64 {number}, {code.size}")
    tag = w.get(f"urem i64 {rest}, {TAGS}")
    salt = w.times(w.get(f"sub i64 {rest}, {tag}"), code.size)
    free, phase = w.get(f"and i64 {tag}, {FREE}"), w.get(f"lshr i64 {tag}, 2")
    is_first = w.compare("eq", phase, Phase.FIRST)

    def write(row: str, phase: str, more: str | int, state: str) -> None:
        """Give a row what it has in place of a state of the claim: of a phase, with bits of its tag."""
        told = w.add(w.get(f"shl i64 {phase}, 2"), more)
        w.store(w.at(row, CLAIM), w.add(w.add(salt, w.times(told, code.size)), state), 2)

    w.when(w.compare("ne", w.get(f"and i64 {tag}, {WAITING}"), 0), "waiting")
    holder = w.load(w.at("%row", HOLDER), 1)
    w.store(w.at("%row", CLAIM), state, 2)
    w.store(w.at("%row", HOLDER), w.get(f"select i1 {w.compare('eq', free, 0)}, i64 {holder}, i64 0"), 1)
    count = w.get("call i64 @step_product(ptr %row, ptr %out, ptr %c)")
    _look_for_seed(w, facts, is_first, phase, write)
    w.store(w.at("%row", CLAIM), number, 2)
    w.store(w.at("%row", HOLDER), holder, 1)
    w.when(w.compare("sle", count, 0), "nothing")
    leave_at(w, VIOLATION, "single", "%out")
    w.do(f"store ptr %out, ptr {'%place'}")
    following = w.number(w.negated(is_first))
    w.each(count, lambda _: _tell_apart(w, facts, following, is_first, write))
    w.unless(is_first, "single")
    _add_seed(w, facts, state, write)
    w.end(f"ret i64 {w.add(count, 1)}")
    w.label("single")
    w.end(f"ret i64 {count}")
    w.label("nothing")
    w.end(f"ret i64 {count}")
    w.label("closed")
    w.do(f"store i64 {(CLOSED | KNOWN | TARGET) - 2**64}, ptr %out")
    w.end("ret i64 1")
    _enter(w, free, is_first, phase, state, write)
    w.label("overflow")
    w.end("ret i64 -1")
    w.label("ended")
    w.end("ret i64 0")
    return w.text()


_Write = Callable[[str, str, str | int, str], None]
"""Writes, into a row, its phase, bits of its tag and the state of the claim."""


def _look_for_seed(w: Writer, facts: Facts, is_first: str, phase: str, write: _Write) -> None:
    """Keep the row, if it is a seed, as it is met by the search that begins from it."""
    following = w.fresh("kept")
    w.unless(w.compare("eq", phase, Phase.SEED), following)
    seed = w.at("%c", facts.rooms.seed)
    w.do(f"call void @copy(ptr {seed}, ptr %row)")
    write(seed, str(int(Phase.NESTED)), WAITING | FREE, w.load(w.at("%row", CLAIM), 2))
    _pretend(w, seed)
    w.label(following)


def _pretend(w: Writer, row: str) -> None:
    """Let a row that no process holds be none that counts as a state, and one that is new each time."""
    w.store(w.at(row, HOLDER), 1, 1)
    w.store(row, KNOWN | EACH_TIME, 1)


def _tell_apart(w: Writer, facts: Facts, following: str, is_first: str, write: _Write) -> None:
    """Let a successor wait, in the phase `following`, and see whether it is the seed."""
    row = w.pointer("%place")
    held, put, compared = w.fresh("held"), w.fresh("put"), w.fresh("compared")
    size = w.get(f"call i64 @bytes(ptr {row})")
    state = w.load(w.at(row, CLAIM), 2)
    w.when(w.compare("ne", w.load(w.at(row, HOLDER), 1), 0), held)
    write(row, following, WAITING | FREE, state)
    _pretend(w, row)
    w.jump(put)
    w.label(held)
    write(row, following, WAITING, state)
    w.store(row, KNOWN | EACH_TIME, 1)
    w.label(put)
    w.when(is_first, compared)
    w.when(w.get(f"call i1 @same(ptr {w.at('%c', facts.rooms.seed)}, ptr {row})"), "closed")
    w.label(compared)
    w.do(f"store ptr {w.at(row, size)}, ptr %place")


def _add_seed(w: Writer, facts: Facts, state: str, write: _Write) -> None:
    """Behind all other successors of an accepting row, add the row as the seed of a nested search; else leave."""
    seed = w.pointer("%place")
    size = w.get("call i64 @bytes(ptr %row)")
    room = w.pointer(w.at("%c", Word.OUT_LIMIT))
    w.when(w.get(f"icmp ugt ptr {w.at(seed, size)}, {room}"), "overflow")
    w.do(f"call void @copy(ptr {seed}, ptr %row)")
    w.store(w.at(seed, CLAIM), state, 2)
    w.do(f"call void @colour(ptr {seed})")
    w.when(w.compare("eq", w.get(f"and i64 {w.load(seed, 1)}, {ACCEPTING}"), 0), "single")
    write(seed, str(int(Phase.SEED)), FREE, state)
    _pretend(w, seed)
    increase(w, Word.ASIDE)


def _enter(w: Writer, free: str, is_first: str, phase: str, state: str, write: _Write) -> None:
    """At the label `waiting`: the only successor of a row that waits is the same row, which waits no more."""
    w.label("waiting")
    w.do("call void @copy(ptr %out, ptr %row)")
    w.store("%out", KNOWN, 1)
    increase(w, Word.ASIDE)
    w.when(w.both(is_first, w.compare("ne", free, 0)), "entered")
    write("%out", phase, free, state)
    w.end("ret i64 1")
    w.label("entered")
    w.store(w.at("%out", HOLDER), 0, 1)
    write("%out", phase, 0, state)
    w.end("ret i64 1")
