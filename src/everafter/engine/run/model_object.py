"""The machine code of a model: made quickly at first, and optimised while a search runs that takes long.

    code = ModelObject(text, quickly=True)
    code.look(seconds)          # may begin to make optimised code, in a thread of its own
    code.improved("expand")     # the address of a function of it, once it is there
    code.wait()                 # until no thread makes code any more

Either code does the same, so a search may go from one to the other between two calls.
"""

from __future__ import annotations

import threading

from everafter.engine.code.cache import cache_folder, cached, entry_name
from everafter.engine.code.machine import Loaded, compile_text

_LEVEL = 1
_QUICK_LEVEL = 0
_MOST_QUICK_TEXT = 400_000
"""Code for a longer text is not made quickly: every value would have a place on the stack."""
_SECONDS_FOR_A_CHARACTER = 1.2e-6
"""About what it takes to optimise."""
_PATIENCE = 3
"""A search that took this many times as long as that has lost about as much by going without."""


class ModelObject:
    """The code of `text`, LLVM IR; made `quickly` unless optimised code was made before. Keep it while it is used."""

    def __init__(self, text: str, quickly: bool = False) -> None:
        self._text = text
        is_quick = quickly and len(text) <= _MOST_QUICK_TEXT and not _is_cached(text)
        self._loaded = [_loaded(text, _QUICK_LEVEL if is_quick else _LEVEL)]
        self._wanted = is_quick
        self._thread: threading.Thread | None = None

    def look(self, seconds: float, left: float | None = None) -> None:
        """Begin to make optimised code if `seconds` of search make it pay, unless too few are `left`.

        No process may be forked then until `wait` has returned.
        """
        least = _PATIENCE * _SECONDS_FOR_A_CHARACTER * len(self._text)
        if self._wanted and seconds > least and (left is None or left > least):
            self._wanted = False
            self._thread = threading.Thread(target=self._improve, name="everafter code")
            self._thread.start()

    def _improve(self) -> None:
        self._loaded.append(_loaded(self._text, _LEVEL))

    def wait(self) -> None:
        """Return when no thread makes code any more."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def address(self, name: str) -> int:
        """Return the address of the function `name` of the best code there is."""
        return self._loaded[-1].address(name)

    def improved(self, name: str) -> int | None:
        """Return the address of the function `name` of code that was made later, None if there is none."""
        return self.address(name) if len(self._loaded) > 1 else None


def _loaded(text: str, level: int) -> Loaded:
    return Loaded(cached(_key(text, level), lambda: compile_text(text, level)))


def _is_cached(text: str) -> bool:
    """Whether the optimised code is there already."""
    return (cache_folder() / entry_name(_key(text, _LEVEL))).is_file()


def _key(text: str, level: int) -> str:
    return f"model\n{level}\n{text}"
