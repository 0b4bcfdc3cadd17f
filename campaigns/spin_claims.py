"""Do we agree with SPIN about infinite runs, on SPIN's own example models?

    python -m campaigns.spin_claims [--states 200000] [--seconds 120] [--only SUBSTRING] [--engine native|reference]
        [--store tree]

The rows of oracles/spin-truth.csv that are about formulas, never claims, acceptance and progress, with and without
weak fairness, are checked; SPIN's verdicts are those with reduction off. A row too large for the limits given is said
to be so. Exit status 1 if a verdict differs.
"""

from __future__ import annotations

import argparse
import sys
import time

from oracles.truth import answer, claim_rows

from everafter.questions.limits import Limits

#: Where SPIN's verdict is not ours, with the reason; see docs/differences-from-spin.md.
EXPLAINED: dict[tuple[str, str, str], str] = {}


def main() -> int:
    """Print the table; 1 if a verdict differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=int, default=200_000, help="give up above so many product states")
    parser.add_argument("--seconds", type=float, default=120, help="give up after this time")
    parser.add_argument("--only", default="", help="only models whose path contains this")
    parser.add_argument(
        "--engine", choices=("native", "reference"), default="native", help="what is compared with SPIN"
    )
    parser.add_argument("--store", choices=("plain", "tree"), help="how machine code keeps states")
    options = parser.parse_args()
    outcomes = {"agrees": 0, "differs": 0, "too large": 0, "explained": 0}
    for row in claim_rows():
        if options.only not in row.path:
            continue
        started = time.process_time()
        result = answer(row, Limits(seconds=options.seconds, states=options.states), options.engine, options.store)
        if result.verdict == "incomplete":
            outcome = "too large"
        elif result.verdict == row.verdict:
            outcome = "agrees"
        else:
            outcome = "explained" if (row.path, row.claim or row.check, row.fair) in EXPLAINED else "differs"
        outcomes[outcome] += 1
        print(
            f"{row.path:<42} {row.question:<22} {row.verdict:<9} {result.verdict:<10} {result.states:>9} "
            f"{time.process_time() - started:>7.1f}  {outcome}",
            flush=True,
        )
    print(outcomes)
    return 1 if outcomes["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
