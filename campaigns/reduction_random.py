"""Is the reduction right on random programs?

    python -m campaigns.reduction_random [--count 5000] [--first 0] [--programs mixed] [--limit 1000] [--shrink]
    python -m campaigns.reduction_random --native [--count 5000] [--first 0] [--programs mixed] [--store tree]

For every seed a random program is written, and a random formula without X over its variables. With and without
reduction the same must go wrong in the program, and the formula must have the same verdict with all algorithms. For
programs with no more states than the limit the conditions of the theorem are checked on the whole state graph as they
are defined, and the sets of traces compared up to stuttering; and the judge of certificates must find all that is left
out to be needless. A random never claim must accept a run of both or of neither. Programs are general ones, tiny ones
in which processes get into each other's way, or both in turn. With --native only verdicts are compared, of machine
code: of safety and of two formulas for each program, all steps against those that suffice, both with all algorithms; up
to 200 states the reference must say the same. Exit status 1 if something differs.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter

from oracles.promela.random_programs import program
from oracles.promela.shrinking import shrink
from oracles.reduction.agreement import (
    conditions_hold,
    judge_agrees,
    names_in,
    same_never_claim,
    same_safety,
    same_verdict,
    traces_agree,
    with_formula,
    with_never_claim,
)
from oracles.reduction.native import compare_native
from oracles.reduction.random_formulas import formula_over
from oracles.reduction.random_small import small_model

from everafter.source import InputError
from everafter.user_model import parse


def compare(text: str, seed: int, limit: int) -> list[str]:
    """What was found out about a program. Raises AssertionError if something differs."""
    model = parse(text)
    found = [conditions_hold(model, limit), same_safety(model, 5 * limit), judge_agrees(model, None, limit)]
    names = names_in(text)
    if names:
        claim = formula_over(random.Random(seed), names, random.Random(seed).randrange(2, 6))
        model, understood = with_formula(model, claim)
        found += [same_verdict(model, understood, limit), traces_agree(model, understood, limit // 4)]
        found.append(judge_agrees(model, understood, limit))
        found.append(same_never_claim(with_never_claim(text, names, seed), limit))
    return found


def written(seed: int, programs: str) -> str:
    """The program of a seed."""
    is_tiny = seed % 2 == 0 if programs == "mixed" else programs == "tiny"
    return small_model(seed) if is_tiny else program(seed)


def differs(text: str, seed: int, limit: int) -> bool:
    """Whether something differs in a program."""
    try:
        compare(text, seed, limit)
    except AssertionError:
        return True
    except InputError:
        return False
    return False


def main() -> int:
    """Compare seed by seed; 1 if one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=5000, help="how many seeds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--limit", type=int, default=1000, help="how large a graph is looked at as a whole")
    parser.add_argument("--programs", choices=("general", "tiny", "mixed"), default="mixed", help="which are written")
    parser.add_argument("--native", action="store_true", help="verdicts only, on machine code")
    parser.add_argument("--store", choices=("plain", "tree"), default="plain", help="how --native keeps states")
    parser.add_argument("--shrink", action="store_true", help="shrink every program that differs, and print it")
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.count):
        text = written(seed, options.programs)
        try:
            if options.native:
                outcomes.update(compare_native(text, seed, 200, store=options.store))
            else:
                outcomes.update(compare(text, seed, options.limit))
        except InputError:
            outcomes["refused"] += 1
        except AssertionError as difference:
            outcomes["DIFFERS"] += 1
            print(f"seed {seed}: {difference}", flush=True)
            if options.shrink:
                print(shrink(text, lambda smaller, seed=seed: differs(smaller, seed, options.limit)), flush=True)  # type: ignore[misc]  # the default binds the seed
        if seed % 100 == 99:
            print(f"up to seed {seed}: {dict(outcomes)}", file=sys.stderr, flush=True)
    print(f"seeds {options.first} to {options.first + options.count - 1}: {dict(outcomes)}")
    return 1 if outcomes["DIFFERS"] else 0


if __name__ == "__main__":
    sys.exit(main())
