"""Small random Promela programs, the same for the same seed, and a way to make a failing one smaller.

`python -m oracles.promela.random_programs --stats 300` asks SPIN about the first 300 and shows what they are like;
`python -m oracles.promela.random_programs 17` prints the program of seed 17.
"""

import argparse
import collections
import random
import time
from collections.abc import Iterable

from oracles.promela.random_author import Author
from oracles.promela.random_parts import Features
from oracles.promela.shrinking import shrink
from oracles.spin import ModelRejectedError, SpinResult, safety

__all__ = ["Features", "program", "shrink"]

#: The upper ends of the ranges in which the statistics count states.
RANGES = (4, 9, 49, 99, 499, 999, 4_999, 49_999)


def program(seed: int, features: Features | None = None) -> str:
    """The random program of a seed. The features weigh what it is made of."""
    return Author(random.Random(seed), features or Features()).program()


def outcome(result: SpinResult) -> str:
    """One word for what SPIN said, with SPIN's own text for an error while running."""
    if result.kind == "runtime":
        return f"runtime: {result.message}"
    if result.kind is not None:
        return result.kind
    return "holds" if result.complete else "incomplete"


def _range_of(states: int) -> str:
    """The range in which a number of states is counted."""
    return next((f"up to {end:,}" for end in RANGES if states <= end), f"over {RANGES[-1]:,}")


def statistics(seeds: Iterable[int]) -> str:
    """How many states and which verdicts the programs of these seeds have."""
    verdicts: collections.Counter[str] = collections.Counter()
    sizes: collections.Counter[str] = collections.Counter()
    refused: list[int] = []
    started = time.monotonic()
    number = 0
    for number, seed in enumerate(seeds, 1):  # noqa: B007 - the count is needed after the loop
        try:
            verdicts[outcome(safety(program(seed), seconds=2))] += 1
            sizes[_range_of(safety(program(seed), past_errors=True, seconds=2).states)] += 1
        except ModelRejectedError:
            refused.append(seed)
    pace = (time.monotonic() - started) / max(1, 2 * number)
    order = [f"up to {end:,}" for end in RANGES] + [f"over {RANGES[-1]:,}"]
    lines = [f"{number} programs, {len(refused)} refused {refused}, {pace:.3f} s for a run of SPIN", "states:"]
    lines += [f"  {name:14} {sizes[name]:5}" for name in order]
    lines += ["verdicts:"] + [f"  {count:5} {name}" for name, count in verdicts.most_common()]
    return "\n".join(lines)


def main() -> None:
    """Print a program, or the statistics of many."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--stats", type=int, metavar="COUNT", help="ask SPIN about so many programs from the seed on")
    arguments = parser.parse_args()
    if arguments.stats is None:
        print(program(arguments.seed), end="")
    else:
        print(statistics(range(arguments.seed, arguments.seed + arguments.stats)))


if __name__ == "__main__":
    main()
