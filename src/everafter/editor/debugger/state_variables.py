"""What a debugger shows of a state: variables as trees, channels with their messages, values of expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from everafter.editor.open_text import type_name
from everafter.execution.perform import value_of
from everafter.execution.state import RuntimeProblem, State
from everafter.program.naming import value_name
from everafter.program.program import Program
from everafter.program.storage import Region
from everafter.promela.cursor import Cursor, SyntaxProblem, TooManyProblems, describe
from everafter.promela.expressions import ExpressionReader
from everafter.promela.model import Expression, Kind, Struct, Type, Variable
from everafter.promela.preprocess import expand_text
from everafter.record import dataclass
from everafter.source import Diagnostic, EverafterError, Place, Source
from everafter.verdict.changes import channel_name, contents

Memory = Sequence[int]


class NotEvaluated(EverafterError):
    """An expression has no value here."""


@dataclass(frozen=True, slots=True)
class ShownVariable:
    """A variable, its value in words, and what is in it, which is computed when it is unfolded."""

    name: str
    value: str
    type: str = ""
    parts: Callable[[], list[ShownVariable]] | None = None
    count: int = 0
    """How many elements an array has."""


def globals_of(program: Program, state: State) -> list[ShownVariable]:
    """Return the variables of the model of `program` in `state`."""
    return [*_region(program, state, program.model.variables, program.memory, state.memory)]


def locals_of(program: Program, state: State, number: int) -> list[ShownVariable]:
    """Return the variables of process `number` of `state`, a state of `program`."""
    process = state.processes[number]
    kind = program.processes[process.proctype]
    own = [each for each in kind.declaration.variables if each in kind.memory.offsets]
    found = [*_region(program, state, own, kind.memory, process.memory), ShownVariable("_pid", str(number), "pid")]
    if program.uses_priority:
        found.append(ShownVariable("_priority", str(process.priority), "byte"))
    return found


def channels_of(program: Program, state: State) -> list[ShownVariable]:
    """Return the channels that exist in `state`, a state of `program`, with their messages."""
    return [_channel(program, state, number, name) for number, name in _channel_names(program, state)]


def _channel_names(program: Program, state: State) -> Iterator[tuple[int, str]]:
    for number in range(1, len(state.channels) + 1):
        yield number, channel_name(program, state, number)


def _region(
    program: Program, state: State, variables: Sequence[Variable], region: Region, memory: Memory
) -> Iterator[ShownVariable]:
    for variable in variables:
        yield _variable(program, state, variable, memory, region.offsets[variable])


def _variable(program: Program, state: State, variable: Variable, memory: Memory, offset: int) -> ShownVariable:
    if variable.length is None:
        return _value(program, state, variable.name, variable.type, memory, offset)
    length, size = variable.length, variable.type.size

    def elements() -> list[ShownVariable]:
        numbers = range(length)
        return [_value(program, state, f"[{n}]", variable.type, memory, offset + n * size) for n in numbers]

    shown = ", ".join(each.value for each in elements()[:8]) + (", …" if length > 8 else "")
    return ShownVariable(variable.name, f"[{shown}]", f"{type_name(variable.type)}[{length}]", elements, length)


def _value(program: Program, state: State, name: str, kind: Type, memory: Memory, offset: int) -> ShownVariable:
    if isinstance(kind, Struct):

        def fields() -> list[ShownVariable]:
            found, position = [], offset
            for item in kind.fields:
                found.append(_variable(program, state, item, memory, position))
                position += item.cells * item.type.size
            return found

        shown = ", ".join(f"{each.name}: {each.value}" for each in fields()[:4])
        return ShownVariable(name, f"{{{shown}{', …' if len(kind.fields) > 4 else ''}}}", kind.name, fields)
    if kind.kind is Kind.CHAN and 0 < memory[offset] <= len(state.channels):
        return _channel(program, state, memory[offset], name)
    return ShownVariable(name, value_name(program, kind, memory[offset]), type_name(kind))


def _channel(program: Program, state: State, number: int, name: str) -> ShownVariable:
    channel = state.channels[number - 1]
    kind = program.channels[channel.type]
    fields = ", ".join(type_name(each) for each in kind.fields)

    def messages() -> list[ShownVariable]:
        found = []
        for position, message in enumerate(channel.messages):
            values = [value_name(program, each, value) for each, value in zip(kind.fields, message, strict=True)]
            found.append(ShownVariable(f"[{position}]", ", ".join(values), fields))
        return found

    shape = f"chan [{kind.capacity}] of {{ {fields} }}"
    is_empty = not channel.messages
    return ShownVariable(name, contents(program, channel), shape, None if is_empty else messages, len(channel.messages))


# Expressions


def evaluated(program: Program, state: State, number: int, text: str) -> ShownVariable:
    """Return the value of the expression `text` for process `number` in `state`, a state of `program`.

    Raises NotEvaluated.
    """
    name = text.strip()
    known = [*locals_of(program, state, number), *channels_of(program, state), *globals_of(program, state)]
    for each in known:
        if each.name == name:
            return each
    expression = _read(program, state, number, text)
    try:
        return ShownVariable(name, str(value_of(program, state, number, expression)), "int")
    except RuntimeProblem as problem:
        raise NotEvaluated(problem.problem.message) from problem
    except (KeyError, IndexError) as error:
        raise NotEvaluated("this has no value in this run") from error


def _read(program: Program, state: State, number: int, text: str) -> Expression:
    problems: list[Diagnostic] = []
    source = Source("<watch>", text)
    cursor = Cursor(expand_text(source, program.model.macros, problems), Place(source, 1, len(text) + 1), problems)
    reader = ExpressionReader(program.model, cursor)
    own = program.processes[state.processes[number].proctype].declaration.variables
    for variable in (*program.model.variables, *own):
        reader.scopes.declare(variable)
    expression: Expression | None = None
    with suppress(SyntaxProblem, TooManyProblems):
        expression = reader.condition()
        if cursor.current.kind != "end":
            cursor.fail(cursor.current, f"unexpected {describe(cursor.current)}")
    if problems or expression is None:
        advice = f"; {problems[0].advice}" if problems and problems[0].advice else ""
        raise NotEvaluated(f"{problems[0].message}{advice}" if problems else "this is no expression")
    return expression
