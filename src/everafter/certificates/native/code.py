"""The code that writes and decides rows, made of the text that this package carries, or from the cache."""

from __future__ import annotations

from everafter.engine.code.machine import Loaded
from everafter.engine.run.kernel_code import Kernel, Tell, loaded, say_nothing


def certificate_code(width: int, tell: Tell = say_nothing) -> Loaded:
    """Return the code for numbers of components of `width` bytes; `tell` is given a line where it has to be built."""
    return loaded(certificate_kernel(width), tell)


def certificate_kernel(width: int) -> Kernel:
    """Return what the code for numbers of components of `width` bytes is made of."""

    def build() -> str:
        from everafter.certificates.native.kernels import certificate_entries  # noqa: PLC0415 # Numba only here
        from everafter.engine.code.compiler import object_text  # noqa: PLC0415

        return object_text(certificate_entries(width))

    return Kernel(f"certificates {width}", build)
