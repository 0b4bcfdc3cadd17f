"""The format of certificate files: version 2.

    file       =  MAGIC  section*  end  digest
    section    =  "C"  length of heading (4 bytes)  heading  block*  empty block
    block      =  rows (4)  lengths of four streams (4 × 4)  length of data (4)  data
    end        =  "E"
    digest     =  SHA-256 of everything before it

Numbers are unsigned, lowest byte first. A heading is JSON in UTF-8; the data of a block are its four streams, one
behind the other, as Zstandard compresses them. A file that is cut short has no digest, one that was changed another.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO, Final

import zstandard

from everafter.certificates.rows import RowBlock
from everafter.source import EverafterError

MAGIC: Final = b"everafter certificate 2\n"
_LEVEL: Final = 1
_BLOCK: Final = struct.Struct("<6I")
_LENGTH: Final = struct.Struct("<I")
_SECTION, _END = b"C", b"E"
_MOST_HEADING: Final = 1 << 28
_MOST_STREAM: Final = 1 << 24


class CertificateError(EverafterError):
    """The file is no certificate, or not one of this model, or does not show what it claims."""


class CertificateWriter:
    """Writes a certificate file section by section; nothing is kept in memory."""

    def __init__(self, file: BinaryIO, version: str = "") -> None:
        self._file = file
        self.version = version
        """Of whoever writes it."""
        self._digest = hashlib.sha256()
        self._packing = zstandard.ZstdCompressor(level=_LEVEL)
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
        """Add what is certified of one property."""
        text = json.dumps(heading, ensure_ascii=False, separators=(",", ":")).encode()
        self._inside = True
        self._put(_SECTION + _LENGTH.pack(len(text)) + text)
        for block in blocks:
            if self.failed is not None:
                return
            data = self._packing.compress(b"".join(block.streams))
            self._put(_BLOCK.pack(block.rows, *map(len, block.streams), len(data)) + data)
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


class CertificateReader:
    """Reads a certificate file section by section. Raises CertificateError where it is none."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        if self._take(len(MAGIC)) != MAGIC:
            raise CertificateError("this is not a certificate of version 2")
        self._in_blocks = False

    @staticmethod
    def check(file: BinaryIO) -> None:
        """That the file is whole, from its beginning to its digest."""
        size = file.seek(0, 2)
        length = hashlib.sha256().digest_size
        file.seek(0)
        digest = hashlib.sha256()
        left = size - length
        while left > 0:
            piece = file.read(min(left, 1 << 20))
            if not piece:
                break
            digest.update(piece)
            left -= len(piece)
        if file.read(length) != digest.digest():
            raise CertificateError("the certificate is damaged or cut short: its digest is not that of its content")
        file.seek(0)

    def sections(self) -> Iterator[dict[str, Any]]:
        """The headings, one by one; the blocks of each are taken before the next one is."""
        while True:
            if self._in_blocks:
                for _ in self.blocks():
                    pass
            kind = self._take(1)
            if kind == _END:
                return
            if kind != _SECTION:
                raise CertificateError("the certificate is damaged: no section begins here")
            self._in_blocks = True
            yield self._heading()

    def _heading(self) -> dict[str, Any]:
        (length,) = _LENGTH.unpack(self._take(4))
        if length > _MOST_HEADING:
            raise CertificateError("the certificate is damaged: its heading is too long")
        try:
            heading = json.loads(self._take(length))
        except ValueError as error:
            raise CertificateError(f"the certificate is damaged: {error}") from error
        if not isinstance(heading, dict):
            raise CertificateError("the certificate is damaged: a heading is no object")
        return heading

    def blocks(self) -> Iterator[RowBlock]:
        """The blocks of the section that was begun last."""
        while True:
            rows, *lengths, size = _BLOCK.unpack(self._take(_BLOCK.size))
            if rows == 0:
                self._in_blocks = False
                return
            if max(lengths) > _MOST_STREAM or size > 5 * _MOST_STREAM:
                raise CertificateError("the certificate is damaged: a block is too large")
            yield self._block(rows, lengths, self._take(size))

    @staticmethod
    def _block(rows: int, lengths: list[int], packed: bytes) -> RowBlock:
        size = sum(lengths)
        try:
            if zstandard.frame_content_size(packed) != size:  # before so much memory is asked for
                raise CertificateError("the certificate is damaged: a block has another length")
            data = zstandard.ZstdDecompressor().decompress(packed, allow_extra_data=False)
        except zstandard.ZstdError as error:
            raise CertificateError(f"the certificate is damaged: {error}") from error
        if len(data) != size:
            raise CertificateError("the certificate is damaged: a block has another length")
        streams, begin = [], 0
        for length in lengths:
            streams.append(data[begin : begin + length])
            begin += length
        return RowBlock(rows, *streams)

    def _take(self, count: int) -> bytes:
        data = self._file.read(count)
        if len(data) != count:
            raise CertificateError("the certificate is cut short")
        return data
