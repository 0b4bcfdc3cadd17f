"""What must be proved, pinned: each method and theorem that the running text names, and the list of all runs.

`statements/` must have the whole contract of whatever a `Proof:` line names. `tasks.txt` must have each run, where it
must fail if a mistake is planted, and a digest of the mistakes. Who drops a contract, a proof or a control, or makes a
mistake a plain one, changes one of them, or is refused, without a prover. `EVERAFTER_UPDATE=1 python -m proofs` writes
`tasks.txt` anew.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import tomllib
from collections.abc import Iterable, Sequence
from typing import Final

from proofs import coq, python_text, viper
from proofs.links import Link, links_in_source
from proofs.statements import pinned
from proofs.task import FOLDER, ProofError, Task, inside

TASKS: Final = FOLDER / "tasks.txt"


def check_named(links: Iterable[Link]) -> None:
    """Refuse pinned statements that lack the whole contract of what one of the links, `links`, names."""
    for function, file, name in sorted(links):
        contract = contract_of(file, name)
        if not contract:
            raise ProofError(f"{file}: {name}, which {function} names, promises nothing")
        if contract not in pinned(file) and not is_updating():
            raise ProofError(f"statements/{file}.txt: lacks the contract of {name}, which {function} names")


def to_be_pinned(links: Iterable[Link]) -> set[str]:
    """The files of which something that `links` names is not pinned, if it is to be pinned now."""
    if not is_updating():
        return set()
    return {file for _, file, name in links if contract_of(file, name) not in pinned(file)}


def is_updating() -> bool:
    """Whether what is pinned is to be written anew."""
    return bool(os.environ.get("EVERAFTER_UPDATE"))


def contract_of(file: str, name: str) -> str:
    """What the method, function or theorem `name` of `file` promises, as it is pinned; nothing if that is nothing."""
    text = inside(file).read_text()
    if file.endswith(".v"):
        known = name in coq.theorems(text) and re.search(
            rf"^theorem \S*\b{re.escape(name)}$", pinned(file), re.MULTILINE
        )
        return known[0] if known else f"theorem {name}"
    if file.endswith(".py"):
        functions = [each for each in ast.parse(text).body if isinstance(each, ast.FunctionDef) and each.name == name]
        said = "\n\n".join(map(python_text.promise, functions))
        return said if "Ensures(" in said else ""
    said = viper.heads(text).get(name, "")
    return said if re.search(r"^\s*ensures\b", said, re.MULTILINE) else ""


def check_tasks(tasks: Sequence[Task]) -> None:
    """Refuse runs of provers, `tasks`, that are not those in the list; or write the list."""
    made = "".join(f"{line}\n" for line in (*map(told, tasks), mistakes()))
    if is_updating():
        TASKS.write_text(made)
    kept = TASKS.read_text().splitlines() if TASKS.exists() else []
    gone, new = ([*dict.fromkeys(one)] for one in (kept, made.splitlines()))
    wrong = [f"- {each}" for each in gone if each not in new] + [f"+ {each}" for each in new if each not in gone]
    if wrong or len(tasks) + 1 != len(new):
        raise ProofError("\n".join((f"the runs of provers are not those of proofs/{TASKS.name}:", *wrong)))


def mistakes() -> str:
    """The mistakes that are planted, as a digest."""
    controls = tomllib.loads(inside("controls.toml").read_text())
    return f"mistakes: sha256 {hashlib.sha256(json.dumps(controls).encode()).hexdigest()}"


def told(task: Task) -> str:
    """The run, and where it must fail."""
    return task.name if task.fails is None else f"{task.name} must fail at {task.fails}"


def check(tasks: Sequence[Task]) -> None:
    """Refuse what is not pinned as it must be."""
    check_named(links_in_source())
    check_tasks(tasks)
