"""Object code kept on disk from one run to the next.

    code = cached("everything the code depends on", make)

The folder is $EVERAFTER_CACHE, else $XDG_CACHE_HOME/everafter, else ~/.cache/everafter. Any entry, or the whole folder,
may be deleted at any time. Where it cannot be written, each process makes its code once, and `unwritable` says why.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from everafter.deadline import made_in_time
from everafter.engine.code.machine import llvm_version, processor
from everafter.system import locked

MOST_BYTES = 256 * 1024 * 1024
PRUNING = 16  # one in this number of entries, of all that are written, looks for what to delete
_DIGEST = hashlib.sha256().digest_size
_unwritten: dict[str, bytes] = {}  # what was made in this process and could not be written
_why: list[str] = []  # why not, until that is said


def cached(key: str, make: Callable[[], bytes]) -> bytes:
    """Return what `make` returned for this `key` before, in this or another process; else what it returns now.

    An entry belongs to one version of everafter and of LLVM and to one kind of processor; a damaged one is made again.
    One of the processes that need it makes it. Raises OutOfTime when the deadline enforced is over before.
    """
    path = cache_folder() / entry_name(key)
    if (code := _read(path) or _unwritten.get(path.name)) is not None:
        return code
    with locked(path.with_suffix(".lock")):
        if (code := _read(path)) is None:
            code = made_in_time(make, "while machine code was made, which is done once")
            _write(path, code)
    return code


def unwritable() -> str | None:
    """Return, once in a process, why what it made could not be written, if it could not."""
    return f"the cache {cache_folder()} cannot be written: {_why.pop()}" if _why else None


def cache_folder() -> Path:
    """Return the folder that the entries are in."""
    if own := os.environ.get("EVERAFTER_CACHE"):
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else _home() / ".cache") / "everafter"


def _home() -> Path:
    """The user's home; of a user without one, as in some containers, a place where nothing can be written."""
    try:
        return Path.home()
    except RuntimeError:
        return Path(os.devnull)


def entry_name(key: str) -> str:
    """Return the file name of the entry of `key`: a digest of all it depends on."""
    # The package itself is above this station, so its version is read, not imported.
    version = sys.modules["everafter"].__dict__["__version__"]
    parts = (version, llvm_version(), sys.platform, *processor(), key)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest() + ".o"


def _read(path: Path) -> bytes | None:
    """The code in the file, None if there is none or it is not what was written."""
    try:
        content = path.read_bytes()
        os.utime(path)  # the entries used last are pruned last
    except OSError:
        return None
    digest, code = content[:_DIGEST], content[_DIGEST:]
    return code if hashlib.sha256(code).digest() == digest else None


def _write(path: Path, code: bytes) -> None:
    """Put the code where `_read` finds it, all at once; where that fails, keep it for this process, and the reason."""
    name = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        with os.fdopen(descriptor, "wb") as file:
            file.write(hashlib.sha256(code).digest() + code)
        os.replace(name, path)
        if int(path.stem, 16) % PRUNING == 0:  # thousands of entries take a tenth of a second to look at
            _prune(path)
    except OSError as error:
        if name:
            Path(name).unlink(missing_ok=True)
        if not _unwritten:
            _why.append(error.strerror or str(error))
        _unwritten[path.name] = code


def _prune(newest: Path) -> None:
    """Delete what was not used for longest while the entries are too large together."""
    entries = []
    for entry in os.scandir(newest.parent):
        try:
            status = entry.stat()
        except FileNotFoundError:  # another process prunes too
            continue
        if entry.name != newest.name and entry.name.endswith((".o", ".part")):
            entries.append((status.st_mtime, status.st_size, entry.path))
    room = MOST_BYTES - newest.stat().st_size
    for _, size, path in sorted(entries, reverse=True):
        room -= size
        if room < 0:
            Path(path).unlink(missing_ok=True)
