"""Methods and functions in Viper as Python, made of Silver's own tree, so that what is proved can be run as it stands.

A program becomes a class: its methods and functions are methods of it, the functions of its domains are given by
whoever makes one, and so is the value of a variable that has none, for it has any. What is asserted and promised is
left out, and so are calls of methods that give nothing back: they do nothing, as there are no fields here. Integers and
truth values are Python's, sequences are tuples and sets frozen. What is not known is refused.
"""

from __future__ import annotations

import json
import keyword
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proofs.provers import nagini_folder, run, silicon
from proofs.task import FOLDER, ProofError, write

Json = dict[str, Any]
READER = "proofs.silver_program"
STEP = "    "
TYPE = re.compile(r"Int|Bool|(?:Seq|Set)\[(?:Int|Bool|Seq\[Int\]|Set\[Int\])\]")
"""What values are of."""
INFIX = {
    "Add": "+",
    "Sub": "-",
    "Mul": "*",
    "EqCmp": "==",
    "NeCmp": "!=",
    "LtCmp": "<",
    "LeCmp": "<=",
    "GtCmp": ">",
    "GeCmp": ">=",
    "And": "and",
    "Or": "or",
    "SeqAppend": "+",
    "AnySetUnion": "|",
    "AnySetIntersection": "&",
    "AnySetMinus": "-",
    "AnySetSubset": "<=",
}
CALLED = {"Div": "divided", "Mod": "remainder", "SeqIndex": "element", "SeqUpdate": "changed", "SeqTake": "taken"}
CALLED |= {"SeqDrop": "dropped", "RangeSeq": "span", "SeqLength": "len", "AnySetCardinality": "len"}
RESERVED = frozenset({*CALLED.values(), "self", "anything", "frozenset", "Any", "Callable", "dataclass", "Program"})
CLAUSE = re.compile(r"^( *)(?:requires|ensures|invariant|decreases|assert)\b.*(?:\n\1 +\S.*)*$", re.MULTILINE)


def divided(number: int, by: int) -> int:
    """How often the number contains another, rounded down."""
    assert by > 0, "a division by what is not positive"
    return number // by


def remainder(number: int, by: int) -> int:
    """What is left of the number then."""
    assert by > 0, "a division by what is not positive"
    return number % by


def element(sequence: tuple[Any, ...], index: int) -> Any:
    """An element. What is outside is an error, even where Python would count from the end."""
    assert 0 <= index < len(sequence), "an index outside the sequence"
    return sequence[index]


def changed(sequence: tuple[Any, ...], index: int, content: Any) -> tuple[Any, ...]:
    """The sequence with another element."""
    assert 0 <= index < len(sequence), "an index outside the sequence"
    return (*sequence[:index], content, *sequence[index + 1 :])


def taken(sequence: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    """The first so many elements, or all if there are fewer."""
    return sequence[: max(count, 0)]


def dropped(sequence: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    """All but the first so many elements."""
    return sequence[max(count, 0) :]


def span(first: int, end: int) -> tuple[int, ...]:
    """The numbers from the first up to the end, without it."""
    return tuple(range(first, end))


@dataclass(slots=True)
class Translator:
    """Turns the methods of a program that are asked for, and all that they call, into the methods of a class."""

    functions: dict[str, Json]
    methods: dict[str, Json]
    wanted: list[str]
    """What is to be translated, in the order in which it was met."""
    given: list[str] = field(default_factory=list)
    """The functions without a body that were met."""
    here: str = ""
    """What is being translated."""

    def program(self) -> Iterator[str]:
        """The class."""
        lines: list[str] = []
        for name in self.wanted:  # it grows
            self.here = name
            lines += ["", *self._member(name)]
        yield from ("@dataclass(frozen=True)", "class Program:")
        yield f"{STEP}anything: Callable[[str], Any]"
        yield from (f"{STEP}{name}: Callable[..., Any]" for name in self.given)
        yield from (STEP + line if line else "" for line in lines)

    def _member(self, name: str) -> Iterator[str]:
        member = self.methods.get(name) or self.functions.get(name)
        if member is None or not member["body"]:
            raise ProofError(f"{name} is nothing that is done")
        names = [self._declared(each) for each in member["formalArgs"]]
        yield f"def {named(name)}({', '.join(('self', *(f'{each}: Any' for each in names)))}) -> Any:"
        [body] = member["body"]
        if member["what"] == "Function":
            yield f"{STEP}return {self.value(body)}"
            return
        back = [self._declared(each) for each in member["formalReturns"]]
        yield from (STEP + line for line in (*self._chosen(back, body["ss"]), *self._block(body)))
        yield f"{STEP}return {', '.join(back) or None}"

    def _declared(self, variable: Json) -> str:
        if not TYPE.fullmatch(variable["of"]):
            raise ProofError(f"{self.here}: {variable['name']} is of type {variable['of']}, which is not known")
        return named(variable["name"])

    def _chosen(self, names: Iterable[str], statements: Sequence[Json]) -> Iterator[str]:
        """A value for each variable that may be read before the statements have given it one."""
        for name in names:
            first = next((each for each in statements if name in mentioned(each)), None)
            if first is None or not gives(first, name):
                yield f'{name} = self.anything("{self.here}.{name}")'

    def _block(self, block: Json) -> Iterator[str]:
        """What is done in a block, if anything is."""
        names = [self._declared(each) for each in block["scopedSeqnDeclarations"]]
        yield from self._chosen(names, block["ss"])
        for statement in block["ss"]:
            yield from self._statement(statement)

    def _statement(self, statement: Json) -> Iterator[str]:
        match statement["what"]:
            case "Seqn":
                yield from self._block(statement)
            case "Assert" | "Refute":
                return
            case "LocalVarAssign":
                yield f"{self.value(statement['lhs'])} = {self.value(statement['rhs'])}"
            case "MethodCall":
                yield from self._call(statement)
            case "If":
                yield from self._choice(statement)
            case "While":
                yield f"while {self.value(statement['cond'])}:"
                yield from (STEP + line for line in [*self._block(statement["body"])] or ["pass"])
            case other:
                raise ProofError(f"{self.here}: {other} is not known")

    def _call(self, call: Json) -> Iterator[str]:
        name = call["methodName"]
        if self.methods[name]["formalReturns"]:
            targets = ", ".join(self.value(each) for each in call["targets"])
            yield f"{targets} = {self._applied(name, call['args'])}"

    def _choice(self, choice: Json) -> Iterator[str]:
        yes, no = [*self._block(choice["thn"])], [*self._block(choice["els"])]
        if yes or no:
            yield f"if {self.value(choice['cond'])}:"
            yield from (STEP + line for line in yes or ["pass"])
        if no:
            yield "else:"
            yield from (STEP + line for line in no)

    def value(self, term: Json) -> str:
        """An expression."""
        what = term["what"]
        if what in INFIX:
            return f"({self.value(term['left'])} {INFIX[what]} {self.value(term['right'])})"
        if what in CALLED:
            return f"{CALLED[what]}({', '.join(self.value(part) for name, part in term.items() if name != 'what')})"
        match what:
            case "LocalVar":
                return named(term["name"])
            case "IntLit":
                return str(term["i"])
            case "TrueLit":
                return "True"
            case "FalseLit":
                return "False"
            case "Minus":
                return f"(-{self.value(term['exp'])})"
            case "Not":
                return f"(not {self.value(term['exp'])})"
            case "Implies":
                return f"(not {self.value(term['left'])} or {self.value(term['right'])})"
            case "CondExp":
                return f"({self.value(term['thn'])} if {self.value(term['cond'])} else {self.value(term['els'])})"
            case "Let":
                name = self._declared(term["variable"])
                return f"(lambda {name}: {self.value(term['body'])})({self.value(term['exp'])})"
            case "EmptySeq" | "ExplicitSeq":
                return self._listed(term)
            case "EmptySet" | "ExplicitSet":
                return f"frozenset({self._listed(term)})"
            case "AnySetContains" | "SeqContains":
                return f"({self.value(term['elem'])} in {self.value(term['s'])})"
            case "FuncApp":
                return self._applied(term["funcname"], term["args"])
            case "DomainFuncApp":
                self.given += [] if term["funcname"] in self.given else [named(term["funcname"])]
                return f"self.{named(term['funcname'])}({', '.join(map(self.value, term['args']))})"
            case other:
                raise ProofError(f"{self.here}: {other} is not known")

    def _listed(self, term: Json) -> str:
        parts = [self.value(each) for each in term.get("elems", [])]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"

    def _applied(self, name: str, given: Iterable[Json]) -> str:
        """A call of a method or function, which is then wanted, too."""
        self.wanted += [] if name in self.wanted else [name]
        return f"self.{named(name)}({', '.join(map(self.value, given))})"


def named(name: str) -> str:
    """The name, which must be one in Python and mean nothing else there."""
    if not name.isidentifier() or keyword.iskeyword(name) or name in RESERVED:
        raise ProofError(f"{name} is no name for Python")
    return name


def mentioned(tree: Any) -> set[str]:
    """The variables that are read or written anywhere in a tree."""
    if isinstance(tree, list):
        return {name for each in tree for name in mentioned(each)}
    if not isinstance(tree, dict):
        return set()
    own = {tree["name"]} if tree["what"] == "LocalVar" else set()
    return own | {name for each in tree.values() for name in mentioned(each)}


def gives(statement: Json, name: str) -> bool:
    """Whether the statement gives the variable a value without having asked for one."""
    if statement["what"] == "LocalVarAssign":
        return bool(statement["lhs"]["name"] == name) and name not in mentioned(statement["rhs"])
    return statement["what"] == "MethodCall" and name not in mentioned(statement["args"])


def translated(program: Json, names: Sequence[str]) -> str:
    """The methods with these names, and all that they call, in Python."""
    functions, methods = ({each["name"]: each for each in program[sort]} for sort in ("functions", "methods"))
    helpers = ", ".join(sorted({*CALLED.values()} - {"len"}))
    head = ("from collections.abc import Callable", "from dataclasses import dataclass", "from typing import Any", "")
    lines = (*head, f"from proofs.execution import {helpers}", "", "")
    return "\n".join((*lines, *Translator(functions, methods, [*names]).program())) + "\n"


def programs(asked: Iterable[Sequence[tuple[str, str]]]) -> list[Json]:
    """What Silver reads in programs, all at once. Each is a file with its text, after the files that it imports."""
    with tempfile.TemporaryDirectory() as name:
        given: list[str] = []
        for number, texts in enumerate(asked):
            write(texts, Path(name) / str(number))
            given += [str(Path(name) / str(number)), texts[-1][0]]
        python = nagini_folder() / "bin" / "python"
        answer = run([str(python), "-m", READER, str(silicon()), *given], FOLDER.parent)
    read = [json.loads(line) for line in answer.said.splitlines() if line.startswith('{"errors"')]
    if answer.status or len(read) != len(given) // 2:
        raise ProofError(f"Silver cannot be asked:\n{answer.said}")
    for problem in (error for program in read for error in program["errors"]):
        raise ProofError(problem)
    return read


def without_promises(text: str) -> str:
    """The text without most of what only a proof needs, which makes Silver think long."""
    return CLAUSE.sub("", text)
