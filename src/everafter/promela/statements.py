"""Reading statements. Loops and inlines are written out here, as SPIN does before it builds its automata."""

from __future__ import annotations

from typing import Literal

from everafter.nesting import make_room
from everafter.promela.checks import StatementChecks
from everafter.promela.cursor import KEYWORDS, Cursor, SyntaxProblem, TooManyProblems, UnitProblem, describe
from everafter.promela.drafts import ModelDraft
from everafter.promela.model import (
    Assign,
    Binary,
    ChoiceStatement,
    Constant,
    Expression,
    Group,
    Kind,
    Label,
    Labelled,
    Predefined,
    Receive,
    Reference,
    RunExpression,
    Scalar,
    Send,
    Sequence,
    Statement,
    Test,
    Unless,
    Variable,
)
from everafter.promela.references import FOREIGN, PREDEFINED
from everafter.promela.tokens import Token, text_of
from everafter.promela.walk import subexpressions
from everafter.record import replace

_UNITS = ("active", "proctype", "D_proctype", "init", "never", "ltl", "inline", "typedef")
_ENDS = ("}", "fi", "od", "::", "unless")
_MAXIMUM_BLOCKS = 1000


class StatementReader(StatementChecks):
    """The part of the parser that reads statements."""

    def __init__(self, draft: ModelDraft, cursor: Cursor) -> None:
        super().__init__(draft, cursor)
        self.loops = 0
        self.blocks = 0
        self.in_d_step = False
        self.return_targets: list[Reference | Predefined | None] = []
        self.counters: dict[tuple[int, ...], Variable] = {}
        self.open_inlines: list[str] = []
        self.inlined = 0

    # Sequences

    def block(self, what: str) -> Sequence:
        """`{ statements }`, a scope of its own."""
        opening = self.cursor.expect("{", what)
        self.cursor.in_sequence = True
        self.enter(opening)
        depth = len(self.scopes.blocks)
        self.scopes.open()
        try:
            body = self.sequence()
            if not self.cursor.take("}"):
                self.cursor.fail(opening, f"'{{' is not closed before {describe(self.cursor.current)}")
        finally:
            self.scopes.close_to(depth)
            self.blocks -= 1
        return body

    def sequence(self) -> Sequence:
        """Statements up to the end of the block or option."""
        result: list[Statement] = []
        while not self.cursor.at(*_ENDS) and self.cursor.current.kind != "end":
            self._check_inside()
            depth = len(self.scopes.blocks)
            levels = self.blocks, self.loops, self.nesting, self.in_d_step
            try:
                result += self.step()
                self._separator()
            except SyntaxProblem:
                self.scopes.close_to(depth)
                self.blocks, self.loops, self.nesting, self.in_d_step = levels
                self._recover()
        return tuple(result)

    def _check_inside(self) -> None:
        """A process that begins inside another means that the other was not closed."""
        token = self.cursor.ahead(0)
        if token.line_start and token.kind == "name" and token.text in _UNITS:
            self.cursor.complain(token.place, f"expected '}}' before '{token.text}'", "a block above is not closed")
            raise UnitProblem

    def _separator(self) -> None:
        separated = self.cursor.last.text in ("}", "else") and self.cursor.last.kind in ("op", "name")
        while self.cursor.take(";", "->"):
            separated = True
        if separated or self.cursor.at(*_ENDS) or self.cursor.current.kind == "end":
            return
        token = self.cursor.current
        if token.text == "=":
            self.cursor.fail(token, "only a variable can be assigned to", "'==' compares")
        advice = (_FOREIGN if token.kind == "op" else FOREIGN).get(token.text)
        self.cursor.fail(token, f"expected ';' before {describe(token)}", advice)

    def _recover(self) -> None:
        """Skip to the next statement of the enclosing sequence."""
        depth = 0
        self.cursor.open_brackets = 0
        while self.cursor.current.kind != "end":
            token = self.cursor.current
            if depth == 0 and token.text in (";", "->", "::", "od", "fi", "}"):
                self.cursor.take(";", "->")
                return
            depth += (token.text in ("{", "if", "do")) - (token.text in ("}", "fi", "od"))
            self.cursor.advance()
            self.cursor.open_brackets = 0

    def step(self) -> list[Statement]:
        """A declaration, an xr/xs promise, or a statement with its escape."""
        if self.at_declaration():
            _, steps = self.declaration()
            return steps
        if self.cursor.at("xr", "xs"):
            self._exclusive()
            return []
        statements = self.statement()
        if self.proctype is not None and self.proctype.role != "process":
            self.check_role(statements[-1], self.proctype.role)
        if self.cursor.at("unless"):
            token = self.cursor.advance()
            escape = self.statement()
            statements[-1] = self._unless(statements[-1], escape, token)
        return statements

    def _unless(self, main: Statement, escape: list[Statement], token: Token) -> Statement:
        if isinstance(escape[-1], Labelled):
            self.cursor.complain(escape[-1].place, "the guard of an escape cannot have a label")
        guard: Statement = escape[-1]
        if len(escape) > 1:
            guard = Group("plain", tuple(escape), token.place)
        if isinstance(main, Labelled):
            if isinstance(main.statement, Group):
                if main.statement.mode == "d_step":
                    self.cursor.complain(token.place, "a labelled d_step has no escape", "label: { d_step … unless … }")
                inner = Unless(main.statement, guard, main.place, is_spliced=True)
                return replace(main, statement=Group("plain", (inner,), main.place))
            self.cursor.complain(
                main.place, "this label does not reach the escape", "write  label: { statement unless escape }"
            )
        return Unless(main, guard, main.place)

    def _exclusive(self) -> None:
        promise: Literal["xr", "xs"] = "xr" if self.cursor.advance().text == "xr" else "xs"
        while True:
            channel = self.channel()
            unknown = isinstance(channel, Reference) and self.is_unknown(channel.variable)
            if isinstance(channel, Reference) and not _is_channel(channel) and not unknown:
                self.cursor.complain(channel.place, f"'{channel.leaf.name}' is not a channel")
            elif isinstance(channel, Reference) and (channel.index is not None or channel.selections):
                advice = f"chan only = …; {promise} only"
                self.cursor.complain(channel.place, f"'{promise}' takes the name of a channel, not an element", advice)
            if isinstance(channel, Reference) and self.proctype is not None:
                self._check_promise(promise, channel)
                self.proctype.exclusive.append((promise, channel))
            if not self.cursor.take(","):
                return

    def _check_promise(self, promise: Literal["xr", "xs"], channel: Reference) -> None:
        """Complain of a promise that another process makes of the same channel."""
        for other in self.draft.proctypes:
            made = any(known == promise and item.variable is channel.variable for known, item in other.exclusive)
            if made and other is not self.proctype:
                message = f"'{other.name}' promises '{promise} {channel.variable.name}' too"
                self.cursor.complain(channel.place, message, "only one process can be the only one")

    # Statements

    def enter(self, token: Token) -> None:
        """Go one level deeper into statements within statements."""
        self.blocks += 1
        make_room(self.blocks)
        if self.blocks > _MAXIMUM_BLOCKS:
            self.cursor.complain(token.place, "statements are nested too deeply", "use further processes")
            raise TooManyProblems

    def statement(self) -> list[Statement]:
        """One statement. Loops over ranges give several: what comes first, and the loop."""
        self.initialisers_at_start = False
        token = self.cursor.current
        if token.kind == "op" and token.text == "{":
            return [Group("plain", self.body("here", "{ … }"), token.place)]
        if token.kind == "name" and token.text in KEYWORDS:
            return self.keyword_statement(token) or [self._basic(token)]
        if token.kind == "name" and self.cursor.ahead(1).text == ":" and not self.known_proctype(token.text):
            return self._labelled(token)
        if token.kind == "name" and token.text in self.inlines and self.cursor.ahead(1).text == "(":
            return self.inline_call(token, None)
        return [self._basic(token)]

    def body(self, context: str, shape: str) -> Sequence:
        """Read a block that must not be empty, nor begin with a label, and return its statements.

        `context` says where it stands, if its bracket is missing, and `shape` what it is the body of, in complaints.
        """
        opening = self.cursor.current
        problems = len(self.cursor.problems)
        body = self.block(context)
        if not body and len(self.cursor.problems) > problems:
            return (Test(Constant(1, opening.place), opening.place, "skip"),)
        if not body:
            self.cursor.complain(opening.place, f"{shape} needs at least one statement", "'skip' does nothing")
        elif isinstance(body[0], Labelled) and not _is_loop(body[0].statement):
            self.cursor.complain(
                body[0].place,
                f"a label cannot stand on the first statement of {shape}",
                f"put it in front: {body[0].label.name}: {shape}",
            )
        return body

    def _labelled(self, token: Token) -> list[Statement]:
        self.cursor.advance()
        self.cursor.advance()
        if self.scopes.find(token.text) is not None or token.text in PREDEFINED:
            self.cursor.complain(token.place, f"'{token.text}' is a variable, it cannot be a label too")
        self.mention_label(token, is_declaration=True)
        label = Label(token.text, self.scopes.path, self.inline_number(token))
        if self.at_declaration():
            self.cursor.complain(token.place, "a label cannot stand before a declaration", "put it on the statement")
            return self.step()
        if self.cursor.at(*_ENDS, ";", "->"):
            return [Labelled(label, Test(Constant(1, token.place), token.place, "skip"), token.place)]
        self.enter(token)
        *before, last = self.statement()
        self.blocks -= 1
        return [*before, Labelled(label, last, token.place)]

    def mention_label(self, token: Token, is_declaration: bool = False) -> None:
        """Record that `token` is a label of this process; `is_declaration`: it stands before a statement."""
        self.mention(token, "label", self.proctype.name if self.proctype is not None else "", is_declaration)

    def inline_number(self, token: Token) -> int:
        """The number of the inline a token comes from, 0 if it comes from none."""
        name = next((step.name for step in token.place.chain() if step.kind == "inline"), None)
        return self.inlines[name].number if name in self.inlines else 0

    def _text_since(self, start: int) -> str:
        return text_of(self.cursor.tokens[start : self.cursor.position])

    def _basic(self, token: Token) -> Statement:
        start = self.cursor.position
        if token.kind == "name" and token.text not in KEYWORDS and not self.known_proctype(token.text):
            first = self.reference_or_constant()
            if not isinstance(first, Constant):
                statement = self._acting_on(first, token, start)
                if statement is not None:
                    return statement
            condition = self.whole(self.expression_from(self.polled(first)))
        else:
            condition = self.condition()
        self.check_run(condition)
        return Test(condition, token.place, self._text_since(start))

    def _acting_on(self, target: Reference | Predefined, token: Token, start: int) -> Statement | None:
        """An assignment, send or receive that begins with `target`; None if it is an expression."""
        operator = self.cursor.current
        if operator.kind != "op":
            return None
        match operator.text:
            case "=":
                return self._assignment(target, token, start)
            case "++" | "--":
                self.cursor.advance()
                self.check_target(target)
                self.check_arithmetic(target)
                if isinstance(target, Predefined) and target.name == "_":
                    self.cursor.complain(target.place, "'_' can only be written, not read")
                step = Binary(operator.text[0], target, Constant(1, operator.place), operator.place)
                return Assign(target, step, token.place, self._text_since(start))
            case "!" | "!!":
                channel = self.checked_channel(target, token)
                self.cursor.advance()
                arguments = self._message()
                for argument in arguments:
                    for part in subexpressions(argument):
                        if isinstance(part, RunExpression):
                            self.cursor.complain(part.place, "'run' cannot be sent", "assign it first: n = run P(…)")
                return Send(channel, arguments, operator.text == "!!", token.place, self._text_since(start))
            case "?" | "??" if self.cursor.ahead(1).text != "[":
                channel = self.checked_channel(target, token)
                self.cursor.advance()
                keeps = self.cursor.take("<") is not None
                patterns = tuple(self.patterns(">" if keeps else ""))
                if keeps:
                    self.cursor.expect(">", "after the fields of a receive that keeps the message")
                self.check_distinct(patterns)
                return Receive(channel, patterns, operator.text == "??", keeps, token.place, self._text_since(start))
        return None

    def _assignment(self, target: Reference | Predefined, token: Token, start: int) -> Statement:
        equals = self.cursor.advance()
        self.check_target(target)
        if self.cursor.current.text in self.inlines and self.cursor.ahead(1).text == "(":
            call = self.cursor.current
            return self.inline_call(call, target)[0]
        value = self.condition()
        self.check_types(target, value, equals.place)
        self.check_arithmetic(value if not isinstance(value, Reference) else None)
        return Assign(target, value, token.place, self._text_since(start))

    def _message(self) -> tuple[Expression, ...]:
        """The arguments of a send: `a, b` or `a(b, c)`."""
        result = self.spread(self.expression())
        if self.cursor.take("("):
            result += self.arguments(")")
            self.cursor.expect(")", "after the fields of a message")
            return tuple(result)
        while self.cursor.take(","):
            result += self.spread(self.expression())
        return tuple(result)

    def keyword_statement(self, token: Token) -> list[Statement] | None:
        """The statement that a keyword begins, if it begins one, as the readers of those know."""
        raise NotImplementedError

    def inline_call(self, token: Token, target: Reference | Predefined | None) -> list[Statement]:
        """Return the statements that an inline's call stands for, as `InlineReader` knows.

        `token` names the inline; `target` is where what it returns goes.
        """
        raise NotImplementedError


_FOREIGN = {
    "?": "a value that depends on a condition is written (condition -> value : other)",
    "++": "'x++' is a statement of its own, it has no value",
    "--": "'x--' is a statement of its own, it has no value",
    ",": "statements are separated by ';'",
}


def _is_channel(reference: Reference) -> bool:
    kind = reference.leaf.type
    return isinstance(kind, Scalar) and kind.kind is Kind.CHAN


def _is_loop(statement: Statement) -> bool:
    """A loop may be labelled anywhere: control passes a join before it."""
    return isinstance(statement, ChoiceStatement) and statement.repeats
