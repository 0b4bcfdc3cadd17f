"""Where a claim can go on reading a row, as code: `product/claim.py` says what a claim is.

moves(c, row, at, stopped)   note in the control block where the claim can go from a state; 1 if it raised
"""

from __future__ import annotations

from typing import assert_never

from everafter.engine.emit.control_block import MOST_TARGETS, OVERFLOW, Word, mark
from everafter.engine.emit.frame import Frame
from everafter.engine.emit.guards import Guards
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.values import Values
from everafter.engine.emit.writer import FALSE, TRUE, Writer
from everafter.ltl.automaton import Automaton
from everafter.ltl.functions import FALSE as NEVER
from everafter.ltl.functions import TRUE as ALWAYS
from everafter.product.claim import (
    FAILED,
    AtAcceptLabel,
    AutomatonClaim,
    Holds,
    NeverClaim,
    Proposition,
    WithoutProgress,
)
from everafter.program.control_flow import Node, Terminate
from everafter.promela.model import Assert, Else

FAILED_STATE = FAILED & 0xFFFF
"""The state of a never claim after an assertion of its own has failed, as rows have it."""


def moves(facts: Facts, claim: AutomatonClaim | NeverClaim) -> str:
    """Return the text of the function, for `facts` and `claim`."""
    match claim:
        case AutomatonClaim():
            return _AutomatonMoves(facts, claim).text()
        case NeverClaim():
            return _NeverMoves(facts, claim).text()
        case _:
            assert_never(claim)


def _begun() -> Writer:
    return Writer("internal i64 @moves(ptr %c, ptr %row, i64 %at, i64 %stopped)")


def _observer(timeout: str) -> Frame:
    """No process in particular: what reads the whole row."""
    return Frame("%row", "%row", "-1", None, timeout, "failed")


def _go(w: Writer, facts: Facts, target: int) -> None:
    """Note a target."""
    place = w.at("%c", facts.rooms.targets)
    count = w.load(place, 8)
    w.store(place, w.add(count, 1), 8)
    limited = w.get(f"and i64 {count}, {MOST_TARGETS - 1}")
    w.store(w.get(f"getelementptr i64, ptr {w.at(place, 8)}, i64 {limited}"), target, 8)


def _finished(w: Writer) -> str:
    w.label("leave")
    w.end("ret i64 0")
    w.label("failed")
    w.end("ret i64 1")
    return w.text()


class _AutomatonMoves:
    """Where an automaton can go: every proposition is evaluated, then the labels of the edges."""

    def __init__(self, facts: Facts, claim: AutomatonClaim) -> None:
        self.facts = facts
        self.claim = claim
        self.writer = _begun()
        self.values = Values(facts, self.writer)

    def text(self) -> str:
        w, automaton = self.writer, self.claim.automaton
        letter = [self._proposition(self.claim.propositions[name]) for name in automaton.propositions]
        labels = [(state, f"state{state}") for state in automaton.states]
        w.switch("%at", "leave", labels)
        for state, label in labels:
            w.label(label)
            for edge in automaton.outgoing[state]:
                taken, other = w.fresh("taken"), w.fresh("other")
                w.branch(self._label(automaton, edge.label, letter, {}), taken, other)
                w.label(taken)
                _go(w, self.facts, edge.target)
                w.label(other)
            w.jump("leave")
        return _finished(w)

    def _proposition(self, proposition: Proposition) -> str:
        w = self.writer
        match proposition:
            case Holds(expression=expression):
                return self.values.condition(_observer("0"), expression)
            case AtAcceptLabel():
                return w.negated(w.get("call i1 @without_accept(ptr %row)"))
            case WithoutProgress():
                moving = w.compare("eq", "%stopped", 0)
                return w.both(moving, w.get("call i1 @without_progress(ptr %row)"))
            case _:
                assert_never(proposition)

    def _label(self, automaton: Automaton, function: int, letter: list[str], known: dict[int, str]) -> str:
        """The value of a label, which is a decision diagram."""
        if function in (NEVER, ALWAYS):
            return TRUE if function == ALWAYS else FALSE
        if function not in known:
            low, high = automaton.functions.cofactors(function)
            yes, no = (self._label(automaton, part, letter, known) for part in (high, low))
            chosen = letter[automaton.functions.level(function)]
            known[function] = self.writer.get(f"select i1 {chosen}, i1 {yes}, i1 {no}")
        return known[function]


class _NeverMoves:
    """Where a never claim can go: its transitions in order, `else` if none before was possible.

    Inside atomic the claim goes on moving: it is noted where to come back to, and the target is looked at first.
    """

    def __init__(self, facts: Facts, claim: NeverClaim) -> None:
        self.facts = facts
        self.writer = _begun()
        self.values = Values(facts, self.writer)
        self.guards = Guards(facts, self.writer, self.values)
        self.nodes = list(claim.process.graph.nodes.values())
        self.most = sum(transition.keeps_atomic for node in self.nodes for transition in node.transitions)
        """How many times it can have gone on inside atomic: once more, and it does so for ever."""
        self.returns: list[str] = []
        """The labels to come back to."""

    def text(self) -> str:
        w = self.writer
        w.do("%moved = alloca i64")
        w.store("%moved", 0, 8)
        if self.most:
            w.do("%depth = alloca i64")
            w.store("%depth", 0, 8)
            w.do(f"%returns = alloca [{self.most} x i64]")
        w.switch("%at", "leave", [(node.number, f"node{node.number}") for node in self.nodes])
        for node in self.nodes:
            w.label(f"node{node.number}")
            self._node(node)
            w.jump("return" if self.most else "leave")
        if self.most:
            self._return()
        return _finished(w)

    def _node(self, node: Node) -> None:
        w = self.writer
        frame = _observer("%stopped")
        for transition in node.transitions:
            effect = transition.effect
            if isinstance(effect, Terminate):
                continue
            other = w.fresh("other")
            if isinstance(effect, Else):
                w.unless(w.compare("eq", w.load("%moved", 8), 0), other)
            self.guards.test(frame, effect, other)
            w.store("%moved", 1, 8)
            if isinstance(effect, Assert):
                fine = w.fresh("fine")
                w.when(self.values.condition(frame, effect.condition), fine)
                _go(w, self.facts, FAILED_STATE)
                w.jump(other)
                w.label(fine)
            if transition.keeps_atomic:
                self._go_on(transition.target, other)
            else:
                _go(w, self.facts, transition.target)
            w.label(other)

    def _go_on(self, target: int, other: str) -> None:
        """Look at the target, and then come back to a label."""
        w = self.writer
        depth = w.load("%depth", 8)
        w.unless(w.compare("ult", depth, self.most), "endless")
        w.store(w.get(f"getelementptr i64, ptr %returns, i64 {depth}"), len(self.returns), 8)
        self.returns.append(other)
        w.store("%depth", w.add(depth, 1), 8)
        w.store("%moved", 0, 8)
        w.jump(f"node{target}")

    def _return(self) -> None:
        w = self.writer
        w.label("return")
        depth = w.load("%depth", 8)
        w.when(w.compare("eq", depth, 0), "leave")
        above = w.add(depth, -1)
        w.store("%depth", above, 8)
        w.store("%moved", 1, 8)
        place = w.get(f"getelementptr i64, ptr %returns, i64 {above}")
        w.switch(w.load(place, 8), "leave", list(enumerate(self.returns)))
        w.label("endless")
        mark(w, Word.FLAGS, OVERFLOW)
        w.jump("failed")
