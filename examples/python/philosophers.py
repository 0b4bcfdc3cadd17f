"""Dining philosophers: each takes the left fork, then the right one. All hold one fork, and none gets a second."""

from everafter import model as m


class Philosophers(m.Model):
    """expect: violated safety."""

    N = 3
    LAST_TURNS = False

    free = m.Array[bool, N](True)
    eating = m.Array[bool, N](False)

    @m.process(instances=N)
    def philosopher(self, me: int) -> None:
        while True:
            m.end()
            if self.LAST_TURNS and me == self.N - 1:
                self.take(0)
                self.take(me)
            else:
                self.take(me)
                self.take((me + 1) % self.N)
            self.eating[me] = True
            self.eating[me] = False
            self.free[me] = True
            self.free[(me + 1) % self.N] = True

    def take(self, fork: int) -> None:
        with m.atomic():
            m.wait(self.free[fork])
            self.free[fork] = False

    neighbours = m.each(N, lambda s, i: m.always(not (s.eating[i] and s.eating[(i + 1) % s.N])))


class LastTurns(Philosophers):
    """expect: holds."""

    LAST_TURNS = True
