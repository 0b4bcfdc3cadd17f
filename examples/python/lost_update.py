"""Two threads count together: each reads, adds one, writes back. One update is lost unless a lock is held."""

from everafter import model as m


class LostUpdate(m.Model):
    """expect: violated all_counted."""

    LOCKED = False
    THREADS = 2

    counter = m.Int[0, THREADS](0)
    done = m.Int[0, THREADS](0)
    lock = False

    @m.process(instances=THREADS)
    def thread(self, me: int) -> None:
        if self.LOCKED:
            self.acquire()
        seen = self.counter
        self.counter = seen + 1
        if self.LOCKED:
            self.lock = False
        self.done += 1

    def acquire(self) -> None:
        with m.atomic():
            m.wait(not self.lock)
            self.lock = True

    all_counted = m.always(lambda s: s.done < s.THREADS or s.counter == s.THREADS)
    ends = m.eventually(lambda s: s.done == s.THREADS)


class Locked(LostUpdate):
    """expect: holds."""

    LOCKED = True
