"""Is no counterexample shorter, where an engine says so?

    python -m campaigns.shortness [--count 3000] [--first 0] [--only NAME …]

Of every random program safety is asked, and a formula whose violations show after finitely many steps, with all steps
and with those that reduction leaves, of each engine. How long the shortest run into a violation is, is counted on the
reference by definition (`oracles.shortness`). Every other program has many atomic sequences. Exit status 1 if a
hint is wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from oracles.shortness import WAYS, compare


def main() -> int:
    """Compare program by program; 1 if one is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=3000, help="how many programs")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--only", nargs="*", choices=[way.name for way in WAYS], help="only these engines")
    options = parser.parse_args()
    ways = tuple(way for way in WAYS if not options.only or way.name in options.only)
    outcomes: Counter[tuple[str, str]] = Counter()
    wrong = 0
    for number, seed in enumerate(range(options.first, options.first + options.count), 1):
        compared = compare(seed, ways)
        outcomes += compared.outcomes
        wrong += len(compared.wrong)
        for each in compared.wrong:
            print(each, flush=True)
        if number % 100 == 0:
            print(f"up to seed {seed}: {wrong} wrong", file=sys.stderr, flush=True)
    for (engine, outcome), count in sorted(outcomes.items()):
        print(f"{engine:28} {outcome:28} {count:7,}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
