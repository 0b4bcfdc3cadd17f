"""What watches channel operations, as code: trace assertions, and the promises `xr` and `xs`.

    watch_send(c, row, pid, n, count), watch_receive(…)

The fields of the message are in the control block. `execution/channel_watch.py` says what these do.
"""

from __future__ import annotations

from everafter.engine.emit.effects import report
from everafter.engine.emit.frame import Frame
from everafter.engine.emit.processes import alive, each_process
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.values import Values
from everafter.engine.emit.writer import FALSE, TRUE, Writer
from everafter.execution.channel_watch import is_final
from everafter.program.control_flow import Node, Transition
from everafter.program.program import ProcessType
from everafter.promela.model import Constant, Expression, Match, Receive, Send


def watchers(facts: Facts) -> list[str]:
    """The text of both functions."""
    return [_Watcher(facts, operation).text() for operation in ("send", "receive")]


class _Watcher:
    def __init__(self, facts: Facts, operation: str) -> None:
        head = f"internal void @watch_{operation}(ptr %c, ptr %row, i64 %pid, i64 %n, i64 %count)"
        self.facts = facts
        self.writer = Writer(head)
        self.values = Values(facts, self.writer)
        self.operation = operation
        self.kind: type[Send] | type[Receive] = Send if operation == "send" else Receive

    def text(self) -> str:
        w = self.writer
        self._check_promises()
        if self.facts.program.trace is not None:
            self._follow(self.facts.program.trace)
        w.jump("leave")
        w.label("report")
        report(w)
        w.jump("leave")
        w.label("leave")
        w.end("ret void")
        return w.text()

    # Promises

    def _check_promises(self) -> None:
        wanted = "xs" if self.operation == "send" else "xr"
        promising = {
            kind.index: [reference for promise, reference in kind.declaration.exclusive if promise == wanted]
            for kind in self.facts.program.processes
        }
        w = self.writer
        broken = w.fresh("broken")

        def ask(number: str, offset: str, kind: str) -> None:
            other = w.fresh("other")
            w.when(w.compare("eq", number, "%pid"), other)
            labels = [(index, w.fresh("owner")) for index, references in promising.items() if references]
            own = w.at("%row", offset)
            w.switch(kind, other, labels)
            for index, label in labels:
                w.label(label)
                frame = Frame("%row", own, number, self.facts.program.processes[index], "0", broken)
                for reference in promising[index]:
                    w.when(w.compare("eq", self.values.value(frame, reference), "%n"), broken)
                w.jump(other)
            w.label(other)

        if not any(promising.values()):
            return
        each_process(w, self.facts, alive(w), ask)
        following = w.fresh("go")
        w.jump(following)
        w.label(broken)
        report(w)
        w.label(following)

    # The trace

    def _follow(self, trace: ProcessType) -> None:
        """Move the trace along, if the channel is one it speaks of."""
        w = self.writer
        frame = Frame("%row", "%row", "-1", None, "0", "report")
        spoken = FALSE
        steps = [step for node in trace.graph.nodes.values() for step in node.transitions]
        for step in steps:
            if isinstance(step.effect, self.kind):
                spoken = w.either(spoken, w.compare("eq", self.values.value(frame, step.effect.channel), "%n"))
        w.unless(spoken, "leave")
        assert self.facts.layout.event is not None
        event = w.at("%row", self.facts.layout.event)
        labels = [(node.number, w.fresh("event"), node) for node in trace.graph.nodes.values()]
        unknown = w.fresh("unknown")
        w.switch(w.load(event, 2), unknown, [(number, label) for number, label, _ in labels])
        for _, label, node in labels:
            w.label(label)
            self._node(frame, trace, node, event)
            w.jump(unknown)
        w.label(unknown)
        if trace.role == "notrace":
            final = next(number for number in trace.graph.nodes if is_final(trace, number))
            w.store(event, final, 2)
            w.jump("leave")
        else:
            w.jump("report")

    def _node(self, frame: Frame, trace: ProcessType, node: Node, event: str) -> None:
        w = self.writer
        for step in node.transitions:
            if not isinstance(step.effect, self.kind):
                continue
            taken, other = w.fresh("taken"), w.fresh("other")
            w.unless(w.compare("eq", self.values.value(frame, step.effect.channel), "%n"), other)
            w.branch(self._fits(frame, step), taken, other)
            w.label(taken)
            w.store(event, step.target, 2)
            reached = trace.role == "notrace" and is_final(trace, step.target)
            w.jump("report" if reached else "leave")
            w.label(other)

    def _fits(self, frame: Frame, step: Transition) -> str:
        """Whether the message has the constants that an event names."""
        w = self.writer
        assert isinstance(step.effect, Send | Receive)
        condition = TRUE
        for position, argument in enumerate(step.effect.arguments):
            expected: Expression | None = None
            if isinstance(argument, Match):
                expected = argument.value
            elif isinstance(argument, Constant):
                expected = argument
            if expected is None:
                continue
            if position >= self.facts.fields:
                return FALSE
            seen = w.load(w.at("%c", self.facts.rooms.seen + 8 * position), 8)
            condition = w.both(condition, w.compare("ult", str(position), "%count"))
            condition = w.both(condition, w.compare("eq", seen, self.values.value(frame, expected)))
        return condition
