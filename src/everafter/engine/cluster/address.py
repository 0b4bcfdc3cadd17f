"""Where the workers of a cluster are: in this process, on nodes started here, or on a cluster that exists."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import Final, Literal

from everafter.record import dataclass
from everafter.source import OptionError

Kind = Literal["inside", "local", "auto", "ray"]
MOST_LOCAL: Final = 64
_STARTED: Final = re.compile(r"(inside|local):(\d{1,6})")
_REMOTE: Final = re.compile(r"ray://[^\s/:]+:\d+")
ADVICE: Final = "write auto, ray://HOST:PORT, local:N or inside:N"


@dataclass(frozen=True, slots=True)
class Address:
    """Where the workers of a cluster are."""

    kind: Kind
    text: str
    workers: int = 0
    """How many workers there are to be; 0 for as many as the cluster has processors."""

    @staticmethod
    def of(text: str) -> Address:
        """Return the address that `text` names. Raises OptionError if it names none."""
        if text == "auto":
            return Address("auto", text)
        if _REMOTE.fullmatch(text):
            return Address("ray", text)
        if (started := _STARTED.fullmatch(text)) is None:
            raise OptionError(f"there is no cluster {text!r}", ADVICE)
        workers = int(started[2])
        if not 1 <= workers <= MOST_LOCAL:
            raise OptionError(f"{workers} workers cannot be started here", f"choose 1 to {MOST_LOCAL}")
        return Address("inside" if started[1] == "inside" else "local", text, workers)

    def missing(self) -> str | None:
        """Return what is needed to reach the address and is not installed, None if nothing is."""
        if self.kind == "inside" or find_spec("ray") is not None:
            return None
        return "Ray is not installed, which pip install 'everafter[cluster]' brings"
