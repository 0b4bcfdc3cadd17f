"""Programs as plain text, for checkers of others: what proofs/semantics/program.v calls a program, in brackets.

verified/README.md describes the form. A text is a list of items in brackets; an item begins with its name. Variables
are cells, proctypes, channel declarations and processes are numbers from 0, places of control numbers from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, assert_never

from everafter.execution.printf import printed_arguments
from everafter.program.control_flow import DeterministicStep, Effect, Jump, Node, Perform, Select, Terminate, Transition
from everafter.program.program import ProcessType, Program
from everafter.program.storage import Region, Width, width_of
from everafter.promela.model import (
    Argument,
    Assert,
    Assign,
    Basic,
    Binary,
    ChannelQuery,
    ChannelShape,
    Conditional,
    Constant,
    Declare,
    Else,
    Expression,
    Match,
    NonProgress,
    Poll,
    Predefined,
    Print,
    ProcessQuery,
    Receive,
    Reference,
    RemoteLabel,
    RemoteVariable,
    RunExpression,
    Send,
    SetPriority,
    Struct,
    Test,
    Timeout,
    Unary,
    Variable,
    Within,
)
from everafter.promela.walk import subexpressions
from everafter.source import Diagnostic, InputError, Place

VERSION: Final = 1
_PREDEFINED: Final = {"_pid": "(pid)", "_nr_pr": "(nr_pr)", "_last": "(last)", "_priority": "(priority)", "_": "0"}
_UNARY: Final = {"!": "not", "-": "neg", "~": "inv"}


class NotPlainError(InputError):
    """The program has something that the plain form has no words for, or that has no meaning proofs could speak of."""

    def __init__(self, place: Place, message: str) -> None:
        super().__init__([Diagnostic(place, message)])


def plain_form(program: Program) -> str:
    """Return `program` in the plain form, a proctype, channel or list of variables a line.

    Raises NotPlainError at what is not covered.
    """
    return "".join(f"{line}\n" for line in PlainProgram(program).lines())


def plain_proposition(program: Program, expression: Expression) -> str:
    """Return the value of `expression`, which belongs to no process of `program`, in the plain form.

    Raises NotPlainError if it belongs to one, or is not covered.
    """
    plain = PlainProgram(program)
    plain.require_nobodys(expression)
    return plain.value(expression)


def item(name: str, *parts: object) -> str:
    """Return an item of the plain form: its `name` and its `parts`, in brackets."""
    return f"({' '.join((name, *map(str, parts)))})"


class PlainProgram:
    """What the parts of one program are in the plain form."""

    def __init__(self, program: Program) -> None:
        self._program = program
        regions = (program.memory, *(process.memory for process in program.processes))
        self._offsets = {variable: cell for region in regions for variable, cell in region.offsets.items()}

    def lines(self) -> Iterator[str]:
        """The whole program, line by line."""
        program = self._program
        yield item("promela", VERSION)
        switches = {
            "loses_messages": program.loses_messages,
            "uses_last": program.uses_last,
            "uses_priority": program.uses_priority,
            "ends_matter": program.expected.end_states,
            "channels_matter": program.expected.empty_channels,
        }
        yield item("switches", *(name for name, is_on in switches.items() if is_on))
        yield from _named_cells(program.memory)
        first = self._first_values(program.initial, program.memory)
        yield item("globals", len(program.memory.cells), *first)
        for kind in program.channels:
            yield item("channel", kind.capacity, *map(_width, kind.widths))
        for process in program.processes:
            yield from self._proctype(process)
        started = [(kind.index, self._priority(kind.priority)) for kind in program.processes for _ in _instances(kind)]
        yield item("active", *(item(str(index), priority) for index, priority in started))
        if program.trace is not None:
            yield from self._trace(program.trace)

    def _priority(self, priority: int) -> int:
        """A priority, which is 1 where none matters."""
        return priority if self._program.uses_priority else 1

    # Proctypes

    def _proctype(self, kind: ProcessType) -> Iterator[str]:
        memory = kind.memory
        is_run = kind.role in ("process", "init")
        yield from _named_cells(memory)
        head = item(
            "proctype",
            kind.name.strip(":"),
            len(memory.cells),
            kind.graph.start,
            item("parameters", *(f"({cell} {_range(width)})" for cell, width in kind.parameters)),
            item("first", *self._first_values(kind.initial, memory)),
            item("created", len(kind.created)),
            item("provided", *self._optional(kind.provided)),
            item("deterministic", int(kind.declaration.deterministic)),
            item("promises", *(item(word, self.value(it)) for word, it in kind.declaration.exclusive)),
        )
        yield from _around(head, map(self._node, kind.graph.nodes.values() if is_run else ()))

    def _optional(self, condition: Expression | None) -> Iterator[str]:
        if condition is not None:
            yield self.value(condition)

    def _first_values(self, variables: Iterable[Variable], memory: Region) -> Iterator[str]:
        for variable in variables:
            yield from self._first_cells(variable, memory.offsets[variable], memory)

    def _first_cells(self, variable: Variable, offset: int, memory: Region) -> Iterator[str]:
        for element in range(variable.cells):
            cell = offset + element * variable.type.size
            if isinstance(variable.type, Struct):
                for field in variable.type.fields:
                    yield from self._first_cells(field, cell + self._program.fields[field], memory)
            elif variable.initial is not None:
                width = _range(memory.cells[cell].width, memory.cells[cell].hidden)
                if isinstance(variable.initial, ChannelShape):
                    yield item("create", cell, width, self._program.channel_index[variable.initial])
                else:
                    yield item("set", cell, width, self.value(_first_value(variable.initial, element)))

    def _node(self, node: Node) -> str:
        labels = [word for word, has in (("end", node.is_end), ("progress", node.is_progress)) if has]
        return item("at", _place(node.number), item("labels", *labels), *map(self._transition, node.transitions))

    def _transition(self, step: Transition) -> str:
        kept = "atomic" if step.keeps_atomic else "free"
        return item("go", step.target, kept, step.escape, self.effect(step.effect))

    # Statements

    def effect(self, effect: Effect) -> str:
        """What `effect` is in the plain form."""
        match effect:
            case Jump():
                return "(skip)"
            case Terminate():
                return "(end)"
            case DeterministicStep(instructions=instructions, start=start, guards=guards):
                body = [
                    item("do", _place(at), self._statement(it.statement), _next(it.next))
                    if isinstance(it, Perform)
                    else self._select(at, it)
                    for at, it in instructions.items()
                ]
                first = "any" if guards is None else item("guards", *map(self._statement, guards))
                return item("d_step", first, _next(start), *body)
            case _:
                return self._statement(effect)

    @staticmethod
    def _select(at: int, select: Select) -> str:
        return item("select", _place(at), *map(_next, select.options))

    def _statement(self, statement: Basic) -> str:
        match statement:
            case Test(condition=RunExpression() as run):
                return self._run(run, "none")
            case Test(condition=condition):
                return item("test", self.value(condition))
            case Else():
                return "(else)"
            case Declare():
                return "(skip)"
            case Assign(target=target, value=RunExpression() as run):
                return self._run(run, self._target(target))
            case Assign(target=target, value=value):
                return item("assign", self._target(target), self.value(value))
            case Assert(condition=condition, place=place):
                word = "assert" if self._program.expected.requires(place) else "evaluate"
                return item(word, self.value(condition))
            case Print():
                return item("print", *map(self.value, printed_arguments(statement)))
            case SetPriority(process=process, priority=priority):
                return item("set_priority", self.value(process), self.value(priority))
            case Send(channel=channel, arguments=values, is_sorted=is_sorted):
                word = "send_sorted" if is_sorted else "send"
                return item(word, self.value(channel), *map(self.value, values))
            case Receive(channel=channel, arguments=patterns, anywhere=anywhere, keeps=keeps):
                how = ("any" if anywhere else "first", "copy" if keeps else "take")
                return item("receive", *how, self.value(channel), *map(self._pattern, patterns))
            case _:
                assert_never(statement)

    def _run(self, run: RunExpression, target: str) -> str:
        kind, priority = self._program.by_name[run.proctype], self._priority(run.priority or 1)
        return item("run", kind, priority, target, *map(self.value, run.arguments))

    def _pattern(self, pattern: Argument) -> str:
        if isinstance(pattern, Match):
            return item("match", self.value(pattern.value))
        return item("bind", self._target(pattern.target))

    def _target(self, target: Reference | Predefined) -> str:
        if isinstance(target, Predefined):
            return "(to_priority)" if target.name == "_priority" else "(to_nothing)"
        base, indices = self._address(target)
        is_global = target.variable.proctype is None
        is_hidden = is_global and self._program.memory.cells[self._offsets[target.variable]].hidden
        scope = "shared" if is_global else "mine"
        return item("to", scope, _range(width_of(target.leaf), is_hidden), base, *indices)

    def _address(self, reference: Reference) -> tuple[int, list[str]]:
        """The cell of a reference if every index is 0, and the indices."""
        cell = self._offsets[reference.variable]
        parts = [(reference.variable, reference.index)]
        for selection in reference.selections:
            cell += self._program.fields[selection.field]
            parts.append((selection.field, selection.index))
        return cell, [self._index(variable, index) for variable, index in parts if index is not None]

    def _index(self, variable: Variable, index: Expression) -> str:
        return item("index", self.value(index), variable.cells, variable.type.size)

    # Expressions

    @staticmethod
    def require_nobodys(expression: Expression) -> None:
        """Raise NotPlainError if `expression` belongs to a process: what observes a run is none."""
        for part in subexpressions(expression):
            is_own = isinstance(part, Predefined) and part.name in ("_pid", "_priority")
            if is_own or (isinstance(part, Reference) and part.variable.proctype is not None):
                raise NotPlainError(expression.place, "in the plain form a proposition belongs to no process")

    def value(self, expression: Expression) -> str:
        """What `expression` is in the plain form."""
        match expression:
            case Constant(value=value):
                return str(value)
            case Reference():
                base, indices = self._address(expression)
                return item("shared" if expression.variable.proctype is None else "mine", base, *indices)
            case Predefined(name=name):
                return _PREDEFINED[name]
            case Unary(operator=operator, operand=operand):
                return item(_UNARY[operator], self.value(operand))
            case Binary(operator=operator, left=left, right=right):
                return item(operator, self.value(left), self.value(right))
            case Conditional(condition=condition, chosen=chosen, other=other):
                return item("if", *map(self.value, (condition, chosen, other)))
            case Within(operand=operand, least=least, greatest=greatest):
                return item("within", self.value(operand), least, greatest)
            case ChannelQuery(query=query, channel=channel):
                return item(query, self.value(channel))
            case Poll(channel=channel, arguments=patterns, anywhere=anywhere):
                asked = (item("same", self.value(it.value)) if isinstance(it, Match) else "(value)" for it in patterns)
                return item("poll", "any" if anywhere else "first", self.value(channel), *asked)
            case ProcessQuery(query=query, process=process):
                return item(query, self.value(process))
            case Timeout():
                return "(timeout)"
            case NonProgress():
                return "(np_)"
            case RemoteLabel(proctype=name, process=process, label=label):
                kind = self._program.by_name[name]
                place = self._program.processes[kind].graph.labels[label]
                return item("remote_label", kind, self._chosen(process), place)
            case RemoteVariable(proctype=name, process=process, variable=variable, index=index):
                indices = [] if index is None else [self._index(variable, index)]
                kind = self._program.by_name[name]
                return item("remote_variable", kind, self._chosen(process), self._offsets[variable], *indices)
            case RunExpression(place=place):
                raise NotPlainError(place, "in the plain form 'run' stands alone, or alone behind '='")
            case _:
                assert_never(expression)

    def _chosen(self, process: Expression | None) -> str:
        return "oldest" if process is None else self.value(process)

    # Trace assertions

    def _trace(self, trace: ProcessType) -> Iterator[str]:
        nodes = trace.graph.nodes.values()
        ends = [node.number for node in nodes if _is_final(node)]
        final = ends[0] if ends else trace.graph.start
        yield from _around(item(trace.role, trace.graph.start, final), map(self._moment, nodes))

    def _moment(self, node: Node) -> str:
        words = [word for word, has in (("may_stop", node.is_end), ("final", _is_final(node))) if has]
        return item("moment", _place(node.number), item("is", *words), *self._events(node.transitions))

    def _events(self, steps: Sequence[Transition]) -> Iterator[str]:
        for step in steps:
            fields: Sequence[tuple[int, Expression]]
            match step.effect:
                case Send(channel=channel, arguments=values):
                    fields = [(at, each) for at, each in enumerate(values) if isinstance(each, Constant)]
                    word = "send"
                case Receive(channel=channel, arguments=patterns):
                    fields = [(at, each.value) for at, each in enumerate(patterns) if isinstance(each, Match)]
                    word = "receive"
                case _:
                    continue
            constants = [item(str(at), self.value(each)) for at, each in fields]
            yield item("on", word, step.target, self.value(channel), *constants)


def _around(head: str, parts: Iterable[str]) -> Iterator[str]:
    """An item with more parts, each on a line."""
    yield head[:-1]
    yield from (f"  {part}" for part in parts)
    yield ")"


def _first_value(initial: Expression | tuple[Expression, ...], element: int) -> Expression:
    """The first value of an element; a list that is too short goes on with its last value."""
    return initial[min(element, len(initial) - 1)] if isinstance(initial, tuple) else initial


def _instances(kind: ProcessType) -> range:
    return range(kind.instances)


def _is_final(node: Node) -> bool:
    return any(isinstance(step.effect, Terminate) for step in node.transitions)


def _named_cells(memory: Region) -> Iterator[str]:
    """A comment that says what each cell is."""
    if memory.cells:
        yield f"; {' '.join(cell.name for cell in memory.cells)}"


def _range(width: Width, is_hidden: bool = False) -> str:
    """The least number of a cell and how many there are; what is hidden does not tell states apart, and is 0."""
    return "0 1" if is_hidden else f"{width.least} {1 << width.bits}"


def _width(width: Width) -> str:
    return f"({_range(width)})"


def _place(number: int) -> int:
    assert number > 0
    return number


def _next(place: int | None) -> str:
    return "end" if place is None else str(_place(place))


__all__ = ["VERSION", "NotPlainError", "PlainProgram", "item", "plain_form", "plain_proposition"]
