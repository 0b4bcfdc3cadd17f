"""Do Python models, compiled, do what they do as Python?

    python -m campaigns.python_models [--count 3000] [--first 0] [--most 600] [--certificates] [--of KIND] [--seconds S]

For every seed a random model is written. CPython runs its own functions, step by step, and visits all states by brute
force; then the program of the model is searched by the interpreter and on machine code, reduced and not, alone and by a
team. States and verdicts, on safety and on formulas, must be the same, and with --certificates those are checked.
Tasks (--of tasks) run under asyncio itself; what their variables come to, and whether anything goes wrong, is compared.
Exit status 1 if a model differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from math import inf
from time import monotonic

from oracles.pymodel.comparison import AUTHORS, MANNERS, Compared, Outcome, compared_seed
from oracles.pymodel.task_comparison import compared_tasks

from everafter.source import EverafterError


def main() -> int:
    """Compare model by model; 1 if one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=3000, help="how many models must be compared")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--most", type=int, default=600, help="pass over models with more states than this")
    parser.add_argument("--certificates", action="store_true", help="have the verdicts certified, too")
    parser.add_argument("--of", choices=[*AUTHORS, "tasks"], default="plain", help="what the models are made of")
    parser.add_argument("--reference", action="store_true", help="ask the interpreter only, which is quick")
    parser.add_argument("--seconds", type=float, default=inf, help="begin no model behind so many")
    options = parser.parse_args()
    outcomes: Counter[Outcome] = Counter()
    seed = options.first
    manners = MANNERS[:1] if options.reference else MANNERS
    end = monotonic() + options.seconds
    while outcomes["agrees"] + outcomes["differs"] < options.count and monotonic() < end:
        try:
            if options.of == "tasks":
                result = compared_tasks(seed, options.most, manners[1:], options.certificates)
            else:
                result = compared_seed(seed, manners, options.most, options.certificates, options.of)
        except EverafterError as error:
            result = Compared("differs", f"we refuse it: {error}")
        outcomes[result.outcome] += 1
        if result.outcome == "differs":
            print(f"seed {seed}: {result.explanation}", flush=True)
        seed += 1
        if seed % 100 == 0:
            print(f"up to seed {seed}: {dict(outcomes)}", file=sys.stderr, flush=True)
    print(f"seeds {options.first} to {seed - 1}: {dict(outcomes)}")
    return 1 if outcomes["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
