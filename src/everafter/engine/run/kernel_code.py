"""The code of stores and searches: made by LLVM of the text that this package carries, or from the cache.

Where the text that the package carries is not of these files (while everafter is developed), Numba builds it first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path

from everafter.choices import LOSSY, STORES, StoreKind
from everafter.engine.code.cache import cached
from everafter.engine.code.kernel_archive import KernelArchive, Unfit, carried
from everafter.engine.code.machine import Loaded, finished
from everafter.engine.columns import NARROW, WIDE, kinds
from everafter.record import dataclass
from everafter.search.algorithm import Algorithm
from everafter.source import EverafterError

Tell = Callable[[str], None]
BUILDING = "building the search engine of everafter (first use only):"


def say_nothing(_text: str) -> None:
    """Report nothing."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """What an object of machine code is made of: `key` tells it from others, and `build` returns its text."""

    key: str
    build: Callable[[], str]
    """Needs Numba, and returns LLVM IR: see `everafter.engine.code.portable_text`."""


def store_kernel(algorithm: Algorithm, width: int, store: StoreKind = "plain") -> Kernel:
    """Return the kernel of `store` as `algorithm` needs it, with numbers of states of `width` bytes."""
    together, sets = algorithm.workers == "team", algorithm.reads_sets

    def build() -> str:
        from everafter.engine.code.compiler import object_text  # noqa: PLC0415 # Numba is needed only here
        from everafter.engine.kernels.single_kernels import store_entries  # noqa: PLC0415
        from everafter.engine.kernels.team_kernels import team_store_entries  # noqa: PLC0415

        if together:
            return object_text(team_store_entries(width, store=store))
        return object_text(store_entries(width, sets, store=store))

    return Kernel(f"{store} team store {width}" if together else f"{store} store {width} {sets}", build)


def search_kernel(algorithm: Algorithm, width: int, store: StoreKind = "plain") -> Kernel:
    """Return the kernel of `algorithm` over `store`, with numbers of states of `width` bytes."""
    width, store = _first_alike(algorithm, width, store)

    def build() -> str:
        from everafter.engine.code.compiler import object_text  # noqa: PLC0415 # Numba is needed only here
        from everafter.engine.kernels.single_kernels import search_entries  # noqa: PLC0415
        from everafter.engine.kernels.team_kernels import team_search_entries  # noqa: PLC0415

        entries = search_entries if algorithm.workers == "one" else team_search_entries
        return object_text(entries(algorithm, width, store))

    columns = " ".join(algorithm.columns)
    return Kernel(f"{store} search {algorithm.workers} {algorithm.name} {columns} {width}", build)


def _first_alike(algorithm: Algorithm, width: int, store: StoreKind) -> tuple[int, StoreKind]:
    """The first width and store with the same search: it knows the columns of a store, and whether states are kept."""
    sought = kinds(algorithm, width, store)
    every = product((NARROW, WIDE), LOSSY if store in LOSSY else STORES)
    return next(each for each in every if kinds(algorithm, *each) == sought)


def store_code(algorithm: Algorithm, width: int, tell: Tell = say_nothing, store: StoreKind = "plain") -> Loaded:
    """Return the code of `store` as `algorithm` needs it, for `width`; `tell` is called if it must be built."""
    return loaded(store_kernel(algorithm, width, store), tell)


def search_code(algorithm: Algorithm, width: int, tell: Tell = say_nothing, store: StoreKind = "plain") -> Loaded:
    """Return the code of `algorithm` over `store`, for `width`; `tell` is called if it must be built."""
    return loaded(search_kernel(algorithm, width, store), tell)


def loaded(kernel: Kernel, tell: Tell) -> Loaded:
    """Return the code of the `kernel`, loaded once in this process; `tell` is given a line if it has to be built."""
    if kernel.key not in _codes:
        archive = carried()
        if isinstance(archive, KernelArchive) and (packed := archive.places.get(kernel.key)):
            code = cached(f"kernel {packed.digest}", lambda: finished(text_of(kernel, tell)))
        else:
            code = cached(f"{kernel.key} {text_digest()}", lambda: finished(text_of(kernel, tell)))
        _codes[kernel.key] = Loaded(code)
    return _codes[kernel.key]


def text_of(kernel: Kernel, tell: Tell) -> str:
    """Return the text of the `kernel`, which is built, with a line to `tell`, where the package does not carry it."""
    archive = carried()
    try:
        if isinstance(archive, Unfit):
            raise archive
        if kernel.key not in archive.places:
            raise Unfit(f"the kernels that it carries are without {kernel.key}")
        return archive.text(kernel.key)
    except Unfit as unfit:
        tell(f"{BUILDING} {unfit} …")
        return _built(kernel, unfit)


def _built(kernel: Kernel, unfit: Unfit) -> str:
    """The text of the `kernel`, built since the package is `unfit`; raises EverafterError without Numba."""
    try:
        return kernel.build()
    except ModuleNotFoundError as error:
        if error.name not in ("numba", "numpy"):
            raise
        why = f"everafter cannot search here: {unfit}, and Numba, which builds them, is not installed"
        raise EverafterError(f"{why} (pip install 'everafter[build]')") from None


_codes: dict[str, Loaded] = {}


@cache
def text_digest() -> str:
    """A digest of the text that the code is made of, and of some that it is not: none is forgotten."""
    package = Path(__file__).parent.parent.parent
    folders = [package / name for name in ("engine", "search", "certificates")]
    texts = [path.read_bytes() for folder in folders for path in sorted(folder.rglob("*.py"))]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()
