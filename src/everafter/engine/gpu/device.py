"""What a machine that runs the kernels gives to the host: memory, and launches."""

from __future__ import annotations

from typing import Protocol

from everafter.engine.gpu.fitted_model import Fitted
from everafter.engine.run.kernel_code import Tell


class DeviceProgram(Protocol):
    """Model and kernels, ready to run."""

    @property
    def rooms(self) -> int:
        """Return the bytes that its threads need of the machine's memory, beside their own."""
        ...

    def launch(self, entry: str, job: int, alone: bool = False) -> None:
        """Run `entry` on the job at the address `job`, by all threads, or by one if `alone`, to its end."""
        ...


class Machine(Protocol):
    """A machine with memory of its own. What it cannot give is a MemoryError."""

    name: str
    first_slots: int
    """How many slots the first hash table has."""
    turns: int
    """How many slices one launch may take; with one, no thread waits for another."""
    slice: int
    """How many rows a slice may have."""

    def program(self, fitted: Fitted, tell: Tell) -> DeviceProgram:
        """Return the model `fitted` and the kernels, ready to run; `tell` gets messages."""
        ...

    def free(self, scratch: int) -> int:
        """Return the bytes that can still be allocated when each thread has `scratch` of its own."""
        ...

    def allocate(self, size: int) -> int:
        """Return the address of `size` bytes."""
        ...

    def clear(self, address: int, size: int) -> None:
        """Set `size` bytes from `address` on to zero."""
        ...

    def read(self, address: int, size: int) -> bytes:
        """Return a copy of `size` bytes from `address` on."""
        ...

    def write(self, address: int, content: bytes) -> None:
        """Put the bytes `content` at `address`."""
        ...

    def release(self) -> None:
        """Give back all that was allocated."""
        ...
