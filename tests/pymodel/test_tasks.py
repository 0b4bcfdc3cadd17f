"""Tasks of asyncio come to what they come to under asyncio itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from oracles.pymodel.random_models import model_of_text
from oracles.pymodel.random_tasks import VARIABLES
from oracles.pymodel.task_comparison import compared_tasks, compared_under_asyncio
from tests.pymodel.models import complaint

import everafter
from everafter.model.vocabulary import PythonModel
from everafter.promela.model import Constant
from everafter.pymodel import task_statements

_HEAD = """import asyncio
from everafter import model as m

class Random(m.Model):
    x = m.Int[0, 3](0)
    y = m.Int[0, 3](0)
    f = False
    lock = m.AsyncLock()
    thread_lock = m.Lock()
    ev = m.AsyncEvent()
    q = m.AsyncQueue[m.Int[0, 3], 1]()
"""


def _model(body: str, name: str = "tasks") -> type[PythonModel]:
    lines = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    return model_of_text(_HEAD.replace("    thread_lock = m.Lock()\n", "") + lines, name)


@pytest.mark.parametrize("seed", range(40))
def test_random_tasks_come_to_what_they_come_to_under_asyncio(seed: int) -> None:
    result = compared_tasks(seed, 200)
    assert result.outcome != "differs", result.explanation


MEANINGS = {
    "who waits for an item gets one": """@m.process
async def a(self):
    self.y = await self.q.get()
    self.x = await self.q.get()
@m.process
async def b(self):
    await self.q.put(1)
    await self.q.put(2)
    self.f = True""",
    "a lock is taken in turn": """@m.process(instances=3)
async def a(self, me):
    async with self.lock:
        self.x = me
        await asyncio.sleep(0)
        self.y = me
    self.f = not self.f
    await self.lock.acquire()
    self.x = me
    self.lock.release()""",
    "an item is computed before the wait": """@m.process
async def a(self):
    await self.q.put(3)
    await self.q.put(self.x)
@m.process
async def b(self):
    self.x = 1
    self.y = await self.q.get()
    self.y = await self.q.get()""",
    "who is cancelled wakes the next": """@m.process(instances=2, cancels=1)
async def a(self, me):
    self.x = me
    n = await self.q.get()
    assert self.y == 0
    self.y = n + me
@m.process
async def b(self):
    await asyncio.sleep(0)
    await self.q.put(1)
    self.f = True
    await self.q.put(1)""",
    "a pulse wakes all who sleep": """@m.process(instances=2, cancels=1)
async def a(self, me):
    await self.ev.wait()
    assert not self.f
    self.x = me
@m.process
async def b(self):
    self.f = True
    self.ev.set()
    self.ev.clear()
    self.y = 1""",
    "a task may be cancelled while it waits for a lock": """@m.process(instances=2, cancels=1)
async def a(self, me):
    try:
        async with self.lock:
            self.x = me
            await asyncio.sleep(0)
            self.y = me
    except asyncio.CancelledError:
        self.x = 3
        raise
    finally:
        self.f = not self.f""",
    "ways out of ways out": """@m.process(instances=2, cancels=2)
async def a(self, me):
    for i in range(2):
        try:
            try:
                await asyncio.sleep(0)
                self.x = i
                if self.f:
                    continue
            finally:
                self.y = i
                await asyncio.sleep(0)
                self.y = 3
        except asyncio.CancelledError:
            self.f = True
            await asyncio.sleep(0)
        self.x = 2""",
    "tasks are started and cancelled by others": """@m.process(instances=2, started=False)
async def a(self, me):
    try:
        await self.ev.wait()
        self.x = 2
        self.stop()
    except asyncio.CancelledError:
        self.y = 2
        return
    self.y = 3
def stop(self):
    m.cancel(self.a, 0)
@m.process
async def b(self):
    m.start(self.a, 0)
    await asyncio.sleep(0)
    m.start(self.a, 1)
    self.x = 1
    self.ev.set()
    m.cancel(self.a, 1)""",
}  # fmt: skip


@pytest.mark.parametrize("name", MEANINGS)
def test_what_it_means(name: str) -> None:
    result = compared_under_asyncio(_model(MEANINGS[name]), VARIABLES, 3_000)
    assert result.outcome == "agrees", result.explanation


def _always(line: task_statements.Line) -> Constant:
    return line.awaiting.number(1)


@pytest.mark.parametrize(
    ("method", "name"),
    [
        ("first_woken", "who waits for an item gets one"),
        ("head_woken", "a lock is taken in turn"),
        ("is_cancelled", "a lock is taken in turn"),
    ],
)
def test_a_planted_mistake_is_seen(monkeypatch: pytest.MonkeyPatch, method: str, name: str) -> None:
    """The comparison can fail: where none is woken, and where a lock is given to who comes first."""
    planted: Callable[[task_statements.Line], object] = _always if method == "is_cancelled" else lambda _: []
    monkeypatch.setattr(task_statements.Line, method, planted)
    assert compared_under_asyncio(_model(MEANINGS[name]), VARIABLES, 3_000).outcome == "differs"


_WAITS = """@m.process
async def a(self):
    await m.wait(self.x == 1)
    self.y = 1
@m.process(started=False)
async def b(self):
    self.x = 1
@m.process
async def c(self):
    m.start(self.b)
    await m.join(self.b)
    assert self.x == 1
    m.end()
    await self.q.get()
ok = m.eventually(lambda s: s.y == 1)"""


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_a_task_waits_for_a_condition_and_for_the_end_of_another(engine: str) -> None:
    results = everafter.check(_model(_WAITS), engine=engine)
    assert {each.property: each.verdict for each in results} == {"safety": "holds", "ok": "holds"}


REFUSED = {
    "self.lock.acquire()": ("self.lock.acquire()", "`await` is missing", "await self.lock.acquire()"),
    "m.wait(self.f)": ("m.wait(self.f)", "`await` is missing", "await m.wait(self.f)"),
    "self.help()": ("self.help()", "`await` is missing", "await self.help()"),
    "await self.plain()": ("self.plain()", "'plain' is no `async def`", "without `await`"),
    "await asyncio.gather(self.help())": ("asyncio.gather(self.help())", "this cannot be awaited in a model", "m.join"),
    "self.thread_lock.acquire()": ("self.thread_lock.acquire()", "this would hold up all tasks", "m.AsyncLock()"),
    "with self.thread_lock:\n    pass": ("self.thread_lock", "this would hold up all tasks", "m.AsyncLock()"),
    "async with self.ev:\n    pass": ("async with self.ev:", "this context cannot be used", "async with a lock"),
    "with m.atomic():\n    self.x = 1": ("with m.atomic():", "nothing else happens", "leave m.atomic() away"),
    "raise ValueError": ("raise ValueError", "`raise` cannot be used in a model", "assert what must hold"),
    "try:\n    pass\nexcept ValueError:\n    pass": ("except ValueError:", "never raised in a model", "CancelledError"),
    "try:\n    pass\nfinally:\n    pass\nm.cancel(self.zz)": ("m.cancel(self.zz)", "there is no such task", ""),
    "self.x = await self.ev.wait()": ("await self.ev.wait()", "this gives nothing", "a statement of its own"),
    "async for v in self.q:\n    pass": ("async for v in self.q:", "`async for` cannot be used in a model", "for"),
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text.split("\n")[0])
def test_a_statement_is_refused(text: str) -> None:
    body = "".join(f"        {line}\n" for line in text.split("\n"))
    methods = "    async def help(self):\n        pass\n    def plain(self):\n        self.x = 1\n"
    kind = model_of_text(
        f"{_HEAD}{methods}    @m.process\n    async def a(self):\n{body}        self.x = 1\n", "refused"
    )
    written, message, advice = complaint(kind)
    expected, said, helps = REFUSED[text]
    assert (written, said in message, helps in advice) == (expected, True, True), (written, message, advice)


MIXED = {
    "@m.process\nasync def a(self):\n    self.x = 1\n@m.process\ndef b(self):\n    self.x = 1": "tasks of asyncio, or",
    "@m.process(cancels=1)\ndef a(self):\n    self.x = 1": "only tasks are cancelled",
    "@m.process(crashes=1)\nasync def a(self):\n    self.x = 1": "do not crash one by one",
    "@m.action\nasync def a(self):\n    self.x = 1": "an action waits for nothing",
    "@m.process\ndef a(self):\n    self.ev.set()": "only tasks use this",
}


@pytest.mark.parametrize("text", MIXED)
def test_tasks_are_not_mixed_with_threads(text: str) -> None:
    assert MIXED[text] in complaint(_model(text))[1]
