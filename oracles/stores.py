"""Whether a search finds the same on a random program, however states are kept."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from everafter.check import check
from everafter.engine.columns import can_be_packed
from everafter.questions.limits import Limits
from everafter.questions.request import Request
from everafter.search.catalogue import ALONE, names
from everafter.source import OptionError
from everafter.user_model import Model, parse
from everafter.verdict.result import Result
from oracles.claims import formula, global_names
from oracles.promela.random_programs import program


def requests(text: str, seed: int) -> Iterator[Request]:
    """All that one worker can search for: safety, and a random formula, with and without fairness and reduction."""
    for name in names("reachability", "one"):
        yield Request(safety=True, algorithm=name, threads=1, reduction="none")
    variables = global_names(text)
    if variables:
        rng = random.Random(seed)
        asked = (formula(rng, variables, rng.randrange(2, 6)),)
        for name in names("cycle", "one"):
            yield Request(formulas=asked, algorithm=name, threads=1)
        yield Request(formulas=asked, fairness="weak")


def team_requests(text: str, seed: int) -> Iterator[Request]:
    """What teams of two to four workers can search for: safety, and a random formula."""
    rng = random.Random(seed)
    for name in names("reachability", "team"):
        yield Request(safety=True, algorithm=name, threads=rng.randint(2, 4), reduction="none")
    variables = global_names(text)
    if variables:
        asked = (formula(rng, variables, rng.randrange(2, 6)),)
        for algorithm in (None, *names("cycle", "team")):
            yield Request(formulas=asked, algorithm=algorithm, threads=rng.randint(2, 4))


def said_by_team(result: Result) -> tuple[Any, ...]:
    """All of a team's result that must not depend on the store, nor on which worker comes first.

    With reduction, the states of a search for cycles depend on the order in which they are met.
    """
    exact = result.verdict == "holds" and result.reduction == "none"
    return (result.verdict, result.states if exact else None)


def said(result: Result) -> tuple[Any, ...]:
    """All of a result that must not depend on the store."""
    return (result.verdict, result.states, result.transitions, result.depth, str(result.counterexample))


def compare(seed: int, teams: bool = False, limit: int = 3000) -> tuple[str, str]:
    """Whether all stores give the same results for all of it, by one worker or by teams, and what differs."""
    text = program(seed)
    model = parse(text)
    tell = said_by_team if teams else said
    for request in (team_requests if teams else requests)(text, seed):
        [plain] = check(model, replace(request, store="plain"), Limits(states=limit))
        if plain.verdict == "incomplete":
            return "passed over", ""
        [tree] = check(model, replace(request, store="tree"))
        if tell(plain) != tell(tree):
            return "differs", f"{request}: {tell(plain)}, as trees {tell(tree)}"
        packed = None if teams else packed_result(model, request)
        if packed is not None and tell(plain) != tell(packed):
            return "differs", f"{request}: {tell(plain)}, packed {tell(packed)}"
    return "agrees", ""


def packed_result(model: Model, request: Request) -> Result | None:
    """The result of the same search over packed rows, if it is one for these, and rows fit."""
    if request.algorithm is None or not can_be_packed(ALONE[request.algorithm]):
        return None
    try:
        [result] = check(model, replace(request, store="packed"))
    except OptionError:  # rows have too many bits
        return None
    return None if result.verdict == "incomplete" and "does not fit" in result.reason else result
