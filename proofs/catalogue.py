"""All there is to check: every proof as it is, with planted falsehoods, and with each planted mistake."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from inspect import getsource
from pathlib import Path
from typing import Any

from proofs import coq, nagini, viper
from proofs.task import FOLDER, Assumption, Outcome, Place, ProofError, Task, inside, one_line

PROVERS: dict[str, Any] = {".vpr": viper, ".py": nagini, ".v": coq}
"""By the ending of a file: the module that knows its prover."""


def prover_of(file: str) -> Any:
    """The module that knows the prover of the file."""
    return PROVERS[Path(file).suffix]


def asked(task: Task) -> str:
    """The prover and its version, how it is asked, and the code that asks it and judges its answer."""
    module = prover_of(task.file)
    functions = (module.ask, module.judge, module.place, *((module.excuse,) if task.variant == "smoke" else ()))
    code = map(getsource, functions)
    return "\0".join((module.PROVER, *module.options(task), *code))


def fingerprint(task: Task) -> str:
    """The same for the same question, asked in the same way."""
    essence = prover_of(task.file).essence
    essential = tuple((file, essence(text)) for file, text in task.imports)
    return replace(task, text=essence(task.text), imports=essential).fingerprint(asked(task))


def files() -> list[str]:
    """The proofs, from their folder. The files beside this one are the checker's own."""
    found = (path.relative_to(FOLDER) for suffix in PROVERS for path in FOLDER.glob(f"*/**/*{suffix}"))
    return sorted(str(path) for path in found)


def listed(name: str, key: str) -> list[dict[str, Any]]:
    """The tables of this key in a file of tables."""
    entries: list[dict[str, Any]] = tomllib.loads(inside(name).read_text()).get(key, [])
    return entries


def tasks() -> list[Task]:
    """Every run of a prover. Raises `ProofError` where the text of a proof already shows that something is wrong."""
    every = [task for file in files() for task in tasks_of(file)]
    check_trusted(assumption for task in every for assumption in task.assumptions)
    return every


def tasks_of(file: str) -> Iterator[Task]:
    """The proof, its smoke test, and its controls."""
    proof = as_it_is(file)
    yield proof
    if not file.endswith(".v"):
        planted = prover_of(file).with_falsehoods(proof.text)
        yield replace(proof, variant="smoke", text=planted, assumptions=())
    for control in listed("controls.toml", "control"):
        if control["file"] == file:
            yield with_mistake(proof, control)


def as_it_is(file: str) -> Task:
    """The proof itself."""
    text = inside(file).read_text()
    found = tuple(prover_of(file).assumptions(file, text))
    if file.endswith(".v"):
        entries = listed("trusted.toml", "coq")
        axioms = tuple(Assumption(file, 0, entry["name"], entry["says"]) for entry in entries)
        return Task(file, "proof", text, coq.imports(file), coq.theorems(text), found + axioms)
    if file.endswith(".py"):
        nagini.check_constructs(file, text)
        return Task(file, "proof", text, (), nagini.methods(text), found)
    imported = viper.imports(file)
    own = viper.methods(text)
    return Task(file, "proof", text, imported, own, found, only=own if imported else ())


def with_mistake(proof: Task, control: dict[str, Any]) -> Task:
    """The proof with a mistake planted; it must fail there. Some mistakes only the smoke test can see."""
    if proof.text.count(control["replace"]) != 1:
        raise ProofError(f"control {control['name']}: {proof.file} has not exactly one {control['replace']!r}")
    text = proof.text.replace(control["replace"], control["by"])
    if control.get("smoke"):
        text = prover_of(proof.file).with_falsehoods(text)
    fails = Place(control["fails"]["method"], one_line(control["fails"]["line"]))
    only = (fails.method,) if prover_of(proof.file).CHOOSES and not control.get("smoke") else proof.only
    return replace(proof, variant=f"control {control['name']}", text=text, assumptions=(), fails=fails, only=only)


def check_trusted(found: Iterable[Assumption]) -> None:
    """Make sure that what is taken for granted is what is listed, word for word, no more and no less."""
    assumed = {(each.file, each.name, each.says): each for each in found if each.line}
    granted = {(entry["file"], entry["name"], one_line(entry["says"])) for entry in listed("trusted.toml", "trusted")}
    for key, each in assumed.items():
        if key not in granted:
            raise ProofError(f"{each.file}:{each.line}: {each.name} is not in trusted.toml: {each.says}")
    for file, name, _ in granted - set(assumed):
        raise ProofError(f"trusted.toml: {file} takes no such {name} for granted")


def ask(task: Task) -> Outcome:
    """Ask the prover."""
    module = prover_of(task.file)
    outcome: Outcome = module.ask(task)
    if task.variant == "smoke":
        outcome = module.excuse(outcome)
    return outcome


def needed(every: Iterable[Task]) -> list[str]:
    """The programs that these tasks need."""
    return sorted({program for task in every for program in prover_of(task.file).NEEDS})
