"""Fair runs by machine code against fair runs by the reference, on one program; what is found is judged anew."""

from __future__ import annotations

import ctypes
import time
from typing import Final, get_args

from everafter.backends.run_construction import run_of_fair_run
from everafter.choices import Fairness
from everafter.engine import block
from everafter.engine.code.machine import Loaded, compile_text
from everafter.engine.emit.claims import ProductCode
from everafter.engine.emit.module import code_of
from everafter.engine.run.native_search import NativeSearch
from everafter.engine.run.search_outcome import SearchEnding
from everafter.execution.run import Run
from everafter.product.claim import AutomatonClaim
from everafter.product.fairness import fair_run, fair_run_along
from everafter.product.product import Product
from everafter.program.program import Program
from everafter.questions.plan import FAIR
from everafter.questions.property import Property, of_formula
from everafter.questions.question import Question
from everafter.questions.question_code import named_lasso
from everafter.search import Lasso, Meter, Stopped
from everafter.search.catalogue import ALONE
from everafter.user_model import Model
from everafter.verdict.judge import shown
from oracles.reduction.agreement import with_formula

MEMORY: Final = 1 << 26
SECONDS: Final = 5.0


def same_fair_verdicts(model: Model, text: str, most: int) -> list[str]:
    """What was found out about the fair runs of a model that violate a formula.

    Raises AssertionError if machine code and the reference differ, and Disagreement if a run is not what it should be.
    """
    model, understood = with_formula(model, text)
    asked = of_formula(model.program, understood)
    return [_compare(model.program, asked, fairness, most) for fairness in get_args(Fairness)]


def _compare(program: Program, asked: Property, fairness: Fairness, most: int) -> str:
    claim = asked.claim
    assert isinstance(claim, AutomatonClaim)
    try:
        theirs = fair_run(Product(program, claim), fairness, Meter(lambda meter: meter.states > most, every=10))
    except Stopped:
        return f"{fairness}: too large"
    found = native_fair_run(program, claim, fairness)
    if isinstance(found, str):
        return f"{fairness}: {found}"
    verdicts = f"the reference {theirs is not None}, machine code {found is not None}"
    assert (theirs is None) == (found is None), f"{fairness}: whether there is a run: {verdicts}"
    if found is not None:
        shown(Question(program, asked, fairness), found)
    return f"{fairness}: {'holds' if found is None else 'violated'}"


def native_fair_run(program: Program, claim: AutomatonClaim, fairness: Fairness) -> Run | str | None:
    """A fair run that the claim accepts, by machine code made quickly; None if there is none, or why it is unknown."""
    code = code_of(program, ProductCode(claim, fair=True, is_strong=fairness == "strong"))
    assert code.sets is not None
    loaded, control = Loaded(compile_text(code.text, 0)), ctypes.create_string_buffer(code.control_size)
    address = ctypes.addressof(control)
    expand, initial = loaded.address("expand"), loaded.address("initial")
    search = NativeSearch(ALONE[FAIR[fairness]], expand, initial, [address], MEMORY)
    search.model |= {block.MODEL_SETS: address + code.sets, block.WANTED: code.wanted}
    until = time.monotonic() + SECONDS
    outcome = search.run(lambda _: time.monotonic() > until)
    if outcome.ending is SearchEnding.COMPLETED:
        return None
    if outcome.ending is not SearchEnding.ANSWERED:
        return "given up"
    assert isinstance(outcome.answer, Lasso)
    product = Product(program, claim)
    return run_of_fair_run(product, fair_run_along(product, named_lasso(outcome.answer), product.is_inside, fairness))
