"""Tasks of asyncio around a lock: a task that is cancelled while it has the lock must release it all the same."""

import asyncio

from everafter import model as m


class ReleasesFinally(m.Model):
    """expect: holds."""

    RELEASES = True

    lock = m.AsyncLock()
    inside = m.Int[0, 2](0)
    done = m.Int[0, 2](0)

    @m.process(instances=2, cancels=1)
    async def task(self, me: int) -> None:
        await self.lock.acquire()
        try:
            self.inside += 1
            await asyncio.sleep(0)  # the work, in the middle of which others may run, and this task be cancelled
            self.done += 1
        finally:
            self.inside -= 1
            if self.RELEASES:
                self.lock.release()
        if not self.RELEASES:
            self.lock.release()

    alone = m.always(lambda s: s.inside <= 1)


class StaysLocked(ReleasesFinally):
    """expect: violated safety."""

    RELEASES = False
