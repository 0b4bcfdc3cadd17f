"""Run a command, and say what it used: time, processor time, memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_SOURCE = Path(__file__).with_name("measure.c")


@dataclass(frozen=True, slots=True)
class Usage:
    """What one process used, and what it said. `finished` is False where it was killed for its time."""

    wall: float
    processor: float
    """User and system seconds."""
    peak: int
    """Most resident memory, in bytes."""
    status: int
    output: str
    finished: bool = True


_AS_USUAL = {"PYTHONDONTWRITEBYTECODE": ""}
"""Where Python is told not to keep what it compiles, it would compile our modules in every run, as no user's does."""


class Meter:
    """Measures processes by a small C program, see measure.c; it is built in the folder given."""

    def __init__(self, folder: Path) -> None:
        self._program = folder / "measure"
        self._report = folder / "usage"
        subprocess.run(["gcc", "-O1", "-o", str(self._program), str(_SOURCE)], check=True)

    def run(
        self, command: Sequence[str], folder: Path, seconds: float, environment: Mapping[str, str] | None = None
    ) -> Usage:
        """Run to the end, or kill after so many seconds. The output is that of both streams."""
        self._report.unlink(missing_ok=True)
        process = subprocess.Popen(
            [str(self._program), str(self._report), *command],
            cwd=folder,
            env={**os.environ, **_AS_USUAL, **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=seconds)
        except BaseException as error:
            # The group is the session begun above: measure and the command, nothing else.
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            return Usage(seconds, seconds, 0, -signal.SIGKILL, output, finished=False)
        if process.returncode != 0:
            raise RuntimeError(f"could not be measured: {' '.join(command)}\n{output}")
        wall, processor, peak, status = self._report.read_text().split()
        return Usage(float(wall), float(processor), int(peak) * 1024, int(status), output)


_WARM_BYTES_PER_STATE = 320
_MOST_WARM_BYTES = 8 << 30
_TOUCH = """
import mmap, sys
size = int(sys.argv[1])
area = mmap.mmap(-1, size)
area.madvise(mmap.MADV_HUGEPAGE)
for place in range(0, size, 4096):
    area[place] = 1
"""


def warm_memory(states: int) -> None:
    """Touch as much memory as any checker will need, and give it back at once.

    On a virtual machine the first touch of a page may cost ten times as much as later ones, as the host must find
    one. Whoever runs first would pay for all.
    """
    size = min(_WARM_BYTES_PER_STATE * states, _MOST_WARM_BYTES) + (64 << 20)
    subprocess.run([sys.executable, "-c", _TOUCH, str(size)], check=True)
