"""Does a GPU say what the native engine says?

    python -m campaigns.gpu examples|models|random [--only SUBSTRING] [--jobs 8]

    examples     all that the models of examples/ state
    models       the questions of oracles/spin-truth.csv to models of at most so many states, but for fairness
    random       programs of random seeds: safety, and a formula

Verdicts must agree; where they are `holds` also states, where both found a shortest counterexample its
length. Some processes make code at the same time and share the card; what had too little of its memory is asked again
alone. EVERAFTER_GPU=cpu lets threads of the processor run the kernels. Exit status 1 if an answer differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from oracles.engines import Asked, Outcome, compare, of_examples, of_installed, of_seed

SHARED, ALONE = 3 << 30, 100 << 30
"""Bytes of the card for one of several, and for one alone."""
RANDOM_STATES = 20_000
"""Random programs with more states are passed over."""


def main() -> int:
    """Compare; 1 if something differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("examples", "models", "random"))
    parser.add_argument("--count", type=int, default=500, help="how many random programs")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--states", type=int, default=5_000_000, help="leave out larger models")
    parser.add_argument("--only", default="", help="only questions whose name contains this")
    parser.add_argument("--jobs", type=int, default=8, help="processes at the same time")
    options = parser.parse_args()
    asked = [each for each in _asked(options) if options.only in each.name]
    most = RANDOM_STATES if options.what == "random" else None
    outcomes: Counter[Outcome] = Counter()
    again: list[Asked] = []
    with ProcessPoolExecutor(options.jobs, get_context("spawn")) as pool:
        sizes = [SHARED] * len(asked), [most] * len(asked)
        for each, (outcome, told) in zip(asked, pool.map(compare, asked, *sizes), strict=True):
            if outcome == "too large":
                again.append(each)
            else:
                outcomes[outcome] += 1
                _tell(options.what, each, outcome, told)
    for each in again:
        outcome, told = compare(each, ALONE, most)
        outcomes[outcome] += 1
        _tell(options.what, each, outcome, told)
    print(options.what, dict(outcomes))
    return 1 if outcomes["differs"] else 0


def _tell(what: str, asked: Asked, outcome: Outcome, told: str) -> None:
    if what != "random" or outcome in ("differs", "too large"):
        print(f"{asked.name}: {outcome}: {told}", flush=True)


def _asked(options: argparse.Namespace) -> Iterator[Asked]:
    match options.what:
        case "examples":
            yield from of_examples()
        case "models":
            yield from of_installed(options.states)
        case _:
            for seed in range(options.first, options.first + options.count):
                yield from of_seed(seed)


if __name__ == "__main__":
    sys.exit(main())
