"""What a single action does to the draft of the next state, and whether it can be done at all."""

from __future__ import annotations

import re
from typing import assert_never

from everafter.execution.evaluate import Evaluator
from everafter.execution.state import Channel, Draft, Problem, Process, RuntimeProblem, View
from everafter.execution.watch import watch
from everafter.program.graph import DeterministicStep, Effect, Jump, Perform, Select, Terminate
from everafter.program.memory import Width, width_of
from everafter.program.naming import mtype_name
from everafter.program.program import ProcessType, Program
from everafter.promela.model import (
    Argument,
    Assert,
    Assign,
    Bind,
    ChannelShape,
    Constant,
    Declare,
    Else,
    Expression,
    Predefined,
    Print,
    Receive,
    Reference,
    Run,
    Scalar,
    Send,
    SetPriority,
    Struct,
    Test,
    Variable,
)
from everafter.source import Place

MAXIMUM_PROCESSES = 255
MAXIMUM_CHANNELS = 255
MAXIMUM_INSTRUCTIONS = 1_000_000


class Actor(Evaluator):
    """An evaluator that also knows actions: it can start processes, and tell whether one may move."""

    def _run(self, run: Run) -> int:
        if not isinstance(self.view, Draft):
            return super()._run(run)
        arguments = [self.value(argument) for argument in run.arguments]
        return create_process(self.view, self.program.by_name[run.proctype], arguments, run.priority or 1, run.place)

    def may_move(self, number: int) -> bool:
        """Whether some action of another process may be done."""
        return may_move(self.program, self.view, number, self.timeout)


# Whether an action may be done


def is_executable(program: Program, view: View, number: int, effect: Effect, timeout: bool) -> bool:
    """Whether an action may be done now. A rendezvous send may; that a partner is ready is for the step to see."""
    evaluator = Actor(program, view, number, timeout)
    match effect:
        case Test(condition=Run()):
            return True
        case Test(condition=condition):
            return bool(evaluator.value(condition))
        case Send():
            _, channel = evaluator.channel(effect.channel)
            if channel is None:
                raise RuntimeProblem("this channel died with the process that created it", effect.place)
            return program.loses_messages or not evaluator.is_full(channel)
        case Receive():
            return _position(evaluator, effect) is not None
        case Terminate():
            return number + 1 == len(view.processes)
        case DeterministicStep(guards=guards):
            return guards is None or any(is_executable(program, view, number, guard, timeout) for guard in guards)
        case Assign() | Else() | Assert() | Print() | SetPriority() | Declare() | Jump():
            return True
        case _:
            assert_never(effect)


def _position(evaluator: Actor, receive: Receive) -> int | None:
    """Which message a receive would take; None while there is none."""
    number, channel = evaluator.channel(receive.channel)
    if channel is None:
        return None
    is_rendezvous = evaluator.program.channels[channel.type].capacity == 0
    if is_rendezvous and receive.keeps:
        raise RuntimeProblem("a rendezvous channel keeps no message", receive.place)
    handshake = evaluator.view.handshake if isinstance(evaluator.view, Draft) else None
    if (is_rendezvous or handshake is not None) and handshake != number:
        return None
    return evaluator.find_message(channel, receive.arguments, receive.anywhere)


def may_move(program: Program, view: View, number: int, timeout: bool) -> bool:
    """Whether some action of a process may be done: what `enabled` and priorities ask."""
    process = view.processes[number]
    node = program.processes[process.proctype].graph.nodes[process.node]
    return any(is_executable(program, view, number, step.effect, timeout) for step in node.transitions)


# Doing it


def perform(draft: Draft, number: int, effect: Effect, timeout: bool) -> None:
    """Do an action that is executable."""
    evaluator = Actor(draft.program, draft, number, timeout)
    match effect:
        case Test(condition=Run() as run):
            evaluator.value(run)
        case Test() | Else() | Declare() | Jump():
            pass
        case Assign(target=target, value=value):
            store(draft, number, target, evaluator.value(value))
        case Assert(condition=condition):
            if not evaluator.value(condition) and draft.program.expected.requires(effect.place):
                draft.report(Problem("assertion", f"{effect.text} failed", effect.place))
        case Print():
            draft.output.append(_formatted(evaluator, effect))
        case SetPriority():
            _set_priority(draft, evaluator, effect)
        case Send():
            _send(draft, evaluator, effect)
        case Receive():
            _receive(draft, evaluator, effect)
        case Terminate():
            _end_process(draft)
        case DeterministicStep():
            _run_to_end(draft, number, effect, timeout)
        case _:
            assert_never(effect)


def store(draft: Draft, number: int, target: Reference | Predefined, value: int) -> None:
    """Assign a value, cut to the width of its cell."""
    if isinstance(target, Predefined):
        if target.name == "_priority":
            draft.processes[number] = draft.processes[number]._replace(priority=value & 255)
        return
    cell = Actor(draft.program, draft, number).address(target)
    width = width_of(target.leaf)
    if target.variable.proctype is None:
        draft.memory[cell] = width.store(value)
    else:
        draft.write_local(number, cell, width.store(value))


def _set_priority(draft: Draft, evaluator: Actor, effect: SetPriority) -> None:
    number, priority = evaluator.value(effect.process), evaluator.value(effect.priority)
    if not 0 <= number < len(draft.processes):
        return
    if not 1 <= priority <= 255:
        raise RuntimeProblem(f"a priority lies between 1 and 255, not {priority}", effect.place)
    draft.processes[number] = draft.processes[number]._replace(priority=priority)


# Channels


def _send(draft: Draft, evaluator: Actor, send: Send) -> None:
    number, channel = evaluator.channel(send.channel)
    assert channel is not None
    kind = draft.program.channels[channel.type]
    values = [evaluator.value(argument) for argument in send.arguments]
    if len(values) != len(kind.widths):
        few = "few" if len(values) < len(kind.widths) else "many"
        message = f"too {few} fields in this message: {len(values)}, not {len(kind.widths)}"
        draft.report(Problem("runtime", message, send.place))
        values = (values + [0] * len(kind.widths))[: len(kind.widths)]
    if evaluator.is_full(channel):
        return  # lost, which is_executable allows only if the model may lose messages
    sent = tuple(width.store(value) for width, value in zip(kind.widths, values, strict=True))
    position = len(channel.messages)
    if send.is_sorted:
        position = next((i for i, other in enumerate(channel.messages) if tuple(values) < other), position)
    messages = (*channel.messages[:position], sent, *channel.messages[position:])
    draft.channels[number - 1] = channel._replace(messages=messages)
    watch(draft, evaluator.number, "send", number, sent, send.place)
    if kind.capacity == 0:
        draft.handshake = number


def _receive(draft: Draft, evaluator: Actor, receive: Receive) -> None:
    position = _position(evaluator, receive)
    number, channel = evaluator.channel(receive.channel)
    assert position is not None
    assert channel is not None
    message = channel.messages[position]
    _check_fields(draft, receive.arguments, message, receive)
    if not receive.keeps:
        watch(draft, evaluator.number, "receive", number, message, receive.place)
        # Taken off before the variables are written, which may change what the channel's name means.
        rest = (*channel.messages[:position], *channel.messages[position + 1 :])
        draft.channels[number - 1] = channel._replace(messages=rest)
        draft.handshake = None
    for pattern, value in zip(receive.arguments, message, strict=False):
        if isinstance(pattern, Bind):
            store(draft, evaluator.number, pattern.target, value)


def _check_fields(draft: Draft, patterns: tuple[Argument, ...], message: tuple[int, ...], receive: Receive) -> None:
    if len(patterns) == len(message) or (receive.keeps and len(patterns) < len(message)):
        return
    text = f"the message has {len(message)} fields, not {len(patterns)}"
    problem = Problem("runtime", text, receive.place)
    if len(patterns) > len(message) > 1:
        raise RuntimeProblem(text, receive.place)
    draft.report(problem)


# Processes


def create_process(draft: Draft, proctype: int, arguments: list[int], priority: int, place: Place) -> int:
    """Start a process; its number is returned. Its channels are created with it, in order of declaration."""
    number = len(draft.processes)
    if number >= MAXIMUM_PROCESSES:
        raise RuntimeProblem(f"more than {MAXIMUM_PROCESSES} processes", place)
    kind = draft.program.processes[proctype]
    memory = [0] * len(kind.memory.cells)
    for (cell, width), value in zip(kind.parameters, arguments, strict=False):
        memory[cell] = width.store(value)
    draft.processes.append(Process(proctype, kind.graph.start, tuple(memory), priority))
    for variable in kind.initial:
        initialise(draft, number, variable, kind)
    return number


def initialise(draft: Draft, number: int, variable: Variable, kind: ProcessType | None) -> None:
    """Give a variable its initial value; `kind` is None for a global one."""
    offset = (kind.memory if kind is not None else draft.program.memory).offsets[variable]
    _initialise_cells(draft, number, variable, offset, kind is not None)


def _initialise_cells(draft: Draft, number: int, variable: Variable, offset: int, is_local: bool) -> None:
    for element in range(variable.cells):
        cell = offset + element * variable.type.size
        if isinstance(variable.type, Struct):
            for item in variable.type.fields:
                _initialise_cells(draft, number, item, cell + draft.program.fields[item], is_local)
        elif variable.initial is not None:
            value = _initial_value(draft, number, variable, element)
            _put(draft, number, cell, width_of(variable), value, is_local)


def _initial_value(draft: Draft, number: int, variable: Variable, element: int) -> int:
    initial = variable.initial
    if isinstance(initial, ChannelShape):
        if len(draft.channels) >= MAXIMUM_CHANNELS:
            raise RuntimeProblem(f"more than {MAXIMUM_CHANNELS} channels", variable.place)
        draft.channels.append(Channel(draft.program.channel_index[initial], ()))
        return len(draft.channels)
    if isinstance(initial, tuple):
        # A list that is too short goes on with its last value.
        expression: Expression = initial[min(element, len(initial) - 1)]
    else:
        assert initial is not None
        expression = initial
    return Actor(draft.program, draft, number).value(expression)


def _put(draft: Draft, number: int, cell: int, width: Width, value: int, is_local: bool) -> None:
    if is_local:
        draft.write_local(number, cell, width.store(value))
    else:
        draft.memory[cell] = width.store(value)


def _end_process(draft: Draft) -> None:
    """The youngest process goes, and the channels it created with it."""
    process = draft.processes.pop()
    created = len(draft.program.processes[process.proctype].created)
    if created:
        del draft.channels[-created:]


# d_step


def _run_to_end(draft: Draft, number: int, step: DeterministicStep, timeout: bool) -> None:
    """Run a d_step: at a choice the first executable option, and blocking is an error."""
    at = step.start
    for _ in range(MAXIMUM_INSTRUCTIONS):
        if at is None:
            return
        instruction = step.instructions[at]
        if isinstance(instruction, Select):
            at = _first_option(draft, number, step, instruction, timeout)
            continue
        statement = instruction.statement
        if not is_executable(draft.program, draft, number, statement, timeout):
            raise RuntimeProblem("this statement blocks inside a d_step", statement.place)
        perform(draft, number, statement, timeout)
        if isinstance(statement, Send) and draft.handshake is not None:
            raise RuntimeProblem("a rendezvous send inside a d_step", statement.place)
        at = instruction.next
    raise RuntimeProblem(f"no end of this d_step after {MAXIMUM_INSTRUCTIONS:,} statements", step.place)


def _first_option(draft: Draft, number: int, step: DeterministicStep, select: Select, timeout: bool) -> int | None:
    for option in select.options:
        if option is None:
            return None
        instruction = step.instructions[option]
        if not isinstance(instruction, Perform):
            return option
        if is_executable(draft.program, draft, number, instruction.statement, timeout):
            return option
    raise RuntimeProblem("no option is executable in this choice inside a d_step", step.place)


# Printing

_DIRECTIVE = re.compile(r"%(?:-?[0-9]*)([dcxoue%])|\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}


def printed_arguments(effect: Print) -> tuple[Expression, ...]:
    """The arguments of a printf that its format asks for."""
    asked = sum(1 for match in _DIRECTIVE.finditer(effect.format) if match[1] not in (None, "%"))
    return effect.arguments[:asked]


def _formatted(evaluator: Actor, effect: Print) -> str:
    arguments = iter(effect.arguments)

    def replacement(match: re.Match[str]) -> str:
        directive, escape = match.groups()
        if escape is not None:
            return _ESCAPES.get(escape, escape)
        if directive == "%":
            return "%"
        expression = next(arguments, None)
        if expression is None:
            return match.group()
        value = evaluator.value(expression)
        match directive:
            case "c":
                return chr(value & 255)
            case "x":
                return f"{value & 0xFFFFFFFF:x}"
            case "o":
                return f"{value & 0xFFFFFFFF:o}"
            case "e":
                return mtype_name(evaluator.program, _subtype(expression), value)
            case _:
                return str(value)

    return _DIRECTIVE.sub(replacement, effect.format)


def _subtype(expression: Expression) -> str | None:
    if isinstance(expression, Constant):
        return expression.mtype
    if isinstance(expression, Reference) and isinstance(expression.leaf.type, Scalar):
        return expression.leaf.type.mtype
    return None


__all__ = [
    "MAXIMUM_INSTRUCTIONS",
    "Actor",
    "create_process",
    "initialise",
    "is_executable",
    "may_move",
    "perform",
    "printed_arguments",
    "store",
]
