"""Is it right to write zero into variables that are not read again?

    python -m campaigns.erasure_random [--count 1000] [--first 0] [--limit 2000] [--seconds 3600] [--native]

For every seed a random program is written, general or tiny, and a random formula, with X, over its variables. In the
first `--limit` states, each state is compared with the one in which zero is what is erased: they must take the same
steps, to rows that are equal (`oracles/reduction/erased.py`), and the checker of certificates must find nothing that
reads a zero. Then safety, the formula and, under weak and strong
fairness, the formula again are decided with every `--reduction`; the verdicts must be the same, and every
counterexample passes the judge. With --native all but strong fairness is decided on machine code, too, which must find
as many states as the reference. Exit status 1 if something differs.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator

from oracles.promela.random_programs import program
from oracles.reduction.agreement import GLOBAL
from oracles.reduction.erased import erasure_flaws
from oracles.reduction.random_formulas import formula_over
from oracles.reduction.random_small import small_model

from everafter.certificates.independence.zero_cells import read_of_zeros
from everafter.check import check
from everafter.choices import REDUCTIONS, Fairness
from everafter.promela.propositions import formula_text
from everafter.questions.limits import Limits
from everafter.questions.property import understand
from everafter.questions.request import Request
from everafter.record import replace
from everafter.reduction.live_cells import erasure_of
from everafter.source import InputError
from everafter.user_model import Model, parse
from everafter.verdict.result import Result

_WISHES = ("none", "static", *REDUCTIONS)
_FAIRNESS: tuple[Fairness | None, ...] = (None, "weak", "strong")


def written(seed: int) -> str:
    """The program of a seed, with variables that are only written, or written before they are read."""
    return small_model(seed) if seed % 2 == 0 else program(seed)


def literally(model: Model, formula: str | None, limit: int) -> str:
    """The definition, in the first states. Raises AssertionError if it does not hold."""
    text = formula_text(model.tree, formula, "ltl") if formula is not None else None
    watched = tuple(understand(model.tree, text).expressions.values()) if text is not None else ()
    erased = erasure_of(model.program, watched)
    erasing = replace(model.program, erased=erased)
    assert not read_of_zeros(erasing, watched), read_of_zeros(erasing, watched)
    found = next(erasure_flaws(erasing, watched, limit), None)
    assert found is None, found
    return "nothing to erase" if erased.is_empty else "erased"


def verdicts(model: Model, formula: str | None, limit: int, native: bool) -> Iterator[str]:
    """The verdicts. Raises AssertionError if they differ."""
    for fairness in _FAIRNESS if formula is not None else (None,):
        about = {"formulas": (formula,), "fairness": fairness} if formula is not None else {"safety": True}
        found: dict[tuple[str, str], Result] = {}
        for wish in _WISHES:
            for engine in ("reference", "native") if native and fairness != "strong" else ("reference",):
                request = Request(engine=engine, reduction=wish, **about)
                (found[engine, wish],) = check(model, request, Limits(states=limit))
        kinds = {name: result.verdict for name, result in found.items()}
        assert not any(result.disagreement for result in found.values()), found
        decided = {name: verdict for name, verdict in kinds.items() if verdict != "incomplete"}
        assert len(set(decided.values())) <= 1, f"{formula} {fairness}: {decided}"
        for wish in _WISHES:
            one, other = found.get(("reference", wish)), found.get(("native", wish))
            if formula is None and one and other and one.verdict == other.verdict == "holds":
                assert one.states == other.states, f"{wish}: {one.states} states, and {other.states} on machine code"
        yield next(iter(decided.values()), "too large")


def main() -> int:
    """Compare seed by seed; 1 if one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="how many seeds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--limit", type=int, default=2000, help="how many states are looked at")
    parser.add_argument("--seconds", type=float, default=3600, help="when to begin no other seed")
    parser.add_argument("--native", action="store_true", help="machine code, too")
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    end, done = time.monotonic() + options.seconds, options.first
    for seed in range(options.first, options.first + options.count):
        if time.monotonic() > end:
            break
        done = seed
        text, chance = written(seed), random.Random(seed)
        names = GLOBAL.findall(text.replace("byte x, y;", "byte x;\nbyte y;"))
        try:
            model = parse(text)
            formula = formula_over(chance, names, chance.randrange(2, 6)) if names else None
            if formula is not None and chance.random() < 0.5:
                formula = f"X ({formula})"
            for asked in (None, formula) if formula is not None else (None,):
                outcomes[literally(model, asked, options.limit)] += 1
                outcomes.update(verdicts(model, asked, options.limit, options.native))
        except InputError:
            outcomes["refused"] += 1
        except AssertionError as difference:
            outcomes["DIFFERS"] += 1
            print(f"seed {seed}: {difference}", flush=True)
    print(f"seeds {options.first} to {done}: {dict(outcomes)}")
    return 1 if outcomes["DIFFERS"] else 0


if __name__ == "__main__":
    sys.exit(main())
