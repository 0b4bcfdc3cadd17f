"""The class of all Python models, and what their processes may say beyond Python.

A model is read, not run: its methods are translated from their source. What is called here stands for a step.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, Final, NoReturn, TypeVar

from everafter.model.domains import Declared
from everafter.model.temporal import Temporal
from everafter.record import dataclass
from everafter.source import OptionError

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
PROCESS: Final = "_everafter_process"
"""The attribute of a method that says which processes run it."""
MOST_CRASHES: Final = 200
_settings: ContextVar[Mapping[str, object]] = ContextVar("settings", default=MappingProxyType({}))
_used: ContextVar[set[str] | None] = ContextVar("used", default=None)


class _Body(dict[str, Any]):
    """The names of a class body while it is run. Constants get the values that are set from outside."""

    def __setitem__(self, name: str, value: Any) -> None:
        settings, used = _settings.get(), _used.get()
        if name in settings and not (callable(value) or isinstance(value, Declared | Temporal)):
            value = settings[name]
            if used is not None:
                used.add(name)
        super().__setitem__(name, value)


class ModelKind(type):
    """The class of models."""

    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **_options: Any) -> MutableMapping[str, object]:
        """Return what collects the names of the body of the class called `name`, with these `bases`."""
        return _Body()

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> ModelKind:
        """Return the class called `name`, with these `bases` and this `body`."""
        return super().__new__(cls, name, bases, dict(body))


class PythonModel(metaclass=ModelKind):
    """The base of models: class attributes are shared variables, methods marked as processes run side by side."""


@contextmanager
def configured(settings: Mapping[str, object]) -> Iterator[set[str]]:
    """While this lasts, models that are defined have constants as `settings` say; the names used are yielded."""
    used: set[str] = set()
    before, told = _settings.set(settings), _used.set(used)
    try:
        yield used
    finally:
        _settings.reset(before)
        _used.reset(told)


@dataclass(frozen=True)
class Launch:
    """Which processes run a method: the arguments of each."""

    arguments: tuple[tuple[Any, ...], ...] | None
    """None: one process without arguments."""
    is_started: bool = True
    """Whether it runs from the beginning, or when another process starts it."""
    crashes: int = 0
    """How often each may crash."""
    restarts: bool = False
    """Whether it begins again after a crash."""
    cancels: int = 0
    """How often each task may be cancelled from outside."""
    is_action: bool = False
    """Whether it is run as a whole, again and again, whenever `when` is true."""
    when: Callable[..., Any] | None = None

    @property
    def count(self) -> int:
        """How many processes there are."""
        return 1 if self.arguments is None else len(self.arguments)


def process(
    method: F | None = None,
    *,
    instances: int | None = None,
    given: Iterable[Any] | None = None,
    started: bool = True,
    crashes: int = 0,
    restarts: bool = False,
    cancels: int = 0,
) -> Callable[[Any], Any]:
    """Mark a `method` as a process; several with `instances`, numbered from 0, or one for each of the `given`.

    The number, or what is given (a tuple: several arguments), is what the method is called with. One that is not
    `started` begins when another says `m.start(self.method, …)`. Each crashes at most `crashes` times, wherever it is
    but in an atomic block, and then `restarts` from the beginning without its own variables, or has ended.
    An `async def` is a task of asyncio, and each is cancelled at most `cancels` times, whenever that may be.
    """
    if type(cancels) is not int or not 0 <= cancels <= MOST_CRASHES:
        raise OptionError(f"cancels of m.process is a number from 0 to {MOST_CRASHES}, not {cancels!r}")
    if type(crashes) is not int or not 0 <= crashes <= MOST_CRASHES:
        raise OptionError(f"crashes of m.process is a number from 0 to {MOST_CRASHES}, not {crashes!r}")
    if restarts and not crashes:
        raise OptionError("a process restarts after crashes", "say how many: crashes=1")
    return _marked(method, Launch(_arguments("process", instances, given), started, crashes, restarts, cancels))


def action(
    method: F | None = None,
    *,
    when: Callable[..., Any] | None = None,
    instances: int | None = None,
    given: Iterable[Any] | None = None,
) -> Callable[[Any], Any]:
    """Mark a `method` as an action: whenever `when` is true, of the state and the arguments, all of it may happen.

    There are several with `instances` or `given`, as of processes. Each is a process to fairness.
    """
    if when is not None and not callable(when):
        raise OptionError(f"when of m.action is no function: {when!r}", "write when=lambda self: …")
    return _marked(method, Launch(_arguments("action", instances, given), is_action=True, when=when))


def _arguments(name: str, instances: int | None, given: Iterable[Any] | None) -> tuple[tuple[Any, ...], ...] | None:
    if instances is not None and (type(instances) is not int or instances < 0):
        raise OptionError(f"instances of m.{name} is a number from 0 on, not {instances!r}")
    if instances is not None and given is not None:
        raise OptionError(f"m.{name} takes instances or given, not both")
    listed = range(instances) if instances is not None else given
    return None if listed is None else tuple(each if isinstance(each, tuple) else (each,) for each in listed)


def _marked(method: F | None, launch: Launch) -> Callable[[Any], Any]:
    def marked(function: F) -> F:
        setattr(function, PROCESS, launch)
        return function

    return marked if method is None else marked(method)


def _outside(what: str) -> NoReturn:
    raise OptionError(f"m.{what} stands in a process of a model, which is read and not run", "everafter.check(Model)")


def wait(condition: object) -> Awaitable[None]:
    """Go on when `condition` is true: a step that is possible in such a state only. A task says `await m.wait(…)`."""
    _outside(f"wait({condition!r})")


def atomic() -> AbstractContextManager[None]:
    """`with m.atomic():` no other process moves between these steps, unless one of them has to wait."""
    _outside("atomic()")


def choose(values: Iterable[T]) -> T:
    """Return any of the `values`: every run there is takes one of them."""
    _outside(f"choose({values!r})")


def either(condition: object = True) -> bool:
    """`if m.either(a): … elif m.either(b): …` takes any branch whose `condition` is true, and waits for one."""
    _outside(f"either({condition!r})")


def end() -> None:
    """Before a statement: a process may stay here for ever, which is no deadlock."""
    _outside("end()")


def start(process: Callable[..., Any], *arguments: Any) -> None:
    """Start the `process` with these `arguments`, which was marked as not started; a second time is an error."""
    _outside(f"start({process!r}, {arguments!r})")


def join(process: Callable[..., Any], *arguments: Any) -> Awaitable[None]:
    """Wait until the `process` with these `arguments` has ended; it is an error if it was not started.

    A task says `await m.join(…)`, and goes on also if the other was cancelled.
    """
    _outside(f"join({process!r}, {arguments!r})")


def cancel(process: Callable[..., Any], *arguments: Any) -> None:
    """Cancel the task that `process` with these `arguments` is, as `task.cancel()` of asyncio does."""
    _outside(f"cancel({process!r}, {arguments!r})")


STATEMENTS: Final[Sequence[Callable[..., Any]]] = (wait, atomic, choose, either, end, start, join, cancel)
"""What has a meaning in processes only."""
