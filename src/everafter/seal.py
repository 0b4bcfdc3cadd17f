"""Seals: what this user's everafter has written, apart from what any other program has made of it.

A checkpoint is believed: that a state was searched cannot be seen in it. So all that a check leaves behind to be
resumed has a digest that needs a key of 32 random bytes. The key is in the file $EVERAFTER_KEY, else
$XDG_CONFIG_HOME/everafter/key, else ~/.config/everafter/key, and is made when it is first needed.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Any, Final

from everafter.json_text import read_json

KEY_BYTES: Final = 32
SEAL_BYTES: Final = 32
ELSEWHERE: Final = "what another user or machine has written is read with the key from there: EVERAFTER_KEY=FILE"
"""The advice where a seal does not fit and nothing else seems to be wrong."""
_SEALED: Final = re.compile(rb'\{"seal": "([0-9a-f]{64})", "content": (.*)\}\n', re.DOTALL)


def key_file() -> Path:
    """Where the key is."""
    own = os.environ.get("EVERAFTER_KEY")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "everafter" / "key"


def begun() -> Any:
    """A digest to be given what is sealed, piece by piece: its value is the seal of all so far. Raises OSError."""
    return hashlib.blake2b(key=_key(), digest_size=SEAL_BYTES)


def seal_of(data: bytes) -> bytes:
    """The seal of `data`. Raises OSError where there is no key and none can be written."""
    digest = begun()
    digest.update(data)
    return bytes(digest.digest())


def sealed(text: str) -> bytes:
    """A JSON text as the content of a sealed file. Raises OSError."""
    content = text.encode()
    return b'{"seal": "%s", "content": %s}\n' % (seal_of(content).hex().encode(), content)


def unsealed(data: bytes) -> Any:
    """What the content of a sealed file says. Raises ValueError where the seal does not fit, and OSError."""
    found = _SEALED.fullmatch(data)
    if found is None or found[1] != seal_of(found[2]).hex().encode():
        raise ValueError("it was changed, or written with another key")
    return read_json(found[2])


def _key() -> bytes:
    """The key, which is made if there is none."""
    path = key_file()
    try:
        key = path.read_bytes()
    except FileNotFoundError:
        key = _made(path)
    if len(key) != KEY_BYTES:
        raise OSError(f"{path} is no key: it has {len(key)} bytes, not {KEY_BYTES}")
    return key


def _made(path: Path) -> bytes:
    """A new key in a file that only the user can read, or the one that another process has written meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    import secrets  # noqa: PLC0415 # a key is made once
    import tempfile  # noqa: PLC0415 # likewise

    descriptor, unfinished = tempfile.mkstemp(dir=path.parent, prefix=".key")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(descriptor)
        os.link(unfinished, path)
    except FileExistsError:
        pass
    finally:
        Path(unfinished).unlink()
    return path.read_bytes()
