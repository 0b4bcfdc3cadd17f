"""The oracle reads SPIN's outcomes right, and the random programs are programs that SPIN accepts."""

import pytest
from oracles.promela.random_programs import Features, program, shrink
from oracles.spin import ModelRejectedError, safety, verdict

TWO_COUNT = "byte x; active [2] proctype P() { x++; x-- }"
TWO_COUNT_ASSERTED = "byte x; active [2] proctype P() { x++; assert(x == 1); x-- }"


pytestmark = pytest.mark.spin


def test_a_holding_model_is_counted_completely() -> None:
    result = safety(TWO_COUNT)
    assert result.holds
    assert (result.states, result.transitions, result.kind) == (13, 19, None)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (TWO_COUNT_ASSERTED, "assertion", "assertion violated (x==1)"),
        ("byte x; active proctype P() { x == 1 }", "end-state", "invalid end state"),
        ("byte x; active proctype P() { d_step { x++; x == 2 } }", "runtime", "block in d_step seq"),
        (
            "byte x = 2, a[2]; active proctype P() { a[x] = 1 }",
            "runtime",
            "assertion violated - invalid array index",
        ),
        ("byte x; active proctype P() { x = 3 / x }", "runtime", "division by zero (pan died of SIGFPE)"),
        (
            "chan c; chan d = [1] of { byte }; active proctype P() { d!0; c!0 }",
            "runtime",
            "ref to uninitialized chan name (qfull)",
        ),
    ],
)
def test_each_kind_of_error_is_told_apart(text: str, kind: str, message: str) -> None:
    result = safety(text)
    assert result.errors == 1
    assert (result.kind, result.message, result.complete) == (kind, message, False)


def test_past_errors_all_states_are_counted() -> None:
    result = safety(TWO_COUNT_ASSERTED, past_errors=True)
    assert result.complete
    assert (result.states, result.errors) == (21, 4)


def test_a_search_that_was_too_shallow_proves_nothing() -> None:
    result = safety("byte x; active proctype P() { do :: x < 200 -> x++ od }", bound=100)
    assert result.truncated
    assert not result.complete
    assert not result.holds


def test_a_search_out_of_time_proves_nothing() -> None:
    result = safety("int x; active proctype P() { do :: x++ od }", seconds=0.2)
    assert result.truncated
    assert not result.holds
    assert result.kind is None


def test_claims_do_not_change_the_states_of_the_system() -> None:
    claimed = TWO_COUNT + "\nltl small { [] (x <= 1) }\nltl back { <> [] (x == 0) }"
    assert safety(claimed).states == safety(TWO_COUNT).states


def test_definitions_reach_the_model() -> None:
    assert safety("byte x; active [N] proctype P() { x++; x-- }", defines=["N=2"]).states == 13


def test_the_compilers_agree() -> None:
    assert safety(TWO_COUNT, compiler="gcc").states == safety(TWO_COUNT).states


def test_what_spin_refuses_is_an_error() -> None:
    with pytest.raises(ModelRejectedError, match="syntax error"):
        safety("active proctype P() { if od }")


BLINKER = "byte x; active proctype P() { do :: x = 1 - x :: x == 3 -> progress: skip od }"


def test_ltl_claims_by_name_and_by_formula() -> None:
    assert verdict(TWO_COUNT_ASSERTED, "<> [] (x == 0)").holds
    assert verdict(TWO_COUNT_ASSERTED, "[] (x <= 1)").errors == 1
    assert verdict(TWO_COUNT + "\nltl never_three { [] (x < 3) }", "never_three").holds


def test_the_other_kinds_of_claim() -> None:
    assert verdict(BLINKER, kind="progress").kind == "progress"
    assert verdict("byte x; active proctype P() { do :: accept: x = 1 - x od }", kind="acceptance").errors == 1
    assert verdict(BLINKER + " never { do :: x == 1 -> break :: true od }", kind="never").kind == "claim-end"


def test_weak_fairness_excludes_the_run_that_forgets_a_process() -> None:
    two = "byte x, y; active proctype P() { do :: x = 1 - x od } active proctype Q() { y = 1 }"
    assert verdict(two, "<> (y == 1)").errors == 1
    assert verdict(two, "<> (y == 1)", fair=True).holds


def test_a_random_program_is_the_same_for_the_same_seed() -> None:
    assert program(7) == program(7)
    assert program(7) != program(8)


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_are_accepted(seed: int) -> None:
    result = safety(program(seed), seconds=5)
    assert result.states > 0 or result.kind == "runtime"


def test_a_feature_can_be_switched_off_and_focused_upon() -> None:
    focused = Features(d_step=0, unless=50)
    texts = [program(seed, focused) for seed in range(40)]
    assert not any("d_step" in text for text in texts)
    assert sum("unless" in text for text in texts) > 20


def test_shrinking_keeps_the_failure_and_little_else() -> None:
    padding = "    x = (x + 1) % 3;\n" * 4
    block = "    atomic {\n        y = 1;\n        assert(y == 0);\n    };\n"
    text = f"byte x, y;\nactive proctype P() {{\n{padding}{block}}}\n"
    small = shrink(text, lambda candidate: safety(candidate).kind == "assertion")
    assert len(small.splitlines()) == 5
    assert "x = " not in small
    assert safety(small).kind == "assertion"
