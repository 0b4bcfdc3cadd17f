"""Is it right to take starts and ends of processes as steps that commute with all others?

    python -m campaigns.starts_random [--count 2000] [--first 0] [--limit 4000] [--seconds 600]

For every seed a small program is written in which processes start others and end. Where numbers of processes are said
not to matter, alike states must lead to alike states (`oracles/reduction/alike.py`). Safety, a random formula,
acceptance and progress are decided with each reduction, by the reference and on machine code: the verdicts must be the
same, machine code must find as many states as the reference, and every counterexample passes the judge. Exit status 1
if something differs.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

from oracles.reduction.alike import differences
from oracles.reduction.random_formulas import formula_over
from oracles.reduction.random_starts import starting_model

from everafter.check import check
from everafter.questions.limits import Limits
from everafter.questions.request import Request
from everafter.reduction.process_numbers import numbers_matter
from everafter.reduction.visibility import NOTHING_WATCHED
from everafter.source import InputError
from everafter.user_model import Model, parse
from everafter.verdict.result import Result

_WISHES = ("none", "static", "ample", "merge")


def alike_states(model: Model, limit: int) -> str:
    """Whether numbers matter. Raises AssertionError if they do not, and alike states have other steps all the same."""
    if numbers_matter(model.program, NOTHING_WATCHED):
        return "numbers matter"
    found = next(differences(model.program, limit), None)
    assert found is None, found
    return "numbers do not matter"


def verdicts(model: Model, limit: int, engines: tuple[str, ...], **about: Any) -> str:
    """The verdict. Raises AssertionError if it depends on reduction or engine, or machine code counts otherwise."""
    found: dict[tuple[str, str], Result] = {}
    for engine in engines:
        for wish in _WISHES:
            request = Request(engine=engine, reduction=wish, threads=1, **about)
            (found[engine, wish],) = check(model, request, Limits(states=limit))
    assert not any(result.disagreement for result in found.values()), (about, found)
    decided = {name: result.verdict for name, result in found.items() if result.verdict != "incomplete"}
    assert len(set(decided.values())) <= 1, f"{about}: {decided}"
    if about.get("safety"):
        for wish in _WISHES:
            counts = {found[engine, wish].states for engine in engines if found[engine, wish].verdict == "holds"}
            assert len(counts) <= 1, f"{wish}: {counts} states"
    return next(iter(decided.values()), "too large")


def compared(seed: int, limit: int, engines: tuple[str, ...]) -> Iterator[str]:
    """What was found out about the program of a seed."""
    model, chance = parse(starting_model(seed)), random.Random(seed)
    formula = formula_over(chance, ["x", "y"], chance.randrange(2, 6))
    yield alike_states(model, limit)
    may_wait: tuple[str, ...] = ("end-states",) if seed % 2 else ()
    asked: tuple[dict[str, Any], ...] = ({"safety": True, "ignore": may_wait}, {"formulas": (formula,)})
    for about in (*asked, {"acceptance": True}, {"progress": True}):
        yield f"{next(iter(about))}: {verdicts(model, limit, engines, **about)}"


def main() -> int:
    """Compare seed by seed; 1 if one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="how many seeds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--limit", type=int, default=4000, help="how many states are looked at")
    parser.add_argument("--seconds", type=float, default=600, help="when to begin no other seed")
    parser.add_argument("--reference", action="store_true", help="only the reference")
    options = parser.parse_args()
    engines = ("reference",) if options.reference else ("reference", "native")
    outcomes: Counter[str] = Counter()
    end, done = time.monotonic() + options.seconds, options.first
    for seed in range(options.first, options.first + options.count):
        if time.monotonic() > end:
            break
        done = seed
        try:
            outcomes.update(compared(seed, options.limit, engines))
        except InputError:
            outcomes["refused"] += 1
        except AssertionError as difference:
            outcomes["DIFFERS"] += 1
            print(f"seed {seed}: {difference}", flush=True)
    print(f"seeds {options.first} to {done}: {dict(outcomes)}")
    return 1 if outcomes["DIFFERS"] else 0


if __name__ == "__main__":
    sys.exit(main())
