"""Who may move, as code: what `enabled`, `provided` clauses and priorities ask. 0, 1, or 2 if it raised.

may_move0(c, row, pid, timeout), M<k>_0(c, row, at, pid, timeout)   whether an action of a process may be done
may_move1, M<k>_1 …                                                 the same, for the sake of another process
provided(c, row, at, pid, timeout), V<k>(…)                         whether its `provided` clause allows it to move
scheduled(c, row, at, pid, timeout)                                 the same, and no process of higher priority wants to

A process may ask for another one that asks for a third. Each depth has functions of its own, so that none calls itself;
deeper than MOST_ASKED the search is given up.
"""

from __future__ import annotations

from collections.abc import Mapping

from everafter.engine.emit.control_block import OVERFLOW, Word, mark
from everafter.engine.emit.frame import Frame
from everafter.engine.emit.guards import Guards
from everafter.engine.emit.options import each_option
from everafter.engine.emit.processes import alive, each_process
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.values import Values
from everafter.engine.emit.writer import Writer
from everafter.program.program import ProcessType
from everafter.promela.model import Expression

MOST_ASKED = 8
"""How many processes may be checked, each for the sake of the one before, that ask who may move."""


def dispatch(facts: Facts) -> list[str]:
    """The functions that hand a question on to the type of the process."""
    asked = [_may_move(facts, depth) for depth in _depths(facts)] if facts.asks_who_may_move else []
    return [*asked, _provided(facts), _scheduled(facts)] if facts.schedules else asked


def _depths(facts: Facts) -> range:
    """How deep such questions may nest."""
    return range(MOST_ASKED + 1) if facts.askers else range(1)


def of_type(facts: Facts, kind: ProcessType) -> list[str]:
    """Return the functions of the proctype `kind`, for `facts`."""
    asked = (
        [_may_move_type(facts, kind, depth) for depth in _own_depths(facts, kind)] if facts.asks_who_may_move else []
    )
    return [*asked, _provided_type(facts, kind, kind.provided)] if kind.provided is not None else asked


def _own_depths(facts: Facts, kind: ProcessType) -> range:
    """The depths for which a proctype has functions; one that asks for no other process has the same for all."""
    return range(MOST_ASKED) if kind.index in facts.askers else range(1)


def _may_move_type(facts: Facts, kind: ProcessType, depth: int) -> str:
    w = Writer(f"internal i64 @M{kind.index}_{depth}(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %timeout)")
    guards = Guards(facts, w, Values(facts, w))
    w.do("%own = getelementptr i8, ptr %row, i64 %at")
    frame = Frame("%row", "%own", "%pid", kind, "%timeout", "failed", meets="somebody", asked=depth + 1)
    for option in each_option(w, facts, kind):
        following = w.fresh("next")
        guards.test(frame, option.transition.effect, following)
        w.end("ret i64 1")
        w.label(following)
    w.end("ret i64 0")
    w.label("failed")
    w.end("ret i64 2")
    return w.text()


def _provided_type(facts: Facts, kind: ProcessType, clause: Expression) -> str:
    w = Writer(f"internal i64 @V{kind.index}(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %timeout)")
    w.do("%own = getelementptr i8, ptr %row, i64 %at")
    frame = Frame("%row", "%own", "%pid", kind, "%timeout", "failed")
    w.end(f"ret i64 {w.number(Values(facts, w).condition(frame, clause))}")
    w.label("failed")
    w.end("ret i64 2")
    return w.text()


def _may_move(facts: Facts, depth: int) -> str:
    w = Writer(f"internal i64 @may_move{depth}(ptr %c, ptr %row, i64 %pid, i64 %timeout)")
    w.do("%at = call i64 @locate(ptr %row, i64 %pid)")
    answering = {
        kind.index: f"M{kind.index}_{depth if kind.index in facts.askers else 0}"
        for kind in facts.running
        if depth < MOST_ASKED or kind.index not in facts.askers
    }
    _forward(w, answering)
    mark(w, Word.FLAGS, OVERFLOW)
    w.end("ret i64 2")
    return w.text()


def _provided(facts: Facts) -> str:
    w = Writer("internal i64 @provided(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %timeout)")
    _forward(w, {kind.index: f"V{kind.index}" for kind in facts.running if kind.provided is not None})
    w.end("ret i64 1")
    return w.text()


def _forward(w: Writer, answering: Mapping[int, str]) -> None:
    """Hand the question on to the function for the process's type; go on if there is none."""
    labels = [(index, w.fresh("type")) for index in answering]
    w.switch(w.load(w.at("%row", "%at"), 1), "other", labels)
    for index, label in labels:
        w.label(label)
        w.end(f"ret i64 {w.get(f'call i64 @{answering[index]}(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %timeout)')}")
    w.label("other")


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
            able = w.get(f"call i64 @may_move0(ptr %c, ptr %row, i64 {number}, i64 %timeout)")
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
