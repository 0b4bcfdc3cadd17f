"""Does a check that is killed, and gone on with, come to what it would have come to?

    python -m campaigns.kills [--count 500] [--first 0] [--states 600000]

Checks of several models, by every search and store of which there are checkpoints, are killed with SIGKILL, each some
times: at a random moment, at one behind the beginning of a checkpoint, so that it is being written, or behind its end.
Checkpoints are written as often as they can be. Then `everafter resume` goes on, and is killed again, until it is left
alone; its report must be that of a check that nobody has killed: verdict, reason, states, transitions, depth,
counterexample. Exit status 1 if one differs.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final

from everafter.cli import main as main_of_everafter

_GRID: Final = """
#define LAST {last}
short x, y, z
bool done
active proctype X() {{ do :: x < LAST -> x++ :: x == LAST -> break od }}
active proctype Y() {{ do :: y < LAST -> y++ :: y == LAST -> break od }}
active proctype Z() {{ (x == LAST && y == LAST) -> z = 1; assert({assertion}); done = true }}
ltl ends {{ <> (x == LAST || y == LAST) }}
ltl stays {{ [] (z == 1 -> <> {goal}) }}
"""
_UNSTEADY: Final = (
    *("seconds", "search_seconds", "compile_seconds", "bytes_per_state", "why"),
    *("vacuity", "under_fairness"),  # hints, which are looked for as long as the check has taken
)
_REACHABILITY: Final = ("breadth-first", "depth-first", "unordered")
_CYCLES: Final = ("schwoon-esparza", "holzmann", "courcoubetis", "tarjan")
_QUESTIONS: Final = (
    *(("--safety", "--algorithm", name) for name in _REACHABILITY),
    *(("--ltl", formula, "--algorithm", name) for name in _CYCLES for formula in ("ends", "stays")),
    ("--ltl", "stays", "--fair", "weak"),
)
_UNPACKED: Final = frozenset({"breadth-first", "tarjan", "weak"})
"""Searches that keep more of a state than a colour."""
_PATIENCE: Final = 600.0
_KILLS: Final = 3
"""A check is killed at most so often."""


@dataclass(frozen=True, slots=True)
class Case:
    """A check."""

    model: Path
    options: tuple[str, ...]


def main() -> int:
    """Kill check by check; 1 if one comes to something else."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500, help="how many kills")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--states", type=int, default=600_000, help="about how many states the models have")
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    seed = options.first
    with tempfile.TemporaryDirectory(prefix="kills-") as place:
        while outcomes["kills"] < options.count:
            outcomes += _killed(seed, Path(place), options.states)
            seed += 1
            print(f"seed {seed - 1}: {dict(outcomes)}", file=sys.stderr, flush=True)
    print(dict(outcomes))
    return 1 if outcomes["differs"] else 0


def _killed(seed: int, place: Path, states: int) -> Counter[str]:
    """Kill one check some times, and compare what it comes to in the end."""
    rng = random.Random(seed)
    asked = rng.choice(_QUESTIONS)
    case = Case(_model(place, states, rng.random() < 0.5), (*asked, *_store(rng, asked)))
    expected, seconds = _whole(case)
    folder = place / f"checkpoints-{seed}"
    command = ["check", str(case.model), *case.options, "--checkpoint", str(folder), "--checkpoint-every", "0s"]
    outcomes: Counter[str] = Counter(checks=1)
    for _ in range(rng.randint(1, _KILLS)):
        check = Check(place, *command)
        kind = _kill(check.process, folder, rng, seconds)
        if kind is None or check.has_told():
            break  # it was over before
        outcomes += Counter({"kills": 1, kind: 1, "with a checkpoint": bool(list(folder.glob("*.checkpoint")))})
        if not (folder / "check.json").exists():
            outcomes["before anything was written"] += 1
            continue
        command = ["resume", str(folder)]
    else:
        check = Check(place, *command)
    found = check.report()
    if found != expected:
        print(f"seed {seed}: {case} differs: {found}\nexpected {expected}", flush=True)
        outcomes["differs"] += 1
        return outcomes
    outcomes["same"] += 1
    shutil.rmtree(folder, ignore_errors=True)
    return outcomes


def _kill(process: BaseProcess, folder: Path, rng: random.Random, seconds: float) -> str | None:
    """Kill the process at a random moment; what it was doing, or None if it has ended before."""
    awaited = rng.choice(("", "*.checkpoint.unfinished", "*.checkpoint"))
    before = set(folder.glob(awaited)) if awaited else set()
    until = time.monotonic() + (_PATIENCE if awaited else rng.uniform(0.2, 1.5) * seconds)
    while process.is_alive() and time.monotonic() < until:
        if awaited and set(folder.glob(awaited)) - before:
            break
        time.sleep(0.001)
    if awaited:
        time.sleep(rng.uniform(0, 0.02 if "unfinished" in awaited else 0.3))
    process.kill()
    process.join()
    if process.exitcode is None or process.exitcode >= 0:
        return None
    return "while writing" if list(folder.glob("*.checkpoint.unfinished")) else "while searching"


def _store(rng: random.Random, asked: Sequence[str]) -> tuple[str, ...]:
    stores = ["plain", "plain", "tree"] if _UNPACKED.intersection(asked) else ["plain", "tree", "packed"]
    return ("--reduction", "none", "--store", rng.choice(stores))


def _model(place: Path, states: int, holds: bool) -> Path:
    """A grid of states behind which something may go wrong."""
    last = int((states / 4) ** 0.5)
    path = place / f"grid-{'holds' if holds else 'fails'}.pml"
    assertion, goal = ("true", "done") if holds else ("z == 0", "!done")
    path.write_text(_GRID.format(last=last, assertion=assertion, goal=goal))
    return path


@cache
def _whole(case: Case) -> tuple[Any, float]:
    """The report of a check that nobody kills, and how long it takes."""
    asked = ("check", str(case.model), *case.options, "--threads", "1")
    Check(case.model.parent, *asked).report()  # makes the code
    begin = time.monotonic()
    return Check(case.model.parent, *asked).report(), time.monotonic() - begin


class Check:
    """A check in a process of its own, which begins with all modules loaded."""

    def __init__(self, place: Path, *arguments: str) -> None:
        self.output = place / "output.json"
        self.output.write_text("")
        self.process = multiprocessing.get_context("fork").Process(target=self._run, args=arguments)
        self.process.start()

    def _run(self, *arguments: str) -> None:
        with self.output.open("w") as file, redirect_stdout(file), redirect_stderr(file):
            main_of_everafter([*arguments, "--format", "json"])

    def has_told(self) -> bool:
        """Whether it has written its report, to the end."""
        try:
            json.loads(self.output.read_text())
        except ValueError:
            return False
        return True

    def report(self) -> Any:
        """What it says when it is over, without what depends on the time."""
        self.process.join(_PATIENCE)
        told = self.output.read_text()
        try:
            results = json.loads(told)["results"]
        except ValueError:
            return told
        return [{name: value for name, value in each.items() if name not in _UNSTEADY} for each in results]


if __name__ == "__main__":
    sys.exit(main())
