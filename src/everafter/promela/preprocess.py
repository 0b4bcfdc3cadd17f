"""The C preprocessor, as far as Promela models use it, keeping every token's place.

SPIN pipes a model through `gcc -E`, which forgets columns and blames lines of the expanded text. Here
a token remembers where it was written and through which macro or include it arrived, so that an error message
can show both. Macro expansion follows the C standard (arguments expanded first, `#`, `##`, no recursion).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path

from everafter.promela.directive_expression import evaluate
from everafter.promela.tokens import Token, scan, text_of
from everafter.source import Diagnostic, MacroExpansion, Place, Source, closest

_MAXIMUM_INCLUDES = 100
_MAXIMUM_TOKENS = 2_000_000
_MAXIMUM_EXPANDED = 150_000
_DIRECTIVES = ("define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "error")
_IGNORED_DIRECTIVES = ("pragma", "line", "ident", "warning")


@dataclass(frozen=True, slots=True)
class Macro:
    """`#define name(parameters) body`; parameters is None for a macro without parentheses."""

    name: str
    parameters: tuple[str, ...] | None
    body: tuple[Token, ...]
    variadic: bool = False


@dataclass(slots=True)
class _Condition:
    """An open #if: whether its current branch is read, and whether some branch has been."""

    place: Place
    active: bool
    taken: bool
    outer_active: bool
    seen_else: bool = False


def preprocess(source: Source, defines: Mapping[str, str], problems: list[Diagnostic]) -> list[Token]:
    """Return the tokens of `source` after inclusion, macro expansion and conditional reading.

    `defines` are macros by name; what is wrong is added to `problems`.
    """
    return preprocess_keeping_macros(source, defines, problems)[0]


def preprocess_keeping_macros(
    source: Source,
    defines: Mapping[str, str],
    problems: list[Diagnostic],
    appended: Sequence[Source] = (),
    folders: Sequence[Path] = (),
) -> tuple[list[Token], Mapping[str, Macro]]:
    """Return the tokens of `source` and of the texts `appended` to it, and the macros defined at the end.

    `defines` are the macros at the start, by name. What is wrong is added to `problems`. `folders` are where included
    files are looked for, behind the folder of the file that includes them.
    """
    worker = _Preprocessor(problems, folders)
    for name, value in defines.items():
        definition = Source(f"<-D {name}>", value)
        body = tuple(token for token in scan(definition, problems) if token.kind != "newline")
        worker.macros[name] = Macro(name, None, body)
    for text in (source, *appended):
        worker.read(text, None)
    return worker.output, worker.macros


def expand_text(source: Source, macros: Mapping[str, Macro], problems: list[Diagnostic]) -> list[Token]:
    """Return the tokens of the further text `source`, with `macros`, those of a model, replaced.

    What is wrong is added to `problems`.
    """
    worker = _Preprocessor(problems)
    worker.macros.update(macros)
    return worker.expand(scan(source, problems))


class _Preprocessor:
    def __init__(self, problems: list[Diagnostic], folders: Sequence[Path] = ()) -> None:
        self.problems = problems
        self.folders = folders
        self.macros: dict[str, Macro] = {}
        self.output: list[Token] = []
        self.open_includes: list[str] = []
        self.overflowed = False
        self.expanded = 0
        """Tokens that macros have been replaced by: short macros can stand for more text than there is memory."""

    def complain(self, place: Place, message: str, advice: str | None = None) -> None:
        self.problems.append(Diagnostic(place, message, advice))

    def read(self, source: Source, included: MacroExpansion | None) -> None:
        """Process one file; text between directives is expanded as a whole, since calls may span lines."""
        self.open_includes.append(source.name)
        conditions: list[_Condition] = []
        text: list[Token] = []
        for line in _lines(scan(source, self.problems)):
            tokens = [token.through(included) for token in line] if included else line
            if tokens and tokens[0].text == "#" and tokens[0].line_start:
                if len(tokens) > 1 and _is_read(conditions):
                    self._emit(text)
                    text = []
                self._directive(source, tokens, conditions)
            elif _is_read(conditions):
                text += tokens
        self._emit(text)
        for condition in conditions:
            self.complain(condition.place, "this conditional is never closed", "add '#endif'")
        self.open_includes.pop()

    def _emit(self, tokens: Sequence[Token]) -> None:
        if len(self.output) < _MAXIMUM_TOKENS:
            self.output += self.expand(tokens)
        elif not self.overflowed and tokens:
            self.overflowed = True
            self.complain(tokens[0].place, f"the model expands to more than {_MAXIMUM_TOKENS:,} tokens")

    # Directives

    def _directive(self, source: Source, tokens: list[Token], conditions: list[_Condition]) -> None:
        active = _is_read(conditions)
        if len(tokens) == 1:
            return
        keyword, rest = tokens[1], tokens[2:]
        match keyword.text:
            case "if" | "ifdef" | "ifndef":
                truth = active and self._condition(keyword, rest)
                conditions.append(_Condition(keyword.place, truth, truth, active))
            case "elif" | "else" | "endif" if not conditions:
                self.complain(keyword.place, f"#{keyword.text} without #if")
            case "endif":
                conditions.pop()
            case "elif" | "else":
                self._next_branch(keyword, rest, conditions[-1])
            case _ if not active or keyword.text in _IGNORED_DIRECTIVES or keyword.kind == "number":
                pass
            case "define":
                self._define(keyword, rest)
            case "undef":
                self._undefine(keyword, rest)
            case "include":
                self._include(source, keyword, rest)
            case "error":
                self.complain(keyword.place, f"#error {text_of(rest)}".rstrip())
            case _:
                self.complain(keyword.place, f"unknown directive #{keyword.text}", closest(keyword.text, _DIRECTIVES))

    def _condition(self, keyword: Token, rest: list[Token]) -> bool:
        if keyword.text in ("if", "elif"):
            return self._truth(keyword, rest)
        if not rest or rest[0].kind != "name":
            self.complain(keyword.place, f"#{keyword.text} needs a name")
            return False
        return (rest[0].text in self.macros) == (keyword.text == "ifdef")

    def _next_branch(self, keyword: Token, rest: list[Token], condition: _Condition) -> None:
        if condition.seen_else:
            self.complain(keyword.place, f"#{keyword.text} after #else")
        condition.seen_else = keyword.text == "else"
        may_take = condition.outer_active and not condition.taken
        condition.active = may_take and (keyword.text == "else" or self._truth(keyword, rest))
        condition.taken = condition.taken or condition.active

    def _truth(self, keyword: Token, tokens: list[Token]) -> bool:
        replaced = list(self._replace_defined(tokens))
        value, problem = evaluate(keyword.place, self.expand(replaced))
        if problem:
            self.problems.append(problem)
        return bool(value)

    def _replace_defined(self, tokens: list[Token]) -> Iterator[Token]:
        position = 0
        while position < len(tokens):
            token = tokens[position]
            position += 1
            if token.text != "defined":
                yield token
                continue
            bracketed = position + 2 < len(tokens) and tokens[position].text == "("
            position += bracketed
            known = position < len(tokens) and tokens[position].text in self.macros
            position += 1 + bracketed
            yield token._replace(kind="number", text="1" if known else "0")

    def _define(self, keyword: Token, rest: list[Token]) -> None:
        if not rest or rest[0].kind != "name":
            self.complain(keyword.place, "#define needs a name")
            return
        name = rest[0]
        parameters: tuple[str, ...] | None = None
        body = rest[1:]
        variadic = False
        if body and body[0].text == "(" and not body[0].spaced:
            closing = next((i for i, token in enumerate(body) if token.text == ")"), None)
            if closing is None:
                self.complain(body[0].place, f"the parameters of macro '{name.text}' are not closed", "add ')'")
                return
            names = [token for token in body[1:closing] if token.text != ","]
            variadic = bool(names) and names[-1].text == "..."
            parameters = tuple("__VA_ARGS__" if token.text == "..." else token.text for token in names)
            self._check_parameters(name, names)
            body = body[closing + 1 :]
        self.macros[name.text] = Macro(name.text, parameters, tuple(body), variadic)

    def _check_parameters(self, macro: Token, names: list[Token]) -> None:
        for position, token in enumerate(names):
            if token.kind != "name" and not (token.text == "..." and position == len(names) - 1):
                self.complain(token.place, f"'{token.text}' cannot be a parameter of macro '{macro.text}'")
            elif any(other.text == token.text for other in names[:position]):
                self.complain(token.place, f"macro '{macro.text}' has two parameters '{token.text}'")

    def _undefine(self, keyword: Token, rest: list[Token]) -> None:
        if not rest or rest[0].kind != "name":
            self.complain(keyword.place, "#undef needs a name")
        else:
            self.macros.pop(rest[0].text, None)

    def _include(self, source: Source, keyword: Token, rest: list[Token]) -> None:
        tokens = rest if rest and (rest[0].kind == "string" or rest[0].text == "<") else self.expand(rest)
        if tokens and tokens[0].kind == "string":
            name = tokens[0].text[1:-1]
        elif tokens and tokens[0].text == "<" and tokens[-1].text == ">":
            name = "".join(token.text for token in tokens[1:-1])
        else:
            self.complain(keyword.place, '#include needs "file" or <file>')
            return
        place = tokens[0].place
        folders = (Path(source.name).parent, *self.folders)
        path = next((path for path in (*(folder / name for folder in folders), Path(name)) if isfile(path)), None)
        if path is None and self._inside_c():
            pass  # Headers of C code that is refused anyway, by name.
        elif path is None:
            places = ", ".join(f"'{folder}'" for folder in folders)
            self.complain(place, f"cannot find the included file '{name}'", f"looked in {places} and here")
        elif str(path) in self.open_includes or len(self.open_includes) >= _MAXIMUM_INCLUDES:
            self.complain(place, f"'{name}' includes itself")
        else:
            try:
                text = path.read_text(encoding="utf-8", errors="replace")
            except OSError as error:
                self.complain(place, f"cannot read the included file '{name}': {error.strerror or error}")
                return
            self.read(Source(str(path), text), MacroExpansion("include", name, place))

    def _inside_c(self) -> bool:
        """Whether the text so far ends inside the braces of c_code, c_decl or c_expr."""
        depth = 0
        for position in range(len(self.output) - 1, 0, -1):
            text = self.output[position].text
            depth += (text == "}") - (text == "{")
            if depth < 0:
                return self.output[position - 1].text in ("c_code", "c_decl", "c_expr", "]")
        return False

    # Macro expansion

    def expand(self, tokens: Iterable[Token]) -> list[Token]:
        """All macros in `tokens` replaced, again and again, until none is left that may be."""
        pending = list(tokens)
        pending.reverse()
        output: list[Token] = []
        while pending:
            token = pending.pop()
            if token.kind != "name":
                if token.kind != "newline":
                    output.append(token)
                continue
            macro = self.macros.get(token.text)
            if macro is None or token.text in token.hidden_macros:
                output.append(self._built_in(token))
                continue
            if self.expanded > _MAXIMUM_EXPANDED:
                if not self.overflowed:
                    self.overflowed = True
                    message = f"the macros of this model stand for more than {_MAXIMUM_EXPANDED:,} tokens"
                    self.complain(token.place.seen_at(), message)
                return output
            call = self._arguments(macro, token, pending)
            if call is None:
                output.append(token)
                continue
            arguments, hidden = call
            body = self._substitute(macro, token, arguments, hidden | {macro.name})
            self.expanded += len(body)
            pending.extend(reversed(body))
        return output

    @staticmethod
    def _built_in(token: Token) -> Token:
        if token.text == "__LINE__":
            return token._replace(kind="number", text=str(token.place.seen_at().line))
        if token.text == "__FILE__":
            return token._replace(kind="string", text=f'"{token.place.seen_at().source.name}"')
        return token

    def _arguments(
        self, macro: Macro, call: Token, pending: list[Token]
    ) -> tuple[list[list[Token]], frozenset[str]] | None:
        """The arguments of a call, taken off `pending`, and the macros that stay hidden in what it stands for.

        None when the name is not followed by '('. A macro is hidden only while the whole call comes from it: one whose
        parenthesis closes in the text behind it has been left already.
        """
        hidden = call.hidden_macros
        if macro.parameters is None:
            return [], hidden
        position = len(pending) - 1
        while position >= 0 and pending[position].kind == "newline":
            position -= 1
        if position < 0 or pending[position].text != "(":
            return None
        opening = pending[position]
        del pending[position:]
        arguments: list[list[Token]] = [[]]
        depth = 0
        while pending:
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
        if macro.variadic and len(arguments) == len(macro.parameters) - 1:
            arguments.append([])
        if len(arguments) != len(macro.parameters):
            wanted = f"{len(macro.parameters)} argument{'s' if len(macro.parameters) != 1 else ''}"
            self.complain(call.place, f"macro '{macro.name}' takes {wanted}, not {len(arguments)}")
            arguments = (arguments + [[] for _ in macro.parameters])[: len(macro.parameters)]
        return arguments, hidden

    def _substitute(
        self, macro: Macro, call: Token, arguments: list[list[Token]], hidden: frozenset[str]
    ) -> list[Token]:
        """The macro's body with its arguments in place, marked as coming through this call."""
        through = MacroExpansion("macro", macro.name, call.place)
        given = dict(zip(macro.parameters or (), arguments, strict=True))
        result: list[Token] = []
        body = macro.body
        position = 0
        while position < len(body):
            token = body[position]
            follower = body[position + 1] if position + 1 < len(body) else None
            if token.text == "#" and macro.parameters is not None and follower and follower.text in given:
                quoted = text_of(given[follower.text]).replace("\\", "\\\\").replace('"', '\\"')
                result.append(token._replace(kind="string", text=f'"{quoted}"').through(through))
                position += 2
            elif token.text == "##" and result and follower:
                right = given.get(follower.text, [follower])
                result[-1:] = _pasted(result[-1], right)
                position += 2
            elif token.text in given and token.kind == "name":
                raw = follower is not None and follower.text == "##"
                argument = given[token.text]
                self.expanded += len(argument)
                if raw:
                    result += argument or [token._replace(kind="other", text="")]
                else:
                    result += _spaced_as(token, self.expand(argument))
                position += 1
            else:
                result.append(token.through(through))
                position += 1
        return [
            token.moved(
                line_start=position == 0 and call.line_start,
                spaced=token.spaced if position else call.spaced,
                hidden_macros=token.hidden_macros | hidden if token.hidden_macros else hidden,
            )
            for position, token in enumerate(token for token in result if token.text)
        ]


def _is_read(conditions: list[_Condition]) -> bool:
    """Whether the text here is read: the innermost #if knows whether those around it let it be."""
    return not conditions or conditions[-1].active


def _spaced_as(parameter: Token, argument: list[Token]) -> list[Token]:
    return [argument[0]._replace(spaced=parameter.spaced), *argument[1:]] if argument else []


def _pasted(left: Token, right: list[Token]) -> list[Token]:
    """`left ## right`: the two words written as one. An argument that is empty stands as a word without letters."""
    if not right or not left.text:
        return right or [left]
    text = left.text + right[0].text
    words = [token for token in scan(Source("", text), []) if token.kind != "newline"]
    glued = [left._replace(kind=words[0].kind, text=text)] if len(words) == 1 else [left, right[0]]
    return [*glued, *right[1:]]


def _lines(tokens: Iterable[Token]) -> Iterator[list[Token]]:
    """Tokens grouped into lines. A line that is no directive keeps its newline."""
    line: list[Token] = []
    for token in tokens:
        if token.kind == "newline":
            yield line if line and line[0].text == "#" else [*line, token]
            line = []
        else:
            line.append(token)
