"""The code of a model takes the steps that the reference takes when both leave out what need not be taken."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from pathlib import Path

import pytest
from oracles.asking import check_safety
from oracles.corpus import EXAMPLES, installed_models
from oracles.promela.random_programs import program as random_program
from oracles.reduction.native import compare_native
from oracles.reduction.random_small import small_model
from tests.engine.bare import Bare
from tests.engine.deep import LONG
from tests.program.reachable import program_of
from tests.program.test_accesses import SPECIAL
from tests.reduction.models import SMALL

from everafter.check import check
from everafter.execution.packing import Packer
from everafter.execution.state import NO_PROCESS, State
from everafter.execution.step import initial_state, steps
from everafter.product.ample_steps import reduced_steps
from everafter.program.program import Program
from everafter.questions.limits import Limits
from everafter.questions.request import Request
from everafter.reduction.ample import Reduction
from everafter.reduction.soundness import for_safety
from everafter.source import InputError
from everafter.user_model import load, parse

MODELS: dict[str, Path | str] = {path.stem: path for path in EXAMPLES}
MODELS |= SPECIAL | LONG
MODELS |= {f"small {name}": text for name, text in SMALL.items()}
MODELS |= {f"seed {seed}": random_program(seed) for seed in range(5000, 5016)}


def reduced_row(program: Program, packer: Packer, reduction: Reduction, state: State) -> set[bytes]:
    """The rows that the reduced steps lead to, atomic sequences taken to their end."""
    found: set[bytes] = set()
    seen = {state}
    pending = [(state, reduced_steps(program, reduction, state))]
    while pending:
        _, possible = pending.pop()
        for step in possible:
            if step.state is None:
                continue
            if step.state.holder == NO_PROCESS:
                found.add(packer.pack(step.state))
            elif step.state not in seen:
                seen.add(step.state)
                pending.append((step.state, steps(program, step.state)))
    return found


def differences(program: Program, most: int) -> tuple[int, int]:
    """In how many states, among the first so many, code and reference differ, and in how many something is left out."""
    reduction = for_safety(program)
    if not isinstance(reduction, Reduction):
        return 0, 0
    packer = Packer(program)
    code = Bare(program, reduction=reduction)
    code.go_past_errors()
    start = initial_state(program)
    seen = {packer.pack(start)}
    pending = deque([start])
    wrong = reduced = 0
    while pending and len(seen) < most:
        state = pending.popleft()
        expected = reduced_row(program, packer, reduction, state)
        wrong += code.expand(packer.pack(state)) != expected
        reduced += len(reduced_steps(program, reduction, state)) < len(steps(program, state))
        for row in expected - seen:
            seen.add(row)
            pending.append(packer.unpack(row))
    return wrong, reduced


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_the_code_reduces_as_the_reference_does(model: Path | str) -> None:
    assert differences(program_of(model), 80)[0] == 0


@pytest.mark.parametrize("path", installed_models()[::5], ids=lambda path: path.stem)
def test_the_code_reduces_as_the_reference_does_on_installed_models(path: Path) -> None:
    try:
        program = load(path).program
    except InputError:
        return  # refused for its C code, which other tests look at
    assert differences(program, 50)[0] == 0


def test_something_is_left_out() -> None:
    """The comparison would be idle if nothing were ever reduced."""
    assert sum(differences(program_of(path), 100)[1] > 0 for path in EXAMPLES) >= 5


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_verdicts_do_not_depend_on_reduction(path: Path) -> None:
    model = load(path)
    asked = Request(safety=True, formulas=tuple(model.formulas), acceptance=True, progress=True)
    full, reduced = check(model, replace(asked, reduction="none")), check(model, asked)
    assert [(one.property, one.verdict) for one in full] == [(one.property, one.verdict) for one in reduced]
    assert all(one.reduction == "none" for one in full)
    for less, more in zip(reduced, full, strict=True):
        assert more.verdict == "violated" or less.states <= more.states


def test_both_engines_count_the_same_reduced_states() -> None:
    for path in EXAMPLES:
        program = load(path).program
        native = check_safety(program, Limits(), engine="native", reduction="static")
        reference = check_safety(program, Limits(), engine="reference", reduction="static")
        assert native.verdict == reference.verdict
        assert native.verdict == "violated" or native.states == reference.states


@pytest.mark.parametrize("seed", range(6))
def test_verdicts_do_not_depend_on_reduction_in_tiny_models(seed: int) -> None:
    """A fair share of campaigns/reduction_random.py --native."""
    assert "safety too large" not in compare_native(small_model(seed), seed, 100)


def test_where_it_is_off_it_says_why() -> None:
    result = check(parse("byte x; active proctype P() { x = 1 }"), Request(formulas=("<> X (x == 1)",)))[0]
    assert (result.reduction, "X matters" in result.unreduced) == ("none", True)
