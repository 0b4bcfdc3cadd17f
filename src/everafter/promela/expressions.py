"""Reading expressions. Names are resolved on the way, so a mistake is reported where it is written."""

from __future__ import annotations

from dataclasses import dataclass

from everafter.promela.cursor import KEYWORDS, Cursor, describe
from everafter.promela.model import (
    Argument,
    Binary,
    Bind,
    ChannelQuery,
    Conditional,
    Constant,
    Expression,
    Kind,
    Match,
    Model,
    NonProgress,
    Poll,
    Predefined,
    ProcessQuery,
    Proctype,
    Reference,
    RemoteLabel,
    RemoteVariable,
    Run,
    Scalar,
    Selection,
    Struct,
    Timeout,
    Unary,
    Variable,
)
from everafter.promela.scopes import Scopes
from everafter.promela.tokens import Token
from everafter.source import closest

# Weakest first; all of them group to the left.
_STRENGTH = {
    operator: strength
    for strength, operators in enumerate(
        (
            ("||",),
            ("&&",),
            ("|",),
            ("^",),
            ("&",),
            ("==", "!="),
            ("<", ">", "<=", ">="),
            ("<<", ">>"),
            ("+", "-"),
            ("*", "/", "%"),
        )
    )
    for operator in operators
}
_PREDEFINED = ("_pid", "_nr_pr", "_last", "_priority", "_")
_MAXIMUM_NESTING = 120
_MAXIMUM_OPERANDS = 2000


@dataclass(frozen=True, slots=True)
class Inline:
    """`inline name(parameters) { body }`: text to be put in place of a call. Inlines are numbered from 1."""

    name: str
    parameters: tuple[str, ...]
    body: tuple[Token, ...]
    number: int


class ExpressionReader:
    """The part of the parser that reads expressions; declarations and statements build on it."""

    def __init__(self, model: Model, cursor: Cursor) -> None:
        self.model = model
        self.cursor = cursor
        self.scopes = Scopes()
        self.proctype: Proctype | None = None
        self.inlines: dict[str, Inline] = {}
        self.runs: list[Run] = []
        self.remote_references: list[RemoteLabel] = []
        self.nesting = 0

    # Names

    def mtype_value(self, name: str) -> tuple[int, str] | None:
        """The number of an mtype name, and its subtype."""
        for subtype, numbers in self.model.mtypes.items():
            if name in numbers:
                return numbers[name], subtype
        return None

    def known_proctype(self, name: str) -> Proctype | None:
        """The proctype of that name declared before this place, if any."""
        found = self.model.proctype(name)
        return found if found is not None and found.role == "process" else None

    def unknown(self, token: Token) -> Variable:
        """Report an undeclared name, and go on as if it were an integer, once for each name."""
        names = [*self.scopes.names(), *(name for group in self.model.mtypes.values() for name in group)]
        if token.text in self.inlines:
            advice: str | None = f"'{token.text}' is an inline: call it as a statement of its own"
        elif self.model.proctype(token.text):
            advice = f"'{token.text}' is a proctype: start it with 'run {token.text}(…)'"
        else:
            advice = closest(token.text, names) or "declare it before its first use"
        self.cursor.complain(token.place, f"unknown variable '{token.text}'", advice)
        stand_in = Variable(token.text, Scalar(Kind.INT), None, token.place)
        self.scopes.blocks[0][token.text] = stand_in
        return stand_in

    # Expressions

    def expression(self) -> Expression:
        """A whole expression."""
        self.nesting += 1
        if self.nesting > _MAXIMUM_NESTING:
            self.cursor.fail(self.cursor.current, "this is nested too deeply", "split it into smaller parts")
        try:
            return self._binary(self._unary(), 0)
        finally:
            self.nesting -= 1

    def expression_from(self, first: Expression) -> Expression:
        """A whole expression whose first operand has been read already."""
        return self._binary(first, 0)

    def value(self) -> Expression:
        """A whole expression that has a value: not an array, not a structure."""
        return self.whole(self.expression())

    def _binary(self, left: Expression, weakest: int) -> Expression:
        operands = 0
        while True:
            token = self.cursor.current
            strength = _STRENGTH.get(token.text, -1) if token.kind == "op" else -1
            if strength < weakest:
                return left
            self.cursor.advance()
            right = self._unary()
            while True:
                following = self.cursor.current
                if following.kind != "op" or _STRENGTH.get(following.text, -1) <= strength:
                    break
                right = self._binary(right, strength + 1)
            operands += 1
            if operands > _MAXIMUM_OPERANDS:
                self.cursor.fail(token, f"an expression of more than {_MAXIMUM_OPERANDS} operands")
            if token.text not in ("&&", "||"):
                self._no_probe(left)
                self._no_probe(right)
            left = Binary(token.text, self.whole(left), self.whole(right), token.place)

    def _unary(self) -> Expression:
        token = self.cursor.current
        if token.kind == "op" and token.text in ("!", "-", "~"):
            self.cursor.advance()
            self.nesting += 1
            if self.nesting > _MAXIMUM_NESTING:
                self.cursor.fail(token, "this is nested too deeply", "split it into smaller parts")
            operand = self._unary()
            self.nesting -= 1
            self._no_probe(operand)
            if token.text == "-" and isinstance(operand, Constant) and operand.name is None:
                return Constant(-operand.value, token.place)
            return Unary(token.text, self.whole(operand), token.place)
        return self._primary()

    def _no_probe(self, operand: Expression) -> None:
        """SPIN lets full, empty and their negations stand only under && and ||."""
        opposites = {"full": "nfull", "nfull": "full", "empty": "nempty", "nempty": "empty"}
        match operand:
            case ChannelQuery(query=query) if query != "len":
                self.cursor.complain(
                    operand.place,
                    f"'{query}' may only be combined by && and ||",
                    f"its negation is '{opposites[query]}'; len() may be used anywhere",
                )
            case Binary(operator="&&" | "||"):
                self._no_probe(operand.left)
                self._no_probe(operand.right)
            case _:
                pass

    def _primary(self) -> Expression:
        token = self.cursor.current
        if token.kind == "number":
            self.cursor.advance()
            return Constant(_to_int(int(token.text[-18:])), token.place)
        if token.kind == "char":
            self.cursor.advance()
            return Constant(_character(token.text), token.place)
        if token.kind == "op" and token.text == "(":
            return self._parenthesised()
        if token.kind == "name":
            return self._named(token)
        if token.kind == "string":
            self.cursor.fail(token, "a string may only stand in printf")
        self.cursor.fail(token, f"expected an expression, found {describe(token)}")

    def _parenthesised(self) -> Expression:
        opening = self.cursor.advance()
        inner = self.expression()
        if self.cursor.at("->"):
            arrow = self.cursor.advance()
            chosen = self.value()
            self.cursor.expect(":", "in a conditional expression (condition -> value : value)")
            other = self.value()
            inner = Conditional(self.whole(inner), chosen, other, arrow.place)
        if not self.cursor.take(")"):
            self.cursor.fail(opening, "'(' is not closed", f"before {describe(self.cursor.current)}")
        return inner

    def _named(self, token: Token) -> Expression:
        match token.text:
            case "true" | "skip":
                self.cursor.advance()
                return Constant(1, token.place, token.text)
            case "false":
                self.cursor.advance()
                return Constant(0, token.place, token.text)
            case "timeout":
                self.cursor.advance()
                return Timeout(token.place)
            case "np_":
                self.cursor.advance()
                if self.proctype is not None and self.proctype.role != "never":
                    self.cursor.complain(token.place, "'np_' may only be used in a never claim")
                return NonProgress(token.place)
            case "run":
                return self._run()
            case "len" | "empty" | "nempty" | "full" | "nfull":
                self.cursor.advance()
                self.cursor.expect("(", f"after '{token.text}'")
                channel = self.channel()
                self.cursor.expect(")", f"after the channel of '{token.text}'")
                return ChannelQuery(token.text, channel, token.place)
            case "enabled" | "pc_value" | "get_priority":
                self.cursor.advance()
                self.model.uses_priority |= token.text == "get_priority"
                self.cursor.expect("(", f"after '{token.text}'")
                process = self.value()
                self.cursor.expect(")", f"after the process of '{token.text}'")
                return ProcessQuery(token.text, process, token.place)
            case "c_expr":
                self.cursor.advance()
                self.embedded_c(token)
                return Constant(0, token.place)
        if self.known_proctype(token.text):
            return self._remote(token)
        return self.polled(self.reference_or_constant())

    def embedded_c(self, token: Token) -> None:
        """Report C code, skip it, and go on checking what is around it."""
        self.cursor.complain(
            token.place,
            f"'{token.text}' embeds C code, which everafter cannot run",
            "rewrite it in Promela, or keep using SPIN for this model",
        )
        if self.cursor.take("["):
            while not self.cursor.take("]"):
                if self.cursor.current.kind == "end":
                    self.cursor.fail(token, "'[' is not closed")
                self.cursor.advance()
        self.cursor.skip_group()

    def _run(self) -> Run:
        start = self.cursor.advance()
        name = self.cursor.expect_name("the name of a proctype")
        if self.proctype is None:
            self.cursor.complain(start.place, "'run' may only be used inside a process")
        self.cursor.expect("(", f"after 'run {name.text}'")
        arguments = self.arguments(")")
        self.cursor.expect(")", f"after the arguments of '{name.text}'")
        run = Run(name.text, tuple(arguments), self.priority(), name.place)
        self.runs.append(run)
        return run

    def priority(self) -> int | None:
        """An optional `priority N`."""
        if not self.cursor.take("priority"):
            return None
        self.model.uses_priority = True
        token = self.cursor.current
        value = self.constant(self.expression(), "a priority")
        if not 1 <= value <= 255:
            self.cursor.complain(token.place, f"a priority lies between 1 and 255, not {value}")
        return value

    def arguments(self, closing: str) -> list[Expression]:
        """Expressions separated by commas; a structure stands for all its fields."""
        result: list[Expression] = []
        while not self.cursor.at(closing):
            result += self.spread(self.expression())
            if not self.cursor.take(","):
                break
        return result

    def spread(self, value: Expression) -> list[Expression]:
        """A reference to a whole structure as the references to its cells; anything else as it is."""
        if not isinstance(value, Reference) or not isinstance(value.leaf.type, Struct):
            return [self.whole(value)]
        return list(fields_of(value, value.leaf.type))

    def constant(self, value: Expression, what: str) -> int:
        """The value of an expression that must not depend on variables."""
        folded = fold(value)
        if folded is None:
            self.cursor.complain(value.place, f"{what} must be a constant")
            return 1
        return folded

    # References

    def reference_or_constant(self) -> Reference | Predefined | Constant:
        """A variable, or the name of an mtype value."""
        token = self.cursor.current
        known = self.mtype_value(token.text) if token.kind == "name" else None
        if known is None:
            return self.reference()
        self.cursor.advance()
        return Constant(known[0], token.place, token.text, known[1])

    def reference(self) -> Reference | Predefined:
        """`variable[index].field…`, checked against the declaration."""
        token = self.cursor.current
        if token.kind != "name" or token.text in KEYWORDS:
            self.cursor.fail(token, f"expected a variable, found {describe(token)}")
        self.cursor.advance()
        if token.text in _PREDEFINED:
            self.model.uses_last |= token.text == "_last"
            self.model.uses_priority |= token.text == "_priority"
            return Predefined(token.text, token.place)  # type: ignore[arg-type]  # narrowed by the line above
        variable = self.scopes.find(token.text) or self.unknown(token)
        index = self._index(variable, token)
        selections: list[Selection] = []
        owner = variable
        while self.cursor.at("."):
            self.cursor.advance()
            name = self.cursor.expect_name("a field name")
            if not isinstance(owner.type, Struct):
                self.cursor.complain(name.place, f"'{owner.name}' is not a structure, it has no fields")
                break
            found = owner.type.field(name.text)
            if found is None:
                advice = closest(name.text, [item.name for item in owner.type.fields])
                self.cursor.fail(name, f"'{owner.type.name}' has no field '{name.text}'", advice)
            selections.append(Selection(found, self._index(found, name)))
            owner = found
        return Reference(variable, index, tuple(selections), token.place)

    def _index(self, variable: Variable, name: Token) -> Expression | None:
        if not self.cursor.at("["):
            return None
        opening = self.cursor.advance()
        index = self.value()
        self.cursor.expect("]", f"after the index of '{name.text}'")
        if variable.length is None and fold(index) != 0:
            self.cursor.complain(opening.place, f"'{variable.name}' is not an array")
        return index

    def whole(self, value: Expression) -> Expression:
        """The value, checked not to be a whole array or structure."""
        if isinstance(value, Reference):
            self._check_complete(value)
        return value

    def _check_complete(self, value: Reference) -> None:
        index, variable = value.index, value.variable
        for selection in (*value.selections, None):
            if variable.length is not None and index is None:
                self.cursor.complain(
                    value.place, f"'{variable.name}' is an array", f"say which element: {variable.name}[…]"
                )
            if selection is not None:
                index, variable = selection.index, selection.field
        if isinstance(variable.type, Struct):
            names = ", ".join(item.name for item in variable.type.fields)
            self.cursor.complain(value.place, f"'{variable.name}' is a structure", f"name a field of it: {names}")

    def channel(self) -> Expression:
        """A reference that must be a channel."""
        token = self.cursor.current
        return self.checked_channel(self.reference(), token)

    def checked_channel(self, value: Expression, token: Token) -> Expression:
        """The value, which must be a channel."""
        if not isinstance(value, Reference):
            self.cursor.fail(token, f"expected a channel, found {describe(token)}")
        self.whole(value)
        kind = value.leaf.type
        if not (isinstance(kind, Scalar) and kind.kind in (Kind.CHAN, Kind.BYTE, Kind.INT, Kind.SHORT)):
            self.cursor.complain(value.place, f"'{value.leaf.name}' is not a channel")
        return value

    def polled(self, value: Reference | Predefined | Constant) -> Expression:
        """The value, or the poll `q?[…]` that it begins."""
        token = self.cursor.current
        if not (token.kind == "op" and token.text in ("?", "??") and self.cursor.ahead(1).text == "["):
            if isinstance(value, Predefined) and value.name == "_":
                self.cursor.complain(value.place, "'_' can only be written, not read")
            return value
        channel = self.checked_channel(value, token)
        self.cursor.advance()
        self.cursor.advance()
        arguments = self.patterns("]")
        self.cursor.expect("]", "after the fields of a poll")
        return Poll(channel, tuple(arguments), token.text == "??", token.place)

    # Receive patterns

    def patterns(self, closing: str) -> list[Argument]:
        """The arguments of a receive: `a, b`, `a(b, c)` or `(a, b)`."""
        result: list[Argument] = []
        while True:
            if self.cursor.at("("):
                self.cursor.advance()
                result += self.patterns(")")
                self.cursor.expect(")", "after the fields of a receive")
            else:
                result += self._pattern()
                if self.cursor.at("("):
                    continue
            if not self.cursor.take(","):
                return result

    def _pattern(self) -> list[Argument]:
        token = self.cursor.current
        if self.cursor.take("eval"):
            self.cursor.expect("(", "after 'eval'")
            value = self.expression()
            self.cursor.expect(")", "after the expression of 'eval'")
            return [Match(item) for item in self.spread(value)]
        if token.kind in ("number", "char") or token.text in ("-", "true", "false", "skip"):
            return [Match(self._unary())]
        value = self.reference_or_constant()
        if isinstance(value, Constant):
            return [Match(value)]
        if isinstance(value, Predefined):
            if value.name not in ("_", "_priority"):
                self.cursor.complain(value.place, f"'{value.name}' cannot be received into", f"eval({value.name})?")
            return [Bind(value)]
        targets = self.spread(value)
        for target in targets:
            self.whole(target)
        return [Bind(target) for target in targets if isinstance(target, Reference)]

    # Remote references

    def _remote(self, token: Token) -> Expression:
        """`P[i]@label`, `P@label`, `P[i]:variable`, `P:variable`."""
        self.cursor.advance()
        process: Expression | None = None
        if self.cursor.take("["):
            process = self.value()
            self.cursor.expect("]", "after the process number")
        if self.cursor.take("@"):
            label = self.cursor.expect_name("a label")
            reference = RemoteLabel(token.text, process, label.text, label.place)
            self.model.remote_labels.add((token.text, label.text))
            self.remote_references.append(reference)
            return reference
        if not self.cursor.take(":"):
            self.cursor.fail(
                token, f"'{token.text}' is a proctype", f"refer to {token.text}@label or {token.text}:variable"
            )
        name = self.cursor.expect_name("a variable of the process")
        owner = self.known_proctype(token.text)
        found = next((item for item in owner.variables if item.name == name.text), None) if owner else None
        if found is None:
            names = [item.name for item in owner.variables] if owner else []
            self.cursor.fail(name, f"'{token.text}' has no variable '{name.text}'", closest(name.text, names))
        return RemoteVariable(token.text, process, found, self._index(found, name), token.place)


def fields_of(reference: Reference, struct: Struct) -> list[Reference]:
    """The cells of a structure, one reference each, in the order of declaration."""
    result: list[Reference] = []
    for item in struct.fields:
        indices: list[Expression | None] = [None]
        if item.length is not None:
            indices = [Constant(position, reference.place) for position in range(item.length)]
        for index in indices:
            selections = (*reference.selections, Selection(item, index))
            cell = Reference(reference.variable, reference.index, selections, reference.place)
            result += fields_of(cell, item.type) if isinstance(item.type, Struct) else [cell]
    return result


def fold(value: Expression) -> int | None:
    """The value of an expression built from constants alone, as SPIN computes array bounds."""
    match value:
        case Constant():
            return value.value
        case Unary(operator="-"):
            operand = fold(value.operand)
            return None if operand is None else -operand
        case Binary():
            left, right = fold(value.left), fold(value.right)
            if left is None or right is None or (value.operator in ("/", "%") and right == 0):
                return None
            match value.operator:
                case "+":
                    return left + right
                case "-":
                    return left - right
                case "*":
                    return left * right
                case "/":
                    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
                case "%":
                    return left - right * (abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1))
        case Reference(variable=variable, index=None, selections=()) if isinstance(variable.initial, Constant):
            return variable.initial.value
    return None


def _to_int(value: int) -> int:
    """A literal as C's int holds it."""
    return (value + 2**31) % 2**32 - 2**31


_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "0": "\0"}


def _character(text: str) -> int:
    inner = text[1:-1]
    return ord(_ESCAPES.get(inner[1], inner[1])) if inner.startswith("\\") else ord(inner) % 256

