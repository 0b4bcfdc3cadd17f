"""What a question has in the folder of its checkpoints, and with which stage of a plan it goes on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from everafter.checking.outcome import Ending, Outcome
from everafter.checking.plan import Plan, Stage
from everafter.engine.checkpoint.folder import Generations
from everafter.engine.run.code import text_digest


class Kept:
    """The checkpoints of one question. A stage that is soon over has none."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._folder = Path(plan.checkpoint).absolute() if plan.checkpoint is not None else None
        self._digest = ""
        self._opened: dict[Stage, Generations] = {}

    def open(self, digest: str) -> None:
        """The question is known: the code of its model has this digest."""
        self._digest = digest
        for stage in self.plan.stages:
            self._open(stage)

    def _open(self, stage: Stage) -> None:
        if self._folder is None or stage.patience is not None:
            return
        store = self.plan.store_of(stage)
        key = "\n".join((text_digest(), self._digest, stage.algorithm, store))
        search = f"{stage.algorithm}, {store} store"
        name = hashlib.sha256(key.encode()).hexdigest()
        self._opened[stage] = Generations(self._folder, name, search, self.plan.checkpoint_every)

    def stages_left(self) -> Sequence[Stage]:
        """The stages of the plan, from the last one of which there is a checkpoint."""
        stages = self.plan.stages
        begun = [number for number, stage in enumerate(stages) if self._latest(stage) is not None]
        return stages[begun[-1] :] if begun else stages

    def generations(self, stage: Stage) -> Generations | None:
        """Where a stage writes its checkpoints, if it does."""
        return self._opened.get(stage)

    def outcome(self, outcome: Outcome) -> Outcome:
        """The outcome of the question, with what there is to go on from; once it is decided, nothing is kept."""
        if outcome.ending in (Ending.COMPLETED, Ending.FOUND):
            for each in self._opened.values():
                each.remove()
            return outcome
        failed = next((each.failed for each in self._opened.values() if each.failed), "")
        reason = f"{outcome.reason}; {failed}" if failed else outcome.reason
        can_go_on = any(each.latest() is not None for each in self._opened.values())
        return replace(outcome, reason=reason, checkpoint=self.plan.checkpoint if can_go_on else None)

    def _latest(self, stage: Stage) -> Path | None:
        return self._opened[stage].latest() if stage in self._opened else None
