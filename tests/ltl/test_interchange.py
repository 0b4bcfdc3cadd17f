"""HOA, never claims and DOT: what is written reads back to the same words, and others' texts are understood."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.ltl.random_formulas import random_lasso
from tests.ltl.strategies import formulas

from everafter.ltl import (
    Formula,
    Not,
    accepts,
    disjoint,
    from_hoa,
    from_never,
    hoa_reader,
    holds,
    parse,
    show,
    to_buchi,
    to_dot,
    to_hoa,
    to_never,
    translate,
)
from everafter.ltl.interchange import FORMATS
from everafter.source import InputError

GOLDEN_HOA = """\
HOA: v1
name: "[] (p -> <> q)"
tool: "everafter"
States: 2
Start: 0
AP: 2 "p" "q"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels state-acc deterministic
--BODY--
State: 0 {0}
[!0 | 1] 0
[0&!1] 1
State: 1
[1] 0
[!1] 1
--END--
"""
GOLDEN_NEVER = """\
never { /* [] (p -> <> q) */
accept_init:
	do
	:: (!p || q) -> goto accept_init
	:: (p && !q) -> goto T0_S1
	od;
T0_S1:
	do
	:: (q) -> goto accept_init
	:: (!q) -> goto T0_S1
	od;
}
"""
GOLDEN_DOT = """\
digraph "[] (p -> <> q)" {
  rankdir=LR;
  node [shape=circle, fontname="Helvetica"];
  edge [fontname="Helvetica"];
  start [shape=none, label="", width=0];
  start -> 0;
  0 [shape=doublecircle];
  0 -> 0 [label="!p || q"];
  0 -> 1 [label="p && !q"];
  1 -> 0 [label="q"];
  1 -> 1 [label="!q"];
}
"""


def test_golden_texts() -> None:
    name = "[] (p -> <> q)"
    automaton = to_buchi(parse(name))
    assert to_hoa(automaton, name) == GOLDEN_HOA
    assert to_never(automaton, name) == GOLDEN_NEVER
    assert to_dot(automaton, name) == GOLDEN_DOT


@settings(max_examples=80, deadline=None)
@given(formulas)
def test_hoa_round_trip(formula: Formula) -> None:
    opposite = translate(Not(formula))
    rng = random.Random(5)
    for automaton in (translate(formula), to_buchi(formula)):
        text = to_hoa(automaton, 'it\'s "quoted"')
        again = from_hoa(text)
        assert to_hoa(again, 'it\'s "quoted"') == text
        assert disjoint(again, opposite)
        assert all(accepts(again, word) == holds(formula, word) for word in (random_lasso(rng) for _ in range(4)))


@settings(max_examples=80, deadline=None)
@given(formulas)
def test_never_round_trip(formula: Formula) -> None:
    automaton = to_buchi(formula)
    again = from_never(to_never(automaton, "a */ comment"))
    assert disjoint(again, translate(Not(formula)))
    rng = random.Random(6)
    assert all(accepts(again, word) == holds(formula, word) for word in (random_lasso(rng) for _ in range(6)))


def test_propositions_that_are_expressions_round_trip() -> None:
    formula = parse('[] (x > 3 -> <> (q?[ack] || P[1]@critical)) && "odd \\" name" U y')
    again = from_hoa(to_hoa(translate(formula)))
    assert sorted(again.propositions) == ["P[1]@critical", 'odd " name', "q?[ack]", "x > 3", "y"]
    claim = from_never(to_never(to_buchi(parse("[] (x > 3 -> <> (q?[ack] || P[1]@critical))"))))
    assert claim.propositions == ("P[1]@critical", "q?[ack]", "x > 3")


def test_a_label_that_is_a_long_product_of_sums_is_written_negated() -> None:
    formula = parse("[] (" + " && ".join(f"(a{i} || b{i})" for i in range(14)) + ")")
    again = from_hoa(to_hoa(translate(formula)))
    assert disjoint(again, translate(Not(formula)))
    claim = to_never(to_buchi(formula))
    assert "!(" in claim
    assert disjoint(from_never(claim), translate(Not(formula)))


SPOT_STYLE = """\
HOA: v1
name: "GFa & GFb"   /* as Spot prints it */
States: 1
Start: 0
AP: 2 "a" "b"
acc-name: generalized-Buchi 2
Acceptance: 2 Inf(0)&Inf(1)
properties: trans-labels explicit-labels trans-acc complete deterministic
--BODY--
State: 0
[!0&!1] 0
[0&!1] 0 {0}
[!0&1] 0 {1}
[0&1] 0 {0 1}
--END--
"""
STATE_LABELS = """\
HOA: v1 States: 2 Start: 0 Start: 1 AP: 1 "a" Alias: @yes 0 Alias: @no !@yes
Acceptance: 2 (Inf(1))
--BODY--
State: [@yes] 0 "has a" {1} 0 1
State: [@no & (t | f)] 1 {0} 0 1
--END--
"""
IMPLICIT_LABELS = """\
HOA: v1 States: 2 Start: 0 AP: 1 "a" Acceptance: 1 Inf(0)
--BODY--
State: 0 0 1
State: 1 {0} 1 1
--END--
"""


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        (SPOT_STYLE, "G F a && G F b"),
        (STATE_LABELS, "G F a"),
        (IMPLICIT_LABELS, "F a"),
        (IMPLICIT_LABELS.replace("Start: 0", ""), "false"),
        (IMPLICIT_LABELS.replace("1 Inf(0)", "0 t"), "true"),
        (IMPLICIT_LABELS.replace("1 Inf(0)", "0 f"), "false"),
    ],
)
def test_hoa_of_others(text: str, formula: str) -> None:
    automaton = from_hoa(text)
    assert disjoint(automaton, translate(Not(parse(formula))))
    rng = random.Random(8)
    for word in (random_lasso(rng, ("a", "b")) for _ in range(50)):
        assert accepts(automaton, word) == holds(parse(formula), word)


@pytest.mark.parametrize(
    ("change", "message", "advice"),
    [
        (("HOA: v1", "HOA: v2"), "version 'v2'", "v1"),
        (("HOA: v1", "AAH: v1"), "expected HOA:", ""),
        (("2 Inf(0)&Inf(1)", "2 Inf(0)|Inf(1)"), "generalised Büchi", "autfilt"),
        (("2 Inf(0)&Inf(1)", "2 Fin(0)&Inf(1)"), "generalised Büchi", "autfilt"),
        (("2 Inf(0)&Inf(1)", "2 Inf(!0)"), "generalised Büchi", "autfilt"),
        (("Acceptance: 2 Inf(0)&Inf(1)", ""), "no 'Acceptance:'", ""),
        (("[0&1] 0 {0 1}", "[0&1] 0&0"), "alternating", "Spot"),
        (("[0&1] 0", "[0&7] 0"), "no proposition 7", ""),
        (("[0&1] 0", "[0&@x] 0"), "not an alias", ""),
        (("[0&1] 0", "[0&1 0"), "expected ]", ""),
        (("State: 0", "State: 0 State: 0"), "described twice", ""),
        (("--END--", ""), "expected State:", ""),
        (("Start: 0", "Start: 99999999"), "too large", ""),
        (("Start: 0", "Start: 99999"), "large gaps", ""),
        (('AP: 2 "a" "b"', 'AP: 2 "a" "a"'), "same name", ""),
        (("AP: 2", "AP: 2 $"), "unexpected character", ""),
    ],
)
def test_mistakes_in_hoa_have_a_place(change: tuple[str, str], message: str, advice: str) -> None:
    with pytest.raises(InputError) as caught:
        from_hoa(SPOT_STYLE.replace(*change))
    (diagnostic,) = caught.value.diagnostics
    assert message in diagnostic.message
    assert advice in (diagnostic.advice or "")
    assert diagnostic.render()


SPIN_STYLE = """
never  {    /* p U q */
T0_init:
	do
	:: atomic { ((q)) -> assert(!((q))) }
	:: ((p)) -> goto T0_init
	od;
accept_all:
	skip
}
"""
SPOT_NEVER = """
never named { /* F(a & GFb) */
T0_init:
  do
  :: ((a)) -> goto T0_S2
  :: (!((a))) -> goto T0_init
  od;
accept_S1:
  if
  :: ((b)) -> goto accept_S1
  :: else -> goto T0_S2
  fi;
T0_S2:
  if
  :: b -> goto accept_S1
  :: ((!(b))) -> goto T0_S2
  fi;
}
"""


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        (SPIN_STYLE, "p U q"),
        (SPOT_NEVER, "F (a && G F b)"),
        ("never { accept_init: do :: p od }", "G p"),
        ("never { do :: true :: p -> break od }", "F p"),
        ("never { accept_init: goto accept_S; accept_S: do :: p -> goto accept_init od; }", "G p"),
        ("never { T0: false; }", "false"),
        ("never { skip; p; q }", "X (p && X q)"),
        ("never { a: if :: p -> goto b :: q -> skip fi; false; b: skip }", "p"),
        ("never { }", "true"),
    ],
)
def test_claims_of_others(text: str, formula: str) -> None:
    automaton = from_never(text)
    assert disjoint(automaton, translate(Not(parse(formula))))
    rng = random.Random(9)
    for word in (random_lasso(rng, ("a", "b", "p", "q")) for _ in range(60)):
        assert accepts(automaton, word) == holds(parse(formula), word)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected 'never'"),
        ("never { do :: p -> goto a od", "closed with '}'"),
        ("never { T0: do :: p -> goto T1 od; }", "no label is called 'T1'"),
        ("never { T0: do :: p -> x = 1 od; }", "not understood"),
        ("never { T0: do :: [] p -> goto T0 od; }", "no temporal operators"),
        ("never { a: goto b; b: goto a }", "lead nowhere"),
        ("never { a: do :: (p -> goto a od }", "expected an operator"),
        ("never { a: do :: p -> goto ; od }", "label should follow"),
    ],
)
def test_mistakes_in_claims_have_a_place(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        from_never(text)
    assert message in caught.value.render()


WORDS = ["never", "{", "}", "do", "od", "if", "fi", "::", ":", ";", "->", "goto", "a", "b", "accept_a:", "(", ")"]
WORDS += ["skip", "false", "assert", "atomic", "else", "[]", "p", "!", "&&", "break", "1"]
HOA_WORDS = ["HOA: v1", "States: 1", "Start: 0", 'AP: 1 "a"', "Acceptance: 1 Inf(0)", "--BODY--", "--END--", "State: 0"]
HOA_WORDS += [
    "[0]",
    "[t]",
    "0",
    "{0}",
    "[",
    "]",
    "!",
    "&",
    "|",
    "(",
    ")",
    "@a",
    "Alias: @a 0",
    "1",
    "$",
    "Inf",
    "t",
    "f",
]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=20))
def test_no_text_makes_the_claim_reader_fail_otherwise(words: list[str]) -> None:
    for text in (" ".join(words), f"never {{ {' '.join(words)} }}"):
        result: object
        try:
            result = from_never(text)
        except InputError as error:
            result = error.render()
        assert result


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(HOA_WORDS), max_size=20))
def test_no_text_makes_the_hoa_reader_fail_otherwise(words: list[str]) -> None:
    header = 'HOA: v1 AP: 1 "a" Acceptance: 1 Inf(0) --BODY-- '
    for text in (" ".join(words), header + " ".join(words) + " --END--"):
        result: object
        try:
            result = from_hoa(text)
        except InputError as error:
            result = error.render()
        assert result


def test_show_in_every_format() -> None:
    shown = {output: show("GFp0 -> GFp1", output) for output in FORMATS}
    assert shown["hoa"].startswith('HOA: v1\nname: "G F p0 -> G F p1"')
    assert shown["never"].startswith("never { /* [] <> p0 -> [] <> p1 */")
    assert shown["dot"].startswith('digraph "G F p0 -> G F p1" {')
    assert "stutter-invariant  yes" in shown["text"]
    assert "state 0 (initial)" in shown["text"]
    assert "unsound" in show("X p", "text")
    with pytest.raises(InputError):
        show("p &&", "text")


def test_a_claim_needs_accepting_states() -> None:
    with pytest.raises(ValueError, match="accepting states"):
        to_never(translate(parse("G F p && G F q")))


# Texts that are made to cost much


HEADER = "HOA: v1\nStart: {start}\nAP: {count} {names}\nAcceptance: {sets} {acceptance}\n"


def hoa(body: str = "State: 0\n", start: str = "0", names: tuple[str, ...] = (), sets: int = 1, more: str = "") -> str:
    acceptance = "&".join(f"Inf({number})" for number in range(sets)) or "t"
    quoted = " ".join(f'"{name}"' for name in names)
    header = HEADER.format(start=start, count=len(names), names=quoted, sets=sets, acceptance=acceptance)
    return f"{header}{more}--BODY--\n{body}--END--\n"


def test_a_number_of_any_length_is_refused_at_its_place() -> None:
    """Python itself reads no more than 4,300 digits."""
    with pytest.raises(InputError, match="too large"):
        from_hoa(hoa(start="9" * 5000))


def test_only_some_propositions_may_be_named_and_only_so_many_sets() -> None:
    text = hoa(names=("p", "q"), sets=2)
    assert from_hoa(text, only={"p", "q", "r"}, most_sets=2).propositions == ("p", "q")
    with pytest.raises(InputError, match="it speaks of 'q'"):
        from_hoa(text, only={"p", "r"})
    with pytest.raises(InputError, match="more than 1 acceptance sets"):
        from_hoa(text, most_sets=1)


CONTENTS = hoa_reader._Contents


class Counting(dict[str, int]):
    """Counts how often it is copied."""

    copies = 0

    def __iter__(self) -> Any:  # without it, a copy asks nobody
        return super().__iter__()

    def keys(self) -> Any:
        Counting.copies += 1
        return super().keys()


def test_aliases_are_not_copied_for_each_label(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hoa_reader, "_Contents", lambda: CONTENTS(aliases=Counting()))
    aliases = "".join(f"Alias: @a{number} {number % 2}\n" for number in range(50))
    edges = "".join(f"[@a{number}] 0\n" for number in range(50))
    found = from_hoa(hoa(f"State: 0\n{edges}", names=("p", "q"), more=aliases))
    assert found.edge_count == 1
    assert Counting.copies == 0
