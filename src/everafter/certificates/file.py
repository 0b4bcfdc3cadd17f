"""The format of certificate files: version 4.

    file       =  MAGIC  section*  end  digest
    section    =  "C"  length of heading (4 bytes)  heading  block*  empty block
    block      =  rows (4)  lengths of four streams (4 × 4)  length of data (4)  data
    end        =  "E"
    digest     =  SHA-256 of everything before it

Numbers are unsigned, lowest byte first. A heading is JSON in UTF-8; the data of a block are its four streams, one
behind the other, as Zstandard compresses them, and zeros. A file that is cut short has no digest, one that was changed
another.

What a block unpacks to, its rows taken together with their streams, is at most EXPANSION times as long as its data:
rows that compress better are followed by zeros. So time and memory for reading a file are linear in its size, and
every size is known from a block's first 24 bytes, before any memory is taken.
"""

from __future__ import annotations

import hashlib
import json
import struct
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

from everafter.certificates.rows import LONGEST_RANK, RowBlock
from everafter.json_text import read_json
from everafter.record import dataclass
from everafter.source import EverafterError, OptionError
from everafter.zstd import compressed, content_size, decompressed

VERSION: Final = 4
_NAME: Final = b"everafter certificate "
MAGIC: Final = b"%b%d\n" % (_NAME, VERSION)
EXPANSION: Final = 1024
"""The most bytes of rows and streams that a byte of the file may stand for."""
_LEVEL: Final = 1
_BLOCK: Final = struct.Struct("<6I")
_LENGTH: Final = struct.Struct("<I")
_SECTION, _END = b"C", b"E"
_DIGEST: Final = hashlib.sha256().digest_size
_MOST_STREAM: Final = 1 << 24


class CertificateError(EverafterError):
    """The file is no certificate, or not one of this model, or does not show what it claims."""


class CertificateWriter:
    """Writes a certificate file section by section; nothing is kept in memory."""

    def __init__(self, file: BinaryIO, version: str = "") -> None:
        self._file = file
        self.version = version
        """Of the everafter that writes it."""
        self._digest = hashlib.sha256()
        self._inside = False
        self.is_whole = False
        """Whether all is written, to the digest at the end."""
        self.bytes = 0
        self.properties: list[str] = []
        """Of which there is a whole section."""
        self.failed: str | None = None
        """Why nothing more can be written: a full disk must not cost a verdict."""
        self._put(MAGIC)

    def section(self, heading: Mapping[str, Any], blocks: Iterable[RowBlock] = ()) -> None:
        """Add a section with `heading`, about one property, and its `blocks`."""
        text = json.dumps(heading, ensure_ascii=False, separators=(",", ":")).encode()
        self._inside = True
        self._put(_SECTION + _LENGTH.pack(len(text)) + text)
        for block in blocks:
            if self.failed is not None:
                return
            lengths = [len(stream) for stream in block.streams]
            data = compressed(b"".join(block.streams), _LEVEL).ljust(-(-_unpacked(lengths) // EXPANSION), b"\0")
            self._put(_BLOCK.pack(block.rows, *lengths, len(data)) + data)
        self._put(_BLOCK.pack(0, 0, 0, 0, 0, 0))
        self._inside = False
        self.properties.append(str(heading["property"]))

    def finish(self) -> bool:
        """Say that the file is complete; false if it is not, for writing a section was cut off or failed."""
        if self._inside:
            return False
        self._put(_END)
        self._put(self._digest.digest())
        try:
            self._file.flush()
        except OSError as error:
            self.failed = self.failed or error.strerror or str(error)
        self.is_whole = self.failed is None
        return self.is_whole

    def _put(self, data: bytes) -> None:
        if self.failed is not None:
            return
        try:
            self._file.write(data)
        except OSError as error:
            self.failed = error.strerror or str(error)
        self._digest.update(data)
        self.bytes += len(data)


@contextmanager
def writing(path: str | Path) -> Iterator[CertificateWriter]:
    """Write a certificate to the file at `path`; what is not whole in the end is deleted.

    Raises OptionError if the file cannot be written.
    """
    try:
        file = Path(path).open("wb")  # noqa: SIM115 # it is closed below, where a full disk is noted already
    except (OSError, ValueError) as error:
        raise OptionError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from error
    # The package itself is above this module, so its version is read, not imported.
    writer = CertificateWriter(file, sys.modules["everafter"].__dict__["__version__"])
    try:
        yield writer
    finally:
        with suppress(OSError):
            file.close()
        if not writer.is_whole and Path(path).is_file():
            Path(path).unlink()


@dataclass(frozen=True, slots=True)
class SectionPlace:
    """A section of a certificate: its heading, as JSON has it, and where in the file its blocks begin."""

    heading: dict[str, Any]
    blocks: int


class CertificateReader:
    """Reads a certificate file. Raises CertificateError where it is none, before it takes memory for what it declares.

    The file is read once for its digest; its blocks are skipped until they are needed.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._end = file.seek(0, 2) - _DIGEST
        """Where the digest begins: all else lies before."""
        self._go(0)
        began = self._take(min(len(MAGIC), max(self._end, 0)))
        if began.startswith(_NAME) and began != MAGIC:
            told = f"this is no certificate of version {VERSION}, which everafter has now, or it is cut short"
            raise CertificateError(f"{told}: write it anew, by `everafter check --certificate`")
        if began != MAGIC:
            raise CertificateError("this is not a certificate, or it is cut short")
        self._check_digest()
        self.sections = list(self._sections())

    def _check_digest(self) -> None:
        digest = hashlib.sha256()
        self._go(0)
        while self._place < self._end:
            digest.update(self._take(min(self._end - self._place, 1 << 20)))
        if self._file.read(_DIGEST) != digest.digest():
            raise CertificateError("the certificate is damaged or cut short: its digest is not that of its content")
        self._go(len(MAGIC))

    def _sections(self) -> Iterator[SectionPlace]:
        """All sections, whose blocks are looked at, but not unpacked."""
        while (kind := self._take(1)) == _SECTION:
            section = SectionPlace(self._heading(), self._place)
            yield section
            while (sizes := self._sizes())[0] > 0:
                self._skip(sizes[-1])
        if kind != _END or self._place != self._end:
            raise CertificateError("the certificate is damaged: no section begins here")

    def _heading(self) -> dict[str, Any]:
        (length,) = _LENGTH.unpack(self._take(_LENGTH.size))
        try:
            heading = read_json(self._take(length))
        except ValueError as error:
            raise CertificateError(f"the certificate is damaged: {error}") from error
        if not isinstance(heading, dict):
            raise CertificateError("the certificate is damaged: a heading is no object")
        return heading

    def blocks(self, section: SectionPlace) -> Iterator[RowBlock]:
        """The blocks of a section. Only one section is read at a time."""
        self._go(section.blocks)
        while (sizes := self._sizes())[0] > 0:
            yield _block(sizes, self._take(sizes[-1]))

    def _sizes(self) -> tuple[int, ...]:
        """What a block declares: how many rows, the lengths of its streams, and that of its data."""
        sizes = _BLOCK.unpack(self._take(_BLOCK.size))
        rows, words, changes, values, ranks, size = sizes
        if max(words, changes, values, ranks) > _MOST_STREAM or (rows == 0 and any(sizes)):
            raise CertificateError("the certificate is damaged: a block is too large, or has no rows")
        if rows > words or changes > 8 * words or values > 8 * changes or ranks > LONGEST_RANK * rows:
            raise CertificateError("the certificate is damaged: a block has longer streams than its rows can have")
        if _unpacked(sizes[1:-1]) > EXPANSION * size:
            raise CertificateError(f"the certificate is damaged: a block unpacks to over {EXPANSION:,} times its size")
        return sizes

    def _go(self, place: int) -> None:
        self._place = self._file.seek(place)

    def _skip(self, count: int) -> None:
        """Skip `count` bytes, which must be there."""
        if count > self._end - self._place:
            raise CertificateError("the certificate is cut short")
        self._go(self._place + count)

    def _take(self, count: int) -> bytes:
        """The next bytes, which must be there: no memory is taken for what is declared and not there."""
        if count > self._end - self._place:
            raise CertificateError("the certificate is cut short")
        data = self._file.read(count)
        self._place += len(data)
        if len(data) != count:
            raise CertificateError("the certificate is cut short")
        return data


def _unpacked(lengths: Sequence[int]) -> int:
    """How long, at most, rows and streams of these lengths are: each byte of `words` stands for 64 bytes of a row."""
    words, *others = lengths
    return 64 * words + sum(others)


def _block(sizes: tuple[int, ...], packed: bytes) -> RowBlock:
    rows, *lengths, _ = sizes
    size = sum(lengths)
    try:
        if content_size(packed) != size:  # before so much memory is asked for
            raise CertificateError("the certificate is damaged: a block has another length")
        data = decompressed(packed, size)
    except ValueError as error:
        raise CertificateError(f"the certificate is damaged: {error}") from error
    if len(data) != size:
        raise CertificateError("the certificate is damaged: a block has another length")
    streams, begin = [], 0
    for length in lengths:
        streams.append(data[begin : begin + length])
        begin += length
    return RowBlock(rows, *streams)
