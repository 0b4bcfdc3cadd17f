"""Reading calls of inlines: the body's text in place of the call, the arguments' text in place of the parameters."""

from __future__ import annotations

from everafter.promela.cursor import TooManyProblems
from everafter.promela.keywords import KeywordReader
from everafter.promela.model import Group, Predefined, Reference, Statement
from everafter.promela.references import Inline
from everafter.promela.tokens import Token
from everafter.source import MacroExpansion

_MAXIMUM_INLINED = 100_000


class InlineReader(KeywordReader):
    """The part of the parser that reads calls of inlines."""

    def inline_call(self, token: Token, target: Reference | Predefined | None) -> list[Statement]:
        """Return the statements that the call of the inline named by `token` stands for.

        What it returns goes to `target`.
        """
        inline = self.inlines[token.text]
        self.cursor.advance()
        self.mention(token, "inline")
        arguments = self._inline_arguments(token)
        if token.text in self.open_inlines:
            self.cursor.fail(token, f"inline '{token.text}' calls itself", "use a loop, or a process")
        if len(arguments) != len(inline.parameters):
            wanted = f"{len(inline.parameters)} argument{'s' if len(inline.parameters) != 1 else ''}"
            self.cursor.fail(token, f"inline '{token.text}' takes {wanted}, not {len(arguments)}")
        self._insert(substituted(inline, arguments, token), token)
        self.return_targets.append(target)
        self.open_inlines.append(token.text)
        outer = self.cursor.in_sequence, self.cursor.open_brackets
        self.cursor.in_sequence, self.cursor.open_brackets = True, 0
        try:
            body = self.body("at the start of an inline", f"inline {token.text}")
        finally:
            self.return_targets.pop()
            self.open_inlines.pop()
            self.cursor.in_sequence, self.cursor.open_brackets = outer
        return [Group("plain", body, token.place)]

    def _insert(self, tokens: list[Token], call: Token) -> None:
        self.inlined += len(tokens)
        if self.inlined > _MAXIMUM_INLINED:
            message = f"the inlines of this model stand for more than {_MAXIMUM_INLINED:,} tokens"
            self.cursor.complain(call.place.seen_at(), message, "use loops, or processes")
            raise TooManyProblems
        self.cursor.insert(tokens)

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


def substituted(inline: Inline, arguments: list[list[Token]], call: Token) -> list[Token]:
    """Return the body of `inline` with the text of `arguments` in place of its parameters.

    `call` is where it is called.
    """
    through = MacroExpansion("inline", inline.name, call.place)
    given = dict(zip(inline.parameters, arguments, strict=True))
    result: list[Token] = []
    for token in inline.body:
        if token.kind == "name" and token.text in given:
            argument = given[token.text]
            if argument:
                first = argument[0]._replace(line_start=token.line_start, spaced=token.spaced)
                result += [first, *(word._replace(line_start=False) for word in argument[1:])]
        else:
            result.append(token.through(through))
    return result
