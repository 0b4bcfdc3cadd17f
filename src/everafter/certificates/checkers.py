"""Two checkers of the rows that a certificate lists: on machine code, and by the reference, which says what a step is.

Both decide by the proved text of `certificates.deciding`, and for ample sets by that of `certificates.sufficing`;
they differ in what says where a step leads. Neither shares a text with the searches.
"""

from __future__ import annotations

import random
from collections import defaultdict

from everafter.certificates.native.job_words import LIVENESS, SAFETY
from everafter.certificates.native.listed_rows import Judging, Refused, Rows
from everafter.certificates.reference.reduced_rows import table_for
from everafter.certificates.reference.row_checker import ABSENT, RowCheck, Spared, Told, check_reference
from everafter.certificates.rows import Listed
from everafter.engine.run.native_model import NativeModel
from everafter.questions.question import Question
from everafter.questions.question_code import native_model
from everafter.questions.reduction_choice import reduction_of_rows
from everafter.record import dataclass


def check_native(
    question: Question, listed: Listed, memory: int, threads: int, told: Told, sample: int = 0
) -> tuple[int, int]:
    """Decide all rows of `listed` for `question` on machine code, and `sample` of them once more by the reference.

    At most `memory` bytes and `threads` threads are used; `told` is called with the rows decided. Returns how many rows
    each of them decided. Raises Refused.
    """
    reduction = reduction_of_rows(question, listed.reduced)
    table = table_for(question) if reduction is not None else None
    model = native_model(question, None, judge=table)
    judging: Judging | None = None
    if reduction is not None and table is not None:
        chooser = NativeModel(question.program, None, reduction)  # its code is there as long as it is
        able, meant = model.address("able"), model.address("meant")
        judging = Judging(chooser.code(threads), able, meant, table.numbers)
    with Rows(memory, question.observer, threads) as rows:
        rows.read(listed.blocks, listed.sets > 0)
        mode = LIVENESS if listed.sets else SAFETY
        rows.check(model.code(threads), mode, max(listed.sets, 1), told, judging)
        numbers = rows.sample(sample, random.Random(rows.rows))
        if numbers:
            marks: dict[int, int] = defaultdict(int)
            check = RowCheck.of(
                question, listed, _ListedRows(rows), _RowNumbers(rows), _Ranks(rows), rows.end, marks, None
            )
            _check_again(check, numbers)
        return rows.rows, len(numbers)


def _check_again(check: RowCheck, numbers: list[int]) -> None:
    for number in numbers:
        problem = check.problem(number, Spared({}, set()))
        if problem is not None:
            raise Refused(f"by the reference, {problem}")
    check.require_decided(numbers)


@dataclass(frozen=True, slots=True)
class _ListedRows:
    """Rows by their numbers."""

    listed: Rows

    def __getitem__(self, number: int) -> bytes:
        return self.listed.row(number)


@dataclass(frozen=True, slots=True)
class _Ranks:
    """Ranks by the numbers of rows."""

    listed: Rows

    def __getitem__(self, number: int) -> int:
        return self.listed.rank(number)


@dataclass(frozen=True, slots=True)
class _RowNumbers:
    """Numbers by rows."""

    listed: Rows

    def get(self, row: bytes, _absent: int) -> int:
        return self.listed.find(row) if row else ABSENT


__all__ = ["check_native", "check_reference"]
