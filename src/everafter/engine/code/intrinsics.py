"""What the store needs of the processor and Numba has no words for: memory by address, 128-bit products, prefetching.

Every number is a signed 64-bit one, also addresses, hashes and masks: Numba would make a float of a signed number and
an unsigned one. `Column` is the type of a field of a native `Store`: an array without a length, known by the address of
its element 0.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Literal

from llvmlite import ir
from llvmlite.ir.instructions import StoreAtomicInstr
from numba.core import types
from numba.core.cgutils import get_or_insert_function
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, models, register_model
from numba.np.arrayobj import populate_array

from everafter.engine.block import COLOUR_OF, PUT_COLOUR

BYTE = ir.IntType(8)
WORD = ir.IntType(64)
DOUBLE = ir.IntType(128)
HALF = ir.IntType(32)
LINE = ir.VectorType(WORD, 8)
HALVES = ir.VectorType(HALF, 16)
BYTES = ir.VectorType(BYTE, 16)
POINTER = ir.PointerType()
NUMBER = types.int64
Order = Literal["", "monotonic", "seq_cst"]
"""How reads and writes are ordered, in LLVM's words; none for what only one thread uses at a time."""


def _intrinsic(arguments: int, result: Any = NUMBER) -> Callable[[Callable[[Any, list[Any]], Any]], Callable[..., int]]:
    """Make an intrinsic over numbers of a function that writes its code: emit(builder, values) -> value."""

    def decorate(emit: Callable[[Any, list[Any]], Any]) -> Callable[..., int]:
        def code(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            return emit(builder, list(values))

        def one(_typing: Any, a: Any) -> Any:
            return result(NUMBER), code

        def two(_typing: Any, a: Any, b: Any) -> Any:
            return result(NUMBER, NUMBER), code

        def three(_typing: Any, a: Any, b: Any, c: Any) -> Any:
            return result(NUMBER, NUMBER, NUMBER), code

        def four(_typing: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
            return result(NUMBER, NUMBER, NUMBER, NUMBER), code

        def five(_typing: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
            return result(NUMBER, NUMBER, NUMBER, NUMBER, NUMBER), code

        chosen = (one, two, three, four, five)[arguments - 1]
        chosen.__name__ = emit.__name__
        made: Callable[..., int] = intrinsic(chosen)
        return made

    return decorate


def declared(name: str, arguments: int) -> Callable[..., int]:
    """Return the function `name` over numbers, of `arguments` arguments, that the text joined with the code defines."""

    def emit(builder: Any, values: list[Any]) -> Any:
        kind = ir.FunctionType(WORD, [WORD] * arguments)
        return builder.call(get_or_insert_function(builder.module, kind, name), values)

    emit.__name__ = name
    return _intrinsic(arguments)(emit)


def _at(builder: Any, address: Any) -> Any:
    return builder.inttoptr(address, POINTER)


def _none(builder: Any) -> Any:
    return ir.Constant(ir.PointerType(), None)


@_intrinsic(1)
def load(builder: Any, values: list[Any]) -> Any:
    """load(address): let `builder` load the word at `values[0]`."""
    return builder.load(_at(builder, values[0]), typ=WORD, align=8)


@_intrinsic(2)
def word(builder: Any, values: list[Any]) -> Any:
    """word(block, index): let `builder` load the word of the block `values[0]` at the index `values[1]`."""
    return builder.load(_element(builder, values[0], values[1], 8), typ=WORD, align=8)


@_intrinsic(2, types.void)
def store(builder: Any, values: list[Any]) -> Any:
    """store(address, value): let `builder` write the word `values[1]` at the address `values[0]`."""
    builder.store(values[1], _at(builder, values[0]), align=8)
    return _none(builder)


@_intrinsic(3, types.void)
def put(builder: Any, values: list[Any]) -> Any:
    """put(block, index, value): let `builder` write `values[2]` to the word of the block `values[0]` at an index."""
    builder.store(values[2], _element(builder, values[0], values[1], 8), align=8)
    return _none(builder)


@_intrinsic(1)
def half(builder: Any, values: list[Any]) -> Any:
    """half(address): let `builder` load the 32 bits at `values[0]`, as a number without a sign."""
    return builder.zext(builder.load(_at(builder, values[0]), typ=HALF, align=4), WORD)


@_intrinsic(2, types.void)
def put_half(builder: Any, values: list[Any]) -> Any:
    """put_half(address, value): let `builder` write the lower 32 bits of `values[1]` at `values[0]`."""
    builder.store(builder.trunc(values[1], HALF), _at(builder, values[0]), align=4)
    return _none(builder)


@_intrinsic(1)
def load_anywhere(builder: Any, values: list[Any]) -> Any:
    """load_anywhere(address): let `builder` load the word at `values[0]`, which need not be aligned."""
    return builder.load(_at(builder, values[0]), typ=WORD, align=1)


@_intrinsic(2, types.void)
def store_anywhere(builder: Any, values: list[Any]) -> Any:
    """store_anywhere(address, value): let `builder` write `values[1]` at `values[0]`, which need not be aligned."""
    builder.store(values[1], _at(builder, values[0]), align=1)
    return _none(builder)


@_intrinsic(2)
def shifted_right(builder: Any, values: list[Any]) -> Any:
    """shifted_right(bits, count): let `builder` shift `values[0]` by `values[1]`; zeros come in at the top."""
    return builder.lshr(values[0], values[1])


@_intrinsic(2)
def folded_product(builder: Any, values: list[Any]) -> Any:
    """folded_product(a, b): let `builder` combine both halves of the 128-bit product of `values` by exclusive or."""
    low, high = _halves(builder, values)
    return builder.xor(low, high)


@_intrinsic(2)
def high_product(builder: Any, values: list[Any]) -> Any:
    """high_product(a, b): let `builder` return the upper half of the 128-bit product of `values`.

    It is a, scaled from 0 … 2**64 - 1 to 0 … b - 1.
    """
    return _halves(builder, values)[1]


@_intrinsic(1, types.void)
def prefetch(builder: Any, values: list[Any]) -> Any:
    """prefetch(address): let `builder` start to bring the cache line at `values[0]` to this processor."""
    return _prefetched(builder, values[0], writing=False)


@_intrinsic(1, types.void)
def prefetch_to_write(builder: Any, values: list[Any]) -> Any:
    """prefetch_to_write(address): let `builder` do as in `prefetch` where the line at `values[0]` will be changed."""
    return _prefetched(builder, values[0], writing=True)


def _prefetched(builder: Any, address: Any, writing: bool) -> Any:
    kind = ir.FunctionType(ir.VoidType(), [POINTER, *[ir.IntType(32)] * 3])
    function = get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    builder.call(function, [_at(builder, address), *[ir.Constant(ir.IntType(32), n) for n in (int(writing), 3, 1)]])
    return _none(builder)


@_intrinsic(3)
def tagged(builder: Any, values: list[Any]) -> Any:
    """tagged(line, tag, shift): let `builder` compare the 8 words of a line with a tag; the line is `values[0]`.

    Return a bit for each word that is the tag when shifted right.
    """
    line = builder.load(_at(builder, values[0]), typ=LINE, align=64)
    return _bits(builder, builder.lshr(line, _spread(builder, values[2])), _spread(builder, values[1]))


@_intrinsic(1)
def empty(builder: Any, values: list[Any]) -> Any:
    """empty(line): let `builder` return a bit for each of the 8 words of the line at `values[0]` that is zero."""
    line = builder.load(_at(builder, values[0]), typ=LINE, align=64)
    return _bits(builder, line, ir.Constant(LINE, [0] * 8))


@_intrinsic(1)
def lowest(builder: Any, values: list[Any]) -> Any:
    """lowest(bits): let `builder` return the index of the lowest bit that is set of `values[0]`, which is not zero."""
    return builder.cttz(values[0], ir.Constant(ir.IntType(1), 1))


@_intrinsic(1)
def highest(builder: Any, values: list[Any]) -> Any:
    """highest(bits): let `builder` return the index of the highest bit set of `values[0]`, which is not zero."""
    return builder.sub(ir.Constant(WORD, 63), builder.ctlz(values[0], ir.Constant(ir.IntType(1), 1)))


@_intrinsic(1)
def ones(builder: Any, values: list[Any]) -> Any:
    """ones(bits): let `builder` count the bits of `values[0]` that are set."""
    return builder.ctpop(values[0])


@_intrinsic(3)
def surveyed_halves(builder: Any, values: list[Any]) -> Any:
    """surveyed_halves(line, tag, shift): let `builder` do as in `surveyed`, of the 16 halves of words at `values[0]`.

    Each answer has 16 bits. A half that is empty does not count as one with the tag 0.
    """
    line = builder.load(_at(builder, values[0]), typ=HALVES, align=64)
    tag, shift = (_spread_half(builder, value) for value in values[1:])
    zeros = ir.Constant(HALVES, [0] * 16)
    filled = builder.icmp_unsigned("!=", line, zeros)
    matches = builder.and_(builder.icmp_unsigned("==", builder.lshr(line, shift), tag), filled)
    free = builder.icmp_unsigned("==", line, zeros)
    bits = [builder.zext(builder.bitcast(each, ir.IntType(16)), WORD) for each in (matches, free)]
    return builder.or_(bits[0], builder.shl(bits[1], ir.Constant(WORD, 16)))


@_intrinsic(4)
def unequal(builder: Any, values: list[Any]) -> Any:
    """unequal(one, other, bits, count): let `builder` compare up to 8 words at two places, the first of `values`.

    Return a bit for each word in which they differ. In the first word, only these bits count. All 8 words must be
    readable.
    """
    one, other = (builder.load(_at(builder, value), typ=LINE, align=8) for value in values[:2])
    different = builder.xor(one, other)
    first = ir.Constant(ir.IntType(32), 0)
    every = ir.Constant(LINE, [-1] * 8)
    different = builder.and_(different, builder.insert_element(every, values[2], first))
    inside = builder.icmp_unsigned("<", ir.Constant(LINE, list(range(8))), _spread(builder, values[3]))
    zeros = ir.Constant(LINE, [0] * 8)
    return _bits(builder, builder.select(inside, different, zeros), zeros, "!=")


@_intrinsic(3)
def changed(builder: Any, values: list[Any]) -> Any:
    """changed(one, other, bits): let `builder` return a bit for each of 8 words in which two places differ.

    All three of `values` are addresses of 8 words; only the bits that are set in those at the third count.
    """
    one, other, bits = (builder.load(_at(builder, value), typ=LINE, align=8) for value in values)
    return _bits(builder, builder.and_(builder.xor(one, other), bits), ir.Constant(LINE, [0] * 8), "!=")


@_intrinsic(2, types.void)
def copy_line(builder: Any, values: list[Any]) -> Any:
    """copy_line(target, source): let `builder` copy 8 words from `values[1]` to `values[0]`."""
    line = builder.load(_at(builder, values[1]), typ=LINE, align=8)
    builder.store(line, _at(builder, values[0]), align=8)
    return _none(builder)


@_intrinsic(2, types.void)
def clear(builder: Any, values: list[Any]) -> Any:
    """clear(address, bytes): let `builder` set `values[1]` bytes from `values[0]` on to zero."""
    bit = ir.IntType(1)
    kind = ir.FunctionType(ir.VoidType(), [POINTER, BYTE, WORD, bit])
    function = get_or_insert_function(builder.module, kind, "llvm.memset.p0.i64")
    builder.call(function, [_at(builder, values[0]), ir.Constant(BYTE, 0), values[1], ir.Constant(bit, 0)])
    return _none(builder)


@_intrinsic(5)
def call_four(builder: Any, values: list[Any]) -> Any:
    """call_four(function, a, b, c, d): let `builder` call the C function at the address `values[0]`."""
    return _called(builder, values)


@_intrinsic(4)
def call_three(builder: Any, values: list[Any]) -> Any:
    """call_three(function, a, b, c): let `builder` call the C function at the address `values[0]`."""
    return _called(builder, values)


@_intrinsic(3)
def call_two(builder: Any, values: list[Any]) -> Any:
    """call_two(function, a, b): let `builder` call the C function at the address `values[0]`."""
    return _called(builder, values)


@_intrinsic(2)
def call_one(builder: Any, values: list[Any]) -> Any:
    """call_one(function, a): let `builder` call the C function at the address `values[0]`."""
    return _called(builder, values)


@_intrinsic(1)
def call_zero(builder: Any, values: list[Any]) -> Any:
    """call_zero(function): let `builder` call the C function at the address `values[0]`."""
    return _called(builder, values)


def _called(builder: Any, values: list[Any]) -> Any:
    kind = ir.FunctionType(WORD, [WORD] * (len(values) - 1))
    return builder.call(builder.inttoptr(values[0], kind.as_pointer()), values[1:])


def _halves(builder: Any, values: list[Any]) -> tuple[Any, Any]:
    product = builder.mul(*[builder.zext(value, DOUBLE) for value in values])
    return builder.trunc(product, WORD), builder.trunc(builder.lshr(product, ir.Constant(DOUBLE, 64)), WORD)


def _element(builder: Any, base: Any, index: Any, scale: int) -> Any:
    return builder.gep(_at(builder, base), [builder.mul(index, ir.Constant(WORD, scale))], source_etype=BYTE)


def _spread(builder: Any, value: Any) -> Any:
    one = builder.insert_element(ir.Constant(LINE, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), 8), [0] * 8)
    return builder.shuffle_vector(one, ir.Constant(LINE, ir.Undefined), zeros)


def _spread_half(builder: Any, value: Any) -> Any:
    first = ir.Constant(HALF, 0)
    one = builder.insert_element(ir.Constant(HALVES, ir.Undefined), builder.trunc(value, HALF), first)
    return builder.shuffle_vector(one, ir.Constant(HALVES, ir.Undefined), ir.Constant(HALVES, [0] * 16))


def _bits(builder: Any, left: Any, right: Any, relation: str = "==") -> Any:
    return builder.zext(builder.bitcast(builder.icmp_unsigned(relation, left, right), BYTE), WORD)


class Column(types.Type):
    """An array of unsigned numbers of some bits, one every `scale` bytes. With 0 bits it forgets what is written.

    A biased column holds one more than its numbers, so that it can hold -1. One with an order is read and written by
    several threads: each read is a load of its own, and each write a step of its own, of this order of LLVM.
    One without a scale is that of the colours of packed rows: in place of an address it has the block, whose functions
    look them up.
    """

    def __init__(self, bits: int, scale: int, bias: int = 0, order: Order = "") -> None:
        self.bits, self.scale, self.bias, self.order = bits, scale, bias, order
        super().__init__(name=f"Column({bits}, {scale}, {bias}, {order!r})")


@register_model(Column)
class _ColumnModel(models.PrimitiveModel):  # type: ignore[misc] # Numba has no types
    """A column is the address of its element 0."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, WORD)


def column_at(kind: Column) -> Any:
    """Return the function that makes a column of this `kind` of the address of its element 0."""

    def make(_typing: Any, address: Any) -> Any:
        def code(_context: Any, _builder: Any, _signature: Any, values: Any) -> Any:
            return values[0]

        return kind(NUMBER), code

    return intrinsic(make)


@infer_global(operator.getitem)
class _Get(AbstractTemplate):  # type: ignore[misc]
    def generic(self, arguments: Any, _keywords: Any) -> Any:
        """column[index] is a number."""
        if isinstance(arguments[0], Column):
            return signature(NUMBER, arguments[0], NUMBER)
        return None


@infer_global(operator.setitem)
class _Set(AbstractTemplate):  # type: ignore[misc]
    def generic(self, arguments: Any, _keywords: Any) -> Any:
        """column[index] = number."""
        if isinstance(arguments[0], Column):
            return signature(types.void, arguments[0], NUMBER, NUMBER)
        return None


@lower_builtin(operator.getitem, Column, NUMBER)  # type: ignore[untyped-decorator]
def _get(_context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    column = kinds.args[0]
    if not column.bits:
        return ir.Constant(WORD, 0)
    if not column.scale:
        return _looked_up(builder, COLOUR_OF, values)
    width = ir.IntType(column.bits)
    place = _element(builder, values[0], values[1], column.scale)
    if column.order:
        value = builder.load_atomic(place, column.order, column.bits // 8, typ=width)
    else:
        value = builder.load(place, typ=width, align=column.bits // 8)
    value = builder.zext(value, WORD) if column.bits < 64 else value
    return builder.sub(value, ir.Constant(WORD, column.bias))


@lower_builtin(operator.setitem, Column, NUMBER, NUMBER)  # type: ignore[untyped-decorator]
def _set(_context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    column = kinds.args[0]
    if column.bits and not column.scale:
        _looked_up(builder, PUT_COLOUR, values)
    elif column.bits:
        value = builder.add(values[2], ir.Constant(WORD, column.bias))
        value = builder.trunc(value, ir.IntType(column.bits)) if column.bits < 64 else value
        place = _element(builder, values[0], values[1], column.scale)
        if column.order == "seq_cst":
            builder.atomic_rmw("xchg", place, value, column.order)
        elif column.order:
            builder._insert(StoreAtomicInstr(builder.block, value, place, column.order, column.bits // 8))
        else:
            builder.store(value, place, align=column.bits // 8)
    return _none(builder)


def _looked_up(builder: Any, index: int, values: Any) -> Any:
    """What the function of the block `values[0]` at this index returns for it and the other values."""
    function = builder.load(_element(builder, values[0], ir.Constant(WORD, index), 8), typ=WORD, align=8)
    return _called(builder, [function, *values])


@intrinsic  # type: ignore[untyped-decorator]
def array_at(_typing: Any, address: Any, length: Any) -> Any:
    """array_at(address, length): return the `length` words at `address` as an array, which can be iterated over."""
    kind = types.Array(NUMBER, 1, "C")

    def code(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        array = context.make_array(kind)(context, builder)
        step = ir.Constant(WORD, 8)
        data = _at(builder, values[0])
        populate_array(array, data, [values[1]], [step], step, None)
        return array._getvalue()

    return kind(NUMBER, NUMBER), code
