"""Reading and printing formulas: SPIN's and Spot's spellings, propositions that are expressions, and good errors."""

from __future__ import annotations

import copy
import pickle
import random
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ltl.strategies import formulas

from everafter.ltl import Always, Atom, Formula, Until, atoms, parse, parse_at, parse_located, text_of
from everafter.ltl.formula_tokens import places_in
from everafter.source import InputError, Place, Source


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("[] p", "G p"),
        ("<> p", "F p"),
        ("always p", "G p"),
        ("eventually p", "F p"),
        ("next p", "X p"),
        ("p until q", "p U q"),
        ("p stronguntil q", "p U q"),
        ("p weakuntil q", "p W q"),
        ("p V q", "p R q"),
        ("p release q", "p R q"),
        ("p implies q", "p -> q"),
        ("p => q", "p -> q"),
        ("p equivalent q", "p <-> q"),
        ("p <=> q", "p <-> q"),
        ("p & q", "p && q"),
        ("p /\\ q", "p && q"),
        ("p and q", "p && q"),
        ("p | q", "p || q"),
        ("p \\/ q", "p || q"),
        ("p or q", "p || q"),
        ("p ^ q", "p xor q"),
        ("not p", "!p"),
        ("~p", "!p"),
        ("GF(p)", "G F p"),
        ("1", "true"),
        ("0", "false"),
        ("!p U q", "(!p) U q"),
        ("[]p U q", "([] p) U q"),
        ("p U q && r", "(p U q) && r"),
        ("p && q || r", "(p && q) || r"),
        ("p || q -> r", "(p || q) -> r"),
        ("p -> q -> r", "(p -> q) -> r"),
        ("p U q U r", "(p U q) U r"),
        ("((p))", "p"),
        ('"x > 3" U q', "(x > 3) U q"),
        ("x>3", "x  >  3"),
        ("p /* a remark */ && q", "p && q"),
    ],
)
def test_spellings_and_precedence(text: str, same_as: str) -> None:
    assert parse(text) is parse(same_as)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[] (x > 3 && q?[msg] -> <> P[1]@crit)", ["x > 3", "q?[msg]", "P[1]@crit"]),
        ("x[2].y == z", ["x[2].y == z"]),
        ("P:v == 2", ["P:v == 2"]),
        ("P[1]:v > 0 || P@end", ["P[1]:v > 0", "P@end"]),
        ("len(q) > 3 U empty(q)", ["len(q) > 3", "empty(q)"]),
        ("q??[a,b]", ["q??[a, b]"]),
        ("x + 1 <= y", ["x + 1 <= y"]),
        ("(x+1) > 2", ["(x + 1) > 2"]),
        ("(x > y) == (a && b)", ["(x > y) == (a && b)"]),
        ("!x == 0", ["!x == 0"]),
        ("enabled(2) && _nr_pr == 1", ["enabled(2)", "_nr_pr == 1"]),
        ("x & 3", ["x & 3"]),
        ("(x & 3) == 1 && p", ["(x & 3) == 1", "p"]),
        ("(a -> 1 : 2) > b", ["(a -> 1 : 2) > b"]),
        ("-1 < x", ["-1 < x"]),
        ("X1 U Xs", ["X1", "Xs"]),
        ("M > 3 M M", ["M > 3", "M"]),
        ("R[1]@x release F", ["R[1]@x", "F"]),
        ("X X1", ["X1"]),
        ("until", ["until"]),
    ],
)
def test_propositions_are_expressions(text: str, expected: list[str]) -> None:
    assert list(atoms(parse(text))) == expected


def test_glued_letters_are_read_only_on_request() -> None:
    assert parse("GFp0 -> Xq", glued=True) is parse("(G F p0) -> X q")
    assert atoms(parse("GFp0 -> Xq")) == ("GFp0", "Xq")


@pytest.mark.parametrize(
    ("text", "column", "message", "advice"),
    [
        ("", 1, "ends where an operand", None),
        ("p &&", 5, "ends where an operand", None),
        ("(p && q", 1, "never closed", None),
        ("p && q)", 7, "expected an operator", "no '(' is open"),
        ("p unti q", 3, "expected an operator", "'until'"),
        ("p q", 3, "expected an operator", "need an operator"),
        ("p = q", 3, "expected an operator", "'=='"),
        ("p && && q", 6, "before '&&'", None),
        ("[] x > 3", 1, "cannot stand inside '>'", "[] (x > 3)"),
        ("x[<> p] == 1", 3, "temporal operator", None),
        ("p U q & r", 1, "one thing to SPIN", "parentheses"),
        ("a ^ b | c", 1, "one thing to SPIN", "parentheses"),
        ("a && b | c", 1, "one thing to SPIN", "parentheses"),
        ("G a -> b -> c", 1, "grouped to the left by SPIN", "parentheses"),
        ("a U b R c", 1, "grouped to the left by SPIN", "parentheses"),
        ("p && $", 6, "unexpected character", None),
        ("p ∧ q", 3, "unexpected character", "ASCII"),
        ('"x > 3', 1, "unexpected character", "second"),
        ("P@", 3, "a name should follow '@'", None),
        ("q?[a b]", 3, "never closed", None),
        ("(" * 10_001 + "p" + ")" * 10_001, 10_001, "nests deeper", "#define"),
        (" -> ".join(["p"] * 1_300), 1, "nests deeper", None),
    ],
)
def test_mistakes_have_a_place_and_help(text: str, column: int, message: str, advice: str | None) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.place.line, diagnostic.place.column) == (1, column)
    assert message in diagnostic.message
    assert (advice or "") in (diagnostic.advice or "")


def test_an_error_draws_a_caret_under_the_word() -> None:
    with pytest.raises(InputError) as caught:
        parse(Source("model.pml", "\n  p unti q"))
    assert caught.value.render() == (
        "model.pml:2:5: error: expected an operator before 'unti'\n"
        "    2 |   p unti q\n"
        "      |     ^^^^\n"
        "  help: did you mean 'until'?"
    )


def test_propositions_know_their_places() -> None:
    located = parse_located("[] (x > 3 ->\n <> (x>3) && y)")
    assert {text: (place.line, place.column, place.length) for text, place in located.places.items()} == {
        "x > 3": (1, 5, 5),
        "y": (2, 14, 1),
    }


def test_a_caller_may_read_propositions_its_own_way() -> None:
    seen: list[tuple[str, int]] = []

    def canonical(text: str, place: Place) -> Formula:
        seen.append((text, place.column))
        return Atom(text.upper())

    assert parse("p U x > 3", atom=canonical) is parse("P U (X > 3)")
    assert seen == [("p", 1), ("x > 3", 5)]


def test_a_formula_inside_a_larger_text_has_places_there() -> None:
    whole = Source("model.pml", "ltl name { [] (p q) }")
    start = whole.text.index("[]")
    outer = places_in(whole)
    with pytest.raises(InputError) as caught:
        parse_at("[] (p q)", lambda offset, length: outer(start + offset, length))
    assert str(caught.value.diagnostics[0].place) == "model.pml:1:18"


@settings(max_examples=400, deadline=None)
@given(formulas)
def test_printing_reads_back(formula: Formula) -> None:
    assert parse(text_of(formula)) is formula


@pytest.mark.parametrize(
    "text", ["p", "x > 3", "a && b", "X", "until", 'odd " name', "x +", "[] p", "true", "1", "a -> b", "!p"]
)
def test_any_proposition_reads_back(text: str) -> None:
    formula = Until(Atom(text), Always(Atom(text)))
    assert parse(text_of(formula)) is formula


@settings(max_examples=200, deadline=None)
@given(formulas)
def test_printing_for_spin_uses_only_what_spin_knows(formula: Formula) -> None:
    text = text_of(formula, "spin")
    assert not set(text.replace("(", " ").replace(")", " ").split()) & {"G", "F", "R", "M", "xor"}
    again = parse(text)
    assert text_of(again, "spin") == text


def test_equal_formulas_are_one_object_also_after_copying() -> None:
    formula = parse("[] (p -> <> (x > 3))")
    assert parse("G (p -> F (x > 3))") is formula
    assert copy.deepcopy(formula) is formula
    assert pickle.loads(pickle.dumps(formula)) is formula


PIECES = [
    *"()!~[]<>&|^+-*/%.,:;@?=\"'$ \n",
    "[]",
    "<>",
    "->",
    "<->",
    "&&",
    "||",
    "U",
    "V",
    "W",
    "X",
    "R",
    "M",
    "G",
    "F",
]
PIECES += ["until", "always", "p", "x1", "3", "P[1]@l", "q?[m]", "len(", "true", "GF(", "Fp0", "not", "xor", "\\", "π"]


@settings(max_examples=600, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25), st.booleans())
def test_no_text_makes_the_parser_fail_otherwise(pieces: list[str], glued: bool) -> None:
    survives(" ".join(pieces), glued)
    survives("".join(pieces), glued)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40), st.booleans())
def test_no_unicode_makes_the_parser_fail_otherwise(text: str, glued: bool) -> None:
    survives(text, glued)


def test_many_random_texts() -> None:
    rng = random.Random(20)
    for _ in range(5000):
        survives("".join(rng.choices(PIECES + list(string.printable), k=rng.randint(1, 30))), rng.random() < 0.5)


def survives(text: str, glued: bool) -> None:
    """Reading gives a formula that prints and reads back, or an InputError whose place can be shown."""
    error = None
    try:
        shown = text_of(parse(text, glued=glued))
    except InputError as caught:
        error = caught
    assert error.render() if error else shown
