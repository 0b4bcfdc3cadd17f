"""Certificates taken apart and put together again, whole by their digest, whatever is in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from everafter.certificates.file import CertificateReader, CertificateWriter
from everafter.certificates.rows import RowBlock, decoded
from everafter.check import Model, check
from everafter.checking.limits import Limits
from everafter.checking.request import Request

Row = tuple[bytes, int]
"""A row and its rank."""
Section = tuple[dict[str, Any], list[Row]]


def written(model: Model, request: Request, path: Path, limits: Limits | None = None) -> list[str]:
    """Check the model and write the certificate; the verdicts."""
    with path.open("wb") as file:
        writer = CertificateWriter(file)
        results = check(model, request, limits, certificate=writer)
        assert writer.finish()
    return [result.verdict for result in results]


def sections_of(path: Path) -> list[Section]:
    """The headings and rows of a certificate."""
    with path.open("rb") as file:
        reader = CertificateReader(file)
        return [
            (heading, [row for block in reader.blocks() for row in decoded(block)]) for heading in reader.sections()
        ]


def rewritten(path: Path, sections: Iterable[Section]) -> None:
    """Write a certificate of these headings and rows."""
    with path.open("wb") as file:
        writer = CertificateWriter(file)
        for heading, rows in sections:
            writer.section(heading, [encoded(rows, heading["sets"] > 0)] if rows else [])
        assert writer.finish()


def changed(path: Path, change: Callable[[dict[str, Any], list[Row]], Section]) -> None:
    """Change every section of a certificate, and let it look whole."""
    rewritten(path, [change(heading, rows) for heading, rows in sections_of(path)])


def encoded(rows: list[Row], ranked: bool) -> RowBlock:
    """Rows as a block, by the definition of the format."""
    words, changes, values, ranks = bytearray(), bytearray(), bytearray(), bytearray()
    before = bytearray(1 << 19)
    last = 0
    for row, rank in rows:
        for group in range(0, len(row), 64):
            mask = 0
            for at in range(group, min(group + 64, len(row)), 8):
                bits = sum(1 << byte for byte in range(8) if row[at + byte] != before[at + byte])
                if bits:
                    mask |= 1 << (at - group) // 8
                    changes.append(bits)
                    values += bytes(row[at + byte] for byte in range(8) if bits >> byte & 1)
            words.append(mask)
        before[: len(row)] = row
        if ranked:
            ranks += _number(rank - last)
            last = rank
    return RowBlock(len(rows), bytes(words), bytes(changes), bytes(values), bytes(ranks))


def _number(distance: int) -> bytes:
    left = 2 * distance if distance >= 0 else -2 * distance - 1
    found = bytearray()
    while left > 127:
        found.append(left & 127 | 128)
        left >>= 7
    found.append(left)
    return bytes(found)
