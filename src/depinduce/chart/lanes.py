"""Vectors of four numbers, one for each of four sentences that a chart fills side by side.

Sentences are short, so loops inside one sentence are too short to vectorise. Four sentences of similar
length walk through the same recurrence in lockstep instead: a cell of the chart is a `Lanes`, four
doubles in one register, and every step is one vector instruction at any length.

The functions here are Numba intrinsics. They work on bare memory (`pointer`), and an index points at
the first lane. Nothing checks bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from llvmlite import ir
from numba import extending, types
from numba.extending import models, register_model

from depinduce.compiled import compiled


def intrinsic(builder: Callable) -> Callable:
    """A function that compiled functions call, from what builds its code: the typing context is not its argument."""
    return extending.intrinsic(builder)


LANES = 4

_DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
_INTEGERS = ir.VectorType(ir.IntType(64), LANES)


class LanesType(types.Type):
    """Four doubles."""


class IndexType(types.Type):
    """Four integers."""


lanes_t, index_t = LanesType("Lanes"), IndexType("Index")


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, front_end):
        super().__init__(manager, front_end, _DOUBLES)


@register_model(IndexType)
class _IndexModel(models.PrimitiveModel):
    def __init__(self, manager, front_end):
        super().__init__(manager, front_end, _INTEGERS)


def _lane(k: int) -> ir.Constant:
    return ir.Constant(ir.IntType(32), k)


def _same_in_all(builder, vector, number):
    value = ir.Constant(vector, ir.Undefined)
    for k in range(LANES):
        value = builder.insert_element(value, number, _lane(k))
    return value


def _vector_pointer(builder, pointer, index, vector):
    return builder.bitcast(builder.gep(pointer, [index], inbounds=True), vector.as_pointer())


@intrinsic
def pointer(typing_context, array):
    """The bare memory of an array. Numba counts references to arrays at every call, to pointers never."""

    def generate(context, builder, signature, args):
        return context.make_array(signature.args[0])(context, builder, args[0]).data

    return types.CPointer(array.dtype)(array), generate


@intrinsic
def advance(typing_context, memory, count):
    """The memory `count` elements further on."""

    def generate(context, builder, signature, args):
        return builder.gep(args[0], [args[1]], inbounds=True)

    return memory(memory, types.int64), generate


def _loader(vector, result_type):
    def load(typing_context, array, index):
        def generate(context, builder, signature, args):
            value = builder.load(_vector_pointer(builder, args[0], args[1], vector))
            value.align = 8
            return value

        return result_type(array, types.int64), generate

    return load


load = intrinsic(_loader(_DOUBLES, lanes_t))  # load(array, index): four neighbouring doubles
load_index = intrinsic(_loader(_INTEGERS, index_t))  # the same of integers


def _storer(vector, value_type):
    def store(typing_context, array, index, value):
        def generate(context, builder, signature, args):
            builder.store(args[2], _vector_pointer(builder, args[0], args[1], vector)).align = 8
            return context.get_dummy_value()

        return types.void(array, types.int64, value_type), generate

    return store


store = intrinsic(_storer(_DOUBLES, lanes_t))  # store(array, index, value): into four neighbouring doubles
store_index = intrinsic(_storer(_INTEGERS, index_t))  # the same of integers


@intrinsic
def splat(typing_context, number):
    """The same number in all four lanes."""

    def generate(context, builder, signature, args):
        return _same_in_all(builder, _DOUBLES, args[0])

    return lanes_t(types.float64), generate


@intrinsic
def splat_index(typing_context, number):
    """The same integer in all four lanes."""

    def generate(context, builder, signature, args):
        return _same_in_all(builder, _INTEGERS, args[0])

    return index_t(types.int64), generate


def _arithmetic(instruction: str):
    def operation(typing_context, x, y):
        def generate(context, builder, signature, args):
            return getattr(builder, instruction)(*args, flags=("contract",))  # allows fused multiply-add

        return lanes_t(lanes_t, lanes_t), generate

    return intrinsic(operation)


add, multiply = _arithmetic("fadd"), _arithmetic("fmul")


@intrinsic
def maximum(typing_context, x, y):
    """The larger of two numbers in every lane."""

    def generate(context, builder, signature, args):
        return builder.select(builder.fcmp_ordered(">", *args), *args)

    return lanes_t(lanes_t, lanes_t), generate


@intrinsic
def where_equal(typing_context, tested, number, then, otherwise):
    """`then` in the lanes where `tested` equals the number, `otherwise` in the rest."""

    def generate(context, builder, signature, args):
        tested, number, then, otherwise = args
        equal = builder.fcmp_ordered("==", tested, _same_in_all(builder, _DOUBLES, number))
        return builder.select(equal, then, otherwise)

    return lanes_t(lanes_t, types.float64, lanes_t, lanes_t), generate


@intrinsic
def spoilt(typing_context, seen, value, lowest, highest):
    """`seen`, or 1 in the lanes whose value is neither zero nor between the bounds (nor a number)."""

    def generate(context, builder, signature, args):
        seen, value, lowest, highest = args
        is_zero = builder.fcmp_ordered("==", value, ir.Constant(_DOUBLES, [0.0] * LANES))
        inside = builder.and_(builder.fcmp_ordered(">=", value, lowest), builder.fcmp_ordered("<=", value, highest))
        good = builder.or_(is_zero, inside)
        return builder.select(good, seen, ir.Constant(_DOUBLES, [1.0] * LANES))

    return lanes_t(lanes_t, lanes_t, lanes_t, lanes_t), generate


@intrinsic
def gather(typing_context, table, row, column):
    """table[row + column] in every lane."""

    def generate(context, builder, signature, args):
        index = builder.add(args[1], args[2])
        value = ir.Constant(_DOUBLES, ir.Undefined)
        for k in range(LANES):
            element = builder.load(builder.gep(args[0], [builder.extract_element(index, _lane(k))], inbounds=True))
            value = builder.insert_element(value, element, _lane(k))
        return value

    return lanes_t(table, index_t, index_t), generate


@intrinsic
def add_index(typing_context, x, y):
    """x + y in every lane."""

    def generate(context, builder, signature, args):
        return builder.add(*args)

    return index_t(index_t, index_t), generate


@intrinsic
def gather_index(typing_context, table, index):
    """table[index] in every lane, of a table of 32-bit integers."""

    def generate(context, builder, signature, args):
        value = ir.Constant(_INTEGERS, ir.Undefined)
        for k in range(LANES):
            element = builder.load(builder.gep(args[0], [builder.extract_element(args[1], _lane(k))], inbounds=True))
            value = builder.insert_element(value, builder.sext(element, ir.IntType(64)), _lane(k))
        return value

    return index_t(table, index_t), generate


@intrinsic
def where_below(typing_context, number, bounds, then, otherwise):
    """`then` in the lanes whose bound the number is below, `otherwise` in the rest."""

    def generate(context, builder, signature, args):
        number, bounds, then, otherwise = args
        below = builder.icmp_signed("<", _same_in_all(builder, _INTEGERS, number), bounds)
        return builder.select(below, then, otherwise)

    return index_t(types.int64, index_t, index_t, index_t), generate


@intrinsic
def scale_index(typing_context, index, factor):
    """index · factor in every lane."""

    def generate(context, builder, signature, args):
        return builder.mul(args[0], _same_in_all(builder, _INTEGERS, args[1]))

    return index_t(index_t, types.int64), generate


@intrinsic
def scatter_add(typing_context, table, row, column, value):
    """table[row + column] += value, one lane after the other."""

    def generate(context, builder, signature, args):
        index = builder.add(args[1], args[2])
        for k in range(LANES):
            pointer = builder.gep(args[0], [builder.extract_element(index, _lane(k))], inbounds=True)
            share = builder.extract_element(args[3], _lane(k))
            builder.store(builder.fadd(builder.load(pointer), share), pointer)
        return context.get_dummy_value()

    return types.void(table, index_t, index_t, lanes_t), generate


@intrinsic
def _unpack(typing_context, value):
    def generate(context, builder, signature, args):
        numbers = [builder.extract_element(args[0], _lane(k)) for k in range(LANES)]
        return context.make_tuple(builder, signature.return_type, numbers)

    return types.UniTuple(types.float64, LANES)(lanes_t), generate


@intrinsic
def _pack(typing_context, numbers):
    def generate(context, builder, signature, args):
        value = ir.Constant(_DOUBLES, ir.Undefined)
        for k in range(LANES):
            value = builder.insert_element(value, builder.extract_value(args[0], k), _lane(k))
        return value

    return lanes_t(types.UniTuple(types.float64, LANES)), generate


@compiled
def log_add_scalar(x, y):
    """log(eˣ + eʸ)"""
    high, low = max(x, y), min(x, y)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


@compiled
def log_add(x, y):
    """log(eˣ + eʸ) in every lane."""
    (x0, x1, x2, x3), (y0, y1, y2, y3) = _unpack(x), _unpack(y)
    return _pack((log_add_scalar(x0, y0), log_add_scalar(x1, y1), log_add_scalar(x2, y2), log_add_scalar(x3, y3)))


@compiled
def exponential(x):
    """eˣ in every lane."""
    x0, x1, x2, x3 = _unpack(x)
    return _pack((math.exp(x0), math.exp(x1), math.exp(x2), math.exp(x3)))
