"""The code of certificates as an object: each function takes the address of a job (engine/certificates/job.py)."""

from __future__ import annotations

from typing import Final

from everafter.certificates import deciding
from everafter.engine.certificates import checking, finding, reading, writing
from everafter.engine.code.compiler import function, object_code
from everafter.engine.code.intrinsics import Column, column_at
from everafter.engine.columns import WORD_BYTES
from everafter.engine.store.parts import bound, functions_of

APART: Final = ("check_row", "write_row", "read_row", "find_row")  # worth a call
ENTRIES: Final = ("write_rows", "read_rows", "sort_rows", "check_initial", "check_rows", "count_checked", "find_given")
PACKAGES: Final = ("everafter.engine.certificates.", deciding.__name__)


def build_certificates(width: int) -> bytes:
    """The object, for numbers of components of so many bytes."""
    functions = functions_of(writing, reading, finding, checking, deciding)
    given = {"as_component": column_at(Column(8 * width, WORD_BYTES))}
    made = bound(functions, given, lambda text, name: function(text, name not in APART), PACKAGES)
    return object_code(**{name: (made[name], 1) for name in ENTRIES})
