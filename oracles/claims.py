"""Whether all algorithms and SPIN agree about a random formula on a random program."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import get_args

from everafter.check import check
from everafter.choices import LOSSY, StoreKind
from everafter.questions.limits import Limits
from everafter.questions.request import Request
from everafter.search import ALGORITHMS
from everafter.search.catalogue import names
from everafter.user_model import Model, parse
from oracles.asking import Engine
from oracles.promela.random_programs import program
from oracles.spin import ModelRejectedError, verdict

_GLOBAL = re.compile(r"^(?:bit|bool|byte|short|int|unsigned) (v\d+)(?: : \d+)?(?: =[^;]*)?;$", re.MULTILINE)


def formula(generator: random.Random, names: list[str], size: int) -> str:
    """A random formula over comparisons of these variables."""
    if size <= 1:
        return f"({generator.choice(names)} {generator.choice(('==', '!=', '<'))} {generator.randrange(3)})"
    match generator.choice(("[]", "<>", "!", "&&", "||", "U", "->")):
        case "[]" | "<>" | "!" as operator:
            return f"({operator} {formula(generator, names, size - 1)})"
        case operator:
            left = generator.randrange(1, size)
            return f"({formula(generator, names, left)} {operator} {formula(generator, names, size - left)})"


def ways() -> Iterator[tuple[bool, str | None, Engine, int]]:
    """Whether safety is asked, too, and the algorithms, each with an engine and a number of threads.

    Behind safety that holds in few states, machine code is made without optimising it.
    """
    for algorithm, engine in product(ALGORITHMS, get_args(Engine)):
        yield False, algorithm, engine, 1
    for together in (None, *names("cycle", "team")):
        yield False, together, "native", 3
    yield True, None, "native", 1


def global_names(text: str) -> list[str]:
    """The global variables of a random program that formulas speak of."""
    return _GLOBAL.findall(text)


def compare(seed: int, limit: int = 3000, store: StoreKind | None = None) -> tuple[str, str]:
    """Whether all verdicts agree on the program and formula of a seed, and what was compared.

    Machine code keeps states as the store does.
    """
    text = program(seed)
    names = global_names(text)
    if not names or "provided" in text or "_nr_pr" in text:
        # Beside a claim SPIN counts the claim in _nr_pr.
        return "passed over", ""
    claim = formula(random.Random(seed), names, random.Random(seed).randrange(2, 6))
    try:
        spin = verdict(text, claim, "ltl", seconds=20)
    except ModelRejectedError:
        return "passed over", claim
    if not spin.complete and not spin.errors:
        return "passed over", claim
    if spin.errors and spin.kind not in ("acceptance", "assertion", "claim-end"):
        return "passed over", claim
    theirs = "violated" if spin.errors else "holds"
    model = parse(re.sub(r"\bassert\b", "(true) || ", text))
    if store in LOSSY:
        return _compare_forgetting(model, claim, theirs, store, limit)
    for safety, algorithm, engine, threads in ways():
        request = Request(safety=safety, formulas=(claim,), algorithm=algorithm, engine=engine, threads=threads)
        if engine == "native":
            request = replace(request, store=store)
        *_, ours = check(model, request, Limits(states=limit))
        if ours.verdict == "incomplete":
            return "passed over", claim
        if ours.counterexample is not None and ours.counterexample.problem is not None:
            return "passed over", claim
        if ours.verdict != theirs:
            how = f"{algorithm}, {engine}, {threads}{' behind safety' * safety}"
            return "differs", f"{claim}: SPIN {theirs}, we with {how}: {ours.verdict}"
    return f"agrees, {theirs}", claim


def _compare_forgetting(model: Model, claim: str, theirs: str, store: StoreKind, limit: int) -> tuple[str, str]:
    """Whether a search with a store that forgets states finds what there is; in a large table it misses nothing."""
    ours = model.check(claim, store=store, limits=Limits(states=limit))
    if not ours.violated and ours.visited is None:
        return "passed over", claim
    if ours.counterexample is not None and ours.counterexample.problem is not None:
        return "passed over", claim
    said = "violated" if ours.violated else "holds"
    if said != theirs or ours.disagreement:
        return "differs", f"{claim}: SPIN {theirs}, we with {store}: {ours.verdict} {ours.disagreement}"
    return f"agrees, {theirs}", claim
