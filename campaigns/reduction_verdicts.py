"""Does any verdict on a whole model depend on reduction?

    python -m campaigns.reduction_verdicts [--states 2000000] [--seconds 60] [--only SUBSTRING] [--store tree]

Every row of oracles/spin-truth.csv, about safety and about infinite runs, and everything that can be asked of every
example (safety, its formulas, acceptance, progress) is checked by the native engine with all steps and with those that
suffice. A row that does not finish within the limits, with all steps or with some, is said to be so. Exit status 1 if a
verdict differs, or is not SPIN's.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from oracles.corpus import EXAMPLES
from oracles.truth import rows

from everafter.check import check
from everafter.questions.limits import Limits
from everafter.questions.request import Request
from everafter.user_model import Model, load
from everafter.verdict.result import Result

Question = tuple[str, Model, Request, str]
"""A name, what is asked of which model, and SPIN's verdict if it is known."""


def questions() -> Iterator[Question]:
    """Everything that is asked."""
    for row in rows():
        yield f"{row.path.removeprefix('Examples/')} {row.question}", load(row.model), row.request, row.verdict
    for path in EXAMPLES:
        model = load(path)
        asked = [Request(safety=True), Request(acceptance=True), Request(progress=True)]
        asked += [Request(formulas=(name,)) for name in model.formulas]
        yield from ((f"{path.stem} {_described(request)}", model, request, "") for request in asked)


def _described(request: Request) -> str:
    if request.formulas:
        return f"ltl {request.formulas[0]}"
    return "safety" if request.safety else "acceptance" if request.acceptance else "progress"


def outcome(full: Result, reduced: Result, spin: str) -> str:
    """What comes of a comparison."""
    if "incomplete" in (full.verdict, reduced.verdict):
        return "not finished"
    if full.verdict != reduced.verdict or (spin and spin != full.verdict):
        return "DIFFERS"
    return f"{full.verdict}, {'reduced' if reduced.reduction == 'static' else 'not reduced, with a reason'}"


def main() -> int:
    """Print the table; 1 if a verdict differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=int, default=2_000_000, help="give up above so many states")
    parser.add_argument("--seconds", type=float, default=60, help="give up after this time")
    parser.add_argument("--only", default="", help="only questions whose name contains this")
    parser.add_argument("--store", choices=("plain", "tree"), help="how machine code keeps states")
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    limits = Limits(states=options.states, seconds=options.seconds)
    for name, model, request, spin in questions():
        if options.only not in name:
            continue
        started = time.process_time()
        full, reduced = (
            check(model, replace(request, reduction=chosen, store=options.store), limits)[0]
            for chosen in ("none", "static")
        )
        found = outcome(full, reduced, spin)
        outcomes[found] += 1
        print(
            f"{name:<52} {full.verdict:<10} {full.states:>9} {reduced.verdict:<10} {reduced.states:>9}"
            f" {time.process_time() - started:>7.1f}  {found}",
            flush=True,
        )
    print(f"{outcomes.total()} questions: {dict(outcomes)}")
    return 1 if outcomes["DIFFERS"] else 0


if __name__ == "__main__":
    sys.exit(main())
