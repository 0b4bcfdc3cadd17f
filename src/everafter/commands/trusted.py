"""What a verdict that was certified still rests on, down to the axioms of the proofs: docs/trust.md in a few lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from everafter.certificates.automaton.justification import Justified, Unjustified
from everafter.certificates.certification import Certified, OwnWords

NAGINI: Final = "Nagini 1.2.0"
COQ: Final = "Coq 8.16"
EXCLUDED_MIDDLE: Final = r"forall P : Prop, P \/ ~ P"
CHOICE: Final = "forall (A : Type) (P : A -> Prop), (exists x : A, P x) -> {x : A | P x}"
_BOTH: Final = f"the axioms\n    {EXCLUDED_MIDDLE}\n    {CHOICE}"
_REDUCED: Final = (
    "of reduced rows, what each statement touches (src/everafter/certificates/independence), the decision that\n"
    "    steps left out are needless (src/everafter/certificates/sufficing.py), and that a formula counts no steps\n"
    "    (src/everafter/ltl)"
)
_MERGED: Final = (
    "of merged steps, what each statement touches (src/everafter/certificates/independence), and that a formula\n"
    "    counts no steps (src/everafter/ltl)"
)
_ERASED: Final = "of rows with zeros, what each statement reads (src/everafter/certificates/independence/zero_cells.py)"


def still_trusted(confirmed: Sequence[Certified], is_python: bool = False) -> Iterator[str]:
    """What these verdicts rest on, one thing after the other; `is_python`: of a model that is a class of Python."""
    holding = [each for each in confirmed if each.verdict == "holds"]
    checkers = {each.by for each in holding}
    proved = [each for each in holding if each.by == "verified"]
    others = [each for each in holding if each.by != "verified"]
    if "native" in checkers:
        yield "the machine code of the model's steps (src/everafter/engine/emit, LLVM)"
        yield "the machine code of the checker, which finds rows (src/everafter/certificates/native, Numba, LLVM)"
    if proved:
        yield "the plain form of the program (src/everafter/execution/plain_program.py) and what reads it (verified/)"
        yield "Coq's extraction, and OCaml"
    if any(each.claim is not None for each in proved):
        yield "the plain form of what is claimed (src/everafter/certificates/plain_claim.py, execution/plain_never.py)"
    if "reference" in checkers or len(holding) < len(confirmed):
        yield "the reference, which says what a step is (src/everafter/execution)"
    yield f"the reader of the model (src/everafter/{'pymodel' if is_python else 'promela'})"
    if any(each.reduced for each in holding):
        yield _REDUCED
    if any(each.merged for each in others):
        yield _MERGED
    if any(each.erased for each in others):
        yield _ERASED
    if any(isinstance(each.claim, Justified) for each in others):
        yield "of formulas, the textbook automaton and the check of reasons (certificates/automaton)"
    for each in others:
        if isinstance(each.claim, Unjustified):
            yield f"the translation of '{each.property}' into an automaton (src/everafter/ltl)"
    yield "Python, the operating system and the processor"
    if any(each.claim is None for each in proved):
        yield f"that in no run anything goes wrong (proofs/semantics/certified.v): {COQ}, and no axiom"
    if any(isinstance(each.claim, OwnWords) for each in proved):
        yield f"that no such run is what must not be (proofs/semantics/claimed.v): {COQ}, and no axiom"
    if any(isinstance(each.claim, Justified | Unjustified) for each in proved):
        yield f"that every such run satisfies the formula (proofs/semantics/satisfied.v): {COQ}, and {_BOTH}"
    yield from _of_proofs(others)


def _of_proofs(holding: Sequence[Certified]) -> Iterator[str]:
    """What the proofs rest on by which decided rows show that a property holds."""
    if holding:
        yield f"that rows are decided as promised (proofs/certificates/deciding.py): {NAGINI}, with Silicon and Z3"
        yield f"that no run violates what is so decided (proofs/certificates/deciding.v): {COQ}, and no axiom"
    if any(isinstance(each.claim, Justified) for each in holding):
        yield f"that then the formula holds (proofs/verdict/justified.v): {_BOTH}"
    elif any(isinstance(each.claim, Unjustified) for each in holding):
        yield f"that then the formula holds (proofs/product/claims.v): the axiom\n    {EXCLUDED_MIDDLE}"
    if any(each.reduced for each in holding):
        yield f"that needless steps change nothing (proofs/reduction): {_BOTH}"
