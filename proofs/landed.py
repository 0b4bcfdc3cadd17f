"""Lines of the record that are new since the last landing: provers are asked about them anew, beside the share.

The last landing is the commit that `EVERAFTER_LANDED` names; else the one at which this branch has left the branch that
it follows; else, where nothing has been committed since, a commit as far back as provers can be asked about all that
has changed since in a few minutes. A clone that does not hold it is deepened. What the provers of this machine
have answered themselves (`proved` in their folder) is not asked again.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from proofs.provers import cache_folder
from proofs.record import RECORD
from proofs.task import ROOT, ProofError, Task

BACK: Final = 60
"""How many commits are new, at least, where nothing says how many have landed together."""
MOST_BACK: Final = 400
"""How many are new at most."""
WORTH: Final = 240
"""More than `BACK` only if what they change takes no more seconds of processor time."""
DEAREST: Final = 200
"""No line counts for more seconds than this, whatever it says: none can hide others by what it claims to take."""
NAMED: Final = "EVERAFTER_LANDED"
FOLLOWED: Final = ("@{upstream}", "origin/HEAD", "origin/main")
SECONDS: Final = 120
"""The longest that a clone may take to be deepened."""
Entries = Mapping[str, dict[str, Any]]


def new_lines(every: Sequence[Task], entries: Entries) -> list[Task]:
    """The tasks of `every` whose lines in `entries` are new, but for those that this machine has proved itself.

    Raises `ProofError` where the clone does not hold the last landing and cannot be deepened.
    """
    if not is_repository():
        return []
    before, own = record_at(landed(entries)), proved_here()
    return [
        task
        for task in every
        if task.name in entries
        and entries[task.name] != before.get(task.name)
        and digest(task.name, entries[task.name]) not in own
    ]


def git(*asked: str) -> str | None:
    """What git says of this repository; None if it cannot do what is asked."""
    command = ["git", "-C", str(ROOT), *asked]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def is_repository() -> bool:
    """Whether the record is in a repository, and not in an unpacked archive. Raises `ProofError` if git cannot tell."""
    if git("ls-files", "--error-unmatch", str(RECORD)) is not None:
        return True
    is_there = (ROOT / ".git").exists()
    if is_there and git("rev-parse", "HEAD") is None:
        raise ProofError(
            "git cannot be asked which lines of proofs/checked.json are new:"
            " let it read this repository (git status), or prove all (python -m proofs --all)"
        )
    return is_there


def landed(entries: Entries) -> str:
    """The commit up to which the record, which has the lines `entries` now, is believed."""
    found = known_landing(entries)
    if found is None and git("rev-parse", "--is-shallow-repository") == "true":
        git("fetch", "--quiet", "--unshallow")
        found = known_landing(entries)
    if found is None:
        raise ProofError(
            "this clone does not hold the commit since which lines of proofs/checked.json are proved anew:"
            f" fetch it (git fetch --unshallow), name another ({NAMED}=COMMIT), or prove all (python -m proofs --all)"
        )
    return found


def known_landing(entries: Entries) -> str | None:
    """The same, if the clone holds it."""
    named = os.environ.get(NAMED)
    if named:
        return git("rev-parse", "--verify", "--quiet", f"{named}^{{commit}}")
    head = git("rev-parse", "HEAD")
    for followed in FOLLOWED:
        common = git("merge-base", "HEAD", followed)
        if common is not None and common != head:
            return common
    commits = (git("rev-list", "--first-parent", f"--max-count={MOST_BACK + 1}", "HEAD") or "").split()
    is_whole = len(commits) > MOST_BACK or git("rev-parse", "--is-shallow-repository") == "false"
    return worth_proving(commits, entries) if commits and is_whole else None


def worth_proving(commits: Sequence[str], entries: Entries) -> str:
    """Of `commits`, the newest first, the oldest since which the change of the record to `entries` is worth proving."""
    changing = set(
        (git("log", "--first-parent", "--format=%H", f"--max-count={MOST_BACK}", "--", path()) or "").split()
    )
    for commit, before in pairwise(commits[BACK:]):
        if commit in changing and cost(entries, record_at(before)) > WORTH:
            return commit
    return commits[-1]


def cost(entries: Entries, before: Entries) -> float:
    """About how many seconds of processor time the lines of `entries` take that `before` has not."""
    changed = (entry for name, entry in entries.items() if entry != before.get(name))
    return sum(min(float(entry.get("processor", DEAREST)), DEAREST) for entry in changed)


def path() -> str:
    """Where the record is in the repository."""
    return RECORD.relative_to(ROOT).as_posix()


def record_at(commit: str) -> Entries:
    """The record at the commit; empty if it had none."""
    entries: Entries = json.loads(git("show", f"{commit}:{path()}") or "{}")
    return entries


def digest(name: str, entry: Mapping[str, Any]) -> str:
    """The same for the same answer to the same question."""
    said = [name, entry.get("fingerprint"), entry.get("rests on")]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def memory() -> Path:
    """Where this machine remembers what its provers have answered, out of the repository."""
    return cache_folder() / "proved"


def proved_here() -> set[str]:
    """What the provers of this machine have found to be as it must be."""
    return set(memory().read_text().split()) if memory().exists() else set()


def keep(name: str, entry: Mapping[str, Any]) -> None:
    """Remember that the provers of this machine have found the line `entry` of the task `name` to be true."""
    memory().parent.mkdir(parents=True, exist_ok=True)
    with memory().open("a") as file:
        file.write(f"{digest(name, entry)}\n")
