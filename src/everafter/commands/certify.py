"""`everafter certify`: does a certificate show what it claims?"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

from everafter.certificates.file import CertificateError
from everafter.certification import Certified, certified, headings, told_of, told_of_claim
from everafter.characters import visible_line
from everafter.checking.limits import Progress
from everafter.checking.request import conditions_of
from everafter.commands.command import (
    HOLDS,
    MODEL,
    VIOLATED,
    Command,
    add_warnings,
    load_model,
    tell,
    whole_number,
)
from everafter.commands.preprocessing import defined
from everafter.commands.question import add_question, question_of
from everafter.commands.trusted import still_trusted
from everafter.inquiry import AnotherQuestionError, Inquiry, differing_conditions
from everafter.ltl import text_of
from everafter.report.progress import ProgressLine
from everafter.source import InputError, OptionError
from everafter.verdict.heading import Heading


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("certificate", metavar="CERTIFICATE", help="a file that `check --certificate` has written")
    parser.add_argument("model", metavar="MODEL", help=MODEL)
    add_question(parser, "whatever the model states may be in the certificate")
    add_warnings(parser)
    parser.add_argument(
        "--strict", action="store_true", help="refuse a formula if nothing shows that its automaton is right"
    )
    parser.add_argument(
        "--by", choices=("native", "reference"), default="native", help="decide on machine code, or by interpretation"
    )
    parser.add_argument("--threads", type=whole_number, metavar="N", help="decide with so many threads or processes")


def _run(options: argparse.Namespace) -> int:
    said = headings(options.certificate)
    if not said:
        raise CertificateError("the certificate holds no verdict")
    inquiry = _inquiry(options, said)
    progress = ProgressLine(sys.stderr)
    started = time.monotonic()
    shown = Progress(options.certificate, 0, 0, 0, 0.0, 0)

    def told(rows: int) -> bool:
        progress.show(replace(shown, states=rows, seconds=time.monotonic() - started))
        return False

    print(visible_line(" ".join((inquiry.model.name, *inquiry.options()))))
    width = max(len(heading.property) for heading in said)
    confirmed = []
    found = certified(
        options.certificate,
        inquiry,
        options.by,
        options.threads,
        told=told,
        strict=options.strict,
    )
    try:
        for heading, each in zip(said, found, strict=True):
            progress.clear()
            print(f"  {each.property:{width}}  {_told(heading, each)}", flush=True)
            if each.formula is not None:
                print(f"  {'':{width}}  {'':10}  {visible_line(text_of(each.formula, 'spin'))}", flush=True)
            if each.claim is not None:
                print(f"  {'':{width}}  {'':10}  its claim {told_of_claim(each.claim)}", flush=True)
            confirmed.append((heading, each))
    finally:
        progress.clear()
    print("\nstill trusted:", *still_trusted(confirmed), sep="\n  ")
    return VIOLATED if any(each.verdict == "violated" for _, each in confirmed) else HOLDS


def _inquiry(options: argparse.Namespace, said: Sequence[Heading]) -> Inquiry:
    """The question that the options ask. Raises EverafterError if it is none, or not the one that is answered."""
    request = question_of(options)
    asking = ["everafter certify", *map(shlex.quote, (options.certificate, options.model))]
    asking += [f"-I {shlex.quote(folder)}" for folder in options.include]
    try:
        inquiry = Inquiry.of(load_model(options.model, options, options.never), request)
        inquiry.compare(said)
    except InputError:  # a macro that is not defined, say
        ours = conditions_of(request, defined(options.define), options.lose_messages)
        for line in dict.fromkeys(line for each in said for line in differing_conditions(each.conditions, ours)):
            tell(f"everafter: {line}")
        raise
    except AnotherQuestionError as error:
        command = visible_line(" ".join((*asking, *error.options)))
        raise OptionError(str(error), f"what it answers is asked by\n    {command}") from error
    return inquiry


def _told(heading: Heading, each: Certified) -> str:
    settings = ["reduced"] if heading.reduced else []
    of = f" ({', '.join(settings)})" if settings else ""
    return f"{each.verdict:<10}  certified{of}: {told_of(each)}"


CERTIFY = Command("certify", "decide whether a certificate shows what it claims", _add_options, _run)
