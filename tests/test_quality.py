"""The code keeps its own rules: formatted, typed, and imports point down only."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    "command",
    [
        ["-m", "ruff", "check", "."],
        ["-m", "ruff", "format", "--check", "."],
        ["-m", "mypy"],
        ["-c", "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"],
    ],
    ids=["ruff check", "ruff format", "mypy", "import-linter"],
)
def test_rules(command: list[str]) -> None:
    done = subprocess.run([sys.executable, *command], cwd=ROOT, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_wrong_import_is_found(tmp_path: Path) -> None:
    """The layers contract can fail: a copy in which `program` imports `verdict` breaks it."""
    package = tmp_path / "src" / "everafter"
    package.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-r", str(ROOT / "src" / "everafter"), str(package.parent)], check=True)
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    with (package / "program" / "naming.py").open("a") as file:
        file.write("\nfrom everafter.verdict import result as _result\n")
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(package.parent)},
        capture_output=True,
        check=False,
    )
    assert done.returncode != 0
