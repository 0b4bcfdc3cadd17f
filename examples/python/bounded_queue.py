"""A bounded queue on one condition variable: `notify` may wake a second producer when a consumer is needed.

A thread that waits gives up the lock and sleeps until it is notified. All threads sleep on the same condition, so that
only `notify_all` is sure to wake one that can go on.
"""

from everafter import model as m


class BoundedQueue(m.Model):
    """expect: violated safety."""

    NOTIFY_ALL = False
    PRODUCERS, CONSUMERS = 2, 1

    size = m.Int[0, 1](0)
    lock = False
    asleep = m.Array[bool, PRODUCERS + CONSUMERS](False)

    @m.process(instances=PRODUCERS)
    def producer(self, me: int) -> None:
        while True:
            self.acquire()
            while self.size == 1:
                self.sleep(me)
            self.size = 1
            self.notify()
            self.lock = False

    @m.process(given=range(PRODUCERS, PRODUCERS + CONSUMERS))
    def consumer(self, me: int) -> None:
        while True:
            self.acquire()
            while self.size == 0:
                self.sleep(me)
            self.size = 0
            self.notify()
            self.lock = False

    def acquire(self) -> None:
        with m.atomic():
            m.wait(not self.lock)
            self.lock = True

    def sleep(self, me: int) -> None:
        self.asleep[me], self.lock = True, False
        with m.atomic():
            m.wait(not self.asleep[me] and not self.lock)
            self.lock = True

    def notify(self) -> None:
        if self.NOTIFY_ALL:
            self.asleep = [False] * len(self.asleep)
        elif any(self.asleep):
            woken = m.choose(i for i in range(len(self.asleep)) if self.asleep[i])
            self.asleep[woken] = False

    goes_on = m.always(m.eventually(lambda s: s.size == 1))


class NotifyAll(BoundedQueue):
    """expect: holds safety."""

    NOTIFY_ALL = True
