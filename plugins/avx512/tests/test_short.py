"""Products of short types: exact for every shape, schedules keep their meaning, mistakes are named."""

from __future__ import annotations

import copy
import math
import os
import pickle
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from avx512_build import FEATURES, WARNINGS, compiler

from usl_avx512 import isa
from usl_avx512.gemm.short import (
    BFLOATS,
    BFLOATS_IN_SINGLE,
    BYTES,
    SHORTS,
    SIGNED_BYTES,
    Blocking,
    packing_schedule,
    short_gemm,
    with_sums_used,
)
from usl_avx512.kernels import LinearBF16, Packed, QuantizedLinear, gemm_bf16, gemm_s8s8s32, gemm_s16s16s32, gemm_u8s8s32
from usl_avx512.kernels import short as short_kernels
from usl_avx512.kernels.short_library import gemm_entry, short_library, short_path
from usl_avx512.short_products import TYPES, packing, product, signed_product
from usl_c11.build import write_files
from usl_c11.compiler import DEFAULT_FLAGS, find_compiler
from usl_c11.cpu import has_feature
from usl_core import probe
from usl_core.errors import JitError
from usl_core.interp.run import run

PRODUCTS: dict[str, tuple[Callable[..., None], Any, Any]] = {
    "u8s8": (gemm_u8s8s32, np.uint8, np.int8),
    "s8s8": (gemm_s8s8s32, np.int8, np.int8),
    "s16s16": (gemm_s16s16s32, np.int16, np.int16),
}
SHAPES = [
    (1, 1, 1),
    (1, 200, 7),
    (5, 64, 4),
    (6, 65, 8),
    (7, 16, 33),
    (11, 33, 66),
    (13, 49, 131),
    (12, 128, 64),
    (391, 70, 5),
    (6, 17, 2051),
    (2, 15, 1026),
]


@pytest.fixture
def native() -> None:
    """Skip the test where this processor cannot multiply so."""
    try:
        found = has_feature("avx512vnni", find_compiler())
    except JitError:
        found = False
    if not found:
        pytest.skip("this processor has no AVX512_VNNI, or there is no C compiler")


def integers(random: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Numbers of the whole range, more of its ends than there would be by chance."""
    limits = np.iinfo(dtype)
    values = random.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
    ends = random.choice(np.array([limits.min, limits.max], dtype), shape)
    return np.where(random.random(shape) < 0.2, ends, values).astype(dtype)


@pytest.fixture(params=["pairs", "in f32"])
def bfloats(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the test with the instruction for pairs of bf16, if the processor has it, and without."""
    try:
        found = has_feature("avx512f", find_compiler()), has_feature("avx512bf16", find_compiler())
    except JitError:
        found = False, False
    if not found[request.param == "pairs"]:
        pytest.skip("this processor has no such instructions, or there is no C compiler")
    if request.param == "in f32":
        monkeypatch.setattr(short_kernels, "_fitting", lambda name: f"{name}_widened" if "bf16" in name else name)


def bits(values: np.ndarray) -> np.ndarray:
    """Those of bf16, of numbers that are some."""
    return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def numbers(bits_of: np.ndarray) -> np.ndarray:
    """What bits of bf16 stand for."""
    return (bits_of.astype(np.uint32) << 16).view(np.float32)


def rounded(values: np.ndarray) -> np.ndarray:
    """The bits of the nearest bf16, of two the even one."""
    found = values.astype(np.float32).view(np.uint32)
    return ((found + 0x7FFF + (found >> 16 & 1)) >> 16).astype(np.uint16)


@pytest.mark.usefixtures("bfloats")
def test_products_of_bf16_are_exact_where_sums_are() -> None:
    """Small integers, whose sums f32 holds in any order; and numbers of all sizes within what roundings allow."""
    random = np.random.default_rng(5)
    for m, n, k in (*SHAPES, (0, 3, 2), (3, 0, 2), (3, 2, 0)):
        a, b = random.integers(-8, 9, (m, k + 3))[:, :k], random.integers(-8, 9, (k, n + 2))[:, 1 : n + 1]
        c = random.integers(-100, 100, (m, n)).astype(np.float32)
        for weights in (bits(b), Packed(bits(b))):
            found = np.array(c)
            gemm_bf16(bits(a), weights, found)
            assert np.array_equal(found, c + a @ b), (m, n, k)
    a, b = (rounded(random.standard_normal(shape) * 2.0 ** random.integers(-30, 30, shape)) for shape in ((9, 100), (100, 70)))
    found = np.zeros((9, 70), np.float32)
    gemm_bf16(a, b, found)
    exact, size = (f(numbers(a).astype(np.float64)) @ f(numbers(b).astype(np.float64)) for f in (np.array, np.abs))
    assert (np.abs(found - exact) <= 100 * 2.0**-24 * size).all()


@pytest.mark.usefixtures("bfloats")
@pytest.mark.parametrize("result", ["bfloat16", "float32"])
def test_layers_of_bf16_round_once_to_even(result: str) -> None:
    random = np.random.default_rng(6)
    for m, n, k in (*SHAPES, (200, 66, 12), (2, 3, 0), (0, 3, 2)):
        x, w, bias = (
            random.integers(-8, 9, (m, k)),
            random.integers(-8, 9, (k, n)),
            random.integers(-5, 5, n).astype(np.float32),
        )
        low, high = (0.0, math.inf) if m % 2 else (-90.0, 100.5)
        wanted = np.clip((x @ w + bias).astype(np.float32), np.float32(low), np.float32(high))
        found = LinearBF16(bits(w), bias, low=low, high=high, result=result)(bits(x))
        assert np.array_equal(found, wanted if result == "float32" else rounded(wanted)), (m, n, k)


@pytest.mark.usefixtures("bfloats")
@pytest.mark.parametrize("low", [-math.inf, 0.0])
@pytest.mark.parametrize("result", ["bfloat16", "float32"])
def test_what_is_not_a_number_stays_so(low: float, result: str) -> None:
    x = np.zeros((9, 5), np.uint16)
    x[4, 2] = 0x7FC0
    found = LinearBF16(np.full((5, 67), 0x3F80, np.uint16), low=low, result=result)(x)
    found = found if result == "float32" else numbers(found)
    assert np.isnan(found[4]).all() and not np.delete(found, 4, 0).any()


@pytest.mark.usefixtures("bfloats")
def test_results_of_bf16_may_be_subnormal_though_the_instruction_that_rounds_takes_such_for_zeros() -> None:
    patterns = [0x1, 0x7FFF, 0x8000, 0x8001, 0x18000, 0x7F7FFF, 0x7F8000, 0x7FFFFF, 0x800000, 0, 0x7F7FFFFF, 0x7F800000]
    for shift in range(len(patterns)):  # beside numbers that are none, and among none but zeros
        pattern = np.resize(np.roll(patterns, shift).astype(np.uint32), 67)
        pattern[16:32], pattern[33:64] = 0, 0
        bias = (pattern | np.arange(67, dtype=np.uint32) % 2 << 31).view(np.float32)
        found = LinearBF16(np.zeros((4, 67), np.uint16), bias)(np.zeros((7, 4), np.uint16))
        assert np.array_equal(found.view(np.uint16), np.broadcast_to(rounded(bias + np.float32(0)), (7, 67)))


@pytest.mark.usefixtures("native")
def test_layers_keep_bias_and_scale() -> None:
    bias, scale, x = np.arange(3, dtype=np.int32), np.ones(3, np.float32), np.ones((1, 4), np.uint8)
    layer = QuantizedLinear(np.ones((4, 3), np.int8), bias, scale, result="float32")
    bias[:], scale[:] = 100, 2
    assert layer(x).tolist() == layer(x.view(np.int8)).tolist() == [[4, 5, 6]]


@pytest.mark.usefixtures("bfloats")
def test_bf16_may_be_given_by_its_name() -> None:
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x, w = np.ones((3, 5), bfloat16), np.full((5, 2), 3, bfloat16)
    c = np.zeros((3, 2), np.float32)
    gemm_bf16(x, w, c)
    y = LinearBF16(w, result=bfloat16)(x)
    assert (c == 15).all() and y.dtype == bfloat16 and (y == 15).all()


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("name", PRODUCTS)
def test_sums_are_exact_for_every_shape(name: str) -> None:
    multiply, a_type, b_type = PRODUCTS[name]
    random = np.random.default_rng(1)
    for m, n, k in (*SHAPES, (0, 3, 2), (3, 0, 2), (3, 2, 0)):
        a, b = integers(random, (m, k + 3), a_type)[:, :k], integers(random, (k, n + 2), b_type)[:, 1 : n + 1]
        c = integers(random, (m, n), np.int32)
        wanted = c + a.astype(np.int32) @ b.astype(np.int32)  # wraps as the sums do
        for weights in (b, Packed(b)):
            found = np.array(c)
            multiply(a, weights, found)
            assert np.array_equal(found, wanted), (m, n, k)


@pytest.mark.usefixtures("native")
def test_copies_of_packed_weights_are_aligned_and_packed_alike() -> None:
    random = np.random.default_rng(11)
    a, weights = integers(random, (3, 130), np.uint8), Packed(integers(random, (130, 70), np.int8))
    wanted, copies = np.zeros((3, 70), np.int32), [copy.copy(weights)]
    gemm_u8s8s32(a, weights, wanted)
    for _ in range(4):  # NumPy's memory may lie at the right place by chance
        copies += [copy.deepcopy(weights), pickle.loads(pickle.dumps(weights))]
    for each in copies:
        found = np.zeros((3, 70), np.int32)
        gemm_u8s8s32(a, each, found)
        assert each.panels.ctypes.data % 64 == 0 and np.array_equal(found, wanted)


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize(
    ("result", "x_type"), [("uint8", np.uint8), ("int8", np.uint8), ("float32", np.uint8), ("int8", np.int8)]
)
def test_layers_round_to_even_and_saturate(result: str, x_type: Any) -> None:
    random = np.random.default_rng(2)
    for m, n, k in (*SHAPES, (200, 66, 12), (2, 3, 0), (0, 3, 2)):
        x, w = integers(random, (m, k), x_type), integers(random, (k, n), np.int8)
        bias, scale = integers(random, (n,), np.int32) // 2**12, random.choice(np.float32([0.5, 0.25, 2.0**-12, -0.5]), n)
        low, high = (0.0, math.inf) if m % 2 else (-90.0, 100.5)
        sums = x.astype(np.int32) @ w.astype(np.int32) + bias
        wanted = np.clip(sums.astype(np.float32) * scale, np.float32(low), np.float32(high))
        if result != "float32":
            limits = np.iinfo(result)
            wanted = np.clip(np.rint(wanted), limits.min, limits.max)
        found = QuantizedLinear(w, bias, scale, low=low, high=high, result=result)(x)
        assert found.dtype == result and np.array_equal(found, wanted.astype(result)), (m, n, k)


@pytest.mark.parametrize(
    ("kind", "group"), [("u8s8", BYTES), ("s16s16", SHORTS), ("bf16", BFLOATS), ("bf16", BFLOATS_IN_SINGLE)]
)
def test_schedules_give_what_the_plain_loops_give(kind: str, group: Any) -> None:
    random, blocking = np.random.default_rng(3), Blocking(groups=2, rows=7)
    types: dict[str, tuple[Any, Any]] = {"u8s8": (np.uint8, np.int8), "s16s16": (np.int16, np.int16)}
    size, kernel = group.size, short_gemm(product(kind), group, blocking)

    def matrix(shape: tuple[int, ...], side: int) -> np.ndarray:
        return integers(random, shape, types[kind][side]) if kind in types else bits(random.integers(-8, 9, shape))

    for m, n, k in ((8, 67, 3 * size + 1), (1, 16, size)):
        groups, panels = -(-k // size), -(-n // 64)
        b = matrix((k, n), 1)
        plain, fast = (np.full((panels, groups, 64 * size), 5, b.dtype) for _ in range(2))
        run(packing(kind).ir, [k, n, b, plain])
        run(packing_schedule(packing(kind), group).ir, [k, n, b, fast])
        assert np.array_equal(plain, fast)
        a, c = matrix((m, size * groups), 0), integers(random, (m, n), np.int16).astype(np.int32)
        c = c if kind in types else c.astype(np.float32)
        found = np.array(c)
        run(product(kind).ir, [m, n, groups, a, plain, c])
        run(kernel.fast.ir, [m, n, groups, a, plain, found])
        assert np.array_equal(found, c)


def test_sums_are_used_where_the_plain_loops_use_them() -> None:
    random, lanes = np.random.default_rng(7), isa.for_lanes(16, types=("i32",))
    fast = with_sums_used(signed_product(), SIGNED_BYTES, lanes, rows=7)
    for m, n, groups in ((8, 67, 2), (1, 16, 1)):
        a, w = integers(random, (m, 4 * groups), np.int8), integers(random, (-(-n // 64), groups, 256), np.int8)
        s, c = integers(random, (n,), np.int32), integers(random, (m, n), np.int32)
        found = np.array(c)
        run(signed_product().ir, [m, n, groups, a, w, s, c])
        run(fast.ir, [m, n, groups, a, w, s, found])
        assert np.array_equal(found, c)


@pytest.mark.usefixtures("native")
def test_what_is_made_of_sums_is_any_expression() -> None:
    """Another than the package's own: with_sums_used takes the user's loop nest."""
    from usl_core import DRAM, proc_from_source

    p = proc_from_source(
        """
def shifted(M: size, N: size, G: size, A: [u8][M, 4 * G] @ DRAM, W: [i8][(N + 63) / 64, G, 256] @ DRAM, Y: [i16][M, N] @ DRAM):
    for i in seq(0, M):
        for j in seq(0, N):
            sum: i32 @ DRAM
            sum = 0
            for g in seq(0, G):
                for q in seq(0, 4):
                    sum += i32(A[i, 4 * g + q]) * i32(W[j / 64, g, 4 * (j % 64) + q])
            Y[i, j] = i16(max(sum, -7))
""",
        {"DRAM": DRAM},
    )
    lanes = isa.for_lanes(16, types=("i32", "i16"))
    fast = with_sums_used(p, BYTES, lanes).jit()
    random = np.random.default_rng(4)
    a, b, y = integers(random, (9, 12), np.uint8), integers(random, (12, 83), np.int8), np.empty((9, 83), np.int16)
    fast(9, 83, 3, a, Packed(b).panels, y)
    assert np.array_equal(y, np.maximum(a.astype(np.int32) @ b.astype(np.int32), -7).astype(np.int16))


SHIPPED = [*map(gemm_entry, TYPES), "usl_linear_u8s8u8", "usl_linear_bf16bf16"]


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("name", SHIPPED)
def test_sums_stay_in_registers(name: str) -> None:
    """No register goes to the stack in the inner loops: gcc 11 and 12 move every sum in every round if they can."""
    if probe.program("objdump") is None:
        pytest.skip("there is no objdump")
    if "bf16" in name and not has_feature("avx512bf16", find_compiler()):
        pytest.skip("this processor has no AVX512_BF16")
    products = products_and_moves(short_path(name))
    assert max(count for count, _ in products) == 24
    assert not [moves for _, moves in products if moves]


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("name", [*map(gemm_entry, TYPES)])
def test_sums_stay_in_registers_under_every_compiler(name: str, tmp_path: Path) -> None:
    """Those besides the default one. Under clang, loops of edges move some, and clang 15 five in the one of most products."""
    wanted = os.environ.get("USL_COMPILERS", "").split() or COMPILERS
    found = [program for each in wanted if (program := probe.program(each)) is not None]
    if not found or probe.program("objdump") is None:
        pytest.skip(
            f"no compiler has its version in its name ({', '.join(COMPILERS)}; or USL_COMPILERS), or there is no objdump"
        )
    lib = short_library(name)
    write_files({file: text for file, text in lib.files.items() if not file.endswith(".d")}, tmp_path)
    for program in found:
        output = tmp_path / f"{Path(program).name}.so"
        flags = [*DEFAULT_FLAGS, *(f"-m{feature}" for feature in lib.features)]
        subprocess.run([program, *flags, str(tmp_path / f"{lib.name}.c"), "-o", str(output)], check=True, capture_output=True)
        products = products_and_moves(output)
        most = max(products)
        assert most[0] == 24, program
        assert most[1] <= (5 if "clang" in program else 0), program
        assert "clang" in program or not [moves for _, moves in products if moves], program


COMPILERS = [*(f"gcc-{version}" for version in range(11, 16)), *(f"clang-{version}" for version in range(14, 23))]


def products_and_moves(library: Path) -> list[tuple[int, int]]:
    """Of each inner loop with products how many there are, and how many instructions move registers to or from the stack."""
    found = []
    for loop in inner_loops(library):
        products = sum(line.startswith(("vpdp", "vdpbf16ps")) for line in loop)
        moves = sum("zmm" in line and ("(%rsp" in line or "(%rbp" in line) for line in loop)
        found += [(products, moves)] if products else []
    return found


def inner_loops(library: Path) -> list[list[str]]:
    """The instructions of each loop that has no other in it: from where a jump goes back to the jump."""
    done = subprocess.run(["objdump", "-d", "--no-show-raw-insn", str(library)], capture_output=True, text=True, check=True)
    code = {int(line[1], 16): line[2] for line in re.finditer(r"^ *([0-9a-f]+):\t(.*)$", done.stdout, re.MULTILINE)}
    jumps = ((re.match(r"j\w+ +([0-9a-f]+)", text), at) for at, text in code.items())
    loops = [(int(jump[1], 16), at) for jump, at in jumps if jump and int(jump[1], 16) <= at]
    inner = [loop for loop in loops if not any(loop[0] <= a and b <= loop[1] for a, b in loops if (a, b) != loop)]
    return [[text for at, text in code.items() if first <= at <= last] for first, last in inner]


MISTAKES = {
    "B must have 4 rows, not 5": lambda a, b, c: gemm_u8s8s32(a, np.zeros((5, 3), np.int8), c),
    "C must be 2 x 3": lambda a, b, c: gemm_u8s8s32(a, b, c.T.copy()),
    "A must be of dtype uint8, not int8": lambda a, b, c: gemm_u8s8s32(a.view(np.int8), b, c),
    "B must be of dtype int8, not uint8": lambda a, b, c: gemm_u8s8s32(a, b.view(np.uint8), c),
    "C must be of dtype int32, not int64": lambda a, b, c: gemm_u8s8s32(a, b, c.astype(np.int64)),
    "B must be of dtype uint16, not float32": lambda a, b, c: gemm_bf16(bits(a), b.astype(np.float32), c.astype(np.float32)),
    "C must be of dtype float32, not int32": lambda a, b, c: gemm_bf16(bits(a), bits(b), c),
    "B is packed from bfloat16, but this product wants int8": lambda a, b, c: gemm_u8s8s32(a, Packed(bits(b)), c),
    "bias must be of dtype float32, not int32": lambda a, b, c: LinearBF16(bits(b), c[0]),
    "result must be bfloat16 or float32, not float64": lambda a, b, c: LinearBF16(bits(b), result=np.float64),
    "result must be bfloat16 or float32, not 'bf16'": lambda a, b, c: LinearBF16(bits(b), result="bf16"),
    "A must be of dtype uint16, not float32; it holds bf16 as its bits": lambda a, b, c: gemm_bf16(a.astype("f4"), bits(b), c),
    "B must be of dtype int8, int16, or uint16 or bfloat16": lambda a, b, c: Packed(b.astype(np.float32)),
    "scale must be one real number, or one for each column, not 'a'": lambda a, b, c: QuantizedLinear(b, scale="a"),
    "x must be of dtype uint16, not float32": lambda a, b, c: LinearBF16(bits(b))(a.astype(np.float32)),
    "B is packed from int16, but this product wants int8": lambda a, b, c: gemm_u8s8s32(a, Packed(b.astype(np.int16)), c),
    "the elements of a row of B must be next to each other": lambda a, b, c: gemm_u8s8s32(a, b[:, ::2], c),
    "C shares memory with A": lambda a, b, c: gemm_u8s8s32(c.view(np.uint8)[:, :4], b, c),
    "C shares memory with A or B": lambda a, b, c: gemm_u8s8s32(a[:, :2], c.view(np.int8)[:, :3], c),
    "shares memory": lambda a, b, c: gemm_s8s8s32(c.view(np.int8)[:, :4], b, c),
    "C is to be changed, but the array is read-only": lambda a, b, c: gemm_u8s8s32(a, b, np.broadcast_to(c[:1], (2, 3))),
    "scale must be one number or 3, one for each column": lambda a, b, c: QuantizedLinear(b, scale=[1.0, 2.0]),
    "scale must be finite": lambda a, b, c: QuantizedLinear(b, scale=math.inf),
    "bias must have 3 elements": lambda a, b, c: QuantizedLinear(b, np.zeros(4, np.int32)),
    "bias must be of dtype int32, not float64": lambda a, b, c: QuantizedLinear(b, np.zeros(3)),
    "low must be at most high": lambda a, b, c: QuantizedLinear(b, low=3, high=2),
    "low must be a real number": lambda a, b, c: QuantizedLinear(b, low="0"),
    "result must be uint8, int8 or float32, not int32": lambda a, b, c: QuantizedLinear(b, result=np.int32),
    "x has 3 columns, but the weights have 4 rows": lambda a, b, c: QuantizedLinear(b)(a[:, :3]),
    "x must be of dtype uint8, not float64": lambda a, b, c: QuantizedLinear(b)(a.astype(float)),
}


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("message", MISTAKES)
def test_mistakes_are_named_and_nothing_is_written(message: str) -> None:
    a, b, c = np.ones((2, 4), np.uint8), np.ones((4, 3), np.int8), np.ones((2, 3), np.int32)
    with pytest.raises((TypeError, ValueError), match=message):
        MISTAKES[message](a, b, c)
    assert (c == 1).all()


@pytest.mark.usefixtures("native")
def test_an_entry_in_c_refuses_bad_arguments_by_their_number(tmp_path: Path) -> None:
    for name in ("usl_gemm_u8s8s32", "usl_pack_u8s8"):
        for file, text in short_library(name).files.items():
            (tmp_path / file).write_text(text, encoding="utf-8")
    (tmp_path / "main.c").write_text(DRIVER, encoding="utf-8")
    flags = [*WARNINGS, "-fsanitize=address,undefined", *(f"-m{feature}" for feature in (*FEATURES, "avx512vnni"))]
    sources = ["main.c", "usl_gemm_u8s8s32.c", "usl_pack_u8s8.c"]
    done = subprocess.run(
        [*compiler(), "-std=c11", "-O1", *flags, *sources, "-o", "main"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    done = subprocess.run([str(tmp_path / "main")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "0 1 2 3 4 5 6 7 8 7 0\n"), done.stderr


DRIVER = """\
#include <stdio.h>
#include "usl_gemm_u8s8s32.h"
#include "usl_pack_u8s8.h"

int main(void)
{
    uint8_t a[3 * 5];
    int8_t b[5 * 2], w[64 * 4 * 2];
    int32_t c[3 * 2] = {0};
    for (int i = 0; i < 15; i++)
        a[i] = (uint8_t)(250 + i % 6);
    for (int i = 0; i < 10; i++)
        b[i] = (int8_t)(i - 128);
    if (usl_pack_u8s8(5, 2, b, 2, w) != 0)
        return 1;
    printf("%d %d %d %d ", usl_gemm_u8s8s32(3, 2, 5, a, 5, w, c, 2), usl_gemm_u8s8s32(-1, 2, 5, a, 5, w, c, 2),
           usl_gemm_u8s8s32(3, -2, 5, a, 5, w, c, 2), usl_gemm_u8s8s32(3, 2, -5, a, 5, w, c, 2));
    printf("%d %d %d %d %d ", usl_gemm_u8s8s32(3, 2, 5, NULL, 5, w, c, 2), usl_gemm_u8s8s32(3, 2, 5, a, 4, w, c, 2),
           usl_gemm_u8s8s32(3, 2, 5, a, 5, NULL, c, 2), usl_gemm_u8s8s32(3, 2, 5, a, 5, w, NULL, 2),
           usl_gemm_u8s8s32(3, 2, 5, a, 5, w, c, 1));
    printf("%d ", usl_gemm_u8s8s32(1, 2, 5, (const uint8_t *)c, 5, w, c, 2));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++) {
            int sum = 0;
            for (int k = 0; k < 5; k++)
                sum += a[5 * i + k] * b[2 * k + j];
            if (sum != c[2 * i + j])
                return 2;
        }
    printf("0\\n");
    return 0;
}
"""
