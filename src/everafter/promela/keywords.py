"""Reading the statements that begin with a keyword."""

from __future__ import annotations

from typing import Literal

from everafter.promela.cursor import SyntaxProblem, describe
from everafter.promela.model import (
    Assert,
    Assign,
    Break,
    ChoiceStatement,
    Constant,
    Else,
    Expression,
    Goto,
    Group,
    Label,
    Predefined,
    Print,
    Reference,
    Sequence,
    SetPriority,
    Statement,
    Test,
)
from everafter.promela.statements import StatementReader
from everafter.promela.tokens import Token
from everafter.promela.units import Needs
from everafter.source import Place


class KeywordReader(StatementReader):
    """The part of the parser that reads choices, jumps, prints, groups and the like."""

    def keyword_statement(self, token: Token) -> list[Statement] | None:
        """The statement that a keyword begins, if it begins one."""
        match token.text:
            case "if" | "do":
                return self._choice(token)
            case "break":
                return self._break(token)
            case "goto":
                return self._goto()
            case "else":
                return self._else(token)
            case "assert":
                return self._assert(token)
            case "printf":
                return self._printf(token)
            case "printm":
                return self._printm(token)
            case "set_priority":
                return self._set_priority(token)
            case "atomic" | "d_step":
                return self._grouped(token)
            case "c_code":
                return self._c_code(token)
            case "return":
                return self._return(token)
            case _:
                return None

    def _choice(self, token: Token) -> list[Statement]:
        self.cursor.advance()
        closing = "fi" if token.text == "if" else "od"
        self.loops += token.text == "do"
        self.enter(token)
        options = self._options(token, closing)
        self.loops -= token.text == "do"
        self.blocks -= 1
        if not self.cursor.take(closing):
            self.cursor.complain(
                token.place, f"'{token.text}' is not closed by '{closing}' before {describe(self.cursor.current)}"
            )
            if not self.cursor.take("fi", "od"):
                raise SyntaxProblem
        if not options:
            self.cursor.fail(token, f"'{token.text}' needs at least one option", f"{token.text} :: … {closing}")
        self.check_else(options)
        return [ChoiceStatement(tuple(options), token.text == "do", token.place)]

    def _options(self, token: Token, closing: str) -> list[Sequence]:
        if not self.cursor.at("::", closing):
            message = f"expected '::' before an option of '{token.text}', found {describe(self.cursor.current)}"
            advice = f"{token.text} :: condition -> … :: else -> … {closing}" if self.cursor.at("(") else None
            self.cursor.complain(self.cursor.current.place, message, advice)
            self.cursor.skip_past(closing)
            raise SyntaxProblem
        options: list[Sequence] = []
        while self.cursor.at("::"):
            options.append(self._option(self.cursor.advance().place))
        return options

    def _option(self, place: Place) -> Sequence:
        problems = len(self.cursor.problems)
        option = self.sequence()
        if not option and len(self.cursor.problems) == problems:
            self.cursor.complain(place, "an option needs at least one statement", "'skip' does nothing")
        return option or (Test(Constant(1, place), place, "skip"),)

    def _break(self, token: Token) -> list[Statement]:
        self.cursor.advance()
        if not self.loops:
            message = "'break' cannot leave a d_step" if self.in_d_step else "'break' outside a loop"
            self.cursor.complain(token.place, message)
        return [Break(token.place)]

    def _goto(self) -> list[Statement]:
        self.cursor.advance()
        name = self.cursor.expect_name("a label")
        self.mention_label(name)
        label = Label(name.text, self.scopes.path, self.inline_number(name))
        return [Goto(label, name.place, f"goto {name.text}")]

    def _else(self, token: Token) -> list[Statement]:
        self.cursor.advance()
        return [Else(token.place)]

    def _assert(self, token: Token) -> list[Statement]:
        start = self.cursor.position
        self.cursor.advance()
        condition = self.condition()
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
        if not isinstance(value, Reference | Predefined | Constant):
            self.cursor.complain(value.place, "'printm' prints a variable or a constant", 'printf("%d", …) computes')
        self.cursor.expect(")", "after the argument of 'printm'")
        return [Print("%e", (value,), token.place, self._text_since(start))]

    def _set_priority(self, token: Token) -> list[Statement]:
        start = self.cursor.position
        self.cursor.advance()
        self.needs |= Needs(uses_priority=True)
        self.cursor.expect("(", "after 'set_priority'")
        process = self.value()
        self.cursor.expect(",", "between the arguments of 'set_priority'")
        priority = self.value()
        self.cursor.expect(")", "after the arguments of 'set_priority'")
        return [SetPriority(process, priority, token.place, self._text_since(start))]

    def _grouped(self, token: Token) -> list[Statement]:
        self.cursor.advance()
        mode: Literal["atomic", "d_step"] = "atomic" if token.text == "atomic" else "d_step"
        outer = self.loops, self.in_d_step
        if mode == "d_step":
            self.loops, self.in_d_step = 0, True
        body = self.body(f"after '{mode}'", f"{mode} {{ … }}")
        self.loops, self.in_d_step = outer
        return [Group(mode, body, token.place)]

    def _c_code(self, token: Token) -> list[Statement]:
        self.cursor.advance()
        self.embedded_c(token)
        return [Test(Constant(1, token.place), token.place, token.text)]

    def _return(self, token: Token) -> list[Statement]:
        start = self.cursor.position
        self.cursor.advance()
        value = self.condition()
        target = self.return_targets[-1] if self.return_targets else None
        if target is None:
            self.cursor.complain(token.place, "'return' outside an inline whose value is assigned")
            return [Test(Constant(1, token.place), token.place, "skip")]
        return [Assign(target, value, token.place, self._text_since(start))]
