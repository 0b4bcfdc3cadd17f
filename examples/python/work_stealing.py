"""Work stealing: the owner takes tasks from one end of a deque, a thief from the other, and each task is done once."""

from everafter import model as m


class OneStep(m.Model):
    """expect: holds done_once."""

    IN_ONE_STEP = True

    tasks = m.Deque[m.Int[0, 1], 2]([0, 1])
    done = m.Array[m.Int[0, 2], 2](0)
    lock = m.Lock()

    @m.process
    def owner(self) -> None:
        while self.tasks:
            if self.IN_ONE_STEP:
                with self.lock:
                    if self.tasks:
                        task = self.tasks.pop()
                        self.done[task] += 1
            else:
                task = self.tasks[-1]
                self.done[task] += 1
                self.tasks.pop()

    @m.process
    def thief(self) -> None:
        with self.lock:
            if self.tasks:
                stolen = self.tasks.popleft()
                self.done[stolen] += 1

    done_once = m.always(lambda s: all(times <= 1 for times in s.done))


class LooksFirst(OneStep):
    """expect: violated done_once."""

    IN_ONE_STEP = False
