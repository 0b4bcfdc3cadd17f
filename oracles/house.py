"""Measures of the house: names, words, docstrings, cycles, sizes. `python -m oracles.house` prints them.

    python -m oracles.house --since 3fe456f    # the measures of a revision, and those of this text, as a table

tests/test_house.py compares them with the bounds in tests/house.toml.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "everafter"
GENERATED = ("inventory.md", "proofs.md", "spin-flags.md")
"""Pages of docs/ that programs write."""
PRIVATE = {
    "company": "worker group, or full expansion",
    "parcel": "message batch",
    "nobody": "the agent by its name",
    "whoever": "the agent by its name",
    "somebody": "the agent by its name",
    "so many": "the parameter by its name",
    "asked": "property request",
    "told": "message, callback",
    "suffices": "is ample",
    "needless": "independent",
    "hunt": "bug-hunting search",
    "patience": "state budget",
    "forgetful": "lossy",
    "trimming": "OWCTY",
    "the one who leads": "coordinator",
}
"""Words of our own, and what the field says."""
STANDARD = (
    "ample set", "frontier", "coordinator", "barrier", "work stealing", "partition function", "message batch",
    "compare-and-swap", "partial-order",
)  # fmt: skip


MADE = r"<!-- options: \w+ -->\n(?:\|[^\n]*\n)*"
"""A table that tests/documentation/test_options.py writes."""
UNMISTAKABLE = (
    "all_violations", "checkpoint_every", "coverage", "disk", "empty_channels", "ignore", "lose_messages", "paranoid",
    "plot",
)  # fmt: skip
"""Options whose names have no other meaning, so that what repeats the name repeats the option."""
_ROOMS_OF_OPTIONS = ("commands", "questions", "backends", "hints", "checking")


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the package: its name, its path, its text and its syntax tree."""

    name: str
    path: Path
    text: str
    tree: ast.Module


@cache
def modules() -> tuple[Module, ...]:
    """Return all modules of the package."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        text = path.read_text()
        found.append(Module(name, path, text, ast.parse(text)))
    return tuple(found)


def repeated(names: Iterable[str]) -> dict[str, int]:
    """Return those of `names` that occur more than once, and how often."""
    return {name: count for name, count in sorted(Counter(names).items()) if count > 1}


def module_names() -> dict[str, int]:
    """Return the last parts of modules' names that more than one module has."""
    return repeated(module.path.stem for module in modules() if not module.path.stem.startswith("__"))


def class_names() -> dict[str, int]:
    """Return the names that more than one class has."""
    return repeated(
        node.name for module in modules() for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)
    )


Function = ast.FunctionDef | ast.AsyncFunctionDef


def public_functions(tree: ast.Module) -> Iterator[Function]:
    """Yield the functions and methods of `tree` whose names, and those of their classes, begin with no underscore."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ClassDef | Function) and not node.name.startswith("_"):
            if isinstance(node, Function):
                yield node
            else:
                waiting += node.body


def parameters(function: Function) -> list[str]:
    """Return the names of the parameters of `function`, without the object that a method belongs to."""
    arguments = function.args
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return [name for name in names if name not in ("self", "cls") and not name.startswith("_")]


def named(function: Function) -> list[str]:
    """Return the parameters of `function` that its docstring has in backticks."""
    said = ast.get_docstring(function) or ""
    return [name for name in parameters(function) if re.search(rf"`\*{{0,2}}{re.escape(name)}\b", said)]


def docstring_shares() -> tuple[float, float]:
    """Return which shares of the public functions with two or more parameters name one of them, and all of them."""
    functions = [
        function for module in modules() for function in public_functions(module.tree) if len(parameters(function)) > 1
    ]
    one = sum(bool(named(function)) for function in functions)
    every = sum(named(function) == parameters(function) for function in functions)
    return one / len(functions), every / len(functions)


def docstrings() -> Iterator[str]:
    """Yield all docstrings of the package, those of attributes included."""
    for module in modules():
        for node in ast.walk(module.tree):
            if (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                yield node.value.value


def vocabulary(words: Iterable[str]) -> dict[str, int]:
    """Return how often each of `words` stands in docstrings of the package."""
    text = " ".join(" ".join(docstrings()).lower().split())
    return {word: len(re.findall(rf"\b{word}", text)) for word in words}


def imports(module: Module) -> Iterator[str]:
    """Yield the names of all modules that `module` imports anywhere, also inside functions or for types only."""
    known = {each.name for each in modules()}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                yield from [target for target in (inner, node.module) if target in known][:1]


def cycles() -> list[list[str]]:
    """Return the groups of modules that import each other, by Tarjan's algorithm."""
    graph = {module.name: sorted(set(imports(module)) - {module.name}) for module in modules()}
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in graph[name]:
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            group = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(group) > 1:
                found.append(sorted(group))

    sys.setrecursionlimit(10_000)
    for name in graph:
        if name not in index:
            visit(name)
    return sorted(found)


def words_of_pages() -> dict[str, int]:
    """Return the number of words of each page of docs/, decisions and the tables that are made of options apart."""
    return {page.name: len(re.sub(MADE, "", page.read_text()).split()) for page in sorted((ROOT / "docs").glob("*.md"))}


def lines() -> dict[str, int]:
    """Return the lines of each package below everafter; `(top)` are the modules beside them."""
    found: dict[str, int] = defaultdict(int)
    for module in modules():
        parts = module.path.relative_to(SOURCE).parts
        found[parts[0] if len(parts) > 1 else "(top)"] += module.text.count("\n")
    return dict(sorted(found.items()))


def import_share() -> float:
    """Return which share of all lines of the package are imports."""
    imported = sum(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    )
    return imported / sum(lines().values())


def certificate_places() -> list[str]:
    """Return the modules outside of certificates/ and commands/ that have certificates in their name or docstring."""
    return [
        module.name
        for module in modules()
        if not module.name.startswith(("everafter.certificates", "everafter.commands"))
        and re.search(r"certif", f"{module.name} {ast.get_docstring(module.tree) or ''}".lower())
    ]


@cache
def option_places() -> dict[str, list[str]]:
    """Return, for each field of a record of options, the places outside its declaration that repeat its name.

    A place is a function, a class or a module of commands, questions, backends, hints or beside the packages. To
    repeat a name is to declare it (a field or a parameter), to copy it (an argument `name=….name`) or to spell it as a
    text. To read the value, which whoever acts on the option must, repeats nothing.
    """
    places: dict[str, set[str]] = {name: set() for name in declared_options() or UNMISTAKABLE}
    for module in modules():
        parts = module.path.relative_to(SOURCE).parts
        if len(parts) == 1 or parts[0] in _ROOMS_OF_OPTIONS:
            for owner, node in owned(module.tree, ""):
                for name in repeats(node) & set(places):
                    places[name].add(f"{module.name}{owner}")
    return {name: sorted(found) for name, found in places.items()}


def declared_options() -> dict[str, str]:
    """Return the fields that are declared with `option(…)`, each with the name of its class."""
    return {
        field.target.id: node.name
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
        for field in node.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and is_declaration(field)
    }


def is_declaration(node: ast.AST) -> bool:
    """Return whether `node` is a field declared with `option(…)`."""
    value = node.value if isinstance(node, ast.AnnAssign) else None
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "option"


def owned(node: ast.AST, owner: str) -> Iterator[tuple[str, ast.AST]]:
    """Yield the nodes below `node`, which is in `owner`, each with the function or class that it is in."""
    for child in ast.iter_child_nodes(node):
        if is_declaration(child):
            continue
        inner = f"{owner}.{child.name}" if isinstance(child, ast.ClassDef | Function) else owner
        yield inner, child
        yield from owned(child, inner)


def repeats(node: ast.AST) -> set[str]:
    """Return the names of options that `node`, without what is below it, declares, copies or spells."""
    match node:
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
        case ast.arg(arg=name):
            return {name}
        case ast.keyword(arg=str(name), value=ast.Attribute(attr=attribute)) if name == attribute:
            return {name}
        case ast.keyword(arg=str(name), value=ast.Name(id=value)) if name == value:
            return {name}
        case ast.Constant(value=str(text)):
            return {text.removeprefix("--").replace("-", "_")}
        case _:
            return set()


def engine_functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions of the engine's modules, each with its full name; methods are none."""
    for module in modules():
        if module.name.startswith("everafter.engine."):
            for node in module.tree.body:
                if isinstance(node, ast.FunctionDef):
                    yield f"{module.name.removeprefix('everafter.engine.')}.{node.name}", node


def probe_loops() -> list[str]:
    """Return the functions of the engine with a loop that goes on to the next slot, or line, of a hash table."""
    return [
        name
        for name, function in engine_functions()
        if any(isinstance(node, ast.While) and any(map(goes_on, ast.walk(node))) for node in ast.walk(function))
    ]


def goes_on(node: ast.AST) -> bool:
    """Return whether `node` is a call of `next_line`, or a place to which one is added, around a table by `mask`."""
    match node:
        case ast.Call(func=ast.Name("next_line")):
            return True
        case ast.BinOp(ast.BinOp(_, ast.Add(), ast.Constant(1)), ast.BitAnd(), ast.Name("mask")):
            return True
    return False


def engine_copies(name: str) -> list[str]:
    """Return the functions of the engine that are called `name`."""
    return [full for full, function in engine_functions() if function.name == name]


def table_entries(table: str) -> list[str]:
    """Return the keys of all mappings called `table` in the engine, each with its module."""
    return [
        f"{module.name.removeprefix('everafter.engine.')}: {key.value}"
        for module in modules()
        for node in module.tree.body
        if module.name.startswith("everafter.engine.")
        and isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and node.target.id == table
        and node.value is not None
        for mapping in ast.walk(node.value)
        if isinstance(mapping, ast.Dict)
        for key in mapping.keys
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    ]


def variants() -> dict[str, list[str]]:
    """Return what the engine has several of: what could be one text is here once for each variant."""
    return {
        "probe loops": probe_loops(),
        "functions called make_room": engine_copies("make_room"),
        "functions called settle": engine_copies("settle"),
        "functions that replace another in a store": table_entries("REPLACING"),
        "assemblies of stores": [each for table in ("ALONE", "TOGETHER", "BY_STORE") for each in table_entries(table)],
    }


def measures() -> dict[str, float]:
    """Return what tests/house.toml bounds."""
    pages = words_of_pages()
    one, every = docstring_shares()
    return {
        "module names that occur twice": len(module_names()),
        "class names that occur twice": len(class_names()),
        "docstrings that name no parameter, in percent": round(100 * (1 - one), 1),
        "docstrings that do not name all parameters, in percent": round(100 * (1 - every), 1),
        "private words in docstrings": sum(vocabulary(PRIVATE).values()),
        "module cycles": len(cycles()),
        "words of pages written by hand": sum(count for page, count in pages.items() if page not in GENERATED),
        "modules about certificates elsewhere": len(certificate_places()),
        "places that an option touches beside its declaration": round(
            sum(len(option_places()[name]) for name in UNMISTAKABLE) / len(UNMISTAKABLE), 1
        ),
        "lines": sum(lines().values()),
        "lines of the engine": lines()["engine"],
        "imports, in percent of lines": round(100 * import_share(), 1),
        **{name: len(found) for name, found in variants().items()},
    }


def measures_of(revision: str) -> dict[str, float]:
    """Return the measures of `revision`, as this script takes them."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", revision], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x"], cwd=folder, input=archive, check=True)
        script = Path(folder) / "oracles" / "house.py"
        script.parent.mkdir(exist_ok=True)
        script.write_text(Path(__file__).read_text())
        command = [sys.executable, str(script), "--json"]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(json.loads(printed))


def main() -> None:
    """Print all measures, and what is behind them; or the measures alone, of one text or two."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--since", metavar="REVISION", help="compare with a revision")
    parser.add_argument("--json", action="store_true", help="print the measures alone")
    options = parser.parse_args()
    if options.json:
        print(json.dumps(measures()))
    elif options.since is not None:
        before = measures_of(options.since)
        print(f"| | {options.since} | now |\n|---|--:|--:|")
        for name, value in measures().items():
            print(f"| {name} | {before[name]:,} | {value:,} |")
    else:
        print_all()


def print_all() -> None:
    """Print all measures, and what is behind them."""
    show("Measures", measures())
    show("Module names that occur twice", module_names())
    show("Class names that occur twice", class_names())
    show("Words of our own in docstrings", vocabulary(PRIVATE))
    show("Words of the field in docstrings", vocabulary(STANDARD))
    show("Lines", lines())
    show("Words of pages", words_of_pages())
    print("\nPlaces that repeat the name of an option, beside its declaration:")
    for name, places in option_places().items():
        print(f"  {len(places):>8,}  {name:17} {' '.join(places)}")
    print("\nVariants in the engine:")
    for name, found in variants().items():
        print(f"  {len(found):>8,}  {name}: {', '.join(found)}")
    print("\nModule cycles:", *(" ".join(group) for group in cycles()), sep="\n  ")
    print("\nModules about certificates elsewhere:", *certificate_places(), sep="\n  ")


def show(title: str, table: Mapping[str, float]) -> None:
    """Print `table` under `title`."""
    print(f"\n{title}:")
    for name, value in table.items():
        print(f"  {value:>8,}  {name}")


if __name__ == "__main__":
    main()
