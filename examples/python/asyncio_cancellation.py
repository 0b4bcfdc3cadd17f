"""Tasks of asyncio around a lock: a task that is cancelled while it has the lock must release it all the same."""

from everafter import model as m


class ReleasesFinally(m.Model):
    """expect: holds safety."""

    RELEASES = True

    lock = m.Lock()
    inside = m.Int[0, 2](0)

    @m.process(instances=2)
    def task(self, me: int) -> None:
        if m.either(not self.lock.locked()):
            self.lock.acquire()
        elif m.either():
            return  # cancelled while it waits
        self.inside += 1
        if m.either():
            pass  # the work is done
        elif m.either():
            self.inside -= 1
            if self.RELEASES:
                self.lock.release()
            return  # cancelled in the middle
        self.inside -= 1
        self.lock.release()

    alone = m.always(lambda s: s.inside <= 1)


class StaysLocked(ReleasesFinally):
    """expect: violated safety."""

    RELEASES = False
