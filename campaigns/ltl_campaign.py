"""A long comparison of automata with the meaning of formulas, by seed; continues where a test run has to stop.

    python -m campaigns.ltl_campaign [--formulas N] [--words M] [--seed S]

For N random formulas of up to 12 operators over 4 propositions: the generalised and the Büchi automaton accept each
of M random lassos exactly if the formula holds on it; every tenth formula shares no word with its negation. Prints
the number of pairs, and stops with status 1 at the first disagreement.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from oracles.ltl.random_formulas import LARGEST, random_formula, random_lasso

from everafter.ltl import Not, accepts, disjoint, holds, text_of, translate
from everafter.ltl.translation import Translator


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--formulas", type=int, default=10_000)
    options.add_argument("--words", type=int, default=12)
    options.add_argument("--seed", type=int, default=1)
    arguments = options.parse_args()
    started = time.perf_counter()
    slowest = (0.0, "")
    pairs = satisfied = 0
    for index in range(arguments.formulas):
        rng = random.Random(f"{arguments.seed}/{index}")
        formula = random_formula(rng, rng.randint(1, LARGEST))
        before = time.perf_counter()
        translator = Translator(formula)
        automata = translator.generalised(), translator.buchi()
        slowest = max(slowest, (time.perf_counter() - before, text_of(formula)))
        for _ in range(arguments.words):
            word = random_lasso(rng)
            expected = holds(formula, word)
            pairs += 1
            satisfied += expected
            if any(accepts(automaton, word) != expected for automaton in automata):
                print(f"DISAGREEMENT on {text_of(formula)}: {word}")
                return 1
        if index % 10 == 0 and not disjoint(automata[0], translate(Not(formula))):
            print(f"NOT DISJOINT from its negation: {text_of(formula)}")
            return 1
    seconds = time.perf_counter() - started
    print(f"{pairs} pairs of {arguments.formulas} formulas agree ({satisfied} satisfied), {seconds:.0f} s")
    print(f"slowest translation {slowest[0]:.2f} s: {slowest[1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
