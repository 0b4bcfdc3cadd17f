"""The processor as a machine that runs the kernels: how they are tested where there is no GPU. A thread is a block."""

from __future__ import annotations

import ctypes
import threading
from typing import Final

from everafter.engine.code.machine import Loaded
from everafter.engine.gpu.device_code import processor_code
from everafter.engine.gpu.fitted_model import Fitted
from everafter.engine.memory.areas import Areas
from everafter.engine.run.kernel_code import Tell
from everafter.system import memory_size

_KERNEL: Final = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 6)


class Threads:
    """Model and kernels as machine code of the processor."""

    def __init__(self, loaded: Loaded, workers: int, control: int, out: int) -> None:
        self._loaded = loaded
        self._rooms = [(ctypes.create_string_buffer(control), ctypes.create_string_buffer(out)) for _ in range(workers)]

    rooms = 0

    def launch(self, entry: str, job: int, alone: bool = False) -> None:
        """Run `entry` on the job at the address `job`, by all threads, or by one if `alone`."""
        kernel = _KERNEL(self._loaded.address(entry))
        rooms = self._rooms[:1] if alone else self._rooms
        threads = [
            threading.Thread(target=kernel, args=(job, worker, len(rooms), *map(ctypes.addressof, room)))
            for worker, room in enumerate(rooms)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


class Processor:
    """A machine of `workers` threads of the processor."""

    def __init__(self, workers: int = 2, first_slots: int = 1 << 10, turns: int = 1, slice: int = 1 << 14) -> None:
        self.name = f"{workers} threads of the processor"
        self.workers, self.first_slots, self.turns, self.slice = workers, first_slots, turns, slice
        self._areas = Areas()

    def program(self, fitted: Fitted, tell: Tell) -> Threads:
        """Return the model `fitted` and the kernels as code of the processor; `tell` gets messages."""
        code = fitted.code
        return Threads(Loaded(processor_code(code, tell)), self.workers, code.control_size, fitted.out)

    def free(self, _scratch: int) -> int:
        """Return half of the memory: the other half is for other programs."""
        return memory_size() // 2

    def allocate(self, size: int) -> int:
        """Return the address of `size` bytes, all zero."""
        area = self._areas.area(size)
        if area.size < size:
            raise MemoryError(f"the system refuses {size >> 20} MiB of address space")
        return area.address

    def clear(self, address: int, size: int) -> None:
        """Set `size` bytes from `address` on to zero."""
        ctypes.memset(address, 0, size)

    def read(self, address: int, size: int) -> bytes:
        """Return a copy of `size` bytes from `address` on."""
        return ctypes.string_at(address, size)

    def write(self, address: int, content: bytes) -> None:
        """Put the bytes `content` at `address`."""
        ctypes.memmove(address, content, len(content))

    def release(self) -> None:
        """Give back all that was allocated."""
        self._areas.close()
