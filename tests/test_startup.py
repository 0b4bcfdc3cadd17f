"""A command can be interrupted from its first line on: at whichever import, it ends in one line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from everafter import cli
from everafter.choices import ALGORITHMS
from everafter.search.catalogue import CATALOGUE

HOOK = """
import os, sys
left = int(os.environ["AFTER"])
begun = False
def hook(event, arguments):
    global left, begun
    if event != "import":
        return
    begun = begun or arguments[0] == "everafter"
    if begun and arguments[0] not in ("everafter", "everafter.__main__", "_signal", "gc"):
        left -= 1
        if left == 0:
            import _signal
            _signal.raise_signal(_signal.SIGINT)
sys.addaudithook(hook)
"""
"""Interrupts a process at the import of which the number is given, counted from our first line."""
SCRIPT = "import sys; from everafter.__main__ import main; sys.exit(main())"
"""What pip makes of the script `everafter`."""


@pytest.mark.parametrize("way", [["-m", "everafter"], ["-c", SCRIPT]], ids=["module", "script"])
@pytest.mark.parametrize("after", [1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 25, 50, 60])
def test_an_interrupt_while_python_imports_ends_in_one_line(way: list[str], after: int, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(HOOK)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "AFTER": str(after)}
    command = [sys.executable, *way, "check", "--help"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (3, "", "everafter: interrupted\n")


MODEL = "byte x; active proctype P() { x = 1 }"
LOADED = """
import sys
from everafter.__main__ import main
try:
    main()
except SystemExit:
    pass
print("loaded", *sys.modules, file=sys.stderr)
"""


def loaded(*arguments: str) -> set[str]:
    """The modules that a command imports."""
    done = subprocess.run([sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True, check=True)
    return set(done.stderr.partition("loaded ")[2].split())


OPTIONS = {
    *("everafter", "everafter.__main__", "everafter.cli", "everafter.characters", "everafter.choices"),
    *("everafter.flags", "everafter.record", "everafter.source"),
    *("everafter.program", "everafter.program.expected", "everafter.questions.limits", "everafter.questions.request"),
}
"""What commands may load to know their options, beside `commands` itself."""


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["check", "--help"], ["check", "m.pml", "--saftey"]])
def test_what_needs_no_model_loads_options_alone(words: list[str]) -> None:
    found = {
        name for name in loaded(*words) if name.startswith(("everafter", "llvmlite", "numba", "zstandard", "backports"))
    }
    rooms = ("everafter.commands", "everafter.report", "everafter.questions")
    assert [name for name in found - OPTIONS if not name.startswith(rooms)] == []
    assert len(found) < (12 if words[0] != "check" else 30)


@pytest.mark.parametrize("how", [[], ["--engine", "reference"], ["--format", "json"]])
def test_a_check_imports_no_more_than_it_needs(how: list[str], tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text(MODEL)
    loaded("check", str(tmp_path / "m.pml"), *how)  # machine code is made the first time
    found = loaded("check", str(tmp_path / "m.pml"), *how)
    assert "everafter.commands.check" in found
    rooms: tuple[str, ...] = (
        "engine.cluster",
        "engine.gpu",
        "page",
        "editor",
        "diagrams",
        "backends.cluster",
        "backends.gpu",
    )
    rooms += ("certificates.certification", "certificates.reference", "report.junit", "report.sarif", "report.github")
    others = tuple(f"commands.{name}" for name in ("graph", "lsp", "spin", "cluster", "explore", "certify", "resume"))
    unneeded = tuple(f"everafter.{name}" for name in (*rooms, *others))
    assert [name for name in found if name.startswith((*unneeded, "numba", "numpy", "multiprocessing", "xml"))] == []


def test_names_of_searches_are_those_of_the_catalogue() -> None:
    assert tuple(dict.fromkeys(each.name for each in CATALOGUE)) == ALGORITHMS


def test_every_command_has_its_options() -> None:
    names = [word.name for word in cli.COMMANDS]
    assert len({loaded_as.run for loaded_as in map(cli.loaded, names)}) == len(names) == 14
