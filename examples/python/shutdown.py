"""Workers on a queue end when they get None: there must be one None for each of them."""

from everafter import model as m


class OneForEach(m.Model):
    """expect: holds safety."""

    WORKERS, ENDS = 2, 2

    jobs = m.Queue[m.Optional[m.Int[0, 2]], 2]()
    done = m.Set[m.Int[0, 2]]()

    @m.process
    def producer(self) -> None:
        for job in range(3):
            self.jobs.put(job)
        for _ in range(self.ENDS):
            self.jobs.put(None)

    @m.process(instances=WORKERS)
    def worker(self, me: int) -> None:
        while True:
            job = self.jobs.get()
            if job is None:
                return
            self.done.add(job)

    all_done = m.eventually(lambda s: len(s.done) == 3)


class OneForAll(OneForEach):
    """expect: violated safety."""

    ENDS = 1
