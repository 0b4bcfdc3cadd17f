"""What memory itself costs: nanoseconds for one read at a random place, when none has to wait for another."""

from __future__ import annotations

import time
from typing import Any

import numba
import numpy as np

_READS = 4_000_000
_WORDS_IN_LINE = 8


def random_read(size: int) -> float:
    """The nanoseconds of processor time for a read of an area of about so many bytes, the next power of two."""
    area = np.ones(1 << (max(size, 4096) // 8 - 1).bit_length(), np.uint64)
    _total(area, 1)
    began = time.process_time()
    _total(area, _READS)
    return (time.process_time() - began) / _READS * 1e9


@numba.njit  # type: ignore[untyped-decorator]
def _total(area: Any, reads: int) -> Any:
    """The sum of words at places that no reader can foresee, but the processor can compute ahead."""
    last = np.uint64(len(area) // _WORDS_IN_LINE - 1)
    place, total = np.uint64(88172645463325252), np.uint64(0)
    for _ in range(reads):
        place ^= place << np.uint64(13)
        place ^= place >> np.uint64(7)
        place ^= place << np.uint64(17)
        total += area[(place & last) * np.uint64(_WORDS_IN_LINE)]
    return total
