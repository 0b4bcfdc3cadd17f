"""The backend of a GPU: levels, each expanded by all threads at once; for a claim, then rounds over all states."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from everafter.backends.level_answer import DecisionByLevels, FoundRows
from everafter.backends.search_watch import memory_reached
from everafter.certificates.native.listing import blocks_of, give_rows
from everafter.engine.gpu.cycle_host import DeviceCycleSearch
from everafter.engine.gpu.device import DeviceProgram, Machine
from everafter.engine.gpu.devices import machine_here
from everafter.engine.gpu.driver import GpuError
from everafter.engine.gpu.fitted_model import Fitted, fittings
from everafter.engine.gpu.level_host import LevelSearch, Ranked
from everafter.engine.run.search_outcome import SearchEnding, SearchFigures
from everafter.engine.run.stored_rows import gathered_rows
from everafter.questions.outcome import Outcome
from everafter.questions.plan import Plan
from everafter.questions.question import Question
from everafter.questions.question_code import claim_code
from everafter.record import dataclass

_TOO_LARGE: Final = (
    "a state, all its successors together, or an atomic sequence are too large for a thread of the GPU; the native "
    "engine has more room"
)
_UNCONFIRMED: Final = "the GPU found no accepting cycle, but a second look at every step did not confirm that"


@dataclass(frozen=True, slots=True)
class OnGpu:
    """Decides safety, and whether a claim accepts a run, on a GPU."""

    plan: Plan

    def decide(self, question: Question) -> Outcome:
        """Search level by level."""
        return _DeviceSearch(self.plan, question).outcome()


class _DeviceSearch(DecisionByLevels):
    """The search of one question, and how far it has come."""

    failure = GpuError

    def _decided(self) -> FoundRows | None:
        """What the search has found, None if there is nothing. Raises Stopped if it has not decided."""
        machine, question, reason = machine_here(), self.question, _TOO_LARGE
        claim = claim_code(question)
        search = LevelSearch if claim is None else DeviceCycleSearch
        for fitted in fittings(question.program, claim, self.plan.usable_reduction, question.start):
            free = machine.free(fitted.scratch)
            memory = min(free, question.limits.memory or free)
            program = self._program(machine, fitted)
            outcome = search(machine, program, fitted.stride, memory).run(self._observe, self._list)
            self.seen = outcome.figures
            if outcome.ending is SearchEnding.COMPLETED:
                return None
            if outcome.ending is SearchEnding.ANSWERED:
                return FoundRows(outcome.path, outcome.cycle, outcome.is_shortest)
            if outcome.ending is SearchEnding.OUT_OF_MEMORY:
                reason = memory_reached(memory)
            if outcome.ending is SearchEnding.UNDECIDED:
                reason = _UNCONFIRMED
            if outcome.ending is not SearchEnding.MODEL_FAILED:
                break
        self.watch.reached = self.watch.reached or reason
        raise self.stopped()

    def _list(self, rows: Iterator[Ranked]) -> None:
        """Give the rows of a complete search to the writer of a certificate, if there is one."""
        is_reduced, tell = self.plan.usable_reduction is not None, self.question.observer
        with gathered_rows(rows, "below") as gathered:
            give_rows(self.question, is_reduced, lambda sets: blocks_of(gathered, sets, tell))

    def _program(self, machine: Machine, fitted: Fitted) -> DeviceProgram:
        begin = time.process_time()
        with self.question.deadline.enforced():
            program = machine.program(fitted, self.question.observer)
        self.compile_seconds += time.process_time() - begin
        return program

    def _observe(self, figures: SearchFigures) -> bool:
        self.seen = figures
        return self.watch.passed(figures.searched, figures.transitions, figures.depth)
