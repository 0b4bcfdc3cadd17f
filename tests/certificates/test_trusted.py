"""What `certify` says is still trusted is what the proofs say they rest on."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import replace

from proofs.provers import NAGINI as NAGINI_VERSION
from proofs.task import inside

from everafter.certify import Certified
from everafter.commands.trusted import CHOICE, EXCLUDED_MIDDLE, NAGINI, still_trusted
from everafter.verdict.heading import Heading

SAFETY = Heading("0", "m", "", {}, False, "safety", "safety", "", None, [], False, None, "holds")
FORMULA = replace(SAFETY, property="p", kind="ltl", automaton="HOA: v1")
AXIOMS = {
    "Classical_Prop.classic": EXCLUDED_MIDDLE,
    "IndefiniteDescription.constructive_indefinite_description": CHOICE,
}
"""By the names of Coq, what is printed of them."""


def rests_on(file: str) -> set[str]:
    """What Coq says that the theorems of a file rest on."""
    return set(json.loads(inside("checked.json").read_text())[file]["rests on"])


def printed(*headings: Heading, by: str = "native") -> str:
    certified = [Certified(each.property, each.verdict, 1, by) for each in headings]  # type: ignore[arg-type]
    return "\n".join(still_trusted(list(zip(headings, certified, strict=True))))


def axioms_in(text: str) -> set[str]:
    return {name for name, says in AXIOMS.items() if says in text}


def test_the_axioms_are_those_that_the_proofs_are_granted() -> None:
    granted = tomllib.loads(inside("trusted.toml").read_text())["coq"]
    assert {each["name"]: each["says"] for each in granted} == AXIOMS
    assert f"Nagini {NAGINI_VERSION}" == NAGINI


def test_each_kind_of_verdict_names_the_axioms_of_its_theorems() -> None:
    cases: Sequence[tuple[Heading, list[str]]] = [
        (SAFETY, ["certificates/deciding.v"]),
        (FORMULA, ["certificates/deciding.v", "product/claims.v"]),
        (replace(FORMULA, reduced=True), ["product/claims.v", "verdict/verdicts.v"]),
        (replace(SAFETY, reduced=True), ["reduction/safety.v"]),
    ]
    for heading, files in cases:
        assert axioms_in(printed(heading)) == set().union(*map(rests_on, files))


def test_who_says_what_a_step_is_depends_on_the_checker() -> None:
    assert "src/everafter/engine/emit" in printed(SAFETY)
    assert "src/everafter/execution" not in printed(SAFETY)
    assert "src/everafter/engine" not in printed(SAFETY, by="reference")
    assert "src/everafter/execution" in printed(SAFETY, by="reference")


def test_a_violation_rests_on_no_proof() -> None:
    shown = printed(replace(SAFETY, verdict="violated"))
    assert "src/everafter/execution" in shown
    assert "proofs/" not in shown
