"""Truth values in mask registers: what `vectorize` makes of loops over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from avx512_build import require

from usl_avx512 import isa
from usl_avx512.memories import AVX512, AVX512_MASK
from usl_c11.backend import C11
from usl_core import proc_from_source
from usl_core.errors import BackendError
from usl_stdlib import vectorize


@dataclass(frozen=True)
class Case:
    """A statement on `x[i]`, `z[i]` and `y`, its types, how many lanes, and what y is afterwards, y as it was included."""

    types: str
    statement: str
    lanes: int
    expected: Callable[..., Any]


ELEMENTWISE = {
    "outside": Case("f32 f32 b8", "y[i] = x[i] != z[i] or x[i] <= 2.0", 16, lambda x, z, y: (x != z) | (x <= 2)),
    "chosen": Case("b8 f64 f64", "y[i] = select(x[i], z[i], -z[i])", 8, lambda x, z, y: np.where(x, z, -z)),
    "alike": Case("u16 b8 b8", "y[i] = (x[i] < 300) == z[i]", 32, lambda x, z, y: (x < 300) == z),
    "cast": Case("b8 i8 i8", "y[i] = select(x[i] and 3 < z[i], 1, i8(x[i]))", 64, lambda x, z, y: np.where(x & (z > 3), 1, x)),
}
REDUCTIONS = {
    "count": Case("f32 b8 i32", "y[0] += i32(1.0 < x[i] and not z[i])", 16, lambda x, z, y: y + np.sum((x > 1) & ~z)),
    "every": Case("i16 b8 b8", "y[0] &= x[i] < 30000 or z[i]", 32, lambda x, z, y: y & np.all((x < 30000) | z)),
    "some": Case("f64 f64 b8", "y[0] |= x[i] == z[i]", 8, lambda x, z, y: y | np.any(x == z)),
    "odd": Case("u8 u8 b8", "y[0] ^= x[i] <= z[i]", 64, lambda x, z, y: y ^ (np.sum(x <= z) % 2 == 1)),
}
CASES = ELEMENTWISE | REDUCTIONS
NUMPY = {"f": "float", "i": "int", "u": "uint"}


def data(typ: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """Numbers at which comparisons turn, or truth values, of which any byte but 0 is True."""
    if typ == "b8":
        return rng.choice(np.array([0, 0, 1, 2, 255], np.uint8), n).view(np.bool_)
    if typ[0] == "f":
        return rng.choice([-1.0, -0.0, 0.0, 1.5, 2.0, 3.0, np.nan, np.inf], n).astype(NUMPY["f"] + typ[1:])
    info = np.iinfo(NUMPY[typ[0]] + typ[1:])
    return rng.choice([info.min, info.max, 0, 3, 4, min(300, info.max)], n).astype(info.dtype)


def plain_truth(x: np.ndarray) -> np.ndarray:
    """Truth values as NumPy makes them."""
    return x.view(np.uint8) != 0 if x.dtype == np.bool_ else x


@pytest.mark.parametrize("tail", ["cut", "masked"])
@pytest.mark.parametrize("name", CASES)
def test_loops_over_truth_values_are_vectors_and_give_what_numpy_does(name: str, tail: str) -> None:
    require("native")
    case = CASES[name]
    types, extent = case.types.split(), "1" if name in REDUCTIONS else "n"
    head = f"def {name}(n: size, x: {types[0]}[n], z: {types[1]}[n], y: {types[2]}[{extent}]):"
    plain = proc_from_source(f"{head}\n    for i in seq(0, n):\n        {case.statement}\n")
    p, made = vectorize(plain, "i", case.lanes, AVX512, isa.for_lanes(case.lanes, types=set(types)), tail=tail)
    assert AVX512_MASK in {register.mem() for register in made.registers}
    run, rng = p.jit(), np.random.default_rng(case.lanes)
    for n in (1, case.lanes - 1, case.lanes, 3 * case.lanes + 5):
        x, z, y = data(types[0], n, rng), data(types[1], n, rng), data(types[2], n if extent == "n" else 1, rng)
        wanted = case.expected(*map(plain_truth, (x, z, y)))
        run(n, x, z, y)
        np.testing.assert_array_equal(plain_truth(y), wanted)


def test_masks_have_as_many_lanes_as_registers_do() -> None:
    scope = {"AVX512_MASK": AVX512_MASK, "kfalse_mask16": isa.kfalse_mask16}
    p = proc_from_source("def f(x: b8):\n    m: b8[3, 16] @ AVX512_MASK\n    kfalse_mask16(m[1, 0:16])\n", scope)
    assert "__mmask16 m[3];" in "".join(C11().emit([p.ir], "f").values())
    text = "def f(x: b8):\n    m: b8[24] @ AVX512_MASK\n    for i in seq(0, 24):\n        m[i] = x\n"
    with pytest.raises(BackendError, match=r"must be 8, 16, 32 or 64 lanes; found \[24\]"):
        C11().emit([proc_from_source(text, scope).ir], "f")
