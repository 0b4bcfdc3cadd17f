"""Proofs of the very text that runs: Viper made of kernels in Python and of what a companion file says about them.

A companion, `x.toml` beside `x.vpr`, names functions and says of each its contract, the invariants of its loops in
their order, each with the line that the loop begins with, and the steps of the proof, each before or after a statement,
which it names by its first line. Whatever it names must be there, and every loop must be named: a kernel that has
changed does not fit its companion, or becomes another Viper text. The Viper text is kept, so that it can be read and
its mistakes have places; the checker makes it anew each time and compares. `EVERAFTER_UPDATE=1 python -m proofs` writes
it.

The steps of a proof may change what is declared for the proof, and nothing else; so macros are expressions. What is
listed as trusted is proved of the same function in a file that is imported, or trusted there (trusted.toml).

A function that is handed a search is translated for each that is handed to it. Where the same can be said of it for
several, it is said once: `each` lists them, and what `$word` stands for in each. Where hooks never answer, nothing
comes behind the test for an answer: `absurd` lists such tests, so that no smoke test asks there. With
`saturate = false` Silicon asks Z3 nothing but what is to be shown.
"""

from __future__ import annotations

import ast
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from os.path import normpath
from pathlib import Path
from string import Template
from typing import Any

from everafter.search.fields import fields_of
from everafter.search.framework import Search
from everafter.search.space import Store
from proofs.expressions import COLOURS, VIPER, Kernel, holds
from proofs.kernels import Translator
from proofs.running_text import Function, Record, meaning, path_of
from proofs.task import FOLDER, ROOT, ProofError, inside, tables_of
from proofs.variables import check_listed, text_of
from proofs.viper import BY_CONTRACT, IF_NAMED, UNSATURATED, braces, imports, members, without_comments

CLAUSE = re.compile(r"(requires|ensures|invariant|decreases)\b")
STATEMENT = re.compile(r"\b(assert|assume|inhale|exhale|method|function|define|var|while|if|goto|import)\b|/[/*]")
DECLARED = re.compile(r"\bvar (\w+): [\w\[\]]+")
GHOST = re.compile(r"\w+: [\w\[\]]+")
STORE = re.compile(r"\bspace\b(?!\._)")
MACRO = re.compile(r"define\s+(\w+)\s*((?:\([^()]*\))?)\s*(.*)", re.DOTALL)
CLOSING = {"(": ")", "[": "]", "{": "}"}
COLUMNS = fields_of(Store)
Table = dict[str, Any]
Reads = Callable[[str], str]
"""How the text of a module that runs is read."""


def companions() -> list[str]:
    """The companion files, from the folder of the proofs."""
    return sorted(str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/**/*.toml"))


def generated(companion: str) -> str:
    """The proof that belongs to the companion."""
    return str(Path(companion).with_suffix(".vpr"))


def check_generated() -> None:
    """Refuse a kept text that is not what the kernels and the companions make; or write it, if that is asked for."""
    tables = [table_of(companion) for companion in companions()]
    check_listed({entry["of"] for table in tables for key in ("functions", "trusted") for entry in table.get(key, [])})
    for companion in companions():
        made, kept = text(companion), inside(generated(companion))
        if kept.exists() and kept.read_text() == made:
            continue
        if not os.environ.get("EVERAFTER_UPDATE"):
            raise ProofError(f"{generated(companion)} is not what the kernels and {companion} make")
        kept.write_text(made)
    for companion in companions():
        check_trusted(companion)


def text(companion: str, read: Reads = text_of) -> str:
    """The proof, made anew."""
    table = table_of(companion)
    about = "".join(f"// {line}".rstrip() + "\n" for line in table["about"].strip().splitlines())
    made = f"// Made by proofs/literal.py of the text that runs, and of what {companion} says about it.\n"
    made += "" if table.get("saturate", True) else f"{UNSATURATED}\n"
    remark = {False: "", True: f" {BY_CONTRACT}", "if named": f" {IF_NAMED}"}[table.get("by_contract", False)]
    imports = "".join(f'import "{name}"{remark}\n' for name in table.get("imports", []))
    body = functions(companion, table, read) if "functions" in table else declarations(table)
    return f"{about}//\n{made}{imports}{body}"


def table_of(companion: str) -> Table:
    """What the companion says, with what is said of several written out for each."""
    table = tables_of(inside(companion).read_text())
    if "functions" in table:
        table["functions"] = [one for entry in table["functions"] for one in written_out(companion, entry)]
    return table


def written_out(companion: str, entry: Table) -> list[Table]:
    """The entry for each of those that it is about."""
    if "each" not in entry:
        return [entry]
    rest = {key: said for key, said in entry.items() if key != "each"}
    return [replaced(companion, rest, words) for words in entry["each"]]


def replaced(companion: str, said: Any, words: Mapping[str, str]) -> Any:
    """The same with what the words stand for. A word may stand for what has words in it, and all must be known."""
    if isinstance(said, dict):
        return {key: replaced(companion, value, words) for key, value in said.items()}
    if isinstance(said, list):
        return [replaced(companion, value, words) for value in said]
    if not isinstance(said, str):
        return said
    try:
        while "$" in said:
            said = Template(said).substitute(words)
    except (KeyError, ValueError) as error:
        raise ProofError(f"{companion}: nothing is known of {error}") from error
    return said


def check_trusted(companion: str) -> None:
    """Refuse a function that `companion` trusts, and that no file which it imports proves or trusts."""
    files = [name for name, _ in imports(generated(companion))]
    told = tables_of(inside("trusted.toml").read_text())["trusted"]
    known = {(each["file"], each["name"]) for each in told}
    made = [kernels_of(other)[0].values() for other in companions() if generated(other) in files]
    proved = [questioned(each) for kernels in made for each in kernels]
    for method, kernel in kernels_of(companion)[1].items():
        if questioned(kernel) not in proved and not known.intersection((file, f"method {method}") for file in files):
            raise ProofError(f"{companion}: {method} is not proved of {kernel.of} where it is imported from")


def questioned(kernel: Kernel) -> tuple[Any, ...]:
    """The function, for which search it is translated, and what the method is called."""
    return kernel.of, kernel.method, kernel.fixed, kernel.sets, kernel.meant


def declarations(table: Table) -> str:
    """The constants of the store, bits by their number and others as they are, and its columns."""
    lines = [""]
    for name in COLOURS:
        bit = value(table["module"], name)
        if bit <= 0 or bit & (bit - 1):
            raise ProofError(f"{name} is no single bit")
        lines.append(f"define {name} {bit.bit_length() - 1}")
    lines += [f"define {name} {value(table['module'], name)}" for name in table["numbers"]]
    lines += ["", *(f"field _{name}: Seq[{VIPER[holds(column)]}]" for name, column in COLUMNS.items())]
    return "\n".join(lines) + "\n"


@dataclass(slots=True)
class Said:
    """What the companion says of one function, handed out where it belongs. All of it must find its place."""

    name: str
    loops: list[Table]
    listed: list[Table]
    ghosts: frozenset[str]
    absurd: list[str] = field(default_factory=list)
    """Tests that never succeed. No falsehood is planted behind them: nothing could be refuted there."""
    used: set[int] = field(default_factory=set)
    met: Counter[tuple[str, str]] = field(default_factory=Counter)

    def loop(self, head: str) -> list[str]:
        """The clauses of the next loop."""
        if not self.loops or self.loops[0]["head"] != head:
            raise ProofError(f"{self.name}: the companion does not say this of the next loop: {head}")
        return clauses(self.name, self.loops.pop(0)["says"], "invariant", "decreases")

    def steps(self, where: str, statement: str) -> list[str]:
        """The steps that belong before or after the statement."""
        found: list[str] = []
        self.met[where, statement] += 1
        for number, entry in enumerate(self.listed):
            if (
                entry.get(where) == statement
                and entry.get("number", self.met[where, statement]) == self.met[where, statement]
            ):
                if number in self.used:
                    raise ProofError(f"{self.name}: there is more than one {statement}")
                self.used.add(number)
                found += harmless(self.name, entry["do"], self.ghosts)
        return found

    def never(self, statement: str) -> bool:
        """Whether the test never succeeds."""
        found = statement in self.absurd
        if found:
            self.absurd.remove(statement)
        return found

    def check_used(self) -> None:
        """Refuse what has found no place."""
        left = [*(entry["head"] for entry in self.loops), *self.absurd]
        left += [str(entry) for number, entry in enumerate(self.listed) if number not in self.used]
        if left:
            raise ProofError(f"{self.name}: the companion speaks of what is not there: {left[0]}")


def clauses(name: str, said: str, *kinds: str) -> list[str]:
    """The lines of a contract or an invariant; nothing else may stand there."""
    lines = [line.strip() for line in said.strip().splitlines()]
    odd = STATEMENT.search(said) or set(CLAUSE.findall(said)) - set(kinds) or assignments(said)
    if odd or any(braces(said, 0, len(said))) or not CLAUSE.match(lines[0]) or not is_balanced(said):
        raise ProofError(f"{name}: this is more than {' and '.join(kinds)}: {lines[0]}")
    return [line if CLAUSE.match(line) else f"  {line}" for line in lines]


def harmless(name: str, steps: str, ghosts: frozenset[str]) -> list[str]:
    """The steps, if they change only what is declared for the proof and hand the store to nobody."""
    done = without_comments(steps)
    declared = set(DECLARED.findall(done))
    for target in assignments(DECLARED.sub(r"\1", done)):
        if target not in ghosts | declared:
            raise ProofError(f"{name}: a step of the proof changes {target}")
    if STORE.search(done):
        raise ProofError(f"{name}: a step of the proof hands on the store")
    if not is_balanced(done) or "*/" in done or "/*" in steps:
        raise ProofError(f"{name}: a step of the proof is not whole: {steps.strip()}")
    return steps.strip("\n").splitlines()


@cache
def assignments(text: str) -> tuple[str, ...]:
    """What is assigned in the text: what stands before `:=`, except in brackets, where it changes nothing."""
    found: list[str] = []
    depth, begin = 0, 0
    for place, letter in enumerate(text):
        depth += {"[": 1, "]": -1}.get(letter, 0)
        if letter in "\n{};":
            begin = place + 1
        elif depth == 0 and text.startswith(":=", place):
            found += [target.strip() for target in text[begin:place].split(",")]
    return tuple(found)


@cache
def is_balanced(text: str) -> bool:
    """Whether every bracket is closed in the text where it was opened."""
    waiting: list[str] = []
    for letter in text:
        if letter in CLOSING:
            waiting.append(CLOSING[letter])
        elif letter in CLOSING.values() and (not waiting or waiting.pop() != letter):
            return False
    return not waiting


def kernels_of(companion: str, read: Reads = text_of) -> tuple[dict[str, Kernel], dict[str, Kernel]]:
    """By name: the functions that the companion is about, and those that it trusts."""
    table = table_of(companion)
    of, trusted = (
        {each.method: each for each in (kernel(entry, read) for entry in table.get(key, []))}
        for key in ("functions", "trusted")
    )
    return of, trusted


def name_of(entry: Table) -> str:
    """The function's own name."""
    return str(entry["of"].rpartition(".")[2])


def method_of(entry: Table) -> str:
    """What the method is called."""
    name = str(entry.get("named", name_of(entry)))
    if not name.isidentifier():
        raise ProofError(f"{entry['of']}: {name} is no name of a method")
    return name


def callees_of(kernels: Iterable[Kernel]) -> Callable[[str], Sequence[Kernel]]:
    """How those of them are found that are made of the function with a name."""
    return lambda name: [each for each in kernels if each.tree.name == name]


def check_macros(companion: str, text: str, names: Collection[str]) -> None:
    """Refuse a macro in the `text` of a proof that is more than an expression, or is called as one of the `names`."""
    code = without_comments(text)
    macros = [each for each in members(text) if each.kind == "define"]
    if len(macros) != len(re.findall(r"\bdefine\b", code)):
        raise ProofError(f"{companion}: a macro does not begin a line")
    for each in macros:
        found = MACRO.match(code, each.begin, each.end)
        given, does = (found[2], found[3]) if found and found[3] else ("", code[each.begin : each.end])
        if not found or does.startswith("{") or each.name in names or (STORE.search(does) and not STORE.search(given)):
            raise ProofError(f"{companion}: the macro {each.name} may change what the kernels do")


def functions(companion: str, table: Table, read: Reads) -> str:
    """The methods, each with what is said of it, and before them the constants that they use."""
    kernels, trusted = kernels_of(companion, read)
    callees = callees_of([*kernels.values(), *trusted.values()])
    constants: dict[str, str] = {}
    methods: list[str] = []
    taken: set[str] = set()
    for entry in table["functions"]:
        if odd := [each for each in entry.get("ghosts", []) if not GHOST.fullmatch(each)]:
            raise ProofError(f"{entry['of']}: this is more than a variable: {odd[0]}")
        ghosts = [ghost.partition(":")[0] for ghost in entry.get("ghosts", [])]
        columns = table.get("ghost_columns", [])
        allowed = frozenset((*ghosts, *(f"space.{name}" for name in columns)))
        never = [each for each in entry.get("absurd", []) if each]
        said = Said(entry["of"], list(entry.get("loops", [])), entry.get("steps", []), allowed, never)
        translator = Translator(kernels[method_of(entry)], callees, said)
        body = translator.body()
        said.check_used()
        check_ghosts(entry["of"], {*ghosts, *columns}, translator.local)
        taken |= {*ghosts, *translator.local, "answer", "returned", method_of(entry)}
        constants.update(translator.constants)
        methods.append(method(entry, of_whom(entry, table["functions"]), translator.head(), body))
    for each in (table["prelude"], *texts_of(companion, table)):
        check_macros(companion, each, taken)
    known = "".join(inside(str(Path(companion).parent / name)).read_text() for name in table["constants"])
    for name, value in constants.items():
        if f"define {name} " in known and f"define {name} {value}\n" not in known:
            raise ProofError(f"{companion}: {name} is {value}, and something else in {table['constants']}")
    own = [f"define {name} {value}" for name, value in constants.items() if f"define {name} " not in known]
    parts = ("\n".join(own), table["prelude"].strip(), *methods)
    return "\n" + "\n\n".join(part for part in parts if part) + "\n"


def texts_of(companion: str, table: Table) -> Iterator[str]:
    """The texts of all files that the proof imports."""
    for name in table.get("imports", []):
        file = normpath(Path(companion).parent / name)
        yield inside(file).read_text()
        yield from dict(imports(file)).values()


def of_whom(entry: Table, entries: list[Table]) -> str:
    """What the method is the proof of; the first that is made of a function stands for the others."""
    if next(each for each in entries if each["of"] == entry["of"]) is entry:
        return f"Proof of {entry['of']}."
    return f"The same for {' and '.join(entry['fixed'].values())}."


def method(entry: Table, remark: str, head: str, body: list[str]) -> str:
    """The method, with its contract."""
    contract = clauses(entry["of"], entry["contract"], "requires", "ensures", "decreases")
    declared = [f"  var {ghost}" for ghost in entry.get("ghosts", [])]
    lines = (f"// {remark}", head, *(f"  {line}" for line in contract), "{", *declared, *body, "}")
    return "\n".join(lines)


def check_ghosts(name: str, ghosts: set[str], local: Mapping[str, str]) -> None:
    """Refuse what is declared for the proof and is a variable or a column of the running text."""
    for taken in sorted(ghosts & {*local, "answer", "returned", *(f"_{column}" for column in COLUMNS)}):
        raise ProofError(f"{name}: {taken} is the running text's own")


def with_changed_kernel(proof: str, module: str, old: str, new: str) -> str:
    """The proof as it would be made if the text of the module had the new words in place of the old."""

    def read(name: str) -> str:
        text = text_of(name)
        if name != module:
            return text
        if text.count(old) != 1:
            raise ProofError(f"{module} has not exactly one {old!r}")
        return text.replace(old, new)

    return text(str(Path(proof).with_suffix(".toml")), read)


def kernel(entry: Table, read: Reads) -> Kernel:
    """The function that the entry names. What its names mean, its module says, and one that the entry names."""
    module = entry["of"].rpartition(".")[0]
    if meaning(module, name_of(entry)) != Function(module, name_of(entry)):
        raise ProofError(f"there is no {entry['of']}")
    body = parsed(read(module)).body
    (found,) = (each for each in body if isinstance(each, ast.FunctionDef) and each.name == name_of(entry))
    fixed = entry.get("fixed", {})
    return Kernel(
        str(path_of(module).relative_to(ROOT)),
        found,
        {each.id: value(module, each.id) for each in ast.walk(found) if isinstance(each, ast.Name)},
        COLUMNS,
        fixed,
        frozenset(entry.get("sets", [])),
        entry.get("named", ""),
        entry["of"],
        {word: value(entry.get("names", module), word) for word in fixed.values() if word.isidentifier()},
    )


@cache
def parsed(text: str) -> ast.Module:
    """The text of a module as a tree, which nobody may change."""
    return ast.parse(text)


def value(module: str, name: str) -> Any:
    """What the name means in the module, with a search as the search that it is; None if it is not the module's."""
    found = meaning(module, name)
    is_search = isinstance(found, Record) and str(found.kind) == f"{Search.__module__}.{Search.__name__}"
    return Search(**dict(found.fields)) if isinstance(found, Record) and is_search else found
