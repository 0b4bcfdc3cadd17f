"""For how many formulas is there a reason to believe in their automata, and is it ever one for a wrong automaton?

    python -m campaigns.automaton_reasons [--formulas N] [--mistakes M] [--words W] [--seed S]

For N random formulas of up to 12 operators over 4 propositions: is the usual automaton justified, or the one that was
reduced forwards only, or is the textbook automaton too large? And M mistakes in each automaton (an edge removed, a
label narrowed, an accepting state not marked, another first state): one that is still justified must accept each of W
random words that satisfies the formula. Prints a table, and stops with status 1 at a wrong automaton that is
justified, or a right one that is refuted.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter

from oracles.ltl.random_formulas import LARGEST, random_formula, random_lasso

from everafter.certificates.automaton.justification import Justified, Refuted, justify
from everafter.ltl import Automaton, Formula, TooLargeError, accepts, holds, text_of, to_buchi
from everafter.ltl.translation import to_answering_buchi


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--formulas", type=int, default=500)
    options.add_argument("--mistakes", type=int, default=4)
    options.add_argument("--words", type=int, default=50)
    options.add_argument("--seed", type=int, default=1)
    arguments = options.parse_args()
    stands: Counter[str] = Counter()
    mistakes: Counter[str] = Counter()
    times: list[float] = []
    for index in range(arguments.formulas):
        chance = random.Random(f"{arguments.seed}/{index}")
        formula = random_formula(chance, chance.randint(1, LARGEST))
        try:
            automaton = to_buchi(formula)
        except TooLargeError:
            continue
        before = time.process_time()
        stand = standing(formula, automaton)
        times.append(time.process_time() - before)
        stands[stand] += 1
        if stand == "refuted":
            print(f"A RIGHT AUTOMATON IS REFUTED: {text_of(formula)}")
            return 1
        for _ in range(arguments.mistakes):
            wrong = with_mistake(automaton, chance)
            found = judged(formula, wrong, chance, arguments.words)
            mistakes[found] += 1
            if found == "WRONG":
                print(f"A WRONG AUTOMATON IS JUSTIFIED: {text_of(formula)}\n{wrong}")
                return 1
    times.sort()
    print(f"{sum(stands.values())} formulas:", ", ".join(f"{count} {name}" for name, count in stands.most_common()))
    print(f"processor time: {times[len(times) // 2]:.3f} s in the median, {times[-1]:.1f} s at most")
    print(f"{mistakes.total()} mistakes:", ", ".join(f"{count} {name}" for name, count in mistakes.most_common()))
    return 0


def standing(formula: Formula, automaton: Automaton) -> str:
    """How the automaton of a formula stands."""
    found = justify(formula, automaton)
    if isinstance(found, Justified):
        return "justified"
    if isinstance(found, Refuted):
        return "refuted"
    if "more than" in found.why:
        return "too large"
    other = justify(formula, to_answering_buchi(formula))
    return "justified forwards" if isinstance(other, Justified) else "unjustified"


def with_mistake(automaton: Automaton, chance: random.Random) -> Automaton:
    """The automaton with a mistake, which may be harmless."""
    outgoing = [list(edges) for edges in automaton.outgoing]
    state = chance.randrange(len(outgoing))
    if outgoing[state]:
        place = chance.randrange(len(outgoing[state]))
        edge = outgoing[state][place]
        match chance.randrange(4):
            case 0:
                del outgoing[state][place]
            case 1 if automaton.propositions:
                literal = automaton.functions.variable(chance.randrange(len(automaton.propositions)))
                outgoing[state][place] = edge._replace(label=automaton.functions.minus(edge.label, literal))
            case 2:
                outgoing[state] = [each._replace(marks=0) for each in outgoing[state]]
            case _:
                return automaton.with_edges(outgoing, initial=state)
    return automaton.with_edges(outgoing)


def judged(formula: Formula, automaton: Automaton, chance: random.Random, words: int) -> str:
    """What becomes of an automaton that may be wrong."""
    found = justify(formula, automaton)
    if isinstance(found, Refuted):
        return "refuted"
    if not isinstance(found, Justified):
        return "without a reason"
    lassos = (random_lasso(chance) for _ in range(words))
    missed = any(holds(formula, word) and not accepts(automaton, word) for word in lassos)
    return "WRONG" if missed else "justified, and harmless"


if __name__ == "__main__":
    sys.exit(main())
