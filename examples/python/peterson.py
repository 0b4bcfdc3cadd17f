"""Peterson's algorithm: two processes, and a courtesy that decides who enters the critical section.

Each one says that it wants to enter, and gives way to the other. Who gave way last waits while the other wants in.
"""

from enum import Enum

from everafter import model as m


class Phase(Enum):
    """Where a process is."""

    IDLE, WAITING, CRITICAL = range(3)


class Peterson(m.Model):
    """expect: holds"""

    flag = m.Array[bool, 2](False)
    turn = m.Int[0, 1](0)
    phase = m.Array[Phase, 2](Phase.IDLE)

    @m.process(instances=2)
    def worker(self, me: int) -> None:
        while True:
            self.flag[me] = True
            self.turn = 1 - me
            self.phase[me] = Phase.WAITING
            m.wait(not self.flag[1 - me] or self.turn == me)
            self.phase[me] = Phase.CRITICAL
            self.phase[me] = Phase.IDLE
            self.flag[me] = False

    exclusive = m.always(lambda s: s.phase.count(Phase.CRITICAL) <= 1)
    gets_in = m.each(
        2,
        lambda s, i: m.always(m.implies(s.phase[i] == Phase.WAITING, m.eventually(s.phase[i] == Phase.CRITICAL))),
    )
