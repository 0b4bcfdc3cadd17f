"""The code of certificates as an object: each function takes the address of a job (`job_words.py`)."""

from __future__ import annotations

from typing import Final

from everafter.certificates import deciding, sufficing
from everafter.certificates.native import row_index, row_pass, row_reader, row_reduction, row_writer
from everafter.engine.code.compiler import Entries, function, object_code
from everafter.engine.code.intrinsics import Column, column_at
from everafter.engine.code.parts import bound, functions_of, replaced

APART: Final = (  # worth a call
    *("check_row", "write_row", "read_row", "find_row"),
    *("may_be_taken_alone", "search_cycle", "suffices", "conflicts", "is_true", "may_mean", "is_excepted"),
)
ENTRIES: Final = (
    *("write_rows", "read_rows", "sort_rows", "check_initial", "check_rows", "count_decided", "find_given"),
    "check_cycles",
)
PACKAGES: Final = ("everafter.certificates.native.", deciding.__name__, sufficing.__name__)


def build_certificates(width: int) -> bytes:
    """Return the object, for numbers of components of `width` bytes."""
    return object_code(**certificate_entries(width))


def certificate_entries(width: int) -> Entries:
    """Return what `build_certificates` makes the object of, with its `width`."""
    functions = replaced(
        functions_of(row_writer, row_reader, row_index, row_reduction, row_pass, deciding, sufficing),
        row_reduction.REPLACING,
    )
    given = {"as_component": column_at(Column(8 * width, 8))}
    made = bound(functions, given, lambda text, name: function(text, name not in APART), PACKAGES)
    return {name: (made[name], 1) for name in ENTRIES}
