"""Zstandard: Python's own library from 3.14 on, before it its backport, or else the package zstandard."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any


@cache
def _library() -> Any:
    """The first of the libraries that is there, when it is first needed. The package zstandard takes twelve times the
    room."""
    name = next((each for each in ("compression.zstd", "backports.zstd") if _is_there(each)), "zstandard")
    return import_module(name)


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # not even what it would be in
        return False


def compressed(data: bytes, level: int) -> bytes:
    """Return `data`, packed as one frame at a `level` from 1, the quickest, to 22."""
    found: bytes = _library().compress(data, level)
    return found


def content_size(frame: bytes) -> int | None:
    """Return the length that `frame` says its content has, None if it does not say. Raises ValueError if damaged."""
    zstd = _library()
    try:
        if _is_package(zstd):
            size = zstd.frame_content_size(frame)
            return None if size < 0 else size
        found: int | None = zstd.get_frame_info(frame).decompressed_size
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from error
    return found


def decompressed(frame: bytes, size: int) -> bytes:
    """Return the `size` bytes that are packed in `frame`, whatever is behind it. Raises ValueError if it is damaged."""
    zstd = _library()
    unpacking = zstd.ZstdDecompressor()
    try:
        if _is_package(zstd):
            data: bytes = unpacking.decompress(frame, max_output_size=size, allow_extra_data=True)
        else:
            data = unpacking.decompress(frame, size)
            if not unpacking.eof and (unpacking.decompress(b"", 1) or not unpacking.eof):
                raise ValueError("a frame is cut short, or longer than it says")
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from error
    return data


def _is_package(zstd: Any) -> bool:
    """Whether the library is the package zstandard, which has other names for some functions."""
    return bool(zstd.__name__ == "zstandard")
