"""Integers of 64 bits without a sign, and the bits of floats: the oracle, compiled code, and numbers by hand agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from usl_core.errors import UslError
from usl_halide_lib import hl

x = hl.Var("x")
A = [0, 1, 2, 3, 7, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1, 2**64 - 2, 12345678901234567890, 10**19]
B = [3, 2**64 - 1, 0, 1, 2**63, 5, 2**32, 2**33 + 7, 2**63, 2**63 - 1, 1, 2, 2**64 - 1, 97, 2**40]
I = [0, 1, -1, -2, 2**63 - 1, -(2**63), 5, -7, 10**18, -(10**18), 3, 1, -3, 4, 2**40]  # noqa: E741
S = [0, 1, 63, 64, 65, -1, -63, -64, 5, 31, 32, 33, -70, 40, 7]
F = [0, 1.5, -1.5, 1e19, 1.9e19, 2e19, np.nan, np.inf, -np.inf, 9.3e18, 2.0**63, 2.0**64, 1e-300, 123456789.75, 4e9]
N = 2**64


def inputs() -> tuple[Any, ...]:
    """A place of each input."""
    arrays = (np.array(A, np.uint64), np.array(B, np.uint64), np.array(I, np.int64), np.array(S, np.int32), np.array(F))
    return (*(hl.Buffer(each)[x] for each in arrays), hl.Buffer(np.array(F, np.float32))[x])


def together(values: list[Any]) -> tuple[list[Any], list[Any]]:
    """The values of several expressions from the oracle and from compiled code."""
    func = hl.Func("several")
    func[x] = hl.Tuple(values)
    want = func.interpret([len(A)], exact=False)
    return want, [np.asarray(each) for each in func.realize([len(A)])]


def test_each_operation_is_the_same_in_compiled_code() -> None:
    u, v, i, s, f, g = inputs()
    values = [
        u + v, u - v, u * v, u / v, u % v, -u, u / 7, u % 10, u << s, u >> s, u << 3, u >> 60, u >> 64, u << 40,
        u & v, u | v, u ^ v, ~u, hl.min(u, v), hl.max(u, v), hl.select(u == v, u, v), hl.select(u != 0, u, v),
        hl.select(u <= 2**63, u, 0), hl.abs(i), hl.absd(u, v), hl.absd(i, hl.i64(u)), hl.u8(u), hl.i64(u), hl.u64(i), hl.i32(u),
        hl.f32(u), hl.f64(u), hl.u64(f), hl.u64(g), hl.u8_sat(u), hl.i64_sat(u), hl.u64_sat(i), hl.i32_sat(u),
        hl.widening_mul(hl.u32(u), hl.u32(v)), hl.widening_add(hl.u32(u), hl.u32(v)), u + i, u + hl.u8(v),
        hl.extract_bits(hl.UInt(64), u, s), hl.extract_bits(hl.UInt(8), u, 56), hl.concat_bits([hl.u32(u), hl.u32(v)]),
        hl.popcount(u), hl.count_leading_zeros(u), hl.count_trailing_zeros(u), u * hl.u64(2**64 - 1), hl.u32(u) + 4_000_000_000,
        hl.reinterpret(hl.UInt(64), f), hl.reinterpret(hl.Int(64), f), hl.reinterpret(hl.UInt(32), g),
        hl.reinterpret(hl.Float(64), u), hl.reinterpret(hl.Float(32), hl.i32(v)), hl.lerp(hl.f32(1), hl.f32(2), hl.u32(u)),
    ]  # fmt: skip
    for number, (want, got) in enumerate(zip(*together(values), strict=True)):
        assert want.dtype == got.dtype, number
        np.testing.assert_array_equal(want, got, err_msg=str(number))


def test_arithmetic_is_modulo_two_to_the_64() -> None:
    u, v, i, s, *_ = inputs()
    got = together([u + v, u - v, u * v, u / v, u % v, u << s, hl.abs(i), hl.concat_bits([hl.u32(u), hl.u32(v)])])[0]
    shifted = [0 if t >= 64 else a << t if t >= 0 else a >> -t for a, t in zip(A, S, strict=True)]
    for found, want in zip(
        got,
        (
            [(a + b) % N for a, b in zip(A, B, strict=True)],
            [(a - b) % N for a, b in zip(A, B, strict=True)],
            [a * b % N for a, b in zip(A, B, strict=True)],
            [a // b if b else 0 for a, b in zip(A, B, strict=True)],
            [a % b if b else 0 for a, b in zip(A, B, strict=True)],
            [each % N for each in shifted],
            [abs(each) for each in I],
            [a % 2**32 + (b % 2**32 << 32) for a, b in zip(A, B, strict=True)],
        ),
        strict=True,
    ):
        assert found.dtype == np.uint64 and found.tolist() == want


def test_sums_histograms_and_parameters_of_64_bits() -> None:
    p = hl.Param(hl.UInt(64), "p", 2**64 - 5)
    total, bins, r = hl.Func("total"), hl.Func("bins"), hl.RDom([(0, len(A))], "r")
    image = hl.Buffer(np.array(A, np.uint64), "image")
    total[x] = p
    total[x] += image[r] * hl.u64(x + 1)
    bins[x] = hl.u64(0)
    bins[image[r] % 4] += image[r]
    assert np.asarray(total.realize([2])).tolist() == [(2**64 - 5 + sum(A) * k) % N for k in (1, 2)]
    assert np.asarray(bins.realize([4])).tolist() == [sum(a for a in A if a % 4 == k) % N for k in range(4)]
    assert total.interpret([2]).tolist() == np.asarray(total.realize([2])).tolist()


def test_bits_of_floats_are_those_of_ieee_754() -> None:
    func = hl.Func("func")
    func[x] = (hl.reinterpret(hl.UInt(32), hl.f32(x) / 2), hl.reinterpret(hl.Float(32), hl.u32(x) + 0x3F800000))
    bits, floats = func.interpret([3])
    assert bits.tolist() == [0, 0x3F000000, 0x3F800000] and [float(each) for each in floats] == [1, 1 + 2**-23, 1 + 2**-22]
    with pytest.raises(UslError) as caught:
        hl.reinterpret(hl.Float(16), hl.u16(x))
    assert caught.value.code == "E770" and "procedures see the bits of f32 and f64 alone" in caught.value.message
