"""The class of all Python models, and what their processes may say beyond Python.

A model is read, not run: its methods are translated from their source. What is called here stands for a step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
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


def process(
    method: F | None = None, *, instances: int | None = None, given: Iterable[Any] | None = None
) -> Callable[[Any], Any]:
    """Mark a `method` as a process; several with `instances`, numbered from 0, or one for each of the `given`.

    The number, or what is given (a tuple: several arguments), is what the method is called with.
    """
    if instances is not None and (type(instances) is not int or instances < 0):
        raise OptionError(f"instances of m.process is a number from 0 on, not {instances!r}")
    if instances is not None and given is not None:
        raise OptionError("m.process takes instances or given, not both")
    listed = range(instances) if instances is not None else given
    told = None if listed is None else tuple(each if isinstance(each, tuple) else (each,) for each in listed)

    def marked(function: F) -> F:
        setattr(function, PROCESS, Launch(told))
        return function

    return marked if method is None else marked(method)


def _outside(what: str) -> NoReturn:
    raise OptionError(f"m.{what} stands in a process of a model, which is read and not run", "everafter.check(Model)")


def wait(condition: object) -> None:
    """Go on when `condition` is true: a step that is possible in such a state only."""
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


STATEMENTS: Final[Sequence[Callable[..., Any]]] = (wait, atomic, choose, either, end)
"""What has a meaning in processes only."""
