"""Locks, conditions, barriers and queues mean in the program what they mean in `threading` and `queue`."""

from __future__ import annotations

import pytest
from oracles.pymodel.comparison import compared
from tests.pymodel.models import complaint, kind_of

from everafter.model.vocabulary import PythonModel

_VARIABLES = """x, y = m.Int[0, 3](0), m.Int[0, 3](0)
lock, rlock = m.Lock(), m.RLock()
cond = m.Condition()
free = m.Condition(lock)
full = m.Condition(lock)
again = m.Condition(rlock)
gate = m.Barrier(2)
q = m.Queue[m.Int[0, 3], 2]()
d = m.Dict[m.Int[0, 2], m.Int[0, 2]]({0: 1, 1: 2})
rlocks = m.Array[m.RLock, 2]()"""


def _model(*lines: str, instances: int = 2, steps: str = "statements") -> type[PythonModel]:
    body = "\n".join(f"    {line}" for line in lines)
    after = "    self.y = self.y\nok = m.always(lambda s: s.x != 3)\ndone = m.eventually(lambda s: s.x == 1)"
    head = f'STEPS = "{steps}"\n{_VARIABLES}\n@m.process(instances={instances})\ndef work(self, me: int) -> None:\n'
    return kind_of(f"{head}{body}\n{after}")


MEANINGS = {
    "an RLock is taken twice": ["with self.rlock:", "    with self.rlock:", "        self.x = me", "    self.x = 2"],
    "a Lock is not": ["with self.lock:", "    with self.lock:", "        self.x = me"],
    "an RLock is released by its owner only": [
        "if me:", "    self.rlock.acquire()", "else:", "    self.rlock.release()",
    ],
    "a Lock is released by any": ["if me:", "    self.lock.acquire()", "    m.end()", "    self.lock.acquire()",
                                  "else:", "    m.end()", "    m.wait(self.lock.locked())", "    self.lock.release()"],
    "a condition has an RLock": ["with self.cond:", "    with self.cond:", "        self.x = me"],
    "a sleeper gives back all": [
        "with self.cond:", "    with self.cond:", "        if me:", "            m.end()",
        "            self.cond.wait()", "            self.x = 1", "        else:",
        "            self.cond.notify()", "    self.y = me",
    ],
    "who does not hold the lock cannot notify": [
        "if me:", "    with self.cond:", "        self.x = 1", "else:", "    self.cond.notify()",
    ],
    "two conditions share a lock": [
        "with self.lock:", "    if me:", "        while self.x == 0:", "            m.end()",
        "            self.full.wait()", "        self.x = 0", "        self.free.notify()", "    else:",
        "        while self.x == 1:", "            m.end()", "            self.free.wait()", "        self.x = 1",
        "        self.full.notify()",
    ],
    "a condition shares an RLock": [
        "with self.rlock:", "    with self.again:", "        if me:", "            m.end()",
        "            self.again.wait()", "            self.x = 1", "        self.again.notify_all()",
    ],
    "a barrier": ["self.y = me", "self.gate.wait()", "self.x = 1 + me", "self.gate.wait()", "self.x = 3 - self.x"],
    "a barrier is not there for one": ["if me:", "    self.gate.wait()", "self.x = 1"],
    "tasks of a queue": [
        "if me:", "    t = self.q.get()", "    self.x = t", "    self.q.task_done()", "    t = self.q.get()",
        "    self.q.task_done()", "else:", "    self.q.put(1)", "    self.q.put(2)", "    self.q.join()",
        "    assert self.x == 1 and self.q.empty()",
    ],
    "more is done than there was": ["self.q.put_nowait(1)", "self.q.task_done()", "if me:", "    self.q.task_done()"],
    "finally is done on each way out": [
        "for i in range(3):", "    self.lock.acquire()", "    try:", "        if self.x == 1:", "            break",
        "        if me:", "            continue", "        self.x = i", "        if self.y:", "            return",
        "    finally:", "        self.y = i", "        self.lock.release()",
        "assert not self.lock.locked() or self.y < 3",
    ],
    "finally in finally": [
        "try:", "    try:", "        if me:", "            return", "        self.x = 1", "    finally:",
        "        self.y = 1", "        if self.x:", "            self.y = 2", "finally:", "    self.x = 2",
    ],
    "a local is popped twice": [
        "if 0 in self.d and 1 in self.d:", "    with m.atomic():", "        if len(self.d) == 2:",
        "            t = self.d.pop(0)", "            self.x = t", "            t = self.d.pop(1)",
        "            self.x = t",
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", MEANINGS)
def test_what_it_means(name: str) -> None:
    result = compared(_model(*MEANINGS[name]), most=3000)
    assert result.outcome == "agrees", result.explanation


@pytest.mark.parametrize("instances", [1, 3])
def test_a_barrier_waits_until_all_have_left(instances: int) -> None:
    result = compared(_model("self.gate.wait()", "self.x = 1", instances=instances), most=3000)
    assert result.outcome == "agrees", result.explanation


BLOCKS = {
    "steps end where blocks begin": [
        "self.x = me", "self.y = self.x", "with m.atomic():", "    assert self.x == self.y", "    self.x = 0",
        "self.y = 0", "while self.y < 2:", "    with m.atomic():", "        self.y += 1", "    self.x = self.y",
        "    self.x = 1",
    ],
    "who waits lets others go on": [
        "self.x = 1", "self.y = me", "m.end()", "m.wait(self.y == 1)", "self.x = 2", "with m.atomic():",
        "    self.x = 0", "    m.end()", "    m.wait(self.y == 0)", "    self.x = 1",
    ],
    "locks": [
        "with self.lock:", "    self.x = 1", "    self.x = 0", "self.help()", "with m.atomic():", "    self.y = 1",
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", BLOCKS)
def test_only_atomic_blocks_can_be_steps(name: str) -> None:
    lines = [*BLOCKS[name]]
    kind = _model(*lines, steps="blocks") if name != "locks" else _helped(*lines)
    result = compared(kind, most=3000)
    assert result.outcome == "agrees", result.explanation


def _helped(*lines: str) -> type[PythonModel]:
    body = "\n".join(f"    {line}" for line in lines)
    helper = "def help(self) -> None:\n    self.x = 2\n    with m.atomic():\n        self.x = 3\n    self.x = 0\n"
    head = f'STEPS = "blocks"\n{_VARIABLES}\n{helper}@m.process(instances=2)\ndef work(self, me: int) -> None:\n'
    return kind_of(f"{head}{body}\n    self.x = 1\nok = m.always(lambda s: s.x != 3)")


@pytest.mark.parametrize("continues", [True, False])
def test_a_process_may_stop_at_the_beginning_of_a_turn_that_is_left(continues: bool) -> None:
    """The label of the first statement of a block belongs where control rests, before the loop."""
    lines = [
        "while True:",
        "    m.end()",
        "    t = self.q.get()",
        "    self.x = t",
        "    if self.x == 1:",
        "        continue",
    ]
    lines += ["    self.y = 1"] if continues else ["    m.wait(self.x == 1)"]
    kind = _model("if me:", *(f"    {line}" for line in lines), "else:", "    self.q.put(1)", "    self.q.put(2)")
    result = compared(kind, most=3000)
    assert result.outcome == "agrees", result.explanation


REFUSED = {
    "self.rlock.locked()": "'.locked' cannot be called here",
    "i = self.gate.wait()": "this gives nothing",
    "try:\n    pass\nexcept ValueError:\n    pass": "this is never raised in a model",
    "raise": "`raise` cannot be used in a model",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_statement_is_refused(text: str) -> None:
    assert REFUSED[text] in complaint(_model(*text.split("\n")))[1]


def test_the_lock_of_a_condition_is_a_variable() -> None:
    kind = kind_of("cond = m.Condition(m.Lock())\n@m.process\ndef p(self) -> None:\n    self.cond.acquire()")
    assert complaint(kind)[1] == "the lock of this condition is no variable of the model"
