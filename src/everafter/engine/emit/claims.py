"""The property, as code: safety, or the product with a claim. Each is the function `expand`.

expand(row, out, c)   write the successors of a row; how many, or -1 if there was no room
colour(row)           give a row the colour its state starts with
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, assert_never

from everafter.engine.emit.control_block import (
    BROKEN,
    MOST_FAIR_PROCESSES,
    MOST_MASKS,
    MOST_TARGETS,
    OVERFLOW,
    REPORTED,
    Word,
    increase,
    read,
)
from everafter.engine.emit.moves import FAILED_STATE, moves
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.row_code import each_row
from everafter.engine.emit.writer import Writer
from everafter.product.claim import AutomatonClaim, Holds, NeverClaim, accepts_inside
from everafter.program.layout import CLAIM, HOLDER
from everafter.promela.model import Expression
from everafter.record import dataclass
from everafter.search.parallel.space import ORDERED
from everafter.search.space import ACCEPTING, KNOWN, TARGET
from everafter.search.streett import PAIRS

VIOLATION = 0xFFFE_00FF_0001_0000
"""The row a violating run leads to, as a word: a holder without processes, and a claim state that no claim has."""
FAILING = 0xFFFD_00FF_0001_0000
"""The row that a step which goes wrong leads to where every step counts: from there VIOLATION is one step away."""
_COLOUR = 0xFF
_ALL_FAIR = (2 << MOST_FAIR_PROCESSES) - 2
"""The acceptance sets of a step that is fair to every process."""


class ClaimCode(Protocol):
    """What the code of a model must know of its property."""

    @property
    def start(self) -> int:
        """The first state of the claim."""

    @property
    def last_state(self) -> int:
        """The highest number of a state of the claim, 0 without one."""

    @property
    def watched(self) -> tuple[Expression, ...]:
        """The expressions that the question asks for."""

    @property
    def fair(self) -> bool:
        """Whether each successor comes with the sets of processes to which its step is fair."""

    @property
    def nested(self) -> bool:
        """Whether one search is nested in another."""

    @property
    def wanted(self) -> int:
        """The acceptance sets that a cycle must meet."""

    def text(self, facts: Facts) -> list[str]:
        """The functions, `expand` among them, and `colour(row)`, which gives a row the colour its state starts with."""

    def begin(self, w: Writer, facts: Facts) -> None:
        """Write, by `w`, what else the initial row at `%out` has, behind its colour; `facts` are the program's."""


class Safety:
    """Nothing goes wrong: a state in which something does leads to VIOLATION, unless one goes on past errors."""

    start = 0
    last_state = 0
    watched: tuple[Expression, ...] = ()
    fair = nested = False
    wanted = 0

    def text(self, _facts: Facts) -> list[str]:
        """The functions."""
        w = Writer("internal void @colour(ptr %row)")
        w.store("%row", KNOWN, 1)
        w.end("ret void")
        return [w.text(), _safety()]

    def begin(self, w: Writer, facts: Facts) -> None:
        """Write what distinguishes the rows of a search, by `w`, if `facts` ask for that."""
        if facts.varies:
            w.store(w.at("%out", CLAIM), read(w, Word.SALT), 2)


def _safety() -> str:
    w = Writer("i64 @expand(ptr %row, ptr %out, ptr %c)")
    leave_at(w, VIOLATION, "ended")
    leave_at(w, FAILING, "over")
    stopped = w.get("call i64 @successors(ptr %c, ptr %row, ptr %out)")
    flags = read(w, Word.FLAGS)
    w.when(_has(w, flags, OVERFLOW), "overflow")
    w.when(_has(w, flags, BROKEN | REPORTED), "violated")
    w.when(w.compare("eq", stopped, 0), "fine")
    w.when(w.get("call i1 @valid_end(ptr %row)"), "fine")
    w.jump("violated")
    w.label("violated")
    increase(w, Word.VIOLATIONS)
    w.unless(w.compare("eq", read(w, Word.PAST_ERRORS), 0), "fine")
    w.when(w.compare("eq", read(w, Word.BY_STEPS), 0), "over")
    w.branch(_has(w, flags, BROKEN | REPORTED), "failing", "over")
    w.label("over")
    w.do(f"store i64 {(VIOLATION | KNOWN | TARGET) - 2**64}, ptr %out")
    w.end("ret i64 1")
    _lead_to_failing(w)
    w.label("fine")
    w.end(f"ret i64 {read(w, Word.COUNT_OUT)}")
    w.label("ended")
    w.end("ret i64 0")
    w.label("overflow")
    w.end("ret i64 -1")
    return w.text()


def _has(w: Writer, flags: str, wanted: int) -> str:
    """Whether one of some flags is set."""
    return w.compare("ne", w.get(f"and i64 {flags}, {wanted}"), 0)


def leave_at(w: Writer, row: int, label: str, at: str = "%row") -> None:
    """Go to `label`, by `w`, if the row at the address `at` is `row`, of one word."""
    word = w.get(f"and i64 {w.load(at, 8)}, {~_COLOUR}")
    w.when(w.compare("eq", word, row - 2**64), label)


def _lead_to_failing(w: Writer) -> None:
    """At the label `failing`, the only successor is FAILING."""
    w.label("failing")
    w.do(f"store i64 {(FAILING | KNOWN) - 2**64}, ptr %out")
    w.end("ret i64 1")


@dataclass(frozen=True, slots=True)
class ProductCode:
    """The runs that a claim accepts: accepting cycles of the product, and VIOLATION where the claim is over.

    In a search for weakly fair runs every step also carries acceptance sets: bit 1 + n is set if it is fair to process
    n, which moves or cannot move. A cycle that carries all of them, and is accepting, is a weakly fair run that the
    claim accepts.
    Proof: proofs/product/sequences.v, theorem fair_sequences.
    """

    claim: AutomatonClaim | NeverClaim
    accept_labels: bool = False
    """Whether the model's own accept labels count as accepting, too."""
    fair: bool = False
    is_strong: bool = False
    """Whether fair runs are strongly fair: steps carry pairs of sets then, as `everafter.search.streett` reads them."""
    is_way: bool = False
    """Whether only the way to VIOLATION is searched for, which is then a target."""

    @property
    def nested(self) -> bool:
        """Whether one search is nested in another."""
        return False

    @property
    def start(self) -> int:
        """The first state of the claim."""
        return self.claim.start

    @property
    def last_state(self) -> int:
        """The highest number of a state of the claim."""
        return max(self.states)

    @property
    def watched(self) -> tuple[Expression, ...]:
        """The expressions in the claim."""
        match self.claim:
            case AutomatonClaim(propositions=propositions):
                return tuple(item.expression for item in propositions.values() if isinstance(item, Holds))
            case NeverClaim():
                return ()  # they are the program's own
            case _:
                assert_never(self.claim)

    @property
    def wanted(self) -> int:
        """Acceptance, and every set where fair runs are weakly fair."""
        return 1 | (0 if self.is_strong else _ALL_FAIR)

    @property
    def states(self) -> list[int]:
        """The states of the claim."""
        match self.claim:
            case AutomatonClaim(automaton=automaton):
                return list(automaton.states)
            case NeverClaim(process=process):
                return list(process.graph.nodes)
            case _:
                assert_never(self.claim)

    def text(self, facts: Facts) -> list[str]:
        """The functions."""
        return self.functions(facts, TARGET if self.is_way else 0)

    def functions(self, facts: Facts, target: int, head: str = "i64 @expand") -> list[str]:
        """Return the functions for `facts`; VIOLATION has the colour `target`, and `expand` begins with `head`."""
        return [
            moves(facts, self.claim),
            self._colour(),
            self._set("over", self.claim.is_end, [FAILED_STATE]),
            _stamp(),
            _expand(
                facts,
                target,
                head,
                _pair_sets if self.is_strong else _fair_sets,
                passes_errors=accepts_inside(self.claim),
            ),
        ]

    def begin(self, w: Writer, facts: Facts) -> None:
        """Write nothing else: `w` and `facts` are for other claims."""

    def _set(self, name: str, belongs: Callable[[int], bool], others: list[int]) -> str:
        """A function that tells whether a state of the claim is in a set."""
        w = Writer(f"internal i1 @{name}(i64 %at)")
        members = [state for state in self.states if belongs(state)] + others
        w.switch("%at", "outside", [(state, "inside") for state in members])
        w.label("inside")
        w.end("ret i1 true")
        w.label("outside")
        w.end("ret i1 false")
        return w.text()

    def _colour(self) -> str:
        """Give a row the colour its state starts with."""
        accepting = self._set("accepting", self.claim.is_accepting, [])
        w = Writer("internal void @colour(ptr %row)")
        held = w.compare("ne", w.load(w.at("%row", HOLDER), 1), 0)
        w.when(w.get(f"call i1 @accepting(i64 {w.load(w.at('%row', CLAIM), 2)})"), "ordered")
        if self.accept_labels:
            w.when(held, "plain")
            w.unless(w.get("call i1 @without_accept(ptr %row)"), "accepts")
        w.jump("plain")
        w.label("plain")
        w.store("%row", KNOWN, 1)
        w.end("ret void")
        w.label("accepts")
        w.store("%row", KNOWN | ACCEPTING, 1)
        w.end("ret void")
        w.label("ordered")
        plain, accepting_colour = KNOWN | ORDERED, KNOWN | ACCEPTING | ORDERED
        inside, outside = (accepting_colour, plain) if accepts_inside(self.claim) else (plain, accepting_colour)
        w.store("%row", w.get(f"select i1 {held}, i64 {inside}, i64 {outside}"), 1)
        w.end("ret void")
        return f"{accepting}\n{w.text()}"


def _stamp() -> str:
    """Put the rows between two addresses into a state of the claim."""
    w = Writer("internal void @stamp(ptr %begin, ptr %end, i64 %at)")

    def put(row: str) -> None:
        w.store(w.at(row, CLAIM), "%at", 2)
        w.do(f"call void @colour(ptr {row})")

    each_row(w, "%begin", "%end", put)
    w.end("ret void")
    return w.text()


_Sets = Callable[[Writer, Facts, str, str], None]
"""Writes code that turns the movers of some steps, and the processes that cannot move, into the sets of these steps."""


def _expand(facts: Facts, target: int, head: str, sets: _Sets, *, passes_errors: bool) -> str:
    """The function, which begins with `head`; where it `passes_errors`, a step that goes wrong is left out."""
    w = Writer(f"{head}(ptr %row, ptr %out, ptr %c)")
    w.do("%limit = alloca ptr")
    leave_at(w, VIOLATION, "violated")
    if target:
        leave_at(w, FAILING, "violated")
    stopped = w.get("call i64 @successors(ptr %c, ptr %row, ptr %out)")
    flags = read(w, Word.FLAGS)
    w.when(_has(w, flags, OVERFLOW), "overflow")
    broken = "false" if passes_errors else _has(w, flags, BROKEN)
    end = w.pointer(w.at("%c", Word.OUT))
    w.do(f"store ptr {end}, ptr %limit")
    at = w.load(w.at("%row", CLAIM), 2)
    w.when(w.compare("ne", w.load(w.at("%row", HOLDER), 1), 0), "held")
    w.when(w.get(f"call i1 @over(i64 {at})"), "violated")
    w.store(w.at("%c", facts.rooms.targets), 0, 8)
    failed = w.get(f"call i64 @moves(ptr %c, ptr %row, i64 {at}, i64 {stopped})")
    w.unless(w.compare("eq", failed, 0), "failed")
    targets = w.load(w.at("%c", facts.rooms.targets), 8)
    w.when(w.compare("ugt", targets, MOST_TARGETS), "overflow")
    w.when(w.compare("eq", targets, 0), "nothing")
    if not target:
        w.when(broken, "violated")
    _each_target(w, facts, targets, lambda target, _: w.when(w.get(f"call i1 @over(i64 {target})"), "violated"))
    if target:
        w.when(broken, "broken")
    w.branch(w.compare("eq", stopped, 0), "ready", "still")
    w.label("still")
    if target:
        increase(w, Word.STILL)
    if facts.fair:
        w.store(w.at("%c", facts.rooms.masks), 0, 8)
    w.do("call void @copy(ptr %out, ptr %row)")
    w.do(f"store ptr {w.at('%out', w.get('call i64 @bytes(ptr %out)'))}, ptr %limit")
    w.label("ready")
    _multiply(w, facts, targets)
    rows = w.add(read(w, Word.COUNT_OUT), stopped)
    if facts.fair:
        able = read(w, Word.ABLE)
        sets(w, facts, rows, w.get(f"xor i64 {able}, -1"))
        _multiply_sets(w, facts, rows, targets)
    w.end(f"ret i64 {w.get(f'mul i64 {rows}, {targets}')}")
    _go_on_inside(w, facts, at, broken, "broken" if target else "violated", sets)
    _conclude(w, facts, target)
    return w.text()


def _go_on_inside(w: Writer, facts: Facts, at: str, broken: str, wrong: str, sets: _Sets) -> None:
    """At the label `held`, in the middle of an atomic sequence: the claim stays where it is, at `at`."""
    w.label("held")
    w.when(broken, wrong)
    w.do(f"call void @stamp(ptr %out, ptr {w.pointer('%limit')}, i64 {at})")
    count = read(w, Word.COUNT_OUT)
    if facts.fair:
        sets(w, facts, count, "-1" if sets is _pair_sets else "0")
    w.end(f"ret i64 {count}")


def _conclude(w: Writer, facts: Facts, target: int) -> None:
    """The ends of an expansion: at `violated` the claim is over, at `broken` a step goes wrong."""
    w.label("failed")
    w.branch(_has(w, read(w, Word.FLAGS), OVERFLOW), "overflow", "violated")
    w.label("violated")
    if facts.fair:
        w.store(w.at("%c", facts.rooms.masks), _ALL_FAIR, 8)
    w.do(f"store i64 {(VIOLATION | KNOWN | ACCEPTING | ORDERED | target) - 2**64}, ptr %out")
    w.end("ret i64 1")
    if target:
        w.label("broken")
        w.branch(w.compare("eq", read(w, Word.BY_STEPS), 0), "violated", "failing")
        _lead_to_failing(w)
    w.label("nothing")
    w.end("ret i64 0")
    w.label("overflow")
    w.end("ret i64 -1")


def _each_target(w: Writer, facts: Facts, targets: str, body: Callable[[str, str], None]) -> None:
    """A loop over the claim's targets: `body(target, position)`."""

    def look(position: str) -> None:
        place = w.get(f"getelementptr i64, ptr {w.at('%c', facts.rooms.targets + 8)}, i64 {position}")
        body(w.load(place, 8), position)

    w.each(targets, look)


def _multiply(w: Writer, facts: Facts, targets: str) -> None:
    """Write the rows once for each target of the claim, one block behind the other."""
    end = w.pointer("%limit")
    first, last = w.get("ptrtoint ptr %out to i64"), w.get(f"ptrtoint ptr {end} to i64")
    size = w.get(f"sub i64 {last}, {first}")
    total = w.at("%out", w.get(f"mul i64 {size}, {targets}"))
    room = w.pointer(w.at("%c", Word.OUT_LIMIT))
    w.when(w.get(f"icmp ugt ptr {total}, {room}"), "overflow")

    def write(target: str, position: str) -> None:
        begin = w.at("%out", w.get(f"mul i64 {size}, {position}"))
        copied = w.fresh("copied")
        w.when(w.compare("eq", position, 0), copied)
        w.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {begin}, ptr %out, i64 {size}, i1 false)")
        w.label(copied)
        w.do(f"call void @stamp(ptr {begin}, ptr {w.at(begin, size)}, i64 {target})")

    _each_target(w, facts, targets, write)


def _fair_sets(w: Writer, facts: Facts, rows: str, unable: str) -> None:
    """Turn the movers of each step into the processes it is fair to: these, and those that cannot move.

    Proof: proofs/product/fairness.v, theorem fair_sets.
    """

    def turn(position: str) -> None:
        place = w.get(f"getelementptr i64, ptr {w.at('%c', facts.rooms.masks)}, i64 {position}")
        fair = w.get(f"or i64 {w.load(place, 8)}, {unable}")
        w.store(place, w.get(f"and i64 {w.get(f'shl i64 {fair}, 1')}, {_ALL_FAIR}"), 8)

    w.each(rows, turn)


def _pair_sets(w: Writer, facts: Facts, rows: str, unable: str) -> None:
    """Turn the movers of each step into the pairs that it serves, and request a pair for each process able to move.

    With more processes than there are pairs, the search is given up.
    """
    able = w.get(f"xor i64 {unable}, -1")
    w.when(w.compare("ugt", able, (1 << PAIRS) - 1), "overflow")
    requests = w.get(f"shl i64 {able}, {1 + PAIRS}")

    def turn(position: str) -> None:
        place = w.get(f"getelementptr i64, ptr {w.at('%c', facts.rooms.masks)}, i64 {position}")
        movers = w.load(place, 8)
        w.when(w.compare("ugt", movers, (1 << PAIRS) - 1), "overflow")
        w.store(place, w.get(f"or i64 {w.get(f'shl i64 {movers}, 1')}, {requests}"), 8)

    w.each(rows, turn)


def _multiply_sets(w: Writer, facts: Facts, rows: str, targets: str) -> None:
    """Write the sets once for each target of the claim, as the rows are."""
    w.when(w.compare("ugt", w.get(f"mul i64 {rows}, {targets}"), MOST_MASKS), "overflow")
    first = w.at("%c", facts.rooms.masks)
    size = w.times(rows, 8)

    def write(_target: str, position: str) -> None:
        copied = w.fresh("copied")
        w.when(w.compare("eq", position, 0), copied)
        place = w.at(first, w.get(f"mul i64 {size}, {position}"))
        w.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {place}, ptr {first}, i64 {size}, i1 false)")
        w.label(copied)

    _each_target(w, facts, targets, write)
