"""`everafter certify`: does a certificate show what it claims, and is that what the user asks?"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import everafter
from everafter.certificates.certification import (
    Certified,
    Checker,
    certified,
    headings_of,
    opened,
    told_of,
    told_of_claim,
)
from everafter.certificates.heading import Heading
from everafter.certificates.inquiry import AnotherQuestionError, Inquiry, differing_conditions, in_words, options_of
from everafter.characters import visible_line
from everafter.commands.command import load_model
from everafter.commands.model_options import MODEL, add_warnings
from everafter.commands.preprocessing import defined
from everafter.commands.quantities import whole_number
from everafter.commands.question_options import add_question, question_of
from everafter.commands.status import HOLDS, VIOLATED, Command, explanation, status_of, tell
from everafter.commands.trusted import still_trusted
from everafter.questions.request import conditions_of
from everafter.report.progress import ProgressLine
from everafter.source import EverafterError, InputError
from everafter.stated_questions import Asked

SCHEMA = 1
"""The version of the shape that certify.schema.json describes. It grows when a field goes or changes its meaning."""


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("certificate", metavar="CERTIFICATE", help="a file that `check --certificate` has written")
    parser.add_argument("model", metavar="MODEL", help=MODEL)
    add_question(parser, "whatever the model states may be in the certificate")
    add_warnings(parser)
    parser.add_argument(
        "--strict", action="store_true", help="refuse a formula if nothing shows that its automaton is right"
    )
    parser.add_argument(
        "--by",
        choices=get_args(Checker),
        default="native",
        help="decide on machine code, by interpretation, or by the program extracted from its proof (scripts/verified)",
    )
    parser.add_argument("--threads", type=whole_number, metavar="N", help="decide with so many threads or processes")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print what is confirmed")


def _run(options: argparse.Namespace) -> int:
    try:
        return _certify(options, time.monotonic())
    except AnotherQuestionError as error:
        asking = ["everafter certify", *map(shlex.quote, (options.certificate, options.model))]
        command = " ".join((*asking, *(f"-I {shlex.quote(folder)}" for folder in options.include), *error.options))
        tell("\n  ".join(("everafter: the certificate answers another question than yours:", *error.differences)))
        tell(f"  help: what it answers is asked by\n    {visible_line(command)}")
        if options.format == "json":
            print(_json(options, {"error": str(error), "differences": error.differences, "command": command}))
        return status_of(error)
    except EverafterError as error:
        if options.format == "text":
            raise
        tell(explanation(error))
        print(_json(options, {"error": str(error)}))
        return status_of(error)


def _certify(options: argparse.Namespace, started: float) -> int:
    """Confirm what the certificate says, and print it; the exit status."""
    progress = ProgressLine(sys.stderr)

    def told(rows: int) -> bool:
        seconds = time.monotonic() - started
        progress.show(f"{rows:,} rows, {rows / seconds:,.0f}/s, {seconds:.0f} s", often=True)
        return False

    is_text = options.format == "text"
    confirmed: list[Certified] = []
    with opened(options.certificate) as reader:
        said = headings_of(reader)
        inquiry = inquiry_of(options, said)
        asked = [inquiry.found(heading) for heading in said]
        undecided = list(inquiry.undecided(said))
        width = max(len(item.name) for item in (*asked, *undecided))
        if is_text:
            _print_question(inquiry, asked, width)
        try:
            for each in certified(reader, inquiry, options.by, options.threads, told=told, strict=options.strict):
                progress.clear()
                if is_text:
                    _print_answer(each, width)
                confirmed.append(each)
        finally:
            progress.clear()
    trusted = list(still_trusted(confirmed, is_python=inquiry.model.tree.reader is not None))
    if is_text:
        if undecided:
            print("\nnot decided by this certificate, though the model states it:", *_lines(undecided, width), sep="\n")
        print("\nstill trusted:", *trusted, sep="\n  ")
    else:
        missing = [{"property": item.name, "kind": item.kind, "says": in_words(item)} for item in undecided]
        results, seconds = [*map(_result, confirmed)], round(time.monotonic() - started, 6)
        told_of_it = {"results": results, "undecided": missing, "trusted": trusted, "seconds": seconds}
        print(_json(options, {"question": dict(inquiry.conditions), **told_of_it}))
    return VIOLATED if any(each.verdict == "violated" for each in confirmed) else HOLDS


def inquiry_of(options: argparse.Namespace, said: Sequence[Heading]) -> Inquiry:
    """Return the question that `options` ask.

    Raises EverafterError if it is none, or not the one that `said` answers.
    """
    request = question_of(options)
    try:
        inquiry = Inquiry.of(load_model(options.model, options, options.never), request)
        inquiry.compare(said)
    except InputError:  # a macro that is not defined, say
        ours = conditions_of(request, defined(options.define), options.lose_messages)
        for line in dict.fromkeys(line for each in said for line in differing_conditions(each.conditions, ours)):
            tell(f"everafter: {line}")
        raise
    return inquiry


# As text


def _print_question(inquiry: Inquiry, asked: Sequence[Asked], width: int) -> None:
    """Print everything that the verdicts depend on: the model, the conditions, and each property in full."""
    defines, fairness = inquiry.conditions["defines"], inquiry.conditions["fairness"]
    others = {name: value for name, value in inquiry.conditions.items() if name not in ("defines", "fairness")}
    lines = [
        ("model", inquiry.model.name),
        ("definitions", " ".join(options_of({"defines": defines}))),
        ("options", " ".join(options_of(others))),
        ("fairness", fairness or ""),
    ]
    width = max(width, *(len(name) for name, _ in lines))
    told = [visible_line(f"  {name:{width}}  {text or 'none'}") for name, text in lines]
    print("question:", *told, *_lines(asked, width), "\nanswer:", sep="\n", flush=True)


def _lines(items: Sequence[Asked], width: int) -> list[str]:
    """A line for each property, with what it says."""
    return [visible_line(f"  {each.name:{width}}  {in_words(each)}") for each in items]


def _print_answer(found: Certified, width: int) -> None:
    how = [
        word
        for word, is_so in (("reduced", found.reduced), ("merged", found.merged), ("with zeros", found.erased))
        if is_so
    ]
    of = f" ({', '.join(how)})" if how else ""
    print(f"  {visible_line(found.property):{width}}  {found.verdict:<10}  certified{of}: {told_of(found)}", flush=True)
    if found.claim is not None:
        print(f"  {'':{width}}  {'':10}  its claim {told_of_claim(found.claim)}", flush=True)


# As JSON, which certify.schema.json describes


def _json(options: argparse.Namespace, found: Mapping[str, Any]) -> str:
    asked = {"schema": SCHEMA, "certificate": options.certificate, "model": options.model}
    return json.dumps({**asked, **found, "version": everafter.__version__}, indent=2)


def _result(found: Certified) -> dict[str, Any]:
    return {
        "property": found.property,
        "kind": found.kind,
        "says": found.says,
        "verdict": found.verdict,
        "by": found.by,
        "rows": found.rows,
        "reduced": found.reduced,
        "erased": found.erased,
        "merged": found.merged,
        "claim": None if found.claim is None else told_of_claim(found.claim),
    }


CERTIFY = Command(_add_options, _run)
