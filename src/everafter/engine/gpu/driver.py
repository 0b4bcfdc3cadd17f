"""An NVIDIA GPU as a machine that runs the kernels, through its driver alone: libcuda, called by ctypes."""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
from collections.abc import Iterable
from functools import cache
from typing import Any, Final

from everafter.engine.gpu.device_code import gpu_code
from everafter.engine.gpu.fitted_model import Fitted
from everafter.engine.run.kernel_code import Tell
from everafter.source import EverafterError

_LIBRARIES: Final = ("nvcuda.dll",) if sys.platform == "win32" else ("libcuda.so.1", "libcuda.so")
_TARGETS: Final = (70, 75, 80, 86, 89, 90)
"""The kinds of GPU that code is made for; a newer one takes that of an older one."""
_OUT_OF_MEMORY: Final = 2
_MULTIPROCESSORS, _MAJOR, _MINOR = 16, 75, 76
"""Numbers of a device's attributes."""
_REGISTERS, _LOCAL_BYTES = 4, 3
"""Numbers of a function's attributes."""
_MOST_THREADS: Final = 2048
"""How many threads a multiprocessor can have at once."""
_MAX_REGISTERS: Final = 0
"""The number of the option that says how many registers a thread may have."""


class GpuError(EverafterError):
    """The driver refuses something."""


class Gpu:
    """The first GPU of this computer. Raises GpuError where there is none."""

    first_slots = 1 << 26
    turns = 20_000
    slice = 1 << 22
    block = 256
    """Threads of a block."""
    registers = 0
    """How many registers a thread may have; 0 for as many as it wants."""

    def __init__(self) -> None:
        self._cuda = _library()
        self.call("cuInit", 0)
        device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self._device = device.value
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, len(name), self._device)
        self.name = name.value.decode(errors="replace")
        self.multiprocessors = self._attribute(_MULTIPROCESSORS)
        kind = 10 * self._attribute(_MAJOR) + self._attribute(_MINOR)
        if kind < _TARGETS[0]:
            raise GpuError(f"{self.name} is too old: its compute capability is below {_TARGETS[0] / 10}")
        self.target = f"sm_{max(each for each in _TARGETS if each <= kind)}"
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self._device)
        self.call("cuCtxSetCurrent", context)
        self._allocated: list[int] = []

    def program(self, fitted: Fitted, tell: Tell) -> Kernels:
        """Return the model `fitted` and the kernels, loaded; `tell` gets messages."""
        return Kernels(self, gpu_code(fitted, self.target, tell), fitted.entries, fitted.apart)

    def free(self, scratch: int) -> int:
        """Return the bytes left to be allocated when every thread has `scratch`, but for some that the driver needs."""
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return int(free.value * 0.95) - scratch * self.multiprocessors * _MOST_THREADS

    def allocate(self, size: int) -> int:
        """Return the address of `size` bytes."""
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        self._allocated.append(address.value)
        return address.value

    def clear(self, address: int, size: int) -> None:
        """Set `size` bytes from `address` on to zero."""
        self.call("cuMemsetD8_v2", ctypes.c_uint64(address), ctypes.c_ubyte(0), ctypes.c_size_t(size))

    def read(self, address: int, size: int) -> bytes:
        """Return a copy of `size` bytes from `address` on."""
        content = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", content, ctypes.c_uint64(address), ctypes.c_size_t(size))
        return content.raw

    def write(self, address: int, content: bytes) -> None:
        """Put the bytes `content` at `address`."""
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), content, ctypes.c_size_t(len(content)))

    def release(self) -> None:
        """Give back all that was allocated."""
        while self._allocated:
            self.call("cuMemFree_v2", ctypes.c_uint64(self._allocated.pop()))

    def _attribute(self, number: int) -> int:
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), number, self._device)
        return value.value

    def call(self, name: str, *arguments: Any) -> None:
        """Call the function `name` of the driver with `arguments`. Raises MemoryError or GpuError where it fails."""
        status = getattr(self._cuda, name)(*arguments)
        if status == _OUT_OF_MEMORY:
            raise MemoryError("the GPU has no more memory")
        if status != 0:
            text = ctypes.c_char_p()
            self._cuda.cuGetErrorString(status, ctypes.byref(text))
            words = text.value.decode(errors="replace") if text.value else f"error {status}"
            raise GpuError(f"the driver of the GPU refuses {name.removesuffix('_v2')}: {words}")


class Kernels:
    """Model and kernels, loaded into the GPU. Of a thread's room, `apart` bytes are apart from its own memory."""

    def __init__(self, gpu: Gpu, text: bytes, entries: Iterable[str] = (), apart: int = 0) -> None:
        self._gpu = gpu
        self._entries = tuple(entries)
        self._apart = apart
        self._module = ctypes.c_void_p()
        options = (ctypes.c_int * 1)(_MAX_REGISTERS)
        values = (ctypes.c_void_p * 1)(gpu.registers)
        image, count = ctypes.c_char_p(text + b"\0"), 1 if gpu.registers else 0
        gpu.call("cuModuleLoadDataEx", ctypes.byref(self._module), image, count, options, values)
        self._functions: dict[str, tuple[ctypes.c_void_p, int]] = {}

    @property
    def rooms(self) -> int:
        """Return the bytes for all threads that are apart from their own memory."""
        return (
            self._apart * self._gpu.block * max(self._function(entry)[1] for entry in self._entries)
            if self._apart
            else 0
        )

    def launch(self, entry: str, job: int, alone: bool = False) -> None:
        """Run `entry` on `job` by as many threads as the GPU has at once, so that they can meet; by one if `alone`."""
        function, most = self._function(entry)
        blocks, threads = (1, 1) if alone else (most, self._gpu.block)
        address = ctypes.c_uint64(job)
        parameters = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(address), ctypes.c_void_p))
        self._gpu.call("cuLaunchCooperativeKernel", function, blocks, 1, 1, threads, 1, 1, 0, None, parameters)
        self._gpu.call("cuCtxSynchronize")

    def figures(self, entry: str) -> tuple[int, int, int]:
        """Return the registers and bytes of local memory of each thread of `entry`, and how many blocks run at once."""
        function, most = self._function(entry)
        registers, local = (self._attribute(function, number) for number in (_REGISTERS, _LOCAL_BYTES))
        return registers, local, most

    def _attribute(self, function: ctypes.c_void_p, number: int) -> int:
        value = ctypes.c_int()
        self._gpu.call("cuFuncGetAttribute", ctypes.byref(value), number, function)
        return value.value

    def _function(self, entry: str) -> tuple[ctypes.c_void_p, int]:
        """The kernel, and how many of its blocks the whole GPU can run at once."""
        if entry not in self._functions:
            function, fitting = ctypes.c_void_p(), ctypes.c_int()
            self._gpu.call("cuModuleGetFunction", ctypes.byref(function), self._module, f"{entry}_kernel".encode())
            self._gpu.call(
                "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                ctypes.byref(fitting),
                function,
                self._gpu.block,
                ctypes.c_size_t(0),
            )
            self._functions[entry] = function, fitting.value * self._gpu.multiprocessors
        return self._functions[entry]


@cache
def _library() -> Any:
    """The driver. Raises GpuError where there is none."""
    for name in _LIBRARIES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise GpuError("there is no NVIDIA driver here")
