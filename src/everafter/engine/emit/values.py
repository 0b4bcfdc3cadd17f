"""The values of expressions: 64-bit numbers that C's rules keep within 32 bits.

What the reference reports as a RuntimeProblem is a jump to the frame's label `raised` here.
"""

from __future__ import annotations

from typing import assert_never

from everafter.engine.emit.cells import load
from everafter.engine.emit.channel_code import Channels
from everafter.engine.emit.frame import Frame
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.writer import FALSE, TRUE, Writer
from everafter.program.layout import COUNT, LAST, size_in_bytes
from everafter.program.storage import width_of
from everafter.promela.model import (
    Binary,
    ChannelQuery,
    Conditional,
    Constant,
    Expression,
    NonProgress,
    Poll,
    Predefined,
    ProcessQuery,
    Reference,
    RemoteLabel,
    RemoteVariable,
    RunExpression,
    Timeout,
    Unary,
    Variable,
    Within,
)
from everafter.promela.walk import parts_of

_RELATIONS = {"==": "eq", "!=": "ne", "<": "slt", ">": "sgt", "<=": "sle", ">=": "sge"}
_WRAPPING = {"+": "add", "-": "sub", "*": "mul"}
_BITWISE = {"&": "and", "|": "or", "^": "xor"}


class Values:
    """Writes expressions into a function. Some ask `channels`, which evaluates others in turn."""

    def __init__(self, facts: Facts, writer: Writer) -> None:
        self.facts = facts
        self.writer = writer
        self.channels = Channels(facts, writer, self)
        self._delicate: dict[int, tuple[bool, Expression]] = {}
        """What may raise, by identity, which is the expression's own only as long as the expression is kept."""

    def may_raise(self, expression: Expression) -> bool:
        """Whether evaluating an expression may fail or have an effect, so that it is done only where it must be."""
        known = self._delicate.get(id(expression))
        if known is not None:
            return known[0]
        answer = _is_delicate(expression)
        for part in parts_of(expression):
            answer = answer or self.may_raise(part)
        self._delicate[id(expression)] = answer, expression
        return answer

    def value(self, frame: Frame, expression: Expression) -> str:
        """Return the value of `expression` in `frame`."""
        w = self.writer
        match expression:
            case Constant(value=value):
                return str(value)
            case Reference():
                return self.read(frame, expression)
            case Predefined():
                return self._predefined(frame, expression)
            case Unary(operator="!"):
                return w.number(self.condition(frame, expression))
            case Unary(operator=operator, operand=operand):
                inner = self.value(frame, operand)
                return self._wrapped(w.get(f"sub i64 0, {inner}")) if operator == "-" else w.get(f"xor i64 {inner}, -1")
            case Binary(operator=operator) if operator in _RELATIONS or operator in ("&&", "||"):
                return w.number(self.condition(frame, expression))
            case Binary():
                return self._arithmetic(frame, expression)
            case Conditional():
                return self._conditional(frame, expression)
            case Within():
                return self._within(frame, expression)
            case RunExpression():
                return self._run(frame, expression)
            case ProcessQuery():
                return self._process_query(frame, expression)
            case RemoteVariable():
                return self._remote_variable(frame, expression)
            case ChannelQuery(query="len"):
                return self.channels.count(frame, expression.channel)
            case ChannelQuery() | Poll() | Timeout() | NonProgress() | RemoteLabel():
                return w.number(self.condition(frame, expression))
            case _:
                assert_never(expression)

    def condition(self, frame: Frame, expression: Expression) -> str:
        """Return whether the value of `expression` in `frame` is not zero."""
        w = self.writer
        match expression:
            case Constant(value=value):
                return TRUE if value else FALSE
            case Unary(operator="!", operand=operand):
                return w.negated(self.condition(frame, operand))
            case Binary(operator=operator, left=left, right=right) if operator in _RELATIONS:
                return w.compare(_RELATIONS[operator], self.value(frame, left), self.value(frame, right))
            case Binary(operator="&&" | "||"):
                return self._logical(frame, expression)
            case ChannelQuery():
                return self.channels.query(frame, expression)
            case Poll():
                return self.channels.poll(frame, expression)
            case Timeout():
                return w.compare("ne", frame.timeout, 0)
            case NonProgress():
                moving = w.compare("eq", frame.timeout, 0)
                return w.both(moving, w.get(f"call i1 @without_progress(ptr {frame.row})"))
            case RemoteLabel():
                return self._remote_label(frame, expression)
            case Reference() | Predefined() | Unary() | Binary() | Conditional() | Within():
                return w.compare("ne", self.value(frame, expression), 0)
            case RunExpression() | ProcessQuery() | RemoteVariable():
                return w.compare("ne", self.value(frame, expression), 0)
            case _:
                assert_never(expression)

    # Operators

    def _logical(self, frame: Frame, expression: Binary) -> str:
        w = self.writer
        is_and = expression.operator == "&&"
        left = self.condition(frame, expression.left)
        if not self.may_raise(expression.right):
            right = self.condition(frame, expression.right)
            return w.both(left, right) if is_and else w.either(left, right)
        more, done, before = w.fresh("more"), w.fresh("done"), w.block
        w.branch(left, *((more, done) if is_and else (done, more)))
        w.label(more)
        right = self.condition(frame, expression.right)
        after = w.block
        w.label(done)
        if left == (TRUE if is_and else FALSE):
            return right
        if left in (TRUE, FALSE):
            return left
        return w.phi("i1", (FALSE if is_and else TRUE, before), (right, after))

    def _conditional(self, frame: Frame, expression: Conditional) -> str:
        w = self.writer
        condition = self.condition(frame, expression.condition)
        yes, no, done = w.fresh("yes"), w.fresh("no"), w.fresh("done")
        w.branch(condition, yes, no)
        arrivals: list[tuple[str, str]] = []
        for label, chosen, wanted in ((yes, expression.chosen, TRUE), (no, expression.other, FALSE)):
            if condition in (TRUE, FALSE) and condition != wanted:
                continue
            w.label(label)
            arrivals.append((self.value(frame, chosen), w.block))
            w.jump(done)
        w.label(done)
        return w.phi("i64", *arrivals)

    def _within(self, frame: Frame, expression: Within) -> str:
        w = self.writer
        value = self.value(frame, expression.operand)
        w.unless(w.compare("sge", value, expression.least), frame.raised)
        w.unless(w.compare("sle", value, expression.greatest), frame.raised)
        return value

    def _wrapped(self, value: str) -> str:
        """The value as a C int keeps it."""
        low = self.writer.get(f"trunc i64 {value} to i32")
        return self.writer.get(f"sext i32 {low} to i64")

    def _arithmetic(self, frame: Frame, expression: Binary) -> str:
        w = self.writer
        left, right = self.value(frame, expression.left), self.value(frame, expression.right)
        operator = expression.operator
        if operator in _WRAPPING:
            return self._wrapped(w.get(f"{_WRAPPING[operator]} i64 {left}, {right}"))
        if operator in _BITWISE:
            return w.get(f"{_BITWISE[operator]} i64 {left}, {right}")
        if operator in ("<<", ">>"):
            distance = w.get(f"and i64 {right}, 31")
            if operator == "<<":
                return self._wrapped(w.get(f"shl i64 {left}, {distance}"))
            return w.get(f"ashr i64 {left}, {distance}")
        w.when(w.compare("eq", right, 0), frame.raised)
        overflow = w.both(w.compare("eq", right, -1), w.compare("eq", left, -(2**31)))
        w.when(overflow, frame.raised)
        return w.get(f"{'sdiv' if operator == '/' else 'srem'} i64 {left}, {right}")

    # Variables

    def read(self, frame: Frame, reference: Reference) -> str:
        """Return the value of the variable of `reference` in `frame`, 0 for one that is not stored."""
        place = self.place(frame, reference)
        return load(self.writer, place, width_of(reference.leaf)) if place is not None else "0"

    def place(self, frame: Frame, reference: Reference) -> str | None:
        """Return the address of the variable of `reference` in `frame`; None if it is never read.

        An index out of range raises.
        """
        variable = reference.variable
        base: str | None = frame.row
        if variable.proctype is None:
            start = self.facts.layout.offsets.get(variable)
            if start is None:
                base, start = None, 0
        else:
            assert frame.kind is not None
            base, start = frame.own, self.facts.layout.processes[frame.kind.index].offsets[variable]
        if self.facts.is_unread(reference):
            base = None
        offset = self.writer.add(start, self._element(frame, variable, reference.index))
        for selection in reference.selections:
            offset = self.writer.add(offset, self.facts.layout.fields[selection.field])
            offset = self.writer.add(offset, self._element(frame, selection.field, selection.index))
        return self.writer.at(base, offset) if base is not None else None

    def _element(self, frame: Frame, variable: Variable, index: Expression | None) -> str:
        if index is None:
            return "0"
        position = self.position(frame, variable, index)
        return self.writer.times(position, size_in_bytes(variable))

    def position(self, frame: Frame, variable: Variable, index: Expression) -> str:
        """Return the value of `index` in `frame`, which must be in the range of `variable`."""
        position = self.value(frame, index)
        known = isinstance(index, Constant) and 0 <= index.value < variable.cells
        if not known:
            self.writer.unless(self.writer.compare("ult", position, variable.cells), frame.raised)
        return position

    def _predefined(self, frame: Frame, predefined: Predefined) -> str:
        w = self.writer
        match predefined.name:
            case "_pid":
                return frame.pid
            case "_nr_pr":
                return w.load(w.at(frame.row, COUNT), 1)
            case "_last":
                return w.load(w.at(frame.row, LAST), 1)
            case "_priority":
                return self._priority(frame.own)
            case "_":
                return "0"
            case _:
                assert_never(predefined.name)

    def _priority(self, process: str) -> str:
        if self.facts.layout.priority is None:
            return "1"
        return self.writer.load(self.writer.at(process, self.facts.layout.priority), 1)

    # Other processes

    def located(self, frame: Frame, number: str) -> str:
        """Return the address of the process `number`, which must be alive in `frame`."""
        w = self.writer
        return w.at(frame.row, w.get(f"call i64 @locate(ptr {frame.row}, i64 {number})"))

    def is_alive(self, frame: Frame, number: str) -> str:
        """Return whether a process `number` exists in `frame`."""
        w = self.writer
        return w.compare("ult", number, w.load(w.at(frame.row, COUNT), 1))

    def _of_process(self, frame: Frame, number: str, what: str) -> tuple[str, str, str, str]:
        """The labels around code that needs a live process: alive, done, the block before, its place."""
        w = self.writer
        alive, done = w.fresh(what), w.fresh("done")
        condition = self.is_alive(frame, number)
        before = w.block
        w.branch(condition, alive, done)
        w.label(alive)
        return alive, done, before, self.located(frame, number)

    def _process_query(self, frame: Frame, query: ProcessQuery) -> str:
        w = self.writer
        number = self.value(frame, query.process)
        _, done, before, process = self._of_process(frame, number, "asked")
        match query.query:
            case "pc_value":
                answer = w.load(w.at(process, self.facts.layout.node), self.facts.layout.node_bytes)
            case "get_priority":
                answer = self._priority(process)
            case "enabled":
                w.when(w.compare("eq", number, frame.pid), frame.raised)
                who = f"ptr {frame.row}, i64 {number}, i64 {frame.timeout}"
                answer = w.get(f"call i64 @may_move{frame.asked}(ptr %c, {who})")
                w.when(w.compare("eq", answer, 2), frame.raised)
            case _:
                assert_never(query.query)
        after = w.block
        w.label(done)
        return w.phi("i64", ("0", before), (answer, after))

    def _remote_number(self, frame: Frame, proctype: str, process: Expression | None) -> str:
        if process is not None:
            return self.value(frame, process)
        wanted = self.facts.program.by_name[proctype]
        return self.writer.get(f"call i64 @find(ptr {frame.row}, i64 {wanted})")

    def _remote_label(self, frame: Frame, label: RemoteLabel) -> str:
        w = self.writer
        wanted = self.facts.program.by_name[label.proctype]
        number = self._remote_number(frame, label.proctype, label.process)
        _, done, before, process = self._of_process(frame, number, "label")
        same = w.compare("eq", w.load(process, 1), wanted)
        node = w.load(w.at(process, self.facts.layout.node), self.facts.layout.node_bytes)
        there = w.compare("eq", node, self.facts.program.processes[wanted].graph.labels[label.label])
        answer, after = w.both(same, there), w.block
        w.label(done)
        return w.phi("i1", (FALSE, before), (answer, after))

    def _remote_variable(self, frame: Frame, remote: RemoteVariable) -> str:
        w = self.writer
        wanted = self.facts.program.by_name[remote.proctype]
        number = self._remote_number(frame, remote.proctype, remote.process)
        _, done, before, process = self._of_process(frame, number, "remote")
        w.unless(w.compare("eq", w.load(process, 1), wanted), frame.raised)
        start = self.facts.layout.processes[wanted].offsets[remote.variable]
        offset = w.add(start, self._element(frame, remote.variable, remote.index))
        answer = load(w, w.at(process, offset), width_of(remote.variable))
        after = w.block
        w.label(done)
        return w.phi("i64", ("0", before), (answer, after))

    def _run(self, frame: Frame, run: RunExpression) -> str:
        """Start a process; its number. On a row that others see, too, it is an error."""
        w = self.writer
        if not frame.is_draft:
            w.when(TRUE, frame.raised)
            return "0"
        program = self.facts.program
        target = program.processes[program.by_name[run.proctype]]
        values = [self.value(frame, argument) for argument in run.arguments]
        fitted = (values + ["0"] * len(target.parameters))[: len(target.parameters)]
        arguments = "".join(f", i64 {value}" for value in fitted)
        call = f"call i64 @create{target.index}(ptr %c, ptr {frame.row}, i64 {run.priority or 1}{arguments})"
        number = w.get(call)
        w.when(w.compare("slt", number, 0), frame.raised)
        return number


def _is_delicate(part: Expression) -> bool:
    match part:
        case Reference(index=index, selections=selections, variable=variable):
            indices = [(variable, index), *((item.field, item.index) for item in selections)]
            return any(
                position is not None and not (isinstance(position, Constant) and 0 <= position.value < owner.cells)
                for owner, position in indices
            )
        case (
            Binary(operator="/" | "%")
            | Within()
            | RunExpression()
            | ChannelQuery()
            | Poll()
            | ProcessQuery()
            | RemoteVariable()
        ):
            return True
        case Constant() | Predefined() | Unary() | Binary() | Conditional() | Timeout() | NonProgress() | RemoteLabel():
            return False
        case _:
            assert_never(part)
