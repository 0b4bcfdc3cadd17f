"""What the host asks of a machine that runs the kernels: memory, and launches."""

from __future__ import annotations

from typing import Protocol

from everafter.engine.gpu.model import Fitted
from everafter.engine.run.code import Tell


class Program(Protocol):
    """Model and kernels, ready to run."""

    @property
    def rooms(self) -> int:
        """The bytes that its threads need of the machine's memory, beside their own."""
        ...

    def launch(self, entry: str, job: int, alone: bool = False) -> None:
        """Run an entry on the job at this address, by all threads or by one, to its end."""
        ...


class Machine(Protocol):
    """A machine with memory of its own. What it cannot give is a MemoryError."""

    name: str
    first_slots: int
    """How many slots the first hash table has."""
    turns: int
    """How many slices one launch may take; with one, nobody waits for anybody."""
    slice: int
    """How many rows a slice may have."""

    def program(self, fitted: Fitted, tell: Tell) -> Program:
        """Model and kernels."""
        ...

    def free(self, scratch: int) -> int:
        """The bytes that can still be allocated when each thread has so many of its own."""
        ...

    def allocate(self, size: int) -> int:
        """The address of so many bytes."""
        ...

    def clear(self, address: int, size: int) -> None:
        """Set some bytes to zero."""
        ...

    def read(self, address: int, size: int) -> bytes:
        """A copy of some bytes."""
        ...

    def write(self, address: int, content: bytes) -> None:
        """Put bytes at an address."""
        ...

    def release(self) -> None:
        """Give back all that was allocated."""
        ...
