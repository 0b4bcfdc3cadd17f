"""Frames are read back by each of the libraries that may be there, and what is damaged is refused."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import pytest

from everafter import zstd

DATA = b"some data, " * 30_000


@pytest.fixture(params=["backports.zstd", "zstandard"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The library in use; skips where it is not installed, but for the one that is."""
    name: str = request.param
    if find_spec(name.partition(".")[0]) is None:
        pytest.skip(f"{name} is not installed")
    monkeypatch.setattr(zstd, "_library", lambda: import_module(name))
    return name


@pytest.mark.parametrize("data", [DATA, b""])
def test_what_is_packed_is_read_back(library: str, data: bytes) -> None:
    frame = zstd.compressed(data, 19)
    assert len(frame) < 100
    assert zstd.content_size(frame) == len(data)
    assert zstd.decompressed(frame, len(data)) == zstd.decompressed(frame + bytes(9), len(data)) == data


def test_what_is_damaged_is_refused(library: str) -> None:
    frame = zstd.compressed(DATA, 1)
    for damaged in (b"", frame[:-3], frame[:5], b"xx", frame[:1] + bytes(byte ^ 1 for byte in frame[1:])):
        with pytest.raises(ValueError, match=r"\w+"):
            zstd.decompressed(damaged, len(DATA))
    for damaged in (b"", b"xx", frame[:5]):
        with pytest.raises(ValueError, match=r"\w+"):
            zstd.content_size(damaged)


def test_a_library_that_is_not_there_is_passed_over() -> None:
    assert not zstd._is_there("everafter.nothing")
    assert not zstd._is_there("nothing.at.all")
    assert zstd._library().__name__ in ("compression.zstd", "backports.zstd", "zstandard")
