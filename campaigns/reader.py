"""Does SPIN read what we read? Exits with 1 when a text is read by one alone for no reason that is documented.

    python -m campaigns.reader [--count 20000] [--first 0]

Texts are made from SPIN's grammar, rule by rule, spaced oddly, and every second one changed in some words. Each is
given to `spin -a` and to our reader. Texts on which SPIN dies or does not end say nothing.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from oracles.promela.odd_texts import odd_text
from oracles.promela.reading import Reading, compare_reading


def main() -> int:
    """Compare text by text; 1 if one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20_000, help="how many texts")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    options = parser.parse_args()
    readings: Counter[Reading] = Counter()
    reasons: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="reader-") as folder:
        for seed in range(options.first, options.first + options.count):
            compared = compare_reading(odd_text(seed), Path(folder))
            readings[compared.reading] += 1
            if compared.reading == "known":
                reasons[compared.explanation] += 1
            elif compared.reading == "differ":
                print(f"seed {seed}: {compared.explanation}", flush=True)
            if (seed + 1) % 1000 == 0:
                print(f"up to seed {seed}: {dict(readings)}", file=sys.stderr, flush=True)
    for reason, times in reasons.most_common():
        print(f"{times:6}  {reason}")
    print(f"seeds {options.first} to {options.first + options.count - 1}: {dict(readings)}")
    return 1 if readings["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
