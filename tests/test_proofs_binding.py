"""What runs is what is proved: whatever is loaded, bound or compiled otherwise is told, without a prover."""

import ast
import importlib.util
import marshal
import os
import shutil
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from proofs import literal, reflection, running_text, variables
from proofs.expressions import Kernel, UnknownConstructError
from proofs.kernels import Translator
from proofs.links import Documented
from proofs.running_text import Function
from proofs.task import ROOT, ProofError, inside
from tests.test_proofs_literal import Silent, of_text

from everafter.engine.cluster.worker_kernels import BY_STORE
from everafter.engine.kernels.single_kernels import ALONE
from everafter.engine.kernels.team_kernels import TOGETHER

PLANTS: list[dict[str, str]] = tomllib.loads((Path(__file__).parent / "proofs_evasions.toml").read_text())["plant"]
GROUPS = sorted({each["group"] for each in PLANTS})


def copied(folder: Path) -> Path:
    """A copy of what runs and of the proofs."""
    for name in ("src", "proofs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.vpr", "*.v", "*.egg-info"))
    return folder


def planted(folder: Path, plants: list[dict[str, str]]) -> Path:
    """The folder with these mistakes in its files."""
    for each in plants:
        path = folder / each["file"]
        text = path.read_text() if path.exists() else ""
        if "replace" in each:
            assert text.count(each["replace"]) == 1, each["name"]
            path.write_text(text.replace(each["replace"], each["by"]))
        else:
            path.write_text(f"{text}\n{each['by']}\n")
    return folder


def asked(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """What Python says in the folder, of the texts there."""
    there = {**os.environ, "PYTHONPATH": f"{folder / 'src'}{os.pathsep}{folder}", "EVERAFTER_UPDATE": ""}
    run = [sys.executable, *command]
    return subprocess.run(run, cwd=folder, env=there, capture_output=True, text=True, check=False)


def test_what_runs_is_bound_as_is_pinned() -> None:
    done = asked(ROOT, "-c", "from proofs.binding import check_running; check_running()")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("group", GROUPS)
def test_whatever_else_would_run_is_told(group: str, tmp_path: Path) -> None:
    plants = [each for each in PLANTS if each["group"] == group]
    done = asked(planted(copied(tmp_path), plants), "-m", "proofs")
    assert done.returncode == 2, done.stderr
    assert {each["name"]: each["says"] for each in plants if each["says"] not in done.stderr} == {}, done.stderr


def test_a_module_that_is_loaded_from_other_code_than_its_text_is_told(tmp_path: Path) -> None:
    """A cache that Python does not hold against the text: whatever its functions are, it may do more beside them."""
    path = copied(tmp_path) / "src" / "everafter" / "characters.py"
    code = compile(f"{path.read_text()}\nimport sys\n", str(path), "exec")
    cache = Path(importlib.util.cache_from_source(str(path)))
    cache.parent.mkdir(exist_ok=True)
    cache.write_bytes(importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + marshal.dumps(code))
    done = asked(tmp_path, "-m", "proofs")
    assert done.returncode == 2
    assert "everafter.characters: has other code than its text" in done.stderr


@pytest.mark.parametrize("table", [ALONE, TOGETHER, BY_STORE, *ALONE.values(), *TOGETHER.values(), *BY_STORE.values()])
def test_no_table_of_functions_can_be_changed(table: Any) -> None:
    name = next(iter(table))
    with pytest.raises(TypeError):
        table[name] = None
    assert not hasattr(table, "update")


# ---- Files in the way of others, and proofs of another text: seen without loading anything.


@pytest.mark.parametrize(
    "name",
    [
        *("everafter/search/nested.cpython-311-x86_64-linux-gnu.so", "everafter/search/nested.pyc", "typing.py"),
        *("numba/__init__.py", "everafter/search/nested/__init__.py", "everafter/search/nested.abi3.so"),
    ],
)
def test_a_file_that_would_be_loaded_in_place_of_another_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in ("everafter/search/nested.py", name):
        (tmp_path / "src" / each).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "src" / each).touch()
    monkeypatch.setattr(running_text, "SOURCES", tmp_path / "src")
    monkeypatch.setattr(running_text, "ROOT", tmp_path)
    with pytest.raises(ProofError, match=r"in place of the text|are both everafter\.search\.nested"):
        running_text.modules()


REFUSED = {
    "call of a parameter": ("def f(space: Store, expand: int) -> bool:\n    return expand(space, 1, 2)\n", "unknown"),
    "call of a variable": (
        "def f(space: Store, x: int) -> bool:\n    expand = x\n    return expand(space, 1, 2)",
        "unknown",
    ),
    "constant before the variable": (
        "def f(space: Store, x: int) -> int:\n    x = KNOWN\n    KNOWN = 1\n    return x",
        "read before",
    ),
    "bit before the variable": (
        "def f(space: Store, x: int) -> int:\n    space.colour[x] |= KNOWN\n    KNOWN = 4\n    return x",
        "read before",
    ),
    "range of one's own": ("def f(space: Store, range: int) -> int:\n    return range", "the name range is taken"),
    "least of one's own": ("def f(space: Store, x: int) -> int:\n    min = x\n    return min", "the name min is taken"),
    "decorator": ("@mark\ndef f(space: Store, x: int) -> int:\n    return x", "no decorators"),
    "word of a companion": ("def f(space: Store, x: int) -> bool:\n    return other(space, x)\n", "unknown"),
}


@pytest.mark.parametrize(("text", "why"), REFUSED.values(), ids=REFUSED)
def test_what_python_would_take_otherwise_is_not_translated(text: str, why: str) -> None:
    known = of_text("def expand(space: Store, node: int, depth: int) -> bool:\n    return True")
    kernel = of_text(text, {"other": "expand"}, expand=Function("everafter.search.space", "expand"))
    with pytest.raises(UnknownConstructError, match=why):
        Translator(kernel, lambda name: [known] if name in {"expand", "other"} else [], Silent()).body()


def test_a_name_of_python_that_the_module_has_is_not_translated() -> None:
    text = "def f(space: Store, x: int) -> int:\n    for y in range(x):\n        x = y\n    return x"
    Translator(of_text(text), lambda _: [], Silent()).body()
    with pytest.raises(UnknownConstructError, match="the name range is taken"):
        Translator(of_text(text, range=Function("a", "range")), lambda _: [], Silent()).body()


def test_a_function_of_the_same_name_is_not_the_one_that_is_proved() -> None:
    proved = of_text("def g(space: Store) -> int:\n    return 1")
    known = [Kernel(proved.file, proved.tree, {}, proved.columns, of="everafter.search.space.g")]
    text = "def f(space: Store) -> int:\n    return g(space)"
    same, other = (of_text(text, g=Function(f"everafter.search.{module}", "g")) for module in ("space", "other"))
    Translator(same, lambda _: known, Silent()).body()
    with pytest.raises(UnknownConstructError, match="unknown function g"):
        Translator(other, lambda _: known, Silent()).body()


def test_a_search_of_the_same_name_is_not_the_one_that_is_proved() -> None:
    proved = of_text("def g(space: Store, search: Search) -> int:\n    return 1")
    known = [Kernel(proved.file, proved.tree, {}, proved.columns, {"search": "S"}, meant={"S": 1})]
    text = "def f(space: Store) -> int:\n    return g(space, S)"
    Translator(of_text(text, S=1), lambda _: known, Silent()).body()
    for other in (of_text(text, S=2), of_text("def f(space: Store, S: int) -> int:\n    return g(space, S)", S=1)):
        with pytest.raises(UnknownConstructError, match="search of g is fixed to S"):
            Translator(other, lambda _: known, Silent()).body()


DECIDING = {
    "statement behind a contract": (
        "    place = 0\n    while",
        "    Assert(True); count = 0\n    place = 0\n    while",
        "is not what",
    ),
    "statement in the proof only": ("    edge = 0\n", "    edge = 0\n    count = 0\n", "is not what"),
    "function that is not verified": ("def accept_edges(", "@ContractOnly\ndef accept_edges(", "is not what"),
    "other constant": ("        edge = edge + 1\n", "        edge = edge + 2\n", "is not what"),
    "defined again for the proof": (
        "# ---- For the proof only",
        "# ---- For the proof only\ndef all_decided(): pass\n#",
        "not the functions",
    ),
    "left out": ("# ---- For the proof only", "def more(): pass\n\n\n# ---- For the proof only", "not the functions"),
}


@pytest.mark.parametrize(("old", "new", "why"), DECIDING.values(), ids=DECIDING)
def test_decisions_that_are_not_those_that_are_proved_are_refused(
    old: str, new: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = inside(variables.DECIDING).read_text()
    assert old in text
    (tmp_path / "deciding.py").write_text(text.replace(old, new, 1))
    monkeypatch.setattr(variables, "inside", lambda _: tmp_path / "deciding.py")
    with pytest.raises(ProofError, match=rf"proofs/certificates/deciding\.py.*{why}"):
        variables.check_deciding()


def test_docstrings_of_decisions_may_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = ast.parse(inside(variables.DECIDING).read_text())
    text = inside(variables.DECIDING).read_text()
    said = [ast.get_docstring(each, clean=False) for each in (tree, *tree.body) if isinstance(each, Documented)]
    for each in filter(None, said):
        text = text.replace(each, f"{each} More.", 1)
    (tmp_path / "deciding.py").write_text(text)
    monkeypatch.setattr(variables, "inside", lambda _: tmp_path / "deciding.py")
    assert text.count(" More.") > 4
    variables.check_deciding()


def test_words_by_which_a_text_could_change_another_are_told() -> None:
    text = """
    import gc, inspect
    from types import FunctionType as F
    import everafter.search.space as space
    space.RED += 1
    space.__dict__["RED"] = 2
    del space.expand
    getattr(f, "__code__")
    vars(space)["RED"] = 3
    """
    tree = ast.parse(textwrap.dedent(text))
    found = set(reflection.words(tree, tuple(ast.walk(tree))))
    told = {"gc", "inspect", "types.FunctionType", "assigns space.RED", "assigns space.expand", "'__code__'", "vars"}
    assert told | {"__dict__", "assigns space.__dict__['RED']"} == found


# ---- Variables of proved texts, called otherwise.

PROVED = sorted({each.rpartition(".")[0] for each in variables.listed()})
DECIDES = "everafter.certificates.deciding"


@pytest.fixture
def changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """Return what lets a module have another text."""
    real = running_text.path_of

    def change(module: str, text: str) -> None:
        (tmp_path / "text.py").write_text(text)
        for where in (running_text, variables, literal):
            monkeypatch.setattr(where, "path_of", lambda name: tmp_path / "text.py" if name == module else real(name))
            monkeypatch.setattr(where, "ROOT", Path("/"))
        forget()

    yield change
    monkeypatch.undo()
    forget()


def forget() -> None:
    """Forget the texts that were read."""
    for each in (running_text.tree_of, running_text.bindings, running_text.meaning):
        each.cache_clear()


def renamings(module: str) -> list[str]:
    """The text of the module with a parameter or variable of a proved function renamed, each in turn."""
    text = running_text.path_of(module).read_text()
    found = []
    for function in (each for each in ast.parse(text).body if isinstance(each, ast.FunctionDef)):
        if module == DECIDES or f"{module}.{function.name}" in variables.listed():
            found += [renamed(text, function, name) for name in variables.variables(function)]
    return found


def renamed(text: str, function: ast.FunctionDef, name: str, new: str = "renamed") -> str:
    """The text with the name renamed wherever it is in the function."""
    lines = text.split("\n")
    nodes = [each for each in ast.walk(function) if isinstance(each, ast.Name | ast.arg)]
    places = {
        (each.lineno, each.col_offset)
        for each in nodes
        if name == (each.id if isinstance(each, ast.Name) else each.arg)
    }
    for line, column in sorted(places, reverse=True):
        lines[line - 1] = f"{lines[line - 1][:column]}{new}{lines[line - 1][column + len(name) :]}"
    return "\n".join(lines)


@pytest.mark.parametrize("module", PROVED)
def test_no_proof_breaks_when_a_variable_is_renamed(module: str, changed: Callable[[str, str], None]) -> None:
    """What is translated stays the same, letter for letter."""
    text = running_text.path_of(module).read_text()
    assert variables.text_of(module) == text
    for other in renamings(module):
        assert other != text
        changed(module, other)
        assert variables.text_of(module) == text


def test_the_proof_about_certificates_does_not_break_when_a_variable_is_renamed(
    changed: Callable[[str, str], None],
) -> None:
    for other in renamings(DECIDES):
        changed(DECIDES, other)
        variables.check_deciding()


def test_a_renamed_variable_leaves_every_proof_as_it_is(changed: Callable[[str, str], None]) -> None:
    module = "everafter.search.framework"
    text = running_text.path_of(module).read_text()
    changed(module, text.replace("position", "answer"))  # a word that no translated kernel may use
    literal.check_generated()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "    depth = base\n",
            "    level = base\n    depth = level\n",
            "space base search level depth outcome position node",
        ),
        (
            "    depth = base\n    outcome = GO_ON\n",
            "    outcome = GO_ON\n    depth = base\n",
            "space base search outcome depth position node",
        ),
    ],
    ids=["one more", "another order"],
)
def test_the_line_that_is_to_be_changed_is_told(
    old: str, new: str, told: str, changed: Callable[[str, str], None]
) -> None:
    module = "everafter.search.framework"
    text = running_text.path_of(module).read_text()
    assert text.count(old) == 1
    changed(module, text.replace(old, new))
    line = 1 + variables.LISTED.read_text().splitlines().index(
        '"everafter.search.framework.descend" = "space base search depth outcome position node"'
    )
    with pytest.raises(
        ProofError, match=rf"variables\.toml:{line}: .*: descend has the variables {told}, in this order$"
    ):
        variables.text_of(module)


def test_a_variable_is_not_called_as_something_else_of_its_function(changed: Callable[[str, str], None]) -> None:
    module = "everafter.search.framework"
    text = running_text.path_of(module).read_text()
    text = text.replace("position", "place").replace("depth = base\n", "depth = base + position\n")
    changed(module, text)
    with pytest.raises(ProofError, match=r"variables\.toml:\d+: .*: descend has position beside its variables"):
        variables.text_of(module)


def test_every_listed_function_is_proved() -> None:
    with pytest.raises(ProofError, match=r"everafter\.search\.space\.more is not here"):
        variables.check_listed({*variables.listed(), "everafter.search.space.more"})
    with pytest.raises(ProofError, match="is not proved"):
        variables.check_listed(set(list(variables.listed())[1:]))
