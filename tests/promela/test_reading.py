"""Odd texts made from SPIN's grammar are read by both of us or by neither; campaigns/reader.py tries thousands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from oracles.promela.odd_texts import odd_text
from oracles.promela.reading import SPIN_REFUSES, WE_REFUSE, compare_reading, spin_says, we_say

CHUNK = 25


@pytest.mark.parametrize("chunk", range(10))
@pytest.mark.spin
def test_odd_texts_are_read_alike(chunk: int, tmp_path: Path) -> None:
    for seed in range(2_000_000 + chunk * CHUNK, 2_000_000 + (chunk + 1) * CHUNK):
        compared = compare_reading(odd_text(seed), tmp_path)
        assert compared.reading != "differ", f"seed {seed}: {compared.explanation}"


def test_the_texts_are_worth_reading() -> None:
    """Enough of them are valid, and enough are not."""
    refused = sum(we_say(odd_text(seed)) != "" for seed in range(2_000_000, 2_000_200))
    assert 60 <= refused <= 170


@pytest.mark.spin
def test_a_difference_is_noticed(tmp_path: Path) -> None:
    assert compare_reading("active proctype P() { skip }", tmp_path).reading == "agree"
    assert compare_reading("active proctype P() { c_code { } }", tmp_path).reading == "known"
    assert spin_says("active proctype P() { goto }", tmp_path)
    unknown = compare_reading("#ifdef linux\nnothing\n#endif\nactive proctype P() { skip }", tmp_path)
    assert unknown.reading == "differ"


def test_two_signs_in_a_formula_stay_two() -> None:
    assert we_say("byte x; active proctype P() { x = 1 } ltl a { [] (x > - -1) }") == ""


def test_known_differences_are_patterns_with_reasons() -> None:
    for known in (*WE_REFUSE, *SPIN_REFUSES):
        assert known.reason
        assert not re.search(known.said, ""), "this would excuse anything"


_INLINE = "byte x, y; int n; proctype P() { byte v; skip } inline set(a, e) { a = e }\n"


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        (_INLINE + "init { set(n, (x -> y : 1)) }", "known"),
        (_INLINE + "init { set(n, x - - y) }", "known"),
        (_INLINE + "init { set(n, !timeout) }", "known"),
        (_INLINE + "init { set(n, (x -> 1 : y)) }", "agree"),
        (_INLINE + "init { set(n, (x -> y : 1)); printm(3) }", "known"),
        (_INLINE + "#ifdef linux\nnothing\n#endif\ninit { set(n, (x -> y : 1)) }", "differ"),
        (_INLINE + "chan q = [1] of { byte, byte } init { set(n, q?[1(2, 3)]) }", "known"),
        ("byte x; init { x = 1; ; }", "agree"),
        ("byte x; proctype P(byte a ->; byte b) { x = a + b } init { run P(1, 2) }", "agree"),
        ("byte x; proctype P(byte a -> byte b) { x = a + b } init { run P(1, 2) }", "agree"),
        ("typedef T { byte a ->; byte b } T t; init { t.a = 1 ->; t.b = 2 }", "agree"),
        ("byte a[2] = { }; init { a[0] = 1 }", "agree"),
        ("typedef T { byte a } T t[2] = [2] of { byte }; init { t[0].a = 1 }", "agree"),
        ("typedef T { byte a } init { skip; T t = [2] of { byte }; t.a = 1 }", "agree"),
        ("typedef T { byte a; show mtype = { red } } T t; init { t.a = 1 }", "agree"),
        ("chan q = [1] of { byte }; proctype A() { xr q; q?_ } init { xr q; q?_ }", "agree"),
        ("typedef T { byte a; ; } T t; init { t.a = 1 }", "known"),
    ],
)
@pytest.mark.spin
def test_what_is_known_explains_the_whole_difference(text: str, reading: str, tmp_path: Path) -> None:
    """A text that SPIN refuses for two reasons is known only if both are."""
    assert compare_reading(text, tmp_path).reading == reading
