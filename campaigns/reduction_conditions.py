"""Does the reduction fulfil the conditions of the theorem?

    python -m campaigns.reduction_conditions [--limit 50000] [--only SUBSTRING] [--random 2000]

The conditions are checked as they are defined, on the whole state graph of every safety row of oracles/spin-truth.csv
whose count is known, violated or not, and of every example, up to the limit (a larger example is taken in a smaller
instance), and of so many random programs up to 1,000 states. Exit status 1 if one does not hold.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator

from campaigns.reduction_random import written
from oracles.corpus import EXAMPLES
from oracles.reduction.agreement import conditions_hold
from oracles.truth import safety_rows

from everafter.source import InputError
from everafter.user_model import Model, load, parse

SMALLER = {"two_phase_commit.pml": {"N": "2"}}
"""Examples of which a smaller instance is looked at, since theirs has more states than the limit."""


def condition_models(limit: int, only: str) -> Iterator[tuple[str, Model]]:
    """The models whose conditions are checked, each under a name."""
    small = [row.model for row in safety_rows() if row.states is not None and row.states <= limit]
    for path in [*small, *EXAMPLES]:
        name = f"{path.parent.name}/{path.name}"
        if only in name:
            yield name, load(path, SMALLER.get(path.name) if path in EXAMPLES else None)


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


def main() -> int:
    """Check the conditions on every model; 1 if they do not all fulfil them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=50_000, help="leave out larger models")
    parser.add_argument("--only", default="", help="only models whose path contains this")
    parser.add_argument("--random", type=int, default=2000, help="so many random programs beside the models")
    options = parser.parse_args()
    return check_conditions(options.limit, options.only, options.random)


if __name__ == "__main__":
    sys.exit(main())
