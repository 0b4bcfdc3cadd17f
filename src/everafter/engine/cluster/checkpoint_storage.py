"""Where checkpoints are kept: in a folder, or at any URL that fsspec can reach. Files there are whole or not there.

A place is named by a text, which may travel to other machines. What cannot be read or written raises OSError.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

from everafter.engine.cluster.errors import ClusterError

_UNFINISHED: Final = ".unfinished"


class StoragePlace(Protocol):
    """A folder, by its text."""

    text: str

    def has(self, name: str) -> bool:
        """Return whether there is a file, or folder, called `name`."""
        ...

    def reading(self, name: str) -> AbstractContextManager[BinaryIO]:
        """Return the file `name` of the folder, to be read; FileNotFoundError if there is none."""
        ...

    def writing(self, name: str) -> AbstractContextManager[BinaryIO]:
        """Return a new file `name` of the folder, which takes the place of an older one when it is complete."""
        ...

    def folders(self) -> list[str]:
        """Return the names of the folders in the folder."""
        ...

    def remove(self, name: str) -> None:
        """Remove the file or folder `name` with all it has, if it is there."""
        ...

    def leave(self) -> None:
        """Remove the folder itself, if it is empty."""
        ...


def place_of(text: str) -> StoragePlace:
    """Return the place that `text` names."""
    return Remote(text) if is_url(text) else Folder(text)


def inside(place: str, name: str) -> str:
    """Return the text that names the folder `name` in the folder `place`."""
    return f"{place.rstrip('/')}/{name}" if is_url(place) else str(Path(place) / name)


def is_url(text: str) -> bool:
    """Return whether `text` names a place that fsspec reaches."""
    return "://" in text


def unreachable(text: str) -> str | None:
    """Return why the place that `text` names cannot be reached from here, if it is known not to be."""
    if not is_url(text):
        return None
    if find_spec("fsspec") is None:
        return "a URL is reached by fsspec, which pip install 'everafter[cluster]' brings"
    try:
        Remote(text)
    except (OSError, ValueError, ImportError) as error:
        return f"{text} cannot be reached: {error}"
    return None


class Folder:
    """A folder that all machines see."""

    def __init__(self, text: str) -> None:
        self._path = Path(text).absolute()
        self.text = str(self._path)

    def has(self, name: str) -> bool:
        """Whether it is there."""
        return (self._path / name).exists()

    def reading(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A file."""
        return (self._path / name).open("rb")

    @contextmanager
    def writing(self, name: str) -> Iterator[BinaryIO]:
        """A new file."""
        self._path.mkdir(parents=True, exist_ok=True)
        unfinished = self._path / (name + _UNFINISHED)
        with unfinished.open("wb") as file:
            yield file
        unfinished.replace(self._path / name)

    def folders(self) -> list[str]:
        """The folders."""
        return [path.name for path in self._path.iterdir() if path.is_dir()] if self._path.is_dir() else []

    def remove(self, name: str) -> None:
        """Remove a file or a folder."""
        path = self._path / name
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)

    def leave(self) -> None:
        """Remove the folder."""
        with suppress(OSError):  # it holds other things, too
            self._path.rmdir()


class Remote:
    """A folder at a URL."""

    def __init__(self, text: str) -> None:
        import fsspec  # noqa: PLC0415 # only for URLs

        self.text = text.rstrip("/")
        with _as_os_errors():
            self._files: Any
            self._files, self._path = fsspec.core.url_to_fs(self.text)

    def has(self, name: str) -> bool:
        """Whether it is there."""
        with _as_os_errors():
            return bool(self._files.exists(f"{self._path}/{name}"))

    def reading(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A file."""
        return self._opened(name, "rb")

    @contextmanager
    def writing(self, name: str) -> Iterator[BinaryIO]:
        """A new file: some stores show what is written before it is complete, so that it gets its name in the end."""
        with _as_os_errors():
            self._files.makedirs(self._path, exist_ok=True)
        with self._opened(name + _UNFINISHED, "wb") as file:
            yield file
        with _as_os_errors():
            self._files.mv(f"{self._path}/{name}{_UNFINISHED}", f"{self._path}/{name}")

    @contextmanager
    def _opened(self, name: str, mode: str) -> Iterator[BinaryIO]:
        with _as_os_errors(), self._files.open(f"{self._path}/{name}", mode) as file:
            yield file

    def folders(self) -> list[str]:
        """The folders."""
        with _as_os_errors():
            if not self._files.exists(self._path):
                return []
            found = self._files.ls(self._path, detail=True)
        return [each["name"].rstrip("/").rpartition("/")[2] for each in found if each["type"] == "directory"]

    def remove(self, name: str) -> None:
        """Remove a file or a folder."""
        path = f"{self._path}/{name}"
        with _as_os_errors():
            if self._files.exists(path):
                self._files.rm(path, recursive=True)

    def leave(self) -> None:
        """Remove the folder, where there are such: in many stores there are only files."""
        with suppress(Exception):
            self._files.rmdir(self._path)


@contextmanager
def _as_os_errors() -> Iterator[None]:
    """What goes wrong in a store, each of which has errors of its own, is an OSError."""
    try:
        yield
    except (OSError, ValueError, ImportError, MemoryError, ClusterError):
        raise
    except Exception as error:
        raise OSError(f"{type(error).__name__}: {error}") from error
