"""Numba as a translator from Python functions over numbers to LLVM IR, and no more.

Numba would also link, optimise and make machine code of every single function, most of the time of a build. Here each
function is only lowered to IR; all of them are linked, inlined and optimised together, once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numba
from llvmlite import binding
from numba import types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

from everafter.engine.code.machine import finished
from everafter.engine.code.portable_text import LIBRARY, portable

Entries = Mapping[str, tuple[Any, int]]
"""The functions of an object by name, with the number of their arguments."""

_lowered: dict[str, str] = {}  # all that was lowered in this process: the IR of each function, by its name in IR


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowered(NativeLowering):  # type: ignore[misc] # Numba has no types
    """Lower to IR, and let callers refer to the function by its name only."""

    _name = "everafter_lowered"

    def run_pass(self, state: Any) -> bool:
        """Lower the function."""
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        own: list[None] = []
        token = own.append  # stands for the machine code never made: any built-in function that no other equals
        state.targetctx.insert_user_function(token, lowered.fndesc, [])
        state["cr"] = lowered._replace(cfunc=token)
        _lowered[lowered.fndesc.llvm_func_name] = state.library.get_llvm_str()
        for library in state.library._linking_libraries:  # Numba's own functions, as min and max
            code = str(library._get_module_for_linking())
            _lowered.update(dict.fromkeys((each.name for each in library.get_defined_functions()), code))
        return True


class _Pipeline(CompilerBase):  # type: ignore[misc]
    """Numba's own passes, the last of them replaced."""

    def define_pipelines(self) -> list[Any]:
        """The passes."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(_Lowered if each is NativeLowering else each, text) for each, text in passes.passes]
        return [passes]


OPTIONS = {
    "pipeline_class": _Pipeline,
    "_nrt": False,
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}


def function(text: Callable[..., Any], inline: bool = True) -> Any:
    """Return `text` as a function that others which are translated can call, and inline if `inline`."""
    return numba.njit(text, forceinline=inline, **OPTIONS)


def object_code(**entries: tuple[Any, int]) -> bytes:
    """Return an object with a function for each of `entries`, and all that these need. They are called as in C.

    Each entry comes with the number of its arguments. They take and return signed 64-bit numbers.
    """
    return finished(object_text(entries))


def object_text(entries: Entries) -> str:
    """Return the text that `object_code` makes the object of `entries` of, which a package can carry."""
    return portable(joined_text(entries), entries)


def joined_text(entries: Entries, elsewhere: Collection[str] = ()) -> str:
    """Return `entries` as `object_code` takes them as LLVM IR, without the functions named `elsewhere`."""
    wrappers: list[str] = []
    for name, (entry, arguments) in entries.items():
        entry.compile((types.int64,) * arguments)
        (result,) = entry.overloads.values()
        wrappers.append(_wrapper(result.fndesc.llvm_func_name, name, arguments))
    return _closed(binding.parse_assembly("\n".join(wrappers)), entries, elsewhere)


def lowered(names: Collection[str]) -> str:
    """Return the functions called `names` in LLVM IR, which were lowered before, with all that these need."""
    return _closed(binding.parse_assembly("\n".join(_lowered[each] for each in names)), names)


def _closed(module: Any, entries: Collection[str], elsewhere: Collection[str] = ()) -> str:
    """The text of the module with all that it calls, but for the functions `elsewhere`; `entries` can be called."""
    missing = _missing(module, elsewhere)
    while missing:
        for each in missing:
            module.link_in(binding.parse_assembly(_lowered[each]))
        missing = _missing(module, elsewhere)
    for each in module.functions:
        if not each.is_declaration and each.name not in entries:
            each.linkage = "internal"
    return str(module)


def _missing(module: Any, elsewhere: Collection[str]) -> list[str]:
    """The functions that the module calls and has not, beside those of LLVM, the C library and elsewhere."""
    names = [each.name for each in module.functions if each.is_declaration]
    return [name for name in names if not name.startswith("llvm.") and name not in (*LIBRARY, *elsewhere)]


def _wrapper(inner: str, name: str, arguments: int) -> str:
    """A function called as in C around one called as Numba does: the result through a pointer, a status returned."""
    kinds = ", ".join(f"i64 %a{number}" for number in range(arguments))
    return f"""
declare i32 @{inner}(ptr, ptr{", i64" * arguments})
define i64 @{name}({kinds}) {{
  %result = alloca i64
  %status = call i32 @{inner}(ptr %result, ptr null, {kinds})
  %value = load i64, ptr %result
  ret i64 %value
}}
"""
