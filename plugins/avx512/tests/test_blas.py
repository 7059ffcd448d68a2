"""BLAS level 1 and 2 from Python: every routine is right to the bound of theory on views of arrays, and bad input is named.

Bounds are those of sums in any order with fused or rounded products: an inner product of n terms is off by gamma(n) of the sum
of the magnitudes, gamma(t) = t u / (1 - t u) (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, §3.1), plus
a few roundings for the factors; a triangular solve has the residual gamma(n + 1) |A| |z| (§8.1). References have more digits.
"""

from __future__ import annotations

import ctypes
import itertools
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from avx512_build import require, silent

from usl_avx512 import blas1_norms, kernels
from usl_avx512.kernels import blas_library
from usl_avx512.kernels.blas import arguments
from usl_avx512.kernels.blas_library import KERNELS, WHOLE, entry_name
from usl_core.interp.run import run

DTYPES = {"s": np.float32, "d": np.float64}
EXACT = {"s": np.float64, "d": np.longdouble}
UNIT = {"s": 2.0**-24, "d": 2.0**-53}
SIZES = (0, 1, 2, 3, 5, 8, 13, 15, 16, 17, 24, 31, 40, 64, 70, 257)
"""Around registers and blocks; the entries in C are called with all sizes by `test_drivers`."""
STRIDES = (1, 3, -1, -2)


@pytest.fixture(autouse=True)
def _needs_the_processor(one_library: None) -> None:
    require("native")


def vector(random: np.random.Generator, letter: str, n: int, stride: int) -> np.ndarray:
    return random.uniform(-1, 1, n * abs(stride)).astype(DTYPES[letter])[::stride]


def window(random: np.random.Generator, letter: str, m: int, n: int) -> np.ndarray:
    """A matrix whose rows do not follow each other."""
    return random.uniform(-1, 1, (m, n + 3)).astype(DTYPES[letter])[:, 1 : n + 1]


def gamma(letter: str, steps: int) -> float:
    return steps * UNIT[letter] / (1 - steps * UNIT[letter])


def assert_near(letter: str, got: Any, want: Any, magnitude: Any, steps: int) -> None:
    error = abs(np.asarray(got).astype(EXACT[letter]) - want)
    assert np.all(error <= gamma(letter, steps) * magnitude * 1.001), float(np.max(error))


def routine(letter: str, name: str) -> Any:
    return getattr(kernels, f"i{letter}amax" if name == "iamax" else f"{letter}{name}")


def pairs(letter: str, seed: int) -> Iterator[tuple[int, np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """n, x and y, and both with more digits."""
    random = np.random.default_rng(seed)
    for n in SIZES:
        for stride in STRIDES:
            x, y = vector(random, letter, n, stride), vector(random, letter, n, STRIDES[n % 4] if stride != 1 else 1)
            yield n, x, y, x.astype(EXACT[letter]), y.astype(EXACT[letter])


# ---- level 1


@pytest.mark.parametrize("letter", "sd")
def test_sums_of_vectors(letter: str) -> None:
    for n, x, y, wide_x, wide_y in pairs(letter, 1):
        assert_near(letter, routine(letter, "dot")(x, y), (wide_x * wide_y).sum(), abs(wide_x * wide_y).sum(), n + 1)
        assert_near(letter, routine(letter, "asum")(x), abs(wide_x).sum(), abs(wide_x).sum(), n + 1)
        norm = np.sqrt((wide_x**2).sum())
        assert_near(letter, routine(letter, "nrm2")(x), norm, norm, 2 if letter == "s" else n // 2 + 3)


@pytest.mark.parametrize("letter", "sd")
def test_vectors_are_changed_in_place(letter: str) -> None:
    alpha, c, s = DTYPES[letter](0.7), DTYPES[letter](0.6), DTYPES[letter](0.8)
    a, cosine, sine = (EXACT[letter](value) for value in (alpha, c, s))
    for _, x, y, wide_x, wide_y in pairs(letter, 2):
        out = y.copy()
        routine(letter, "axpy")(alpha, x, out)
        assert_near(letter, out, a * wide_x + wide_y, abs(a * wide_x) + abs(wide_y), 2)
        left, right = x.copy(), y.copy()
        routine(letter, "rot")(left, right, c, s)
        assert_near(letter, left, cosine * wide_x + sine * wide_y, abs(cosine * wide_x) + abs(sine * wide_y), 3)
        assert_near(letter, right, cosine * wide_y - sine * wide_x, abs(cosine * wide_y) + abs(sine * wide_x), 3)


@pytest.mark.parametrize("letter", "sd")
def test_what_rounds_once_or_never_is_exact_and_nothing_beside_is_touched(letter: str) -> None:
    random = np.random.default_rng(3)
    for n in SIZES:
        for stride in STRIDES:
            whole = random.uniform(-1, 1, (2, 3 * n + 8)).astype(DTYPES[letter])
            want = whole.copy()
            (x, y), (want_x, want_y) = (
                (array[0, 4 : 4 + n * abs(stride)][::stride], array[1, 3 : 3 + n * 3][::3]) for array in (whole, want)
            )
            routine(letter, "scal")(0.3, x)
            want_x *= DTYPES[letter](0.3)
            routine(letter, "copy")(x, y)
            want_y[:] = want_x
            x += 1
            want_x += 1
            routine(letter, "swap")(x, y)
            want_x[:], want_y[:] = want_y.copy(), want_x.copy()
            assert np.array_equal(whole, want), (n, stride)


@pytest.mark.parametrize("letter", "sd")
def test_the_first_of_the_largest_magnitudes_is_found(letter: str) -> None:
    random = np.random.default_rng(4)
    find = routine(letter, "iamax")
    for n in SIZES[1:]:
        for stride in STRIDES:
            x = np.round(4 * vector(random, letter, n, stride)).astype(DTYPES[letter])  # many are equal
            assert find(x) == np.argmax(abs(x)), (n, stride)
            x[random.integers(n)] = np.nan
            assert find(x) == np.argmax(np.nan_to_num(abs(x), nan=-1.0)), (n, stride)
    assert find(np.full(40, np.nan, DTYPES[letter])) == 0
    assert find(np.array([1, -np.inf, np.inf], DTYPES[letter])) == 1
    for n in (31, 32, 33, 128, 129, 2048, 2049, 4096, 4097):  # on both sides of what is read twice, and looked at at once
        for most in (np.inf, 3.0, np.finfo(DTYPES[letter]).smallest_subnormal, 0.0):
            x = np.full(n, np.nextafter(DTYPES[letter](most), DTYPES[letter](0)))
            for place in (n - 1, n // 2, 0):
                x[place] = -most
                assert find(x) == (place if most else 0), (n, most, place)
    with pytest.raises(ValueError, match="no elements"):
        find(np.zeros(0, DTYPES[letter]))


@pytest.mark.parametrize("letter", "sd")
def test_norms_neither_overflow_nor_underflow_before_they_must(letter: str) -> None:
    norm, limits = routine(letter, "nrm2"), np.finfo(DTYPES[letter])
    huge, least = float(limits.max), float(limits.smallest_subnormal)
    for values in (
        [huge / 2, huge / 2],
        [huge],
        [3e4 * least, 4e4 * least],
        [least],
        [float(limits.tiny)] * 9,
        [huge / 8, 1.0, least],
        [1.0, least],
        [0.0, 0.0],
        *([1e-160, 1e-170, 1e-200], [1e160, 1e150]) * (letter == "d"),
    ):
        for repeated in (1, 7, 40):
            x = np.array(values * repeated, DTYPES[letter])
            largest = EXACT[letter](abs(x).max())
            scaled = x.astype(EXACT[letter]) / (largest or 1)
            want = largest * np.sqrt((scaled**2).sum())
            if want > huge:
                assert norm(x) == np.inf
            else:
                assert abs(norm(x) - want) <= max(gamma(letter, len(x) + 8) * want, least), values
    assert norm(np.array([1, np.inf], DTYPES[letter])) == np.inf
    assert np.isnan(norm(np.array([1, np.nan], DTYPES[letter])))
    assert np.isnan(norm(np.array([huge, np.nan, huge], DTYPES[letter])))


@pytest.mark.parametrize("typ", ["f32", "f64"])
def test_norm_and_position_mean_the_same_to_the_interpreter(typ: str) -> None:
    dtype, random = np.dtype(typ.replace("f", "float")).type, np.random.default_rng(5)
    for n, stride in ((1, 1), (37, 1), (100, 1), (45, 2)):
        x = random.integers(-9, 10, n * stride).astype(dtype)[::stride]
        place, norm = np.array(7, np.int64), np.array(7, dtype)
        run(blas1_norms.iamax(typ).ir, [n, x, place], mode="machine")
        run(blas1_norms.nrm2(typ).ir, [n, x, norm], mode="machine")
        assert place == np.argmax(abs(x)), (n, stride)
        if stride == 1:
            run(blas1_norms.amax(typ).ir, [n, x, norm], mode="machine")
            assert norm == abs(x).max()
            run(blas1_norms.first(typ).ir, [n, x, np.nextafter(norm, dtype(0)), place], mode="machine")
            assert place == np.argmax(abs(x)), n
            run(blas1_norms.nrm2(typ).ir, [n, x, norm], mode="machine")
        assert abs(norm - np.sqrt((x.astype(np.float64) ** 2).sum())) <= 1e-6 * norm


# ---- level 2


def systems(letter: str, seed: int) -> Iterator[tuple[int, int, int]]:
    """Rows, columns and a stride: sizes on both sides of registers and blocks."""
    random = np.random.default_rng(seed)
    for n in SIZES[:-1]:
        yield n, int(random.integers(1, 71)), STRIDES[n % 4]
        yield int(random.integers(0, 71)), n, STRIDES[(n + 1) % 4]


@pytest.mark.parametrize("letter", "sd")
def test_matrices_with_vectors(letter: str) -> None:
    random = np.random.default_rng(6)
    alpha, beta = DTYPES[letter](0.7), DTYPES[letter](-0.4)
    a, b = EXACT[letter](alpha), EXACT[letter](beta)
    for m, n, stride in systems(letter, 7):
        A = window(random, letter, m, n)
        wide = A.astype(EXACT[letter])
        for trans in (False, True):
            matrix = wide.T if trans else wide
            x, y = vector(random, letter, matrix.shape[1], stride), vector(random, letter, matrix.shape[0], STRIDES[n % 3])
            want = a * (matrix @ x) + b * y if A.size else y.astype(EXACT[letter])
            magnitude = abs(a) * (abs(matrix) @ abs(x)) + abs(b * y)
            routine(letter, "gemv")(alpha, A, x, beta, y, trans=trans)
            assert_near(letter, y, want, magnitude, matrix.shape[1] + 4)
        x, y = vector(random, letter, m, stride), vector(random, letter, n, 1)
        product = a * np.outer(x.astype(EXACT[letter]), y)
        routine(letter, "ger")(alpha, x, y, A)
        assert_near(letter, A, wide + product, abs(wide) + abs(product), 3)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("letter", "sd")
def test_symmetric_matrices(letter: str, lower: bool) -> None:
    random = np.random.default_rng(8)
    alpha, beta = DTYPES[letter](0.7), DTYPES[letter](-0.4)
    for n in SIZES[:-1]:
        A = window(random, letter, n, n)
        half = np.tril(A) if lower else np.triu(A)
        whole = (half + half.T - np.diag(np.diag(A))).astype(EXACT[letter])
        A[~np.tri(n, dtype=bool) if lower else np.tri(n, k=-1, dtype=bool)] = np.nan  # not to be read
        x, y = vector(random, letter, n, STRIDES[n % 4]), vector(random, letter, n, STRIDES[n % 3])
        want = EXACT[letter](alpha) * (whole @ x) + EXACT[letter](beta) * y
        magnitude = abs(EXACT[letter](alpha)) * (abs(whole) @ abs(x)) + abs(EXACT[letter](beta) * y)
        routine(letter, "symv")(alpha, A, x, beta, y, lower=lower)
        assert_near(letter, y, want, magnitude, n + 5)


@pytest.mark.parametrize("name", ["trmv", "trsv"])
@pytest.mark.parametrize("letter", "sd")
def test_triangular_matrices(letter: str, name: str) -> None:
    random = np.random.default_rng(9)
    for n in SIZES[:-1]:
        for lower in (False, True):
            for trans in (False, True):
                for unit in (False, True):
                    A = window(random, letter, n, n) / max(n, 1)
                    inside = np.tri(n, k=-1 if unit else 0, dtype=bool)
                    inside = inside if lower else inside.T
                    A[np.diag_indices(n)] += 1
                    triangle = np.where(inside, A, 0).astype(EXACT[letter]) + (np.eye(n) if unit else 0)
                    A[~inside] = np.nan  # not to be read
                    matrix = triangle.T if trans else triangle
                    x = vector(random, letter, n, STRIDES[n % 4])
                    before = x.astype(EXACT[letter])
                    routine(letter, name)(A, x, lower=lower, trans=trans, unit=unit)
                    if name == "trmv":
                        assert_near(letter, x, matrix @ before, abs(matrix) @ abs(before), n + 2)
                    else:
                        after = x.astype(EXACT[letter])
                        assert np.all(abs(matrix @ after - before) <= gamma(letter, n + 2) * 1.001 * (abs(matrix) @ abs(after)))


def test_factors_of_zero_are_not_multiplied_with() -> None:
    A, x, y = np.full((5, 5), np.nan, np.float32), np.full(5, np.nan, np.float32), np.ones(5, np.float32)
    kernels.sgemv(0.0, A, x, 0.5, y)
    kernels.ssymv(0.0, A, x, 2.0, y)
    kernels.saxpy(0.0, x, y)
    assert (y == 1).all()
    y[:] = np.nan
    kernels.sgemv(1.0, np.eye(5, dtype=np.float32), np.ones(5, np.float32), 0.0, y)
    assert (y == 1).all()
    for n, stride in itertools.product((5, 130, 1024), (1, 3)):
        A, x, y = np.ones((7, n), np.float32), np.ones(7, np.float32), np.full(stride * n, np.nan, np.float32)
        kernels.sgemv(1.0, A, x, 0.0, y[::stride], trans=True)
        assert (y[::stride] == 7).all() and np.isnan(y).sum() == (stride - 1) * n


# ---- entries in C


WRITTEN = {"axpy": "y", "copy": "y", "swap": "y", "rot": "y", "gemv": "y", "ger": "A", "symv": "y", "trmv": "x", "trsv": "x"}
"""What is named where it shares memory with another argument; the others have but one vector, or write none."""
TOO_LARGE = (2**62, -(2**62), -(2**63))
BAD: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("n", "m"), (-1, 2**31, -(2**63))),
    **dict.fromkeys(("incx", "incy"), (0, *TOO_LARGE)),
    **dict.fromkeys(("x", "y", "A", "result"), (None,)),
    "lda": (7, 0, -8, *TOO_LARGE),
    "trans": (110, 114, 0),
    "uplo": (120, 123),
    "diag": (130, 133),
}


@pytest.mark.parametrize("letter", "sd")
@pytest.mark.parametrize("name", KERNELS)
def test_an_entry_names_the_first_bad_argument_and_writes_nothing(name: str, letter: str) -> None:
    function = ctypes.CDLL(str(blas_library.blas_path(name, letter)))[entry_name(name, letter)]
    real, size = (ctypes.c_float, 4) if letter == "s" else (ctypes.c_double, 8)
    arrays = {key: np.ones((8, 8) if key == "A" else 8, DTYPES[letter]) for key in ("A", "x", "y", "result")}
    names = arguments(name)
    good: dict[str, Any] = {"trans": 111, "uplo": 121, "diag": 131} | dict.fromkeys(("alpha", "beta", "c", "s"), 0.5)
    good |= {key: array.ctypes.data for key, array in arrays.items()} | dict.fromkeys(("n", "m", "lda"), 8)
    good |= dict.fromkeys(("incx", "incy"), 1)
    kinds = dict.fromkeys(arrays, ctypes.c_void_p) | dict.fromkeys(("alpha", "beta", "c", "s"), real)
    kinds |= dict.fromkeys(("trans", "uplo", "diag"), ctypes.c_int)

    def status(**changed: Any) -> int:
        values = {key: (good | changed)[key] for key in names}
        return int(function(*(kinds.get(key, ctypes.c_int64)(value) for key, value in values.items())))

    one_vector = "incy" not in names and "lda" not in names
    for position, key in enumerate(names, start=1):
        for value in (*BAD.get(key, ()), *((-1,) if one_vector and key == "incx" else ())):
            assert status(**{key: value}) == position, (key, value)
            later = {other: BAD[other][0] for other in names[position:] if other in BAD}
            assert status(**{key: value}, **later) == position, (key, value, later)
    if name in WRITTEN:
        written = WRITTEN[name]
        for other in {"A", "x", "y"} & set(names) - {written}:
            for distance in (0, size, -size):
                assert status(**{written: arrays[other].ctypes.data + distance}) == names.index(written) + 1, (other, distance)
    assert all((array == 1).all() for array in arrays.values())
    pointers = {key: None for key in names if key in ("A", "x", "y")}
    assert [status(**pointers, **{key: 0}) for key in ("n", "m") if key in names] == [0] * (1 + ("m" in names))
    assert all((array == 1).all() for key, array in arrays.items() if key != "result")


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("letter", "sd")
def test_compilers_have_nothing_to_say(letter: str, compiler: str, tmp_path: Path) -> None:
    name = entry_name(WHOLE, letter)
    for file in (f"{name}.c", f"{name}.h"):
        (tmp_path / file).write_bytes(blas_library.blas_path(WHOLE, letter).with_name(file).read_bytes())
    features = blas_library.blas_library(WHOLE, letter).features
    assert silent(compiler, tmp_path / f"{name}.c", features) == ""


def test_a_library_of_one_routine_holds_what_its_entry_needs_and_no_more() -> None:
    text = blas_library.blas_library("scal", "s").files["usl_sscal.c"]
    assert "int usl_sscal(" in text and "usl_reaches(" in text
    assert not [word for word in ("usl_apart", "usl_in(", "usl_scale", "saxpy") if word in text]


@pytest.mark.parametrize("letter", "sd")
def test_libraries_export_their_entries_alone(letter: str) -> None:
    """Kernels are called as routines of BLAS are, and several libraries hold the same ones: neither may clash in a program."""
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", blas_library.blas_path(WHOLE, letter)], capture_output=True, check=True
    )
    assert {line.split()[-1] for line in listed.stdout.decode().splitlines()} == {entry_name(name, letter) for name in KERNELS}


def test_unknown_routines_are_named_with_those_there_are() -> None:
    for name, letter, message in (
        ("saxpy", "s", "no routine is called 'saxpy', without .* axpy, scal"),
        ("axpy", "x", 'be "s" or "d"'),
    ):
        with pytest.raises(ValueError, match=message):
            blas_library.blas_library(name, letter)


@pytest.mark.parametrize("letter", "sd")
def test_a_large_copy_goes_past_the_caches(letter: str) -> None:
    x = np.arange(2**24 // np.dtype(DTYPES[letter]).itemsize + 3, dtype=DTYPES[letter])
    y = np.zeros_like(x)
    routine(letter, "copy")(x[1:], y[:-1])
    assert np.array_equal(y[:-1], x[1:]) and y[-1] == 0
