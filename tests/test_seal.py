"""A seal fits what was sealed with the same key, and nothing else."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from threading import Barrier, Thread

import pytest

from everafter import seal

CONTENT = json.dumps({"text": "a \x1b[31m word", "numbers": [1, -2, 3.5], "nothing": None}, indent=1)


@pytest.fixture
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "folder" / "key"
    monkeypatch.setenv("EVERAFTER_KEY", str(path))
    return path


def test_what_was_sealed_is_read_again(key: Path) -> None:
    assert seal.unsealed(seal.sealed(CONTENT)) == json.loads(CONTENT)
    assert json.loads(seal.sealed(CONTENT))["content"] == json.loads(CONTENT)
    assert len(key.read_bytes()) == seal.KEY_BYTES
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert [path.name for path in key.parent.iterdir()] == ["key"]


def test_every_other_byte_is_noticed(key: Path) -> None:
    whole = seal.sealed(CONTENT)
    for index in range(len(whole)):
        before, behind = whole[:index], whole[index + 1 :]
        for other in (before, behind, before + behind, before + bytes([whole[index] ^ 1]) + behind):
            with pytest.raises(ValueError, match="another key"):
                seal.unsealed(other)


def test_another_key_makes_other_seals(key: Path) -> None:
    whole = seal.sealed(CONTENT)
    key.unlink()
    with pytest.raises(ValueError, match="another key"):
        seal.unsealed(whole)


def test_what_is_no_key_is_refused(key: Path) -> None:
    key.parent.mkdir()
    key.write_bytes(b"short")
    with pytest.raises(OSError, match="is no key: it has 5 bytes, not 32"):
        seal.sealed(CONTENT)


def test_those_who_make_the_key_at_once_have_the_same(key: Path) -> None:
    seals: list[bytes] = []
    barrier = Barrier(8)

    def make() -> None:
        barrier.wait()
        seals.append(seal.seal_of(b"data"))

    threads = [Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seals) == 8
    assert len(set(seals)) == 1


def test_the_key_is_among_what_the_user_has_set_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVERAFTER_KEY")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert seal.key_file() == tmp_path / "everafter" / "key"
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert seal.key_file() == tmp_path / ".config" / "everafter" / "key"
