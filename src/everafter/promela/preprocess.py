"""The C preprocessor, as far as Promela models use it, keeping every token's place.

SPIN pipes a model through `gcc -E`, which forgets columns and blames lines of the expanded text. Here
a token remembers where it was written and through which macro or include it arrived, so that an error message
can show both. Macro expansion follows the C standard (arguments expanded first, `#`, `##`, no recursion).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os.path import isfile
from pathlib import Path

from everafter.promela.directive_expression import evaluate
from everafter.promela.macros import Macro, Macros
from everafter.promela.mentions import ReadingRecord
from everafter.promela.tokens import Token, scan, text_of
from everafter.record import dataclass
from everafter.source import Diagnostic, MacroExpansion, Place, Source, closest

_MAXIMUM_INCLUDES = 100
_MAXIMUM_TOKENS = 2_000_000
C_WORDS = ("c_code", "c_decl", "c_expr")
"""The words before the braces of C code."""
_DIRECTIVES = ("define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "error")
_IGNORED_DIRECTIVES = ("pragma", "line", "ident", "warning")


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
    record: ReadingRecord | None = None,
) -> tuple[list[Token], Mapping[str, Macro]]:
    """Return the tokens of `source` and of the texts `appended` to it, and the macros defined at the end.

    `defines` are the macros at the start, by name. What is wrong is added to `problems`. `folders` are where included
    files are looked for, behind the folder of the file that includes them. `record` gets which texts were read.
    """
    worker = _Preprocessor(problems, folders, record)
    for name, value in defines.items():
        definition = Source(f"<-D {name}>", value)
        body = tuple(token for token in scan(definition, problems) if token.kind != "newline")
        worker.macros.known[name] = Macro(name, None, body)
    for text in (source, *appended):
        worker.read(text, None)
    worker.reading.tokens = worker.output
    return worker.output, worker.macros.known


def expand_text(source: Source, macros: Mapping[str, Macro], problems: list[Diagnostic]) -> list[Token]:
    """Return the tokens of the further text `source`, with `macros`, those of a model, replaced.

    What is wrong is added to `problems`.
    """
    replacing = Macros(problems)
    replacing.known.update(macros)
    return replacing.expand(scan(source, problems))


class _Preprocessor:
    def __init__(
        self, problems: list[Diagnostic], folders: Sequence[Path] = (), record: ReadingRecord | None = None
    ) -> None:
        self.problems = problems
        self.folders = folders
        self.reading = record or ReadingRecord()
        self.macros = Macros(problems)
        self.output: list[Token] = []
        self.open_includes: list[tuple[str, int]] = []
        """The files that are being read, each with how many definitions came before it."""
        self.definitions = 0
        self.overflowed = False
        self.braces: list[bool] = []
        """For each brace open in the first `looked_at` tokens of the output, whether it is one of C."""
        self.looked_at = 0

    def complain(self, place: Place, message: str, advice: str | None = None) -> None:
        self.problems.append(Diagnostic(place, message, advice))

    def read(self, source: Source, included: MacroExpansion | None) -> None:
        """Process one file."""
        self.open_includes.append((source.name, self.definitions))
        self.reading.sources.append(source)
        self.macros.expand_into(self.output, self._text(source, included))
        self.open_includes.pop()

    def _text(self, source: Source, included: MacroExpansion | None) -> Iterator[list[Token]]:
        """The lines of text that are read, and an empty one for each directive, which is obeyed behind it."""
        conditions: list[_Condition] = []
        for line in _lines(scan(source, self.problems)):
            if len(self.output) > _MAXIMUM_TOKENS:
                if not self.overflowed:
                    self.overflowed = True
                    self.complain(line[0].place, f"the model expands to more than {_MAXIMUM_TOKENS:,} tokens")
                return
            tokens = [token.through(included) for token in line] if included else line
            if tokens and tokens[0].text == "#" and tokens[0].line_start:
                yield []
                self._directive(source, tokens, conditions)
            elif _is_read(conditions):
                yield tokens
        for condition in conditions:
            self.complain(condition.place, "this conditional is never closed", "add '#endif'")

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
        return (rest[0].text in self.macros.known) == (keyword.text == "ifdef")

    def _next_branch(self, keyword: Token, rest: list[Token], condition: _Condition) -> None:
        if condition.seen_else:
            self.complain(keyword.place, f"#{keyword.text} after #else")
        condition.seen_else = keyword.text == "else"
        may_take = condition.outer_active and not condition.taken
        condition.active = may_take and (keyword.text == "else" or self._truth(keyword, rest))
        condition.taken = condition.taken or condition.active

    def _truth(self, keyword: Token, tokens: list[Token]) -> bool:
        replaced = list(self._replace_defined(tokens))
        value, problem = evaluate(keyword.place, self.macros.expand(replaced))
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
            known = position < len(tokens) and tokens[position].text in self.macros.known
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
            if closing > 2 and variadic and body[closing - 2].text != ",":
                names.pop()  # `name...` gives the further arguments a name
            parameters = tuple("__VA_ARGS__" if token.text == "..." else token.text for token in names)
            self._check_parameters(name, names)
            body = body[closing + 1 :]
        self.macros.known[name.text] = Macro(name.text, parameters, tuple(body), variadic)
        self.definitions += 1

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
            self.definitions += self.macros.known.pop(rest[0].text, None) is not None

    def _include(self, source: Source, keyword: Token, rest: list[Token]) -> None:
        tokens = rest if rest and (rest[0].kind == "string" or rest[0].text == "<") else self.macros.expand(rest)
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
        elif (str(path), self.definitions) in self.open_includes or len(self.open_includes) >= _MAXIMUM_INCLUDES:
            self.complain(place, f"'{name}' includes itself")
        else:
            try:
                unsaved = self.reading.unsaved.get(str(path.resolve())) if self.reading.unsaved else None
                text = path.read_text(encoding="utf-8", errors="replace") if unsaved is None else unsaved
            except OSError as error:
                self.complain(place, f"cannot read the included file '{name}': {error.strerror or error}")
                return
            self.read(Source(str(path), text), MacroExpansion("include", name, place))

    def _inside_c(self) -> bool:
        """Whether the text so far ends inside the braces of c_code, c_decl or c_expr."""
        for position in range(self.looked_at, len(self.output)):
            text = self.output[position].text
            if text == "{":
                self.braces.append(self.output[position - 1].text in (*C_WORDS, "]"))
            elif text == "}" and self.braces:
                self.braces.pop()
        self.looked_at = len(self.output)
        return any(self.braces)


def _is_read(conditions: list[_Condition]) -> bool:
    """Whether the text here is read: the innermost #if knows whether those around it let it be."""
    return not conditions or conditions[-1].active


def _lines(tokens: Iterable[Token]) -> Iterator[list[Token]]:
    """Tokens grouped into lines. A line that is no directive keeps its newline."""
    line: list[Token] = []
    for token in tokens:
        if token.kind == "newline":
            yield line if line and line[0].text == "#" else [*line, token]
            line = []
        else:
            line.append(token)
