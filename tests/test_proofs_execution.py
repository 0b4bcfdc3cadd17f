"""Viper as Python means what Viper means: every construct, and what is not known is refused."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from oracles.planted import loaded
from proofs import execution, viper
from proofs.provers import Answer, install
from proofs.task import Outcome, ProofError, Task
from tests.proofs_needs import NEEDS_PROVERS

DECLARED = """
domain Given { function given(x: Int): Int axiom given_defined { forall x: Int :: { given(x) } given(x) == x + 100 } }
define TWICE(x) (2 * (x))
function smaller(x: Int, y: Int): Int { x < y ? x : y }
function factorial(n: Int): Int { n <= 0 ? 1 : n * factorial(n - 1) }
"""
EXPRESSIONS = {
    "Int": """-7 + 2 * 3 | 7 - (2 - 9) | 7 \\ 2 | -7 \\ 2 | 7 % 3 | -7 % 3 | TWICE(3 + 1) | smaller(4, 3) | given(-5)
        | factorial(0) | (let z == (5) in z * z) | (true ? 1 : 2) | (false ? 1 : (3 < 2 ? 4 : 5))
        | |Seq(4, 5)| | |Set(4, 4)| | Seq(4, 5)[1] | 18446744073709551616 * 3 | Seq(Seq(1), Seq(2, 3))[1][0]""",
    "Bool": """3 == 3 | 3 != 3 | 3 < 3 | 3 <= 3 | 4 > 3 | 3 >= 4 | true && false | true || false | false || true
        | true || true && false | !true | false ==> false | true ==> false | 2 in Set(1, 2) | 3 in Seq(1, 2)
        | Set(1) subset Set(1, 2) | Set(1, 2) subset Set(1) | Seq(1, 2) == Seq(1, 2) | Seq(1, 2) == Seq(2, 1)
        | Set(1, 2) == Set(2, 1) | false && 1 \\ 0 == 1 | true || Seq(1)[5] == 1
        | false ==> Seq(1)[5] == 1 | Seq(true, false)[0]""",
    "Seq[Int]": """Seq[Int]() | Seq(1) | Seq(1, 2) ++ Seq(3) | Seq(1, 2, 3)[..2] | Seq(1, 2, 3)[..5]
        | Seq(1, 2, 3)[..-1] | Seq(1, 2, 3)[1..] | Seq(1, 2, 3)[5..] | Seq(1, 2, 3)[-1..] | Seq(1, 2, 3, 4)[1..3]
        | Seq(1, 2, 3)[1 := 9] | [2..5) | [5..2)""",
    "Set[Int]": "Set[Int]() | Set(1) union Set(2) | Set(1, 2) intersection Set(2, 3) | Set(1, 2) setminus Set(2, 3)",
}
METHODS = """
method lemma(x: Int) ensures x == x { assert x == x }
method both(a: Int, b: Int) returns (more: Int, less: Int) {
  if (a > b) { more := a less := b } else { more := b less := a }
}
method sum(s: Seq[Int]) returns (total: Int) {
  var k: Int := 0
  total := 0
  while (k < |s|) invariant 0 <= k {
    var here: Int := s[k]
    if (here < 0) { lemma(here) } elseif (here == 7) { total := total - 1 } else { total := total + here }
    if (k == 3) { lemma(k) assert k == 3 }
    k := k + 1
  }
}
method sorted(a: Int, b: Int) returns (s: Seq[Int]) {
  var x: Int
  var y: Int
  x, y := both(a, b)
  lemma(x)
  s := Seq(y, x)
}
method chosen(wishes: Int) returns (count: Int, left: Int) {
  var k: Int := 0
  count := 0
  while (k < wishes) {
    var wish: Bool
    if (wish) { count := count + 1 }
    k := k + 1
  }
}
method outside(s: Seq[Int]) returns (x: Int) { x := s[|s|] }
method before(s: Seq[Int]) returns (x: Int) { x := s[-1] }
method by_nothing(n: Int) returns (x: Int) { x := 1 \\ n }
"""
REFUSED = {
    "a field": "field f: Int\nmethod m(r: Ref) returns (x: Int) requires acc(r.f) { x := r.f }",
    "a type": "method m(s: Multiset[Int]) returns (x: Int) { x := |s| }",
    "a map": "method m(s: Map[Int, Int]) returns (x: Int) { x := s[1] }",
    "an assumption": "method m() returns (x: Int) { inhale x == 1 }",
    "a quantifier": "method m() returns (x: Bool) { x := forall y: Int :: y == y }",
    "no body": "method n() returns (x: Int)\nmethod m() returns (x: Int) { x := n() }",
    "a function without body": "function n(): Int\nmethod m() returns (x: Int) { x := n() }",
    "a label": "method m() returns (x: Int) { label here x := 1 }",
    "a keyword": "method m(is: Int) returns (x: Int) { x := is }",
    "a name of ours": "method m(element: Int) returns (x: Int) { x := element }",
    "nothing": "method n() {}",
}
REFUSED_FOR = {
    "a field": "type Ref",
    "a type": "type Multiset[Int]",
    "a map": "type Map[Int,Int]",
    "an assumption": "Inhale is not known",
    "a quantifier": "Forall is not known",
    "no body": "n is nothing that is done",
    "a function without body": "n is nothing that is done",
    "a label": "Label is not known",
    "a keyword": "is is no name for Python",
    "a name of ours": "element is no name for Python",
    "nothing": "m is nothing that is done",
}
STATEMENTS = ("sum", "sorted", "chosen", "outside", "before", "by_nothing", "factorial")


def listed() -> list[tuple[str, str]]:
    """Each expression, with its type."""
    split = [(kind, text) for kind, texts in EXPRESSIONS.items() for text in " ".join(texts.split()).split(" | ")]
    return [(kind, text.strip()) for kind, text in split]


def literal(value: Any) -> str:
    """The value in Viper."""
    if isinstance(value, tuple | frozenset):
        name = "Seq" if isinstance(value, tuple) else "Set"
        return f"{name}({', '.join(map(literal, value))})" if value else f"{name}[Int]()"
    return str(value).lower() if isinstance(value, bool) else f"({value})"


Made = dict[str, Any]
"""By name: a program in Python, or why there is none."""


@pytest.fixture(scope="module")
def made() -> Made:
    """All programs of this file: Silver is asked once."""
    for program in ("java", "nagini"):
        install(program)
    functions = "".join(f"function f{number}(): {kind} {{ {text} }}\n" for number, (kind, text) in enumerate(listed()))
    texts = {"expressions": DECLARED + functions, "statements": DECLARED + METHODS, **REFUSED}
    names = {"expressions": [f"f{number}" for number in range(len(listed()))], "statements": STATEMENTS}
    trees = execution.programs([[("it.vpr", text)] for text in texts.values()])
    return {name: translated(tree, names.get(name, ("m",))) for name, tree in zip(texts, trees, strict=True)}


def translated(tree: Any, names: Sequence[str]) -> Any:
    try:
        return loaded(execution.translated(tree, names))["Program"]
    except ProofError as problem:
        return str(problem)


@NEEDS_PROVERS
def test_expressions_have_the_values_that_silicon_proves(made: Made) -> None:
    run = made["expressions"](None, given=lambda x: x + 100)
    values = [getattr(run, f"f{number}")() for number in range(len(listed()))]
    assert told(listed(), values).problem is None


def told(every: Sequence[tuple[str, str]], values: Sequence[Any]) -> Outcome:
    """What Silicon says of these values."""
    said = "".join(f"  assert ({text}) == {literal(value)}\n" for (_, text), value in zip(every, values, strict=True))
    outcomes: list[Outcome] = []
    text = f"{DECLARED}method values() {{\n{said}}}\n"
    viper.ask_together([Task("values.vpr", "proof", text, proves=("values",))], outcomes.append)
    return outcomes[0]


@NEEDS_PROVERS
def test_statements_do_what_they_say(made: Made) -> None:
    wishes = iter([True, False, True, True])
    asked: list[str] = []

    def anything(name: str) -> Any:
        asked.append(name)
        return next(wishes) if name == "chosen.wish" else 77

    run = made["statements"](anything)
    assert run.sum((3, -4, 7, 5)) == 7
    assert run.sum(()) == 0
    assert run.factorial(4) == 24
    assert [run.sorted(a, b) for a, b in ((1, 2), (2, 1), (3, 3))] == [(1, 2), (1, 2), (3, 3)]
    assert set(asked) == {"both.more", "both.less"}
    asked.clear()
    assert run.chosen(4) == (3, 77)
    assert asked == ["chosen.left", *["chosen.wish"] * 4]
    assert not hasattr(run, "lemma")
    for wrong, given in ((run.outside, (1, 2)), (run.before, (1, 2)), (run.by_nothing, 0)):
        with pytest.raises(AssertionError):
            wrong(given)


@NEEDS_PROVERS
@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_known_is_refused(made: Made, what: str) -> None:
    assert isinstance(made[what], str)
    assert REFUSED_FOR[what] in made[what]


def answered(said: str, *_: object) -> Answer:
    return Answer(0, said, 0, 0)


def test_what_silver_refuses_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "silicon", lambda: "silicon.jar")
    for said in ('{"errors": ["it has no types"]}\n', "no answer\n"):
        monkeypatch.setattr(execution, "run", partial(answered, said))
        with pytest.raises(ProofError, match=r"it has no types|no answer"):
            execution.programs([[("it.vpr", "method m() returns (x: Int) { x := true }")]])
