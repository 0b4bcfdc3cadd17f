"""What grows with a model grows in proportion to it: measured in work, never in time."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

import everafter
from everafter.certificates.independence.conflict_table import table_of
from everafter.certificates.independence.observation import Seen
from everafter.engine.emit.module import code_of
from everafter.execution.step import initial_state
from everafter.reduction.ample import reduction_of
from everafter.reduction.dependence import Condition, Future, ScopeClashes

NESTED = 640
EXPRESSIONS = {
    "brackets": ("(1 + " * NESTED + "x" + ")" * NESTED, NESTED + 2),
    "operands": (" + ".join(["x * 3"] * NESTED), 6 * NESTED),
    "signs": ("- " * NESTED + "x", 2),
    "conditions": ("(x == 1 -> 7 : " * NESTED + "x" + ")" * NESTED, 2),
}
"""What is computed where x is 2, and what comes out."""


@pytest.mark.parametrize(("text", "value"), EXPRESSIONS.values(), ids=EXPRESSIONS)
@pytest.mark.parametrize("engine", ["native", "reference"])
def test_deep_expressions_are_read_and_computed(text: str, value: int, engine: str) -> None:
    model = everafter.parse(f"int x = 2; active proctype P() {{ x = {text} }}")
    assert model.check(f"<> [] (x == {value})", engine=engine).holds


def test_a_chain_of_macros_is_read() -> None:
    chain = "".join(f"#define M{k + 1} (M{k} + 1)\n" for k in range(NESTED))
    model = everafter.parse(f"#define M0 0\n{chain}int x; active proctype P() {{ x = M{NESTED} }}")
    assert model.check(f"<> (x == {NESTED})").holds


def straight(size: int) -> str:
    """A process that goes through as many variables, beside one that does something else."""
    declared = "".join(f"byte v{k};\n" for k in range(size))
    steps = "; ".join(f"v{k} = 1" for k in range(size))
    return f"{declared}active proctype P() {{ {steps} }}\nactive proctype Q() {{ byte i; i++; i++ }}"


def comparisons(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often what a process can do is compared with what another may still do, to make the code of a model."""
    count = 0
    compare = ScopeClashes.against

    def counted(self: ScopeClashes, future: Future) -> frozenset[Condition]:
        nonlocal count
        count += 1
        return compare(self, future)

    program = everafter.parse(text).program
    with monkeypatch.context() as patch:
        patch.setattr(ScopeClashes, "against", counted)
        code_of(program, reduction=reduction_of(program))
    return count


def test_a_process_that_is_alone_of_its_type_is_not_compared_with_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = (comparisons(straight(size), monkeypatch) for size in (50, 100))
    assert 0 < large <= 2 * small


SEVERAL = {
    "two at the start": "active [2] proctype P()",
    "one more is run": "active proctype R() { run P() } active proctype P()",
    "both are run": "init { atomic { run P(); run P() } } proctype P()",
}


@pytest.mark.parametrize("start", SEVERAL.values(), ids=SEVERAL)
def test_processes_of_one_type_are_compared_where_there_may_be_several(start: str) -> None:
    """Steps on what they share are not left out: one writes before the other has looked."""
    body = "byte mine; mine = v; v = mine + 1; assert(v == mine + 1)"
    assert everafter.parse(f"byte v; {start} {{ {body} }}").check().violated


def options(size: int) -> str:
    """A choice of as many steps."""
    return "int x;\nactive proctype P() { do " + " ".join(f":: x = {k}" for k in range(size)) + " od }"


def calls(size: int) -> str:
    """As many calls of an inline."""
    return "byte x;\ninline add(a, b) { a = a + b }\nactive proctype P() { " + "add(x, 3); " * size + "x = 0 }"


def function_calls(work: Callable[[], object]) -> int:
    """How many functions are called, and generators resumed, to do some work."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("text", [options, calls], ids=["options", "calls"])
def test_a_model_twice_as_large_is_twice_the_work_before_a_search(text: Callable[[int], str]) -> None:
    def work(size: int) -> object:
        program = everafter.parse(text(size)).program
        return code_of(program, reduction=reduction_of(program))

    work(10)  # what is loaded at first use does not count
    small, large = (function_calls(lambda size=size: work(size)) for size in (150, 300))  # type: ignore[misc]
    assert large < 2.3 * small


def uninterrupted(size: int) -> str:
    """The same as `straight`, in one atomic sequence."""
    return straight(size).replace("P() {", "P() { atomic {").replace("}\nactive", "} }\nactive")


@pytest.mark.parametrize("text", [straight, uninterrupted, options], ids=["straight", "atomic", "options"])
def test_a_model_twice_as_large_is_twice_the_work_for_one_who_judges_its_reduction(text: Callable[[int], str]) -> None:
    def work(size: int) -> object:
        program = everafter.parse(text(size)).program
        return table_of(program, initial_state(program).memory, Seen())

    work(10)
    small, large = (function_calls(lambda size=size: work(size)) for size in (100, 200))  # type: ignore[misc]
    assert large < 2.3 * small
