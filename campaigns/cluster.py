"""Do groups of 1, 2, 3 and 5 workers find what the native engine finds?

    python -m campaigns.cluster [--count 1000] [--first 0] [--models 300000]
    python -m campaigns.cluster --claims [--count 1000] [--first 0] [--models 300000]
    python -m campaigns.cluster [--claims] --nodes 1 2 3 5
    python -m campaigns.cluster --kill 20 [--first 0]

For random programs, the examples and SPIN's own models up to a number of states: the states, rows and transitions past
errors, with and without reduction, and the length of a shortest way to a violation. Workers take turns in one process,
and the batches between them are small for random programs. Exit status 1 if something differs.

With `--claims`, formulas: those of the examples, and a random one on each random program. Verdicts are compared, and
where a formula holds the states and transitions, too.

With `--nodes`, workers are actors of Ray, on so many nodes that are started here once for all checks. Each of these
clusters gets everything, and what it came to is counted by how many nodes it has.

With `--store tree`, workers keep their states as trees.

With `--kill`, checks of safety and formulas run on nodes of Ray started here, and in so many of them an actor, a
node or the driver is killed at a random moment: others must go on from the last checkpoint, to the same verdict and
counts.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from oracles.cluster_search import PLACES, claim_differences, differences, formula_differences
from oracles.corpus import EXAMPLES
from oracles.losses import Losses
from oracles.promela.random_programs import program as random_program
from oracles.truth import safety_rows

from everafter.choices import StoreKind
from everafter.engine.cluster.connection import kept_connections
from everafter.engine.cluster.errors import ClusterError
from everafter.engine.cluster.worker import BATCH_BYTES
from everafter.program.program import Program
from everafter.source import InputError
from everafter.user_model import load, parse

_SMALL_BATCH = 256
_FEW = 3000
"""Random programs with more states than this are passed over."""
_ATTEMPTS = 3
_LOST = "a worker is lost"


def main() -> int:
    """Compare program by program; 1 if one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="how many random programs")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--models", type=int, default=300_000, help="leave out models with more states, 0 for all")
    parser.add_argument("--claims", action="store_true", help="compare formulas in place of safety")
    parser.add_argument("--nodes", type=int, nargs="*", default=[], help="on so many nodes of Ray, started here")
    parser.add_argument("--kill", type=int, default=0, help="how many times somebody is killed, on Ray")
    parser.add_argument("--store", choices=("plain", "tree"), default="plain", help="how workers keep their states")
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    if options.kill:
        return _kill(outcomes, options.first, options.kill)
    compare = _claims if options.claims else _safety
    seeds = range(options.first, options.first + options.count)
    differ = False
    clusters: list[tuple[str, ...]] = [(f"local:{nodes}",) for nodes in options.nodes]
    for places in clusters or [PLACES]:
        outcomes.clear()
        with kept_connections():
            compare(outcomes, seeds, options.models, places, options.store)
        print(f"{', '.join(places)}: {dict(outcomes)}", flush=True)
        differ |= bool(outcomes["differs"])
    return 1 if differ else 0


def _safety(outcomes: Counter[str], seeds: Iterable[int], most: int, places: Sequence[str], store: StoreKind) -> None:
    """Compare program by program."""
    for name, program in _models(most):
        found = _answered(outcomes, partial(differences, program, most, BATCH_BYTES, places, store))
        _compare(outcomes, name, found)
        print(f"{places}, {name}: {dict(outcomes)}", file=sys.stderr, flush=True)
    for seed in seeds:
        try:
            program = parse(random_program(seed)).program
        except InputError:
            continue
        found = _answered(outcomes, partial(differences, program, _FEW, _SMALL_BATCH, places, store))
        _compare(outcomes, f"seed {seed}", found)
        if seed % 25 == 0:
            print(f"{places}, seed {seed}: {dict(outcomes)}", file=sys.stderr, flush=True)


def _answered(outcomes: Counter[str], ask: Callable[[], list[str] | None]) -> list[str] | None:
    """How groups differ. Where a worker is lost, as on nodes that are not heard of in time, others are asked."""
    for left in reversed(range(_ATTEMPTS)):
        try:
            found = ask()
        except ClusterError as error:
            found = [str(error)]
        if not left or not any(_LOST in each for each in found or ()):
            return found
        outcomes["asked again"] += 1
    raise AssertionError


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


def _claims(outcomes: Counter[str], seeds: Iterable[int], most: int, places: Sequence[str], store: StoreKind) -> None:
    """Compare formula by formula."""
    for path in EXAMPLES if most else ():
        model = load(path)
        for formula in model.formulas:
            asked = partial(formula_differences, model, formula, most, places, store=store)
            _compare(outcomes, path.stem, _answered(outcomes, asked))
    for seed in seeds:
        _compare(outcomes, f"seed {seed}", _answered(outcomes, partial(claim_differences, seed, _FEW, places, store)))
        if seed % 25 == 0:
            print(f"{places}, seed {seed}: {dict(outcomes)}", file=sys.stderr, flush=True)


def _models(most: int) -> Iterator[tuple[str, Program]]:
    for path in EXAMPLES if most else ():
        yield path.stem, load(path).program
    counted = [(row.states, row) for row in safety_rows() if most and row.states is not None and row.states <= most]
    for _, row in sorted(counted, key=lambda each: each[0]):
        yield row.path, load(row.model).program


def _compare(outcomes: Counter[str], name: str, found: list[str] | None) -> None:
    outcomes["passed over" if found is None else "differs" if found else "agrees"] += 1
    for each in found or ():
        print(f"{name}: {each}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
