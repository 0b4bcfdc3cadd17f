"""A model as machine code in this process: from its program, or from the cache if the same code was made before."""

from __future__ import annotations

import ctypes
import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import pairwise

from everafter.certificates.independence.conflict_table import ConflictTable
from everafter.choices import StoreKind
from everafter.engine import block
from everafter.engine.emit.claims import ClaimCode
from everafter.engine.emit.control_block import Word
from everafter.engine.emit.module import code_of
from everafter.engine.run.kernel_code import Tell
from everafter.engine.run.model_object import ModelObject
from everafter.engine.run.native_search import NativeSearch
from everafter.engine.run.row_packing import PackingCode, packings_of
from everafter.engine.run.row_split import sampled_split
from everafter.execution.state import State
from everafter.program.program import Program
from everafter.program.sites import Reached, first_numbers
from everafter.record import dataclass
from everafter.reduction.ample import Reduction
from everafter.search.catalogue import ALONE, TEAM

_SALTS, _ODD = 0xFFF1, 40503
"""The number of different searches, which is prime, and what makes salts of their numbers. No state of a claim that
means something, such as that of VIOLATION, is one."""


@dataclass(frozen=True, slots=True)
class ModelCode:
    """The model's machine code, and what one worker hands to it."""

    expand: int
    initial: int
    controls: tuple[int, ...]
    sets_at: int | None = None
    """How far behind the control the acceptance sets of successors are, if there are any."""


class NativeModel:
    """The code of a program and of its property, ready to run. Keep it as long as a search uses it.

    Code that is made `quickly` is made in a seventh of the time, and searches take up to half as long again, until it
    is improved. Where it `varies`, searches by one worker may differ: see `vary`.
    """

    def __init__(
        self,
        program: Program,
        claim: ClaimCode | None = None,
        reduction: Reduction | None = None,
        start: State | None = None,
        judge: ConflictTable | None = None,
        quickly: bool = False,
        varies: bool = False,
    ) -> None:
        started = time.process_time()
        code = code_of(program, claim, reduction, start, judge, varies=varies)
        self.object = ModelObject(code.text, quickly)
        self._program = program
        self._last_claim = claim.last_state if claim is not None else 0
        self.digest = hashlib.sha256(code.text.encode()).hexdigest()
        """Tells the code from that of another model, or of another question."""
        self._sets = code.sets
        self._wanted = code.wanted
        self._reached = code.reached
        self._size = code.control_size
        self._controls = [ctypes.create_string_buffer(self._size)]
        self._past_errors = 0
        self.seconds = time.process_time() - started
        """Processor time it took to make or find the code."""

    def search(
        self,
        algorithm: str,
        memory: int,
        tell: Tell,
        keeping: bool = False,
        store: StoreKind = "plain",
        workers: int | None = None,
        seed: int = 0,
    ) -> NativeSearch:
        """Return a search of the model's rows by `algorithm`, with `memory` bytes and `store`.

        A team of `workers` searches, or one worker alone if that is None. `tell` is called if code must be built; if
        `keeping`, columns for a certificate are kept; `seed` gives the workers of a team their orders of successors.
        """
        made = self.code(workers or 1)
        by = ALONE[algorithm] if workers is None else TEAM[algorithm]
        packing = self.packing if store == "packed" else None
        asked = by, made.expand, made.initial, made.controls, memory, tell, seed
        search = NativeSearch(*asked, keeping=keeping, kind=store, packing=packing)
        search.code = self.object
        if store == "tree":
            search.split, search.usual_words = self._split
        if self._sets is not None:
            search.model[block.MODEL_SETS] = made.controls[0] + self._sets
            search.model[block.WANTED] = self._wanted
        if self._reached is not None:
            part = slice(self._reached, self._reached + first_numbers(self._program)[-1])
            search.notes = [memoryview(each).cast("B")[part] for each in self._controls[: len(made.controls)]]
        return search

    @cached_property
    def _split(self) -> tuple[int, int]:
        """Which words of a row are in its left half where rows are kept as trees, and how many words most rows have."""
        control = ctypes.create_string_buffer(self._size)  # another: what a sample executes is not reported
        expand, initial = self.object.address("expand"), self.object.address("initial")
        return sampled_split(expand, initial, ctypes.addressof(control))

    @property
    def packing(self) -> PackingCode | None:
        """How rows are packed, or None if they have too many bits."""
        return next(iter(self._packings), None)

    def packing_digests(self) -> tuple[str, ...]:
        """Return what tells from each other the ways to pack rows that were not tried in vain."""
        return tuple(packing.digest for packing in self._packings)

    def pack_more(self) -> bool:
        """Let packed rows have more bits, where a row did not fit; return whether there is another way to pack them."""
        del self._packings[:1]
        return bool(self._packings)

    @cached_property
    def _packings(self) -> list[PackingCode]:
        """The ways to pack rows that were not tried in vain."""
        control = ctypes.create_string_buffer(self._size)  # another: what a sample executes is not reported
        expand, initial = self.object.address("expand"), self.object.address("initial")
        found = packings_of(self._program, expand, initial, ctypes.addressof(control), self._last_claim)
        return list(map(PackingCode, found))

    def code(self, workers: int) -> ModelCode:
        """Return the code itself, for `workers` workers that do not search."""
        expand, initial = self.object.address("expand"), self.object.address("initial")
        return ModelCode(expand, initial, tuple(self._addresses(workers)), self._sets)

    def address(self, name: str) -> int:
        """Return the address of the function `name` of the code."""
        return self.object.address(name)

    def _addresses(self, workers: int) -> list[int]:
        """The control blocks of the code, one for each of `workers` workers."""
        while len(self._controls) < workers:
            self._controls.append(ctypes.create_string_buffer(self._size))
            ctypes.c_int64.from_buffer(self._controls[-1], Word.PAST_ERRORS).value = self._past_errors
        return [ctypes.addressof(each) for each in self._controls[:workers]]

    def go_past_errors(self) -> None:
        """Let a state in which something goes wrong have its successors all the same."""
        self._past_errors = 1
        for each in self._controls:
            ctypes.c_int64.from_buffer(each, Word.PAST_ERRORS).value = 1

    def vary(self, search: int) -> None:
        """Let the next search by one worker be the one with the number `search`.

        Each has other hashes, by what its rows have in place of the state of a claim, and another order of processes.
        """
        ctypes.c_int64.from_buffer(self._controls[0], Word.SALT).value = search * _ODD % _SALTS
        ctypes.c_int64.from_buffer(self._controls[0], Word.ASIDE).value = 0

    @property
    def aside(self) -> int:
        """How many successors of the last search were no steps: of a nested one over a store that forgets states."""
        return sum(ctypes.c_int64.from_buffer(each, Word.ASIDE).value for each in self._controls)

    @property
    def salt(self) -> int:
        """What distinguishes the next search by one worker."""
        return ctypes.c_int64.from_buffer(self._controls[0], Word.SALT).value

    @contextmanager
    def by_steps(self) -> Iterator[None]:
        """Meanwhile, for a search by one worker, a path to VIOLATION is as long as the run that it stands for.

        In the middle of an atomic sequence are rows of their own, and a step that goes wrong leads to FAILING first.
        """
        asked = ctypes.c_int64.from_buffer(self._controls[0], Word.BY_STEPS)
        asked.value = 1
        try:
            yield
        finally:
            asked.value = 0

    @property
    def stood_still(self) -> bool:
        """Whether a way to VIOLATION may have gone on without a step: the claim moves where the system has stopped."""
        return any(ctypes.c_int64.from_buffer(each, Word.STILL).value for each in self._controls)

    def reached(self) -> Reached | None:
        """The statements that were executed so far, if that was noted: it is without a claim."""
        if self._reached is None:
            return None
        first = first_numbers(self._program)
        noted = [each.raw[self._reached : self._reached + first[-1]] for each in self._controls]
        return frozenset(
            (process, element)
            for process, (begin, end) in enumerate(pairwise(first))
            for element in range(end - begin)
            if any(each[begin + element] for each in noted)
        )

    @property
    def violations(self) -> int:
        """How many times a state was expanded in which something goes wrong."""
        return sum(ctypes.c_int64.from_buffer(each, Word.VIOLATIONS).value for each in self._controls)
