"""What the store needs of the processor where workers share it: steps that no other thread can come between.

`ONE` says what these steps are where one worker searches alone: plain loads and stores.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from everafter.engine.code.intrinsics import (
    BYTE,
    BYTES,
    HALF,
    HALVES,
    LINE,
    NUMBER,
    WORD,
    Column,
    _at,
    _bits,
    _element,
    _intrinsic,
    _none,
    _spread,
    _spread_half,
    empty,
    load,
    store,
    surveyed_halves,
    tagged,
)
from everafter.engine.code.machine import WAIT


@_intrinsic(1)
def shared(builder: Any, values: list[Any]) -> Any:
    """shared(address): let `builder` load the word at `values[0]` anew; what its writer wrote before it is visible."""
    return builder.load_atomic(_at(builder, values[0]), "seq_cst", 8, typ=WORD)


@_intrinsic(2, types.void)
def share(builder: Any, values: list[Any]) -> Any:
    """share(address, value): let `builder` write the word `values[1]` at the address `values[0]` for others to read."""
    builder.atomic_rmw("xchg", _at(builder, values[0]), values[1], "seq_cst")
    return _none(builder)


@_intrinsic(2)
def add(builder: Any, values: list[Any]) -> Any:
    """add(address, value): let `builder` add `values[1]` to the word at `values[0]` in one step; return what it was."""
    return builder.atomic_rmw("add", _at(builder, values[0]), values[1], "seq_cst")


@_intrinsic(3)
def swap_if(builder: Any, values: list[Any]) -> Any:
    """swap_if(address, expected, value): let `builder` emit a compare-and-swap of the word at `values[0]`.

    `values[2]` is written if the word is `values[1]`; what it was is returned either way.
    """
    return builder.extract_value(builder.cmpxchg(_at(builder, values[0]), values[1], values[2], "seq_cst"), 0)


@_intrinsic(2)
def add_bits(builder: Any, values: list[Any]) -> Any:
    """add_bits(address, bits): let `builder` set the bits `values[1]` of the byte at `values[0]`; what it was."""
    bits = builder.trunc(values[1], BYTE)
    return builder.zext(builder.atomic_rmw("or", _at(builder, values[0]), bits, "seq_cst"), WORD)


@_intrinsic(2)
def add_to_byte(builder: Any, values: list[Any]) -> Any:
    """add_to_byte(address, value): let `builder` add `values[1]` to the byte at `values[0]`; return what it was."""
    value = builder.trunc(values[1], BYTE)
    return builder.zext(builder.atomic_rmw("add", _at(builder, values[0]), value, "seq_cst"), WORD)


def _looked_at(builder: Any, line: Any) -> Any:
    """Return the 8 words at `line`, each of a load of its own: LLVM has no atomic load of them all.

    The loads are monotonic: a thread that reads what was written before a word reads that word again by `shared`.
    """
    words = ir.Constant(LINE, ir.Undefined)
    for index in range(8):
        place = builder.add(line, ir.Constant(WORD, 8 * index))
        one = builder.load_atomic(_at(builder, place), "monotonic", 8, typ=WORD)
        words = builder.insert_element(words, one, ir.Constant(ir.IntType(32), index))
    return words


@_intrinsic(3)
def surveyed(builder: Any, values: list[Any]) -> Any:
    """surveyed(line, tag, shift): let `builder` compare the 8 words of a line with a tag, of one look.

    `values` are the line's address, the tag and the shift. Return a bit for each word that is the tag when shifted
    right, and 8 places to the left a bit for each that is zero.
    """
    return _survey(builder, _looked_at(builder, values[0]), values)


def _survey(builder: Any, line: Any, values: list[Any]) -> Any:
    matches = _bits(builder, builder.lshr(line, _spread(builder, values[2])), _spread(builder, values[1]))
    free = _bits(builder, line, ir.Constant(LINE, [0] * 8))
    return builder.or_(matches, builder.shl(free, ir.Constant(WORD, 8)))


def _glanced_at(builder: Any, place: Any, kind: Any, align: int) -> Any:
    """What is there, by a plain load, frozen."""
    seen = builder.load(_at(builder, place), typ=kind, align=align)
    frozen = ir.Instruction(builder.block, kind, "freeze", [seen])  # llvmlite's builder has no word for it
    builder._insert(frozen)
    return frozen


@_intrinsic(3)
def hinted(builder: Any, values: list[Any]) -> Any:
    """hinted(line, tag, shift): let `builder` make of `values` a bit for each word of the line that may be the tag.

    Words are shifted right first. It is one load, which is not atomic: of a word that another thread just writes, any
    bits may be seen. They are frozen, so that they are at least the same bits wherever they are used.
    """
    line = _glanced_at(builder, values[0], LINE, 64)
    return _bits(builder, builder.lshr(line, _spread(builder, values[2])), _spread(builder, values[1]))


def _same_slots(builder: Any, line: Any, tag: Any, bits: Any) -> Any:
    """A bit for each of the 16 halves of words of a line that is the tag when shifted right, and is not empty."""
    filled = builder.icmp_unsigned("!=", line, ir.Constant(HALVES, [0] * 16))
    shifted = builder.lshr(line, _spread_half(builder, bits))
    return _as_bits(builder, builder.and_(builder.icmp_unsigned("==", shifted, _spread_half(builder, tag)), filled))


def _as_bits(builder: Any, answers: Any) -> Any:
    return builder.zext(builder.bitcast(answers, ir.IntType(16)), WORD)


def _empty_slots(builder: Any, line: Any) -> Any:
    return _as_bits(builder, builder.icmp_unsigned("==", line, ir.Constant(HALVES, [0] * 16)))


def _same_tags(builder: Any, tags: Any, tag: Any) -> Any:
    """A bit for each of 16 bytes that is the tag."""
    first = ir.Constant(HALF, 0)
    one = builder.insert_element(ir.Constant(BYTES, ir.Undefined), builder.trunc(tag, BYTE), first)
    every = builder.shuffle_vector(one, ir.Constant(BYTES, ir.Undefined), ir.Constant(HALVES, [0] * 16))
    return _as_bits(builder, builder.icmp_unsigned("==", tags, every))


@_intrinsic(3)
def surveyed_slots(builder: Any, values: list[Any]) -> Any:
    """surveyed_slots(line, tag, bits): let `builder` compare the 16 halves of words of a line with a tag, of one look.

    `values` are the line's address, the tag and its shift. Return a bit for each half that is the tag when shifted
    right by `bits` and is not empty, and 16 places to the left a bit for each that is empty.
    """
    line = builder.bitcast(_looked_at(builder, values[0]), HALVES)
    matches = _same_slots(builder, line, values[1], values[2])
    return builder.or_(matches, builder.shl(_empty_slots(builder, line), ir.Constant(WORD, 16)))


@_intrinsic(2)
def surveyed_apart(builder: Any, values: list[Any]) -> Any:
    """surveyed_apart(line, tag): let `builder` do as in `surveyed_slots`, where numbers and tags are apart.

    In the line at `values[0]`, 12 numbers of 32 bits are before their tags of 8 bits. A number whose tag is not there
    yet may have any.
    """
    words = _looked_at(builder, values[0])
    free = builder.and_(_empty_slots(builder, builder.bitcast(words, HALVES)), ir.Constant(WORD, 0xFFF))
    last = ir.Constant(ir.VectorType(HALF, 2), [6, 7])
    tags = builder.bitcast(builder.shuffle_vector(words, ir.Constant(LINE, ir.Undefined), last), BYTES)
    unknown = _as_bits(builder, builder.icmp_unsigned("==", tags, ir.Constant(BYTES, [0] * 16)))
    matches = builder.or_(_same_tags(builder, tags, values[1]), unknown)
    filled = builder.xor(free, ir.Constant(WORD, 0xFFF))
    return builder.or_(builder.and_(matches, filled), builder.shl(free, ir.Constant(WORD, 16)))


@_intrinsic(3)
def hinted_slots(builder: Any, values: list[Any]) -> Any:
    """hinted_slots(line, tag, bits): let `builder` do as in `hinted`, of the 16 halves of words at `values[0]`."""
    return _same_slots(builder, _glanced_at(builder, values[0], HALVES, 64), values[1], values[2])


@_intrinsic(2)
def hinted_tags(builder: Any, values: list[Any]) -> Any:
    """hinted_tags(place, tag): let `builder` do as in `hinted`, of the 16 bytes at the place `values[0]`."""
    return _same_tags(builder, _glanced_at(builder, values[0], BYTES, 16), values[1])


@_intrinsic(1)
def shared_byte(builder: Any, values: list[Any]) -> Any:
    """shared_byte(address): let `builder` load the byte at `values[0]` anew, as `shared` loads a word."""
    return builder.zext(builder.load_atomic(_at(builder, values[0]), "seq_cst", 1, typ=BYTE), WORD)


@_intrinsic(1)
def vacant(builder: Any, values: list[Any]) -> Any:
    """vacant(line): let `builder` make a bit for each of the 8 words of the line at `values[0]` that is zero."""
    return _bits(builder, _looked_at(builder, values[0]), ir.Constant(LINE, [0] * 8))


@_intrinsic(1, types.void)
def relax(builder: Any, _values: list[Any]) -> Any:
    """relax(0): let `builder` tell the processor that this thread is waiting in a loop."""
    kind = ir.FunctionType(ir.VoidType(), [])
    builder.asm(kind, WAIT, "~{memory}", [], True)
    return _none(builder)


@intrinsic  # type: ignore[untyped-decorator]
def address_in(_typing: Any, column: Any, index: Any) -> Any:
    """address_in(column, index): return the address of the number of `column` at `index`."""
    assert isinstance(column, Column)

    def code(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.ptrtoint(_element(builder, values[0], values[1], column.scale), WORD)

    return NUMBER(column, NUMBER), code


@intrinsic  # type: ignore[untyped-decorator]
def is_kept(_typing: Any, column: Any) -> Any:
    """is_kept(column): return 1 if what is written to `column` can be read, 0 if it is forgotten."""
    assert isinstance(column, Column)

    def code(_context: Any, _builder: Any, _signature: Any, _values: Any) -> Any:
        return ir.Constant(WORD, int(column.bits > 0))

    return NUMBER(column), code


@intrinsic  # type: ignore[untyped-decorator]
def raise_to(_typing: Any, column: Any, index: Any, value: Any) -> Any:
    """raise_to(column, index, value): write `value` to `column` at `index`, unless what is there is higher."""
    assert isinstance(column, Column)

    def code(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        if column.bits:
            place = _element(builder, values[0], values[1], column.scale)
            number = builder.trunc(values[2], ir.IntType(column.bits)) if column.bits < 64 else values[2]
            builder.atomic_rmw("umax", place, number, "seq_cst")
        return _none(builder)

    return types.void(column, NUMBER, NUMBER), code


# The same steps of one worker alone


@_intrinsic(2)
def plain_add(builder: Any, values: list[Any]) -> Any:
    """plain_add(address, value): let `builder` do as in `add` of `values`, by a load and a store."""
    place = _at(builder, values[0])
    before = builder.load(place, typ=WORD, align=8)
    builder.store(builder.add(before, values[1]), place, align=8)
    return before


@_intrinsic(3)
def plain_swap_if(builder: Any, values: list[Any]) -> Any:
    """plain_swap_if(address, expected, value): let `builder` do as in `swap_if` of `values`, by a load and a store."""
    place = _at(builder, values[0])
    before = builder.load(place, typ=WORD, align=8)
    is_expected = builder.icmp_unsigned("==", before, values[1])
    builder.store(builder.select(is_expected, values[2], before), place, align=8)
    return before


@_intrinsic(2)
def plain_add_bits(builder: Any, values: list[Any]) -> Any:
    """plain_add_bits(address, bits): let `builder` do as in `add_bits` of `values`, by a load and a store."""
    place = _at(builder, values[0])
    before = builder.load(place, typ=BYTE, align=1)
    builder.store(builder.or_(before, builder.trunc(values[1], BYTE)), place, align=1)
    return builder.zext(before, WORD)


@_intrinsic(1)
def plain_shared_byte(builder: Any, values: list[Any]) -> Any:
    """plain_shared_byte(address): let `builder` load the byte at `values[0]`."""
    return builder.zext(builder.load(_at(builder, values[0]), typ=BYTE, align=1), WORD)


@_intrinsic(3)
def plain_surveyed(builder: Any, values: list[Any]) -> Any:
    """plain_surveyed(line, tag, shift): let `builder` do as in `surveyed` of `values`, by one load of the line."""
    return _survey(builder, builder.load(_at(builder, values[0]), typ=LINE, align=64), values)


@_intrinsic(2)
def plain_surveyed_apart(builder: Any, values: list[Any]) -> Any:
    """plain_surveyed_apart(line, tag): let `builder` do as in `surveyed_apart`, by one load of the tags.

    In the line at `values[0]`, they are written together with their numbers.
    """
    place = builder.add(values[0], ir.Constant(WORD, 48))
    tags = builder.load(_at(builder, place), typ=BYTES, align=16)
    slots = ir.Constant(WORD, 0xFFF)
    matches = builder.and_(_same_tags(builder, tags, values[1]), slots)
    free = _as_bits(builder, builder.icmp_unsigned("==", tags, ir.Constant(BYTES, [0] * 16)))
    return builder.or_(matches, builder.shl(builder.and_(free, slots), ir.Constant(WORD, 16)))


@_intrinsic(3)
def plain_hinted_slots(builder: Any, values: list[Any]) -> Any:
    """plain_hinted_slots(line, tag, bits): let `builder` do as in `hinted_slots` of `values`; nothing is frozen."""
    return _same_slots(builder, builder.load(_at(builder, values[0]), typ=HALVES, align=64), values[1], values[2])


@_intrinsic(2)
def plain_hinted_tags(builder: Any, values: list[Any]) -> Any:
    """plain_hinted_tags(place, tag): let `builder` do as in `hinted_tags` of `values`; nothing is frozen."""
    return _same_tags(builder, builder.load(_at(builder, values[0]), typ=BYTES, align=16), values[1])


ONE: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "add": plain_add,
        "add_bits": plain_add_bits,
        "hinted": tagged,
        "hinted_slots": plain_hinted_slots,
        "hinted_tags": plain_hinted_tags,
        "share": store,
        "shared": load,
        "shared_byte": plain_shared_byte,
        "surveyed": plain_surveyed,
        "surveyed_apart": plain_surveyed_apart,
        "surveyed_slots": surveyed_halves,
        "swap_if": plain_swap_if,
        "vacant": empty,
    }
)
"""What the names of these steps mean in the store of one worker alone."""
