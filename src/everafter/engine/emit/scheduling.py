"""Who may move, as code: what `enabled`, `provided` clauses and priorities ask. 0, 1, or 2 if it raised.

may_move(c, row, pid, timeout), M<k>(c, row, at, pid, timeout)   whether an action of a process may be done
provided(c, row, at, pid, timeout), V<k>(…)                      whether its `provided` clause allows it to move
scheduled(c, row, at, pid, timeout)                              the same, and no process of higher priority wants to
"""

from __future__ import annotations

from everafter.engine.emit.facts import Facts
from everafter.engine.emit.frame import Frame
from everafter.engine.emit.guards import Guards
from everafter.engine.emit.options import each_option
from everafter.engine.emit.processes import alive, each_process
from everafter.engine.emit.values import Values
from everafter.engine.emit.writer import Writer
from everafter.program.program import ProcessType
from everafter.promela.model import Expression


def dispatch(facts: Facts) -> list[str]:
    """The functions that hand a question on to the type of the process."""
    written = [_may_move(facts)] if facts.asks_who_may_move else []
    return [*written, _provided(facts), _scheduled(facts)] if facts.schedules else written


def of_type(facts: Facts, kind: ProcessType) -> list[str]:
    """The functions of one proctype."""
    written = [_may_move_type(facts, kind)] if facts.asks_who_may_move else []
    return [*written, _provided_type(facts, kind, kind.provided)] if kind.provided is not None else written


def _may_move_type(facts: Facts, kind: ProcessType) -> str:
    w = Writer(f"internal i64 @M{kind.index}(ptr %c, ptr %row, i64 %at, i64 %pid, i64 %timeout)")
    guards = Guards(facts, w, Values(facts, w))
    w.do("%own = getelementptr i8, ptr %row, i64 %at")
    frame = Frame("%row", "%own", "%pid", kind, "%timeout", "failed", meets="somebody")
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
