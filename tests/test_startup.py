"""A command can be interrupted from its first line on: at whichever import, it ends in one line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
    command = [sys.executable, *way, "--version"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (3, "", "everafter: interrupted\n")
