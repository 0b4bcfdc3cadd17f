"""The file of a certificate, from before the check to behind it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import everafter
from everafter.certificates.file import CertificateWriter
from everafter.commands.command import tell
from everafter.source import OptionError


@contextmanager
def certificate_at(path: str | None) -> Iterator[CertificateWriter | None]:
    """A writer to the file, if one is wanted; says at the end what was written. What is not whole is deleted."""
    if path is None:
        yield None
        return
    try:
        file = Path(path).open("wb")  # noqa: SIM115 # it is closed below; only opening it may fail so
    except OSError as error:
        raise OptionError(f"cannot write {path}: {error.strerror or error}") from error
    whole = False
    try:
        writer = CertificateWriter(file, everafter.__version__)
        yield writer
        whole = writer.finish()
    finally:
        with suppress(OSError):  # the disk is full, and that has been noted
            file.close()
        if not whole and Path(path).is_file():
            Path(path).unlink()
    if whole:
        names = ", ".join(writer.properties) or "nothing"
        tell(f"certificate of {names} written to {path}: {writer.bytes:,} bytes")
    else:
        tell(f"everafter: no certificate was written: {writer.failed or 'the check was interrupted'}")
