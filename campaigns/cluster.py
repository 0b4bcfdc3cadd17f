"""Do companies of 1, 2, 3 and 5 workers find what the native engine finds?

    python -m campaigns.cluster [--count 1000] [--first 0] [--models 300000]
    python -m campaigns.cluster --claims [--count 1000] [--first 0] [--models 300000]
    python -m campaigns.cluster --kill 20 [--first 0]

For random programs, the examples and SPIN's own models up to a number of states: the states, rows and transitions past
errors, with and without reduction, and the length of a shortest way to a violation. Workers take turns in one process,
and the parcels between them are small for random programs. Exit status 1 if something differs.

With `--claims`, formulas: those of the examples, and a random one on each random program. Verdicts are compared, and
where a formula holds the states and transitions, too.

With `--kill`, checks of safety and formulas run on nodes of Ray started here, and in so many of them an actor, a
node or the driver is killed at a random moment: others must go on from the last checkpoint, to the same verdict and
counts.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator

from oracles.company import claim_differences, differences, formula_differences
from oracles.corpus import EXAMPLES
from oracles.losses import Losses
from oracles.promela.random_programs import program as random_program
from oracles.truth import safety_rows

from everafter.check import load, parse
from everafter.program.program import Program
from everafter.source import InputError

_SMALL_PARCEL = 256
_FEW = 3000
"""Random programs with more states than this are passed over."""


def main() -> int:
    """Compare program by program; 1 if one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="how many random programs")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--models", type=int, default=300_000, help="leave out models with more states than this")
    parser.add_argument("--claims", action="store_true", help="compare formulas in place of safety")
    parser.add_argument("--kill", type=int, default=0, help="how many times somebody is killed, on Ray")
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    if options.kill:
        return _kill(outcomes, options.first, options.kill)
    if options.claims:
        return _claims(outcomes, options.first, options.count, options.models)
    for name, program in _models(options.models):
        _compare(outcomes, name, differences(program, options.models))
        print(f"{name}: {dict(outcomes)}", file=sys.stderr, flush=True)
    for seed in range(options.first, options.first + options.count):
        try:
            program = parse(random_program(seed)).program
        except InputError:
            continue
        _compare(outcomes, f"seed {seed}", differences(program, _FEW, _SMALL_PARCEL))
        if seed % 100 == 99:
            print(f"up to seed {seed}: {dict(outcomes)}", file=sys.stderr, flush=True)
    print(dict(outcomes))
    return 1 if outcomes["differs"] else 0


def _kill(outcomes: Counter[str], seed: int, count: int) -> int:
    """Kill somebody in so many checks; 1 if one does not end right."""
    losses, killed = Losses(), 0
    try:
        while killed < count:
            victim, was_alive, found = losses.differences(seed)
            killed += was_alive
            _compare(outcomes, f"seed {seed}: {victim}", found)
            outcomes[f"{victim} killed" if was_alive else "over before"] += 1
            print(f"seed {seed}: {dict(outcomes)}", file=sys.stderr, flush=True)
            seed += 1
    finally:
        losses.close()
    return 1 if outcomes["differs"] else 0


def _claims(outcomes: Counter[str], first: int, count: int, most: int) -> int:
    """Compare formula by formula; 1 if one differs."""
    for path in EXAMPLES:
        model = load(path)
        for formula in model.formulas:
            _compare(outcomes, path.stem, formula_differences(model, formula, most))
    for seed in range(first, first + count):
        _compare(outcomes, f"seed {seed}", claim_differences(seed, _FEW))
        if seed % 100 == 99:
            print(f"up to seed {seed}: {dict(outcomes)}", file=sys.stderr, flush=True)
    print(dict(outcomes))
    return 1 if outcomes["differs"] else 0


def _models(most: int) -> Iterator[tuple[str, Program]]:
    for path in EXAMPLES:
        yield path.stem, load(path).program
    for row in safety_rows():
        if row.states is not None and row.states <= most:
            yield row.path, load(row.model).program


def _compare(outcomes: Counter[str], name: str, found: list[str] | None) -> None:
    outcomes["passed over" if found is None else "differs" if found else "agrees"] += 1
    for each in found or ():
        print(f"{name}: {each}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
