"""How many states are left with reduction, beside SPIN's?

    python benchmarks/reduction_table.py [--limit 6000000] [--only SUBSTRING] [--conditions [--random 2000]]

For every safety row of benchmarks/spin-truth.csv that holds: the states without reduction, with SPIN's default
reduction (its other optimisations off), and with ours; then the geometric mean of the ratio of the last two. Below
each model for which SPIN's count is lower stands the reason. The limit is on the states without reduction; models for
which it is not known are counted up to the limit with reduction.

With --conditions the conditions of the theorem are instead checked as they are defined, on the whole state graph of
every safety row whose count is known, violated or not, and of every example, up to the limit (a larger example is
taken in a smaller instance), and of so many random programs up to 1,000 states. Exit status 1 if one does not hold, if
verdicts differ, or if the mean is above 1.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.reduction_random import written
from tests.reduction.agreement import conditions_hold

from everafter.check import Model, load, parse
from everafter.reduction.soundness import Unreduced, for_safety
from everafter.search import Stopped
from everafter.source import InputError
from everafter.verdict.limits import Limits
from everafter.verdict.safety import count_states

MODELS = Path("/usr/share/doc/spin/examples")
TRUTH = Path(__file__).parent / "spin-truth.csv"
EXAMPLES = Path(__file__).parent.parent / "examples"
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


SMALLER = {"two_phase_commit.pml": {"N": "2"}}
"""Examples of which a smaller instance is looked at, since theirs has more states than the limit."""


def rows() -> Iterator[dict[str, str]]:
    """The safety rows."""
    with TRUTH.open(encoding="utf-8", newline="") as file:
        yield from (line for line in csv.DictReader(file) if line["check"] == "safety")


def _states(row: dict[str, str]) -> str:
    return row["raw_states"] or row["raw_states_past_errors"]


def condition_models(limit: int, only: str) -> Iterator[tuple[str, Model]]:
    """The models whose conditions are checked, each under a name."""
    counts = {row["path"]: int(_states(row) or 0) for row in rows()}
    for path in [MODELS / path for path, states in counts.items() if 0 < states <= limit] + [*EXAMPLES.glob("*.pml")]:
        name = f"{path.parent.name}/{path.name}"
        if only in name:
            yield name, load(path, SMALLER.get(path.name) if path.parent == EXAMPLES else None)


def check_conditions(limit: int, only: str, count: int) -> int:
    """The conditions on every model; 1 if they do not all fulfil them."""
    outcomes: Counter[str] = Counter()
    for name, model in condition_models(limit, only):
        started = time.process_time()
        outcome = _condition(model, limit)
        outcomes[f"models, {outcome}"] += 1
        print(f"{name:<42} {outcome:<32} {time.process_time() - started:8.1f} s", flush=True)
    for seed in range(count):
        try:
            outcome = _condition(parse(written(seed, "mixed")), 1000)
        except InputError:
            continue  # what is refused is not checked
        outcomes[f"random programs, {outcome}"] += 1
        if outcome.startswith("WRONG"):
            print(f"seed {seed}: {outcome}", flush=True)
    for outcome, number in sorted(outcomes.items()):
        print(f"{number:>6} {outcome}")
    return 1 if any("WRONG" in outcome for outcome in outcomes) else 0


def _condition(model: Model, limit: int) -> str:
    try:
        return conditions_hold(model, limit)
    except AssertionError as flaw:
        return f"WRONG: {flaw}"


def compare(limit: int, only: str) -> int:
    """The table."""
    logarithms: list[float] = []
    differing = 0
    print(f"{'model':<42} {'all':>9} {'SPIN':>9} {'ours':>9} {'ratio':>6}")
    for row in rows():
        if only not in row["path"] or not row["por_raw_states_spin"] or int(row["raw_states"] or 0) > limit:
            continue
        program = load(MODELS / row["path"]).program
        reduction = for_safety(program)
        try:
            chosen = None if isinstance(reduction, Unreduced) else reduction
            found, wrong = count_states(program, Limits(states=limit), "native", chosen)
        except Stopped:
            print(f"{row['path']:<42} {'more than the limit':>37}")
            continue
        spin = int(row["por_raw_states_spin"])
        differing += bool(wrong)
        logarithms.append(math.log(found / spin))
        notes = f"  {reduction.reason}" if isinstance(reduction, Unreduced) else ""
        notes += "  VERDICT DIFFERS" if wrong else ""
        count = row["raw_states"] or "-"
        print(f"{row['path']:<42} {count:>9} {spin:>9} {found:>9} {found / spin:6.2f}{notes}", flush=True)
        if found > spin:
            print(f"    {REASONS.get(row['path'], 'WITHOUT A REASON')}")
    mean = math.exp(sum(logarithms) / max(len(logarithms), 1))
    print(f"geometric mean over {len(logarithms)} models: {mean:.3f} of SPIN's states; {differing} verdicts differ")
    return 1 if differing or mean > 1 else 0


def main() -> int:
    """Print the table, or check the conditions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=None, help="leave out larger models")
    parser.add_argument("--only", default="", help="only models whose path contains this")
    parser.add_argument("--conditions", action="store_true", help="check the conditions instead")
    parser.add_argument("--random", type=int, default=2000, help="so many random programs beside the models")
    options = parser.parse_args()
    if options.conditions:
        return check_conditions(options.limit or 50_000, options.only, options.random)
    return compare(options.limit or 6_000_000, options.only)


if __name__ == "__main__":
    sys.exit(main())
