"""Do searches find the same on random programs, whether states are kept whole, as trees or packed?

    python -m campaigns.stores [--count 500] [--first 0] [--teams]

For every seed a random program and a random formula over its global variables: every search by one worker, over each
store, must come to the same verdict, states, transitions, depth and counterexample, over packed rows where these fit;
with --teams, every search by a team of two to four workers to the same verdict, and to the same states where everything
is searched. Exit status 1 if one does not.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from oracles.stores import compare

from everafter.source import InputError


def main() -> int:
    """Compare seed by seed; 1 if one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500, help="how many seeds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--teams", action="store_true", help="searches by teams, and not by one worker")
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.count):
        try:
            outcome, explanation = compare(seed, options.teams)
        except InputError:
            outcome, explanation = "passed over", ""
        outcomes[outcome] += 1
        if outcome == "differs":
            print(f"seed {seed}: {explanation}", flush=True)
        if seed % 100 == 99:
            print(f"up to seed {seed}: {dict(outcomes)}", file=sys.stderr, flush=True)
    print(dict(outcomes))
    return 1 if outcomes["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
