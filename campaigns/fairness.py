"""Does machine code find a fair run exactly where the reference does?

    python -m campaigns.fairness [--count 2000] [--first 0] [--programs mixed] [--limit 2000]

For every seed a random program is written, and a random formula over its variables; half of the programs are small ones
in which processes can move now and then. Under weak and under strong
fairness, the search of machine code and that of the reference must both find a run that violates the formula, or
neither; and what machine code finds must be confirmed: taken step by step, false to the formula, and fair. Exit
status 1 if something differs.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter

from oracles.fair_verdicts import same_fair_verdicts
from oracles.promela.random_programs import program
from oracles.promela.random_waiting import waiting_program
from oracles.reduction.agreement import names_in
from oracles.reduction.random_formulas import formula_over
from oracles.reduction.random_small import small_model

from everafter.questions.outcome import Disagreement
from everafter.source import InputError
from everafter.user_model import parse


def written(seed: int, programs: str) -> tuple[str, str]:
    """The program and the formula of a seed."""
    generator = random.Random(f"fairness {seed}")
    kind = PROGRAMS[seed % len(PROGRAMS)] if programs == "mixed" else programs
    if kind == "waiting":
        return waiting_program(generator)
    text = small_model(seed) if kind == "tiny" else program(seed)
    names = names_in(text)
    if not names:
        return text, "true"
    claim = formula_over(generator, names, generator.randrange(1, 5))
    return text, claim if seed % 5 == 0 else f"{generator.choice(('[] <>', '<>', '<> []'))} {claim}"


PROGRAMS = ("waiting", "tiny", "waiting", "general")


def main() -> int:
    """Compare seed by seed; 1 if one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="how many seeds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--limit", type=int, default=2000, help="the most states that the reference looks at")
    parser.add_argument("--programs", choices=(*PROGRAMS[1:], "mixed"), default="mixed", help="which are written")
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.count):
        text, claim = written(seed, options.programs)
        try:
            found = same_fair_verdicts(parse(text), claim, options.limit)
            outcomes.update(found)
            outcomes["strong fairness matters"] += found == ["weak: violated", "strong: holds"]
        except InputError:
            outcomes["refused"] += 1
        except (AssertionError, Disagreement) as difference:
            outcomes["DIFFERS"] += 1
            print(f"seed {seed}: {difference}", flush=True)
        if seed % 100 == 99:
            print(f"up to seed {seed}: {dict(outcomes)}", file=sys.stderr, flush=True)
    print(f"seeds {options.first} to {options.first + options.count - 1}: {dict(outcomes)}")
    return 1 if outcomes["DIFFERS"] else 0


if __name__ == "__main__":
    sys.exit(main())
