"""Memory of a worker of a company: the store of one worker, lists of rows, and room for parcels."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Final

from everafter.engine import block
from everafter.engine.cluster import job as Job  # noqa: N812 # its words are constants
from everafter.engine.cluster.owning import WHOLE_ROW, Owning
from everafter.engine.columns import WIDE, WORD_KIND
from everafter.engine.memory.alone import FIRST_LINES, Memory
from everafter.engine.memory.areas import MODEL_BYTES, Area
from everafter.search.algorithm import Algorithm
from everafter.search.breadth import BREADTH_FIRST_ALGORITHM
from everafter.search.trimming import OWCTY_ALGORITHM

KEPT: Final = replace(BREADTH_FIRST_ALGORITHM, columns=("parent",))
"""What is kept of each state: its parent. A level is a range of the arena, so that no queue is needed."""
KEPT_FOR_CYCLES: Final[Algorithm] = OWCTY_ALGORITHM
"""Where accepting cycles are looked for, all that the search by one worker keeps."""
LIST_BYTES: Final = 3 * MODEL_BYTES
"""A list has three words for each row, and a row has at least one."""

PARCELS_BYTES: Final = 4 * MODEL_BYTES
"""A row in a parcel takes two words more at most, and a row has at least one."""


class OwnedMemory(Memory):
    """The memory of one worker. Numbers have eight bytes, since parents name their owner, too."""

    fixed_bytes: ClassVar[int] = 2 * MODEL_BYTES + 2 * LIST_BYTES + PARCELS_BYTES

    def __init__(
        self,
        limit: int,
        place: int,
        workers: int,
        parcel: int,
        lines: int = FIRST_LINES,
        kept: Algorithm = KEPT,
        owning: Owning = WHOLE_ROW,
    ) -> None:
        super().__init__(kept, limit, lines)
        try:
            self._lay_out_parcels(place, workers, parcel, owning)
        except BaseException:
            self.close()
            raise

    def number_bytes(self, limit: int) -> int:
        """The bytes of a state's number."""
        return WIDE

    def _lay_out_parcels(self, place: int, workers: int, parcel: int, owning: Owning) -> None:
        self.parcels = self.model_area(PARCELS_BYTES)
        starts, sent, taken = (self.word_area(count, {}) for count in (3 * workers, 2 * workers, 2 * workers))
        self.starts, self.sent, self.taken = (area.numbers(WORD_KIND) for area in (starts, sent, taken))
        chosen = dict(enumerate(value for word in owning.words for value in word))
        area = self.word_area(len(chosen) or 1, chosen)
        lines = max((index // 8 + 1 for index, _ in owning.words), default=0)
        self.chosen = area.numbers(WORD_KIND)
        settings = {
            Job.PLACE: place,
            Job.WORKERS: workers,
            Job.OWN: self.model_area(LIST_BYTES).address,
            Job.FOREIGN: self.model_area(LIST_BYTES).address,
            Job.PARCELS: self.parcels.address,
            Job.STARTS: starts.address,
            Job.SENT: sent.address,
            Job.TAKEN: taken.address,
            Job.PARCEL_ROOM: parcel,
            Job.CHOSEN: area.address,
            Job.CHOSEN_WORDS: len(owning.words),
            Job.CHOSEN_LINES: self.word_area(8 * lines or 1, dict(owning.words)).address,
            Job.CHOSEN_BYTES: 64 * lines,
            Job.LEVEL_END: int(self.words[block.END]),
        }
        self.job_area: Area = self.word_area(Job.WORDS, settings)
        self.job = self.job_area.numbers(WORD_KIND)

    @property
    def owning(self) -> Owning:
        """How the kernels tell who owns a row."""
        chosen = self.chosen[: 2 * self.job[Job.CHOSEN_WORDS]].tolist()
        return Owning(tuple(zip(chosen[::2], chosen[1::2], strict=True)))
