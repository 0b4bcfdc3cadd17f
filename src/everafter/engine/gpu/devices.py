"""Which machine runs the kernels here."""

from __future__ import annotations

import os
from functools import cache
from typing import Final

from everafter.engine.gpu.device import Machine
from everafter.engine.gpu.driver import Gpu, GpuError
from everafter.engine.gpu.processor import Processor

VARIABLE: Final = "EVERAFTER_GPU"
"""Where this variable is `cpu`, threads of the processor run what a GPU would."""


def machine_here() -> Machine:
    """Return the machine that runs the kernels. Raises GpuError where there is none."""
    return Processor() if os.environ.get(VARIABLE) == "cpu" else _gpu()


def missing() -> str | None:
    """Return why there is no machine, None if there is one."""
    try:
        machine_here()
    except GpuError as error:
        return str(error)
    return None


@cache
def _gpu() -> Gpu:
    return Gpu()
