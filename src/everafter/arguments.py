"""What the public functions and classes are given, compared with what their signatures say: in one place, for all.

    guard(globals(), __all__)        at the end of a module whose names are public

A wrong type is an `OptionError`, which names the parameter, what it takes and what was given; without it, something
deep inside would fail, or nothing would until much later. Values that have no meaning are refused where they are used.
"""

from __future__ import annotations

import inspect
import reprlib
import types
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from itertools import chain, repeat
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from everafter.record import complete
from everafter.source import OptionError, closest

Fits = Callable[[Any], bool]
"""Whether a value is of a type."""
_NAMES: Final = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "True or False",
    type(None): "None",
    bytes: "bytes",
}
_MOST_TOLD: Final = 5
_GUARDED: Final = "_everafter_guarded"


def guard(namespace: dict[str, Any], names: Iterable[str], methods: bool = False) -> None:
    """Let the functions and classes of these names, in a module's namespace, refuse arguments of a wrong type.

    `methods`: so do the public methods of these classes. Those of automata and graphs are called too often for that.
    """
    for name in names:
        value = namespace[name]
        if inspect.isfunction(value):
            namespace[name] = guarded(value, name)
        elif inspect.isclass(value) and value.__module__.startswith("everafter."):
            _guard_class(value, methods)


def guarded(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return `function`, known to users as `name`, as one that refuses arguments of a wrong type.

    It is the same function if it takes any argument.
    """
    if hasattr(function, _GUARDED):
        return function
    checks: list[tuple[str, Any, Fits]] = []
    gathering: list[int] = []  # which parameter takes all further values, if one does

    def compiled() -> list[tuple[str, Any, Fits]]:
        if not checks:  # at the first call: then all that the annotations name is loaded
            hints = get_type_hints(function)
            parameters = inspect.signature(function).parameters
            found = [(each, hints.get(each, Any)) for each in parameters]
            checks.extend((each, hint, fits(hint)) for each, hint in found)
            kinds = [each.kind for each in parameters.values()]
            gathering.extend(i for i, kind in enumerate(kinds) if kind is inspect.Parameter.VAR_POSITIONAL)
        return checks

    @wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        expected = compiled()
        for (parameter, hint, is_fit), value in zip(_by_position(expected, gathering), given, strict=False):
            if not is_fit(value):
                raise _refused(parameter, name, hint, value)
        if named:
            for parameter, hint, is_fit in expected:
                if parameter in named and not is_fit(named[parameter]):
                    raise _refused(parameter, name, hint, named[parameter])
        return function(*given, **named)

    setattr(called, _GUARDED, True)
    return called


def _by_position(expected: list[tuple[str, Any, Fits]], gathering: list[int]) -> Iterable[tuple[str, Any, Fits]]:
    """What each value in its place must be."""
    return chain(expected[: gathering[0]], repeat(expected[gathering[0]])) if gathering else expected


def _guard_class(kind: Any, methods: bool) -> None:
    """Guard how values of a class are made, and its public methods."""
    complete(kind)
    makers = {"__new__"} if issubclass(kind, tuple) else {"__init__"}
    for name, member in list(vars(kind).items()):
        is_public = name in makers or (methods and not name.startswith("_"))
        if is_public and inspect.isfunction(member) and len(inspect.signature(member).parameters) > 1:
            setattr(kind, name, guarded(member, kind.__name__ if name in makers else f"{kind.__name__}.{name}"))


def _refused(parameter: str, name: str, hint: Any, value: Any) -> OptionError:
    """The error that says what was expected, and what was given."""
    options = [each for each in get_args(hint) if get_origin(hint) is Literal] or [
        each for part in get_args(hint) if get_origin(part) is Literal for each in get_args(part)
    ]
    if options and isinstance(value, str):
        return OptionError(
            f"there is no {parameter} {value!r}",
            closest(value, options) or f"choose one of {', '.join(options)}",
        )
    return OptionError(f"{parameter} of {name} is {described(hint)}, not {_shown(value)}")


def _shown(value: Any) -> str:
    """A value and its type, in a few words."""
    try:
        text = reprlib.repr(value)
    except Exception:  # what others have written may do anything when it is shown
        text = "something"
    return f"{text} ({type(value).__name__})"


# Types in words


def described(hint: Any) -> str:
    """What a type takes, in words."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint in _NAMES:
        return _NAMES[hint]
    if origin in (Union, types.UnionType):
        words = list(dict.fromkeys(map(described, inner)))
        return " or ".join(words if len(words) <= _MOST_TOLD else [words[0], "…", words[-1]])
    if origin is Literal:
        return " or ".join(map(repr, inner))
    if origin is tuple:
        return f"a tuple of: {', '.join(described(each) for each in inner if each is not Ellipsis)}"
    kind = origin or hint
    if kind in (Callable, _ABSTRACT_CALLABLE):
        return "a function"
    if isinstance(kind, type) and issubclass(kind, Mapping):
        return f"a mapping from {described(inner[0])} to {described(inner[1])}" if inner else "a mapping"
    if isinstance(kind, type) and issubclass(kind, Iterable) and inner:
        return f"a {kind.__name__.lower()} of: {', '.join(map(described, inner))}"
    if not isinstance(kind, type) or kind in (Any, object):
        return "anything"
    return f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}"


# Types as questions


def fits(hint: Any) -> Fits:
    """The question whether a value is of a type."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _any_of(inner)
    if origin is Literal:
        return lambda value: isinstance(value, str | int) and value in inner
    if origin is tuple:
        return _tuple_of(inner)
    kind = origin or hint
    if kind in (Callable, _ABSTRACT_CALLABLE):
        return callable
    if not isinstance(kind, type) or kind in (Any, object):
        return _anything
    if kind is float:
        return lambda value: isinstance(value, int | float) and not isinstance(value, bool)
    if kind is int:
        return lambda value: isinstance(value, int) and not isinstance(value, bool)
    if getattr(kind, "_is_protocol", False):
        return _with_members(kind)
    return _of_class(kind, [fits(each) for each in inner])


_ABSTRACT_CALLABLE: Final = get_origin(Callable[[], None])


def _anything(_value: Any) -> bool:
    return True


def _any_of(hints: tuple[Any, ...]) -> Fits:
    """Whether a value is of one of these types: classes are tested together, as there are many of formulas."""
    classes = tuple(each for each in hints if _is_simple(each))
    others = [fits(each) for each in hints if not _is_simple(each)]
    if _anything in others:
        return _anything
    return lambda value: isinstance(value, classes) or any(each(value) for each in others)


def _is_simple(hint: Any) -> bool:
    """Whether a value is of the type exactly if it is an instance of it."""
    is_class = isinstance(hint, type) and get_origin(hint) is None
    return is_class and hint not in (Any, object, int, float) and not getattr(hint, "_is_protocol", False)


def _tuple_of(inner: tuple[Any, ...]) -> Fits:
    if len(inner) == 2 and inner[1] is Ellipsis:
        one = fits(inner[0])
        return lambda value: isinstance(value, tuple) and (one is _anything or all(map(one, value)))
    questions = [fits(each) for each in inner]
    return lambda value: (
        isinstance(value, tuple)
        and len(value) == len(questions)
        and all(each(part) for each, part in zip(questions, value, strict=True))
    )


def _with_members(protocol: type) -> Fits:
    """Whether a value has what a protocol asks for."""
    parts = [each for each in protocol.__mro__ if getattr(each, "_is_protocol", False)]
    members = [name for each in parts for name in vars(each) if not name.startswith("_")]
    return lambda value: all(hasattr(value, name) for name in members)


def _of_class(kind: type, inner: list[Fits]) -> Fits:
    """Whether a value is of a class, and so are its elements, where to look at them does not use them up."""
    if not inner or not issubclass(kind, Collection) or all(each is _anything for each in inner):
        return lambda value: isinstance(value, kind)
    if issubclass(kind, Mapping):
        key, content = inner
        return lambda value: isinstance(value, kind) and all(key(a) and content(b) for a, b in value.items())
    one = inner[0]
    return lambda value: isinstance(value, kind) and (one(value) if isinstance(value, str) else all(map(one, value)))
