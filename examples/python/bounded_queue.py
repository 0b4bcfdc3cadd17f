"""A bounded queue on one condition variable: `notify` may wake a second producer when a consumer is needed.

All threads sleep on the same condition, so that only `notify_all` is sure to wake one that can go on.
"""

from everafter import model as m


class BoundedQueue(m.Model):
    """expect: violated safety."""

    NOTIFY_ALL = False

    size = m.Int[0, 1](0)
    changed = m.Condition()

    @m.process(instances=2)
    def producer(self, me: int) -> None:
        while True:
            with self.changed:
                while self.size == 1:
                    self.changed.wait()
                self.size = 1
                self.tell()

    @m.process
    def consumer(self) -> None:
        while True:
            with self.changed:
                while self.size == 0:
                    self.changed.wait()
                self.size = 0
                self.tell()

    def tell(self) -> None:
        if self.NOTIFY_ALL:
            self.changed.notify_all()
        else:
            self.changed.notify()

    goes_on = m.always(m.eventually(lambda s: s.size == 1))


class NotifyAll(BoundedQueue):
    """expect: holds safety."""

    NOTIFY_ALL = True
