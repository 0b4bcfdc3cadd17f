"""The code keeps its own rules: formatted, typed, and imports point down only."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
IMPORT_LINTER = ["-c", "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"]


@pytest.mark.parametrize(
    "command",
    [
        ["-m", "ruff", "check", "."],
        ["-m", "ruff", "format", "--check", "."],
        ["-m", "mypy"],
        IMPORT_LINTER,
    ],
    ids=["ruff check", "ruff format", "mypy", "import-linter"],
)
def test_rules(command: list[str]) -> None:
    done = subprocess.run([sys.executable, *command], cwd=ROOT, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


ROOMS = ("oracles", "tests", "campaigns", "benchmarks", "proofs")


def lint_copy(folder: Path, file: str, planted: str) -> str:
    """What import-linter says about a copy with one more line in a file, or nothing if it finds nothing wrong."""
    copied = [("src/everafter", folder / "src")] + [(room, folder) for room in ROOMS]
    for name, target in copied:
        shutil.copytree(ROOT / name, target / Path(name).name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    with (folder / file).open("a") as text:
        text.write(f"\n{planted}\n")
    done = subprocess.run(
        [sys.executable, *IMPORT_LINTER],
        cwd=folder,
        env={"PYTHONPATH": f"{folder / 'src'}:{folder}"},
        text=True,
        capture_output=True,
        check=False,
    )
    return done.stdout if done.returncode else ""


@pytest.mark.parametrize(
    ("file", "planted", "found"),
    [
        ("src/everafter/program/naming.py", "import everafter.verdict.result", "everafter.program.naming"),
        ("src/everafter/check.py", "import oracles.spin", "everafter.check -> oracles.spin"),
        ("oracles/corpus.py", "import campaigns.spin_parity", "oracles.corpus -> campaigns.spin_parity"),
        ("oracles/spin.py", "import tests.test_cli", "oracles.spin -> tests.test_cli"),
        ("tests/test_parity.py", "import campaigns.spin_parity", "tests.test_parity -> campaigns.spin_parity"),
        ("tests/test_parity.py", "import benchmarks.ltl_sizes", "tests.test_parity -> benchmarks.ltl_sizes"),
        ("campaigns/spin_parity.py", "import tests.test_cli", "campaigns.spin_parity -> tests.test_cli"),
        ("campaigns/ltl_campaign.py", "import benchmarks.ltl_sizes", "campaigns.ltl_campaign -> benchmarks.ltl_sizes"),
        ("benchmarks/ltl_sizes.py", "import tests.test_cli", "benchmarks.ltl_sizes -> tests.test_cli"),
        ("benchmarks/ltl_sizes.py", "import campaigns.fuzz_parser", "benchmarks.ltl_sizes -> campaigns.fuzz_parser"),
    ],
)
def test_a_wrong_import_is_found(tmp_path: Path, file: str, planted: str, found: str) -> None:
    assert found in lint_copy(tmp_path, file, planted)
