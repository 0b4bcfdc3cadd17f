"""Does this checkout search as fast as another one, and does it say the same?

    python -m benchmarks.compare_revisions OLD_CHECKOUT [--only SUBSTRING] [--runs 3] [--models N] [--output FILE.json]

`git worktree add ../before COMMIT` makes an old checkout. The models of the comparison with SPIN are searched by both
checkouts with the same options, by one worker and without reduction, each time in a process of its own and in turns:
old, new, old, new. Processor time of the search is compared, as medians; a ratio below 1 means that this checkout is
faster. Each checkout has a cache of its own, so that neither runs the other's machine code.

Exit status 1 if verdicts or states differ, or if a search did not end in `holds`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.comparison.cases import LTL, ROOT, SAFETY, TINY, Case
from benchmarks.comparison.checkers import Everafter, Run, ready_everafter
from benchmarks.comparison.measure import Meter, warm_memory
from benchmarks.comparison.rows import geometric_mean
from benchmarks.comparison.tables import table

_COMMAND = (sys.executable, "-m", "everafter.cli", "check")


@dataclass(frozen=True, slots=True)
class Revision:
    """A checkout of everafter, and where it keeps its machine code."""

    checkout: Path
    cache: Path

    @property
    def environment(self) -> dict[str, str]:
        """What makes Python import this checkout."""
        return {"PYTHONPATH": str(self.checkout / "src"), "EVERAFTER_CACHE": str(self.cache)}

    def ready(self, folder: Path, case: Case) -> Everafter:
        """The checker of this checkout, for a question placed in the folder."""
        return ready_everafter(folder, case, "native", _COMMAND, self.environment)

    def flaw(self) -> str | None:
        """Why this is not a checkout that can be measured, or None if it is one."""
        where = "import everafter; print(everafter.__file__)"
        found = subprocess.run(
            [sys.executable, "-c", where],
            env={**os.environ, **self.environment},
            cwd=self.cache.parent,
            capture_output=True,
            text=True,
            check=False,
        ).stdout.strip()
        inside = Path(found).is_relative_to(self.checkout / "src")
        return None if inside else f"{self.checkout}: everafter is imported from {found or 'nowhere'}"

    def commit(self) -> str:
        """Which commit is checked out, and whether something has been changed in it."""
        command = ["git", "-C", str(self.checkout), "describe", "--always", "--dirty"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


@dataclass(frozen=True, slots=True)
class Pair:
    """All runs of one question by both checkouts."""

    case: Case
    old: Sequence[Run]
    new: Sequence[Run]

    @property
    def ratio(self) -> float:
        """The time of the new checkout by that of the old."""
        return seconds(self.new) / max(1e-9, seconds(self.old))

    @property
    def trouble(self) -> str:
        """Why the pair proves nothing, or an empty text. All must hold, since only then everything is searched."""
        old, new = ({(run.verdict, run.states) for run in runs} for runs in (self.old, self.new))
        if len(old | new) > 1:
            return f"differs: old {_said(old)}, new {_said(new)}"
        return "" if all(verdict == "holds" for verdict, _ in new) else _said(new)


def seconds(runs: Sequence[Run]) -> float:
    """The median processor time of the search."""
    return median(run.search for run in runs)


def _said(answers: set[tuple[Any, int]]) -> str:
    return " or ".join(f"{verdict}, {states:,} states" for verdict, states in sorted(answers))


@dataclass(frozen=True, slots=True)
class Bench:
    """How everything is measured in this run of the comparison."""

    meter: Meter
    old: Revision
    new: Revision
    runs: int
    limit: float

    def measure(self, case: Case) -> Pair:
        """Let both checkouts take turns on a question."""
        old: list[Run] = []
        new: list[Run] = []
        with tempfile.TemporaryDirectory(prefix="revisions-") as name:
            folder = Path(name)
            case.place(folder)
            turns = [(self.old.ready(folder, case), old), (self.new.ready(folder, case), new)]
            for _ in range(self.runs):
                for checker, runs in turns:
                    warm_memory(case.states)
                    runs.append(checker.run(self.meter, self.limit))
        return Pair(case, old, new)

    def pairs(self, cases: Sequence[Case]) -> list[Pair]:
        """Measure all of them, with a word on each as it is done."""
        for kind in {"safety" if case.claim is None else "ltl" for case in cases}:
            self.measure(TINY[kind])  # so that no measured run builds the engine
        found = []
        for case in cases:
            pair = self.measure(case)
            print(f"{case.name}: {pair.trouble or f'{pair.ratio:.3f}'}", file=sys.stderr, flush=True)
            found.append(pair)
        return found


def chosen(only: str, tiny: bool, most: int | None) -> list[Case]:
    """The first questions whose name contains `only`."""
    named = [("safety", case) for case in SAFETY] + [("ltl", case) for case in LTL]
    fitting = [case for part, case in named if (case.effort == "tiny") == tiny and only in f"{part}/{case.name}"]
    return fitting[:most]


def report(pairs: Sequence[Pair]) -> str:
    """The table, and the mean of what is right in it."""
    header = ["model", "states", "old s", "new s", "new/old", "slowest/fastest old, new", "verdict"]
    right = [pair.ratio for pair in pairs if not pair.trouble]
    mean = f"\nnew/old: geometric mean {geometric_mean(right):.3f} of {len(right)}\n" if right else ""
    return table(header, [_line(pair) for pair in pairs]) + mean


def _line(pair: Pair) -> list[str]:
    return [
        pair.case.name,
        f"{pair.new[0].states:,}",
        f"{seconds(pair.old):.3f}",
        f"{seconds(pair.new):.3f}",
        "-" if pair.trouble else f"{pair.ratio:.3f}",
        f"{_spread(pair.old):.2f}, {_spread(pair.new):.2f}",
        f"WRONG ({pair.trouble})" if pair.trouble else "holds, both",
    ]


def _spread(runs: Sequence[Run]) -> float:
    """How far the runs lie apart."""
    times = [run.search for run in runs]
    return max(times) / max(1e-9, min(times))


def as_json(pairs: Sequence[Pair]) -> str:
    """Everything, run by run."""
    return json.dumps([{"model": pair.case.name, "old": _runs(pair.old), "new": _runs(pair.new)} for pair in pairs])


def _runs(runs: Sequence[Run]) -> list[dict[str, Any]]:
    return [{"verdict": run.verdict, "states": run.states, "search_seconds": run.search} for run in runs]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 if something differs, 2 if there is nothing to compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, metavar="OLD_CHECKOUT", help="the root of another checkout")
    parser.add_argument("--only", default="", metavar="SUBSTRING", help="of safety/NAME or ltl/NAME")
    parser.add_argument("--runs", type=int, default=3, help="how often each checkout runs; the median counts")
    parser.add_argument("--models", type=int, metavar="N", help="only the first so many")
    parser.add_argument("--tiny", action="store_true", help="models that only try this program itself")
    parser.add_argument("--time", type=float, default=900, metavar="SECONDS", help="kill a run that takes longer")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write every run here, as JSON")
    options = parser.parse_args(arguments)
    cases = chosen(options.only, options.tiny, options.models)
    with tempfile.TemporaryDirectory(prefix="measure-") as name:
        folder = Path(name)
        old, new = Revision(options.old.resolve(), folder / "old"), Revision(ROOT, folder / "new")
        problem = old.flaw() or new.flaw() or (None if cases else f"no model's name contains {options.only}")
        if problem is not None:
            print(problem, file=sys.stderr)
            return 2
        pairs = Bench(Meter(folder), old, new, options.runs, options.time).pairs(cases)
        print(f"- old: {old.commit()}\n- new: {new.commit()}\n\n{report(pairs)}", end="")
    if options.output is not None:
        options.output.write_text(as_json(pairs))
    return 1 if any(pair.trouble for pair in pairs) else 0


if __name__ == "__main__":
    sys.exit(main())
