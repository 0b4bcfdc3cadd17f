"""Mistakes planted into a proof in Coq that compiles all the same: Coq is asked what it rests on and what it says."""

from dataclasses import dataclass, replace

import pytest
from proofs import coq
from proofs.catalogue import as_it_is, needed
from proofs.provers import install
from proofs.task import Place, Task

WORDS = as_it_is("ltl/words.v")


@dataclass(frozen=True)
class Plant:
    """A text to be replaced in ltl/words.v, or else added at its end, and what must be said of it."""

    by: str
    says: str
    replace: str = ""

    def task(self) -> Task:
        """The proof with the mistake."""
        assert not self.replace or self.replace in WORDS.text
        text = WORDS.text.replace(self.replace, self.by, 1) if self.replace else f"{WORDS.text}{self.by}\n"
        return replace(WORDS, text=text, proves=coq.theorems(text))


PLANTS = {
    "hypothesis outside a section": Plant("Hypothesis planted : False.", "rests on"),
    "variable outside a section": Plant("Variable planted : 0 = 1.", "rests on words.planted : "),
    "name of a listed axiom": Plant(
        "Module IndefiniteDescription. Hypothesis constructive_indefinite_description : False.\n"
        "End IndefiniteDescription.",
        "words.IndefiniteDescription was not found",
    ),
    "another axiom of the library": Plant(
        "From Coq Require Import ProofIrrelevance. Definition planted := proof_irrelevance.",
        "rests on ProofIrrelevance",
    ),
    "hypothesis in the section": Plant(
        "Hypothesis planted : letter = nat.\n"
        "Theorem stutter_equivalent_same : forall x y : word, (forall n, x n = y n) -> stutter_equivalent x y.\n"
        "Proof.\n  pose proof planted as _.",
        "it does not say what statements/ltl/words.v.txt pins",
        "Theorem stutter_equivalent_same : forall x y : word, (forall n, x n = y n) -> stutter_equivalent x y.\nProof.",
    ),
    "weaker theorem": Plant(
        "Theorem stutter_equivalent_sym : forall x y, stutter_equivalent x y -> 0 = 0 -> stutter_equivalent y x.",
        "it does not say what statements/ltl/words.v.txt pins",
        "Theorem stutter_equivalent_sym : forall x y, stutter_equivalent x y -> stutter_equivalent y x.",
    ),
    "definition that is not pinned": Plant(
        "Definition planted := True.", "it does not say what statements/ltl/words.v.txt"
    ),
    "theorem no longer claimed": Plant(
        "(* Proves: stutter_equivalent_same *)",
        "it does not say",
        "(* Proves: stutter_equivalent_same, stutter_equivalent_sym, stutter_equivalent_stepwise, condenses_trans *)",
    ),
    "theorem that is none": Plant("(* Proves: planted *)", "planted"),
    "module in the file": Plant("Module Planted. End Planted.", "words.Planted was not found"),
}


@pytest.mark.provers
@pytest.mark.parametrize("plant", PLANTS.values(), ids=PLANTS)
def test_a_planted_mistake_is_noticed(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVERAFTER_UPDATE", raising=False)
    for program in needed([WORDS]):
        install(program)
    problem = coq.ask(plant.task()).problem
    assert problem is not None
    assert plant.says in problem


SAME = "Theorem stutter_equivalent_same : forall x y : word, (forall n, x n = y n) -> stutter_equivalent x y."
NO_TEXTS = {
    "statement does not parse": (SAME, SAME.replace("forall x y :", "forall x y :: ")),
    "statement has no type": (SAME, SAME.replace("x n = y n", "x n = y")),
    "proof does not parse": (f"{SAME}\nProof.", f"{SAME}\nProof. exact ("),
    "proof names nothing": (f"{SAME}\nProof.", f"{SAME}\nProof. apply planted."),
}


@pytest.mark.provers
@pytest.mark.parametrize(("old", "new"), NO_TEXTS.values(), ids=NO_TEXTS)
def test_a_mistake_that_coq_cannot_read_is_not_noticed(old: str, new: str) -> None:
    for program in needed([WORDS]):
        install(program)
    assert WORDS.text.count(old) == 1
    planted = replace(WORDS, text=WORDS.text.replace(old, new), fails=Place("stutter_equivalent_same", "*"))
    assert "does not parse, or has no types" in (coq.ask(planted).problem or "")
