"""A command can be interrupted from its first line on: at whichever import, it ends in one line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from everafter import cli

HOOK = """
import os, sys
left = int(os.environ["AFTER"])
begun = False
def hook(event, arguments):
    global left, begun
    if event != "import":
        return
    begun = begun or arguments[0] == "everafter"
    if begun and arguments[0] not in ("everafter", "everafter.__main__", "_signal"):
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
@pytest.mark.parametrize("after", [1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 25, 60, 150, 400])
def test_an_interrupt_while_python_imports_ends_in_one_line(way: list[str], after: int, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(HOOK)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "AFTER": str(after)}
    command = [sys.executable, *way, "check", "--help"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (3, "", "everafter: interrupted\n")


MODEL = "byte x; active proctype P() { x = 1 }"
LOADED = """
import sys
from everafter.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print("loaded", *(name for name in sys.modules if name.startswith("everafter")), file=sys.stderr)
"""


def loaded(*arguments: str) -> set[str]:
    """The modules of everafter that a command imports."""
    done = subprocess.run([sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True, check=True)
    return set(done.stderr.partition("loaded ")[2].split())


def test_a_version_needs_next_to_nothing() -> None:
    assert len(loaded("--version")) < 20


@pytest.mark.parametrize("how", [[], ["--engine", "reference"], ["--format", "json"]])
def test_a_check_imports_no_more_than_it_needs(how: list[str], tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text(MODEL)
    found = loaded("check", str(tmp_path / "m.pml"), *how)
    assert "everafter.commands.check" in found
    rooms = ("engine.cluster", "engine.gpu", "page", "editor", "diagrams", "backends.cluster", "backends.gpu")
    others = tuple(f"commands.{name}" for name in ("graph", "lsp", "spin", "cluster", "explore", "certify", "resume"))
    unneeded = tuple(f"everafter.{name}" for name in (*rooms, *others))
    assert [name for name in found if name.startswith(unneeded)] == []


def test_every_command_has_its_options() -> None:
    names = [word.name for word in cli.COMMANDS]
    assert len({loaded_as.run for loaded_as in map(cli.loaded, names)}) == len(names) == 12
