"""Do we agree with SPIN about infinite runs, on SPIN's own example models?

    python -m benchmarks.spin_claims [--states 200000] [--seconds 120] [--only SUBSTRING] [--engine native|reference]

The rows of benchmarks/spin-truth.csv that are about formulas, never claims, acceptance and progress, with and without
weak fairness, are checked; SPIN's verdicts are those with reduction off. A row too large for the limits given is said
to be so. Exit status 1 if a verdict differs.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time

from benchmarks.spin_parity import EXAMPLES, TRUTH

from everafter.check import Model, Request, check, load
from everafter.product.fairness import Fairness
from everafter.verdict.limits import Limits
from everafter.verdict.result import Engine, Result

#: Where SPIN's verdict is not ours, with the reason; see docs/differences-from-spin.md.
EXPLAINED: dict[tuple[str, str, str], str] = {}


def answer(model: Model, line: dict[str, str], limits: Limits, engine: Engine = "reference") -> Result:
    """Our answer to the question of a row."""
    fairness: Fairness | None = "weak" if line["fair"] == "weak" else None
    match line["check"]:
        case "ltl":
            request = Request(formulas=(line["claim"],), fairness=fairness, engine=engine)
        case "never":
            request = Request(never=True, fairness=fairness, engine=engine)
        case "accept":
            request = Request(acceptance=True, fairness=fairness, engine=engine)
        case _:
            request = Request(progress=True, fairness=fairness, engine=engine)
    return check(model, request, limits)[0]


def rows() -> list[dict[str, str]]:
    """The rows about infinite runs."""
    with TRUTH.open(encoding="utf-8", newline="") as file:
        return [line for line in csv.DictReader(file) if line["check"] != "safety"]


def main() -> int:
    """Print the table; 1 if a verdict differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=int, default=200_000, help="give up above so many product states")
    parser.add_argument("--seconds", type=float, default=120, help="give up after this time")
    parser.add_argument("--only", default="", help="only models whose path contains this")
    parser.add_argument(
        "--engine", choices=("native", "reference"), default="native", help="what is compared with SPIN"
    )
    options = parser.parse_args()
    outcomes = {"agrees": 0, "differs": 0, "too large": 0, "explained": 0}
    for line in rows():
        if options.only not in line["path"]:
            continue
        started = time.process_time()
        model = load(EXAMPLES / line["path"])
        result = answer(model, line, Limits(seconds=options.seconds, states=options.states), options.engine)
        key = (line["path"], line["claim"] or line["check"], line["fair"])
        if result.verdict == "incomplete":
            outcome = "too large"
        elif result.verdict == line["verdict"]:
            outcome = "agrees"
        else:
            outcome = "explained" if key in EXPLAINED else "differs"
        outcomes[outcome] += 1
        question = f"{line['check']} {line['claim']} {line['fair']}".strip()
        print(
            f"{line['path']:<42} {question:<22} {line['verdict']:<9} {result.verdict:<10} {result.states:>9} "
            f"{time.process_time() - started:>7.1f}  {outcome}",
            flush=True,
        )
    print(outcomes)
    return 1 if outcomes["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
