"""Is it right to take states for one that differ by exchanges of processes?

    python -m campaigns.symmetry_random [--count 1000] [--first 0] [--limit 3000] [--native] [--of symmetric]

For every seed a random program is written, of several processes of one proctype, most of them symmetric, and random
formulas; --of small and --of general takes programs in which processes meet as they like, and --of python models in
Python with all that they state. In the first states, the definition is taken literally: exchanged states take the same
steps, exchanged, and the representative is the least of all (`oracles/reduction/symmetric.py`). Then safety and the
formulas are decided with and without `--reduction symmetry`, alone and with others; the verdicts must be the same, and
every counterexample passes the judge. With --native on machine code, too, which must find as many states as the
reference.
Exit status 1 if something differs.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator

from oracles.promela.random_programs import program
from oracles.pymodel.random_models import model_of_text, random_text
from oracles.reduction.agreement import GLOBAL
from oracles.reduction.random_formulas import formula_over
from oracles.reduction.random_small import small_model
from oracles.reduction.random_symmetric import SymmetricAuthor
from oracles.reduction.symmetric import symmetry_flaws

from everafter.check import check
from everafter.questions.limits import Limits
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.questions.smaller_program import with_smaller_program
from everafter.questions.symmetric_program import with_symmetry
from everafter.source import InputError
from everafter.specification import understood_class
from everafter.user_model import Model, parse
from everafter.verdict.result import Result

WISHES = ("none", "symmetry", "symmetry,dead,merge", "symmetry,ample,dead")


def written(seed: int, of: str) -> tuple[Model, list[str | None]]:
    """The model of a seed, and the formulas to decide beside safety, or what is stated by itself."""
    if of == "symmetric":
        author = SymmetricAuthor(seed)
        text = author.model()
        return parse(text), [None, *author.formulas()]
    if of == "python":
        model = understood_class(Model, model_of_text(random_text(seed), f"symmetry_{seed}"), "random", {})
        return model, [None, *(formula.name for formula in model.tree.formulas)]
    text = small_model(seed) if of == "small" else program(seed)
    names = GLOBAL.findall(text.replace("byte x, y;", "byte x;\nbyte y;"))
    chance = random.Random(seed)
    return parse(text), [None, *([formula_over(chance, names, chance.randrange(2, 6))] if names else [])]


def literally(model: Model, limit: int) -> str:
    """The definition, in the first states, for safety. Raises AssertionError if it does not hold."""
    found = "not symmetric"
    for wish in ("symmetry", "symmetry,dead,merge"):
        question = Question(model.program, SAFETY, reduction=wish)
        searched, _, _ = with_symmetry(question, Request(), with_smaller_program)
        if searched.program.symmetry is not None:
            flaw = next(symmetry_flaws(searched.program, (), limit), None)
            assert flaw is None, f"{wish}: {flaw}"
            found = "symmetric"
    return found


def verdicts(model: Model, formula: str | None, limit: int, native: bool) -> Iterator[str]:
    """The verdicts. Raises AssertionError if they differ."""
    about = {"formulas": (formula,)} if formula is not None else {"safety": True}
    found: dict[tuple[str, str], Result] = {}
    for wish in WISHES:
        for engine in ("reference", "native") if native else ("reference",):
            request = Request(engine=engine, reduction=wish, **about)
            (found[engine, wish],) = check(model, request, Limits(states=limit))
    said = {name: result.disagreement for name, result in found.items() if result.disagreement}
    assert not said, f"{formula}: {said}"
    kinds = {name: result.verdict for name, result in found.items()}
    decided = {name: verdict for name, verdict in kinds.items() if verdict != "incomplete"}
    assert len(set(decided.values())) <= 1, f"{formula}: {decided}"
    plain, exchanged = found["reference", "none"], found["reference", "symmetry"]
    if plain.verdict == exchanged.verdict == "holds":
        assert exchanged.states <= plain.states, f"{formula}: {exchanged.states} states in place of {plain.states}"
    for wish in WISHES:
        one, other = found["reference", wish], found.get(("native", wish))
        if formula is None and other and one.verdict == other.verdict == "holds":
            assert one.states == other.states, f"{wish}: {one.states} states, and {other.states} on machine code"
    yield next(iter(decided.values()), "too large") + (" with symmetry" if exchanged.symmetry else "")


def main() -> int:
    """Compare seed by seed; 1 if one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="how many seeds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--limit", type=int, default=3000, help="how many states are looked at")
    kinds = ("symmetric", "small", "general", "python")
    parser.add_argument("--of", choices=kinds, default=kinds[0], help="what the programs are made of")
    parser.add_argument("--native", action="store_true", help="machine code, too")
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.count):
        try:
            model, formulas = written(seed, options.of)
            outcomes[literally(model, options.limit // 5)] += 1
            for formula in formulas:
                outcomes.update(verdicts(model, formula, options.limit, options.native))
        except InputError:
            outcomes["refused"] += 1
        except AssertionError as difference:
            outcomes["DIFFERS"] += 1
            print(f"seed {seed}: {difference}", flush=True)
        if seed % 50 == 49:
            print(f"up to seed {seed}: {dict(outcomes)}", file=sys.stderr, flush=True)
    print(f"seeds {options.first} to {options.first + options.count - 1}: {dict(outcomes)}")
    return 1 if outcomes["DIFFERS"] else 0


if __name__ == "__main__":
    sys.exit(main())
