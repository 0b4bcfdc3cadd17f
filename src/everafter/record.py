"""`dataclass` of the standard library, its methods made when they are first called.

A command loads hundreds of records and makes values of some. The library writes and compiles six functions for each;
here a class has its slots and fields at once, and `__init__`, `__eq__` and `__hash__` are compiled when they have been
called some times. For mypy, by record.pyi, it is the library's own, which is not loaded: it loads the parser of Python.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from reprlib import recursive_repr
from types import MappingProxyType
from typing import Any, Final

__all__ = ["asdict", "complete", "dataclass", "field", "fields", "is_dataclass", "replace"]
_FIELDS = "__dataclass_fields__"
_HASHED = "__hash__"
_COMPILED_AT: Final = 12
"""The call of a method that compiles it: one that is seldom called costs less without."""
_MISSING: Final = object()
"""Stands for a default that a field has not."""


class RecordField:
    """A field of a record, as the library describes one."""

    __slots__ = ("compare", "factory", "hash", "init", "kw_only", "metadata", "name", "repr", "type", "value")

    def __init__(self, value: Any, factory: Any, init: bool, repr: bool, compare: bool, metadata: Any) -> None:
        self.value, self.factory = value, factory
        self.init, self.repr, self.compare, self.hash = init, repr, compare, None
        self.metadata = MappingProxyType(metadata or {})
        self.name, self.type, self.kw_only = "", "", False

    @property
    def default(self) -> Any:
        """The default, or what the library has in its place."""
        return _library().MISSING if self.value is _MISSING else self.value

    @property
    def default_factory(self) -> Any:
        """What makes the default, or what the library has in its place."""
        return _library().MISSING if self.factory is _MISSING else self.factory

    @property
    def _field_type(self) -> Any:
        """How the library marks a field that is neither of the class nor of its initialisation alone."""
        return _library()._FIELD


def _library() -> Any:
    import dataclasses  # noqa: PLC0415 # it loads the parser of Python, and few commands need it

    return dataclasses


class _Parameters:
    """With which options a class was made, as the library notes it."""

    def __init__(self, frozen: bool, eq: bool, repr: bool) -> None:
        self.init, self.repr, self.eq, self.frozen = True, repr, eq, frozen
        self.order = self.unsafe_hash = False


def field(
    *,
    default: Any = _MISSING,
    default_factory: Any = _MISSING,
    init: bool = True,
    repr: bool = True,
    compare: bool = True,
    metadata: Mapping[Any, Any] | None = None,
) -> Any:
    """Declare a field with a `default`, or with one that `default_factory` makes; the rest as in the library."""
    return RecordField(default, default_factory, init, repr, compare, metadata)


def fields(record: Any) -> tuple[Any, ...]:
    """Return the fields of `record`, a record or its class."""
    try:
        return tuple(getattr(record, _FIELDS).values())
    except AttributeError:
        raise TypeError("fields are of records") from None


def is_dataclass(value: object) -> bool:
    """Return whether `value` is a record or a class of records."""
    return hasattr(value if isinstance(value, type) else type(value), _FIELDS)


def replace(value: Any, /, **changes: Any) -> Any:
    """Return the record `value` with other contents of the fields named by `changes`."""
    for name, each in getattr(value, _FIELDS).items():
        if each.init:
            if name not in changes:
                changes[name] = getattr(value, name)
        elif name in changes:
            raise ValueError(f"field {name} is not given to the record, and cannot be replaced")
    return type(value)(**changes)


def asdict(value: Any) -> dict[str, Any]:
    """Return the record `value` as a dictionary, and so the records in it."""
    contents: dict[str, Any] = _library().asdict(value)
    return contents


def complete(kind: type) -> None:
    """Make the `__init__` of the record `kind` now, for its signature; another class stays as it is."""
    first = getattr(vars(kind).get("__init__"), "make_now", None)
    if first is not None:
        first()


def dataclass(
    kind: Any = None, /, *, frozen: bool = False, slots: bool = False, eq: bool = True, repr: bool = True
) -> Any:
    """Return the class `kind` as `dataclasses.dataclass` would; the options have its meaning."""
    if kind is None:
        return lambda decorated: dataclass(decorated, frozen=frozen, slots=slots, eq=eq, repr=repr)
    listed = _fields(kind, frozen)
    defined = {name: value for name, value in vars(kind).items() if value is not None or name != _HASHED}
    if slots:
        kind = _with_slots(kind, listed)
    wanted: dict[str, Any] = {
        _FIELDS: listed,
        "__dataclass_params__": _Parameters(frozen, eq, repr),
        "__match_args__": tuple(each.name for each in listed.values() if each.init),
        "__init__": _later(kind, "__init__", _init, _initialised),
    }
    if repr:
        wanted["__repr__"] = _repr
    if eq:
        wanted["__eq__"] = _later(kind, "__eq__", _eq, _equal)
        wanted[_HASHED] = _later(kind, _HASHED, _hash, _hashed) if frozen else None
    if frozen and slots:
        wanted |= {"__getstate__": _state, "__setstate__": _set_state}
    for name, value in wanted.items():
        if name not in defined:
            setattr(kind, name, value)
    if frozen:
        kind.__setattr__, kind.__delattr__ = _refuse_to_set, _refuse_to_delete
    return kind


def _fields(kind: Any, frozen: bool) -> dict[str, RecordField]:
    """The fields of a class, those of its bases first. Its attributes become the defaults."""
    listed: dict[str, RecordField] = {}
    for base in kind.__mro__[-1:0:-1]:
        inherited = vars(base).get(_FIELDS)
        if inherited is not None:
            if base.__dataclass_params__.frozen != frozen:
                raise TypeError(f"{kind.__name__} and {base.__name__} are not both frozen")
            listed |= inherited
    for name, annotation in vars(kind).get("__annotations__", {}).items():
        if str(annotation).startswith(("ClassVar", "typing.ClassVar")):
            continue
        default = vars(kind).get(name, _MISSING)
        made: Any = default if isinstance(default, RecordField) else field(default=default)
        made.name, made.type = name, annotation
        listed[name] = made
        if made.value is not _MISSING:
            setattr(kind, name, made.value)
        elif default is not _MISSING:
            delattr(kind, name)
    return listed


def _with_slots(kind: Any, listed: Mapping[str, RecordField]) -> Any:
    """The class anew, with slots for the fields that none of its bases has."""
    inherited = {name for base in kind.__mro__[1:-1] for name in vars(base).get("__slots__", ())}
    content = {name: value for name, value in vars(kind).items() if name not in listed}
    content["__slots__"] = tuple(name for name in listed if name not in inherited)
    for name in ("__dict__", "__weakref__"):
        content.pop(name, None)
    made = type(kind)(kind.__name__, kind.__bases__, content)
    made.__qualname__ = kind.__qualname__
    return made


class _Unlike(Exception):
    """The arguments are not those of the record; the compiled function says what is wrong."""


def _later(
    kind: Any,
    name: str,
    text: Callable[[Any, Mapping[str, RecordField]], tuple[str, dict[str, Any]]],
    plainly: Callable[..., Any],
) -> Any:
    """A method that a later call puts another in place of: that of the source `text(kind, fields)`.

    Until then `plainly` does the same, and raises _Unlike for arguments that do not fit.
    """
    calls = 0

    def make() -> Any:
        source, given = text(kind, getattr(kind, _FIELDS))
        module = sys.modules.get(kind.__module__)
        scope: dict[str, Any] = {}
        whole = f"def make({', '.join(given)}):\n {source}\n return {name}"
        exec(whole, module.__dict__ if module is not None else {}, scope)
        method = scope["make"](**given)
        method.__qualname__ = f"{kind.__qualname__}.{name}"
        setattr(kind, name, method)
        return method

    def first(*values: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls < _COMPILED_AT:
            try:
                return plainly(kind, *values, **named)
            except _Unlike:
                pass
        return make()(*values, **named)

    first.make_now = make  # type: ignore[attr-defined] # for `complete`
    return first


def _initialised(kind: Any, value: Any, /, *given: Any, **named: Any) -> None:
    """What the `__init__` of `kind` does with `value`."""
    listed: Mapping[str, RecordField] = getattr(kind, _FIELDS)
    taken = [name for name, each in listed.items() if each.init]
    if len(given) > len(taken) or not named.keys() <= set(taken[len(given) :]):
        raise _Unlike
    contents = dict(zip(taken, given, strict=False)) | named
    for name, each in listed.items():
        if name not in contents:
            if each.factory is not _MISSING:
                contents[name] = each.factory()
            elif each.init:
                if each.value is _MISSING:
                    raise _Unlike
                contents[name] = each.value
    put = object.__setattr__ if kind.__dataclass_params__.frozen else setattr
    for name in listed:
        if name in contents:
            put(value, name, contents[name])
    if hasattr(kind, "__post_init__"):
        value.__post_init__()


def _contents(kind: Any, value: Any) -> tuple[Any, ...]:
    return tuple(getattr(value, name) for name, each in getattr(kind, _FIELDS).items() if each.compare)


def _equal(kind: Any, value: Any, other: Any) -> Any:
    return _contents(kind, value) == _contents(kind, other) if other.__class__ is value.__class__ else NotImplemented


def _hashed(kind: Any, value: Any) -> int:
    return hash(_contents(kind, value))


class _Made:
    """Stands in a signature for a default that is made anew."""

    def __repr__(self) -> str:
        return "<factory>"


_made = _Made()


def _init(kind: Any, listed: Mapping[str, RecordField]) -> tuple[str, dict[str, Any]]:
    given: dict[str, Any] = {"_set": object.__setattr__, "_made": _made}
    parameters, lines = ["self"], []
    for name, each in listed.items():
        value = name
        if each.factory is not _MISSING:
            given[f"_new_{name}"] = each.factory
            value = f"_new_{name}() if {name} is _made else {name}" if each.init else f"_new_{name}()"
            parameters.append(f"{name}=_made")
        elif each.value is not _MISSING:
            given[f"_default_{name}"] = each.value
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        if not each.init:
            parameters.pop()
        if each.init or each.factory is not _MISSING:
            frozen = kind.__dataclass_params__.frozen
            lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(kind, "__post_init__"):
        lines.append("self.__post_init__()")
    source = f"def __init__({', '.join(parameters)}): " + ("; ".join(lines) or "pass")
    annotations = {name: each.type for name, each in listed.items() if each.init} | {"return": None}
    return f"{source}\n __init__.__annotations__ = _annotations", given | {"_annotations": annotations}


def _compared(listed: Mapping[str, RecordField], owner: str) -> str:
    return "(" + "".join(f"{owner}.{name}," for name, each in listed.items() if each.compare) + ")"


def _eq(_kind: Any, listed: Mapping[str, RecordField]) -> tuple[str, dict[str, Any]]:
    same = f"{_compared(listed, 'self')} == {_compared(listed, 'other')}"
    return f"def __eq__(self, other): return {same} if other.__class__ is self.__class__ else NotImplemented", {}


def _hash(_kind: Any, listed: Mapping[str, RecordField]) -> tuple[str, dict[str, Any]]:
    return f"def __hash__(self): return hash({_compared(listed, 'self')})", {}


@recursive_repr("...")
def _repr(self: Any) -> str:
    parts = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(parts)})"


def _is_frozen(value: Any, name: str) -> bool:
    """Whether no attribute `name` of `value` may change: a class below a record may have others than its fields."""
    return _FIELDS in vars(type(value)) or name in getattr(value, _FIELDS)


def _frozen_error() -> type[Exception]:
    kind: type[Exception] = _library().FrozenInstanceError
    return kind


def _refuse_to_set(self: Any, name: str, value: Any) -> None:
    if _is_frozen(self, name):
        raise _frozen_error()(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _refuse_to_delete(self: Any, name: str) -> None:
    if _is_frozen(self, name):
        raise _frozen_error()(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for each, value in zip(fields(self), state, strict=False):
        object.__setattr__(self, each.name, value)
