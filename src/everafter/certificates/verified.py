"""Rows of a certificate, decided by the program that Coq extracts from proofs/semantics.

scripts/verified builds it. It is given the program and the rows as plain text, and shares nothing else with this
package.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from everafter.certificates.native.listed_rows import Refused
from everafter.certificates.plain_claim import plain_claim
from everafter.certificates.plain_rows import plain_rows, plain_states
from everafter.certificates.rows import Listed
from everafter.execution.plain_program import plain_form
from everafter.questions.question import Question
from everafter.source import EverafterError

NAME: Final = "everafter-verified"
_PLACE: Final = "EVERAFTER_VERIFIED"


class VerifiedError(EverafterError):
    """The extracted program is not there, or has come to no answer."""


def verified_program() -> str:
    """Return where the extracted program is: where EVERAFTER_VERIFIED says, on the path, or in the user's cache.

    Raises VerifiedError.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "everafter" / "verified"
    found = os.environ.get(_PLACE) or shutil.which(NAME) or shutil.which(NAME, path=cache)
    if found is None:
        raise VerifiedError(f"{NAME} is not there: build it by scripts/verified, or name it in {_PLACE}")
    return found


def check_verified(question: Question, listed: Listed) -> int:
    """Have the rows of `listed` decided for `question`; return how many there are.

    Raises Refused, InputError where the program has no plain form, and VerifiedError.
    """
    if listed.reduced or listed.erased or listed.merged:
        raise Refused("the verified program takes all steps, and here some are left out: check with --reduction none")
    texts = [plain_form(question.program)]
    rows = plain_states
    if question.goal == "cycle":
        texts.append(plain_claim(question))
        rows = plain_rows
    with tempfile.TemporaryDirectory(prefix="everafter-") as folder:
        paths = [Path(folder) / name for name in ("program", "claim")[: len(texts)]]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, encoding="utf-8")
        said = asked(("certify", *map(str, paths)), rows(question.program, listed.blocks))
    match said.split():
        case ["accepted", count]:
            return int(count)
        case ["refused", count]:
            raise Refused(f"the verified program does not accept its {int(count):,} rows")
        case _:
            raise VerifiedError(f"{NAME} has come to no answer: {said}")


def asked(arguments: Sequence[str], lines: Iterator[str]) -> str:
    """Return what the extracted program says to `arguments` and to `lines` on its standard input.

    Raises VerifiedError if it fails, but not if it refuses something.
    """
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as told,
        tempfile.TemporaryFile("w+", encoding="utf-8") as complaint,
        subprocess.Popen(
            [verified_program(), *arguments],
            stdin=subprocess.PIPE,
            stdout=told,
            stderr=complaint,
            text=True,
            encoding="utf-8",
        ) as child,
    ):
        try:
            assert child.stdin is not None
            with suppress(BrokenPipeError):  # it has ended, and says why
                for line in lines:
                    child.stdin.write(line)
            with suppress(BrokenPipeError):
                child.stdin.close()
            status = child.wait()
        except BaseException:
            child.kill()
            raise
        complaint.seek(0)
        if status not in (0, 1):
            raise VerifiedError(f"{NAME} has come to no answer: {complaint.read().strip() or f'status {status}'}")
        told.seek(0)
        return told.read()
