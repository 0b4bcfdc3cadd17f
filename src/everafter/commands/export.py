"""`everafter certificate export`: a certificate as plain text, for checkers of others."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from everafter.certificates.certification import headings_of, opened
from everafter.certificates.file import CertificateError
from everafter.certificates.native.listed_rows import Refused
from everafter.certificates.plain_claim import plain_claim
from everafter.certificates.plain_rows import plain_rows, plain_states
from everafter.commands.certify import inquiry_of
from everafter.commands.model_options import MODEL, add_warnings
from everafter.commands.question_options import add_question
from everafter.commands.status import HOLDS, Command
from everafter.execution.plain_program import plain_form
from everafter.ltl.hoa_reader import from_hoa
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.source import Source
from everafter.stated_questions import Asked

_NO_LETTERS = re.compile(r"\W+", re.ASCII)


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("export",), help="what to do with it: write it as plain text")
    parser.add_argument("certificate", metavar="CERTIFICATE", help="a file that `check --certificate` has written")
    parser.add_argument("model", metavar="MODEL", help=MODEL)
    parser.add_argument("folder", metavar="FOLDER", help="where programs, rows and automata are written")
    add_question(parser, "whatever the model states may be in the certificate")
    add_warnings(parser)


def _run(options: argparse.Namespace) -> int:
    folder = Path(options.folder)
    with opened(options.certificate) as reader:
        said = headings_of(reader)
        inquiry = inquiry_of(options, said)
        for number, (section, heading) in enumerate(zip(reader.sections, said, strict=True), 1):
            item = inquiry.found(heading)
            name = f"{number}-{_NO_LETTERS.sub('_', item.name)[:40]}"
            if heading.verdict == "violated":
                print(f"{item.name}: violated, by a run; `everafter certify` takes it again")
                continue
            program, rows = item.program, plain_states if item.kind == "safety" else plain_rows
            texts = [(f"{name}.program", [plain_form(program)])]
            if heading.automaton is not None:
                texts.append((f"{name}.hoa", [heading.automaton]))
            if item.kind != "safety":
                like = Question(program, SAFETY, inquiry.fairness)
                texts += [(f"{name}.claim", [claim]) for claim in _claim(item, like, heading.automaton)]
            try:
                for file, lines in (*texts, (f"{name}.rows", rows(program, reader.blocks(section)))):
                    _write(folder / file, lines)
            except Refused as refused:
                raise CertificateError(f"the certificate of '{item.name}' is damaged: {refused}") from refused
            left = " (steps are left out)" if heading.reduced else ""
            print(f"{item.name}: {folder / name}.program, .rows{left}")
    return HOLDS


def _claim(item: Asked, like: Question, automaton: str | None) -> Iterator[str]:
    """The claim in the plain form, with a reason for its automaton, if it has one and that is small enough."""
    with suppress(Refused):
        if automaton is None:
            yield plain_claim(item.question(like))
        else:
            read = from_hoa(Source(f"automaton of {item.name}", automaton), most_sets=1)
            yield plain_claim(item.question(like, read))


def _write(path: Path, lines: Iterable[str]) -> None:
    """Write `lines` into the file `path`. Raises CertificateError if that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            file.writelines(lines)
    except OSError as error:
        raise CertificateError(f"cannot write {path}: {error.strerror}") from error


CERTIFICATE = Command(_add_options, _run)
