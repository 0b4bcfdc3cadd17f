"""Threads that count: `self.count += 1` is a read and a write, between which another thread may count as well.

STEPS makes every access to the shared state a step, as threads of Python have it.
"""

from everafter import model as m


class Unlocked(m.Model):
    """expect: violated safety."""

    STEPS = "accesses"
    LOCKS = False

    count = m.Int[0, 2](0)
    lock = m.Lock()

    @m.process(instances=2, started=False)
    def worker(self, me: int) -> None:
        if self.LOCKS:
            with self.lock:
                self.count += 1
        else:
            self.count += 1

    @m.process
    def main(self) -> None:
        m.start(self.worker, 0)
        m.start(self.worker, 1)
        m.join(self.worker, 0)
        m.join(self.worker, 1)
        assert self.count == 2


class Locked(Unlocked):
    """expect: holds safety."""

    LOCKS = True
