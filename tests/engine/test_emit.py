"""A model's compiled code does what the reference does, state for state."""

from __future__ import annotations

from collections import deque
from pathlib import Path

import pytest
from oracles.corpus import EXAMPLES, installed_models
from oracles.promela.random_programs import program as random_program
from tests.engine import bare
from tests.engine.bare import Bare, reference_product_step, reference_step, row_of
from tests.engine.deep import CLAIMED, ENDLESS, LONG, NESTED
from tests.execution.meaning import CASES
from tests.program.reachable import program_of
from tests.program.test_accesses import SPECIAL

from everafter.check import check
from everafter.engine.emit import chain
from everafter.engine.emit.claims import ProductCode
from everafter.engine.emit.control_block import Sizes, Word, write
from everafter.engine.emit.module import VIOLATION_ROW
from everafter.execution.packing import Packer
from everafter.execution.step import initial_state
from everafter.product.claim import AutomatonClaim, NeverClaim
from everafter.product.product import VIOLATION, Product, ProductState
from everafter.program.layout import HOLDER
from everafter.program.program import Program
from everafter.questions.property import Property, no_acceptance_cycle, no_cycle_without_progress, of_formula, of_never
from everafter.questions.request import Request
from everafter.search.space import ACCEPTING
from everafter.source import InputError
from everafter.user_model import Model, load, parse

MODELS: dict[str, Path | str] = {path.stem: path for path in EXAMPLES}
MODELS |= {f"regression {path.stem}": path for path in sorted(Path(__file__).parents[1].glob("regressions/*.pml"))}
MODELS |= SPECIAL
MODELS |= {name: case.text for name, case in CASES.items()}
MODELS |= CLAIMED | NESTED
MODELS |= {f"seed {seed}": random_program(seed) for seed in range(4000, 4060)}


def differences(program: Program, most: int, level: int = 1, planted: tuple[str, str] | None = None) -> list[str]:
    """The states, among the first so many, in which the code and the reference do not agree."""
    packer = Packer(program)
    code = Bare(program, level=level, planted=planted)
    code.go_past_errors()
    start = initial_state(program)
    assert code.initial() == packer.pack(start)
    wrong: list[str] = []
    seen = {packer.pack(start)}
    pending = deque([start])
    while pending and len(seen) < most:
        state = pending.popleft()
        expected, violated = reference_step(program, packer, state)
        before = code.violations
        found = code.expand(packer.pack(state))
        if found != expected or (code.violations > before) != violated:
            wrong.append(f"{state}: {len(found - expected)} too many, {len(expected - found)} missing, {violated=}")
        for row in expected - seen:
            seen.add(row)
            pending.append(packer.unpack(row))
    return wrong


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_every_step_is_that_of_the_reference(model: Path | str) -> None:
    assert differences(program_of(model), 300) == []


@pytest.mark.parametrize("path", installed_models(), ids=lambda path: path.stem)
def test_every_step_is_that_of_the_reference_on_installed_models(path: Path) -> None:
    try:
        model = load(path)
    except InputError:
        return  # refused for its C code, which other tests look at
    assert differences(model.program, 150) == []


@pytest.fixture
def little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sequences of some thousand rows be too long."""
    monkeypatch.setattr(bare, "SIZES", Sizes(chain=1 << 15, walked=1 << 10))


@pytest.mark.parametrize("text", LONG.values(), ids=LONG.keys())
@pytest.mark.usefixtures("little_room")
def test_sequences_too_long_to_be_followed_are_left_in_the_middle(text: str) -> None:
    program = program_of(text)
    assert differences(program, 60) == []
    reached = Bare(program).coloured(Packer(program).pack(initial_state(program)))
    assert any(row[HOLDER] for row in reached)


@pytest.mark.parametrize("level", [0, 2, 3])
def test_optimisation_changes_nothing(level: int) -> None:
    for name in ("rendezvous", "channels that die", "d_step", "priorities"):
        assert differences(program_of(SPECIAL[name]), 300, level) == []


PLANTED = {
    "a sequence that stops where there is no more room keeps its atomicity": (
        LONG["long sequences that stop everywhere"],
        "label %holder_stuck, label %holder_done",
        "label %holder_done, label %holder_done",
    ),
    "who is asked third always may move": (NESTED["enabled inside enabled"], "call i64 @M3_0(", "add i64 0, 1 ; ("),
    "else is always possible": (SPECIAL["else"], "store i64 1, ptr %moved", "store i64 0, ptr %moved"),
    "a promise broken is not noted": (SPECIAL["exclusive"], "store i64 2, ptr", "store i64 0, ptr"),
    "a place that became free is not cleared": (
        SPECIAL["channels as parameters"],
        "i8 0, i64 1, i1",
        "i8 1, i64 1, i1",
    ),
    "a number that wraps stays positive": (
        "int x = 2147483647; active proctype P() { x++; assert(x < 0); assert(x + 1 < 0) }",
        "sext i32",
        "zext i32",
    ),
}


@pytest.mark.parametrize("planted", PLANTED.values(), ids=PLANTED.keys())
@pytest.mark.usefixtures("little_room")
def test_a_planted_mistake_is_found(planted: tuple[str, str, str]) -> None:
    text, right, wrong = planted
    assert differences(program_of(text), 300) == []
    assert differences(program_of(text), 300, planted=(right, wrong))


# Rows in the middle of atomic sequences

CHOICES = """
    byte x, y;
    active proctype P() { do :: atomic { x = 0; y = 0; do :: x < 3 -> x++ :: y < 3 -> y++ :: break od } od }
"""


def with_hash(monkeypatch: pytest.MonkeyPatch, value: int) -> None:
    """Give all rows the same hash."""
    right = "ret i64 %hash"
    assert right in chain._HASH
    monkeypatch.setattr(chain, "_HASH", chain._HASH.replace(right, f"ret i64 {value}"))


def test_rows_with_the_same_hash_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    with_hash(monkeypatch, 77)
    assert differences(program_of(CHOICES), 300) == []
    found = "call i1 @same(ptr"
    assert differences(program_of(CHOICES), 300, planted=(found, "add i1 true, 0 ; ("))


def test_rows_of_an_earlier_expansion_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    assert differences(program_of(CHOICES), 300) == []
    monkeypatch.setattr(chain, "forget", lambda w: write(w, Word.GENERATION, 1))
    assert differences(program_of(CHOICES), 300)


def test_messages_may_be_lost() -> None:
    text = "chan q = [1] of { byte }; byte x; active proctype A() { q!1; q!2; q!!3; q?x; q?x }"
    assert differences(parse(text, loses_messages=True).program, 300) == []


# Products


def product_differences(asked: Property, program: Program, most: int) -> list[str]:
    """The product states in which the code and the reference do not agree, in successors or in what is accepting."""
    assert isinstance(asked.claim, AutomatonClaim | NeverClaim)
    product = Product(program, asked.claim, asked.accept_labels)
    code = Bare(program, ProductCode(asked.claim, asked.accept_labels))
    start = next(product.initial())
    assert code.initial() == row_of(start)
    wrong: list[str] = []
    seen: set[bytes] = {row_of(start)}
    pending: deque[ProductState] = deque([start])
    while pending and len(seen) < most:
        pair = pending.popleft()
        expected = reference_product_step(product, pair)
        found = {(b"\0" + row[1:], bool(row[0] & ACCEPTING)) for row in code.coloured(row_of(pair))}
        if not any(row[4] and row != VIOLATION_ROW for row, _ in found) and found != expected:
            wrong.append(f"{pair}: {len(found - expected)} too many, {len(expected - found)} missing")
        for row, _ in expected:
            if row not in seen and row != VIOLATION_ROW:
                seen.add(row)
                pending.append((row[:6] + b"\0\0" + row[8:], int.from_bytes(row[6:8], "little")))
    return wrong


def properties(model: Model) -> list[Property]:
    """Everything that can be asked of a model's infinite runs."""
    program = model.program
    found = [of_formula(program, formula) for formula in model.formulas.values()]
    found += [of_never(program, process.index) for process in program.processes if process.role == "never"]
    return [*found, no_acceptance_cycle(program), no_cycle_without_progress(program)]


CLAIMS = {
    "never with assertions": "byte x; active proctype P() { do :: x = 1 :: x = 2 od } "
    "never { do :: assert(x < 2) :: x == 1 -> break od; accept: do :: x == 1 od }",
    "never with atomic": "byte x; active proctype P() { do :: x = 1 :: x = 2 od } "
    "never { do :: atomic { x == 1 -> x < 2 } :: else od }",
    "never with timeout": "byte x; active proctype P() { x = 1; x == 3 } "
    "never { do :: !timeout :: timeout -> break od }",
    "never with np_": "byte x; active proctype P() { do :: x = 1; progress: x = 2 od } never { do :: np_ :: !np_ od }",
    "accept labels": "byte x; active proctype P() { accept: x = 1; do :: x = 2; accept2: x = 3 od } "
    "never { do :: 1 od }",
    **CLAIMED,
    **NESTED,
    "a proposition that goes wrong": "byte a[2], x; active proctype P() { do :: x++ od } ltl p { [] (a[x] == 0) }",
    "a step that goes wrong": "byte a[2], x; active proctype P() { do :: a[x] = 0; x++ od } ltl p { [] (x < 9) }",
    "atomic": "byte x; active [2] proctype P() { do :: atomic { x = 1; x = 2; x = 0 } od } ltl p { [] (x == 0) }",
    "remote references": "byte x; active proctype P() { byte v; L: v = 1; do :: x = 1 - x; v = x od } "
    "ltl p { <> [] (!P@L && P:v < 2) }",
    "a run that stops": "byte x; active proctype P() { x = 1; x = 2 } ltl p { <> (x == 3) } ltl q { [] <> (x == 2) }",
}


@pytest.mark.parametrize("text", CLAIMS.values(), ids=CLAIMS.keys())
def test_every_product_step_is_that_of_the_reference(text: str) -> None:
    model = parse(text)
    for asked in properties(model):
        assert product_differences(asked, model.program, 300) == [], asked.name


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_every_step_beside_a_claim_is_that_of_the_reference(model: Path | str) -> None:
    program = program_of(model)
    assert product_differences(no_cycle_without_progress(program), program, 60) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_product_step_is_that_of_the_reference_on_examples(path: Path) -> None:
    model = load(path)
    for asked in properties(model):
        assert product_differences(asked, model.program, 120) == [], asked.name


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS.keys())
def test_a_question_without_end_is_given_up(text: str) -> None:
    """Stepping into it for ever would end the process that asks."""
    assert check(parse(text), Request(engine="native"))[-1].verdict == "incomplete"


def test_a_violation_stays_one() -> None:
    model = parse("byte x; active proctype P() { x = 1 } ltl p { [] (x == 0) }")
    asked = properties(model)[0]
    assert isinstance(asked.claim, AutomatonClaim)
    code = Bare(model.program, ProductCode(asked.claim))
    assert code.expand(VIOLATION_ROW) == {VIOLATION_ROW}
    assert list(Product(model.program, asked.claim).successors(VIOLATION)) == [VIOLATION]
