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


PLANTED = (
    ("src/everafter/program/naming.py", "import everafter.verdict.result", "everafter.program.naming"),
    ("src/everafter/check.py", "import oracles.spin", "everafter.check -> oracles.spin"),
    (
        "src/everafter/hints/coverage.py",
        "import everafter.backends.decision",
        "everafter.hints.coverage -> everafter.backends.decision",
    ),
    (
        "src/everafter/backends/gpu.py",
        "import everafter.backends.native",
        "everafter.backends.gpu -> everafter.backends.native",
    ),
    (
        "src/everafter/certificates/reference/reads.py",
        "import everafter.reduction.sticky",
        "everafter.certificates.reference.reads -> everafter.reduction.sticky",
    ),
    (
        "src/everafter/certificates/automaton/inclusion.py",
        "import everafter.engine.run.stored_rows",
        "everafter.certificates.automaton.inclusion -> everafter.engine.run.stored_rows",
    ),
    (
        "src/everafter/report/text.py",
        "import everafter.engine.store.table",
        "everafter.report.text -> everafter.engine.store.table",
    ),
    ("oracles/corpus.py", "import campaigns.spin_parity", "oracles.corpus -> campaigns.spin_parity"),
    ("oracles/spin.py", "import tests.test_cli", "oracles.spin -> tests.test_cli"),
    ("tests/test_parity.py", "import campaigns.spin_parity", "tests.test_parity -> campaigns.spin_parity"),
    ("tests/test_parity.py", "import benchmarks.ltl_sizes", "tests.test_parity -> benchmarks.ltl_sizes"),
    ("campaigns/spin_parity.py", "import tests.test_cli", "campaigns.spin_parity -> tests.test_cli"),
    ("campaigns/ltl_campaign.py", "import benchmarks.ltl_sizes", "campaigns.ltl_campaign -> benchmarks.ltl_sizes"),
    ("benchmarks/ltl_sizes.py", "import tests.test_cli", "benchmarks.ltl_sizes -> tests.test_cli"),
    ("benchmarks/ltl_sizes.py", "import campaigns.fuzz_parser", "benchmarks.ltl_sizes -> campaigns.fuzz_parser"),
)
"""Files, imports that must not be in them, and what import-linter says of each."""


def lint_copy(folder: Path) -> str:
    """Return what import-linter says about a copy of the repository, made in `folder`, with all planted imports."""
    copied = [("src/everafter", folder / "src")] + [(room, folder) for room in ROOMS]
    for name, target in copied:
        shutil.copytree(ROOT / name, target / Path(name).name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    for file, planted, _ in PLANTED:
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
    assert done.returncode != 0
    return done.stdout


def test_wrong_imports_are_found(tmp_path: Path) -> None:
    said = lint_copy(tmp_path)
    assert [found for _, _, found in PLANTED if found not in said] == []
