"""Check the proofs: `python -m proofs`.

Exit status 0: every proof is as it must be; 1: one is not; 2: the proofs or the provers are not ready to be checked.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from proofs.catalogue import ask, needed, tasks
from proofs.provers import install
from proofs.record import is_fresh, recorded, remember
from proofs.report import as_json, as_text, progress
from proofs.task import Outcome, ProofError, Task


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m proofs", description="Check the proofs of everafter.")
    parser.add_argument(
        "--only", metavar="NAME", default="", help="check only files, methods or theorems with NAME in their name"
    )
    parser.add_argument("--all", action="store_true", help="check again what the record says has been checked")
    parser.add_argument("--json", action="store_true", help="report as JSON")
    parser.add_argument("--workers", type=int, default=2, help="how many provers run at once (default 2)")
    return parser.parse_args(given)


def is_meant(task: Task, name: str) -> bool:
    """Whether the task, or something it proves, has the name in its name."""
    return name in task.name or any(name in proved for proved in task.proves)


def check(stale: Sequence[Task], workers: int, every: Sequence[Task]) -> list[Outcome]:
    """Ask the provers, some at a time; write down and tell answers as they come."""
    for program in needed(stale):
        install(program)
    outcomes = []
    with ThreadPoolExecutor(workers) as pool:
        for done in as_completed([pool.submit(ask, task) for task in stale]):
            outcomes.append(done.result())
            remember(outcomes[-1:], every)
            print(progress(outcomes[-1]), file=sys.stderr, flush=True)
    return outcomes


def main(given: Sequence[str] | None = None) -> int:
    """Check what is asked for, write the record, and report."""
    options = arguments(given)
    try:
        every = tasks()
        meant = [task for task in every if is_meant(task, options.only)]
        entries = recorded()
        stale = [task for task in meant if options.all or not is_fresh(task, entries)]
        outcomes = check(stale, options.workers, every)
    except ProofError as error:
        print(error, file=sys.stderr)
        return 2
    print((as_json if options.json else as_text)(meant, outcomes, recorded()))
    return int(any(outcome.problem for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
