"""Stores in which functions are replaced: by a planted mistake, or by one that makes rare cases common.

Translating a whole store takes Numba many seconds, and all but what is replaced stays as it is. So the store is
translated once, and each replacement is linked into its text. Most searches over them are small: machine code is made
as quickly as LLVM can.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from numba.types import unliteral

from everafter.choices import StoreKind
from everafter.engine.code.compiler import joined_text, lowered
from everafter.engine.code.machine import Loaded, compile_text, linked
from everafter.engine.code.parts import Functions, replaced
from everafter.engine.columns import NARROW, WIDE
from everafter.engine.kernels.single_kernels import ALONE, NOTHING, called_alone, compiled_store
from everafter.engine.kernels.team_kernels import TOGETHER, called_by_workers


@dataclass(frozen=True, slots=True)
class WholeStore:
    """A store as it is: its functions as they were translated, and its text in LLVM's language."""

    functions: Functions
    translated: Mapping[str, Any]
    entries: tuple[str, ...]
    """The names of the functions that are called from outside."""
    text: str


def planted_store(
    replacing: Functions = NOTHING, kind: StoreKind = "plain", team: bool = False, level: int = 0
) -> Loaded:
    """Return the store of this `kind`, of a `team` or of one worker, with `replacing` in place of its own functions.

    LLVM optimises it by `level`.
    """
    return Loaded(compile_text(planted_text(replacing, kind, team), level))


def planted_text(replacing: Functions, kind: StoreKind, team: bool) -> str:
    """Return what `planted_store` makes machine code of, with its `replacing`, `kind` and `team`."""
    whole = whole_store(kind, team)
    changed = _translated(replaced(whole.functions, replacing), kind, team)
    text = whole.text
    added: list[str] = []
    for name in replacing:
        assert whole.translated[name].overloads, f"nothing in the store calls {name}"
        for types, before in whole.translated[name].overloads.items():
            changed[name].compile(types)
            after = changed[name].overloads[types]
            kinds = [each.signature.return_type for each in (before, after)]
            assert unliteral(kinds[0]) == unliteral(kinds[1]), f"{name} returns {kinds[1]}, not {kinds[0]}"
            old, new = before.fndesc.llvm_func_name, after.fndesc.llvm_func_name
            text = _without(text, old)
            added.append(_named(lowered([new]), new, old))
    return linked([text, *added], whole.entries)


@cache
def whole_store(kind: StoreKind, team: bool) -> WholeStore:
    """Return the store of this `kind`, of a team or of one worker, as it is."""
    functions = TOGETHER[kind] if team else ALONE[kind]
    translated = _translated(functions, kind, team)
    entries = called_by_workers(translated) if team else called_alone(translated)
    return WholeStore(functions, translated, tuple(entries), joined_text(entries))


def _translated(functions: Functions, kind: StoreKind, team: bool) -> dict[str, Any]:
    width = WIDE if kind == "packed" else NARROW
    return compiled_store(functions, width, sets=False, store=kind, colours="monotonic" if team else "")


def _without(text: str, name: str) -> str:
    """Return `text`, in which the function `name` is declared and no longer defined."""
    found = re.search(
        rf'^define [^@\n]*@"?{re.escape(name)}"?\((.*)\)[^()\n]*\{{\n(?:[^}}].*\n|\n)*\}}\n', text, re.MULTILINE
    )
    assert found is not None, name
    return text[: found.start()] + f'declare i32 @"{name}"({found[1]})\n' + text[found.end() :]


def _named(text: str, old: str, new: str) -> str:
    """Return `text`, in which the function `old` has the name `new`."""
    return re.sub(rf'@"?{re.escape(old)}"?(?![\w.])', f'@"{new}"', text)
