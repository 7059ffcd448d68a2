"""A compiled procedure answers arguments of any kind with a UslError, or runs."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from usl_core import DRAM, UslError, proc_from_source

SOURCE = """
@proc
def k(n: size, i: index, b: bool, x: f32[n, 4], w: [f32][n], y: f64, z: i8[4]):
    assert i > -5
    for j in seq(0, n):
        x[j, 0] += 1.0
        w[j] = 2.0
    y = 1.0
    z[0] = 1
"""
NUMBERS = [None, True, 0, -1, 2**31, 2**63, 2**64, 10**400, -(10**400), 1.5, float("nan"), float("inf"), 1j]
NUMBERS += [np.int64(3), np.uint64(2**63), np.float32(1), np.bool_(1)]
OTHERS = ["x", b"x", [], [[1.0] * 4] * 3, {}, object(), memoryview(b"abcd"), bytearray(16), range(3), iter([]), type, DRAM]


def arrays() -> list[Any]:
    """Of wrong types, shapes, orders, places and kinds."""
    types = [np.zeros((3, 4), dtype) for dtype in ("f8", ">f4", object, "U3", "M8[s]", [("a", "f4")])]
    data = np.zeros((6, 8), np.float32)
    views = [data[::2, ::2], data[::-1], data[:4, :3].T, data[:0], np.broadcast_to(np.float32(1), (3, 4)), np.ma.array(data)]
    misplaced = np.frombuffer(bytearray(49), np.uint8)[1:].view(np.float32).reshape(3, 4)
    constant = np.zeros((3, 4), np.float32)
    constant.flags.writeable = False
    return [*types, *views, misplaced, constant, np.array(3), np.zeros((1,) * 32, np.float32), np.zeros((), np.float32)]


def test_junk_arguments_of_a_compiled_procedure_give_usl_errors_only() -> None:
    compiled, rng = proc_from_source(SOURCE).jit(), random.Random(3)
    junk = [*NUMBERS, *OTHERS, *arrays(), compiled]
    refused = 0
    for _ in range(2000):
        sound = [np.zeros((3, 4), np.float32), np.zeros(3, np.float32), np.zeros((), np.float64), np.zeros(4, np.int8)]
        args: list[Any] = [3, 0, True, *sound]
        args[rng.randrange(7)] = rng.choice(junk)
        named = {name: rng.choice(junk) for name in rng.sample(["n", "x", "zz", "self", "", "args"], rng.choice([0, 0, 1]))}
        try:
            compiled(*args[: rng.choice([7, 7, 7, 6, 0])], *rng.sample(junk, rng.choice([0, 0, 0, 1])), **named)
        except UslError:
            refused += 1
    assert refused > 1500


@pytest.mark.parametrize("flags", [5, "-O3", [None], ["\0"], ["-nonsense"]])
def test_flags_that_are_no_flags_are_refused(flags: Any) -> None:
    with pytest.raises(UslError):
        proc_from_source(SOURCE).jit(flags=flags)
