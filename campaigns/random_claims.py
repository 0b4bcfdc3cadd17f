"""Do we agree with SPIN about formulas on random programs?

    python -m campaigns.random_claims [--count 500] [--first 0] [--store tree|bitstate|compact]

For every seed a random program and a random formula without X over its global variables; SPIN's verdict with reduction
off, ours with every algorithm on both engines, with every one for several threads, and together with safety (then code
is not optimised), all counterexamples judged; with a store that forgets states, its own search alone. Exit status 1 if
a verdict differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import get_args

from oracles.claims import compare

from everafter.choices import StoreKind


def main() -> int:
    """Compare seed by seed; 1 if one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500, help="how many seeds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--store", choices=get_args(StoreKind), help="how machine code keeps states")
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.count):
        outcome, explanation = compare(seed, store=options.store)
        outcomes[outcome] += 1
        if outcome == "differs":
            print(f"seed {seed}: {explanation}", flush=True)
        if seed % 100 == 99:
            print(f"up to seed {seed}: {dict(outcomes)}", file=sys.stderr, flush=True)
    print(dict(outcomes))
    return 1 if outcomes["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
