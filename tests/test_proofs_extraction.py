"""What Coq extracts means in Python what it means in Coq: every construct, and what is not known is refused."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from oracles.planted import loaded
from proofs import coq
from proofs.extraction import OWN_SHAPES, awaiting, extracted, translated, without_proofs
from proofs.provers import Answer, install
from proofs.task import ProofError, inside
from tests.proofs_needs import NEEDS_PROVERS

DEFINED = """
From Coq Require Import Arith List Bool.
Import ListNotations.
Record place := { row : nat; column : nat }.
Inductive tree := leaf | node (left : tree) (value : nat) (right : tree).
Inductive colour := red | green | blue.

Section Given.
Variable base : nat.
Definition above (n : nat) : nat := base + n.
Definition all_above (l : list nat) : list nat := map above l.
End Given.

Fixpoint insert (t : tree) (n : nat) : tree :=
  match t with
  | leaf => node leaf n leaf
  | node l v r => if n <? v then node (insert l n) v r else node l v (insert r n)
  end.
Fixpoint flat (t : tree) : list nat := match t with leaf => [] | node l v r => flat l ++ v :: flat r end.
Fixpoint is_even (n : nat) : bool := match n with 0 => true | S m => is_odd m end
with is_odd (n : nat) : bool := match n with 0 => false | S m => is_even m end.
Definition pick (c : colour) : nat -> nat -> nat :=
  match c with red => fun a _ => a | green => fun _ b => b | blue => Nat.add end.
Definition twice (f : nat -> nat) : nat -> nat := fun n => f (f n).
Definition turned (p : place) : place := {| row := column p; column := row p |}.
Definition first' (l : list nat) : option nat := match l with [] => None | is :: _ => Some is end.
Definition shared (n : nat) : nat := let m := n * n in let k := (if m <? 5 then m else 5) in m + k.
Definition nested (a b : option nat) : nat :=
  match a, b with Some x, Some y => x + y | Some x, None => x | None, Some y => 10 * y | None, None => 99 end.
Definition which (x : nat + bool) : nat := match x with inl n => n | inr b => if b then 1 else 0 end.
Definition inner (l : list nat) : list nat := map (fun n => match n with 0 => 7 | S m => let k := m + n in k * k end) l.
"""
VALUES = (
    ("flat (fold_left insert [4; 2; 9; 2; 0] leaf)", "list nat"),
    ("map is_even [0; 1; 2; 3]", "list bool"),
    ("map (fun c => pick c 3 4) [red; green; blue]", "list nat"),
    ("map (fun f => f 5) [pick red 3; pick green 3; pick blue 3]", "list nat"),
    ("twice (twice (above 3)) 1", "nat"),
    ("all_above 2 [0; 1; 2]", "list nat"),
    ("map (twice S) [0; 5]", "list nat"),
    ("(row (turned {| row := 1; column := 2 |}), column (turned {| row := 1; column := 2 |}))", "nat * nat"),
    ("(first' [], first' [3; 4])", "option nat * option nat"),
    ("map shared [0; 1; 2; 3]", "list nat"),
    ("[nested None None; nested (Some 1) None; nested None (Some 2); nested (Some 3) (Some 4)]", "list nat"),
    ("[which (inl 4); which (inr true); which (inr false)]", "list nat"),
    ("inner [0; 1; 2; 3]", "list nat"),
    ("filter (fun n => negb (n =? 2)) (seq 0 5)", "list nat"),
    ("(7 / 2, 7 mod 2, 3 - 5, 2 <=? 1)", "nat * nat * nat * bool"),
    ("combine [1; 2; 3] (rev [true; false; false])", "list (nat * bool)"),
    ("nth_error [1; 2] 1", "option nat"),
    ("(if Nat.eq_dec 3 3 then 1 else 0, if in_dec Nat.eq_dec 3 [1; 2] then 1 else 0)", "nat * nat"),
)
TEXT = DEFINED + "".join(f"Definition v{number} : {kind} := {text}.\n" for number, (text, kind) in enumerate(VALUES))


def literal(value: Any, kind: str) -> str:
    """The value in Coq."""
    if kind.startswith("list "):
        inner = kind.removeprefix("list ").strip("()")
        return "[" + "; ".join(literal(each, inner) for each in value) + "]"
    if " * " in kind:
        before, _, last = kind.rpartition(" * ")
        return f"({literal(value[0], before)}, {literal(value[1], last)})"
    if kind.startswith("option "):
        return "None" if value == ("None",) else f"(Some {literal(value[1], kind.removeprefix('option '))})"
    return str(value).lower() if kind == "bool" else str(value)


def made() -> dict[str, Any]:
    """The definitions in Python."""
    install("coqc")
    return loaded(translated(extracted([("it.v", TEXT)], [f"it.v{number}" for number in range(len(VALUES))])))


def told(module: dict[str, Any]) -> Answer:
    """What Coq says of the values."""
    values = (literal(module[f"v{number}"], kind) for number, (_, kind) in enumerate(VALUES))
    proofs = "".join(f"Goal v{number} = {value}. Proof. reflexivity. Qed.\n" for number, value in enumerate(values))
    with tempfile.TemporaryDirectory() as folder:
        return coq.compiled("it.v", TEXT + proofs, Path(folder))


@NEEDS_PROVERS
def test_definitions_have_the_values_that_coq_proves() -> None:
    module = made()
    answer = told(module)
    assert not answer.status, answer.said
    assert module["first__prime"]((3,)) == ("Some", 3)
    assert module["turned"](("Build_place", 1, 2)) == ("Build_place", 2, 1)
    assert module["pick"](("Blue",))(3)(4) == 7


@NEEDS_PROVERS
def test_a_mistake_of_the_translator_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OWN_SHAPES, ("bool", "False"), OWN_SHAPES["bool", "True"])
    assert "Unable to unify" in told(made()).said


@NEEDS_PROVERS
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Definition it (n : nat) := (fix f m := match m with 0 => n | S k => S (f k) end) n.", "expr:fix"),
        ("Axiom a : nat. Definition it := S a.", "expr:axiom"),
        ("Definition it__1 := 3. Definition it := S it__1.", "no name for Python"),
        ("Definition it := missing.", "missing"),
    ],
)
def test_what_is_not_known_is_refused(text: str, reason: str) -> None:
    install("coqc")
    with pytest.raises(ProofError, match=reason):
        translated(extracted([("it.v", text)], ["it.it"]))


def rel(name: str) -> dict[str, Any]:
    return {"what": "expr:rel", "name": name}


def case(*names: str, what: str = "pat:constructor") -> dict[str, Any]:
    cases = [{"what": "case", "pat": {"what": what, "name": each, "argnames": []}, "body": rel("x")} for each in names]
    return {"what": "expr:case", "expr": rel("x"), "cases": cases}


LIGHT = {"what": "decl:ind", "name": "light", "constructors": [{"name": n, "argtypes": []} for n in ("On", "Off")]}


def module(body: dict[str, Any], *more: dict[str, Any], names: tuple[str, ...] = ("x",)) -> dict[str, Any]:
    value = {"what": "expr:lambda", "argnames": [*names], "body": body}
    return {"declarations": [LIGHT, *more, {"what": "decl:term", "name": "it", "value": value}]}


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (module(rel("x"), {"what": "decl:other"}), "decl:other"),
        (module(rel("x"), {**LIGHT, "name": "other"}), "another type"),
        (module({"what": "expr:magic"}), "expr:magic"),
        (module(case("On")), "not the constructors of light"),
        (module(case("On", "Off", what="pat:wild")), "pat:wild"),
        (module(rel("x"), names=("x", "it")), "names that others have"),
        (module({"what": "expr:let", "name": "x", "nameval": rel("x"), "body": rel("x")}), "names that others have"),
        (module(rel("x"), names=("awaiting", "x")), "no name for Python"),
    ],
)
def test_an_odd_module_is_refused(odd: dict[str, Any], reason: str) -> None:
    assert loaded(translated(module(case("On", "Off"))))["it"](("On",)) == ("On",)
    with pytest.raises(ProofError, match=reason):
        translated(odd)


def test_a_function_awaits_its_arguments() -> None:
    assert awaiting(lambda a, b, c: (a, b, c), 2, 1)(2)(3) == (1, 2, 3)


@pytest.mark.parametrize("file", ["product/paths.v", "product/exploring.v", "verdict/fairly.v"])
def test_without_proofs_definitions_are_left(file: str) -> None:
    text, left = coq.without_comments(inside(file).read_text()), without_proofs(inside(file).read_text())
    assert "Qed." not in left
    assert left.count("Admitted.") == text.count("Qed.")
    assert [line for line in left.splitlines() if "Definition" in line or "Fixpoint" in line] == [
        line for line in text.splitlines() if "Definition" in line or "Fixpoint" in line
    ]
