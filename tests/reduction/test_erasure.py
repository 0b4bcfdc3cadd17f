"""Zero in what is not read again: which cells that is, that no verdict depends on it, and that mistakes are found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from oracles.promela.random_programs import program as random_program
from oracles.reduction.erased import erasure_flaws, rows
from oracles.reduction.random_small import small_model
from tests.reduction.models import SMALL

from everafter.certificates.certification import Checker, certify
from everafter.certificates.file import CertificateError
from everafter.certificates.independence.zero_cells import read_of_zeros
from everafter.check import check
from everafter.choices import REDUCTIONS
from everafter.execution.packing import Packer
from everafter.execution.step import initial_state
from everafter.program import unread_cells
from everafter.program.erasure import cells_in
from everafter.program.program import Program
from everafter.promela.propositions import proposition
from everafter.questions import smaller_program
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.questions.smaller_program import with_smaller_program
from everafter.record import replace
from everafter.reduction import live_cells
from everafter.reduction.live_cells import erasure_of
from everafter.source import Place
from everafter.user_model import parse

MODELS = {
    "a statistic": "byte x; int trips; active proctype P() { do :: x = 1 - x; trips++ od }",
    "a statistic by another": "byte x, a, b; active proctype P() { do :: x = 1 - x; a++; b = b + a od }",
    "statistics in an array": "byte x; byte n[3]; active [2] proctype P() { do :: x < 3 -> n[x]++; x++ :: else -> "
    "break od }",
    "a field": "typedef S { byte used; byte seen } S s; active proctype P() { s.seen = 5; s.used = 1; s.used == 1 }",
    "a temporary": "byte x; active [2] proctype P() { byte t; t = x; x = (t + 1) % 3; t = 0; x > 0 }",
    "a parameter": "byte x; proctype P(byte a, b) { x = a; b == 2; x = 0 } init { run P(1, 2); run P(3, 2) }",
    "received": "chan c = [2] of { byte, byte }; active proctype S() { c!1,2; c!3,4 } active proctype R() { byte x, y; "
    "c?x,y; y > 0; c?x,eval(y + 2); x == 3 }",
    "rendezvous": "chan c = [0] of { byte }; byte z; active proctype S() { byte t = 4; c!t; z = 1 } active proctype "
    "R() "
    "{ byte x; c?x; x == 4; z == 1 }",
    "a guard of an escape": "byte g; active proctype P() { byte t = 1; { g = 1; g = 2; g = 3 } unless { t == 2; g = "
    "9 } }",
    "a d_step": "byte x; active [2] proctype P() { byte i, t; d_step { do :: i < 3 -> t = i; i++ :: else -> break od; "
    "x = t }; x == 2 }",
    "atomic": "byte x; active [2] proctype P() { byte i; atomic { i = x; x = i + 1; i = 0 } x > 0 }",
    "a remote reference": "byte x; active proctype P() { byte t; t = 3; x = 1; x = 2 } active proctype Q() "
    "{ x == 1; assert(P:t == 3) }",
    "a global of one process": "byte g, h; active proctype P() { g = 1; h = g; g = 2; h = 3 } active proctype Q() { "
    "h == 1 }",
    "a global of one that ends": "byte g; active proctype P() { g = 7 unless { g == 9 } } active proctype Q() { skip }",
    "an index that goes wrong": "byte a[2], i, w; active proctype P() { do :: w = a[i]; i++ od }",
    "an index of what nobody reads": "byte a[2], i; active proctype P() { do :: a[i] = 1; i++ od }",
    "a divisor": "byte d = 2, w; active proctype P() { do :: w = 1 / d; d-- od }",
    "the largest of ints": "int d, w; active proctype P() { d = 1; d = d << 31; w = d / (0 - 1); d = 0 }",
    "a divisor behind a condition": "byte d = 2, c, w; active proctype P() { c = 1; w = (c -> 1 / d : 0); d = 0; w "
    "= (c -> 1 / d : 0) }",
    "a first value": "byte g; proctype P(byte a) { byte b = a; g = b } init { run P(1); run P(2) }",
    "a shared global": "byte g; active [2] proctype P() { g == 0; g = 1; g = 2; g == 2 }",
    "what is printed": 'byte x, t; active proctype P() { do :: t++; printf("%d\\n", t); x = 1 - x od }',
    "a trace": "chan c = [2] of { byte }; trace { do :: c!1 od } active proctype P() { byte t; t = 1; c!t; t = 0; "
    "c!1 }",
    "fields of messages": "chan c = [2] of { byte, byte, byte }; byte x; active proctype S() { byte t, n; "
    "do :: c!n,t,x; t = 1 - t; n = 1 - n od } active proctype R() { byte a, b, d; "
    "do :: c?a,b,d; x = a; b = b + d :: c?_,_,d od }",
    "a field that is compared": "chan c = [2] of { byte, byte }; active proctype S() { byte t; "
    "do :: t < 3 -> c!1,t; t++ :: else -> break od } active proctype R() { byte a; do :: c?a,eval(a + 1) :: c?a,0 od }",
    "a field that is polled": "chan c = [2] of { byte, byte }; byte x; active proctype S() { byte t; "
    "do :: t < 3 -> c!1,t; t++ :: else -> break od } "
    "active proctype R() { byte a; do :: c?[_,2] -> x = 1 :: c?a,_ od }",
    "a sorted send": "chan c = [2] of { byte, byte }; byte x; active proctype S() { byte t = 3; "
    "do :: t > 0 -> c!!1,t; t-- :: else -> break od } active proctype R() { byte a, b; do :: c?a,b; x = a od }",
    "a field for one receiver": "chan c = [1] of { byte, byte }; byte x; active proctype S() { c!1,2; c!2,3 } "
    "active proctype R() { byte a, b; c?a,b; x = b } active proctype Q() { byte a, b; c?a,b; x = a }",
    "channels of any type": "chan c = [1] of { byte, byte }; chan d = [2] of { byte, byte }; byte x; "
    "proctype R(chan q) { byte a, b; q?a,b; x = b; x == 2 } proctype S(chan q) { q!1,2 } "
    "init { run S(c); run R(c); d!3,4; d?x,_ }",
    "a channel in a message": "chan c = [1] of { chan, byte }; chan d = [1] of { byte }; "
    "active proctype S() { c!d,7 } active proctype R() { chan q; byte a; c?q,a; q!1 }",
    "a rendezvous with fields": "chan c = [0] of { byte, byte }; byte x; "
    "active proctype S() { byte t; do :: c!1,t; t = 1 - t od } "
    "active proctype R() { byte a, b; do :: c?a,b; x = a od }",
    "messages too short": "chan c = [1] of { byte, byte }; byte x; active proctype S() { byte t = 3; c!t } "
    "active proctype R() { byte a, b; c?a,b; x = b }",
    "a divisor that is sent": "chan c = [1] of { byte }; byte d = 1; active proctype S() { do :: c!1 / d; d-- od } "
    "active proctype R() { byte a; do :: c?a od }",
    "an element": "active proctype P() { byte b[2], k; b[1] = 1; k = 0; b[k] = 2; b[1] == 1 }",
    "provided by its own": "byte x, p = 1; active proctype P() provided (p == 1) { x = 1; p = 0; x = 2 }",
    "provided": "byte x, p = 1; active proctype P() provided (p == 1) { byte t; t = 1; p = 0; x = t } "
    "active proctype Q() { p = 1 }",
}
FORMULAS = ("<> (x == 9)", "[] (x <= 2)", "X X (x == 1)")


def erasing(program: Program, *texts: str) -> tuple[Program, list[Any]]:
    """The program that erases what is not read again, nor by these propositions."""
    place = Place(program.model.source, 1, 1)
    watched = [proposition(program.model, text, place)[0] for text in texts]
    return replace(program, erased=erasure_of(program, watched)), watched


def names(program: Program, cells: int) -> set[str]:
    return {program.memory.cells[cell].name for cell in cells_in(cells)}


@pytest.mark.parametrize("text", [*MODELS.values(), *SMALL.values()], ids=[*MODELS, *SMALL])
def test_states_with_zero_take_the_same_steps(text: str) -> None:
    program, watched = erasing(parse(text).program)
    assert not list(erasure_flaws(program, watched, 300))
    assert not read_of_zeros(program, watched)


@pytest.mark.parametrize("seed", range(8))
def test_states_of_random_programs_do(seed: int) -> None:
    program, watched = erasing(parse(small_model(seed) if seed % 2 else random_program(seed)).program)
    assert not list(erasure_flaws(program, watched, 200))
    assert not read_of_zeros(program, watched)


@pytest.mark.parametrize("text", MODELS.values(), ids=MODELS)
def test_verdicts_and_their_runs_are_those_without(text: str) -> None:
    """The judge takes every counterexample again, with the values that were erased."""
    model = parse(text)
    formulas = FORMULAS if text.startswith("byte x") else ()
    found = {}
    for wish in ("none", "static", *REDUCTIONS):
        request = Request(engine="reference", reduction=wish, safety=True, formulas=formulas)
        if wish in ("none", "ample", "merge") and "a divisor" not in text and "trips" in text:
            continue  # too many states
        found[wish] = [(result.verdict, result.disagreement) for result in check(model, request)]
    assert len(set(map(tuple, found.values()))) == 1
    assert {verdict for verdict, _ in found["dead"]} <= {"holds", "violated"}


def test_what_nobody_reads_has_no_states() -> None:
    program, _ = erasing(parse(MODELS["a statistic by another"]).program, "x == 1")
    assert program.erased is not None
    assert names(program, program.erased.unread) == {"a", "b"}
    assert rows(program, 500) == (500, 6)


def test_what_a_property_reads_is_read() -> None:
    program, _ = erasing(parse(MODELS["a statistic by another"]).program, "b == 1")
    assert program.erased is not None
    assert not names(program, program.erased.unread) & {"a", "b"}


def test_fields_of_messages_that_are_not_read_have_no_states() -> None:
    program, _ = erasing(parse(MODELS["fields of messages"]).program, "x == 1")
    assert program.erased is not None
    assert program.erased.fields == (0b110,)
    other, _ = erasing(parse(MODELS["a field that is compared"]).program)
    assert other.erased is not None
    assert other.erased.fields == (0,)


def test_fields_are_told_apart_and_elements_are_not() -> None:
    program, _ = erasing(parse(MODELS["a field"]).program)
    assert program.erased is not None
    assert names(program, program.erased.unread) == {"s.seen"}
    other, _ = erasing(parse("byte a[2], b[2]; active proctype P() { b[0] = a[1]; assert(b[1] == 0) }").program)
    assert other.erased is not None
    assert not other.erased.unread


def test_a_cycle_is_shown_with_true_values() -> None:
    """A counter that nobody reads does not come back; what is read later on does, from the second round on."""
    counter = "byte x; int trips; active proctype P() { do :: x = 1 - x; trips++ od }"
    (result,) = check(parse(counter), Request(engine="reference", reduction="dead", formulas=("[] (x == 0)",)))
    assert result.verdict == "violated"
    late = "byte x, t = 5; active proctype P() { do :: t = 3; x = t; x = 0 od }"
    (other,) = check(parse(late), Request(engine="reference", reduction="dead", formulas=("<> (x == 7)",)))
    run = other.counterexample
    assert run is not None
    states = list(run.states())
    assert states[len(run.prefix)] == states[-1]


def test_it_is_part_of_the_default() -> None:
    question = Question(parse(MODELS["a statistic"]).program, SAFETY)
    for wish, erases in (("static", True), ("dead", True), ("ample,dead", True), ("ample", False), ("none", False)):
        found, why = with_smaller_program(replace(question, reduction=wish))
        assert (found.program.erased is not None, why) == (erases, "")


@pytest.mark.parametrize("by", ["native", "reference"])
@pytest.mark.parametrize("name", ["a parameter", "a d_step", "what is printed", "fields of messages"])
def test_rows_of_certificates_have_zeros_and_are_believed_for_what_the_text_says(
    name: str, by: Checker, tmp_path: Path
) -> None:
    model, path = parse(MODELS[name]), tmp_path / "c"
    asked = Request(safety=True, ignore=("end-states",))
    (result,) = model.check_all(asked, certificate=path)
    assert result.erased
    (certified,) = certify(path, model, request=asked, by=by).verdicts
    assert (certified.verdict, certified.erased, certified.rows) == ("holds", True, result.states)


def test_zeros_that_are_read_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search erases too much; neither does a check write such a certificate, nor does the checker accept one."""
    model, path = parse("byte g, h; active [2] proctype P() { g == 0; g = 1; h++; g = 0 }"), tmp_path / "c"
    asked = Request(safety=True, ignore=("end-states",))
    (whole,) = model.check_all(asked, certificate=path)
    assert whole.erased
    read = replace(erasure_of(model.program, ()), unread=0b11)
    monkeypatch.setattr(smaller_program, "erasure_of", lambda *_: read)
    with pytest.raises(CertificateError, match=r"its rows leave something out, but line 1 may depend on what is zero"):
        certify(path, model, request=asked)
    (result,) = model.check_all(asked, certificate=tmp_path / "d")
    assert not result.erased
    assert result.whole == "a certificate would not be believed: line 1 may depend on what is zero"


def nothing(*_: Any, **__: Any) -> Any:
    return iter(())


PLANTED: list[tuple[str, Any, str, Callable[..., Any], str]] = [
    ("a read is forgotten", live_cells, "needed", nothing, "received"),
    ("what is copied is forgotten", live_cells, "copied", nothing, "atomic"),
    ("all is taken for written", live_cells, "is_certain", lambda _: True, "an element"),
    ("others' references are forgotten", live_cells, "remote_variables", nothing, "a remote reference"),
    ("conditions are forgotten", live_cells, "always_read", nothing, "provided by its own"),
    ("a global is taken for one process's", live_cells, "_lonely", lambda _: {0}, "a shared global"),
    ("reads are forgotten", unread_cells, "needed", nothing, "an index that goes wrong"),
    ("dividends are forgotten", unread_cells, "needed", nothing, "the largest of ints"),
    ("a comparison is forgotten", unread_cells._Reading, "_compared", nothing, "a field that is compared"),
    ("a poll is forgotten", unread_cells._Reading, "_compared", nothing, "a field that is polled"),
    ("any type is taken for one", unread_cells, "types_meant", lambda *_: (1,), "channels of any type"),
    ("divisors are forgotten", unread_cells, "needed", nothing, "a divisor behind a condition"),
]


@pytest.mark.parametrize(
    ("module", "name", "planted", "model"), [item[1:] for item in PLANTED], ids=[item[0] for item in PLANTED]
)
def test_mistakes_are_found(
    module: Any,
    name: str,
    planted: Callable[..., Any],
    model: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, name, planted)
    program, watched = erasing(parse(MODELS[model]).program)
    assert list(erasure_flaws(program, watched, 300))
    assert read_of_zeros(program, watched)


def test_rows_of_the_packer_are_zero_where_it_is_told() -> None:
    program, _ = erasing(parse(MODELS["a statistic"]).program, "x == 1")
    packer = Packer(program)
    state = packer.unpack(packer.pack(packer.unpack(packer.pack(initial_state(program)))._replace(memory=(1, 99))))
    assert state.memory == (1, 0)


@pytest.mark.parametrize(
    "name",
    [
        "a parameter",
        "rendezvous",
        "a d_step",
        "a global of one that ends",
        "received",
        "fields of messages",
        "a field for one receiver",
        "channels of any type",
        "a rendezvous with fields",
    ],
)
def test_machine_code_has_the_states_of_the_reference(name: str) -> None:
    found = [
        check(parse(MODELS[name]), Request(engine=engine, reduction="dead", safety=True))[0]
        for engine in ("reference", "native")
    ]
    assert len({result.verdict for result in found}) == 1
    assert found[0].verdict == "violated" or found[0].states == found[1].states
