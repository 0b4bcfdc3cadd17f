"""Nothing in a tree, a program or a layout can be changed: every part that can be reached refuses it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import FrozenInstanceError, dataclass, fields, is_dataclass
from enum import Enum
from types import MappingProxyType, ModuleType
from typing import Any

import pytest
from oracles.corpus import EXAMPLES
from tests.program.reachable import program_of
from tests.pymodel.models import process_of

from everafter.program import control_flow, layout, program, storage
from everafter.program.layout import layout_of
from everafter.promela import model, units
from everafter.promela.units import Needs
from everafter.user_model import model_of

EVERYTHING = """
#define SMALL 2
mtype = { red, green }; mtype:fruit = { apple };
typedef Pair { byte left; chan right = [1] of { byte } };
Pair pair; hidden byte h; unsigned u : 3; chan q = [SMALL] of { byte, Pair }; byte a[2] = { 1, 2 };
proctype Q(byte n) provided (u == 0) { xr q; byte m; Pair p; q??n, eval(m), p; q?<n, m, p>; end: skip }
active proctype P() priority 2 {
    int i = 3; Pair late;
    run Q(1) priority 3; q!1, pair; q!!1, pair; set_priority(_pid, 2); assert(a[0] == 1); printf("%d", i);
    L: if :: q?[1, _, _] -> goto L :: goto L :: else -> skip fi;
    do :: i < (len(q) > 0 -> 1 : 2) -> i++; Pair later :: timeout -> break od;
    { i = -i } unless { enabled(1) && full(q) };
    d_step { if :: i == 1 -> i = 2 :: else fi; i = 3 };
    atomic { Q[1]@end; Q[1]:m == 1 }
}
never { do :: np_ || _last == 1 :: else -> break od }
trace { do :: q!_, _, _ :: q?_, _, _ od }
ltl soon { <> (a[1] == green) }
"""
"""A text with every kind of part."""
_PLAIN = (str, int, bytes, type(None), Enum)


def parts(root: object) -> Iterator[object]:
    """Everything that can be reached from here, each object once."""
    seen: dict[int, object] = {}
    pending = [root]
    while pending:
        part = pending.pop()
        if id(part) in seen or isinstance(part, _PLAIN):
            continue
        seen[id(part)] = part
        yield part
        if is_dataclass(part):
            pending += [getattr(part, item.name) for item in fields(part)]
        elif isinstance(part, MappingProxyType):
            pending += [*part.keys(), *part.values()]
        elif isinstance(part, tuple | frozenset | list | set):
            pending += list(part)


def can_change(part: Any) -> bool:
    """Whether an attempt to change a part succeeds, or it is of a kind of which nothing is known."""
    match part:
        case tuple() | frozenset():
            return False
        case MappingProxyType():
            return hasattr(part, "__setitem__")
        case _ if is_dataclass(part):
            return any(_can_set(part, item.name) for item in fields(part))
        case _:
            return True


def _can_set(part: Any, name: str) -> bool:
    try:
        setattr(part, name, getattr(part, name))
    except FrozenInstanceError:
        return False
    return True


def roots(text: Any) -> tuple[object, ...]:
    """A tree with the program and the layout made of it."""
    built = program_of(text)
    return built.model, built, layout_of(built)


@pytest.mark.parametrize("text", [EVERYTHING, *EXAMPLES], ids=lambda text: getattr(text, "stem", "everything"))
def test_nothing_that_can_be_reached_can_be_changed(text: Any) -> None:
    assert [part for part in parts(roots(text)) if can_change(part)] == []


def classes(module: ModuleType) -> set[type]:
    """The public dataclasses of a module."""
    found = (item for name, item in vars(module).items() if isinstance(item, type) and not name.startswith("_"))
    return {item for item in found if is_dataclass(item) and item.__module__ == module.__name__}


def test_every_kind_of_part_has_been_tried() -> None:
    python = model_of(process_of("for i in range(2):", "    if self.b:", "        break", "    self.x += 1")).program
    tried = {type(part) for part in parts((*roots(EVERYTHING), python.model.proctypes))}
    for module in (model, units, control_flow, storage, program, layout):
        assert classes(module) - tried == set()


@dataclass(slots=True)
class Loose:
    """A part that can be changed."""

    needs: Needs


@pytest.mark.parametrize("loose", [[1], {1: 2}, {1}, Loose(Needs())])
def test_a_part_that_can_be_changed_is_found(loose: object) -> None:
    assert any(can_change(part) for part in parts((1, MappingProxyType({"a": loose}))))
