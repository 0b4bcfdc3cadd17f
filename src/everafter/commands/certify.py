"""`everafter certify`: does a certificate show what it claims?"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace

from everafter.certificates.file import CertificateError
from everafter.certification import Certified, certify, headings, told_of, told_of_claim
from everafter.check import read_source
from everafter.checking.limits import Progress
from everafter.commands.command import HOLDS, VIOLATED, Command, add_model, load_model, whole_number
from everafter.commands.trusted import still_trusted
from everafter.report.progress import ProgressLine
from everafter.verdict.heading import Heading


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("certificate", metavar="CERTIFICATE", help="a file that `check --certificate` has written")
    add_model(parser)
    parser.add_argument("--never", metavar="FILE", help="the never claim that was checked with the model")
    parser.add_argument("--hoa", metavar="FILE", help="the automaton that was checked with the model")
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
    options.define = [*said[0].defines.items(), *options.define]
    options.lose_messages = options.lose_messages or said[0].loses_messages
    model = load_model(options.model, options, options.never)
    progress = ProgressLine(sys.stderr)
    started = time.monotonic()
    shown = Progress(options.certificate, 0, 0, 0, 0.0, 0)

    def told(rows: int) -> bool:
        progress.show(replace(shown, states=rows, seconds=time.monotonic() - started))
        return False

    print(model.name)
    width = max(len(heading.property) for heading in said)
    confirmed = []
    found = certify(
        options.certificate,
        model,
        options.by,
        options.threads,
        told=told,
        automaton=read_source(options.hoa) if options.hoa is not None else None,
        strict=options.strict,
    )
    try:
        for heading, each in zip(said, found, strict=True):
            progress.clear()
            print(f"  {each.property:{width}}  {_told(heading, each)}", flush=True)
            if each.claim is not None:
                print(f"  {'':{width}}  {'':10}  its claim {told_of_claim(each.claim)}", flush=True)
            confirmed.append((heading, each))
    finally:
        progress.clear()
    print("\nstill trusted:", *still_trusted(confirmed), sep="\n  ")
    return VIOLATED if any(each.verdict == "violated" for _, each in confirmed) else HOLDS


def _told(heading: Heading, each: Certified) -> str:
    settings = [f"{heading.fairness}ly fair runs"] if heading.fairness else []
    settings += ["reduced"] if heading.reduced else []
    settings += [f"without {what}" for what in heading.ignore] + ["empty channels at the end"] * heading.empty_channels
    of = f" ({', '.join(settings)})" if settings else ""
    return f"{each.verdict:<10}  certified{of}: {told_of(each)}"


CERTIFY = Command("certify", "decide whether a certificate shows what it claims", _add_options, _run)
