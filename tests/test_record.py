"""Records are what the standard library makes of the same classes, only later."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import inspect
import pickle
import pkgutil
from dataclasses import FrozenInstanceError
from typing import Any, ClassVar

import pytest

import everafter
from everafter import record
from everafter.record import asdict, complete, dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Point:
    """A place."""

    x: int
    y: int = 2
    names: list[str] = field(default_factory=list)
    note: str = field(default="", compare=False, repr=False)
    both: ClassVar[int] = 7


@dataclass(frozen=True, slots=True)
class Solid(Point):
    """A place in a room."""

    z: float = 0.5

    def __hash__(self) -> int:
        return 5


@dataclass
class Counter:
    """May change."""

    start: int
    now: int = field(init=False)

    def __post_init__(self) -> None:
        self.now = self.start


class Noted(Point):
    """A class below a record that is none itself, and has an attribute of its own."""

    def __init__(self) -> None:
        super().__init__(1)
        self.seen: list[int] = []


def _is_made(value: object) -> bool:
    """Whether a method is one that a decorator has made."""
    code = getattr(value, "__code__", None)
    return hasattr(value, "make_now") or (code is not None and code.co_filename in ("<string>", record.__file__))


def _by_the_library(kind: Any) -> Any:
    """The class as the standard library makes it."""
    own = vars(kind)
    annotations = own.get("__annotations__", {})
    left_out = {"__init__", "__dict__", "__weakref__", "__slots__", "__match_args__"}
    left_out |= {"__dataclass_fields__", "__dataclass_params__", *annotations}
    content = {name: value for name, value in own.items() if name not in left_out and not _is_made(value)}
    if content.get("__hash__", 0) is None:
        del content["__hash__"]
    for name in annotations:
        each = own["__dataclass_fields__"].get(name)
        if each is None:
            content[name] = own[name]
        else:
            words = ("default", "default_factory", "init", "repr", "compare", "metadata")
            content[name] = dataclasses.field(**{word: getattr(each, word) for word in words})
    params = own["__dataclass_params__"]
    twin = type(kind)(kind.__name__, kind.__bases__, content)
    twin.__qualname__ = kind.__qualname__
    options = {"frozen": params.frozen, "eq": params.eq, "repr": params.repr, "slots": "__slots__" in own}
    return dataclasses.dataclass(**options)(twin)


def _stated(kind: Any) -> dict[str, Any]:
    """What can be seen of a record without a value of it."""
    complete(kind)
    names = ("__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__", "__getstate__", "__setstate__")
    attributes = ("__slots__", "__match_args__", "__qualname__", "__module__")
    fields = [
        (each.name, each.type, each.default, each.init, each.repr, each.compare) for each in dataclasses.fields(kind)
    ]
    params = vars(kind)["__dataclass_params__"]
    return {
        "fields": fields,
        "own": {name: vars(kind)[name] is None for name in names if name in vars(kind)},
        "params": [getattr(params, name) for name in ("init", "repr", "eq", "order", "unsafe_hash", "frozen")],
        "signature": str(inspect.signature(kind)),
        **{name: vars(kind).get(name) for name in attributes},
    }


def _every_record() -> list[Any]:
    found: dict[Any, None] = {}
    for each in pkgutil.walk_packages(everafter.__path__, "everafter."):
        module = importlib.import_module(each.name)
        for value in vars(module).values():
            if isinstance(value, type) and value.__module__ == each.name and "__dataclass_fields__" in vars(value):
                found[value] = None
    return list(found)


def test_every_record_is_as_the_library_makes_it() -> None:
    every = _every_record()
    assert len(every) > 300
    for kind in every:
        assert _stated(kind) == _stated(_by_the_library(kind)), kind


def test_values_are_compared_shown_copied_and_frozen() -> None:
    one = Point(1, names=["a"], note="n")
    assert one == Point(1, 2, ["a"], "other")
    assert one != Point(1)
    assert one.__eq__((1, 2, ["a"], "n")) is NotImplemented
    assert repr(one) == "Point(x=1, y=2, names=['a'])"
    assert Point(1).names is not Point(1).names
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == replace(one, note="") == one
    assert asdict(one) == {"x": 1, "y": 2, "names": ["a"], "note": "n"}
    assert {replace(one, names=()): 1} == {Point(1, names=()): 1}  # type: ignore[arg-type] # hashable
    with pytest.raises(FrozenInstanceError):
        one.x = 3  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del one.x
    with pytest.raises(AttributeError):
        object.__setattr__(one, "w", 1)
    with pytest.raises(TypeError, match=r"Point\.__init__\(\) missing 1 required positional argument: 'x'"):
        Point()  # type: ignore[call-arg]
    match one:
        case Point(x, y):
            assert (x, y) == (1, 2)


def test_records_inherit_and_may_change() -> None:
    solid = Solid(1, z=2.0)
    assert (solid.y, solid.z, solid.both, hash(solid)) == (2, 2.0, 7, 5)
    assert solid != Point(1)
    counter = Counter(3)
    counter.start = 4
    assert repr(counter) == "Counter(start=4, now=3)"
    with pytest.raises(TypeError, match="unhashable"):
        hash(counter)
    with pytest.raises(TypeError, match="not both frozen"):
        dataclass(type("Loose", (Point,), {}))
    noted = Noted()
    noted.seen = [1]
    del noted.seen
    with pytest.raises(FrozenInstanceError):
        noted.x = 3  # type: ignore[misc]


def _told(make: Any, *given: Any, **named: Any) -> str:
    try:
        return repr(make(*given, **named))
    except TypeError as error:
        return str(error)


def _pair() -> Any:
    made: Any = type("Pair", (), {"__annotations__": {"a": int, "b": int}, "b": 3})
    return dataclass(frozen=True)(made)


def test_the_methods_are_the_same_before_and_after_they_are_compiled() -> None:
    new, done = _pair(), _pair()
    complete(done)
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((1,), {}),
        ((1, 2), {}),
        ((), {"b": 1, "a": 2}),
        ((1,), {"b": 4}),
        ((1, 2, 3), {}),
        ((1,), {"a": 1}),
        ((1,), {"c": 1}),
        ((), {"b": 1}),
    ]
    for given, named in calls:
        fresh = _pair()
        assert _told(fresh, *given, **named) == _told(done, *given, **named)
    for number in range(40):  # in the midst of these its methods are compiled
        value, same = new(number % 3), new(number % 3, 3)
        assert value == same
        assert hash(value) == hash(same) == hash(done(number % 3))
        assert value != new(7)
        assert value.__eq__(done(number % 3)) is NotImplemented
