"""Does SPIN follow the trails that everafter writes of random programs?

    python -m campaigns.trails [--count 500] [--first 0]

For every seed a random program is checked; if something goes wrong in it, SPIN's guided simulation must follow the
trail to the same state, and see the same assertion fail. Programs that hold, or that SPIN refuses, are passed over.
Exit status 1 if a trail differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from oracles.promela.random_programs import program
from oracles.spin import accepts
from oracles.trails import MODEL, difference

from everafter.questions.limits import Limits
from everafter.source import InputError
from everafter.user_model import load


def main() -> int:
    """Compare program by program; 1 if a trail differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500, help="how many trails must be compared")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    seed = options.first
    while outcomes["agrees"] + outcomes["differs"] < options.count:
        with tempfile.TemporaryDirectory(prefix="trail-") as folder:
            outcome, explanation = compare(program(seed), Path(folder))
        outcomes[outcome] += 1
        if outcome == "differs":
            print(f"seed {seed}: {explanation}", flush=True)
        seed += 1
    print(f"seeds {options.first} to {seed - 1}: {dict(outcomes)}")
    return 1 if outcomes["differs"] else 0


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
