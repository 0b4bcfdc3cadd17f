"""Does our preprocessor give the words that gcc's gives, for random texts?

    python -m campaigns.preprocessing [--count 5000] [--first 0]

The texts have conditionals in each other, macros of every kind that call each other and themselves, quoting, pasting,
and calls over lines and directives. Texts that gcc refuses are passed over. Exit status 1 if one differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from oracles.promela.random_macros import compare


def main() -> int:
    """Compare text by text; 1 if one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=5000, help="how many texts are compared")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.count):
        outcome, explanation = compare(seed)
        outcomes[outcome] += 1
        if outcome == "differs":
            print(f"seed {seed}: {explanation}", flush=True)
    print(f"seeds {options.first} to {seed}: {dict(outcomes)}")
    return 1 if outcomes["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
