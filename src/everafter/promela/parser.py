"""From the text of a model to its meaning-bearing tree, or to every mistake in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import Literal, NoReturn

from everafter.promela.cursor import (
    MAXIMUM_ERRORS,
    Cursor,
    SyntaxProblem,
    TooManyProblems,
    UnitProblem,
    describe,
)
from everafter.promela.declarations import BASIC_TYPES, FOREIGN_TYPES
from everafter.promela.drafts import ModelDraft, ProctypeDraft
from everafter.promela.loops import LoopReader
from everafter.promela.mentions import ReadingRecord, formula_mentions
from everafter.promela.model import ChannelShape, Constant, RemoteLabel, Struct, Type
from everafter.promela.preprocess import C_WORDS, preprocess_keeping_macros
from everafter.promela.references import PREDEFINED, Inline
from everafter.promela.tokens import Token, digest_of, text_of
from everafter.promela.units import Formula, ModelTree, Needs
from everafter.source import Diagnostic, InputError, Place, Source, closest

_UNITS = ("active", "proctype", "D_proctype", "init", "never", "trace", "notrace", "ltl", "inline", "typedef", "mtype")


def parse(
    source: Source,
    defines: Mapping[str, str] | None = None,
    appended: Sequence[Source] = (),
    folders: Sequence[Path] = (),
    record: ReadingRecord | None = None,
) -> tuple[ModelTree, tuple[Diagnostic, ...]]:
    """Return the model in `source` and its warnings; raise InputError with all mistakes when there are any.

    `defines` are macros by name, `appended` texts are read behind the model, and `folders` are searched for included
    files. `record` gets what the words name, also if there are mistakes.
    """
    problems: list[Diagnostic] = []
    tokens, macros = preprocess_keeping_macros(source, defines or {}, problems, appended, folders, record)
    before_c = takewhile(lambda token: token.text not in C_WORDS, tokens)  # in C code, which is refused, all may stand
    others = [token for token in before_c if token.kind == "other"]
    strange = {(id(token.place.source), token.place.line): token for token in reversed(others)}
    zero = next((token for token in others if token.text == "\0"), None)
    if zero is not None:
        problems.append(Diagnostic(zero.place, "a text has no zero bytes", "save it as UTF-8, if it is one"))
    else:
        problems += [_meaningless(token) for token in reversed(strange.values())]
    last_line = len(source.lines)
    end = Place(source, last_line, len(source.line(last_line)) + 1)
    model: ModelTree | None = None
    if not any(problem.severity == "error" for problem in problems):
        with suppress(TooManyProblems):
            draft = ModelDraft(source, macros, digest_of(tokens))
            reader = _UnitReader(draft, Cursor(tokens, end, problems))
            reader.record = record
            model = reader.read()
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors or model is None:
        raise InputError(errors[:MAXIMUM_ERRORS])
    return model, tuple(problems)


def _meaningless(token: Token) -> Diagnostic:
    """What to say of a character that begins no word, the first one of its line."""
    if token.text in "\"'":
        if token.text in token.place.source.line(token.place.line)[token.place.column :]:
            return Diagnostic(token.place, "in single quotes there is one character", "write text in double quotes")
        return Diagnostic(token.place, "this quote is not closed", f"close it on the same line by {token.text}")
    return Diagnostic(token.place, f"the character {token.text!r} has no meaning here")


class _UnitReader(LoopReader):
    """Reads the units of a model: processes, claims, declarations, inlines."""

    def read(self) -> ModelTree:
        while self.cursor.current.kind != "end":
            is_declaration, is_typedef = self.at_declaration(), self.cursor.at("typedef")
            try:
                self._unit()
            except (SyntaxProblem, UnitProblem):
                self.scopes.close_to(1)
                self._recover_unit(is_declaration, is_typedef)
        self._check_runs()
        self._check_labels()
        self._check_processes()
        model = self.draft.frozen(self.needs)
        if self.record is not None:
            self.record.mentions += [each for item in model.formulas for each in formula_mentions(model, item)]
        self._check_enabled(model)
        return model

    def _recover_unit(self, is_declaration: bool, is_typedef: bool) -> None:
        """Skip to the next process, and from a declaration, or behind a structure, also to the next declaration."""
        self.proctype = None
        self.cursor.in_sequence = False
        self.cursor.open_brackets = 0
        self.blocks = self.loops = self.nesting = 0
        self.in_d_step = False
        while self.cursor.current.kind != "end":
            begins = self.cursor.at(*_UNITS) or (is_declaration and self.at_declaration())
            if begins and self.cursor.current.line_start:
                return
            is_declaration = is_declaration or (is_typedef and self.cursor.at("}"))
            self.cursor.advance()
            self.cursor.open_brackets = 0

    def _unit(self) -> None:
        token = self.cursor.current
        match token.text if token.kind in ("name", "op") else "":
            case ";" | "->":
                self.cursor.advance()
            case "active" | "proctype" | "D_proctype":
                self._proctype()
            case "init":
                self.cursor.advance()
                priority = self.priority()
                self._process(ProctypeDraft(":init:", "init", token.place, instances=1, priority=priority or 1))
            case "never":
                self.cursor.advance()
                number = sum(item.role == "never" for item in self.draft.proctypes)
                name = f"never_{number}" if self.cursor.at("{") else self.cursor.expect_name("the claim's name").text
                self._process(ProctypeDraft(name, "never", token.place))
            case "trace" | "notrace":
                self.cursor.advance()
                role: Literal["trace", "notrace"] = "trace" if token.text == "trace" else "notrace"
                if any(item.role in ("trace", "notrace") for item in self.draft.proctypes):
                    self.cursor.complain(token.place, "a model has at most one trace or notrace")
                self._process(ProctypeDraft(f":{role}:", role, token.place))
            case "ltl":
                self._formula()
            case "inline":
                self._inline()
            case "typedef":
                self.typedef()
            case "c_code" | "c_decl":
                self.cursor.advance()
                self.embedded_c(token)
            case "c_state" | "c_track":
                self._c_state(token)
            case _ if self.at_declaration():
                self.declaration()
                self._end_of_declaration()
            case _:
                self._no_unit(token)

    def _no_unit(self, token: Token) -> NoReturn:
        """Say what may stand outside processes, as near to what was meant as can be guessed."""
        if token.text == "}":
            self.cursor.advance()
            self.cursor.fail(token, "this '}' closes nothing")
        if token.kind == "name" and (self.scopes.find(token.text) or token.text in self.inlines):
            self.cursor.fail(token, "a statement can only stand inside a process")
        advice = FOREIGN_TYPES.get(token.text)
        if advice is None and token.kind == "name":
            advice = closest(token.text, [*_UNITS, *BASIC_TYPES, *self.draft.structs])
        self.cursor.fail(token, f"expected a declaration or a process, found {describe(token)}", advice)

    def _end_of_declaration(self) -> None:
        """Units need nothing between them, but what is no unit belongs to the declaration, and that is said better."""
        following = self.cursor.current
        if following.kind == "end" or following.line_start or self.cursor.last.text == "}":
            return
        is_called = following.text == "("
        if not self.cursor.at(";", "->", *_UNITS) and not self.at_declaration():
            advice = (
                "there are no functions: an inline is text with parameters, a proctype is run" if is_called else None
            )
            self.cursor.fail(following, f"expected ';' before {describe(following)}", advice)

    # Processes

    def _proctype(self) -> None:
        instances = 0
        if self.cursor.take("active"):
            instances = 1
            if self.cursor.take("["):
                token = self.cursor.current
                instances = self.constant(self.expression(), "the number of processes")
                self.cursor.expect("]", "after the number of processes")
                if not 0 <= instances <= 255:
                    self.cursor.complain(token.place, f"{instances} processes, but 255 is the most")
                    instances = 1
        keyword = self.cursor.advance()
        if keyword.text not in ("proctype", "D_proctype"):
            self.cursor.fail(keyword, f"expected 'proctype', found {describe(keyword)}")
        name = self.cursor.expect_new_name("the name of a proctype")
        known = self.draft.proctype(name.text) or self.scopes.find(name.text)
        if known or name.text in self.draft.structs or name.text in PREDEFINED:
            self.cursor.complain(name.place, f"'{name.text}' is declared again")
        proctype = ProctypeDraft(
            name.text, "process", name.place, instances=instances, deterministic=keyword.text == "D_proctype"
        )
        self.proctype = proctype
        self.mention(name, "proctype", is_declaration=True)
        self.cursor.names_of_kinds.add(name.text)
        self.scopes.open()
        try:
            self._parameters(proctype)
            proctype.priority = self.priority() or 1
            if self.cursor.take("provided"):
                self.cursor.expect("(", "after 'provided'")
                proctype.provided = self.condition()
                self.check_provided(proctype.provided)
                self.cursor.expect(")", "after the condition of 'provided'")
            self._process(proctype)
        finally:
            self.scopes.close()
            self.proctype = None

    def _parameters(self, proctype: ProctypeDraft) -> None:
        self.cursor.expect("(", f"after 'proctype {proctype.name}'")
        self.initialisers_at_start = True
        more = not self.cursor.at(")")
        while more:
            if not self.at_declaration():
                self.cursor.fail(
                    self.cursor.current, f"expected a parameter's type, found {describe(self.cursor.current)}"
                )
            variables, _ = self.declaration(is_parameter=True)
            for variable in variables:
                if variable.initial is not None:
                    self.cursor.complain(variable.place, "a parameter has no initial value")
                if variable.length is not None or _has_array(variable.type):
                    self.cursor.complain(
                        variable.place,
                        f"parameter '{variable.name}' cannot be an array",
                        "pass the elements one by one",
                    )
            more = self.separators()
        self.cursor.expect(")", "after the parameters")
        proctype.parameters = tuple(proctype.variables)

    def _process(self, proctype: ProctypeDraft) -> None:
        outer = self.proctype
        self.proctype = proctype
        self.initialisers_at_start = True
        self.counters = {}
        # Known from here on, so that a body may run its own proctype or refer to it.
        self.draft.proctypes.append(proctype)
        opening = self.cursor.current
        before, problems = len(proctype.variables), len(self.cursor.problems)
        try:
            proctype.body = self.block(f"before the body of '{proctype.name}'")
        finally:
            self.cursor.in_sequence = False
            self.initialisers_at_start = True
            self.proctype = outer
        empty = not proctype.body and not proctype.exclusive and len(proctype.variables) == before
        if empty and len(self.cursor.problems) == problems:
            self.cursor.complain(opening.place, "a body needs at least one statement", "'skip' does nothing")

    # Formulas and inlines

    def _formula(self) -> None:
        start = self.cursor.advance()
        number = len([item for item in self.draft.formulas if item.name.startswith("ltl_")])
        name = f"ltl_{number}"
        if not self.cursor.at("{"):
            named = self.cursor.expect_name("the name of a formula")
            self.mention(named, "ltl", is_declaration=True)
            name = named.text
        if any(item.name == name for item in self.draft.formulas):
            self.cursor.complain(self.cursor.last.place, f"formula '{name}' is declared again")
        self.cursor.expect("{", "before an ltl formula")
        depth = 1
        body: list[Token] = []
        while True:
            token = self.cursor.ahead(0)
            if token.kind == "end":
                self.cursor.fail(start, f"formula '{name}' is not closed", "add '}'")
            depth += (token.text == "{") - (token.text == "}")
            self.cursor.last = token
            self.cursor.position += 1
            if depth == 0:
                break
            body.append(token)
        if not body:
            self.cursor.fail(start, f"formula '{name}' is empty")
        text = text_of(body).strip().rstrip(";")
        self.draft.formulas.append(Formula(name, text, body[0].place, tuple(body), tuple(_remote_labels(body))))

    def _inline(self) -> None:
        self.cursor.advance()
        name = self.cursor.expect_name("the name of an inline")
        self.cursor.expect("(", f"after 'inline {name.text}'")
        self.mention(name, "inline", is_declaration=True)
        parameters: list[str] = []
        more = not self.cursor.at(")")
        while more:
            parameter = self.cursor.expect_name("a parameter's name")
            self.mention(parameter, "argument", name.text, is_declaration=True)
            parameters.append(parameter.text)
            more = self.cursor.take(",") is not None
        self.cursor.expect(")", "after the parameters of an inline")
        if name.text in self.inlines:
            self.cursor.complain(name.place, f"inline '{name.text}' is declared again")
        elif self.scopes.find(name.text) or self.draft.proctype(name.text):
            self.cursor.complain(name.place, f"'{name.text}' names something else already")
        start = self.cursor.position
        self.cursor.skip_group()
        body = tuple(self.cursor.tokens[start : self.cursor.position])
        for word in body if self.record is not None else ():
            if word.kind == "name" and word.text in parameters:
                self.mention(word, "argument", name.text)
        self.cursor.names_of_kinds.add(name.text)
        self.inlines[name.text] = Inline(name.text, tuple(parameters), body, len(self.inlines) + 1)

    def _c_state(self, token: Token) -> None:
        self.cursor.advance()
        self.cursor.complain(
            token.place,
            f"'{token.text}' embeds C code, which everafter cannot run",
            "rewrite it in Promela, or keep using SPIN for this model",
        )
        while self.cursor.current.kind == "string":
            self.cursor.advance()

    # Checks that need the whole model

    def _check_runs(self) -> None:
        for run in self.runs:
            target = self.draft.proctype(run.proctype)
            if target is None or target.role != "process":
                names = [item.name for item in self.draft.proctypes if item.role == "process"]
                self.cursor.complain(run.place, f"unknown proctype '{run.proctype}'", closest(run.proctype, names))
                continue
            wanted = sum(variable.type.size for variable in target.parameters)
            if len(run.arguments) != wanted:
                plural = "s" if wanted != 1 else ""
                self.cursor.complain(
                    run.place, f"'{run.proctype}' takes {wanted} argument{plural}, not {len(run.arguments)}"
                )

    def _check_labels(self) -> None:
        for formula in self.draft.formulas:
            self.needs |= Needs(remote_labels=frozenset(formula.remote_labels))
            for proctype, label in formula.remote_labels:
                self.remote_references.append(RemoteLabel(proctype, Constant(0, formula.place), label, formula.place))

    def _check_enabled(self, model: ModelTree) -> None:
        """Whether a rendezvous is possible is not a question about one process."""
        shapes = [item.initial for item in model.all_variables() if isinstance(item.initial, ChannelShape)]
        if self.uses_enabled is not None and any(shape.capacity == 0 for shape in shapes):
            self.cursor.complain(self.uses_enabled, "'enabled' cannot be used in a model with rendezvous channels")

    def _check_processes(self) -> None:
        for further in [item for item in self.draft.proctypes if item.role == "init"][1:]:
            self.cursor.warn(further.place, "there is an 'init' before this one", "both are started, as two processes")
        has_errors = any(problem.severity == "error" for problem in self.cursor.problems)
        if not any(item.instances for item in self.draft.proctypes) and not has_errors:
            self.cursor.complain(
                Place(self.draft.source, 1, 1), "no process is ever started", "add 'active' to a proctype, or an init"
            )


def _remote_labels(tokens: list[Token]) -> list[tuple[str, str]]:
    """The (proctype, label) pairs of `P@label` and `P[…]@label` in the text of a formula."""
    found: list[tuple[str, str]] = []
    for position, token in enumerate(tokens):
        if token.text != "@" or position + 1 >= len(tokens):
            continue
        back = position - 1
        if back >= 0 and tokens[back].text == "]":
            depth = 0
            while back >= 0:
                depth += (tokens[back].text == "]") - (tokens[back].text == "[")
                back -= 1
                if depth == 0:
                    break
        if back >= 0:
            found.append((tokens[back].text, tokens[position + 1].text))
    return found


def _has_array(kind: Type) -> bool:
    return isinstance(kind, Struct) and any(item.length is not None or _has_array(item.type) for item in kind.fields)
