"""When something must be over, for plain Python code too.

    deadline = Deadline.after(60)
    with deadline.enforced():        # raises OutOfTime, in the midst of the block, when the time is over
        ...

The block is left between two instructions of Python, wherever it is; so it must be a computation whose results are
thrown away with it. A call of machine code ends first.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from everafter.record import dataclass
from everafter.source import EverafterError

FOR_EVER: Final = 1e9
"""More seconds than these are no limit: clocks cannot be set so far ahead."""


class OutOfTime(EverafterError):
    """The time for a computation is over."""


class Unmade(OutOfTime):
    """The time was over while something was made that is made once."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment by which something must be over, and in which words that is said. No moment: it may take for ever.

    A share comes to its end later by what `made_in_time` takes meanwhile, which serves the others too.
    """

    at: float | None = None
    """On the clock `time.monotonic`."""
    words: str = "the time limit"
    whole: Deadline | None = None
    """What it is a share of, and does not outlast."""
    making_before: float = 0.0
    """The seconds that `made_in_time` had taken when it began."""

    @staticmethod
    def after(seconds: float | None, started: float | None = None) -> Deadline:
        """Return the moment `seconds` from now, or from `started`; without `seconds` there is none."""
        if seconds is None or seconds > FOR_EVER:
            return Deadline()
        begin = time.monotonic() if started is None else started
        return Deadline(begin + seconds, f"the time limit of {seconds:g} s")

    @property
    def left(self) -> float | None:
        """The seconds left, None if there is no limit."""
        if self.at is None:
            return None
        if self.whole is None or self.whole.at is None:
            return max(self.at - time.monotonic(), 0.0)
        at = min(self.at + _making.seconds - self.making_before, self.whole.at)
        return max(at - time.monotonic(), 0.0)

    @property
    def is_over(self) -> bool:
        """Whether the moment has come."""
        return self.left == 0.0

    def share(self, parts: int) -> Deadline:
        """An equal share of the time left, one of `parts`."""
        left = self.left
        if left is None or parts <= 1:
            return self
        words = f"its share, {left / parts:.3g} s, of {self.words}"
        return Deadline(time.monotonic() + left / parts, words, self.whole or self, _making.seconds)

    def before_end(self, fraction: float) -> Deadline:
        """The same with this fraction of the time left kept for what comes after."""
        left = self.left
        if left is None:
            return self
        return Deadline(time.monotonic() + left * (1 - fraction), self.words, self.whole, _making.seconds)

    @contextmanager
    def enforced(self) -> Iterator[None]:
        """Raise OutOfTime in the block when the moment comes."""
        left = self.left
        if left is None:
            yield
            return
        if left == 0.0:
            raise OutOfTime(self.reached)
        token = _enforced.set(self)
        try:
            alarm = _Alarm(threading.get_ident(), self)
            try:
                yield
            finally:
                alarm.disarm()
        except Unmade:
            raise
        except OutOfTime as over:
            raise OutOfTime(self.reached) from over
        finally:
            _enforced.reset(token)

    @property
    def reached(self) -> str:
        """What to say when the moment has come."""
        return f"{self.words} was reached"


class _Alarm:
    """Raises OutOfTime in a thread when a `deadline` is over, once, unless it is disarmed before."""

    def __init__(self, thread: int, deadline: Deadline) -> None:
        self._thread = thread
        self._deadline = deadline
        self._lock = threading.Lock()
        self._armed = True
        self._raised = False
        self._wait(deadline.left or 0.0)

    def _wait(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._ring)
        self._timer.daemon = True
        self._timer.start()

    def _ring(self) -> None:
        """Raise the exception in the thread, unless the deadline has become later."""
        left = self._deadline.left
        with self._lock:
            if self._armed and left:
                self._wait(max(left, _BEFORE))
            elif self._armed:
                self._armed = False
                self._raised = True
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), ctypes.py_object(OutOfTime))

    def disarm(self) -> None:
        """From here on nothing is raised; what is on its way arrives here."""
        with self._lock:
            self._armed = False
            arriving = self._raised
            self._timer.cancel()
        # The exception reaches the thread at its next instructions, if it has not left the block already.
        for _ in range(100 if arriving else 0):
            time.sleep(0)


class _Stopwatch:
    """The seconds spent with something, also of what is going on; threads count apart."""

    def __init__(self) -> None:
        self._past = 0.0
        self._begun: dict[object, float] = {}

    @property
    def seconds(self) -> float:
        """How many there are now."""
        now = time.monotonic()
        return self._past + sum(now - begin for begin in tuple(self._begun.values()))

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count what the block takes."""
        key = object()
        self._begun[key] = time.monotonic()
        try:
            yield
        finally:
            self._past += time.monotonic() - self._begun.pop(key)


_making = _Stopwatch()
NEVER = Deadline()
_enforced: ContextVar[Deadline] = ContextVar("_enforced", default=NEVER)
LLVM: Final = threading.RLock()
"""Held by the thread that is in LLVM, whose global context is not safe for two; and while a process is forked that goes
there: in it, the lock of another thread would never be given back."""
_BEFORE = 0.05
"""Seconds by which it is ended before the exception is raised that says less."""
_SHORT = 60.0
"""Seconds that a computation may reach which takes long and cannot be left; up to this many it gets a process."""


def made_in_time(make: Callable[[], bytes], words: str) -> bytes:
    """Return what `make` returns; raise Unmade, with `words` on what was done, when the time enforced is over.

    Where that is a share, it is longer by this. If little time is left, and the system can fork, `make` runs in a
    child, since machine code cannot be left.
    """
    deadline = _enforced.get()
    with _making.running():
        if deadline.left is None or deadline.left > _SHORT or not hasattr(os, "fork"):
            return make()
        return _made_by_child(make, words, deadline.whole or deadline)


def _made_by_child(make: Callable[[], bytes], words: str, deadline: Deadline) -> bytes:
    """What `make` returns in a child; raises Unmade as above when `deadline` is over."""
    with LLVM:
        reader, writer = os.pipe()
        child = os.fork()
    if child == 0:
        status = 1
        try:
            with open(writer, "wb") as file:
                file.write(make())
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    made = None
    try:
        with open(reader, "rb") as file:
            made = _read_until(file.fileno(), deadline)
    except OutOfTime as over:
        raise Unmade(f"{deadline.reached} {words}") from over
    finally:
        if made is None:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if made is None:
        raise Unmade(f"{deadline.reached} {words}")
    return made if status == 0 else make()  # so that what went wrong goes wrong here


def _read_until(file: int, deadline: Deadline) -> bytes | None:
    """All that can be read of the `file` before the moment, None if it has no end by then."""
    pieces: list[bytes] = []
    while (left := (deadline.left or 0.0) - _BEFORE) > 0:
        ready, _, _ = select.select([file], [], [], left)
        piece = os.read(file, 1 << 16) if ready else b""
        if ready and not piece:
            return b"".join(pieces)
        pieces.append(piece)
    return None
