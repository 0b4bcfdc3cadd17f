"""Does the reference agree with SPIN on random programs?

    python -m campaigns.random_parity [--count 2000] [--first 0] [--limit 5000] [--corner NAME] [--seconds 30]
        [--shrink]

For every seed a random program is written, SPIN counts its states with all optimisations off and past errors, and so do
we. Programs that SPIN refuses or does not finish say nothing and are passed over, and so are those whose messages
or priorities SPIN changes while it backtracks (docs/differences-from-spin.md); after an index out of range SPIN
reads memory that is not the model's, so there only the verdict is compared. Exit status 1 if a program differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from oracles.agreement import Agreement, compare
from oracles.promela.random_parts import CORNERS
from oracles.promela.random_programs import program
from oracles.promela.shrinking import shrink

from everafter.source import InputError


def main() -> int:
    """Compare program by program; 1 if one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="how many programs must be compared")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--limit", type=int, default=5000, help="pass over programs with more states than this")
    parser.add_argument("--corner", choices=CORNERS, help="programs from a corner of the language")
    parser.add_argument("--seconds", type=float, default=30, help="how long each search of SPIN may take")
    parser.add_argument("--shrink", action="store_true", help="shrink every program that differs, and print it")
    options = parser.parse_args()
    outcomes: Counter[Agreement] = Counter()
    seed = options.first
    while outcomes["agrees"] + outcomes["differs"] < options.count:
        text = program(seed, CORNERS.get(options.corner))
        try:
            outcome, explanation = compare(text, options.limit, seconds=options.seconds)
        except InputError as error:
            outcome, explanation = "differs", f"we refuse it: {error}"
        outcomes[outcome] += 1
        if outcome == "differs":
            print(f"seed {seed}: {explanation}", flush=True)
            if options.shrink:
                print(shrink(text, lambda smaller: compare(smaller, options.limit)[0] == "differs"), flush=True)
        seed += 1
        if seed % 100 == 0:
            print(f"up to seed {seed}: {dict(outcomes)}", file=sys.stderr, flush=True)
    print(f"seeds {options.first} to {seed - 1}: {dict(outcomes)}")
    return 1 if outcomes["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
