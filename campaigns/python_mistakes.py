"""What is said of mistakes in Python models?

    python -m campaigns.python_mistakes [--count 300] [--first 0]

Random models get one mistake each. Each must be refused at a place of its text, or be another model; anything else that
is raised is printed with its seed. Exit status 1 if there was such a thing.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from oracles.pymodel.mistakes import planted


def main() -> int:
    """Plant mistake by mistake; 1 if one raises what it must not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300, help="how many mistakes reach the reader of models")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    options = parser.parse_args()
    found: Counter[str] = Counter()
    seed = options.first
    while found.total() - found["refused by Python"] < options.count:
        try:
            outcome: str = planted(seed)
        except Exception as error:  # whatever it is, it is what is looked for
            outcome = "raised"
            print(f"seed {seed}: {type(error).__name__}: {error}", flush=True)
        found[outcome] += 1
        seed += 1
    print(f"seeds {options.first} to {seed - 1}: {dict(found)}")
    return 1 if found["raised"] or found["no place"] else 0


if __name__ == "__main__":
    sys.exit(main())
