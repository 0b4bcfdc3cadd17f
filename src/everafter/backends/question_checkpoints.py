"""What a question has in the folder of its checkpoints, and with which stage of a plan it goes on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from everafter.backends.decision_file import SUFFIX, read_decided, write_decided
from everafter.engine.checkpoint.folder import Generations
from everafter.engine.run.kernel_code import text_digest
from everafter.questions.outcome import Ending, Outcome
from everafter.questions.plan import Plan, Stage
from everafter.record import replace

_SHOWN: Final = 16  # so much of a key is in the name of a file


class QuestionCheckpoints:
    """The checkpoints of one question. A stage that is soon over has none."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._folder = Path(plan.options.checkpoint).absolute() if plan.options.checkpoint is not None else None
        self._opened: dict[tuple[Stage, str], Generations] = {}
        """By stage, and by the way in which rows are packed, if they are."""
        self._key = ""
        self.decided: Outcome | None = None
        """What the question was decided to be before."""

    def open(self, digest: str, can_be_decided: bool, packings: Callable[[], Sequence[str]] = tuple) -> None:
        """The question is known: the code of its model has this digest. Raises OptionError.

        `can_be_decided`: an outcome is all that is wanted, and nothing that only a search can give. `packings` returns
        what tells the ways from each other in which rows can be packed.
        """
        if self._folder is None:
            return
        for stage in self.plan.stages:
            if stage.state_budget is None:
                by, store = " by a team" if stage.is_by_team else "", self.plan.store_of(stage)
                search, interval = f"{stage.algorithm}{by}, {store} store", self.plan.options.checkpoint_every
                for packing in packings() if store == "packed" else ("",):
                    key = _key(digest, search, packing)
                    self._opened[stage, packing] = Generations(self._folder, key, search, interval)
        if can_be_decided:
            self._key = _key(digest, *(f"{stage}, {self.plan.store_of(stage)}" for stage in self.plan.stages))
            self.decided = read_decided(self._decided_in(self._folder), self._key)

    def _decided_in(self, folder: Path) -> Path:
        return folder / f"{self._key[:_SHOWN]}{SUFFIX}"

    def stages_left(self) -> Sequence[Stage]:
        """The stages of the plan, from the last one of which there is a checkpoint."""
        stages = self.plan.stages
        begun = [number for number, stage in enumerate(stages) if self._is_begun(stage)]
        return stages[begun[-1] :] if begun else stages

    def generations(self, stage: Stage, packing: str = "") -> Generations | None:
        """Where a stage writes its checkpoints, with this `packing` of rows, if it does."""
        return self._opened.get((stage, packing))

    def outcome(self, outcome: Outcome) -> Outcome:
        """The outcome of the question, with what there is to go on from; once it is decided, that alone is kept."""
        if self.decided is not None or self._folder is None:
            return self.decided or outcome
        failed = next((each.failed for each in self._opened.values() if each.failed), "")
        if outcome.ending in (Ending.COMPLETED, Ending.FOUND):
            self._note(self._folder, outcome)
            for each in self._opened.values():
                each.remove()
            return outcome
        reason = f"{outcome.reason}; {failed}" if failed else outcome.reason
        can_go_on = any(each.latest() is not None for each in self._opened.values())
        return replace(outcome, reason=reason, checkpoint=self.plan.options.checkpoint if can_go_on else None)

    def _note(self, folder: Path, outcome: Outcome) -> None:
        """Note that the question is decided, if that can be written: else it will be decided again."""
        if self._key:
            with suppress(OSError):
                folder.mkdir(parents=True, exist_ok=True)
                write_decided(self._decided_in(folder), self._key, outcome)

    def _is_begun(self, stage: Stage) -> bool:
        return any(each.latest() is not None for (of, _), each in self._opened.items() if of == stage)


def _key(*parts: str) -> str:
    return hashlib.sha256("\n".join((text_digest(), *parts)).encode()).hexdigest()
