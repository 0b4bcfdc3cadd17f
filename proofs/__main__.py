"""Check the proofs: `python -m proofs`. All of them, whatever the record says: `python -m proofs --all`.

What runs is first compared with the text that is proved (`proofs.binding`). Lines of the record that are new since the
last landing are not believed (`proofs.landed`).
Exit status 0: every proof is as it must be; 1: one is not; 2: the proofs or the provers are not ready to be checked.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Lock

from proofs.binding import check_running
from proofs.catalogue import ask_together, batches, needed, tasks
from proofs.inventory import PAGE as INVENTORY
from proofs.inventory import inventory_page
from proofs.landed import keep, new_lines
from proofs.links import links_in_source
from proofs.page import PAGE, page
from proofs.pinning import to_be_pinned
from proofs.provers import install
from proofs.record import is_fresh, recorded, remember
from proofs.report import as_json, as_text, progress
from proofs.share import seed, share
from proofs.task import Outcome, ProofError, Task


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m proofs", description="Check the proofs of everafter.")
    parser.add_argument(
        "--only", metavar="NAME", default="", help="check only files, methods or theorems with NAME in their name"
    )
    parser.add_argument("--all", action="store_true", help="check again what the record says has been checked")
    parser.add_argument(
        "--share", metavar="SECONDS", type=float, help="check again some that take so long, others every day and commit"
    )
    parser.add_argument("--page", action="store_true", help="write the generated pages of docs/, check nothing")
    parser.add_argument("--json", action="store_true", help="report as JSON")
    parser.add_argument("--workers", type=int, default=2, help="how many provers run at once (default 2)")
    return parser.parse_args(given)


def is_meant(task: Task, name: str) -> bool:
    """Whether the task, or something it proves, has the name in its name."""
    return name in task.name or any(name in proved for proved in task.proves)


def chosen(meant: Sequence[Task], options: argparse.Namespace) -> list[Task]:
    """What is to be checked now: what the record does not hold, and what it is not to be believed about."""
    entries = recorded()
    again = {task.name for task in share(meant, entries, options.share, seed())} if options.share else set()
    if not options.all:
        again |= {task.name for task in new_lines(meant, entries)}
    unsaid = to_be_pinned(links_in_source())
    again |= {task.name for task in meant if task.file in unsaid and task.variant in {"proof", "tree"}}
    return [task for task in meant if options.all or task.name in again or not is_fresh(task, entries)]


def check(stale: Sequence[Task], workers: int, every: Sequence[Task]) -> list[Outcome]:
    """Ask the provers, some at a time; write down and tell answers as they come."""
    for program in needed(stale):
        install(program)
    outcomes: list[Outcome] = []
    alone = Lock()

    def tell(outcome: Outcome) -> None:
        with alone:
            outcomes.append(outcome)
            remember([outcome], every)
            if outcome.problem is None:
                keep(outcome.task.name, recorded()[outcome.task.name])
            print(progress(outcome), file=sys.stderr, flush=True)

    with ThreadPoolExecutor(workers) as pool:
        for done in as_completed([pool.submit(ask_together, batch, tell) for batch in batches(stale)]):
            done.result()
    return outcomes


def main(given: Sequence[str] | None = None) -> int:
    """Check what is asked for, write the record, and report."""
    options = arguments(given)
    try:
        check_running()
        every = tasks()
        if options.page:
            PAGE.write_text(page())
            INVENTORY.write_text(inventory_page())
            return 0
        meant = [task for task in every if is_meant(task, options.only)]
        outcomes = check(chosen(meant, options), options.workers, every)
    except ProofError as error:
        print(error, file=sys.stderr)
        return 2
    print((as_json if options.json else as_text)(meant, outcomes, recorded()))
    return int(any(outcome.problem for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
