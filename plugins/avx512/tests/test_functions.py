"""Functions in lanes: found in users' loops, near the function, special values, the bits of the same procedure as plain C."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from avx512_build import HOW, kernel, require

from usl_avx512 import AVX512, isa
from usl_avx512.externs import EXTERNS
from usl_avx512.functions import fours
from usl_avx512.functions.lanes import LANES, SUFFIXES, procedures, section
from usl_avx512.isa.function_texts import alone, four_texts, function_texts
from usl_avx512.table_values import F32_TABLES, F64_TABLES
from usl_avx512.tables import EXTERNS as IN_TABLES
from usl_core import Procedure, proc_from_source
from usl_core.interp.run import run
from usl_core.scheduling import simplify
from usl_stdlib import interleave, replace_all, vectorize

DTYPES = {"f32": np.float32, "f64": np.float64}
BITS = {"f32": np.uint32, "f64": np.uint64}
WIDER = {"f32": np.float64, "f64": np.longdouble}
NAMES = sorted(function_texts())


def split(name: str) -> tuple[str, str]:
    """The function and the type of a C function."""
    function, _, suffix = name.removeprefix("usl_avx512_").rpartition("_")
    return function, "f32" if suffix == "ps" else "f64"


def arguments(typ: str) -> Any:
    """Numbers of all magnitudes and both signs, and those that are special."""
    random = np.random.default_rng(19)
    dtype = DTYPES[typ]
    bits = random.integers(0, np.iinfo(BITS[typ]).max, 600, BITS[typ], endpoint=True).view(dtype)
    info = np.finfo(dtype)
    edges = [0, 1, 0.5, 1.5, 2, 88.7, 104, 709.7, 745.1, np.inf, np.nan, info.tiny, info.smallest_subnormal, info.max]
    usual = [random.uniform(-20, 20, 300), random.uniform(-1, 1, 300), np.array(edges), -np.array(edges)]
    with np.errstate(all="ignore"):
        return np.concatenate([bits, *(each.astype(dtype) for each in usual)])


@cache
def looped(function: str, typ: str) -> Procedure:
    """A user's loop."""
    value = {"sigmoid": "1.0 / (1.0 + exp(-x[i]))", "pow": "pow(x[i], z[i])"}.get(function, f"{function}(x[i])")
    formals = ", ".join(f"{each}: {typ}[n]" for each in ("xzy" if function == "pow" else "xy"))
    return proc_from_source(f"def f(n: size, {formals}):\n    for i in seq(0, n):\n        y[i] = {value}\n")


@cache
def vectors(function: str, typ: str) -> Procedure:
    p, _ = vectorize(looped(function, typ), "i", LANES[typ], AVX512, isa.for_lanes(LANES[typ], types=(typ,)), tail="masked")
    return simplify(p)


@pytest.mark.parametrize("name", NAMES)
def test_a_loop_of_calls_becomes_one_of_vectors_within_one_place_or_two_of_pow(name: str) -> None:
    function, typ = split(name)
    require("native")
    assert f"mm512_mask_{function}_{SUFFIXES[typ]}(" in str(vectors(function, typ))
    x = arguments(typ)
    operands = (x,)
    if function == "pow":
        operands = (np.concatenate([x, np.repeat(x[-28:], 28)]), np.concatenate([x[::-1], np.tile(x[-28:], 28)]))
    x = operands[0]
    got, plain = np.zeros_like(x), np.zeros_like(x)
    vectors(function, typ).jit()(len(x), *operands, got)
    procedures()[name][0].jit()(len(x), *operands, plain)
    same = (got.view(BITS[typ]) == plain.view(BITS[typ])) | (np.isnan(got) & np.isnan(plain))
    assert same.all(), x[~same]
    with np.errstate(all="ignore"):
        want = reference(function, *(each.astype(WIDER[typ]) for each in operands))
        rounded = want.astype(x.dtype)
        assert np.array_equal(np.isnan(got), np.isnan(rounded))
        finite = np.isfinite(rounded) & np.isfinite(got)
        places = 2 if function == "pow" else 1
        assert np.all(np.abs(got - want)[finite] <= places * np.spacing(np.abs(rounded[finite])))
        infinite = np.isinf(got) | np.isinf(rounded)
        largest = np.finfo(x.dtype).max
        assert np.array_equal(np.clip(got[infinite], -largest, largest), np.clip(rounded[infinite], -largest, largest))
        assert np.array_equal(np.signbit(got[rounded == 0]), np.signbit(rounded[rounded == 0]))


@pytest.mark.parametrize("name", sorted(four_texts()))
def test_four_registers_at_once_have_the_bits_of_one_after_the_other(name: str) -> None:
    """Special numbers among usual ones, all of them usual, and a length that leaves single registers and a part of one."""
    function, typ = split(alone(name))
    require("native")
    looped_by_one = looped(function, typ)
    p, made = vectorize(looped_by_one, "i", LANES[typ], AVX512, isa.for_lanes(LANES[typ], types=(typ,)), tail="masked")
    p, _ = interleave(p, made.loop, 4)
    p = simplify(replace_all(p, isa.instructions("fours")))
    assert f"mm512x4_{function}_{SUFFIXES[typ]}(" in str(p)
    special = arguments(typ)
    usual = np.random.default_rng(20).uniform(-20, 20, 1000).astype(special.dtype)
    x = np.concatenate([special, usual, np.abs(usual), usual[: 3 * LANES[typ] + 1]])
    operands = (x, x[::-1].copy()) if function == "pow" else (x,)
    got, want = np.zeros_like(x), np.zeros_like(x)
    p.jit()(len(x), *operands, got)
    vectors(function, typ).jit()(len(x), *operands, want)
    same = (got.view(BITS[typ]) == want.view(BITS[typ])) | (np.isnan(got) & np.isnan(want))
    assert same.all(), x[~same]


def test_what_is_kept_of_four_registers_is_what_the_schedule_gives() -> None:
    name = "log_ps"
    assert four_texts()["usl_avx512_log_x4_ps"] == fours.section(name, *procedures()[f"usl_avx512_{name}"])
    assert set(four_texts()) == {f"usl_avx512_{each.replace('_', '_x4_')}" for each in fours.AT_ONCE}


@pytest.mark.parametrize("function", ["sin", "cos", "tan"])
def test_arguments_where_reductions_are_hardest_are_within_one_place(function: str) -> None:
    """Next to multiples of pi / 2, where hardly any digit is left, between two of pi / 16, and where the C library begins.

    Random numbers meet neither. Of f32 all numbers are tried by `make fuzz`.
    """
    require("native")
    turn = np.longdouble(np.pi) + np.longdouble(1.2246467991473532e-16)
    k = np.unique(np.concatenate([np.arange(1, 200), np.arange(201, 667544, 83), 667543 - np.arange(40)])).astype(np.longdouble)
    near = np.concatenate([k * turn / 2, (k + 0.5) * turn / 16, k * turn / 16, [2.0**20]]).astype(np.float64)
    x = np.concatenate([near, np.nextafter(near, 0), np.nextafter(near, np.inf), [5e-324, 2.0**-1022, 2.0**-30]])
    x = np.concatenate([x, -x])
    got, plain = np.zeros_like(x), np.zeros_like(x)
    vectors(function, "f64").jit()(len(x), x, got)
    procedures()[f"usl_avx512_{function}_pd"][0].jit()(len(x), x, plain)
    np.testing.assert_array_equal(got.view(np.uint64), plain.view(np.uint64))
    want = reference(function, x.astype(np.longdouble))
    places = np.abs(got - want) / np.spacing(np.abs(want.astype(np.float64)))
    assert places.max() <= 1, x[places.argmax()]
    if function != "cos":
        np.testing.assert_array_equal(got[: len(x) // 2], -got[len(x) // 2 :])


def reference(function: str, x: Any, z: Any = None) -> Any:
    """The function in a wider type."""
    match function:
        case "sigmoid":
            return 1 / (1 + np.exp(-x))
        case "rsqrt":
            return 1 / np.sqrt(x)
        case "pow":
            return np.power(x, z)
        case "erf":
            return np.vectorize(math.erf, otypes=[x.dtype])(x)
        case _:
            return getattr(np, function)(x)


@pytest.mark.parametrize(("typ", "tables"), [("f32", F32_TABLES), ("f64", F64_TABLES)])
def test_a_table_is_looked_up_by_the_low_bits(typ: str, tables: dict[str, tuple[float, ...]]) -> None:
    lines = "".join(f"        y[{row}, i] = {name}(k[i])\n" for row, name in enumerate(tables))
    head = f"def f(n: size, k: u{typ[1:]}[n], y: {typ}[{len(tables)}, n]):\n    for i in seq(0, n):\n"
    p = proc_from_source(head + lines, dict(IN_TABLES))
    size = 2 * LANES[typ]
    k = np.concatenate([np.arange(size), 7 * size + np.arange(size)]).astype(BITS[typ])
    want = np.array([[values[int(at) % len(values)] for at in k] for values in tables.values()], DTYPES[typ])
    ours, interpreted = (np.zeros_like(want) for _ in range(2))
    p.jit()(len(k), k, ours)
    run(p.ir, [len(k), k, interpreted], mode="machine")
    np.testing.assert_array_equal(ours, want)
    np.testing.assert_array_equal(interpreted, want)


@pytest.mark.parametrize("name", NAMES[:1])
def test_what_is_kept_is_what_the_schedule_gives(name: str) -> None:
    assert function_texts()[name] == section(name, *procedures()[name])


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("typ", ["f32", "f64"])
def test_powers_of_two_are_taken_apart_as_in_plain_c(how: str, typ: str, tmp_path: Any) -> None:
    scope = {extern.name: extern for extern in EXTERNS}
    lines = "z[i] = scaleb(x[i], y[i])\n        a[i] = logb(x[i])\n        b[i] = mantissa(x[i])"
    formals = ", ".join(f"{name}: {typ}[n]" for name in "xyzab")
    plain = proc_from_source(f"def f(n: size, {formals}):\n    for i in seq(0, n):\n        {lines}\n", scope)
    p, _ = vectorize(plain, "i", LANES[typ], AVX512, isa.for_lanes(LANES[typ], types=(typ,)), tail="masked")
    every = arguments(typ)[400:]
    x = np.concatenate([every, np.repeat(every[-28:], 28)])
    y = np.concatenate([every[::-1], np.tile(every[-28:], 28)])
    ours, theirs = (np.zeros((3, len(x)), x.dtype) for _ in range(2))
    kernel(p, how, tmp_path)(len(x), x, y, *ours)
    plain.jit()(len(x), x, y, *theirs)
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(np.signbit(ours) | np.isnan(ours), np.signbit(theirs) | np.isnan(ours))
