"""Do we agree with SPIN on SPIN's own example models?

    python -m campaigns.spin_parity [--limit 300000] [--only SUBSTRING] [--engine native|reference] [--store tree]

oracles/spin-truth.csv holds SPIN's verdict and its exact number of stored states, with all optimisations off, for
the models of Debian's spin package. Every safety row up to the limit is checked here, in verdict and in count; for a
violated model the count is that of a search that goes on past errors. Two violated models have no count there, because
SPIN does not finish them; for these only the verdict is compared, and a search that runs out of time or memory says
so. Exit status 1 if a row differs.
"""

from __future__ import annotations

import argparse
import sys
import time

from oracles.truth import count, safety_rows


def main() -> int:
    """Print the table; 1 if a row differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=300_000, help="leave out models with more states than this")
    parser.add_argument("--only", default="", help="only models whose path contains this")
    parser.add_argument(
        "--engine", choices=("native", "reference"), default="native", help="what is compared with SPIN"
    )
    parser.add_argument("--store", choices=("plain", "tree"), help="how machine code keeps states")
    options = parser.parse_args()
    differing = compared = unfinished = 0
    print(f"{'model':<42} {'SPIN':<9} {'ours':<10} {'SPIN states':>12} {'our states':>12} {'seconds':>8}")
    for row in safety_rows():
        too_large = row.states is not None and row.states > options.limit
        unknown = row.states is None and row.verdict == "holds"
        if too_large or unknown or options.only not in row.path:
            continue
        started = time.process_time()
        verdict, states = count(row, options.engine, options.store)
        same = verdict == row.verdict and states == (row.states or 0)
        too_slow = row.states is None and verdict == "incomplete"
        compared += 1
        unfinished += too_slow
        differing += not same and not too_slow
        print(
            f"{row.path:<42} {row.verdict:<9} {verdict:<10} {row.states or '-':>12} {states or '-':>12} "
            f"{time.process_time() - started:>8.1f}{'' if same else '  not finished' if too_slow else '  DIFFERS'}",
            flush=True,
        )
    print(f"{compared} rows compared, {differing} differ, {unfinished} not finished")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
