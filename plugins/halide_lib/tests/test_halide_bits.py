"""Bits of integers and blends by integers: Halide 21's values, recorded, from the oracle and from compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from usl_core.errors import UslError
from usl_halide_lib import hl

x = hl.Var("x")
WORDS = np.array([0x12345678, -1, 0, 2**31 - 1, -(2**31), 0x80FF01], np.int32)
BYTES = np.array([0x12, 0xFF, 0, 0x80, 0x7F, 1], np.uint8)
OTHERS = np.array([0x34, 0, 0xFF, 1, 2, 3], np.uint8)

BITS: dict[str, tuple[Any, list[int]]] = {
    "two bytes": (lambda a, c, d: hl.concat_bits([c, d]), [13330, 255, 65280, 384, 639, 769]),
    "four bytes": (
        lambda a, c, d: hl.concat_bits([c, d, d, c]),
        [305411090, 4278190335, 16776960, 2147549568, 2130838143, 16974593],
    ),
    "a byte": (lambda a, c, d: hl.extract_bits(hl.UInt(8), a, 12), [69, 255, 0, 255, 0, 15]),
    "the upper half": (lambda a, c, d: hl.extract_bits(hl.Int(16), a, 16), [4660, -1, 0, 32767, -32768, 128]),
    "at a place": (lambda a, c, d: hl.extract_bits(hl.UInt(16), a, x * 5), [22136, 65535, 0, 65535, 2048, 0]),
    "beyond the end": (lambda a, c, d: hl.extract_bits(hl.UInt(16), a, 24), [18, 255, 0, 127, 128, 0]),
    "without a sign": (
        lambda a, c, d: hl.reinterpret(hl.UInt(32), a),
        [305419896, 4294967295, 0, 2147483647, 2147483648, 8453889],
    ),
    "with a sign": (lambda a, c, d: hl.reinterpret(hl.Int(8), c), [18, -1, 0, -128, 127, 1]),
}

ZEROS, ONES = np.array([0, 255, 10, 200, 7, 128, 0]), np.array([255, 0, 20, 100, 9, 127, 1])
WEIGHTS = np.array([0, 255, 128, 3, 77, 254, 127])
BLENDS = {
    ("uint8", "uint8"): [0, 0, 15, 199, 8, 127, 0],
    ("int8", "uint8"): [0, 0, 15, -54, 8, 126, 0],
    ("uint8", "uint16"): [0, 255, 15, 199, 8, 127, 0],
    ("uint16", "uint8"): [0, 1, 3861, 51098, 1955, 32641, 128],
    ("int16", "uint16"): [0, -1, 3861, -13664, 1955, 32389, 129],
    ("uint16", "uint16"): [0, 65531, 3861, 51096, 1955, 32641, 129],
    ("float32", "uint8"): [0, 0, 15.0196085, 198.823532, 7.60392141, 127.003922, 0.498039246],
    ("uint8", "bool"): [0, 0, 20, 200, 7, 127, 1],
}


def check(value: Any, wanted: list[Any], exact: bool = True) -> None:
    """The oracle and compiled code both give what is wanted."""
    f = hl.Func("f")
    f[x] = value
    for got in (f.interpret([len(wanted)], exact=False), np.asarray(f.realize([len(wanted)]))):
        np.testing.assert_allclose(got, wanted, rtol=0 if exact else 1e-6)


@pytest.mark.parametrize("name", BITS)
def test_bits_are_taken_apart_and_put_together_as_in_halide(name: str) -> None:
    make, wanted = BITS[name]
    check(make(*(hl.Buffer(each)[hl.clamp(x, 0, 5)] for each in (WORDS, BYTES, OTHERS))), wanted)


@pytest.mark.parametrize(("values", "weights"), BLENDS)
def test_integers_are_weights_as_in_halide(values: str, weights: str) -> None:
    factor, more = (257, 1) if values in ("uint16", "int16") else (1, 0)
    zero, one = (ZEROS * factor).astype(values), (ONES * factor + more).astype(values)
    weight = {"uint8": WEIGHTS, "uint16": WEIGHTS * 257 + 5, "bool": WEIGHTS > 100}[weights].astype(weights)
    place = hl.clamp(x, 0, 6)
    check(hl.lerp(*(hl.Buffer(each)[place] for each in (zero, one, weight))), BLENDS[values, weights], values != "float32")


@pytest.mark.parametrize(
    ("make", "code", "message"),
    [
        (lambda: hl.concat_bits([hl.u8(x)] * 3), "E772", "takes 1, 2, 4 or 8 integers, not 3"),
        (lambda: hl.concat_bits([hl.u8(x), x]), "E772", "x is int32, the first is uint8"),
        (lambda: hl.concat_bits([x, x, x, x]), "E770", "4 times 32 bits are more than 64"),
        (lambda: hl.reinterpret(hl.Int(16), x), "E772", "x has 32 bits, and int16 has 16"),
        (lambda: hl.reinterpret(hl.Float(16), hl.i16(x)), "E770", "see the bits of f32 and f64 alone"),
        (lambda: hl.extract_bits(hl.UInt(8), hl.f32(x), 0), "E772", "not uint8 out of float32"),
        (lambda: hl.lerp(hl.u8(x), hl.u8(x), x), "E772", "unsigned integers and floats are weights"),
        (lambda: hl.lerp(x, x, hl.u8(x)), "E770", "cast to 16 bits, or take a float weight"),
    ],
)
def test_what_has_no_such_bits_is_refused(make: Any, code: str, message: str) -> None:
    with pytest.raises(UslError, match=message) as caught:
        make()
    assert caught.value.code == code and caught.value.span is not None and caught.value.span.file == __file__
