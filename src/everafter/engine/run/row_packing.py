"""Rows as numbers of few bits: which bits of a row's words say something, and the machine code that gathers them.

A number in a row takes whole bytes; what is known of it beforehand says how many bits of these it needs: its type, how
many places of control its proctype has, how many messages a channel holds. Some rows are met by a short search, to see
how long rows are and which processes stand where; all bits that may vary in rows built like these are gathered. Nothing
is taken for granted: a row that has another bit, or another length, is unfit. So the packed row says all.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import groupby
from operator import or_
from typing import Final

from everafter.engine.code.cache import cached
from everafter.engine.code.machine import Loaded, compile_text
from everafter.engine.emit.claims import FAILING, VIOLATION
from everafter.engine.emit.writer import EIGHT, Writer, signed
from everafter.engine.run.row_split import sampled_steps
from everafter.engine.store.packed.scrambling import MOST_BITS
from everafter.program.control_flow import ControlFlowGraph, Terminate
from everafter.program.layout import CLAIM, COUNT, LENGTH, WORD, bytes_of, layout_of
from everafter.program.program import Program
from everafter.program.storage import Width
from everafter.record import dataclass
from everafter.source import OptionError

MOST_PACKED_WORDS: Final = 24
"""Of a row: longer ones have more bits, or take other stores no more time."""
NARROW_MARGINS: Final = (0, 1, 2, 3, 4)
WIDE_MARGINS: Final = (64, 8, 4, 2)
"""By how many bits a number may be longer than any that was met: first by none or few, then by as many as fit."""
WORTH_TRYING: Final = 4
"""So few bits less may let a slot be a byte shorter: where a row does not fit, that is soon met."""
SINGLE_ROWS: Final = (VIOLATION, FAILING)
"""Rows of one word that are not packed: their numbers are behind those of all others."""
_WORD_MASK: Final = (1 << 64) - 1
_COLOUR: Final = 0xFF

Place = tuple[int, int]
"""The first bit of a number in a row, and the bits of it that may be set."""
Shape = tuple[int, ...]
"""The proctypes of the processes in a row."""


@dataclass(frozen=True, slots=True)
class Packing:
    """The bits in which rows differ, a mask for each word; and all other bits, the same in every row."""

    masks: tuple[int, ...]
    others: tuple[int, ...]

    @property
    def bits(self) -> int:
        """How many bits a packed row has."""
        return sum(mask.bit_count() for mask in self.masks)

    @property
    def runs(self) -> Iterator[tuple[int, int, int, int]]:
        """Bits side by side: the word, the first of them, how many, and the first of those they become."""
        begin = 0
        for index, mask in enumerate(self.masks):
            for is_kept, bits in groupby(range(64), lambda bit, mask=mask: mask >> bit & 1):  # type: ignore[misc]
                if is_kept:
                    first, *others = bits
                    yield index, first, 1 + len(others), begin
                    begin += 1 + len(others)

    def text(self) -> str:
        """Return the functions `pack` and `unpack`, as LLVM IR."""
        return f"{_pack(self)}\n{_unpack(self)}\n{EIGHT} = !{{i64 8}}\n"


def _pack(packing: Packing) -> str:
    """Return pack(row): the packed row, or -1 where it does not fit."""
    w = Writer("i64 @pack(i64 %address)")
    row = w.get("inttoptr i64 %address to ptr")
    header = w.get(f"and i64 {w.load(row, WORD)}, {~_COLOUR}")
    length = w.get(f"and i64 {w.get(f'lshr i64 {header}, {8 * LENGTH}')}, 65535")
    words = [header]
    for index, others in enumerate(packing.others[1:], start=1):
        word = w.load(w.at(row, WORD * index), WORD)  # behind a shorter row is room that can be read
        is_there = w.compare("ugt", length, index)
        words.append(w.get(f"select i1 {is_there}, i64 {word}, i64 {signed(others)}"))
    odd = w.number(w.compare("ugt", length, len(words)))
    for word, mask, others in zip(words, packing.masks, packing.others, strict=True):
        differs = w.get(f"xor i64 {word}, {signed(others)}")
        odd = w.get(f"or i64 {odd}, {w.get(f'and i64 {differs}, {signed(mask ^ _WORD_MASK)}')}")
    packed = "0"
    for index, first, count, begin in packing.runs:
        bits = w.get(f"and i64 {w.get(f'lshr i64 {words[index]}, {first}')}, {(1 << count) - 1}")
        packed = w.get(f"or i64 {packed}, {w.get(f'shl i64 {bits}, {begin}')}")
    result = w.get(f"select i1 {w.compare('eq', odd, 0)}, i64 {packed}, i64 -1")
    for position, single in enumerate(SINGLE_ROWS):
        is_single = w.compare("eq", header, signed(single))
        result = w.get(f"select i1 {is_single}, i64 {(1 << packing.bits) + position}, i64 {result}")
    w.end(f"ret i64 {result}")
    return w.text()


def _unpack(packing: Packing) -> str:
    """Return unpack(packed, row): write the row to its place. Behind a shorter row stands what has no meaning."""
    w = Writer("i64 @unpack(i64 %packed, i64 %address)")
    row = w.get("inttoptr i64 %address to ptr")
    words = [str(signed(others)) for others in packing.others]
    for index, first, count, begin in packing.runs:
        bits = w.get(f"and i64 {w.get(f'lshr i64 %packed, {begin}')}, {(1 << count) - 1}")
        words[index] = w.get(f"or i64 {words[index]}, {w.get(f'shl i64 {bits}, {first}')}")
    for position, single in enumerate(SINGLE_ROWS):
        is_single = w.compare("eq", "%packed", (1 << packing.bits) + position)
        words[0] = w.get(f"select i1 {is_single}, i64 {signed(single)}, i64 {words[0]}")
    for index, word in enumerate(words):
        w.store(w.at(row, WORD * index), word, WORD)
    w.end("ret i64 0")
    return w.text()


def too_many_bits() -> OptionError:
    """Return the error that says that rows cannot be packed."""
    return OptionError(f"states need more than {MOST_BITS} bits", "leave out store, or choose tree")


class PackingCode:
    """The machine code of a packing, as long as a search uses it."""

    def __init__(self, packing: Packing) -> None:
        text = packing.text()
        self.digest = hashlib.sha256(text.encode()).hexdigest()
        """Tells it from other packings, of whose rows the same numbers are others."""
        self.bits = packing.bits
        self.words = len(packing.masks)
        self._loaded = Loaded(cached(f"packing\n{text}", lambda: compile_text(text)))

    def address(self, name: str) -> int:
        """Return the address of the function `name`: pack, or unpack."""
        return self._loaded.address(name)


def packings_of(program: Program, expand: int, initial: int, control: int, last_claim: int) -> tuple[Packing, ...]:
    """Return how rows of `program` can be packed, in few bits and in more, or nothing where they have too many bits.

    `expand` and `initial` are the addresses of its code, `control` that of the code's block; `last_claim` is the
    highest number of a state of the claim, 0 without one.
    """
    numbers = RowNumbers(program, last_claim)
    if numbers.layout.first_process > WORD * MOST_PACKED_WORDS:
        return ()
    chance = random.Random(0)  # the same each time
    rows = dict.fromkeys(row for _, found in sampled_steps(expand, initial, control, chance) for row in found)
    single = [each.to_bytes(WORD, "little")[1:] for each in SINGLE_ROWS]
    kept = [row for row in rows if row[1:] not in single]
    if not kept or max(map(len, kept)) > WORD * MOST_PACKED_WORDS:
        return ()
    return packings_for(kept, numbers)


def packings_for(rows: Sequence[bytes], numbers: RowNumbers) -> tuple[Packing, ...]:
    """Return how `rows`, and others built like one of them, by `numbers`, can be packed.

    First with numbers that are hardly longer than those met, if that is worth trying; then with any, or with as long
    ones as there are bits for.
    """
    words = max(map(len, rows)) // WORD
    met: dict[Shape, int] = {}
    common = -1
    for row in rows:
        value = int.from_bytes(row, "little")
        shape = numbers.shape(row)
        met[shape] = met.get(shape, 0) | value
        common &= value
    anything = reduce(or_, met.values())
    differing = (anything ^ common) | numbers.leaving(anything)

    def packing(margin: int) -> Packing:
        places = (bits_kept(place, value, margin) for shape, value in met.items() for place in numbers.places(shape))
        kept = reduce(or_, places, differing) & ~_COLOUR
        return Packing(_words(kept, words), _words(common & ~kept & ~_COLOUR, words))

    found = [each for each in map(packing, (*WIDE_MARGINS, *reversed(NARROW_MARGINS))) if each.bits <= MOST_BITS][:1]
    for each in map(packing, reversed(NARROW_MARGINS)):
        if found and each.bits + WORTH_TRYING <= found[0].bits:
            found.insert(0, each)
    return tuple(found)


def bits_kept(place: Place, met: int, margin: int) -> int:
    """Return the bits of the number at `place` that may be set, where rows like it have `met` these, and `margin` more.

    A number may be longer by these bits than any that was met, if its type is.
    """
    first, bits = place
    longest = (met >> first & bits).bit_length()
    return (bits & ((1 << longest + margin) - 1)) << first


def places_of_control(graph: ControlFlowGraph) -> int:
    """Return the bits in which the numbers of those places differ that a process can come to."""
    met, pending = {graph.start}, [graph.start]
    while pending:
        node = graph.nodes.get(pending.pop())
        new = {each.target for each in node.transitions} - met if node is not None else set()
        met |= new
        pending += new
    return reduce(or_, (each ^ graph.start for each in met))


def _ones(most: int) -> int:
    """The bits that numbers up to `most` may have."""
    return (1 << most.bit_length()) - 1


def _words(bits: int, count: int) -> tuple[int, ...]:
    return tuple(bits >> 64 * index & _WORD_MASK for index in range(count))


class RowNumbers:
    """Which numbers there are in the rows of a program, and how many bits each may have."""

    def __init__(self, program: Program, last_claim: int) -> None:
        self.layout = layout_of(program)
        self._nodes = [places_of_control(kind.graph) for kind in program.processes]
        self._capacities = [kind.capacity for kind in program.channels]
        self._claim_bits = _ones(last_claim)
        self._ends = any(
            isinstance(each.effect, Terminate) for kind in program.processes for each in kind.graph.transitions()
        )
        self._found: dict[Shape, tuple[Place, ...]] = {}

    def shape(self, row: bytes) -> Shape:
        """Return the proctypes of the processes of `row`, which tell where everything is."""
        found: list[int] = []
        at = self.layout.first_process
        for _ in range(row[COUNT]):
            found.append(row[at])
            at += self.layout.processes[row[at]].size
        return tuple(found)

    def places(self, shape: Shape) -> tuple[Place, ...]:
        """Return where the numbers of rows with this `shape` are."""
        if shape not in self._found:
            self._found[shape] = tuple((8 * byte, bits) for byte, bits in self._bytes(shape) if bits)
        return self._found[shape]

    def leaving(self, anything: int) -> int:
        """Return the bits that change when processes end, which leave zeros, in rows that have `anything`."""
        if not self._ends:
            return 0
        first = 8 * self.layout.first_process
        count, length = (_ones(anything >> 8 * at & most) for at, most in ((COUNT, 0xFF), (LENGTH, 0xFFFF)))
        header = count << 8 * COUNT | length << 8 * LENGTH
        return header | anything >> first << first

    def _bytes(self, shape: Shape) -> Iterator[tuple[int, int]]:
        """The first byte of each number, and its bits."""
        layout = self.layout
        first_cell = WORD if layout.event is None else WORD + 2
        yield CLAIM, self._claim_bits
        if layout.event is not None:
            yield layout.event, 0xFFFF
        yield from _row(layout.memory.widths, first_cell)
        for kind, at in layout.global_channels:
            yield from self._channel(kind, at)
        at = layout.first_process
        for proctype in shape:
            process = layout.processes[proctype]
            head, node, *cells = process.row.widths
            yield at + bytes_of(head), self._nodes[proctype]
            yield from _row(cells, at + bytes_of(head) + bytes_of(node))
            for kind, place in process.channels:
                yield from self._channel(kind, at + place)
            at += process.size

    def _channel(self, kind: int, at: int) -> Iterator[tuple[int, int]]:
        """The same of a channel of this type."""
        widths = self.layout.channels[kind].row.widths
        if widths:
            yield at, _ones(self._capacities[kind])
            yield from _row(widths[1:], at + bytes_of(widths[0]))


def _row(widths: Iterable[Width], at: int) -> Iterator[tuple[int, int]]:
    """The same of numbers of these widths, one behind the other."""
    for width in widths:
        yield at, (1 << width.bits) - 1
        at += bytes_of(width)
