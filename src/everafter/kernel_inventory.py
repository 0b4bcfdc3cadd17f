"""Every kernel that a check can need, and the archive of them that a package carries.

    python -m everafter.kernel_inventory        # writes the archive, which takes one or two minutes; Numba is needed

`hatch_build.py` runs this when a package is built. Nothing else needs this module.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from everafter.certificates.native.code import certificate_kernel
from everafter.choices import LOSSY, StoreKind
from everafter.engine.cluster.worker import cluster_kernel
from everafter.engine.code.cache import cached
from everafter.engine.code.kernel_archive import PATH, ROOT, Unfit, heading_of, read_archive, write_archive
from everafter.engine.code.machine import llvm_version
from everafter.engine.columns import NARROW, WIDE, can_be_packed
from everafter.engine.gpu.device_code import gpu_kernel
from everafter.engine.run.kernel_code import Kernel, search_kernel, store_kernel
from everafter.search.algorithm import Algorithm
from everafter.search.catalogue import CATALOGUE

BUILDERS: Final = (
    "everafter.engine.run.kernel_code",
    "everafter.engine.kernels.team_kernels",
    "everafter.engine.cluster.worker_kernels",
    "everafter.engine.gpu.gpu_kernels",
    "everafter.certificates.native.kernels",
)
"""Texts are made by these, and of what they import."""
ROOMS: Final = ("engine", "search", "certificates")
"""The folders whose functions are compiled."""
MOST_PROCESSES: Final = 8
FORGETTING: Final = "depth-first"
"""The one search over stores that forget."""


def kernels() -> Mapping[str, Kernel]:
    """Return every kernel, by its key."""
    return {each.key: each for each in _every()}


def _every() -> Iterator[Kernel]:
    for algorithm in CATALOGUE:
        for width, store in _places(algorithm):
            yield store_kernel(algorithm, width, store)
            yield search_kernel(algorithm, width, store)
            yield search_kernel(algorithm.keeping(), width, store)
    yield from (certificate_kernel(width) for width in (NARROW, WIDE))
    yield cluster_kernel("plain")
    yield cluster_kernel("tree")
    yield gpu_kernel()


def _places(algorithm: Algorithm) -> list[tuple[int, StoreKind]]:
    """The widths of numbers and the stores that `algorithm` may have: trees have narrow ones."""
    places: list[tuple[int, StoreKind]] = [(NARROW, "plain"), (WIDE, "plain"), (NARROW, "tree")]
    packed: list[tuple[int, StoreKind]] = [(NARROW, "packed"), (WIDE, "packed")] if can_be_packed(algorithm) else []
    forgets = algorithm.name == FORGETTING
    return [*places, *packed, *(product((NARROW, WIDE), LOSSY) if forgets else ())]


def files() -> list[str]:
    """Return the files that texts are made of, by their places in the package."""
    names = (
        f"import sys, {', '.join(BUILDERS)}; print(*(getattr(each, '__file__', '') for each in sys.modules.values()))"
    )
    command = [sys.executable, "-S", "-c", names]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=_environment())
    places = [Path(name) for name in done.stdout.split() if name.startswith(str(ROOT))]
    inside = sorted(place.relative_to(ROOT) for place in places)
    return [place.as_posix() for place in inside if place.parts[0] in ROOMS]


def lacking(path: Path) -> str:
    """Return why the archive at `path` is not the one of this package; nothing if it is. It needs no other package."""
    try:
        archive = read_archive(path)
    except Unfit as unfit:
        return str(unfit)
    missing = kernels().keys() - archive.places.keys()
    return f"it carries no {min(missing)}" if missing else ""


def write(path: Path, keys: Sequence[str] = (), processes: int = 1) -> None:
    """Write the archive of all kernels, or of those with these `keys`, to `path`, built by so many `processes`."""
    heading = heading_of(files(), tools())  # of the files before they are read
    wanted = keys or tuple(kernels())
    if processes == 1:
        write_archive(path, {key: build(key) for key in wanted}, heading)
        return
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        write_archive(path, dict(zip(wanted, pool.map(build, wanted), strict=True)), heading)


def tools() -> dict[str, str]:
    """Return the versions of what decides how the texts are written."""
    import numba  # noqa: PLC0415 # only those who build have it

    return {"llvm": llvm_version(), "numba": numba.__version__, "python": platform.python_version()}


def build(key: str) -> str:
    """Return the text of the kernel `key`, built by Numba."""
    return kernels()[key].build()


def _environment() -> dict[str, str]:
    """Of a process that imports this package."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT.parent), *sys.path))}


def write_or_find(path: Path) -> None:
    """Write the archive of all kernels to `path`; what this user has built of the same files comes from the cache."""
    said = json.dumps([heading_of(files(), tools()), sorted(kernels())])

    def built() -> bytes:
        write(path, processes=min(os.cpu_count() or 1, MOST_PROCESSES))
        return path.read_bytes()

    path.write_bytes(cached(f"archive of kernels {said}", built))


if __name__ == "__main__":
    write_or_find(PATH)
