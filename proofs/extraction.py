"""What Coq extracts from proofs, as Python: the definitions that are proved, as functions that can be run.

Coq drops what only proves, turns the variables of a section into arguments, and writes what is left as JSON. Each
definition becomes a function of as many arguments as it has; wherever it is handed on, or is given fewer, and wherever
a function is handed in, it takes one argument at a time. Nothing of Coq's library is replaced by Python's: numbers,
truth values, lists and pairs are Python's own, but what is done with them is extracted, down to the comparison of two
numbers. Values of other types are tuples that begin with the name of their constructor. What is not known is refused.
"""

from __future__ import annotations

import json
import keyword
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proofs import coq
from proofs.task import ProofError, inside

Json = dict[str, Any]
Lines = Iterator[str]
ASKED = "asked"
"""The file in which Coq is asked for definitions."""
STEP = "    "
OWN = "__"
"""In the names that are made here, and in no others."""
PROOF = re.compile(r"\bProof\.(?:(?!\bDefined\.).)*?\bQed\.", re.DOTALL)
"""From where a proof begins to where it ends, if what it proves is not to be computed with."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How the values of a constructor look in Python: one made of parts, the test for one, and its parts again."""

    made: Callable[[Sequence[str]], str]
    test: Callable[[str], str]
    parts: Callable[[str], Sequence[str]]


OWN_SHAPES = {
    ("bool", "True"): Shape(lambda _: "True", lambda it: it, lambda _: ()),
    ("bool", "False"): Shape(lambda _: "False", lambda it: f"not {it}", lambda _: ()),
    ("nat", "O"): Shape(lambda _: "0", lambda it: f"{it} == 0", lambda _: ()),
    ("nat", "S"): Shape(lambda parts: f"({parts[0]} + 1)", lambda it: f"{it} != 0", lambda it: (f"{it} - 1",)),
    ("list", "Nil"): Shape(lambda _: "()", lambda it: f"not {it}", lambda _: ()),
    ("list", "Cons"): Shape(
        lambda parts: f"({parts[0]}, *{parts[1]})", lambda it: it, lambda it: (f"{it}[0]", f"{it}[1:]")
    ),
    ("prod", "Pair"): Shape(
        lambda parts: f"({parts[0]}, {parts[1]})", lambda _: "True", lambda it: (f"{it}[0]", f"{it}[1]")
    ),
}
"""By type and constructor: those that are not written as a tuple with a name."""


def shape_of(kind: str, name: str, count: int) -> Shape:
    """How the values of this constructor of this type look."""
    return OWN_SHAPES.get((kind, name)) or Shape(
        lambda parts: f"({', '.join((repr(name), *parts))}{'' if parts else ','})",
        lambda it: f"{it}[0] == {name!r}",
        lambda it: tuple(f"{it}[{index + 1}]" for index in range(count)),
    )


def awaiting(function: Callable[..., Any], missing: int, *given: Any) -> Callable[[Any], Any]:
    """The function, which lacks so many arguments, as one that takes them one by one."""
    return lambda one: function(*given, one) if missing == 1 else awaiting(function, missing - 1, *given, one)


@dataclass(slots=True)
class Translator:
    """Turns the declarations of a module into Python."""

    kinds: dict[str, str] = field(default_factory=dict)
    """By constructor: its type."""
    constructors: dict[str, dict[str, Shape]] = field(default_factory=dict)
    arities: dict[str, int] = field(default_factory=dict)
    """By global name: how many arguments it takes at once; 0 for one that is no function."""
    made: int = 0

    def module(self, module: Json) -> Lines:
        """All that is declared, in order."""
        for each in module["declarations"]:
            match each["what"]:
                case "decl:ind":
                    self._inductive(each)
                case "decl:term":
                    yield from self.definitions([each])
                case "decl:fixgroup":
                    yield from self.definitions(each["fixlist"])
                case "decl:type":
                    continue
                case other:
                    raise ProofError(f"{other} is not known")

    def _inductive(self, declared: Json) -> None:
        kind = declared["name"]
        shapes = {
            each["name"]: shape_of(kind, each["name"], len(each["argtypes"])) for each in declared["constructors"]
        }
        if known := shapes.keys() & self.kinds.keys():
            raise ProofError(f"{kind}: another type has {', '.join(known)}")
        self.kinds |= dict.fromkeys(shapes, kind)
        self.constructors[kind] = shapes

    def definitions(self, group: Sequence[Json]) -> Lines:
        """Definitions, which may use each other."""
        for each in group:
            value = each["value"]
            check_names(value, frozenset({*self.arities, *(other["name"] for other in group)}))
            self.arities[each["name"]] = len(value["argnames"]) if value["what"] == "expr:lambda" else 0
        for each in group:
            self.made = 0
            name, value = named(each["name"]), each["value"]
            yield ""
            if self.arities[each["name"]]:
                yield ""
                yield f"def {name}({', '.join(f'{named(each)}: Any' for each in arguments(value))}) -> Any:"
                yield from self.returned(value["body"], STEP)
            else:
                before: list[str] = []
                result = self.value(value, "", before)
                yield from (*before, f"{name}: Any = {result}")

    def returned(self, term: Json, indent: str) -> Lines:
        """Statements that return the value of a term."""
        before: list[str] = []
        if term["what"] == "expr:let":
            value = self.value(term["nameval"], indent, before)
            yield from (*before, f"{indent}{named(term['name'])} = {value}")
            yield from self.returned(term["body"], indent)
        elif term["what"] == "expr:case":
            value = self.value(term["expr"], indent, before)
            yield from before
            yield from self._cases(value, term["cases"], indent)
        else:
            value = self.value(term, indent, before)
            yield from (*before, f"{indent}return {value}")

    def _cases(self, value: str, cases: Sequence[Json], indent: str) -> Lines:
        """What is returned in each case; there is one for each constructor of a type."""
        shapes = self._matched([each["pat"] for each in cases])
        it = value if value.isidentifier() else self._name()
        if it != value:
            yield f"{indent}{it} = {value}"
        for case in cases:
            shape = shapes[case["pat"]["name"]]
            last = case is cases[-1]
            if not last:
                yield f"{indent}if {shape.test(it)}:"
            inner = indent if last else indent + STEP
            names = case["pat"]["argnames"]
            for name, part in zip(names, shape.parts(it), strict=True):
                if name != "_":
                    yield f"{inner}{named(name)} = {part}"
            yield from self.returned(case["body"], inner)

    def _matched(self, patterns: Sequence[Json]) -> dict[str, Shape]:
        """The constructors of the type that is matched, all of which must be there."""
        if odd := {each["what"] for each in patterns} - {"pat:constructor"}:
            raise ProofError(f"{', '.join(sorted(odd))} is not known")
        names = [each["name"] for each in patterns]
        shapes = self.constructors[self.kinds[names[0]]]
        if sorted(names) != sorted(shapes):
            raise ProofError(f"{', '.join(names)} are not the constructors of {self.kinds[names[0]]}")
        return shapes

    def _name(self) -> str:
        self.made += 1
        return f"made{OWN}{self.made}"

    def value(self, term: Json, indent: str, before: list[str]) -> str:
        """An expression for the value of a term; what must be done first is added to the lines before."""
        match term["what"]:
            case "expr:rel":
                return named(term["name"])
            case "expr:global":
                return self._handed_on(term["name"], ())
            case "expr:constructor":
                parts = [self.value(each, indent, before) for each in term["args"]]
                return self.constructors[self.kinds[term["name"]]][term["name"]].made(parts)
            case "expr:apply":
                given = [self.value(each, indent, before) for each in term["args"]]
                if term["func"]["what"] == "expr:global":
                    return self._handed_on(term["func"]["name"], given)
                return self.value(term["func"], indent, before) + "".join(f"({each})" for each in given)
            case "expr:lambda" if not term["argnames"]:
                return self.value(term["body"], indent, before)
            case "expr:lambda":
                return self._function(arguments(term), term["body"], indent, before)
            case "expr:let" | "expr:case":
                return self._projected(term) or self._function([], term, indent, before) + "()"
            case other:
                raise ProofError(f"{other} is not known")

    def _projected(self, term: Json) -> str | None:
        """The part of a variable that a term is, if it is one."""
        if term["what"] == "expr:case" and term["expr"]["what"] == "expr:rel" and len(term["cases"]) == 1:
            [case] = term["cases"]
            shape = self._matched([case["pat"]])[case["pat"]["name"]]
            parts = dict(zip(case["pat"]["argnames"], shape.parts(named(term["expr"]["name"])), strict=True))
            if case["body"]["what"] == "expr:rel" and case["body"]["name"] != "_":
                return parts.get(case["body"]["name"])
        return None

    def _handed_on(self, name: str, given: Sequence[str]) -> str:
        """A global function with some arguments, with all of them, or with more, which its result takes."""
        arity = self.arities[name]
        if len(given) < arity:
            return f"awaiting({', '.join((named(name), str(arity - len(given)), *given))})"
        at_once = f"({', '.join(given[:arity])})" if arity else ""
        return named(name) + at_once + "".join(f"({each})" for each in given[arity:])

    def _function(self, taken: Sequence[str], body: Json, indent: str, before: list[str]) -> str:
        """A function of these arguments, which it takes one by one."""
        name = self._name()
        first = "".join(f"{named(each)}: Any" for each in taken[:1])
        before.append(f"{indent}def {name}({first}) -> Any:")
        if len(taken) > 1:
            inner = self._function(taken[1:], body, indent + STEP, before)
            before.append(f"{indent}{STEP}return {inner}")
        else:
            before.extend(self.returned(body, indent + STEP))
        return name


def arguments(term: Json) -> list[str]:
    """The names that a function gives its arguments, of which those that it does not use have none."""
    return [f"unused_{index}" if name == "_" else name for index, name in enumerate(term["argnames"])]


def named(name: str) -> str:
    """The name as Python has it, where two are never the same."""
    plain = name.replace("'", "")
    if not plain.isidentifier() or OWN in name or name in {"Any", "awaiting"}:
        raise ProofError(f"{name} is no name for Python")
    return f"{name}{OWN}" if keyword.iskeyword(name) else name.replace("'", f"{OWN}prime")


def check_names(term: Any, known: frozenset[str]) -> None:
    """Refuse a term that gives something a name that another thing has there: Python would take one for the other."""
    if isinstance(term, list):
        for each in term:
            check_names(each, known)
    elif isinstance(term, dict):
        bound = [term["name"]] if term.get("what") == "expr:let" else term.get("argnames", [])
        if term.get("what") == "case":
            bound = term["pat"]["argnames"]
        new = [name for name in bound if name != "_"]
        if len(set(new) - known) < len(new):
            raise ProofError(f"{', '.join(new)} have names that others have")
        for part, inner in term.items():
            if part != "pat":
                check_names(inner, known.union(new))


def translated(module: Json) -> str:
    """The module that Coq has extracted, in Python."""
    head = ("from typing import Any", "", "from proofs.extraction import awaiting")
    return "\n".join((*head, *Translator().module(module))) + "\n"


def extracted(texts: Sequence[tuple[str, str]], names: Sequence[str]) -> Json:
    """What Coq extracts of these definitions, and of all that they use.

    The files are given with their texts, each after those it requires. Files that are as in the folder of the proofs,
    with or without what is proved in them, and with all that they may require, are compiled once in a run.
    """
    modules = "".join(f"Require {coq.module(file)}.\n" for file, _ in texts)
    wanted = " ".join(f"everafter.{name}" for name in names)
    asking = f'{modules}Require Extraction.\nExtraction Language JSON.\nExtraction "{ASKED}" {wanted}.\n'
    ask = coq.provided
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in (*texts, (f"{ASKED}.v", asking)):
            kept = inside(file).read_text() if inside(file).exists() else ""
            ask = ask if text in {kept, without_proofs(kept)} else coq.compiled
            answer = ask(file, text, folder)
            if answer.status:
                raise ProofError(f"Coq extracts nothing: {file}\n{answer.said}")
        module: Json = json.loads((folder / f"{ASKED}.json").read_text())
    return module


def without_proofs(text: str) -> str:
    """The text with nothing proved, so that a definition can be changed whether or not its theorems still hold."""
    return PROOF.sub("Admitted.", coq.without_comments(text))
