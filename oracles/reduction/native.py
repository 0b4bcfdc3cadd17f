"""Verdicts of machine code that is made quickly: what `reduction_random.py --native` compares.

Where a search takes a millisecond, making its code is all that costs time. So every program is translated without
optimisation, once for safety and once for each formula, with all steps and with those that suffice; all algorithms
share that code, and the memory of a search is small.
"""

from __future__ import annotations

import ctypes
import random
import time
from dataclasses import dataclass, field

from everafter.backends.run_construction import run_of_lasso
from everafter.choices import StoreKind
from everafter.engine.code.machine import Loaded, compile_text
from everafter.engine.emit.claims import ClaimCode, ProductCode
from everafter.engine.emit.control_block import Word
from everafter.engine.emit.module import code_of
from everafter.engine.run.native_search import NativeSearch
from everafter.engine.run.search_outcome import SearchEnding, SearchFigures, SearchOutcome
from everafter.product.claim import AutomatonClaim
from everafter.product.product import Product
from everafter.program.program import Program
from everafter.questions.property import Understood, of_formula
from everafter.questions.question_code import named_lasso
from everafter.reduction.ample import Reduction
from everafter.reduction.soundness import Unreduced, for_formula, for_safety
from everafter.search import Lasso
from everafter.search.catalogue import ALONE, names
from everafter.user_model import Model, parse
from oracles.reduction.agreement import names_in, same_safety, same_verdict, with_formula
from oracles.reduction.random_formulas import formula_over

_MEMORY = 1 << 26
_SECONDS = 5.0
_SAFETY_ALGORITHMS = names("reachability", "one")
_CYCLE_ALGORITHMS = names("cycle", "one")


class TooLargeError(Exception):
    """A search that did not end within its limits."""


class Quick:
    """The code of a program and of what is asked of it, to be searched by any algorithm."""

    def __init__(
        self,
        program: Program,
        claim: ClaimCode | None = None,
        reduction: Reduction | None = None,
        level: int = 0,
        store: StoreKind = "plain",
    ) -> None:
        self._store: StoreKind = store
        code = code_of(program, claim, reduction)
        self._loaded = Loaded(compile_text(code.text, level))
        self._control = ctypes.create_string_buffer(code.control_size)

    def search(self, algorithm: str, past_errors: bool = False) -> SearchOutcome:
        """What a search comes to. Raises TooLargeError if it comes to nothing."""
        ctypes.c_int64.from_buffer(self._control, Word.PAST_ERRORS).value = int(past_errors)
        expand, initial = self._loaded.address("expand"), self._loaded.address("initial")
        controls = [ctypes.addressof(self._control)]
        until = time.monotonic() + _SECONDS
        search = NativeSearch(ALONE[algorithm], expand, initial, controls, _MEMORY, kind=self._store)
        outcome = search.run(lambda _: time.monotonic() > until)
        if outcome.ending not in (SearchEnding.COMPLETED, SearchEnding.ANSWERED):
            raise TooLargeError
        return outcome

    def verdicts(self, algorithms: tuple[str, ...]) -> dict[str, bool]:
        """Whether something is violated, by each algorithm."""
        return {name: self.search(name).ending is SearchEnding.ANSWERED for name in algorithms}


@dataclass(slots=True)
class Comparison:
    """What is found out about one program."""

    seed: int
    model: Model
    formulas: list[str]
    small: int
    """Up to so many states the reference is asked as well."""
    store: StoreKind = "plain"
    found: list[str] = field(default_factory=list)

    def safety(self) -> None:
        """The same goes wrong, by both algorithms; it is noted whether any step was left out."""
        program = self.model.program
        reduction = for_safety(program)
        if isinstance(reduction, Unreduced):
            self.found.append("programs not reduced, with a reason")
            return
        full, some = (Quick(program, reduction=each, store=self.store) for each in (None, reduction))
        verdict = _one_verdict("safety", full.verdicts(_SAFETY_ALGORITHMS), some.verdicts(_SAFETY_ALGORITHMS))
        self.found.append(f"safety {verdict}")
        whole = full.search("depth-first", past_errors=True).figures
        left = some.search("depth-first", past_errors=True).figures
        assert left.states <= whole.states, f"safety: {left.states} states with, {whole.states} without reduction"
        self.found.append("programs really reduced" if _is_less(left, whole) else "programs with nothing to reduce")
        if whole.states <= self.small:
            self._note_reference("safety", same_safety(self.model, 5 * self.small), verdict)

    def formula(self, text: str) -> None:
        """A formula has one verdict, by all algorithms."""
        model, understood = with_formula(self.model, text)
        program = model.program
        reduction = for_formula(program, understood.formula, understood.expressions.values())
        if isinstance(reduction, Unreduced):
            self.found.append("formulas not reduced, with a reason")
            return
        claim = of_formula(program, understood).claim
        assert isinstance(claim, AutomatonClaim)
        full, some = (Quick(program, ProductCode(claim), each, store=self.store) for each in (None, reduction))
        verdict = _one_verdict(text, full.verdicts(_CYCLE_ALGORITHMS), some.verdicts(_CYCLE_ALGORITHMS))
        self.found.append(f"formulas {verdict}")
        self._look_closer(model, understood, full, some, verdict, claim)

    def _look_closer(
        self, model: Model, understood: Understood, full: Quick, some: Quick, verdict: str, claim: AutomatonClaim
    ) -> None:
        """A run found with reduction is one of the reference's; without one, fewer steps are taken."""
        whole, left = (code.search("schwoon-esparza") for code in (full, some))
        if verdict == "violated":
            assert isinstance(left.answer, Lasso)
            run_of_lasso(Product(model.program, claim), named_lasso(left.answer), left.figures.states)
        elif _is_less(left.figures, whole.figures):
            self.found.append("formulas that hold, really reduced")
        if whole.figures.states <= self.small:
            self._note_reference(understood.name, same_verdict(model, understood, self.small), verdict)

    def _note_reference(self, name: str, answer: str, verdict: str) -> None:
        if not answer.endswith("too large"):
            assert answer.endswith(verdict), f"{name}: the reference says {answer}, the code {verdict}"
            self.found.append("verdicts of the reference compared")


def _is_less(left: SearchFigures, whole: SearchFigures) -> bool:
    return left.transitions < whole.transitions or left.states < whole.states


def _one_verdict(name: str, full: dict[str, bool], some: dict[str, bool]) -> str:
    """The verdict on which everything agrees."""
    assert len({*full.values(), *some.values()}) == 1, f"{name}: violated without reduction {full}, with it {some}"
    return "violated" if any(full.values()) else "holds"


def compare_native(text: str, seed: int, small: int, formulas: int = 2, store: StoreKind = "plain") -> list[str]:
    """What was found out about a program and random formulas. Raises AssertionError if something differs."""
    model = parse(text)
    names = names_in(text)
    chance = random.Random(seed)
    claims = [formula_over(chance, names, chance.randrange(2, 6)) for _ in range(formulas if names else 0)]
    comparison = Comparison(seed, model, claims, small, store)
    try:
        comparison.safety()
    except TooLargeError:
        comparison.found.append("safety too large")
    for claim in claims:
        try:
            comparison.formula(claim)
        except TooLargeError:
            comparison.found.append("formulas too large")
    return ["programs", *comparison.found]
