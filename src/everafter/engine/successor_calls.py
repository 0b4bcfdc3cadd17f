"""The functions by which a search asks its store for successors, and others in their place.

A search calls them at every state it expands, in its own thread, and waits for the answer. So a caller that is to look
at its memory, or to change it, while no other thread does, puts a function of Python there for one call.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any, Final

from everafter.engine import block

Call = Callable[[int, int, int, int], int]
"""Takes the block, what to expand, where the successors begin and into which frame; where they end, or STOP."""
STOP: Final = -1
_CALL: Final = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 5)
_INDICES: Final = (block.SUCCESSORS, block.SUCCESSORS_OF_ALL)


class Asking:
    """What the block of one worker, `words`, names as the store's functions."""

    def __init__(self, words: Any) -> None:
        self.words = words
        self._addresses = {index: int(words[index]) for index in _INDICES}
        self.real: Mapping[int, Any] = {index: _CALL(address) for index, address in self._addresses.items()}
        self.error: BaseException | None = None
        """What a function in the place of the store's has raised."""

    def replaced(self, one: Call, all_together: Call) -> Mapping[int, Any]:
        """Return callbacks in place of the store's functions: `one` and `all_together` expand one node and several.

        What they raise would be lost, and the search go on: so it is stopped.
        """
        return {block.SUCCESSORS: self._guarded(one), block.SUCCESSORS_OF_ALL: self._guarded(all_together)}

    def _guarded(self, call: Call) -> Any:
        def called(address: int, first: int, begin: int, frame: int) -> int:
            try:
                return call(address, first, begin, frame)
            except BaseException as error:  # it is raised again when the search has ended
                self.error = error
                return STOP

        return _CALL(called)

    def before(self, act: Callable[[int], None]) -> Mapping[int, Any]:
        """Return callbacks that let `act` look once at the frame to be filled, and then do what the store's do."""

        def once(index: int) -> Call:
            def called(address: int, first: int, begin: int, frame: int) -> int:
                self.put_back()
                act(frame)
                return int(self.real[index](address, first, begin, frame))

            return called

        return self.replaced(once(block.SUCCESSORS), once(block.SUCCESSORS_OF_ALL))

    def put(self, calls: Mapping[int, Any]) -> None:
        """Let the search call `calls`, by the words of the block, from now on."""
        for index, call in calls.items():
            self.words[index] = ctypes.cast(call, ctypes.c_void_p).value

    def put_back(self) -> None:
        """Let the search call the store's own functions again."""
        for index, address in self._addresses.items():
            self.words[index] = address
