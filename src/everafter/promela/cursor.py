"""A position in the tokens of a model: looking ahead, and the semicolons that a line break implies."""

from __future__ import annotations

from typing import NoReturn

from everafter.promela.tokens import Token
from everafter.source import Diagnostic, Place

# SPIN 6 reads the end of a line as a semicolon when the line ends in one of these and no bracket is open.
_CLOSING = frozenset({"}", ")", "]", "++", "--", "od", "fi", "else", "break", "skip", "true", "false", "timeout"})
_KEYWORD_TEXT = """active assert atomic bit bool break byte c_code c_decl c_expr c_state c_track D_proctype do chan else
    empty enabled eval false fi for full get_priority goto hidden if init inline int len local ltl mtype nempty never
    nfull notrace np_ od of pc_value pid printf printm priority proctype provided return run d_step select
    set_priority short skip timeout trace true show typedef unless unsigned xr xs"""
KEYWORDS = frozenset(_KEYWORD_TEXT.split())
_CALLED_TEXT = """assert empty enabled eval for full get_priority len nempty nfull pc_value printf printm provided
    select set_priority"""
_CALLED = frozenset(_CALLED_TEXT.split())
"""Keywords that mean nothing without a bracket behind them."""
_SIGN_TEXT = "= == != < > <= >= + * / % & | && || ++ -- , ) ] [ ."
_BEHIND_NAMES = frozenset(_SIGN_TEXT.split())
"""Signs that stand behind no keyword but those of values."""
_BEGINNING_TEXT = """active proctype D_proctype init never trace notrace ltl inline typedef mtype bit bool byte short
    int pid chan unsigned hidden show local c_code c_decl c_state c_track"""
_BEGINNING = frozenset(_BEGINNING_TEXT.split())
"""Where one of these stands, a name is missing rather than badly chosen."""


MAXIMUM_ERRORS = 20


class TooManyProblems(Exception):
    """Reading on would only drown the user."""


class SyntaxProblem(Exception):
    """Reading cannot go on here; the diagnostic is already recorded."""


class UnitProblem(Exception):
    """Reading cannot go on in this process or declaration; the diagnostic is already recorded."""


class Cursor:
    """Walks over the tokens. `in_sequence` says whether line breaks separate statements here."""

    def __init__(self, tokens: list[Token], end: Place, problems: list[Diagnostic]) -> None:
        self.tokens = _without_last_separators(tokens)
        self.names_of_kinds: set[str] = set()
        """Names of structures, proctypes and inlines: something must follow them, so they end no line."""
        self.position = 0
        self.problems = problems
        self.in_sequence = False
        self.open_brackets = 0
        self.last = Token("end", "", end)
        self._end = Token("end", "", end, line_start=True)
        self._implied_at = -1

    @property
    def current(self) -> Token:
        """The token to be read next, which may be a semicolon that a line break implies."""
        token = self.ahead(0)
        if (
            token.line_start
            and self.in_sequence
            and self.open_brackets == 0
            and self._implied_at != self.position
            and self._ends_line(self.last)
            and not (token.text == "unless" and self.last.text == "}")
            and token.text != "}"
        ):
            return token._replace(kind="op", text=";", line_start=False)
        return token

    def ahead(self, distance: int) -> Token:
        """The token `distance` further on, as written."""
        position = self.position + distance
        return self.tokens[position] if position < len(self.tokens) else self._end

    def _ends_line(self, token: Token) -> bool:
        if token.kind == "name":
            return token.text in _CLOSING or not (token.text in KEYWORDS or token.text in self.names_of_kinds)
        return token.kind in ("number", "char") or token.text in _CLOSING

    def at(self, *texts: str) -> bool:
        """Whether the current token is one of these words or operators."""
        token = self.current
        return token.kind in ("name", "op") and token.text in texts

    def advance(self) -> Token:
        """Read the current token."""
        token = self.current
        if token is not self.ahead(0):
            self._implied_at = self.position
            self.last = token
            return token
        if token.kind == "op":
            self.open_brackets += (token.text == "(") - (token.text == ")" and self.open_brackets > 0)
        self.last = token
        if token.kind != "end":
            self.position += 1
        return token

    def take(self, *texts: str) -> Token | None:
        """Read the current token if it is one of these."""
        return self.advance() if self.at(*texts) else None

    def expect(self, text: str, context: str) -> Token:
        """Read and return the token `text`, or complain that it is missing from `context`."""
        token = self.take(text)
        if token is None:
            self.fail(self.current, f"expected '{text}' {context}, found {describe(self.ahead(0))}")
        return token

    def expect_name(self, what: str) -> Token:
        """Read a name that is not a keyword."""
        token = self.current
        if token.kind != "name":
            self.fail(token, f"expected {what}, found {describe(token)}")
        self.advance()
        if token.text in KEYWORDS:
            self.fail(token, f"expected {what}, but '{token.text}' is a keyword", "choose another name")
        return token

    def expect_new_name(self, what: str) -> Token:
        """Read a name that is being declared. A keyword is complained of, and then read as that name."""
        token = self.current
        if token.kind != "name" or token.text not in KEYWORDS or token.text in _BEGINNING:
            return self.expect_name(what)
        self.advance()
        self.complain(token.place, f"expected {what}, but '{token.text}' is a keyword", "choose another name")
        self._rename(token.text)
        return _renamed(token)

    def _rename(self, keyword: str) -> None:
        """From here on, read the keyword as the name that the author took it for, where it can be one."""
        for position in range(self.position, len(self.tokens)):
            token, behind = self.tokens[position], self.ahead(position + 1 - self.position)
            if token.kind == "name" and token.text == keyword:
                is_called = keyword in _CALLED and behind.text != "("
                if is_called or behind.text in _BEHIND_NAMES:
                    self.tokens[position] = _renamed(token)

    def insert(self, tokens: list[Token]) -> None:
        """Put tokens in front of the current one."""
        self.tokens[self.position : self.position] = _without_last_separators(tokens)
        self._implied_at = self.position

    def complain(self, place: Place, message: str, advice: str | None = None) -> None:
        """Record an error at `place`, with `message` and perhaps `advice`, and go on."""
        if self._is_known(place, message):
            return
        self.problems.append(Diagnostic(place, message, advice))
        if sum(problem.severity == "error" for problem in self.problems) >= MAXIMUM_ERRORS:
            raise TooManyProblems

    def warn(self, place: Place, message: str, advice: str | None = None) -> None:
        """Record a warning at `place`, with `message` and perhaps `advice`."""
        if not self._is_known(place, message):
            self.problems.append(Diagnostic(place, message, advice, "warning"))

    def _is_known(self, place: Place, message: str) -> bool:
        return any(known.place == place and known.message == message for known in self.problems)

    def fail(self, token: Token, message: str, advice: str | None = None) -> NoReturn:
        """Record an error at `token`, with `message` and perhaps `advice`, and give up this construct."""
        self.complain(token.place, message, advice)
        raise SyntaxProblem

    def skip_past(self, closing: str) -> None:
        """Read on behind the `fi` or `od` that belongs to an `if` or `do` already read, or to the end of its block."""
        depth = 0
        while self.ahead(0).kind != "end":
            text = self.ahead(0).text
            if depth == 0 and text in (closing, "}"):
                self.take(";")  # which the line break before it may imply
                self.take(closing)
                return
            depth += (text in ("if", "do", "{")) - (text in ("fi", "od", "}"))
            self.advance()
            self.open_brackets = 0

    def skip_group(self) -> None:
        """Read a balanced { … } whatever is in it."""
        opening = self.expect("{", "here")
        depth = 1
        while depth:
            token = self.ahead(0)
            if token.kind == "end":
                self.fail(opening, "'{' is never closed", "add '}'")
            depth += (token.text == "{") - (token.text == "}")
            self.last = token
            self.position += 1
        self._implied_at = -1


def _without_last_separators(tokens: list[Token]) -> list[Token]:
    """The tokens without separators directly before a brace, and arrows before a semicolon, which SPIN leaves out."""
    following = [*(token.text for token in tokens[1:]), ""]
    return [
        token
        for token, behind in zip(tokens, following, strict=False)
        if not ((token.text in (";", "->") and behind == "}") or (token.text == "->" and behind == ";"))
    ]


def _renamed(keyword: Token) -> Token:
    """A name that no text has."""
    return keyword._replace(text=f"{keyword.text}\N{PRIME}")


def describe(token: Token) -> str:
    """A token as a message names it."""
    return "the end of the model" if token.kind == "end" else f"'{token.text}'"
