"""Gossip on a ring: if each tells its neighbour all that it has heard, everybody knows everything at last."""

from everafter import model as m


class TellsAll(m.Model):
    """expect: holds spreads; fairness weak."""

    TELLS_ALL = True

    knows = m.Array[m.Set[m.Int[0, 2]], 3]([{0}, {1}, {2}])

    @m.action(instances=3)
    def tells(self, me: int) -> None:
        if self.TELLS_ALL:
            self.knows[(me + 1) % 3] |= self.knows[me]
        else:
            self.knows[(me + 1) % 3].add(me)

    spreads = m.eventually(lambda s: all(len(known) == 3 for known in s.knows))


class TellsOwn(TellsAll):
    """expect: violated spreads; fairness weak."""

    TELLS_ALL = False
