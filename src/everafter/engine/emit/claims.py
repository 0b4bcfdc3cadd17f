"""What is asked of the states, as code: safety, or the product with a claim. Each is the function `expand`.

expand(row, out, c)                write the successors of a row; how many, or -1 if there was no room
moves(c, row, at, stopped)         note in the control block where the claim can go; 1 if it raised
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from everafter.engine.emit import facts as control
from everafter.engine.emit.effects import Effects
from everafter.engine.emit.expressions import Frame
from everafter.engine.emit.facts import BROKEN, MOST_FAIR_PROCESSES, MOST_TARGETS, OVERFLOW, REPORTED, Facts
from everafter.engine.emit.writer import FALSE, TRUE, Writer
from everafter.ltl import Automaton
from everafter.ltl.functions import FALSE as NEVER
from everafter.ltl.functions import TRUE as ALWAYS
from everafter.product.claim import FAILED, AtAcceptLabel, AutomatonClaim, Holds, NeverClaim, Proposition
from everafter.program.graph import Node, Terminate
from everafter.program.layout import CLAIM, HOLDER
from everafter.promela.model import Assert, Else, Expression
from everafter.search.parallel.space import ORDERED
from everafter.search.space import ACCEPTING, KNOWN, TARGET

VIOLATION = 0xFFFE_00FF_0001_0000
"""The row a violating run leads to, as a word: a holder without processes, and a claim state that no claim has."""
_FAILED = FAILED & 0xFFFF
_COLOUR = 0xFF
_ALL_FAIR = (2 << MOST_FAIR_PROCESSES) - 2
"""The acceptance sets of a step that is fair to every process."""


class ClaimCode(Protocol):
    """What the code of a model must know of the question asked of it."""

    @property
    def start(self) -> int:
        """The first state of the claim."""

    @property
    def watched(self) -> tuple[Expression, ...]:
        """The expressions that the question asks for."""

    @property
    def fair(self) -> bool:
        """Whether each successor comes with the sets of processes to which its step is fair."""

    def text(self, facts: Facts) -> list[str]:
        """The functions, `expand` among them, and `colour(row)`, which gives a row the colour its state starts with."""


class Safety:
    """Nothing goes wrong: a state in which something does leads to VIOLATION, unless one goes on past errors."""

    start = 0
    watched: tuple[Expression, ...] = ()
    fair = False

    def text(self, _facts: Facts) -> list[str]:
        """The functions."""
        w = Writer("internal void @colour(ptr %row)")
        w.store("%row", KNOWN, 1)
        w.end("ret void")
        return [w.text(), _safety()]


def _safety() -> str:
    w = Writer("i64 @expand(ptr %row, ptr %out, ptr %c)")
    _leave_violation(w, "ended")
    stopped = w.get("call i64 @successors(ptr %c, ptr %row, ptr %out)")
    flags = w.load(w.at("%c", control.FLAGS), 8)
    w.unless(w.compare("eq", w.get(f"and i64 {flags}, {OVERFLOW}"), 0), "overflow")
    w.unless(w.compare("eq", w.get(f"and i64 {flags}, {BROKEN | REPORTED}"), 0), "violated")
    w.when(w.compare("eq", stopped, 0), "fine")
    w.when(w.get("call i1 @valid_end(ptr %row)"), "fine")
    w.jump("violated")
    w.label("violated")
    counter = w.at("%c", control.VIOLATIONS)
    w.store(counter, w.add(w.load(counter, 8), 1), 8)
    w.unless(w.compare("eq", w.load(w.at("%c", control.PAST_ERRORS), 8), 0), "fine")
    w.do(f"store i64 {(VIOLATION | KNOWN | TARGET) - 2**64}, ptr %out")
    w.end("ret i64 1")
    w.label("fine")
    w.end(f"ret i64 {w.load(w.at('%c', control.COUNT_OUT), 8)}")
    w.label("ended")
    w.end("ret i64 0")
    w.label("overflow")
    w.end("ret i64 -1")
    return w.text()


def _leave_violation(w: Writer, label: str) -> None:
    """Go to a label if the row is VIOLATION."""
    word = w.get(f"and i64 {w.load('%row', 8)}, {~_COLOUR}")
    w.when(w.compare("eq", word, VIOLATION - 2**64), label)


class Product:
    """The runs that a claim accepts: accepting cycles of the product, and VIOLATION where the claim is over.

    In a fair search every step also carries acceptance sets: bit 1 + n is set if it is fair to process n, which moves
    or cannot move. A cycle that carries all of them, and is accepting, is a weakly fair run that the claim accepts.
    """

    def __init__(self, claim: AutomatonClaim | NeverClaim, accept_labels: bool = False, fair: bool = False) -> None:
        self.claim = claim
        self.accept_labels = accept_labels
        self.fair = fair
        self.start = claim.start

    @property
    def watched(self) -> tuple[Expression, ...]:
        """The expressions in the claim."""
        if isinstance(self.claim, AutomatonClaim):
            return tuple(item.expression for item in self.claim.propositions.values() if isinstance(item, Holds))
        return ()

    @property
    def states(self) -> list[int]:
        """The states of the claim."""
        if isinstance(self.claim, AutomatonClaim):
            return list(self.claim.automaton.states)
        return list(self.claim.process.graph.nodes)

    def text(self, facts: Facts) -> list[str]:
        """The functions."""
        moves = _AutomatonMoves if isinstance(self.claim, AutomatonClaim) else _NeverMoves
        return [
            moves(facts).text(self.claim),  # type: ignore[arg-type]  # each is given its own kind of claim
            self._colour(),
            self._set("over", self.claim.is_end, [_FAILED]),
            _stamp(),
            _expand(facts),
        ]

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
        w.store("%row", w.get(f"select i1 {held}, i64 {KNOWN | ORDERED}, i64 {KNOWN | ACCEPTING | ORDERED}"), 1)
        w.end("ret void")
        return f"{accepting}\n{w.text()}"


def _stamp() -> str:
    """Put the rows between two addresses into a state of the claim."""
    w = Writer("internal void @stamp(ptr %begin, ptr %end, i64 %at)")
    w.label("loop")
    w.do("%row = phi ptr [ %begin, %entry ], [ %next, %inside ]")
    w.branch(w.get("icmp uge ptr %row, %end"), "leave", "inside")
    w.label("inside")
    w.store(w.at("%row", CLAIM), "%at", 2)
    w.do("call void @colour(ptr %row)")
    w.do("%size = call i64 @bytes(ptr %row)")
    w.do("%next = getelementptr i8, ptr %row, i64 %size")
    w.jump("loop")
    w.label("leave")
    w.end("ret void")
    return w.text()


def _expand(facts: Facts) -> str:
    w = Writer("i64 @expand(ptr %row, ptr %out, ptr %c)")
    w.do("%limit = alloca ptr")
    _leave_violation(w, "violated")
    stopped = w.get("call i64 @successors(ptr %c, ptr %row, ptr %out)")
    flags = w.load(w.at("%c", control.FLAGS), 8)
    w.unless(w.compare("eq", w.get(f"and i64 {flags}, {OVERFLOW}"), 0), "overflow")
    broken = w.compare("ne", w.get(f"and i64 {flags}, {BROKEN}"), 0)
    end = w.pointer(w.at("%c", control.OUT))
    w.do(f"store ptr {end}, ptr %limit")
    at = w.load(w.at("%row", CLAIM), 2)
    w.when(w.compare("ne", w.load(w.at("%row", HOLDER), 1), 0), "held")
    w.when(w.get(f"call i1 @over(i64 {at})"), "violated")
    w.store(w.at("%c", control.TARGETS), 0, 8)
    failed = w.get(f"call i64 @moves(ptr %c, ptr %row, i64 {at}, i64 {stopped})")
    w.unless(w.compare("eq", failed, 0), "violated")
    targets = w.load(w.at("%c", control.TARGETS), 8)
    w.when(w.compare("ugt", targets, MOST_TARGETS), "overflow")
    w.when(w.compare("eq", targets, 0), "nothing")
    w.when(broken, "violated")
    _each_target(w, targets, lambda target, _: w.when(w.get(f"call i1 @over(i64 {target})"), "violated"))
    w.branch(w.compare("eq", stopped, 0), "ready", "still")
    w.label("still")
    w.do("call void @copy(ptr %out, ptr %row)")
    w.do(f"store ptr {w.at('%out', w.get('call i64 @bytes(ptr %out)'))}, ptr %limit")
    w.label("ready")
    _multiply(w, targets)
    rows = w.add(w.load(w.at("%c", control.COUNT_OUT), 8), stopped)
    if facts.fair:
        able = w.load(w.at("%c", control.ABLE), 8)
        _fair_sets(w, facts, rows, w.get(f"xor i64 {able}, -1"))
        _multiply_sets(w, facts, rows, targets)
    w.end(f"ret i64 {w.get(f'mul i64 {rows}, {targets}')}")
    w.label("held")
    w.when(broken, "violated")
    w.do(f"call void @stamp(ptr %out, ptr {w.pointer('%limit')}, i64 {at})")
    count = w.load(w.at("%c", control.COUNT_OUT), 8)
    if facts.fair:
        _fair_sets(w, facts, count, "0")
    w.end(f"ret i64 {count}")
    w.label("violated")
    if facts.fair:
        w.store(w.at("%c", facts.masks), _ALL_FAIR, 8)
    w.do(f"store i64 {(VIOLATION | KNOWN | ACCEPTING | ORDERED) - 2**64}, ptr %out")
    w.end("ret i64 1")
    w.label("nothing")
    w.end("ret i64 0")
    w.label("overflow")
    w.end("ret i64 -1")
    return w.text()


def _each_target(w: Writer, targets: str, body: Callable[[str, str], None]) -> None:
    """A loop over the claim's targets: `body(target, position)`."""
    loop, inside, following, done = w.fresh("loop"), w.fresh("inside"), w.fresh("following"), w.fresh("done")
    before, after = w.block, f"%{w.fresh()}"
    w.label(loop)
    position = w.phi("i64", ("0", before), (after, following))
    w.branch(w.compare("ult", position, targets), inside, done)
    w.label(inside)
    place = w.get(f"getelementptr i64, ptr {w.at('%c', control.TARGETS + 8)}, i64 {position}")
    body(w.load(place, 8), position)
    w.label(following)
    w.do(f"{after} = add i64 {position}, 1")
    w.jump(loop)
    w.label(done)


def _multiply(w: Writer, targets: str) -> None:
    """Write the rows once for each target of the claim, one block behind the other."""
    end = w.pointer("%limit")
    first, last = w.get("ptrtoint ptr %out to i64"), w.get(f"ptrtoint ptr {end} to i64")
    size = w.get(f"sub i64 {last}, {first}")
    total = w.at("%out", w.get(f"mul i64 {size}, {targets}"))
    room = w.pointer(w.at("%c", control.OUT_LIMIT))
    w.when(w.get(f"icmp ugt ptr {total}, {room}"), "overflow")

    def write(target: str, position: str) -> None:
        begin = w.at("%out", w.get(f"mul i64 {size}, {position}"))
        copied = w.fresh("copied")
        w.when(w.compare("eq", position, 0), copied)
        w.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {begin}, ptr %out, i64 {size}, i1 false)")
        w.label(copied)
        w.do(f"call void @stamp(ptr {begin}, ptr {w.at(begin, size)}, i64 {target})")

    _each_target(w, targets, write)


def _fair_sets(w: Writer, facts: Facts, rows: str, unable: str) -> None:
    """Turn the movers of each step into the processes it is fair to: these, and those that cannot move."""
    loop, inside, done = w.fresh("loop"), w.fresh("inside"), w.fresh("done")
    before, following = w.block, f"%{w.fresh()}"
    w.label(loop)
    position = w.phi("i64", ("0", before), (following, inside))
    w.branch(w.compare("ult", position, rows), inside, done)
    w.label(inside)
    place = w.get(f"getelementptr i64, ptr {w.at('%c', facts.masks)}, i64 {position}")
    fair = w.get(f"or i64 {w.load(place, 8)}, {unable}")
    w.store(place, w.get(f"and i64 {w.get(f'shl i64 {fair}, 1')}, {_ALL_FAIR}"), 8)
    w.do(f"{following} = add i64 {position}, 1")
    w.jump(loop)
    w.label(done)


def _multiply_sets(w: Writer, facts: Facts, rows: str, targets: str) -> None:
    """Write the sets once for each target of the claim, as the rows are."""
    w.when(w.compare("ugt", w.get(f"mul i64 {rows}, {targets}"), control.MOST_MASKS), "overflow")
    first = w.at("%c", facts.masks)
    size = w.times(rows, 8)

    def write(_target: str, position: str) -> None:
        copied = w.fresh("copied")
        w.when(w.compare("eq", position, 0), copied)
        place = w.at(first, w.get(f"mul i64 {size}, {position}"))
        w.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {place}, ptr {first}, i64 {size}, i1 false)")
        w.label(copied)

    _each_target(w, targets, write)


class _Moves(Effects):
    """Writes where a claim can go on reading a row."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts, Writer("internal i64 @moves(ptr %c, ptr %row, i64 %at, i64 %stopped)"))

    def frame(self, timeout: str) -> Frame:
        return Frame("%row", "%row", "-1", None, timeout, "failed")

    def go(self, target: int) -> None:
        """Note a target."""
        w = self.writer
        place = w.at("%c", control.TARGETS)
        count = w.load(place, 8)
        w.store(place, w.add(count, 1), 8)
        limited = w.get(f"and i64 {count}, {MOST_TARGETS - 1}")
        w.store(w.get(f"getelementptr i64, ptr {w.at('%c', control.TARGETS + 8)}, i64 {limited}"), target, 8)

    def finished(self) -> str:
        w = self.writer
        w.label("leave")
        w.end("ret i64 0")
        w.label("failed")
        w.end("ret i64 1")
        return w.text()


class _AutomatonMoves(_Moves):
    def text(self, claim: AutomatonClaim) -> str:
        """Where an automaton can go: every proposition is evaluated, then the labels of the edges."""
        w = self.writer
        automaton = claim.automaton
        values = [self._proposition(claim.propositions[name]) for name in automaton.propositions]
        labels = [(state, f"state{state}") for state in automaton.states]
        w.switch("%at", "leave", labels)
        for state, label in labels:
            w.label(label)
            for edge in automaton.outgoing[state]:
                taken, other = w.fresh("taken"), w.fresh("other")
                w.branch(self._label(automaton, edge.label, values, {}), taken, other)
                w.label(taken)
                self.go(edge.target)
                w.label(other)
            w.jump("leave")
        return self.finished()

    def _proposition(self, proposition: Proposition) -> str:
        w = self.writer
        if isinstance(proposition, Holds):
            return self.condition(self.frame("0"), proposition.expression)
        if isinstance(proposition, AtAcceptLabel):
            return w.negated(w.get("call i1 @without_accept(ptr %row)"))
        moving = w.compare("eq", "%stopped", 0)
        return w.both(moving, w.get("call i1 @without_progress(ptr %row)"))

    def _label(self, automaton: Automaton, function: int, values: list[str], known: dict[int, str]) -> str:
        """The value of a label, which is a decision diagram."""
        if function in (NEVER, ALWAYS):
            return TRUE if function == ALWAYS else FALSE
        if function not in known:
            low, high = automaton.functions.cofactors(function)
            yes, no = (self._label(automaton, part, values, known) for part in (high, low))
            chosen = values[automaton.functions.level(function)]
            known[function] = self.writer.get(f"select i1 {chosen}, i1 {yes}, i1 {no}")
        return known[function]


class _NeverMoves(_Moves):
    def text(self, claim: NeverClaim) -> str:
        """Where a never claim can go: its transitions in order, `else` if none before was possible."""
        w = self.writer
        w.do("%moved = alloca i64")
        w.store("%moved", 0, 8)
        nodes = list(claim.process.graph.nodes.values())
        w.switch("%at", "leave", [(node.number, f"node{node.number}") for node in nodes])
        for node in nodes:
            w.label(f"node{node.number}")
            self._node(node)
            w.jump("leave")
        return self.finished()

    def _node(self, node: Node) -> None:
        w = self.writer
        frame = self.frame("%stopped")
        for transition in node.transitions:
            effect = transition.effect
            if isinstance(effect, Terminate):
                continue
            other = w.fresh("other")
            if isinstance(effect, Else):
                w.unless(w.compare("eq", w.load("%moved", 8), 0), other)
            self.guard(frame, effect, other)
            w.store("%moved", 1, 8)
            if isinstance(effect, Assert):
                fine = w.fresh("fine")
                w.when(self.condition(frame, effect.condition), fine)
                self.go(_FAILED)
                w.jump(other)
                w.label(fine)
            if transition.keeps_atomic:
                inner = w.get(f"call i64 @moves(ptr %c, ptr %row, i64 {transition.target}, i64 %stopped)")
                w.unless(w.compare("eq", inner, 0), "failed")
            else:
                self.go(transition.target)
            w.label(other)
