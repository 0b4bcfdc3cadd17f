"""What is allowed and yet likely a mistake: warnings about a model that was read, each at its place.

A warning must be worth its line. What many good models do (a parameter that is not needed, a variable that is only
written, for a formula still to come) is not spoken of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from everafter.program.control_flow import DeterministicStep, Effect, Perform, Select
from everafter.program.effect_parts import expressions_in
from everafter.program.program import ProcessType, Program
from everafter.program.storage import Width, field_widths, width_of
from everafter.promela.model import (
    Assign,
    ChannelShape,
    ChoiceStatement,
    Constant,
    Else,
    Expression,
    Kind,
    Labelled,
    Receive,
    Reference,
    RemoteLabel,
    RemoteVariable,
    RunExpression,
    Scalar,
    Send,
    Sequence,
    Unary,
    Variable,
)
from everafter.promela.units import ModelTree, Proctype
from everafter.promela.walk import basics, statements, subexpressions
from everafter.source import Diagnostic, Place


def lint(program: Program, formulas: Iterable[Expression] = ()) -> tuple[Diagnostic, ...]:
    """Return the warnings about `program`, in the order of the text.

    `formulas` are the expressions in the model's formulas.
    """
    model = program.model
    parts = [part for whole in (*_expressions(model), *formulas) for part in subexpressions(whole)]
    found = [
        *_unused(model, parts),
        *_never_run(model, parts),
        *(each for proctype in model.proctypes for each in _in_body(program, proctype)),
        *(each for process in program.processes for each in _else_beside_messages(process)),
        *_never_at(program, parts),
        *(each for variable in model.all_variables() for each in _initial(variable)),
    ]
    known = {(item.place.source.name, item.place.line, item.place.column, item.message): item for item in found}
    return tuple(known[key] for key in sorted(known))


def _warning(place: Place, message: str, advice: str | None = None) -> Diagnostic:
    return Diagnostic(place, message, advice, "warning")


def _expressions(model: ModelTree) -> Iterator[Expression]:
    """Every expression of a model's own text."""
    for variable in model.all_variables():
        initial = variable.initial
        if isinstance(initial, tuple):
            yield from initial
        elif initial is not None and not isinstance(initial, ChannelShape):
            yield initial
    for proctype in model.proctypes:
        if proctype.provided is not None:
            yield proctype.provided
        yield from (reference for _, reference in proctype.exclusive)
        for statement in basics(proctype.body):
            yield from expressions_in(statement)


# What nobody uses


def _unused(model: ModelTree, parts: Iterable[Expression]) -> Iterator[Diagnostic]:
    """Variables that nothing names. One of an inline is several, all at one place: some use of it is enough.

    A declaration inside a body is an assignment to what it declares, which is no use of it. Arrays are not spoken of:
    `for (i in a)` takes no more than the length of one.
    """
    named = (part for part in parts if isinstance(part, Reference | RemoteVariable))
    used = {part.variable.place for part in named if part.place != part.variable.place}
    local = (variable for proctype in model.proctypes for variable in proctype.variables)
    for variable in (*model.variables, *local):
        is_needed = variable.place in used or variable.is_parameter or variable.is_shown
        if not is_needed and variable.length is None:
            what = "channel" if isinstance(variable.initial, ChannelShape) else "variable"
            yield _warning(variable.place, f"the {what} '{variable.name}' is never used")


def _never_run(model: ModelTree, parts: Iterable[Expression]) -> Iterator[Diagnostic]:
    run = {part.proctype for part in parts if isinstance(part, RunExpression)}
    for proctype in model.proctypes:
        if proctype.role == "process" and not proctype.instances and proctype.name not in run:
            advice = f"write 'active proctype {proctype.name}', or 'run {proctype.name}(…)'"
            yield _warning(proctype.place, f"no process of '{proctype.name}' is ever started", advice)


# What does not fit


def _in_body(program: Program, proctype: Proctype) -> Iterator[Diagnostic]:
    for statement in statements(proctype.body):
        match statement:
            case Assign(target=Reference() as target, value=value):
                yield from _cut(target.leaf, value)
            case Send(channel=Reference(selections=(), variable=variable), arguments=arguments):
                yield from _cut_in_message(program, variable, arguments)
            case _:
                pass


def _initial(variable: Variable) -> Iterator[Diagnostic]:
    values = variable.initial if isinstance(variable.initial, tuple) else (variable.initial,)
    for value in values:
        if value is not None and not isinstance(value, ChannelShape):
            yield from _cut(variable, value)


def _cut(target: Variable, value: Expression) -> Iterator[Diagnostic]:
    """A constant that does not fit the variable it is stored in."""
    kind = target.type
    if isinstance(kind, Scalar) and kind.kind not in (Kind.CHAN, Kind.MTYPE):
        yield from _does_not_fit(width_of(target), value, f"'{target.name}', {_type_name(kind)}")


def _cut_in_message(program: Program, variable: Variable, values: tuple[Expression, ...]) -> Iterator[Diagnostic]:
    """A constant that does not fit the field of the channel it is sent to, if the channel is known."""
    shape = variable.initial
    if not isinstance(shape, ChannelShape) or variable in program.assigned:
        return
    for number, (kind, width, value) in enumerate(
        zip(shape.fields, field_widths(shape.fields), values, strict=False), 1
    ):
        if kind.kind not in (Kind.CHAN, Kind.MTYPE):
            yield from _does_not_fit(width, value, f"field {number} of '{variable.name}', {_type_name(kind)}")


def _does_not_fit(width: Width, value: Expression, where: str) -> Iterator[Diagnostic]:
    number = _constant(value)
    if number is not None and width.store(number) != number:
        message = f"{number} does not fit {where}: {width.store(number)} is stored"
        yield _warning(value.place, message)


def _constant(value: Expression) -> int | None:
    match value:
        case Constant(value=number):
            return number
        case Unary(operator="-", operand=Constant(value=number)):
            return -number
        case _:
            return None


def _type_name(kind: Scalar) -> str:
    return (
        f"an unsigned of {kind.bits} bits"
        if kind.kind is Kind.UNSIGNED
        else f"a{'n' * (kind.kind is Kind.INT)} {kind.kind}"
    )


# What is decided otherwise than it looks


def _else_beside_messages(process: ProcessType) -> Iterator[Diagnostic]:
    """Each `else` that is tried behind a send or a receive, wherever these stand: they may begin a sequence."""
    for node in process.graph.nodes.values() if process.role in ("process", "init") else ():
        for escape in {step.escape for step in node.transitions}:  # an escape is no alternative to what it guards
            yield from _behind_messages([_firsts(each.effect) for each in node.transitions if each.escape == escape])
        for step in node.transitions:
            if isinstance(step.effect, DeterministicStep):
                yield from _behind_messages_inside(step.effect)


def _behind_messages_inside(step: DeterministicStep) -> Iterator[Diagnostic]:
    """The same in the choices of a d_step."""
    for choice in step.instructions.values():
        if isinstance(choice, Select):
            options = [step.instructions[option] for option in choice.options if option is not None]
            yield from _behind_messages([(each.statement,) for each in options if isinstance(each, Perform)])


_ASK_BEFORE = "ask for messages, or for room, by empty, nempty, full, nfull or q?[…]; a rendezvous cannot be asked for"


def _behind_messages(ways: Iterable[tuple[Effect, ...]]) -> Iterator[Diagnostic]:
    """A warning for each way that is an `else`, of ways that are tried in this order, if one before has a message."""
    message: Send | Receive | None = None
    for firsts in ways:
        message = message or next((first for first in firsts if isinstance(first, Send | Receive)), None)
        if message is not None and len(firsts) == 1 and isinstance(firsts[0], Else):
            what = "a receive" if isinstance(message, Receive) else "a send"
            yield _warning(
                firsts[0].place,
                f"'else' beside {what} is taken whenever that cannot happen at once",
                _ASK_BEFORE,
            )


def _firsts(effect: Effect) -> tuple[Effect, ...]:
    """What an effect begins with: of a d_step each of its guards."""
    return (effect.guards or ()) if isinstance(effect, DeterministicStep) else (effect,)


def _never_at(program: Program, parts: Iterable[Expression]) -> Iterator[Diagnostic]:
    """Labels on the first statement of an option that an expression refers to, or that begin with `end`."""
    asked = {(part.proctype, part.label) for part in parts if isinstance(part, RemoteLabel)}
    for process in program.processes:
        body = process.declaration.body if process.role in ("process", "init") else ()
        for labelled in _labels_of_options(body):
            name = labelled.label.name
            rests = process.graph.labels.get(name) in process.graph.nodes  # a goto may lead here
            if not rests and ((process.name, name) in asked or name.startswith("end")):
                message = f"no process is ever at '{name}': control does not rest at the start of an option"
                yield _warning(
                    labelled.place, message, "put the label before the whole choice, or behind this statement"
                )


def _labels_of_options(body: Sequence) -> Iterator[Labelled]:
    for statement in statements(body):
        for option in statement.options if isinstance(statement, ChoiceStatement) else ():
            first = option[0] if option else None
            while isinstance(first, Labelled):
                yield first
                first = first.statement
