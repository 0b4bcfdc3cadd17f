"""Macro expansion as the C standard has it, with the extensions of gcc, keeping every token's place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from everafter.promela.tokens import Token, scan, text_of
from everafter.record import dataclass
from everafter.source import Diagnostic, MacroExpansion, Place, Source

_MAXIMUM_EXPANDED = 150_000


@dataclass(frozen=True, slots=True)
class Macro:
    """`#define name(parameters) body`; parameters is None for a macro without parentheses."""

    name: str
    parameters: tuple[str, ...] | None
    body: tuple[Token, ...]
    variadic: bool = False


class Macros:
    """The macros that are defined, and what they stand for. What is wrong with a call is added to `problems`."""

    def __init__(self, problems: list[Diagnostic]) -> None:
        self.problems = problems
        self.known: dict[str, Macro] = {}
        self.overflowed = False
        self.expanded = 0
        """Tokens that macros have been replaced by: short macros can stand for more text than there is memory."""

    def complain(self, place: Place, message: str, advice: str | None = None) -> None:
        """Add an error to the problems."""
        self.problems.append(Diagnostic(place, message, advice))

    def expand(self, tokens: Iterable[Token]) -> list[Token]:
        """All macros in `tokens` replaced, again and again, until none is left that may be."""
        output: list[Token] = []
        self.expand_into(output, iter([[*tokens]]))
        return output

    def expand_into(self, output: list[Token], lines: Iterator[list[Token]]) -> None:
        """Append to `output` the tokens of `lines` with all macros replaced.

        Lines are read one by one: the directives between two of them, of which an empty one stands, may lie among the
        arguments of a call, but not between its name and its parenthesis.
        """
        pending: list[Token] = []
        while pending or _refill(pending, lines):
            token = pending.pop()
            if token.kind != "name":
                if token.kind != "newline":
                    output.append(token)
                continue
            macro = self.known.get(token.text)
            if macro is None or token.text in token.hidden_macros:
                output.append(_built_in(token))
                continue
            if self.expanded > _MAXIMUM_EXPANDED:
                if not self.overflowed:
                    self.overflowed = True
                    message = f"the macros of this model stand for more than {_MAXIMUM_EXPANDED:,} tokens"
                    self.complain(token.place.seen_at(), message)
                return
            call = self._arguments(macro, token, pending, lines)
            if call is None:
                output.append(token)
                continue
            arguments, hidden = call
            body = self._substitute(macro, token, arguments, hidden | {macro.name})
            self.expanded += len(body)
            pending.extend(reversed(body))

    def _arguments(
        self, macro: Macro, call: Token, pending: list[Token], lines: Iterator[list[Token]]
    ) -> tuple[list[list[Token]], frozenset[str]] | None:
        """The arguments of a call, taken off `pending`, and the macros that stay hidden in what it stands for.

        None when the name is not followed by '('. A macro is hidden only while the whole call comes from it: one whose
        parenthesis closes in the text behind it has been left already.
        """
        hidden = call.hidden_macros
        if macro.parameters is None:
            return [], hidden
        while not pending or pending[-1].kind == "newline":
            if pending:
                pending.pop()
            elif line := next(lines, None):
                pending.extend(reversed(line))
            else:
                return None
        if pending[-1].text != "(":
            return None
        opening = pending.pop()
        arguments: list[list[Token]] = [[]]
        depth = 0
        while pending or _refill(pending, lines):
            token = pending.pop()
            if token.text == ")" and depth == 0:
                hidden &= token.hidden_macros
                break
            depth += (token.text == "(") - (token.text == ")")
            last_variadic = macro.variadic and len(arguments) == len(macro.parameters)
            if token.text == "," and depth == 0 and not last_variadic:
                arguments.append([])
            elif token.kind != "newline":
                arguments[-1].append(token)
        else:
            self.complain(opening.place, f"the call of macro '{macro.name}' is not closed", "add ')'")
        if not macro.parameters and arguments == [[]]:
            arguments = []
        if len(arguments) != len(macro.parameters) - macro.variadic and len(arguments) != len(macro.parameters):
            wanted = f"{len(macro.parameters)} argument{'s' if len(macro.parameters) != 1 else ''}"
            self.complain(call.place, f"macro '{macro.name}' takes {wanted}, not {len(arguments)}")
            arguments = (arguments + [[] for _ in macro.parameters])[: len(macro.parameters)]
        return arguments, hidden

    def _substitute(
        self, macro: Macro, call: Token, arguments: list[list[Token]], hidden: frozenset[str]
    ) -> list[Token]:
        """The macro's body with its arguments in place, marked as coming through this call."""
        through = MacroExpansion("macro", macro.name, call.place)
        parameters = macro.parameters or ()
        given = dict(zip(parameters, [*arguments, []], strict=False))
        replaced: dict[str, list[Token]] = {}
        result: list[Token] = []
        body = macro.body
        position = 0
        while position < len(body):
            token = body[position]
            follower = body[position + 1] if position + 1 < len(body) else None
            if token.text == "#" and macro.parameters is not None and follower and follower.text in given:
                result.append(token._replace(kind="string", text=_quoted(given[follower.text])).through(through))
                position += 2
            elif token.text == "##" and result and follower:
                right = given.get(follower.text)
                if macro.variadic and follower.text == parameters[-1] and result[-1].text == ",":
                    is_omitted = not right and (len(arguments) < len(parameters) or len(parameters) == 1)
                    result[-1:] = [] if is_omitted else [result[-1], *(right or ())]
                else:
                    result[-1:] = _pasted(result[-1], [follower.through(through)] if right is None else right)
                position += 2
            elif token.text in given and token.kind == "name":
                argument = given[token.text]
                self.expanded += len(argument)
                if follower is not None and follower.text == "##":
                    result += argument or [token._replace(kind="other", text="")]
                else:
                    if token.text not in replaced:
                        replaced[token.text] = self.expand(argument)
                    result += _spaced_as(token, replaced[token.text])
                position += 1
            else:
                result.append(token.through(through))
                position += 1
        return [
            token.moved(
                line_start=position == 0 and call.line_start,
                spaced=(token.spaced or token.line_start) if position else call.spaced,
                hidden_macros=token.hidden_macros | hidden if token.hidden_macros else hidden,
            )
            for position, token in enumerate(token for token in result if token.text)
        ]


def _refill(pending: list[Token], lines: Iterator[list[Token]]) -> bool:
    """Whether there is a further token, which is then pending."""
    while not pending:
        line = next(lines, None)
        if line is None:
            return False
        pending.extend(reversed(line))
    return True


def _built_in(token: Token) -> Token:
    if token.text == "__LINE__":
        return token._replace(kind="number", text=str(token.place.seen_at().line))
    if token.text == "__FILE__":
        return token._replace(kind="string", text=f'"{token.place.seen_at().source.name}"')
    return token


def _spaced_as(parameter: Token, argument: list[Token]) -> list[Token]:
    return [argument[0]._replace(spaced=parameter.spaced), *argument[1:]] if argument else []


def _quoted(tokens: list[Token]) -> str:
    """The tokens as a string of C: what is special inside strings among them is escaped."""
    escaped = [
        token._replace(text=re.sub(r'[\\"]', r"\\\g<0>", token.text)) if token.kind in ("string", "char") else token
        for token in tokens
    ]
    return f'"{text_of(escaped)}"'


def _pasted(left: Token, right: list[Token]) -> list[Token]:
    """`left ## right`: the two words written as one. An argument that is empty stands as a word without letters."""
    if not right or not left.text:
        return right or [left]
    text = left.text + right[0].text
    words = [token for token in scan(Source("", text), []) if token.kind != "newline"]
    glued = [left._replace(kind=words[0].kind, text=text)] if len(words) == 1 else [left, right[0]]
    return [*glued, *right[1:]]
