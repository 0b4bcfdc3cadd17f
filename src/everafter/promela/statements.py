"""Reading statements. Loops and inlines are written out here, as SPIN does before it builds its automata."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from everafter.promela.cursor import KEYWORDS, SyntaxProblem, describe
from everafter.promela.declarations import DeclarationReader
from everafter.promela.expressions import Inline, fields_of, fold
from everafter.promela.model import (
    Assert,
    Assign,
    Binary,
    Bind,
    Break,
    ChannelQuery,
    ChannelShape,
    Choice,
    Constant,
    Else,
    Expression,
    Goto,
    Group,
    Kind,
    Label,
    Labelled,
    Predefined,
    Print,
    Receive,
    Reference,
    Scalar,
    Send,
    Sequence,
    SetPriority,
    Statement,
    Struct,
    Test,
    Unless,
    Variable,
)
from everafter.promela.tokens import Token, text_of
from everafter.source import Expansion, Place

_ENDS = ("}", "fi", "od", "::", "unless")
_MAXIMUM_BLOCKS = 60


class StatementReader(DeclarationReader):
    """The part of the parser that reads statements."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]  # handed on as they came
        self.loops = 0
        self.blocks = 0
        self.return_targets: list[Reference | Predefined | None] = []
        self.counters: dict[tuple[int, ...], Variable] = {}

    # Sequences

    def block(self, what: str) -> Sequence:
        """`{ statements }`, a scope of its own."""
        opening = self.cursor.expect("{", what)
        self.cursor.in_sequence = True
        self.blocks += 1
        if self.blocks > _MAXIMUM_BLOCKS:
            self.cursor.fail(opening, "blocks are nested too deeply", "use inlines or further processes")
        depth = len(self.scopes.blocks)
        self.scopes.open()
        try:
            body = self.sequence()
            if not self.cursor.take("}"):
                self.cursor.fail(opening, "'{' is not closed", f"before {describe(self.cursor.current)}")
        finally:
            self.scopes.close_to(depth)
            self.blocks -= 1
        return body

    def sequence(self) -> Sequence:
        """Statements up to the end of the block or option."""
        result: list[Statement] = []
        while self.cursor.take(";", "->"):
            pass
        while not self.cursor.at(*_ENDS) and self.cursor.current.kind != "end":
            depth = len(self.scopes.blocks)
            try:
                result += self.step()
                self._separator()
            except SyntaxProblem:
                self.scopes.close_to(depth)
                self._recover()
        return tuple(result)

    def _separator(self) -> None:
        separated = self.cursor.last.text in ("}", "else") and self.cursor.last.kind in ("op", "name")
        while self.cursor.take(";", "->"):
            separated = True
        if separated or self.cursor.at(*_ENDS) or self.cursor.current.kind == "end":
            return
        token = self.cursor.current
        self.cursor.fail(token, f"expected ';' before {describe(token)}")

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
                group = main.statement
                inner = Unless(Group("plain", group.body, group.place), guard, main.place)
                return replace(main, statement=Group(group.mode, (inner,), main.place))
            self.cursor.complain(
                main.place, "this label does not reach the escape", "write  label: { statement unless escape }"
            )
        return Unless(main, guard, main.place)

    def _exclusive(self) -> None:
        promise: Literal["xr", "xs"] = "xr" if self.cursor.advance().text == "xr" else "xs"
        while True:
            channel = self.channel()
            if isinstance(channel, Reference) and self.proctype is not None:
                self.proctype.exclusive.append((promise, channel))
            if not self.cursor.take(","):
                return

    # Statements

    def statement(self) -> list[Statement]:
        """One statement. Loops over ranges give several: what comes first, and the loop."""
        token = self.cursor.current
        if token.kind == "name":
            reader = _KEYWORD_STATEMENTS.get(token.text)
            if reader is not None:
                self.initialisers_at_start = False
                return reader(self, token)
            if token.text not in KEYWORDS:
                if self.cursor.ahead(1).text == ":" and not self.known_proctype(token.text):
                    return self._labelled(token)
                if token.text in self.inlines and self.cursor.ahead(1).text == "(":
                    self.initialisers_at_start = False
                    return self._inline_call(token, None)
        elif token.kind == "op" and token.text == "{":
            self.initialisers_at_start = False
            return [Group("plain", self._body("here", "{ … }"), token.place)]
        self.initialisers_at_start = False
        return [self._basic(token)]

    def _body(self, context: str, shape: str) -> Sequence:
        opening = self.cursor.current
        body = self.block(context)
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
        if self.scopes.find(token.text) is not None:
            self.cursor.complain(token.place, f"'{token.text}' is a variable, it cannot be a label too")
        label = Label(token.text, self.scopes.path, self._inline_number(token))
        self.initialisers_at_start = False
        if self.at_declaration():
            self.cursor.fail(self.cursor.current, "a label cannot stand before a declaration")
        if self.cursor.at(*_ENDS, ";", "->"):
            return [Labelled(label, Test(Constant(1, token.place), token.place, "skip"), token.place)]
        *before, last = self.statement()
        return [*before, Labelled(label, last, token.place)]

    def _inline_number(self, token: Token) -> int:
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
            condition = self.value()
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
                self._check_target(target)
                step = Binary(operator.text[0], target, Constant(1, operator.place), operator.place)
                return Assign(target, step, token.place, self._text_since(start))
            case "!" | "!!":
                channel = self.checked_channel(target, token)
                self.cursor.advance()
                arguments = self._message()
                return Send(channel, arguments, operator.text == "!!", token.place, self._text_since(start))
            case "?" | "??" if self.cursor.ahead(1).text != "[":
                channel = self.checked_channel(target, token)
                self.cursor.advance()
                keeps = self.cursor.take("<") is not None
                patterns = tuple(self.patterns(">" if keeps else ""))
                if keeps:
                    self.cursor.expect(">", "after the fields of a receive that keeps the message")
                self._check_distinct(patterns)
                return Receive(
                    channel, patterns, operator.text == "??", keeps, token.place, self._text_since(start)
                )
        return None

    def _assignment(self, target: Reference | Predefined, token: Token, start: int) -> Statement:
        equals = self.cursor.advance()
        self._check_target(target)
        if self.cursor.current.text in self.inlines and self.cursor.ahead(1).text == "(":
            call = self.cursor.current
            return self._inline_call(call, target)[0]
        value = self.value()
        self._check_types(target, value, equals.place)
        return Assign(target, value, token.place, self._text_since(start))

    def _check_target(self, target: Reference | Predefined) -> None:
        if isinstance(target, Predefined):
            if target.name not in ("_", "_priority"):
                self.cursor.complain(target.place, f"'{target.name}' cannot be assigned to")
        else:
            self.whole(target)

    def _check_types(self, target: Reference | Predefined, value: Expression, place: Place) -> None:
        if not isinstance(target, Reference) or not isinstance(target.leaf.type, Scalar):
            return
        kind = target.leaf.type
        if kind.kind is Kind.CHAN and isinstance(value, Constant) and not target.selections:
            self.cursor.complain(place, "a constant cannot be assigned to a channel")
        if kind.kind is Kind.MTYPE and kind.mtype and isinstance(value, Constant) and value.mtype:
            if kind.mtype != value.mtype:
                self.cursor.complain(
                    place, f"'{target.leaf.name}' is an mtype:{kind.mtype}, but '{value.name}' is not one of those"
                )

    def _check_distinct(self, patterns: tuple[object, ...]) -> None:
        seen: set[int] = set()
        for pattern in patterns:
            if isinstance(pattern, Bind) and isinstance(pattern.target, Reference):
                target = pattern.target
                if target.index is not None or target.selections:
                    continue
                if id(target.variable) in seen:
                    self.cursor.complain(
                        target.place, f"'{target.variable.name}' cannot receive two fields of a message"
                    )
                seen.add(id(target.variable))

    def _message(self) -> tuple[Expression, ...]:
        """The arguments of a send: `a, b` or `a(b, c)`."""
        result: list[Expression] = []
        while True:
            result += self.spread(self.expression())
            if self.cursor.at("("):
                self.cursor.advance()
                result += self.arguments(")")
                self.cursor.expect(")", "after the fields of a message")
            if not self.cursor.take(","):
                return tuple(result)

    # Statements that begin with a keyword

    def _choice(self, token: Token) -> list[Statement]:
        self.cursor.advance()
        closing = "fi" if token.text == "if" else "od"
        self.loops += token.text == "do"
        self.blocks += 1
        if self.blocks > _MAXIMUM_BLOCKS:
            self.cursor.fail(token, "blocks are nested too deeply", "use inlines or further processes")
        options: list[Sequence] = []
        while self.cursor.take(";"):
            pass
        while self.cursor.at("::"):
            place = self.cursor.advance().place
            option = self.sequence()
            if not option:
                self.cursor.complain(place, "an option needs at least one statement", "'skip' does nothing")
                option = (Test(Constant(1, place), place, "skip"),)
            options.append(option)
        self.loops -= token.text == "do"
        self.blocks -= 1
        if not self.cursor.take(closing):
            self.cursor.fail(token, f"'{token.text}' is not closed by '{closing}'", f"before {describe(self.cursor.current)}")
        if not options:
            self.cursor.fail(token, f"'{token.text}' needs at least one option", f"{token.text} :: … {closing}")
        self._check_else(options)
        return [Choice(tuple(options), token.text == "do", token.place)]

    def _check_else(self, options: list[Sequence]) -> None:
        elses = [option[0] for option in options if isinstance(option[0], Else)]
        for extra in elses[1:]:
            self.cursor.complain(extra.place, "a choice has at most one 'else'")

    def _break(self, token: Token) -> list[Statement]:
        self.cursor.advance()
        if not self.loops:
            self.cursor.complain(token.place, "'break' outside a loop")
        return [Break(token.place)]

    def _goto(self, token: Token) -> list[Statement]:
        self.cursor.advance()
        name = self.cursor.expect_name("a label")
        label = Label(name.text, self.scopes.path, self._inline_number(name))
        return [Goto(label, name.place, f"goto {name.text}")]

    def _else(self, token: Token) -> list[Statement]:
        self.cursor.advance()
        return [Else(token.place)]

    def _assert(self, token: Token) -> list[Statement]:
        start = self.cursor.position
        self.cursor.advance()
        condition = self.value()
        return [Assert(condition, token.place, self._text_since(start))]

    def _printf(self, token: Token) -> list[Statement]:
        start = self.cursor.position
        self.cursor.advance()
        self.cursor.expect("(", "after 'printf'")
        format_string = self.cursor.advance()
        if format_string.kind != "string":
            self.cursor.fail(format_string, f"expected a format string, found {describe(format_string)}")
        arguments: list[Expression] = []
        while self.cursor.take(","):
            arguments += self.spread(self.expression())
        self.cursor.expect(")", "after the arguments of 'printf'")
        return [Print(format_string.text[1:-1], tuple(arguments), token.place, self._text_since(start))]

    def _printm(self, token: Token) -> list[Statement]:
        start = self.cursor.position
        self.cursor.advance()
        self.cursor.expect("(", "after 'printm'")
        value = self.value()
        self.cursor.expect(")", "after the argument of 'printm'")
        return [Print("%e", (value,), token.place, self._text_since(start))]

    def _set_priority(self, token: Token) -> list[Statement]:
        start = self.cursor.position
        self.cursor.advance()
        self.model.uses_priority = True
        self.cursor.expect("(", "after 'set_priority'")
        process = self.value()
        self.cursor.expect(",", "between the arguments of 'set_priority'")
        priority = self.value()
        self.cursor.expect(")", "after the arguments of 'set_priority'")
        return [SetPriority(process, priority, token.place, self._text_since(start))]

    def _grouped(self, token: Token) -> list[Statement]:
        self.cursor.advance()
        mode: Literal["atomic", "d_step"] = "atomic" if token.text == "atomic" else "d_step"
        outer, self.loops = self.loops, 0 if mode == "d_step" else self.loops
        body = self._body(f"after '{mode}'", f"{mode} {{ … }}")
        self.loops = outer
        return [Group(mode, body, token.place)]

    def _c_code(self, token: Token) -> list[Statement]:
        self.cursor.advance()
        self.embedded_c(token)
        return [Test(Constant(1, token.place), token.place, token.text)]

    def _return(self, token: Token) -> list[Statement]:
        start = self.cursor.position
        self.cursor.advance()
        value = self.value()
        target = self.return_targets[-1] if self.return_targets else None
        if target is None:
            self.cursor.complain(token.place, "'return' outside an inline whose value is assigned")
            return [Test(Constant(1, token.place), token.place, "skip")]
        return [Assign(target, value, token.place, self._text_since(start))]

    # Loops

    def _for(self, token: Token) -> list[Statement]:
        self.cursor.advance()
        self.cursor.expect("(", "after 'for'")
        counter = self.reference()
        if isinstance(counter, Predefined):
            self.cursor.fail(token, f"'{counter.name}' cannot count a loop")
        if self.cursor.take("in"):
            return self._for_each(token, counter)
        self._check_counter(counter)
        self.cursor.expect(":", "after the variable of a loop: for (i : 1 .. 9)")
        first, last = self._range("for")
        self.cursor.expect(")", "after the range of 'for'")
        return self._counting_loop(token, counter, first, Binary("<=", counter, last, last.place), ())

    def _range(self, what: str) -> tuple[Expression, Expression]:
        first = self.value()
        self.cursor.expect("..", f"between the bounds of '{what}'")
        last = self.value()
        low, high = fold(first), fold(last)
        if isinstance(first, Constant) and isinstance(last, Constant) and low is not None and high is not None:
            if low > high:
                self.cursor.complain(first.place, f"the range {low} .. {high} is empty")
        return first, last

    def _check_counter(self, counter: Reference) -> None:
        leaf = counter.variable
        plain = counter.index is None and not counter.selections and leaf.length is None
        if not plain or not isinstance(leaf.type, Scalar) or leaf.type.kind is Kind.CHAN:
            self.cursor.complain(counter.place, "a loop is counted by a plain variable")

    def _for_each(self, token: Token, counter: Reference) -> list[Statement]:
        over = self.reference()
        self.cursor.expect(")", "after what 'for' runs over")
        if isinstance(over, Predefined) or over.selections:
            self.cursor.fail(token, "'for … in' runs over the name of an array or a channel")
        if isinstance(counter.leaf.type, Struct):
            return self._for_messages(token, counter, counter.leaf.type, over)
        self._check_counter(counter)
        if over.variable.length is None:
            self.cursor.complain(over.place, f"'{over.variable.name}' is not an array")
        last = Constant(over.variable.cells - 1, over.place)
        return self._counting_loop(
            token, counter, Constant(0, over.place), Binary("<=", counter, last, over.place), ()
        )

    def _for_messages(self, token: Token, item: Reference, struct: Struct, over: Reference) -> list[Statement]:
        """`for (message in channel)`: every message is received and sent again, so the channel turns once round."""
        shape = over.variable.initial
        if not isinstance(shape, ChannelShape) or shape.capacity == 0:
            self.cursor.fail(token, f"'{over.variable.name}' is not a buffered channel declared with its fields")
        kind = Kind.SHORT if shape.capacity > 255 else Kind.BYTE
        index = self.counters.get(self.scopes.path)
        if index is None and self.proctype is not None:
            index = Variable("_index", Scalar(kind), None, token.place, proctype=self.proctype.name)
            self.proctype.variables.append(index)
            self.counters[self.scopes.path] = index
        if index is None:
            raise SyntaxProblem
        counter = Reference(index, None, (), token.place)
        cells = fields_of(item, struct)
        name = over.variable.name
        rotate: Sequence = (
            Receive(over, tuple(Bind(cell) for cell in cells), False, False, token.place, f"{name}?{item.leaf.name}"),
            Send(over, tuple(cells), False, token.place, f"{name}!{item.leaf.name}"),
        )
        condition = Binary("<", counter, ChannelQuery("len", over, over.place), token.place)
        return self._counting_loop(token, counter, Constant(0, token.place), condition, rotate)

    def _counting_loop(
        self, token: Token, counter: Reference, first: Expression, condition: Expression, before: Sequence
    ) -> list[Statement]:
        self.cursor.take(";")
        self.loops += 1
        body = self.block("before the body of 'for'")
        self.loops -= 1
        name, place = counter.variable.name, token.place
        following = Binary("+", counter, Constant(1, place), place)
        option = (
            Test(condition, place, f"{name} in range"),
            *before,
            *body,
            Assign(counter, following, place, f"{name}++"),
        )
        loop = Choice(((Else(place), Break(place)), option), True, place)
        return [Assign(counter, first, place, f"{name} = first"), loop]

    def _select(self, token: Token) -> list[Statement]:
        self.cursor.advance()
        self.cursor.expect("(", "after 'select'")
        counter = self.reference()
        if isinstance(counter, Predefined):
            self.cursor.fail(token, f"'{counter.name}' cannot be selected")
        self._check_counter(counter)
        self.cursor.expect(":", "after the variable: select (i : 1 .. 9)")
        first, last = self._range("select")
        self.cursor.expect(")", "after the range of 'select'")
        name, place = counter.variable.name, token.place
        literal = (
            isinstance(first, Constant)
            and isinstance(last, Constant)
            and first.name is None
            and last.name is None
            and name.isalnum()
            and min(first.value, last.value) >= 0
            and self._inline_number(token) == 0
        )
        following = Assign(counter, Binary("+", counter, Constant(1, place), place), place, f"{name}++")
        more = Test(Binary("<", counter, last, place), place, f"{name} < last")
        # SPIN writes a short range of literals out as a choice, a longer one as a loop that may stop anywhere.
        if literal and isinstance(first, Constant) and isinstance(last, Constant):
            if last.value - first.value <= 32:
                return [
                    Choice(
                        tuple(
                            (Assign(counter, Constant(value, place), place, f"{name} = {value}"),)
                            for value in range(first.value, last.value + 1)
                        )
                        or ((Test(Constant(0, place), place, "false"),),),
                        False,
                        place,
                    )
                ]
            options: tuple[Sequence, ...] = ((more, following), (Break(place),))
        else:
            options = ((Break(place),), (more, following))
        return [Assign(counter, first, place, f"{name} = first"), Choice(options, True, place)]

    # Inlines

    def _inline_call(self, token: Token, target: Reference | Predefined | None) -> list[Statement]:
        inline = self.inlines[token.text]
        self.cursor.advance()
        arguments = self._inline_arguments(token)
        if any(step.kind == "inline" and step.name == token.text for step in token.place.chain()):
            self.cursor.fail(token, f"inline '{token.text}' calls itself", "use a loop, or a process")
        if len(arguments) != len(inline.parameters):
            wanted = f"{len(inline.parameters)} argument{'s' if len(inline.parameters) != 1 else ''}"
            self.cursor.fail(token, f"inline '{token.text}' takes {wanted}, not {len(arguments)}")
        self.cursor.insert(substituted(inline, arguments, token))
        self.return_targets.append(target)
        outer = self.cursor.in_sequence, self.cursor.open_brackets
        self.cursor.in_sequence, self.cursor.open_brackets = True, 0
        try:
            body = self._body("at the start of an inline", f"inline {token.text}")
        finally:
            self.return_targets.pop()
            self.cursor.in_sequence, self.cursor.open_brackets = outer
        return [Group("plain", body, token.place)]

    def _inline_arguments(self, token: Token) -> list[list[Token]]:
        self.cursor.expect("(", f"after '{token.text}'")
        arguments: list[list[Token]] = [[]]
        depth = 0
        while depth or not self.cursor.at(")"):
            word = self.cursor.advance()
            if word.kind == "end":
                self.cursor.fail(token, f"the call of inline '{token.text}' is not closed", "add ')'")
            depth += (word.text == "(") - (word.text == ")")
            if word.text == "," and depth == 0:
                arguments.append([])
            else:
                arguments[-1].append(word)
        self.cursor.advance()
        return [] if arguments == [[]] else arguments


def _is_loop(statement: Statement) -> bool:
    """A loop may be labelled anywhere: control passes a join before it."""
    return isinstance(statement, Choice) and statement.repeats


def substituted(inline: Inline, arguments: list[list[Token]], call: Token) -> list[Token]:
    """The body of an inline with the arguments' text in place of its parameters."""
    through = Expansion("inline", inline.name, call.place)
    given = dict(zip(inline.parameters, arguments, strict=True))
    result: list[Token] = []
    for token in inline.body:
        if token.kind == "name" and token.text in given:
            argument = given[token.text]
            if argument:
                first = replace(argument[0], line_start=token.line_start, spaced=token.spaced)
                result += [first, *(replace(word, line_start=False) for word in argument[1:])]
        else:
            result.append(token.through(through))
    return result


_KEYWORD_STATEMENTS = {
    "if": StatementReader._choice,
    "do": StatementReader._choice,
    "break": StatementReader._break,
    "goto": StatementReader._goto,
    "else": StatementReader._else,
    "assert": StatementReader._assert,
    "printf": StatementReader._printf,
    "printm": StatementReader._printm,
    "set_priority": StatementReader._set_priority,
    "atomic": StatementReader._grouped,
    "d_step": StatementReader._grouped,
    "for": StatementReader._for,
    "select": StatementReader._select,
    "c_code": StatementReader._c_code,
    "return": StatementReader._return,
}
