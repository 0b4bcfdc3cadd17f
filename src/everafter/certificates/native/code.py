"""The code that writes and decides rows, from the cache if the same text was compiled before."""

from __future__ import annotations

from everafter.engine.code.machine import Loaded
from everafter.engine.run.kernel_code import Tell, loaded, say_nothing


def certificate_code(width: int, tell: Tell = say_nothing) -> Loaded:
    """Return the code for numbers of components of `width` bytes; `tell` is given a line where it has to be built."""

    def make() -> bytes:
        from everafter.certificates.native.kernels import build_certificates  # noqa: PLC0415 # Numba is needed only here

        return build_certificates(width)

    return loaded(f"certificates {width}", make, tell)
