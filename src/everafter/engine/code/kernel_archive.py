"""The file in which a package carries the text of its kernels, so that no machine that runs them has to build them.

    archive = carried()               # of this package; an `Unfit` says why its kernels cannot be used
    text = archive.text(key)          # LLVM IR, which `everafter.engine.code.machine.finished` takes

It is one line of JSON, the index, and behind it the texts, each packed by itself. The index has the digest of each
text, and which files of the package all of them were made of, with the digest of these: where one of them is another,
no kernel is taken from here.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from everafter.engine.code.machine import llvm_version
from everafter.source import EverafterError

ROOT: Final = Path(__file__).parent.parent.parent
"""The folder of the package."""
PATH: Final = ROOT / "engine" / "kernels.archive"
_LEVEL: Final = 19


class Unfit(EverafterError):
    """Why the kernels that this package carries are not used, said of it."""


class PackedText(NamedTuple):
    """Where the text of a kernel is, behind the index: `begin` and `size` in bytes. `digest` is that of the text."""

    begin: int
    size: int
    digest: str


class KernelArchive(NamedTuple):
    """The texts that `packed` has, of the `files` of a package with this `digest`, made with the tools `made_with`."""

    files: tuple[str, ...]
    digest: str
    made_with: Mapping[str, str]
    places: Mapping[str, PackedText]
    packed: bytes

    def text(self, key: str) -> str:
        """Return the text of the kernel `key`. Raises `Unfit` where it is not what was written."""
        from everafter.zstd import content_size, decompressed  # noqa: PLC0415 # only where machine code is made

        begin, size, digest = self.places[key]
        try:
            frame = self.packed[begin : begin + size]
            text = decompressed(frame, content_size(frame) or 0)
        except ValueError as error:
            raise Unfit("the kernels that it carries are damaged") from error
        if _digest_of([text]) != digest:
            raise Unfit("the kernels that it carries are damaged")
        return text.decode()


def write_archive(path: Path, texts: Mapping[str, str], heading: Mapping[str, object]) -> None:
    """Write `texts`, by key, to `path`, with the `heading` that says what they were made of and by."""
    from everafter.zstd import compressed  # noqa: PLC0415 # only where kernels are built

    index: dict[str, PackedText] = {}
    packed = bytearray()
    for key, text in sorted(texts.items()):
        one = compressed(text.encode(), _LEVEL)
        index[key] = PackedText(len(packed), len(one), _digest_of([text.encode()]))
        packed += one
    part = path.with_suffix(".part")
    part.write_bytes(json.dumps({**heading, "index": index}, sort_keys=True).encode() + b"\n" + packed)
    part.replace(path)


def heading_of(files: Iterable[str], made_with: Mapping[str, str]) -> dict[str, object]:
    """Return the heading of an archive of texts made of `files` of the package as they are now, by `made_with`."""
    names = sorted(files)
    return {"files": names, "digest": digest_of(names), "made_with": dict(made_with)}


def read_archive(path: Path = PATH) -> KernelArchive:
    """Return what is carried in the file at `path`. Raises `Unfit` if there is none, or it is not for this package."""
    try:
        heading, _, packed = path.read_bytes().partition(b"\n")
        said = json.loads(heading)
        index = {key: PackedText(*place) for key, place in said["index"].items()}
        archive = KernelArchive(tuple(said["files"]), said["digest"], said["made_with"], index, packed)
    except FileNotFoundError:
        raise Unfit("it carries no kernels") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Unfit("the kernels that it carries cannot be read") from error
    if archive.digest != digest_of(archive.files):
        raise Unfit("the kernels that it carries are of another text")
    return archive


@cache
def carried() -> KernelArchive | Unfit:
    """Return what this package carries, or why that cannot be used."""
    if sys.byteorder != "little" or sys.maxsize >> 32 == 0:
        return Unfit("the kernels that it carries are for other processors")
    try:
        archive = read_archive(PATH)
    except Unfit as unfit:
        return unfit
    if _version(archive.made_with["llvm"]) > _version(llvm_version()):
        return Unfit(f"the kernels that it carries are for LLVM {archive.made_with['llvm']}")
    return archive


def _version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def digest_of(files: Iterable[str]) -> str:
    """Return the digest of `files` of the package; a file that is missing counts as an empty one."""
    root = f"{ROOT}{os.sep}"  # each command does this for some 150 files: no objects of pathlib
    return _digest_of(_content(root + name) for name in files)


def _digest_of(contents: Iterable[bytes]) -> str:
    """The digest of the contents, of which none can begin where another ends."""
    digests = b"".join(hashlib.sha256(each).digest() for each in contents)
    return hashlib.sha256(digests).hexdigest()


def _content(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except FileNotFoundError:
        return b""
