"""Is what is said beside a verdict true of random programs?

    python -m campaigns.hints [--count 1000] [--first 0] [--only coverage] [--engine native]

For every seed random programs are written, and their whole graphs made by the meaning alone. What everafter says of
them is compared with what its definition says of the graph: `coverage` (statements never executed), `formulas` (in
what a formula holds vacuously, and what becomes of a violated one under fairness), `waits` (where nobody can move, and
why), `warnings` (of likely mistakes), `figures` (states, transitions, depth), `products` (the same beside a claim)
and `sweeps`. With `--engine native` figures are those of teams and of a cluster inside this process, too, and, where
EVERAFTER_GPU is set, of a GPU, which may be `cpu`. Exit status 1 if something differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from oracles.hints.comparisons import COMPARISONS

from everafter.source import InputError


def main() -> int:
    """Compare seed by seed; 1 if something differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="how many seeds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--only", choices=COMPARISONS, action="append", help="what is compared; without it everything")
    parser.add_argument("--engine", choices=("reference", "native"), default="reference", help="who is asked")
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.count):
        for name in options.only or COMPARISONS:
            try:
                outcomes.update(COMPARISONS[name](seed, options.engine))
            except InputError:
                outcomes["refused"] += 1
            except AssertionError as difference:
                outcomes["DIFFERS"] += 1
                print(f"{name}: {difference}", flush=True)
        if seed % 100 == 99:
            print(f"up to seed {seed}: {outcomes.total()} compared", file=sys.stderr, flush=True)
    for outcome, count in sorted(outcomes.items()):
        print(f"{count:>8,}  {outcome}")
    return 1 if outcomes["DIFFERS"] else 0


if __name__ == "__main__":
    sys.exit(main())
