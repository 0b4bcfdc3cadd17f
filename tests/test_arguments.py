"""Whatever a public function, method or class is given of a wrong type, it says so, and by one tree of exceptions."""

from __future__ import annotations

import inspect
import re
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, get_args, get_origin

import pytest
from tests.test_api import SAFE

import everafter
from everafter import EverafterError, InputError, OptionError, ltl, search
from everafter.arguments import described, fits, guard

ANYTHING: Final = "anything"


class Strange:
    """Fits no parameter, and cannot even be shown."""

    def __hash__(self) -> int:
        raise TypeError

    def __repr__(self) -> str:
        raise ZeroDivisionError


WRONG: Final = (
    Strange(),
    5,
    2.5,
    "a word\0",
    b"bytes",
    None,
    True,
    [Strange()],
    {"a": Strange()},
    (Strange(),),
    object,
)
Called = tuple[str, Callable[..., Any]]


def public() -> Iterator[Called]:
    """All that can be called: functions, classes, and methods of classes, by name."""
    for module, methods in ((everafter, True), (ltl, False), (search, False)):
        for name in module.__all__:
            value = getattr(module, name)
            where = f"{module.__name__}.{name}"
            if inspect.isfunction(value):
                yield where, value
            elif inspect.isclass(value) and not getattr(value, "_is_protocol", False) and has_parameters(value):
                yield where, value
                for each, member in vars(value).items() if methods else ():
                    if inspect.isfunction(member) and not each.startswith("_"):
                        yield f"{where}.{each}", member


def parameters(called: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of a function that takes any, of which some have a type."""
    try:
        found = list(inspect.signature(called).parameters.values())
    except ValueError:
        return []
    return [each for each in found if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD) and each.name != "self"]


def has_parameters(kind: type) -> bool:
    """Whether a class says itself what it is made of; a tuple of anything does not."""
    return not issubclass(kind, tuple) or "__new__" in vars(kind)


PUBLIC: Final = dict(public())


def hints_of(called: Callable[..., Any]) -> Mapping[str, Any]:
    maker = called
    if inspect.isclass(called):
        maker = called.__new__ if issubclass(called, tuple) else called.__init__
    return {name: hint for name, hint in inspect.get_annotations(maker, eval_str=True).items() if name != "return"}


@pytest.mark.parametrize("name", PUBLIC)
def test_every_parameter_refuses_what_is_not_of_its_type(name: str) -> None:
    """Each by itself: what is said is about this one, whatever else was given, and nothing else is done before."""
    called = PUBLIC[name]
    taken = parameters(called)
    hints = hints_of(called) if taken else {}
    for parameter in taken:
        hint = hints[parameter.name]
        is_fit = fits(hint)
        wrong = [value for value in WRONG if not is_fit(value)]
        assert wrong or ANYTHING in described(hint)
        for value in wrong:
            begin = time.monotonic()
            with pytest.raises(OptionError) as refused:
                _give(called, taken, parameter, value)
            said = str(refused.value)
            assert re.match(rf"{parameter.name} of [\w.]+ is |there is no {parameter.name} ", said), said
            assert "\0" not in said
            assert time.monotonic() - begin < 1


def _give(
    called: Callable[..., Any], taken: list[inspect.Parameter], asked: inspect.Parameter, value: object
) -> object:
    """Call it with a wrong value for one parameter, and for all that it must have besides values of their types."""
    hints = hints_of(called)
    given: list[object] = [object()] if _is_method(called) else []
    named = {}
    for each in taken:
        if each is asked or each.default is each.empty:
            content = value if each is asked else _fitting(hints[each.name])
            if each.kind is each.KEYWORD_ONLY or len(given) < taken.index(each) + _is_method(called):
                named[each.name] = content
            else:
                given.append(content)
    return called(*given, **named)


def _is_method(called: Callable[..., Any]) -> bool:
    return inspect.isfunction(called) and next(iter(inspect.signature(called).parameters), "") == "self"


def _fitting(hint: Any) -> object:
    """A value of a type, made without any of its parts."""
    usual: tuple[Any, ...] = (
        5,
        2.5,
        "word",
        True,
        None,
        (),
        {},
        frozenset(),
        len,
        search.ExplicitGraph({}, []),
        ltl.TRUE,
    )
    for value in (*usual, *get_args(hint)):
        if fits(hint)(value):
            return value
    kind = get_origin(hint) or hint
    made = type("Made", (kind,), {"__abstractmethods__": frozenset()})
    made.__abstractmethods__ = frozenset()  # type: ignore[attr-defined]
    return tuple.__new__(made) if issubclass(kind, tuple) else object.__new__(made)


def test_what_is_said_names_what_was_expected_and_what_was_given() -> None:
    model = everafter.load(SAFE)
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: model.check(limits=5), "limits of Model.check is a Limits or None, not 5 (int)"),  # type: ignore[arg-type]
        (lambda: everafter.load(5), "path of load is a text or a Path, not 5 (int)"),  # type: ignore[arg-type]
        (lambda: ltl.Not("p"), "operand of Not is a Constant or … or an Or, not 'p' (str)"),  # type: ignore[arg-type]
        (lambda: model.check(fairness="wek"), "there is no fairness 'wek'; did you mean 'weak'?"),  # type: ignore[arg-type]
        (
            lambda: everafter.Request(formulas=[5]),  # type: ignore[list-item]
            "formulas of Request is a sequence of: a text, not [5] (list)",
        ),
        (
            lambda: everafter.parse("", defines=[1]),  # type: ignore[arg-type]
            "defines of parse is a mapping from a text to anything or None, not [1] (list)",
        ),
    ]
    for call, said in cases:
        with pytest.raises(OptionError) as refused:
            call()
        assert str(refused.value) == said


@pytest.mark.parametrize(
    "call",
    [
        lambda: everafter.load("\0"),
        lambda: everafter.load("\ud800"),
        lambda: everafter.load(SAFE, never="\0"),
        lambda: everafter.parse('#include "\0"'),
        lambda: everafter.parse("\ud800"),
        lambda: everafter.load(SAFE).check("\ud800"),
        lambda: everafter.load(SAFE).check("\0"),
        lambda: everafter.Limits(disk="\0"),
        lambda: everafter.Limits(memory=1 << 70),
        lambda: everafter.Limits(states=1 << 70),
        lambda: everafter.Limits(seconds=float("nan")),
        lambda: everafter.Request(checkpoint="\0"),
        lambda: everafter.Request(cluster="\0"),
        lambda: everafter.simulate(everafter.load(SAFE), steps=-1),
        lambda: search.parallel_nested_dfs(search.ExplicitGraph({1: [1]}, [1]), workers=0),
        lambda: search.parallel_nested_dfs(search.ExplicitGraph({1: [1]}, [1]), algorithm="x"),
        lambda: ltl.And([ltl.TRUE]),  # type: ignore[arg-type] # no tuple, which could not be told before it was hashed
    ],
)
def test_values_that_nothing_can_be_done_with(call: Callable[[], object]) -> None:
    with pytest.raises((OptionError, InputError)):
        call()


@pytest.mark.parametrize("seconds", [float("inf"), 1e300, 1e9, 3e9])
def test_a_limit_beyond_all_clocks_is_none(seconds: float) -> None:
    assert everafter.load(SAFE).check(limits=everafter.Limits(seconds=seconds, memory=1 << 62, states=1 << 62))


def test_one_folder_of_included_files_may_stand_alone(tmp_path: Path) -> None:
    (tmp_path / "part.h").write_text("#define N 1\n")
    (tmp_path / "model.pml").write_text('#include "part.h"\nactive proctype P() { assert(N) }')
    assert everafter.load(tmp_path / "model.pml", include=str(tmp_path)).check()


def test_what_is_guarded_stays_what_it_was() -> None:
    def double(number: int, *, times: int = 2) -> int:
        return number * times

    namespace: dict[str, Any] = {"double": double}
    guard(namespace, ["double"])
    guard(namespace, ["double"])
    assert (namespace["double"](3), namespace["double"](3, times=4)) == (6, 12)
    assert inspect.signature(namespace["double"]) == inspect.signature(double)
    assert namespace["double"].__wrapped__ is double
    with pytest.raises(TypeError):
        namespace["double"]()
    assert issubclass(OptionError, EverafterError)
