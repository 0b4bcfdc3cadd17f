"""What the store of a team needs of the processor: steps on shared memory that no other thread can come between."""

from __future__ import annotations

import platform
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from everafter.engine.code.intrinsics import BYTE, NUMBER, WORD, Column, _at, _element, _intrinsic, _none

_RELAX = {"x86_64": "pause", "AMD64": "pause", "aarch64": "yield", "arm64": "yield"}


@_intrinsic(1)
def shared(builder: Any, values: list[Any]) -> Any:
    """shared(address): the word there, read anew; what its writer wrote before it can be read after it."""
    return builder.load_atomic(_at(builder, values[0]), "seq_cst", 8, typ=WORD)


@_intrinsic(2, types.void)
def share(builder: Any, values: list[Any]) -> Any:
    """share(address, value): write the word for others to read."""
    builder.atomic_rmw("xchg", _at(builder, values[0]), values[1], "seq_cst")
    return _none(builder)


@_intrinsic(2)
def add(builder: Any, values: list[Any]) -> Any:
    """add(address, value): add to the word there; what it was."""
    return builder.atomic_rmw("add", _at(builder, values[0]), values[1], "seq_cst")


@_intrinsic(3)
def swap_if(builder: Any, values: list[Any]) -> Any:
    """swap_if(address, expected, value): write the word there if it is as expected; what it was."""
    return builder.extract_value(builder.cmpxchg(_at(builder, values[0]), values[1], values[2], "seq_cst"), 0)


@_intrinsic(2)
def add_bits(builder: Any, values: list[Any]) -> Any:
    """add_bits(address, bits): set bits of the byte there; what it was."""
    bits = builder.trunc(values[1], BYTE)
    return builder.zext(builder.atomic_rmw("or", _at(builder, values[0]), bits, "seq_cst"), WORD)


@_intrinsic(2)
def add_to_byte(builder: Any, values: list[Any]) -> Any:
    """add_to_byte(address, value): add to the byte there; what it was."""
    value = builder.trunc(values[1], BYTE)
    return builder.zext(builder.atomic_rmw("add", _at(builder, values[0]), value, "seq_cst"), WORD)


@_intrinsic(1, types.void)
def acquire(builder: Any, _values: list[Any]) -> Any:
    """acquire(0): what is read from here on is read after what was read before."""
    builder.fence("acquire")
    return _none(builder)


@_intrinsic(1, types.void)
def relax(builder: Any, _values: list[Any]) -> Any:
    """relax(0): tell the processor that this thread is waiting in a loop."""
    kind = ir.FunctionType(ir.VoidType(), [])
    builder.asm(kind, _RELAX.get(platform.machine(), ""), "~{memory}", [], True)
    return _none(builder)


@intrinsic  # type: ignore[untyped-decorator]
def address_in(_typing: Any, column: Any, index: Any) -> Any:
    """address_in(column, index): where the number of this index is kept."""
    assert isinstance(column, Column)

    def code(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.ptrtoint(_element(builder, values[0], values[1], column.scale), WORD)

    return NUMBER(column, NUMBER), code


@intrinsic  # type: ignore[untyped-decorator]
def is_kept(_typing: Any, column: Any) -> Any:
    """is_kept(column): 1 if what is written there can be read, 0 if it is forgotten."""
    assert isinstance(column, Column)

    def code(_context: Any, _builder: Any, _signature: Any, _values: Any) -> Any:
        return ir.Constant(WORD, int(column.bits > 0))

    return NUMBER(column), code


@intrinsic  # type: ignore[untyped-decorator]
def raise_to(_typing: Any, column: Any, index: Any, value: Any) -> Any:
    """raise_to(column, index, value): write the value there, unless what is there is higher."""
    assert isinstance(column, Column)

    def code(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        if column.bits:
            place = _element(builder, values[0], values[1], column.scale)
            number = builder.trunc(values[2], ir.IntType(column.bits)) if column.bits < 64 else values[2]
            builder.atomic_rmw("umax", place, number, "seq_cst")
        return _none(builder)

    return types.void(column, NUMBER, NUMBER), code
