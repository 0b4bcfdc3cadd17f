"""The file of a certificate, from before the check to behind it."""

from __future__ import annotations

import argparse
from pathlib import Path

from everafter.certificates.file import CertificateWriter, writing
from everafter.check import check
from everafter.commands.status import tell_line
from everafter.deadline import Deadline
from everafter.questions.limits import Limits, Observer
from everafter.questions.request import Request
from everafter.user_model import Model
from everafter.verdict.result import Result


def certified_results(
    options: argparse.Namespace,
    model: Model,
    request: Request,
    limits: Limits,
    observer: Observer,
    deadline: Deadline,
) -> tuple[list[Result], bool]:
    """Return the results of a check, with its certificate written if `options` want one, and whether that succeeded.

    `model`, `request`, `limits`, `observer` and `deadline` are those of the check.
    """
    if options.certificate is None and not options.paranoid:
        return check(model, request, limits, observer, deadline), True
    import tempfile  # noqa: PLC0415 # few checks write certificates

    with tempfile.TemporaryDirectory(prefix="everafter-") as folder:
        path = Path(options.certificate or f"{folder}/certificate")
        results, writer = _written(path, options.paranoid, model, request, limits, observer, deadline)
    if not writer.is_whole:
        tell_line(f"everafter: no certificate was written: {writer.failed or 'the check was interrupted'}")
    elif options.certificate is not None:
        names = ", ".join(writer.properties) or "nothing"
        tell_line(f"certificate of {names} written to {path}: {writer.bytes:,} bytes")
    return results, writer.is_whole


def _written(
    path: Path,
    twice: bool,
    model: Model,
    request: Request,
    limits: Limits,
    observer: Observer,
    deadline: Deadline,
) -> tuple[list[Result], CertificateWriter]:
    """The results, and the writer of the file at `path`. What is not whole is deleted."""
    with writing(path) as writer:
        if twice:
            from everafter.certificates.certification import check_twice  # noqa: PLC0415 # few checks are checked

            return check_twice(model, request, limits, observer, deadline, path, writer), writer
        results = check(model, request, limits, observer, deadline, certificate=writer)
        writer.finish()
        return results, writer
