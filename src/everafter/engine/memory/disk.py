"""Areas of memory that go over to a file: what a search seldom looks at need not be in memory.

    disk = Disk(Path("/var/tmp"))
    disk.move(area, used=1 << 20, size=1 << 30)     from now on its first GiB is in a file; the addresses stay
    disk.drop()                                     let its pages leave memory: they are read again when needed

The file has no name, so nothing of it is left when the process ends, however it does. All of its blocks are taken
beforehand: a disk that is full must not be noticed by a signal in the middle of a search.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import tempfile
from pathlib import Path
from typing import Any, Final

from everafter.engine.memory.areas import PAGE, Area
from everafter.system import is_in_memory

SHARE_OF_DISK: Final = 0.5
"""Which share of what is free on the disk may be taken."""
PIECE: Final = 1 << 24
"""How many bytes are copied at once."""
_MAP_FIXED: Final = 0x10
_FAILED: Final = ctypes.c_void_p(-1).value


class DiskError(Exception):
    """The folder cannot take an area; the search goes on in memory."""


class Disk:
    """Room on a disk for areas of one search."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._moved: list[tuple[int, int]] = []

    def room(self) -> int:
        """Return the bytes that may be taken. Raises DiskError where nothing can be."""
        if _library() is None:
            raise DiskError("this system cannot take the blocks of a file beforehand")
        if is_in_memory(self.folder):
            raise DiskError(f"{self.folder} is itself in memory")
        try:
            found = os.statvfs(self.folder)
        except OSError as error:
            raise DiskError(f"{self.folder}: {error.strerror}") from error
        return int(found.f_bavail * found.f_frsize * SHARE_OF_DISK)

    def move(self, area: Area, used: int, size: int) -> None:
        """Keep the first `size` bytes of `area` in a file from now on; of these, the first `used` are used so far.

        No thread may write to the area meanwhile. Raises DiskError, and then nothing has changed.
        """
        library = _library()
        size = min(-(-size // PAGE) * PAGE, area.size // PAGE * PAGE)
        if library is None or used > size:
            raise DiskError(f"{used:,} bytes do not go into {size:,} on a disk")
        try:
            with tempfile.TemporaryFile(dir=self.folder, buffering=0) as file:
                _take(library, file.fileno(), size)
                for begin in range(0, used, PIECE):
                    _write(file.fileno(), area.copied(begin, min(PIECE, used - begin)), begin)
                _map(library, file.fileno(), area.address, size)
        except OSError as error:
            raise DiskError(f"{self.folder}: {error.strerror or error}") from error
        self._moved.append((area.address, size))

    def drop(self) -> None:
        """Let what was moved leave memory, but for what the system keeps of the file as long as it has room."""
        library = _library()
        if library is not None:
            for address, size in self._moved:
                library.madvise(ctypes.c_void_p(address), ctypes.c_size_t(size), mmap.MADV_DONTNEED)


def _take(library: Any, file: int, size: int) -> None:
    """Take all blocks of the file. Unlike Python's own function this never writes zeros where it cannot be done."""
    if library.fallocate(file, 0, ctypes.c_int64(0), ctypes.c_int64(size)) != 0:
        raise _last_error()


def _write(file: int, content: bytes, begin: int) -> None:
    done = 0
    while done < len(content):
        done += os.pwrite(file, content[done:], begin + done)


def _map(library: Any, file: int, address: int, size: int) -> None:
    """Put the file where the area is."""
    protection = mmap.PROT_READ | mmap.PROT_WRITE
    wanted = ctypes.c_void_p(address), ctypes.c_size_t(size)
    got = library.mmap(*wanted, protection, mmap.MAP_SHARED | _MAP_FIXED, file, ctypes.c_int64(0))
    if got in (_FAILED, None):
        raise _last_error()


def _last_error() -> OSError:
    number = ctypes.get_errno() or errno.EIO
    return OSError(number, os.strerror(number))


def _library() -> Any:
    """The C library, None where it lacks one of the functions, or means something else by them."""
    if not os.path.exists("/proc/self/statm") or not hasattr(mmap, "MADV_DONTNEED"):
        return None  # MAP_FIXED and the sizes of arguments are those of Linux
    library = ctypes.CDLL(None, use_errno=True)
    if not all(hasattr(library, name) for name in ("fallocate", "mmap", "madvise")):
        return None
    library.mmap.restype = ctypes.c_void_p
    return library
