"""What `certify` says is still trusted is what the proofs say they rest on."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import replace

from proofs.provers import NAGINI as NAGINI_VERSION
from proofs.task import inside

from everafter.certificates.automaton.justification import Justified, Unjustified
from everafter.certificates.certification import Certified, Checker, Standing
from everafter.commands.trusted import CHOICE, EXCLUDED_MIDDLE, NAGINI, still_trusted

SAFETY = Certified("safety", "safety", "", "holds", 1, "native")
FORMULA = replace(SAFETY, property="p", kind="ltl")
AXIOMS = {
    "Classical_Prop.classic": EXCLUDED_MIDDLE,
    "IndefiniteDescription.constructive_indefinite_description": CHOICE,
}
"""By the names of Coq, what is printed of them."""
IN_FULL = {
    "Classical_Prop.classic": "forall P : Prop, or P (not P)",
    "IndefiniteDescription.constructive_indefinite_description": (
        "forall (A : Type) (P : forall _ : A, Prop) (_ : @ex A (fun x : A => P x)), @sig A (fun x : A => P x)"
    ),
}
"""The same as Coq writes it without notations, which is what the checker of proofs compares."""


def rests_on(file: str) -> set[str]:
    """What Coq says that the theorems of a file rest on."""
    said: list[str] = json.loads(inside("checked.json").read_text())[file]["rests on"]
    return {axiom.partition(" : ")[0] for axiom in said}


def printed(found: Certified, claim: Standing | None = None, by: Checker = "native") -> str:
    return "\n".join(still_trusted([replace(found, claim=claim, by=by)]))


def axioms_in(text: str) -> set[str]:
    return {name for name, says in AXIOMS.items() if says in text}


def test_the_axioms_are_those_that_the_proofs_are_granted() -> None:
    granted = tomllib.loads(inside("trusted.toml").read_text())["coq"]
    assert {each["name"]: each["says"] for each in granted} == IN_FULL
    assert IN_FULL.keys() == AXIOMS.keys()
    assert f"Nagini {NAGINI_VERSION}" == NAGINI


def test_each_kind_of_verdict_names_the_axioms_of_its_theorems() -> None:
    cases: Sequence[tuple[Certified, Standing | None, str]] = [
        (SAFETY, None, "certificates/deciding.v"),
        (replace(SAFETY, reduced=True), None, "reduction/safety.v"),
        (FORMULA, Unjustified("too large"), "product/claims.v"),
        (FORMULA, Justified(1, 1), "verdict/justified.v"),
        (replace(FORMULA, reduced=True), Unjustified("too large"), "verdict/verdicts.v"),
    ]
    for found, claim, file in cases:
        assert axioms_in(printed(found, claim)) == rests_on(file)


def test_who_says_what_a_step_is_depends_on_the_checker() -> None:
    assert "src/everafter/engine/emit" in printed(SAFETY)
    assert "src/everafter/execution" not in printed(SAFETY)
    assert "src/everafter/engine" not in printed(SAFETY, by="reference")
    assert "src/everafter/execution" in printed(SAFETY, by="reference")


def test_a_violation_rests_on_no_proof() -> None:
    shown = printed(replace(SAFETY, verdict="violated"))
    assert "src/everafter/execution" in shown
    assert "proofs/" not in shown
