"""No order and no choice of rows makes a certificate cost much more than an honest one of its size. Work is counted."""

from __future__ import annotations

import resource
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from oracles.certificates import Row, changed, confirmed, encoded, sections_of, written

from everafter.certificates.certification import certified, opened
from everafter.certificates.file import CertificateError, CertificateWriter
from everafter.certificates.inquiry import Inquiry
from everafter.certificates.native.listed_rows import Rows
from everafter.certificates.native.row_index import MULTIPLIER
from everafter.cli import main
from everafter.engine.memory.areas import Arena
from everafter.ltl import TooLargeError
from everafter.questions.request import Request
from everafter.user_model import Model, parse

CHAIN = "int n; active proctype P() { do :: n < 3000 -> n++ :: else -> n = 0 od }"
ORDERS: dict[str, Callable[[list[Row]], list[Row]]] = {
    "backwards": lambda rows: rows[::-1],
    "halves that alternate": lambda rows: rows[::2] + rows[:0:-2],
    "far apart": lambda rows: [row for begin in range(300) for row in rows[begin::300]],
}


@pytest.fixture
def chain(tmp_path: Path) -> tuple[Model, Path]:
    model, path = parse(CHAIN), tmp_path / "certificate"
    assert written(model, Request(safety=True, reduction="none"), path) == ["holds"]
    return model, path


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("order", ORDERS)
def test_machine_code_goes_over_rows_a_few_times_in_any_order(
    order: str, threads: int, chain: tuple[Model, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, path = chain
    changed(path, lambda heading, rows: (heading, ORDERS[order](rows)))
    passes = 0
    run = Rows._run

    def counted(self: Rows, name: str, jobs: list[Any], observe: Any) -> int:
        nonlocal passes
        passes += name == "check_rows"
        return run(self, name, jobs, observe)

    monkeypatch.setattr(Rows, "_run", counted)
    assert [each.verdict for each in confirmed(path, model, threads=threads)] == ["holds"]
    assert passes <= 9


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("order", ORDERS)
def test_the_reference_visits_slices_a_few_times_in_any_order(
    order: str, threads: int, chain: tuple[Model, Path]
) -> None:
    model, path = chain
    changed(path, lambda heading, rows: (heading, ORDERS[order](rows)))
    count = len(sections_of(path)[0][1])
    visits = 0

    def told(_: int) -> bool:
        nonlocal visits
        visits += 1
        return False

    with opened(path) as reader:
        found = list(certified(reader, Inquiry.of(model, Request()), "reference", threads, told=told))
    assert [each.rows for each in found] == [count]
    assert visits <= 10 * (count // 256 + 1)


def test_a_bad_row_is_counted_from_the_beginning_of_its_block(
    chain: tuple[Model, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, path = chain
    ((heading, rows),) = sections_of(path)
    left = rows[:-1]
    with path.open("wb") as file:
        writer = CertificateWriter(file)
        writer.section(heading, [encoded(left[begin : begin + 100], False) for begin in range(0, len(left), 100)])
        assert writer.finish()
    copied, calls = Arena.copied, 0

    def counted(self: Arena, begin: int, count: int) -> bytes:
        nonlocal calls
        calls += 1
        return copied(self, begin, count)

    monkeypatch.setattr(Arena, "copied", counted)
    with pytest.raises(CertificateError, match=f"row {len(left):,} has an edge"):
        confirmed(path, model)
    assert calls <= 100


# Rows that are alike to the checker

WORD = (1 << 64) - 1


def key(row: bytes) -> int:
    """The key of a row, by its definition."""
    found, *words = struct.unpack(f"<{len(row) // 8}Q", row)
    found &= ~255
    for each in words:
        found = (found ^ found >> 32 ^ each) * MULTIPLIER & WORD
    found = (found ^ found >> 29) * MULTIPLIER & WORD
    return int(found ^ found >> 32)


def with_key(wanted: int, number: int) -> bytes:
    """A row of two words that has the key `wanted`, another one for each `number`."""
    inverse = pow(MULTIPLIER, -1, 1 << 64)
    first = 2 << 16 | number << 32
    last = (wanted ^ wanted >> 32) * inverse & WORD
    last ^= last >> 29 ^ last >> 58
    return struct.pack("<QQ", first, last * inverse & WORD ^ first ^ first >> 32)


def test_rows_with_the_same_key_are_refused(chain: tuple[Model, Path]) -> None:
    """To find one of them would take a look at all."""
    model, path = chain
    rows = sections_of(path)[0][1]
    alike = [(with_key(key(rows[0][0]), number), 0) for number in range(100)]
    assert {key(row) for row, _ in alike} == {key(rows[0][0])}
    changed(path, lambda heading, rows: (heading, rows + alike))
    for by, reason in (("native", "alike to the checker"), ("reference", "no step leads to")):
        with pytest.raises(CertificateError, match=reason):
            confirmed(path, model, by)  # type: ignore[arg-type] # the two checkers


# Memory


def test_too_little_memory_is_no_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text, path = CHAIN.replace("3000", "30000"), tmp_path / "certificate"
    model = parse(text)
    assert written(model, Request(safety=True, reduction="none"), path) == ["holds"]
    monkeypatch.setattr("everafter.certificates.certification.memory_size", lambda: 1 << 20)
    with pytest.raises(TooLargeError, match=r"'safety' is not decided: the rows .* do not fit into memory"):
        confirmed(path, model)
    (tmp_path / "chain.pml").write_text(text)
    assert main(["certify", str(path), str(tmp_path / "chain.pml")]) == 3
    assert "is not decided" in capsys.readouterr().err


def test_few_addresses_are_enough(chain: tuple[Model, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a process may not have as many as there is memory, rows get fewer of them."""
    model, path = chain
    confirmed(path, model)
    before = resource.getrlimit(resource.RLIMIT_AS)
    in_use = int(Path("/proc/self/statm").read_bytes().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (in_use + (2 << 30), before[1]))
    try:
        assert [each.verdict for each in confirmed(path, model)] == ["holds"]
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
