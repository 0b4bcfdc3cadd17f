"""Does SPIN follow the trails that everafter writes of random programs, and everafter those of SPIN's verifiers?

    python -m campaigns.trails [--count 500] [--first 0] [--of everafter|spin|truth] [--seconds 280]

For every seed a random program is checked; if something goes wrong in it, SPIN's guided simulation must follow the
trail to the same state, and see the same assertion fail. With `--of spin` the trails are SPIN's, with its default
options and with each of its optimisations off, and we must take the steps that its own simulation takes; with `--of
truth` so for the violated rows of oracles/spin-truth.csv from `--first` on. Programs that hold, or that are refused,
are passed over. Exit status 1 if a trail differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count, islice
from math import inf
from pathlib import Path

from oracles.promela.random_programs import program
from oracles.spin import ModelRejectedError, accepts
from oracles.trails import (
    MODEL,
    OPTIMISATIONS,
    difference,
    difference_from_spin,
    place_model,
    questions_of_truth,
    trail_of_spin,
)

from everafter.questions.limits import Limits
from everafter.source import InputError
from everafter.user_model import load

Outcome = tuple[str, str]


def main() -> int:
    """Compare program by program; 1 if a trail differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500, help="how many violated programs, or rows, must be compared")
    parser.add_argument("--first", type=int, default=0, help="the first seed, or row")
    parser.add_argument("--of", choices=("everafter", "spin", "truth"), default="everafter", help="whose trails")
    parser.add_argument("--seconds", type=float, default=inf, help="begin no further one after this time")
    options = parser.parse_args()
    until = time.monotonic() + options.seconds
    comparisons = {"everafter": _ours, "spin": _of_random_programs, "truth": _of_truth}[options.of](options.first)
    total: Counter[str] = Counter()
    compared = 0
    for name, outcomes in comparisons:
        words = Counter(word for word, _ in outcomes)
        for word, explanation in outcomes:
            if word == "differs":
                print(f"{name}: {explanation}", flush=True)
        total += words
        compared += bool(words["agrees"] + words["differs"])
        if compared == options.count or time.monotonic() > until:
            break
    print(f"from {options.first}, {compared} compared, to {name}: {dict(total)}")
    return 1 if total["differs"] else 0


def _ours(first: int) -> Iterator[tuple[str, list[Outcome]]]:
    for seed in count(first):
        with tempfile.TemporaryDirectory(prefix="trail-") as folder:
            yield f"seed {seed}", [compare(program(seed), Path(folder))]


def _of_random_programs(first: int) -> Iterator[tuple[str, list[Outcome]]]:
    for seed in count(first):
        with tempfile.TemporaryDirectory(prefix="trail-") as folder:
            (Path(folder) / MODEL).write_text(program(seed))
            yield f"seed {seed}", compare_with_spin(Path(folder), ["-DSAFETY"], ["-m100000"])


def _of_truth(first: int) -> Iterator[tuple[str, list[Outcome]]]:
    for number, (row, compiling, options) in enumerate(islice(questions_of_truth(), first, None), first):
        with tempfile.TemporaryDirectory(prefix="trail-") as folder:
            place_model(Path(folder), row.model)
            name = f"row {number}, {row.path} {row.question}"
            yield name, compare_with_spin(Path(folder), compiling, ["-m1000000", *options])


def compare_with_spin(folder: Path, compiling: Sequence[str], options: Sequence[str]) -> list[Outcome]:
    """How we read SPIN's trails for the model in the folder, one for each way to optimise it."""
    try:
        model = load(folder / MODEL).program
    except InputError as error:
        return [("refused", str(error))]
    outcomes: list[Outcome] = []
    for flags in OPTIMISATIONS:
        try:
            text = trail_of_spin(folder, flags, compiling, options)
        except ModelRejectedError as error:
            return [("refused", str(error))]
        if text is None or not any(line[:1].isdigit() for line in text.splitlines()):
            outcomes.append(("passed over", ""))
            continue
        different = difference_from_spin(folder, model, text, flags)
        outcomes.append(("agrees", "") if different is None else ("differs", f"{' '.join(flags)} {different}"))
    return outcomes


def compare(text: str, folder: Path) -> tuple[str, str]:
    """How the trail of a program's violation compares, and what differs."""
    (folder / MODEL).write_text(text)
    try:
        run = load(folder / MODEL).check(engine="reference", limits=Limits(states=5000)).counterexample
    except InputError as error:
        return "refused", str(error)
    if run is None or not accepts(text):
        return "passed over", ""
    different = difference(folder, run)
    return ("agrees", "") if different is None else ("differs", different)


if __name__ == "__main__":
    sys.exit(main())
