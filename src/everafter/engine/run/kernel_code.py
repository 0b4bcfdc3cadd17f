"""The code of stores and searches, from the cache if the same text was compiled before."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from everafter.engine.code.cache import cached
from everafter.engine.code.machine import Loaded
from everafter.engine.columns import StoreKind
from everafter.search.algorithm import Algorithm

Tell = Callable[[str], None]
BUILDING = "building the search engine (first use only) …"


def say_nothing(_text: str) -> None:
    """Report nothing."""


def store_code(algorithm: Algorithm, width: int, tell: Tell = say_nothing, store: StoreKind = "plain") -> Loaded:
    """Return the code of `store` as `algorithm` needs it, for `width`; `tell` is called if it must be built."""
    together, sets = algorithm.workers == "team", algorithm.reads_sets

    def make() -> bytes:
        from everafter.engine.kernels.single_kernels import build_store  # noqa: PLC0415 # Numba is needed only here
        from everafter.engine.kernels.team_kernels import build_team_store  # noqa: PLC0415

        return build_team_store(width, store=store) if together else build_store(width, sets, store=store)

    return loaded(f"{store} team store {width}" if together else f"{store} store {width} {sets}", make, tell)


def search_code(algorithm: Algorithm, width: int, tell: Tell = say_nothing, store: StoreKind = "plain") -> Loaded:
    """Return the code of `algorithm` over `store`, for `width`; `tell` is called if it must be built."""

    def make() -> bytes:
        from everafter.engine.kernels.single_kernels import build_search  # noqa: PLC0415 # Numba is needed only here
        from everafter.engine.kernels.team_kernels import build_team_search  # noqa: PLC0415

        build = build_search if algorithm.workers == "one" else build_team_search
        return build(algorithm, width, store)

    columns = " ".join(algorithm.columns)
    return loaded(f"{store} search {algorithm.workers} {algorithm.name} {columns} {width}", make, tell)


def loaded(key: str, make: Callable[[], bytes], tell: Tell) -> Loaded:
    """Return the code of `key`, which `make` builds if it is not in the cache; `tell` is called before that.

    It is loaded once in this process.
    """

    def make_and_tell() -> bytes:
        tell(BUILDING)
        return make()

    if key not in _codes:
        _codes[key] = Loaded(cached(f"{key} {text_digest()}", make_and_tell))
    return _codes[key]


_codes: dict[str, Loaded] = {}


@cache
def text_digest() -> str:
    """A digest of the text that the code is made of, and of some that it is not: none is forgotten."""
    package = Path(__file__).parent.parent.parent
    folders = [package / name for name in ("engine", "search", "certificates")]
    texts = [path.read_bytes() for folder in folders for path in sorted(folder.rglob("*.py"))]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()
