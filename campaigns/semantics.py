"""Is the meaning of Promela in Coq (proofs/semantics) that of the reference, and SPIN's?

    python -m campaigns.semantics random [--count 5000] [--first 0] [--limit 3000] [--corner NAME]
    python -m campaigns.semantics models [--limit 20000] [--only SUBSTRING]     examples/ and oracles/models/
    python -m campaigns.semantics table [--limit 200000]                        SPIN's counts (oracles/spin-truth.csv)
    python -m campaigns.semantics planted [--first 0] [--count 100]           mistakes, which must all be noticed

Of random programs and models every state of the reference is handed to the program that Coq has extracted, and its
outcomes must be the same, in the same order. Of the rows of the table the number of states must be SPIN's, and so must
the verdict. Programs without a plain form, and those with more states, are passed over and counted. Exit status 1 if
something differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from oracles.meaning_in_coq import build, compare, counts
from oracles.planted_meanings import MISTAKES, noticed
from oracles.promela.random_parts import CORNERS
from oracles.promela.random_programs import program
from oracles.truth import safety_rows

from everafter.execution.plain_program import NotPlainError
from everafter.source import EverafterError
from everafter.user_model import load, parse

ROOT = Path(__file__).parents[1]


def main() -> int:
    """Compare what is asked for; 1 if something differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("random", "models", "table", "planted"))
    parser.add_argument("--count", type=int, default=5000, help="how many programs or mistakes are looked at")
    parser.add_argument("--first", type=int, default=0, help="the first seed, or the number of the first mistake")
    parser.add_argument("--limit", type=int, help="pass over what has more states")
    parser.add_argument("--corner", choices=CORNERS, help="programs from a corner of the language")
    parser.add_argument("--only", default="", help="models with this in their path")
    options = parser.parse_args()
    build()
    outcomes: Counter[str] = Counter()
    found = {"random": random_programs, "models": models, "table": table, "planted": planted}[options.what](options)
    for number, (name, outcome, explanation) in enumerate(found):
        outcomes[outcome] += 1
        if outcome == "differs":
            print(f"{name}: {explanation}", flush=True)
        elif options.what == "planted":
            print(f"{name}: noticed {outcome}", flush=True)
        if number % 100 == 99:
            print(f"{number + 1}: {dict(outcomes)}", file=sys.stderr, flush=True)
    print(dict(outcomes))
    return 1 if outcomes["differs"] else 0


def random_programs(options: argparse.Namespace) -> Iterator[tuple[str, str, str]]:
    """Seeds, with how the program of each compares."""
    corner = CORNERS.get(options.corner)
    for seed in range(options.first, options.first + options.count):
        yield (f"seed {seed}", *compare(parse(program(seed, corner)).program, options.limit or 3000))


def models(options: argparse.Namespace) -> Iterator[tuple[str, str, str]]:
    """The models of this repository, with how each compares."""
    for path in sorted((*(ROOT / "examples").glob("*.pml"), *(ROOT / "oracles" / "models").glob("*.pml"))):
        if options.only in str(path):
            try:
                yield (path.name, *compare(load(path).program, options.limit or 20_000))
            except EverafterError as error:
                yield path.name, "not covered", str(error)


def table(options: argparse.Namespace) -> Iterator[tuple[str, str, str]]:
    """SPIN's own models, with whether SPIN's count and verdict are those of the extracted program."""
    most = options.limit or 200_000
    for row in safety_rows():
        if row.states is None or row.states > most:
            continue
        try:
            found = counts(load(row.model).program, 4 * most)
        except NotPlainError as error:
            yield row.path, "not covered", str(error)
            continue
        if found is None:
            yield row.path, "too large", ""
            continue
        states, inside, _, wrong = found
        ours = (states - inside, "violated" if wrong else "holds")
        theirs = (row.states, row.verdict)
        yield row.path, "agrees" if ours == theirs else "differs", f"{ours}, and SPIN has {theirs}"


def planted(options: argparse.Namespace) -> Iterator[tuple[str, str, str]]:
    """Mistakes in the meaning, with how each is noticed."""
    for mistake in MISTAKES[options.first : options.first + options.count]:
        how = noticed(mistake)
        yield mistake.construct, "differs" if how == "no" else how, "the mistake is not noticed"


if __name__ == "__main__":
    sys.exit(main())
