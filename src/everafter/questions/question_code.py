"""The machine code of a question, and rows of machine code as states of the reference."""

from __future__ import annotations

from everafter.certificates.independence.conflict_table import ConflictTable
from everafter.engine.emit.claims import ProductCode
from everafter.engine.emit.control_block import MOST_FAIR_PROCESSES
from everafter.engine.emit.module import VIOLATION_ROW
from everafter.engine.emit.nested_claims import NestedCode
from everafter.engine.run.native_model import NativeModel
from everafter.product.claim import AutomatonClaim, NeverClaim
from everafter.product.product import VIOLATION, ProductState
from everafter.questions.question import Question
from everafter.reduction.ample import Reduction
from everafter.search.lasso import Lasso
from everafter.source import OptionError


def native_model(
    question: Question,
    reduction: Reduction | None,
    is_way: bool = False,
    judge: ConflictTable | None = None,
    varies: bool = False,
    quickly: bool = False,
    forgets: bool = False,
) -> NativeModel:
    """Return the machine code for `question`, with `reduction`, and with the table `judge` to check certificates.

    It is that of the program, alone or with the claim; if `is_way`, only the way to VIOLATION is an answer.
    Where it `varies`, several searches may differ in hashes and orders. It is made `quickly` for a search that can
    go on with better code; where it `forgets`, it is for a store that forgets states, and accepting cycles are searched
    for by a search nested in another.
    """
    code = claim_code(question, is_way, forgets)
    return NativeModel(question.program, code, reduction, question.start, judge, quickly=quickly, varies=varies)


def claim_code(question: Question, is_way: bool = False, forgets: bool = False) -> ProductCode | None:
    """Return what machine code must know of the claim of `question`, if there is one; `is_way`, `forgets` as above."""
    claim, asked = question.property.claim, question.property
    assert claim is None or isinstance(claim, AutomatonClaim | NeverClaim)
    fair, is_strong = question.fairness is not None, question.fairness == "strong"
    if claim is None or not forgets:
        return ProductCode(claim, asked.accept_labels, fair, is_strong, is_way) if claim is not None else None
    nested = NestedCode(claim, asked.accept_labels)
    if not nested.searches:
        raise OptionError("the claim has too many states for a store that forgets states", "leave out --store")
    return nested


def sets_of(question: Question) -> int:
    """How many acceptance sets the edges of the product have: one for each process that fair runs are fair to."""
    return 1 + (MOST_FAIR_PROCESSES if question.fairness is not None else 0)


def named_lasso(found: Lasso[bytes]) -> Lasso[ProductState]:
    """The same lasso with the names that the reference has for its states; atomic sequences are still single steps."""
    return Lasso(tuple(map(product_state, found.prefix)), tuple(map(product_state, found.cycle)))


def product_state(row: bytes) -> ProductState:
    """The state of the reference's product that a row is."""
    if row == VIOLATION_ROW:
        return VIOLATION
    claim = int.from_bytes(row[6:8], "little", signed=False)
    return row[:6] + b"\0\0" + row[8:], claim if claim != 0xFFFF else -1
