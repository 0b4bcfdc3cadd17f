"""Reading a certificate takes time and memory linear in its size, whatever the file declares.

Work is counted: bytes that Python takes, rows that are read, states that are expanded.
"""

from __future__ import annotations

import hashlib
import json
import struct
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from oracles.certificates import Row, changed, confirmed, encoded, sections_of, written

from everafter.certificates.automaton.inclusion import moves
from everafter.certificates.certification import Checker
from everafter.certificates.file import (
    EXPANSION,
    MAGIC,
    CertificateError,
    CertificateReader,
    CertificateWriter,
    SectionPlace,
)
from everafter.certificates.heading import Heading
from everafter.certificates.rows import LONGEST_RANK, RowBlock, decoded
from everafter.cli import main
from everafter.execution.packing import Packer
from everafter.execution.step import steps_of
from everafter.ltl import Automaton, Lasso
from everafter.ltl.automaton_product import accepts
from everafter.questions.request import Request
from everafter.user_model import Model, parse
from everafter.zstd import compressed

CHECKERS: tuple[Checker, ...] = ("native", "reference")
COUNTER = "byte n; active proctype P() { do :: n < 3 -> n++ :: else -> n = 0 od } ltl again { [] <> (n == 0) }"
Streams = tuple[bytes, bytes, bytes, bytes]


def whole(content: bytes) -> bytes:
    """A file with this between its first line and its end, and with its digest."""
    content = MAGIC + content + b"E"
    return content + hashlib.sha256(content).digest()


def section(heading: bytes, *blocks: bytes) -> bytes:
    return b"C" + struct.pack("<I", len(heading)) + heading + b"".join(blocks) + bytes(24)


def block(rows: int, streams: Streams, room: int = 0, declared: tuple[int, ...] | None = None) -> bytes:
    """A block that takes at least so many bytes; it may declare other lengths of its streams than they have."""
    data = compressed(b"".join(streams), 1).ljust(room, b"\0")
    return struct.pack("<6I", rows, *(declared or map(len, streams)), len(data)) + data


def streams_of(given: RowBlock) -> Streams:
    return given.words, given.changes, given.values, given.ranks


def reader_of(content: bytes) -> CertificateReader:
    return CertificateReader(BytesIO(content))


def refusal(read: Callable[[], object]) -> str:
    with pytest.raises(CertificateError) as refused:
        read()
    return str(refused.value)


def bytes_taken(work: Callable[[], object]) -> int:
    """How much memory Python has at once while it works."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def honest(tmp_path: Path) -> tuple[Model, Path, dict[str, Any]]:
    """A model, its certificate, and what its heading says."""
    model, path = parse(COUNTER), tmp_path / "certificate"
    assert written(model, Request(formulas=["again"], reduction="none"), path) == ["holds"]
    ((heading, _),) = sections_of(path)
    return model, path, heading


# What is declared is compared before memory is taken


@pytest.mark.parametrize("length", [1 << 28, (1 << 32) - 1, 10_000], ids=str)
def test_a_heading_is_not_longer_than_its_file(length: int) -> None:
    content = whole(b"C" + struct.pack("<I", length) + b"{}" + bytes(24))
    assert bytes_taken(lambda: refusal(lambda: reader_of(content))) < 100_000
    assert "cut short" in refusal(lambda: reader_of(content))


@pytest.mark.parametrize("size", [1 << 25, (1 << 32) - 1, 10_000], ids=str)
def test_a_block_is_not_longer_than_its_file(size: int) -> None:
    content = whole(section(b"{}", struct.pack("<6I", 1, 1, 0, 0, 0, size)))
    assert bytes_taken(lambda: refusal(lambda: reader_of(content))) < 100_000
    assert "cut short" in refusal(lambda: reader_of(content))


IMPOSSIBLE: dict[str, tuple[int, Streams]] = {
    "rows without words": (10, (bytes(9), b"", b"", b"")),
    "more changes than words": (1, (b"\1", b"\1" * 9, b"\1" * 9, b"")),
    "more values than changes": (1, (b"\1", b"\xff", b"\1" * 9, b"")),
    "a rank that never ends": (1, (b"\1", b"\5", b"\0\1", b"\x80" * 2_000_000 + b"\0")),
    "no rows": (0, (b"\1", b"", b"", b"")),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_streams_are_not_longer_than_rows_can_have_them(name: str) -> None:
    content = whole(section(b"{}", block(*IMPOSSIBLE[name], room=5000)))
    assert bytes_taken(lambda: refusal(lambda: reader_of(content))) < 100_000
    assert "damaged: a block" in refusal(lambda: reader_of(content))


def test_a_block_unpacks_to_no_more_than_it_has_paid_for() -> None:
    """Four million rows of zeros take some hundred bytes."""
    rows = 4_000_000
    streams = (bytes(rows), b"\5\1", b"\0\1\0\0", bytes(rows))
    content = whole(section(b"{}", block(rows, streams)))
    assert len(content) < 1000
    assert bytes_taken(lambda: refusal(lambda: reader_of(content))) < 100_000
    assert "unpacks to over 1,024 times its size" in refusal(lambda: reader_of(content))
    needed = -(-(64 * rows + 6 + rows) // EXPANSION)
    for room, is_read in ((needed - 1, False), (needed, True)):
        content = whole(section(b"{}", block(rows, streams, room)))
        if not is_read:
            refusal(lambda: reader_of(content))  # noqa: B023
            continue
        reader = reader_of(content)
        assert bytes_taken(lambda: list(reader.blocks(reader.sections[0]))) < EXPANSION * len(content)  # noqa: B023


def test_a_block_unpacks_to_what_it_declares() -> None:
    """Another length is refused before it is unpacked."""
    streams = (bytes(1 << 22), b"", b"", b"")
    content = whole(section(b"{}", block(1, streams, declared=(1, 0, 0, 0))))
    reader = reader_of(content)
    assert bytes_taken(lambda: refusal(lambda: list(reader.blocks(reader.sections[0])))) < 100_000


def test_what_is_written_pays_for_what_it_unpacks_to() -> None:
    rows = 100_000
    file = BytesIO()
    writer = CertificateWriter(file)
    given = RowBlock(rows, b"\1" * rows, b"\1" * rows, bytes(rows), bytes(rows))
    writer.section({"property": "p"}, [given])
    assert writer.finish()
    assert len(file.getvalue()) < 7000
    reader = CertificateReader(file)
    assert list(reader.blocks(reader.sections[0])) == [given]


# Rows


LONG = """
int n; byte k;
active proctype P() { do :: k < 40 -> k++ :: else -> break od; d_step { do :: n > 0 -> n-- :: else -> break od } }
"""


def with_rows(path: Path, rows: list[Row]) -> None:
    """Put these rows before all others."""
    changed(path, lambda heading, listed: (heading, [*rows, *listed]))


def states_expanded(path: Path, model: Model, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many times the interpreter is asked what can be done, until a certificate is refused or accepted."""
    asked = 0

    def counted(*given: Any) -> Any:
        nonlocal asked
        asked += 1
        return steps_of(*given)

    with monkeypatch.context() as patch:
        patch.setattr("everafter.certificates.reference.step_memo.steps_of", counted)
        try:
            confirmed(path, model, "reference")
        except CertificateError as error:
            assert "rows are listed that no step leads to" in str(error)  # noqa: PT017 # it may be accepted, too
    return asked


def test_rows_that_no_step_leads_to_are_not_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much work it would be: in the states of these rows, a d_step takes 900,000 steps."""
    model, path = parse(LONG), tmp_path / "certificate"
    assert written(model, Request(safety=True, reduction="none"), path) == ["holds"]
    honestly = states_expanded(path, model, monkeypatch)
    ((_, rows),) = sections_of(path)
    packer = Packer(model.program)
    states = [packer.unpack(row) for row, _ in rows]
    forged = [state._replace(memory=(900_000, state.memory[1])) for state in states]
    with_rows(path, [(packer.pack(state), 0) for state in forged])
    assert states_expanded(path, model, monkeypatch) == honestly


def test_a_row_twice_is_noticed_when_it_is_read(tmp_path: Path) -> None:
    """The blocks behind it are not read any more."""
    model, path, heading = honest(tmp_path)
    ((_, rows),) = sections_of(path)
    doubled = encoded([rows[0], rows[0]], True)
    room = 10_000
    content = section(json.dumps(heading).encode(), *[block(doubled.rows, streams_of(doubled), room)] * 300)
    path.write_bytes(whole(content))
    read = 0

    def counted(self: CertificateReader, place: SectionPlace) -> Iterator[RowBlock]:
        nonlocal read
        for each in blocks(self, place):
            read += 1
            yield each

    blocks = CertificateReader.blocks
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CertificateReader, "blocks", counted)
        assert "twice" in refusal(lambda: confirmed(path, model, "reference"))
    assert read == 1


# Nesting and kinds


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, '{"a":[' + "[" * 200 + "]" * 200 + "]}"], ids=len)
def test_a_heading_of_brackets_is_refused(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, path = tmp_path / "model.pml", tmp_path / "certificate"
    model.write_text(COUNTER)
    path.write_bytes(whole(section(text.encode())))
    for by in CHECKERS:
        assert main(["certify", str(path), str(model), "--by", by]) == 2
        assert "brackets are open at once" in capsys.readouterr().err


WRONG: dict[str, tuple[Any, ...]] = {
    "sets": (True, 1.0, "1", None),
    "reduced": (0, None, "false"),
    "erased": (1, None, "true"),
    "conditions": ([], None, "weak"),
    "prefix": ([1], ["12"], [{}], {}, None),
    "automaton": (1, ["HOA:"], {}),
    "kind": (None, 3, ["ltl"]),
}


@pytest.mark.parametrize(("field", "value"), [(field, value) for field in WRONG for value in WRONG[field]], ids=repr)
def test_a_heading_has_the_kinds_of_its_fields(field: str, value: object, tmp_path: Path) -> None:
    _, _, heading = honest(tmp_path)
    assert Heading.of_json(heading).as_json() == heading
    with pytest.raises(CertificateError, match=f"damaged: {field}"):
        Heading.of_json(json.loads(json.dumps({**heading, field: value})))


# Ranks


_HIGHEST_DISTANCE = b"\xfe" + b"\xff" * 7 + b"\x7f"


@pytest.mark.parametrize(
    ("rows", "ranks"),
    [(1, b"\x80" * LONGEST_RANK + b"\0"), (1, b"\1"), (3, 3 * _HIGHEST_DISTANCE)],
    ids=["too long", "below zero", "too high"],
)
def test_a_rank_is_a_number_of_63_bits(rows: int, ranks: bytes, tmp_path: Path) -> None:
    """By the definition, and for both checkers: whatever else they say of a file, they read the same ranks."""
    streams = (b"\1" * rows, b"\4" + b"\2" * (rows - 1), b"\1" * rows)
    with pytest.raises(ValueError, match="rank"):
        list(decoded(RowBlock(rows, *streams, ranks)))
    model, path, heading = honest(tmp_path)
    declared = ranks[: LONGEST_RANK * rows]
    path.write_bytes(whole(section(json.dumps(heading).encode(), block(rows, (*streams, declared)))))
    for by in CHECKERS:
        assert "damaged" in refusal(lambda: confirmed(path, model, by))  # noqa: B023


# Automata


LARGE: dict[str, Callable[[int, int], str]] = {
    "a chain that accepts at its end": lambda state, last: (
        f"{'{0}' if state == last else ''} [t] {min(state + 1, last)}"
    ),
    "a circle": lambda state, last: f"{{0}} [t] {0 if state == last else state + 1}",
    "a circle that does not accept": lambda state, last: f"[t] {0 if state == last else state + 1}",
    "two circles": lambda state, last: f"[0] {(state + 2) % (last + 1)} [!0] {(state + 1) % (last + 1)}",
}


@pytest.mark.parametrize("name", LARGE)
def test_a_large_automaton_is_not_played_with(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has more states than any of ours; to find a reason for it would take minutes."""
    model, path, _ = honest(tmp_path)
    states = "\n".join(f"State: {state} {LARGE[name](state, 9_999)}" for state in range(10_000))
    text = f'HOA: v1 Start: 0 AP: 1 "n == 0" Acceptance: 1 Inf(0) --BODY-- {states} --END--'
    changed(path, lambda heading, rows: ({**heading, "automaton": text}, rows))
    edges = 0

    def counted(automaton: Automaton, state: int, letter: frozenset[str]) -> Sequence[int]:
        nonlocal edges
        edges += 1
        return moves(automaton, state, letter)

    def looked_at(automaton: Automaton, lasso: Lasso) -> bool:
        nonlocal edges
        edges += automaton.edge_count * len(lasso.letters)
        return accepts(automaton, lasso)

    monkeypatch.setattr("everafter.certificates.automaton.fair_simulation.moves", counted)
    monkeypatch.setattr("everafter.certificates.automaton.justification.accepts", looked_at)
    assert "its automaton does not accept" in (told := refusal(lambda: confirmed(path, model))) or "another" in told
    assert edges < 1_000_000


def test_an_automaton_speaks_of_the_formula_only(tmp_path: Path) -> None:
    model, path, heading = honest(tmp_path)
    text = heading["automaton"].replace('"n == 0"', '"n == 1"')
    changed(path, lambda heading, rows: ({**heading, "automaton": text}, rows))
    assert "it speaks of 'n == 1', and the formula does not" in refusal(lambda: confirmed(path, model))
