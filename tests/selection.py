"""The tests that are nearest to a change: `scripts/test --changed [REVISION]` runs what this module prints.

What differs from the revision (the last commit, or the one before it if nothing differs) is looked up in the import
graph. Test files are taken by the number of imports between them and the change, as many as the budget has room for by
the record of processor time; of a file that is too long, the tests that the record names are left out.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import grimp
from tests.processor_time import Durations, recorded

ROOT = Path(__file__).parent.parent
PACKAGES = ("everafter", "oracles", "tests", "campaigns", "benchmarks", "proofs")
BUDGET = 60.0
"""Seconds of processor time that the chosen tests take by the record."""
UNRECORDED = 1.0
ALWAYS = "tests/test_quality.py"
OTHER = {
    "docs/": "tests/documentation/",
    "README.md": "tests/documentation/",
    "CHANGELOG.md": "tests/documentation/",
    "mkdocs.yml": "tests/documentation/",
    "examples/": "tests/test_examples.py",
    "oracles/models/": "tests/test_users.py",
    "oracles/": "tests/test_oracle.py",
    "proofs/": "tests/test_proofs",
    "editors/": "tests/editor/",
    "scripts/": "tests/test_platforms.py",
    "constraints.txt": "tests/test_platforms.py",
    "pyproject.toml": "tests/test_platforms.py",
}
"""Where files that are no modules are tested: the first prefix that fits, and how the names of their tests begin."""


@dataclass(slots=True)
class Selection:
    """What is run, and what is not though the change may reach it."""

    files: list[str] = field(default_factory=list)
    deselected: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    """Changed files that no test is known for."""

    def arguments(self) -> list[str]:
        """Return what pytest is given."""
        return [*self.files, *(f"--deselect={name}" for name in self.deselected)]


def module_of(path: str) -> str | None:
    """Return the name of the module in the file `path`, relative to the root, or None if it is none."""
    if not path.endswith(".py"):
        return None
    parts = path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").split("/")
    return ".".join(parts) if parts[0] in PACKAGES else None


def distances(changed: Iterable[str], importers: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """Return how many imports lie between each module and the nearest of the modules `changed`."""
    found = dict.fromkeys(changed, 0)
    queue = list(found)
    for module in queue:
        for importer in importers.get(module, ()):
            if importer not in found:
                found[importer] = found[module] + 1
                queue.append(importer)
    return found


def mirrored(path: str, test_files: Iterable[str]) -> Iterator[str]:
    """Yield the test files where a file `path` that is no module is tested."""
    if path.startswith(("src/everafter/", "tests/")):
        folder = path.removeprefix("src/everafter/").removeprefix("tests/").split("/")[0]
        wanted: str | None = f"tests/{folder}/"
    else:
        wanted = next((tests for prefix, tests in OTHER.items() if path.startswith(prefix)), None)
    if wanted is not None:
        yield from (file for file in test_files if file.startswith(wanted))


def ranked(changed: Iterable[str], importers: Mapping[str, Iterable[str]], test_files: list[str]) -> dict[str, int]:
    """Return how near each of `test_files` is to the files `changed`; those that nothing leads to are missing."""
    modules = {module: path for path in changed if (module := module_of(path)) is not None}
    reached = distances(modules, importers)
    rank = {file: reached[module] for file in test_files if (module := module_of(file) or "") in reached}
    for path in set(changed) - set(modules.values()):
        rank |= dict.fromkeys(mirrored(path, test_files), 1)
    folders = {f"tests/{path.removeprefix('src/everafter/').split('/')[0]}/" for path in changed}
    for file in rank:
        rank[file] = min(rank[file], 2) if any(file.startswith(folder) for folder in folders) else rank[file]
    return rank


def select(rank: Mapping[str, int], durations: Durations, budget: float = BUDGET) -> Selection:
    """Return the test files of lowest `rank`, as many as take at most `budget` by `durations`, and files of rank 0."""
    chosen = Selection()
    for file in sorted(rank, key=lambda file: (rank[file], durations.files.get(file, UNRECORDED), file)):
        whole = durations.files.get(file, UNRECORDED)
        slow = {name: taken for name, taken in durations.tests.items() if name.startswith(f"{file}::")}
        quick = whole - sum(slow.values())
        if rank[file] == 0 or whole <= budget:
            chosen.files.append(file)
            budget -= whole
        elif slow and quick <= budget:
            chosen.files.append(file)
            chosen.deselected += sorted(slow)
            budget -= quick
        else:
            chosen.left_out.append(file)
    return chosen


def changed_files(revision: str | None) -> list[str]:
    """Return the files that differ from `revision`; without one, from the last commit, else from the one before it."""
    if revision is not None:
        return _git("diff", "--name-only", revision) + _git("ls-files", "--others", "--exclude-standard")
    return changed_files("HEAD") or changed_files("HEAD~1")


def _git(*arguments: str) -> list[str]:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()


def import_graph() -> dict[str, set[str]]:
    """Return by module the modules that import it."""
    graph = grimp.build_graph(*PACKAGES, cache_dir=str(ROOT / ".import_linter_cache"))
    return {module: graph.find_modules_that_directly_import(module) for module in graph.modules}


def main(revision: str | None = None) -> int:
    """Print the arguments for pytest, one a line, and on standard error what is chosen."""
    test_files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py"))
    changed = changed_files(revision)
    rank = ranked(changed, import_graph(), test_files) | ({ALWAYS: 0} if changed else {})
    chosen = select(rank, recorded())
    tests = f"{len(chosen.files)} test files" + (
        f" without {len(chosen.deselected)} slow tests" * bool(chosen.deselected)
    )
    print(f"{len(changed)} changed files: {tests}; {len(chosen.left_out)} more may be reached", file=sys.stderr)
    print(*chosen.arguments(), sep="\n")
    return 0 if chosen.files else 5


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
