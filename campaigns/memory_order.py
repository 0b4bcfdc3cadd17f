"""Every execution, by the memory model of C11, of small cases of a team's store. Exits with 1 when anything is wrong.

python -m campaigns.memory_order            two workers: what the tests explore, too
python -m campaigns.memory_order larger     three workers, and cases in which both want the same
python -m campaigns.memory_order planted    what it takes to see each planted mistake
python -m campaigns.memory_order trees      two workers that keep rows as trees; growth is not among these cases
python -m campaigns.memory_order planted-in-trees
"""

from __future__ import annotations

import argparse
import sys
import time

from oracles.engine.memory_order.cases import CASES, LARGER, MISTAKES
from oracles.engine.memory_order.explore import explore
from oracles.engine.memory_order.tree_cases import TREE_CASES, TREE_MISTAKES


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "part", choices=["small", "larger", "planted", "trees", "planted-in-trees"], nargs="?", default="small"
    )
    parser.add_argument("--only", default="", help="only what has this in its name")
    arguments = parser.parse_args()
    cases = {**CASES, **LARGER, **TREE_CASES}
    mistakes = {**MISTAKES, **TREE_MISTAKES}
    parts = {"small": CASES, "larger": LARGER, "planted": MISTAKES, "trees": TREE_CASES}
    chosen = parts.get(arguments.part, TREE_MISTAKES)
    well = True
    print("| | Situations | Ends | Processor seconds | Flaws |\n|---|---|---|---|---|")
    for name in (name for name in chosen if arguments.only in name):
        case, flaw, changes = mistakes.get(name, (name, "", ()))
        begin = time.process_time()
        found = explore(cases[case], changes)
        seconds = time.process_time() - begin
        print(
            f"| {name} | {found.situations:,} | {found.ends:,} | {seconds:.1f} | {', '.join(found.flaws)} |", flush=True
        )
        well = well and found.flaws == ({flaw} if flaw else set())
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
