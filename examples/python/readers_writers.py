"""Readers and writers: many read together, one writes alone. Without a turnstile, writers may wait for ever."""

from everafter import model as m


class ReadersWriters(m.Model):
    """expect: violated writer_gets_in; fairness weak."""

    TURNSTILE = False
    READERS = 2

    readers = m.Int[0, READERS](0)
    writing = False
    wants = False

    @m.process(instances=READERS)
    def reader(self, me: int) -> None:
        while True:
            with m.atomic():
                m.wait(not self.writing and not (self.TURNSTILE and self.wants))
                self.readers += 1
            self.readers -= 1

    @m.process
    def writer(self) -> None:
        while True:
            self.wants = True
            with m.atomic():
                m.wait(self.readers == 0 and not self.writing)
                self.writing = True
            self.writing, self.wants = False, False

    apart = m.always(lambda s: not (s.writing and s.readers > 0))
    writer_gets_in = m.always(m.implies(lambda s: s.wants, m.eventually(lambda s: s.writing)))


class Turnstile(ReadersWriters):
    """expect: holds; fairness weak."""

    TURNSTILE = True
