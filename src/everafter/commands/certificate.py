"""The file of a certificate, from before the check to behind it."""

from __future__ import annotations

import argparse
import tempfile
from contextlib import suppress
from pathlib import Path

import everafter
from everafter.certificates.file import CertificateWriter
from everafter.certification import check_twice
from everafter.check import Model, check
from everafter.checking.limits import Limits, Observer
from everafter.checking.request import Request
from everafter.commands.command import tell
from everafter.deadline import Deadline
from everafter.source import OptionError
from everafter.verdict.result import Result


def certified_results(
    options: argparse.Namespace,
    model: Model,
    request: Request,
    limits: Limits,
    observer: Observer,
    deadline: Deadline,
) -> tuple[list[Result], bool]:
    """The results of a check, with its certificate written if one is wanted, and whether that succeeded."""
    if options.certificate is None and not options.paranoid:
        return check(model, request, limits, observer, deadline), True
    with tempfile.TemporaryDirectory(prefix="everafter-") as folder:
        path = Path(options.certificate or f"{folder}/certificate")
        results, writer = _written(path, options.paranoid, model, request, limits, observer, deadline)
    if not writer.is_whole:
        tell(f"everafter: no certificate was written: {writer.failed or 'the check was interrupted'}")
    elif options.certificate is not None:
        names = ", ".join(writer.properties) or "nothing"
        tell(f"certificate of {names} written to {path}: {writer.bytes:,} bytes")
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
    """The results, and whoever wrote the file. What is not whole is deleted."""
    try:
        file = path.open("wb")
    except OSError as error:
        raise OptionError(f"cannot write {path}: {error.strerror or error}") from error
    writer = CertificateWriter(file, everafter.__version__)
    try:
        if twice:
            results = check_twice(model, request, limits, observer, deadline, path, writer)
        else:
            results = check(model, request, limits, observer, deadline, certificate=writer)
            writer.finish()
    finally:
        with suppress(OSError):  # the disk is full, and that has been noted
            file.close()
        if not writer.is_whole and path.is_file():
            path.unlink()
    return results, writer
