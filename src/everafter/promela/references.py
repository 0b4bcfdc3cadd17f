"""Reading names: variables with their indices and fields, receive patterns, remote references."""

from __future__ import annotations

from everafter.promela.arithmetic import quotient, remainder
from everafter.promela.cursor import KEYWORDS, Cursor, describe
from everafter.promela.drafts import ModelDraft, ProctypeDraft
from everafter.promela.mentions import Mention, MentionKind, ReadingRecord
from everafter.promela.model import (
    Argument,
    Binary,
    Bind,
    Constant,
    Expression,
    Kind,
    Match,
    Poll,
    Predefined,
    Reference,
    RemoteLabel,
    RemoteVariable,
    RunExpression,
    Scalar,
    Selection,
    Struct,
    Unary,
    Variable,
)
from everafter.promela.scopes import Scopes
from everafter.promela.tokens import Token
from everafter.promela.units import NO_NEEDS, ModelTree, Needs, Proctype
from everafter.record import dataclass, replace
from everafter.source import Place, closest

FOREIGN = {
    "while": "a loop is written  do :: condition -> … :: else -> break od",
    "switch": "a choice is written  if :: x == 1 -> … :: x == 2 -> … :: else -> … fi",
    "case": "an option begins with '::'",
    "NULL": "a channel that does not exist is 0",
    "print": "printf(…) prints",
    "wait": "a condition waits until it is true",
    "and": "'&&' means and",
    "or": "'||' means or",
    "not": "'!' means not",
}
"""Words of other languages, and what stands here in their place."""
_CALLED = ("assert", "printf", "printm", "len", "full", "empty", "nfull", "nempty", "eval", "enabled", "pc_value")
"""The words of Promela with parentheses behind them that an inline may be mistaken for."""
_TRUTHS = ("true", "false")
PREDEFINED = ("_pid", "_nr_pr", "_last", "_priority", "_")


@dataclass(frozen=True, slots=True)
class Inline:
    """`inline name(parameters) { body }`: text to be put in place of a call. Inlines are numbered from 1."""

    name: str
    parameters: tuple[str, ...]
    body: tuple[Token, ...]
    number: int


class ReferenceReader:
    """The part of the parser that knows what names mean."""

    def __init__(self, model: ModelTree | ModelDraft, cursor: Cursor) -> None:
        self.model = model
        self.cursor = cursor
        self.scopes = Scopes()
        self.proctype: ProctypeDraft | None = None
        self.inlines: dict[str, Inline] = {}
        self.runs: list[RunExpression] = []
        self.remote_references: list[RemoteLabel] = []
        self.nesting = 0
        self.needs = NO_NEEDS
        self.uses_enabled: Place | None = None
        self._stand_ins: set[Variable] = set()
        self.record: ReadingRecord | None = None
        """Where every name that is read is written down, if that is wanted."""

    def mention(self, token: Token, kind: MentionKind, whose: Place | str = "", is_declaration: bool = False) -> None:
        """Record that `token` names something of `kind`, which is `whose`, or, by `is_declaration`, declares it."""
        if self.record is not None:
            self.record.mentions.append(Mention(token.text, kind, whose, token.place, is_declaration))

    def mtype_value(self, name: str) -> tuple[int, str] | None:
        """The number of an mtype name, and its subtype."""
        for subtype, numbers in self.model.mtypes.items():
            if name in numbers:
                return numbers[name], subtype
        return None

    def known_proctype(self, name: str) -> Proctype | ProctypeDraft | None:
        """The proctype of that name declared before this place, if any."""
        found = self.model.proctype(name)
        return found if found is not None and found.role == "process" else None

    def unknown(self, token: Token) -> Variable:
        """Report an undeclared name, and go on as if it were an integer, once for each name."""
        names = [*self.scopes.names(), *(name for group in self.model.mtypes.values() for name in group)]
        if self.cursor.at("@"):
            proctypes = [item.name for item in self.model.proctypes if item.role == "process"]
            self.cursor.fail(token, f"unknown proctype '{token.text}'", closest(token.text, proctypes))
        if token.text in FOREIGN:
            self.cursor.fail(token, f"unknown variable '{token.text}'", FOREIGN[token.text])
        if self._is_called(token):
            advice = closest(token.text, [*self.inlines, *_CALLED])
            self.cursor.fail(token, f"no inline or macro is called '{token.text}'", advice)
        if token.text in self.inlines:
            advice = f"'{token.text}' is an inline: call it as a statement of its own"
        elif self.model.proctype(token.text):
            advice = f"'{token.text}' is a proctype: start it with 'run {token.text}(…)'"
        else:
            advice = closest(token.text, [*names, *_TRUTHS]) or "declare it before its first use"
        self.cursor.complain(token.place, f"unknown variable '{token.text}'", advice)
        stand_in = Variable(token.text, Scalar(Kind.INT), None, token.place)
        self._stand_ins.add(stand_in)
        self.scopes.blocks[0][token.text] = stand_in
        return stand_in

    def _is_called(self, token: Token) -> bool:
        """Whether an undeclared name is called: in `q!x(1)` it is a message."""
        before = token.place.source.line(token.place.line)[: token.place.column - 1].rstrip()
        is_sent = before.endswith(("!", "?"))
        is_known = token.text in self.inlines or self.model.proctype(token.text) is not None
        return self.cursor.at("(") and not is_sent and not is_known

    def is_unknown(self, variable: Variable) -> bool:
        """Whether this stands in for a name that is not declared: it may be anything, and was complained of."""
        return variable in self._stand_ins

    def expression(self) -> Expression:
        """A whole expression, as the reader of expressions knows to read it."""
        raise NotImplementedError

    def operand(self) -> Expression:
        """An operand with the operators before it."""
        raise NotImplementedError

    def no_probe(self, value: Expression) -> None:
        """Complain of full, empty and their negations, which only stand alone as a condition."""
        raise NotImplementedError

    def value(self) -> Expression:
        """A whole expression that has a value: not an array, not a structure, and no question about a channel."""
        value = self.condition()
        self.no_probe(value)
        return value

    def condition(self) -> Expression:
        """A whole expression where it may also ask whether a channel is full or empty."""
        return self.whole(self.expression())

    def spread(self, value: Expression) -> list[Expression]:
        """A reference to a whole structure as the references to its cells; anything else as it is."""
        if not isinstance(value, Reference) or not isinstance(value.leaf.type, Struct):
            self.no_probe(value)
            return [self.whole(value)]
        return list(fields_of(value, value.leaf.type))

    def reference_or_constant(self) -> Reference | Predefined | Constant:
        """A variable, or the name of an mtype value."""
        token = self.cursor.current
        known = self.mtype_value(token.text) if token.kind == "name" else None
        if known is None:
            return self.reference()
        self.cursor.advance()
        self.mention(token, "mtype")
        return Constant(known[0], token.place, token.text, known[1])

    def reference(self) -> Reference | Predefined:
        """`variable[index].field…`, checked against the declaration."""
        token = self.cursor.current
        if token.kind != "name" or token.text in KEYWORDS:
            self.cursor.fail(token, f"expected a variable, found {describe(token)}")
        self.cursor.advance()
        if token.text in PREDEFINED:
            self.needs |= Needs(uses_last=token.text == "_last", uses_priority=token.text == "_priority")
            return Predefined(token.text, token.place)  # type: ignore[arg-type]  # narrowed by the line above
        variable = self.scopes.find(token.text) or self.unknown(token)
        self.mention(token, "variable", variable.place)
        index = self._index(variable, token)
        selections: list[Selection] = []
        owner = variable
        while self.cursor.at("."):
            self.cursor.advance()
            name = self.cursor.expect_name("a field name")
            if self.is_unknown(owner):
                self._index(owner, name)
                continue
            if not isinstance(owner.type, Struct):
                self.cursor.complain(name.place, f"'{owner.name}' is not a structure, it has no fields")
                break
            found = owner.type.field(name.text)
            if found is None:
                advice = closest(name.text, [item.name for item in owner.type.fields])
                self.cursor.fail(name, f"'{owner.type.name}' has no field '{name.text}'", advice)
            self.mention(name, "field", found.place)
            selections.append(Selection(found, self._index(found, name)))
            owner = found
        return Reference(variable, index, tuple(selections), token.place)

    def _index(self, variable: Variable, name: Token) -> Expression | None:
        if not self.cursor.at("["):
            return None
        opening = self.cursor.advance()
        index = self.value()
        self.cursor.expect("]", f"after the index of '{name.text}'")
        if variable.length is None and fold(index) != 0 and not self.is_unknown(variable):
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
        """Return `value`, which begins at `token`, or complain that it is no channel."""
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
            in_trace = self.proctype is not None and self.proctype.role in ("trace", "notrace")
            if isinstance(value, Predefined) and value.name == "_" and not in_trace:
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
        while not self.cursor.take("("):
            result += self._pattern()
            if not self.cursor.at("(") and not self.cursor.take(","):
                return result
        result += self.patterns(")")
        self.cursor.expect(")", "after the fields of a receive")
        return result

    def _pattern(self) -> list[Argument]:
        if self.cursor.take("eval"):
            self.cursor.expect("(", "after 'eval'")
            value = self.expression()
            self.cursor.expect(")", "after the expression of 'eval'")
            return [Match(item) for item in self.spread(value)]
        minus = self.cursor.take("-")
        number = self.cursor.current
        if number.kind in ("number", "char") or number.text in ("true", "false", "skip"):
            value = self.operand()
            return [Match(Constant(-(fold(value) or 0), minus.place) if minus else value)]
        if minus:
            self.cursor.fail(number, f"expected a number behind '-', found {describe(number)}", "eval(…) computes")
        value = self.reference_or_constant()
        if isinstance(value, Constant):
            return [Match(value)]
        if isinstance(value, Predefined):
            if value.name == "_pid":
                self.cursor.warn(value.place, "any value is received here, and '_pid' is not changed", "eval(_pid)?")
                value = replace(value, name="_")
            elif value.name not in ("_", "_priority"):
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
        self.mention(token, "proctype")
        process: Expression | None = None
        if self.cursor.take("["):
            process = self.value()
            self.cursor.expect("]", "after the process number")
        if self.cursor.take("@"):
            label = self.cursor.expect_name("a label")
            self.mention(label, "label", token.text)
            reference = RemoteLabel(token.text, process, label.text, label.place)
            self.needs |= Needs(remote_labels=frozenset({(token.text, label.text)}))
            self.remote_references.append(reference)
            return reference
        if not self.cursor.take(":"):
            self.cursor.fail(
                token,
                f"'{token.text}' is a proctype",
                f"start one with 'run {token.text}(…)', or refer to {token.text}@label or {token.text}:variable",
            )
        name = self.cursor.expect_name("a variable of the process")
        owner = self.known_proctype(token.text)
        found = next((item for item in owner.variables if item.name == name.text), None) if owner else None
        if found is None:
            names = [item.name for item in owner.variables] if owner else []
            self.cursor.fail(name, f"'{token.text}' has no variable '{name.text}'", closest(name.text, names))
        self.mention(name, "variable", found.place)
        return RemoteVariable(token.text, process, found, self._index(found, name), token.place)


def fields_of(reference: Reference, struct: Struct) -> list[Reference]:
    """Return the cells of `reference`, which is a `struct`, one reference each, in the order of declaration."""
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
                    return quotient(left, right)
                case "%":
                    return remainder(left, right)
        case Reference(variable=variable, index=None, selections=()) if isinstance(variable.initial, Constant):
            return variable.initial.value
    return None
