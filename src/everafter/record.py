"""`dataclass` of the standard library, its methods made when they are first called.

A command loads hundreds of records and makes values of some. The library writes and compiles six functions for each;
here a class has its slots and fields at once, and `__init__`, `__eq__` and `__hash__` are compiled at their first call.
For mypy, by record.pyi, it is the library's own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, asdict, field, fields, replace
from functools import cache
from reprlib import recursive_repr
from typing import Any

__all__ = ["asdict", "complete", "dataclass", "field", "fields", "replace"]
_FIELDS = "__dataclass_fields__"
_HASHED = "__hash__"


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
        "__dataclass_params__": _params(frozen, eq, repr),
        "__match_args__": tuple(each.name for each in listed.values() if each.init),
        "__init__": _later(kind, "__init__", _init),
    }
    if repr:
        wanted["__repr__"] = _repr
    if eq:
        wanted["__eq__"] = _later(kind, "__eq__", _eq)
        wanted[_HASHED] = _later(kind, _HASHED, _hash) if frozen else None
    if frozen and slots:
        wanted |= {"__getstate__": _state, "__setstate__": _set_state}
    for name, value in wanted.items():
        if name not in defined:
            setattr(kind, name, value)
    if frozen:
        kind.__setattr__, kind.__delattr__ = _refuse_to_set, _refuse_to_delete
    return kind


def _fields(kind: Any, frozen: bool) -> dict[str, Field[Any]]:
    """The fields of a class, those of its bases first. Its attributes become the defaults."""
    listed: dict[str, Field[Any]] = {}
    for base in kind.__mro__[-1:0:-1]:
        inherited = vars(base).get(_FIELDS)
        if inherited is not None:
            if base.__dataclass_params__.frozen != frozen:
                raise TypeError(f"{kind.__name__} and {base.__name__} are not both frozen")
            listed |= inherited
    for name, annotation in vars(kind).get("__annotations__", {}).items():
        if str(annotation).startswith(("ClassVar", "typing.ClassVar")):
            continue
        default = vars(kind).get(name, MISSING)
        made: Any = default if isinstance(default, Field) else field(default=default)
        made.name, made.type, made.kw_only = name, annotation, False
        made._field_type = _PLAIN
        listed[name] = made
        if made.default is not MISSING:
            setattr(kind, name, made.default)
        elif default is not MISSING:
            delattr(kind, name)
    return listed


def _with_slots(kind: Any, listed: Mapping[str, Field[Any]]) -> Any:
    """The class anew, with slots for the fields that none of its bases has."""
    inherited = {name for base in kind.__mro__[1:-1] for name in vars(base).get("__slots__", ())}
    content = {name: value for name, value in vars(kind).items() if name not in listed}
    content["__slots__"] = tuple(name for name in listed if name not in inherited)
    for name in ("__dict__", "__weakref__"):
        content.pop(name, None)
    made = type(kind)(kind.__name__, kind.__bases__, content)
    made.__qualname__ = kind.__qualname__
    return made


def _later(kind: Any, name: str, text: Callable[[Any, Mapping[str, Field[Any]]], tuple[str, dict[str, Any]]]) -> Any:
    """A method that the first call puts another in place of: that of the source `text(kind, fields)`."""

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
        return make()(*values, **named)

    first.make_now = make  # type: ignore[attr-defined] # for `complete`
    return first


class _Made:
    """Stands in a signature for a default that is made anew."""

    def __repr__(self) -> str:
        return "<factory>"


_made = _Made()


def _init(kind: Any, listed: Mapping[str, Field[Any]]) -> tuple[str, dict[str, Any]]:
    given: dict[str, Any] = {"_set": object.__setattr__, "_made": _made}
    parameters, lines = ["self"], []
    for name, each in listed.items():
        value = name
        if each.default_factory is not MISSING:
            given[f"_new_{name}"] = each.default_factory
            value = f"_new_{name}() if {name} is _made else {name}" if each.init else f"_new_{name}()"
            parameters.append(f"{name}=_made")
        elif each.default is not MISSING:
            given[f"_default_{name}"] = each.default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        if not each.init:
            parameters.pop()
        if each.init or each.default_factory is not MISSING:
            frozen = kind.__dataclass_params__.frozen
            lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(kind, "__post_init__"):
        lines.append("self.__post_init__()")
    source = f"def __init__({', '.join(parameters)}): " + ("; ".join(lines) or "pass")
    annotations = {name: each.type for name, each in listed.items() if each.init} | {"return": None}
    return f"{source}\n __init__.__annotations__ = _annotations", given | {"_annotations": annotations}


def _compared(listed: Mapping[str, Field[Any]], owner: str) -> str:
    return "(" + "".join(f"{owner}.{name}," for name, each in listed.items() if each.compare) + ")"


def _eq(_kind: Any, listed: Mapping[str, Field[Any]]) -> tuple[str, dict[str, Any]]:
    same = f"{_compared(listed, 'self')} == {_compared(listed, 'other')}"
    return f"def __eq__(self, other): return {same} if other.__class__ is self.__class__ else NotImplemented", {}


def _hash(_kind: Any, listed: Mapping[str, Field[Any]]) -> tuple[str, dict[str, Any]]:
    return f"def __hash__(self): return hash({_compared(listed, 'self')})", {}


@recursive_repr("...")
def _repr(self: Any) -> str:
    parts = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(parts)})"


def _is_frozen(value: Any, name: str) -> bool:
    """Whether no attribute `name` of `value` may change: a class below a record may have others than its fields."""
    return _FIELDS in vars(type(value)) or name in getattr(value, _FIELDS)


def _refuse_to_set(self: Any, name: str, value: Any) -> None:
    if _is_frozen(self, name):
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _refuse_to_delete(self: Any, name: str) -> None:
    if _is_frozen(self, name):
        raise FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for each, value in zip(fields(self), state, strict=False):
        object.__setattr__(self, each.name, value)


@cache
def _params(frozen: bool, eq: bool, repr: bool) -> Any:
    """What the library notes of a class with these options."""
    return _noted(frozen, eq, repr).__dataclass_params__


def _noted(frozen: bool = True, eq: bool = False, repr: bool = False) -> Any:
    from dataclasses import dataclass as usual  # noqa: PLC0415 # the name is taken

    return usual(frozen=frozen, eq=eq, repr=repr)(type("Noted", (), {"__annotations__": {"field": int}}))


_PLAIN: Any = _noted().__dataclass_fields__["field"]._field_type
"""How the library marks a field that is neither of the class nor of its initialisation alone."""
