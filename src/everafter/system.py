"""What the machine gives to this process: processors, memory, address space.

Every question is answered on every system: where one does not tell, the answer is a careful guess. Nothing here is
needed at import that only some systems have.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_UNKNOWN_MEMORY = 4 << 30
"""How much memory a machine is taken to have that does not tell."""
_CGROUP = Path("/sys/fs/cgroup")
_LEGACY_LIMIT = _CGROUP / "memory" / "memory.limit_in_bytes"
_OWN_GROUPS = Path("/proc/self/cgroup")
_MOUNTS = Path("/proc/self/mountinfo")
_LOOK = 0.02
"""Seconds after which a process looks again whether a file is locked."""
_MEMORY_KINDS = frozenset({"tmpfs", "ramfs", "devtmpfs", "rootfs"})


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(len(os.sched_getaffinity(0)), 1)
    return os.cpu_count() or 1


def memory_in_use() -> int:
    """The memory this process has now, in bytes: what an earlier check has given back does not count.

    Where the system does not tell, the most it has ever had, and 0 where it does not tell that either.
    """
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * page_size()
    except (OSError, ValueError, IndexError):
        return _most_memory_ever()


def _most_memory_ever() -> int:
    try:
        import resource  # noqa: PLC0415 # not on every system
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def page_size() -> int:
    """The bytes of a page of memory."""
    return _configured("SC_PAGE_SIZE") or 4096


def memory_size() -> int:
    """The memory this process can have at most, in bytes: what the machine has, or the limit of its control group."""
    return min([_physical_memory(), *_group_limits()])


def _physical_memory() -> int:
    pages = _configured("SC_PHYS_PAGES")
    return pages * page_size() if pages else _windows_memory() or _UNKNOWN_MEMORY


def _configured(name: str) -> int:
    """A number that the system is configured with, 0 where it does not tell."""
    try:
        return max(os.sysconf(name), 0)
    except (AttributeError, ValueError, OSError):
        return 0


def _windows_memory() -> int:
    """The physical memory of a Windows machine, 0 elsewhere."""
    import ctypes  # noqa: PLC0415 # only where nothing else answers

    class Status(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            ("total", ctypes.c_ulonglong),
            ("others", ctypes.c_ulonglong * 6),
        )

    library = getattr(ctypes, "windll", None)
    if library is None:
        return 0
    status = Status(length=ctypes.sizeof(Status))
    return int(status.total) if library.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)) else 0


def _group_limits() -> list[int]:
    """The limits of the control groups that this process is in, from its own up to the outermost."""
    found = [_number_in(_LEGACY_LIMIT)]
    try:
        lines = _OWN_GROUPS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        lines = []
    for line in lines:
        hierarchy, controllers, path = line.split(":", 2) if line.count(":") >= 2 else ("", "", "/")
        if hierarchy == "0":
            base, name = _CGROUP, "memory.max"
        elif "memory" in controllers.split(","):
            base, name = _CGROUP / "memory", "memory.limit_in_bytes"
        else:
            continue
        group = Path(path.lstrip("/"))
        found += [_number_in(base / each / name) for each in (group, *group.parents)]
    return [limit for limit in found if limit]


def _number_in(path: Path) -> int:
    """The number in a file, 0 without one; `max` is none."""
    try:
        text = path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return 0
    return int(text) if text.isdigit() else 0


def address_space_left() -> int | None:
    """How many bytes of addresses this process may still reserve, None if nothing limits them.

    Windows counts what is reserved as if it were used; half of the memory is a careful share of it.
    """
    try:
        import resource  # noqa: PLC0415 # not on every system
    except ImportError:
        return memory_size() // 2
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        used = int(Path("/proc/self/statm").read_bytes().split()[0]) * page_size()
    except (OSError, ValueError, IndexError):
        used = memory_in_use()
    return max(limit - used, 0)


def is_in_memory(folder: Path) -> bool:
    """Whether what is written into the folder takes memory, as in a RAM disk."""
    try:
        place = str(folder.resolve())
        lines = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    kinds = {"/": ""}
    for line in lines:
        before, _, behind = line.partition(" - ")
        kinds[before.split()[4].encode().decode("unicode_escape")] = behind.split()[0]
    mounted = [point for point in kinds if place == point or place.startswith(point.rstrip("/") + "/")]
    return kinds[max(mounted, key=len)] in _MEMORY_KINDS


@contextmanager
def without_collecting() -> Iterator[None]:
    """Let Python not look for cycles of objects meanwhile.

    Steps and states are made by the million and have none, but to look through them takes as long as to make them.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock the file `path`, when no other process has; where files cannot be locked, wait for none."""
    try:
        import fcntl  # noqa: PLC0415 # not on every system

        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("w")
    except (ImportError, OSError):
        yield
        return
    with file:
        with suppress(OSError):
            while True:
                with suppress(BlockingIOError):
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                time.sleep(_LOOK)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
