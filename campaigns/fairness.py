"""Does machine code find a fair run exactly where the reference does?

    python -m campaigns.fairness [--count 2000] [--first 0] [--programs mixed] [--limit 2000]

For every seed a random program is written, and a random formula over its variables. Under weak and under strong
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
from oracles.reduction.agreement import names_in
from oracles.reduction.random_formulas import formula_over
from oracles.reduction.random_small import small_model

from everafter.questions.outcome import Disagreement
from everafter.source import InputError
from everafter.user_model import parse


def main() -> int:
    """Compare seed by seed; 1 if one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="how many seeds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--limit", type=int, default=2000, help="the most states that the reference looks at")
    parser.add_argument("--programs", choices=("general", "tiny", "mixed"), default="mixed", help="which are written")
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.count):
        is_tiny = seed % 2 == 0 if options.programs == "mixed" else options.programs == "tiny"
        text = small_model(seed) if is_tiny else program(seed)
        generator = random.Random(f"fairness {seed}")
        names = names_in(text)
        claim = formula_over(generator, names, generator.randrange(2, 6)) if names else "true"
        try:
            outcomes.update(same_fair_verdicts(parse(text), f"[] <> {claim}" if seed % 3 else claim, options.limit))
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
