"""The coordinator of a cluster's search for accepting cycles: all states first, then rounds in which those leave that
are on none.

    outcome = CycleSearch(group, order, memory).run(observe)

OWCTY is in `everafter.search.trimming`. What is sent in a round is accounted for as in a level. A checkpoint is written
between two rounds, too: the rows that are still active have a bit of their own.
"""

from __future__ import annotations

from typing import Final

from everafter.engine.cluster.coordinator import ClusterOutcome, ClusterSearch, Observe
from everafter.engine.cluster.errors import ClusterError
from everafter.engine.cluster.snapshots import Saved
from everafter.engine.cluster.worker import Phase
from everafter.engine.run.search_outcome import SearchEnding

_HALVES: Final[tuple[Phase, ...]] = ("reach", "remove")
"""What is done in a round."""


class ClusterCycleSearch(ClusterSearch):
    """One search for an accepting cycle of the product of a model with a claim."""

    rounds = 0

    def _searched(self, observe: Observe, saved: Saved | None) -> ClusterOutcome:
        if saved is None or saved.rounds is None:
            outcome = super()._searched(observe, saved)
            if outcome.ending is not SearchEnding.COMPLETED:
                return outcome
            self.reports = self.group.phase("gather")
        else:
            self.rounds = saved.rounds
            self.reports = self.group.phase("gather again")
        return self._trimmed(observe)

    def _trimmed(self, observe: Observe) -> ClusterOutcome:
        """Go through rounds until no row is left, or none leaves."""
        while active := self._active():
            for phase in _HALVES:
                self.reports = self.group.phase(phase, time=self._time)
                ending = self._spread(observe)
                if ending is not SearchEnding.COMPLETED:
                    return self._outcome(ending)
            self.reports = self.group.phase("count")
            if self._active() == active:
                return self._lasso(observe)
            self.rounds += 1
            self._save(self.rounds)
        return self._outcome(SearchEnding.COMPLETED)

    @property
    def _time(self) -> int:
        """When the next rows leave: behind all levels in which others have."""
        return self.levels + 2 * self.rounds + 1

    def _active(self) -> int:
        return sum(report.active for report in self.reports)

    def _outcome(
        self, ending: SearchEnding, path: tuple[bytes, ...] = (), cycle: tuple[bytes, ...] = ()
    ) -> ClusterOutcome:
        return ClusterOutcome(ending, tuple(self.reports), path, self.levels, cycle, self.rounds)

    def _lasso(self, observe: Observe) -> ClusterOutcome:
        """The cycle into which the parents of an active row lead, and a shortest way to it."""
        cycle = self._cycle(*next((each.place, each.first_active) for each in self.reports if each.active))
        self.reports = self.group.phase("stem", [place for place, _ in cycle])
        if not any(report.found for report in self.reports):
            ending = self._spread(observe)
            if ending is SearchEnding.COMPLETED:
                raise ClusterError("an accepting cycle was found, but no way to it")
            if ending is not SearchEnding.ANSWERED:
                return self._outcome(ending)
        stem = self._path(*self._found())
        entry = [place for place, _ in cycle].index(stem[-1][0])
        rows = [row for _, row in (*cycle[entry:], *cycle[:entry])]
        return self._outcome(SearchEnding.ANSWERED, tuple(row for _, row in stem), tuple(rows))

    def _cycle(self, owner: int, number: int) -> list[tuple[tuple[int, int], bytes]]:
        """The rows of an accepting cycle, forwards: along its parents, an active row leads to one.

        Each row but an accepting one was reached from its parent, and later than that.
        """
        met: dict[tuple[int, int], int] = {}
        order: list[tuple[tuple[int, int], bytes]] = []
        while (owner, number) not in met:
            met[owner, number] = len(order)
            place = owner, number
            row, owner, number = self.group.row(owner, number)
            if owner < 0:
                raise ClusterError("a state that is on an accepting cycle has no predecessor there")
            order.append((place, row))
        return order[met[owner, number] :][::-1]
