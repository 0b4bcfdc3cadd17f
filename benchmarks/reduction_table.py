"""How many states are left with reduction, beside SPIN's?

    python -m benchmarks.reduction_table [--limit 6000000] [--only SUBSTRING]

For every safety row of oracles/spin-truth.csv that holds: the states without reduction, with SPIN's default
reduction (its other optimisations off), and with ours; then the geometric mean of the ratio of the last two. Below
each model for which SPIN's count is lower stands the reason. The limit is on the states without reduction; models for
which it is not known are counted up to the limit with reduction. Exit status 1 if verdicts differ, or if the mean is
above 1.
"""

from __future__ import annotations

import argparse
import math
import sys

from oracles.counting import count_states
from oracles.truth import safety_rows

from everafter.questions.limits import Limits
from everafter.reduction.soundness import Unreduced, for_safety
from everafter.search import Stopped
from everafter.user_model import load

NUMBERS = (
    "SPIN lets a process end, and another start, in either order without looking at both, though the numbers of "
    "processes differ afterwards; so it misses violations (its issue 78)"
)
REASONS = {
    "Examples/Book_1991/p320.pml": NUMBERS,
    "Examples/Book_1991/p96.2.pml": NUMBERS,
    "Examples/Book_1991/p97.2.pml": NUMBERS,
    "Examples/LTL/mobile1.pml": NUMBERS,
    "Examples/calculator.pml": NUMBERS,
}


def compare(limit: int, only: str) -> int:
    """The table."""
    logarithms: list[float] = []
    differing = 0
    print(f"{'model':<42} {'all':>9} {'SPIN':>9} {'ours':>9} {'ratio':>6}")
    for row in safety_rows():
        spin = row.reduced_states
        if only not in row.path or spin is None or (row.states or 0) > limit:
            continue
        program = load(row.model).program
        reduction = for_safety(program)
        try:
            chosen = None if isinstance(reduction, Unreduced) else reduction
            found, wrong = count_states(program, Limits(states=limit), "native", chosen)
        except Stopped:
            print(f"{row.path:<42} {'more than the limit':>37}")
            continue
        differing += bool(wrong)
        logarithms.append(math.log(found / spin))
        notes = f"  {reduction.reason}" if isinstance(reduction, Unreduced) else ""
        notes += "  VERDICT DIFFERS" if wrong else ""
        print(f"{row.path:<42} {row.states or '-':>9} {spin:>9} {found:>9} {found / spin:6.2f}{notes}", flush=True)
        if found > spin:
            print(f"    {REASONS.get(row.path, 'WITHOUT A REASON')}")
    mean = math.exp(sum(logarithms) / max(len(logarithms), 1))
    print(f"geometric mean over {len(logarithms)} models: {mean:.3f} of SPIN's states; {differing} verdicts differ")
    return 1 if differing or mean > 1 else 0


def main() -> int:
    """Print the table; 1 if it is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=6_000_000, help="leave out larger models")
    parser.add_argument("--only", default="", help="only models whose path contains this")
    options = parser.parse_args()
    return compare(options.limit, options.only)


if __name__ == "__main__":
    sys.exit(main())
