"""A model and the kernels as one piece of code: for the processor, or as the text that a GPU's driver takes (PTX)."""

from __future__ import annotations

from typing import Final

from everafter.engine.code.cache import cached
from everafter.engine.code.kernel_archive import Unfit, carried
from everafter.engine.code.machine import compile_text, linked, ptx_of
from everafter.engine.emit.module import Code
from everafter.engine.gpu.device_texts import CYCLE_ENTRIES, ENTRIES, gpu_text, processor_text
from everafter.engine.gpu.fitted_model import Fitted
from everafter.engine.run.kernel_code import Kernel, Tell, text_digest, text_of

_LEVEL: Final = 1


def gpu_kernel() -> Kernel:
    """Return what the kernels are: LLVM IR that is not optimised, since it is joined with a model first."""

    def build() -> str:
        from everafter.engine.gpu.gpu_kernels import build_kernels  # noqa: PLC0415 # Numba is needed only here

        return build_kernels()

    return Kernel("gpu kernels", build)


def kernels(tell: Tell) -> str:
    """Return the kernels as LLVM IR, built, with a message to `tell`, if the package does not carry them."""
    if isinstance(carried(), Unfit):
        return cached(f"gpu kernels {text_digest()}", lambda: text_of(gpu_kernel(), tell).encode()).decode()
    return text_of(gpu_kernel(), tell)


def processor_code(code: Code, tell: Tell) -> bytes:
    """Return object code of the model `code` and the kernels for this processor; `tell` gets messages."""
    parts = (kernels(tell), processor_text(), code.text)
    entries = (*ENTRIES, *CYCLE_ENTRIES)
    return cached("\n".join(("levels", *parts)), lambda: compile_text(linked(parts, entries), _LEVEL))


def gpu_code(fitted: Fitted, target: str, tell: Tell) -> bytes:
    """Return PTX of the model `fitted`, with a kernel for each entry, for a GPU of the kind `target`, such as sm_90.

    `tell` gets a message when kernels are built.
    """
    code = fitted.code
    text = gpu_text(fitted.entries, code.control_size, fitted.out, code.cleared, fitted.apart > 0)
    parts = (kernels(tell), text, code.text)
    names = [f"{name}_kernel" for name in fitted.entries]
    return cached("\n".join(("levels", target, *parts)), lambda: ptx_of(linked(parts, names), target))
