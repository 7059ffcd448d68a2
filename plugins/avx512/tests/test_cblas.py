"""CBLAS: programs in C link ours in the place of another; both layouts; what is wrong goes to `cblas_xerbla`.

`tools/blas_testers.py` runs LAPACK's testers, which look at every option in both precisions; here are sizes that they do not
reach.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import run
from typing import Any

import numpy as np
import pytest
from avx512_build import compiler, require

from usl_avx512.kernels.cblas import build

ROWS, COLUMNS, NO, YES, UPPER, LOWER, NONUNIT, UNIT, LEFT, RIGHT = 101, 102, 111, 112, 121, 122, 131, 132, 141, 142
DTYPES = {"s": np.float32, "d": np.float64}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require("native")
    return build(tmp_path_factory.mktemp("cblas"), ("-O1",), "s").parent


@pytest.fixture(scope="module")
def cblas(folder: Path) -> Callable[..., Any]:
    """Calls a routine by its name without `cblas_` and the letter: a float is a factor, an array goes by its address."""
    library = ctypes.CDLL(str(folder / "libusl_cblas.so"))

    def call(letter: str, name: str, *values: Any) -> Any:
        real = ctypes.c_float if letter == "s" else ctypes.c_double
        function = library[f"cblas_i{letter}amax" if name == "iamax" else f"cblas_{letter}{name}"]
        function.restype = real if name in ("dot", "asum", "nrm2") else ctypes.c_size_t if name == "iamax" else None
        return function(
            *(
                ctypes.c_void_p(value.ctypes.data)
                if isinstance(value, np.ndarray)
                else (real if isinstance(value, float) else ctypes.c_int)(value)
                for value in values
            )
        )

    return call


def matrices(letter: str, layout: int, *shapes: tuple[int, int]) -> list[np.ndarray]:
    random, order = np.random.default_rng(21), "C" if layout == ROWS else "F"
    found = (random.integers(-3, 4, shape).astype(DTYPES[letter]) for shape in shapes)
    return [np.asfortranarray(each) if order == "F" else each for each in found]


def ld(matrix: np.ndarray) -> int:
    return max(matrix.strides) // matrix.itemsize


@pytest.mark.parametrize("layout", [ROWS, COLUMNS])
def test_level_3_in_both_layouts(layout: int, cblas: Callable[..., Any]) -> None:
    letter = "s"
    m, n, k = 70, 130, 40
    A, B, C, S, T = matrices(letter, layout, (m, k), (n, k), (m, n), (m, m), (n, n))
    want = 2 * A @ B.T - 3 * C
    cblas(letter, "gemm", layout, NO, YES, m, n, k, 2.0, A, ld(A), B, ld(B), -3.0, C, ld(C))
    assert np.array_equal(C, want)
    many = np.zeros((2, m, n) if layout == ROWS else (2, n, m), DTYPES[letter])
    one = [layout, NO, YES, m, n, k, 1.0, A, ld(A), 0, B, ld(B), 0, 0.0, many, n if layout == ROWS else m, m * n, 2]
    cblas(letter, "gemm_batch_strided", *one)
    assert all(np.array_equal(each if layout == ROWS else each.T, A @ B.T) for each in many)
    small = matrices(letter, layout, (m, n))[0]
    out, full = small.copy("K"), np.triu(S) + np.triu(S, 1).T
    cblas(letter, "symm", layout, LEFT, UPPER, m, n, 1.0, S, ld(S), small, ld(small), 0.0, out, ld(out))
    assert np.array_equal(out, full @ small)
    square, changed = np.zeros_like(S), np.tril(np.ones_like(S)) > 0
    cblas(letter, "syrk", layout, LOWER, NO, m, k, 1.0, A, ld(A), 1.0, square, ld(square))
    assert np.array_equal(square, np.where(changed, A @ A.T, 0))
    cblas(letter, "syr2k", layout, UPPER, NO, m, k, 1.0, A, ld(A), A, ld(A), 0.0, square, ld(square))
    assert np.array_equal(square, np.where(changed.T, 2 * A @ A.T, A @ A.T))
    out = small.copy("K")
    cblas(letter, "trmm", layout, RIGHT, LOWER, YES, UNIT, m, n, 1.0, T, ld(T), out, ld(out))
    unit = np.tril(T, -1) + np.eye(n)
    assert np.array_equal(out, small @ unit.T)
    T[:] = np.where(np.abs(np.arange(n)[:, None] - np.arange(n)) < 2, np.sign(T), 0)
    unit = np.tril(T, -1) + np.eye(n)
    out[:] = small @ unit.T
    cblas(letter, "trsm", layout, RIGHT, LOWER, YES, UNIT, m, n, 1.0, T, ld(T), out, ld(out))
    np.testing.assert_allclose(out, small, atol=1e-2 if letter == "s" else 1e-9)


def packed(A: np.ndarray, layout: int, uplo: int) -> np.ndarray:
    """The rows of a triangle one after another, or its columns."""
    A, upper = (A, uplo == UPPER) if layout == ROWS else (A.T, uplo == LOWER)
    return np.concatenate([row[i:] if upper else row[: i + 1] for i, row in enumerate(A)])


def band(A: np.ndarray, layout: int, below: int, above: int) -> np.ndarray:
    """The diagonals of a matrix from so far below to so far above, as CBLAS stores them, NaN where nothing is stored."""
    A, below, above = (A, below, above) if layout == ROWS else (A.T, above, below)
    found = np.full((A.shape[0], below + above + 1), np.nan, A.dtype)
    for i, c in itertools.product(*map(range, A.shape)):
        if -below <= c - i <= above:
            found[i, c - i + below] = A[i, c]
    return found


@pytest.mark.parametrize("uplo", [UPPER, LOWER])
@pytest.mark.parametrize("layout", [ROWS, COLUMNS])
def test_bands_packed_triangles_and_updates_of_them(layout: int, uplo: int, cblas: Callable[..., Any]) -> None:
    n, k, wide = 45, 3, 60
    A, x, y = np.rint(np.random.default_rng(3).uniform(-3, 3, (n, wide))).astype(np.float32), *np.ones((2, n), np.float32)
    half = np.triu if uplo == UPPER else np.tril
    triangle = half(A[:, :n] + 8 * np.eye(n, dtype=np.float32))
    near = np.where(np.abs(np.arange(n)[:, None] - np.arange(n)) <= k, triangle, 0)
    full, beside = triangle + triangle.T - np.diag(np.diag(triangle)), near + near.T - np.diag(np.diag(near))
    x[:] = np.arange(n) % 5
    cblas("s", "spmv", layout, uplo, n, 2.0, packed(triangle, layout, uplo), x, 1, -1.0, y, 1)
    assert np.array_equal(y, 2 * full @ x - 1)
    own = (0, k) if uplo == UPPER else (k, 0)
    cblas("s", "sbmv", layout, uplo, n, k, 1.0, band(near, layout, *own), k + 1, x, 1, 0.0, y, -1)
    assert np.array_equal(y[::-1], beside @ x)
    out, wanted = np.full(wide, np.nan, np.float32), np.triu(np.tril(A, 4), -k)
    cblas("s", "gbmv", layout, YES, n, wide, k, 4, 1.0, band(wanted, layout, k, 4), k + 5, x, 1, 0.0, out, 1)
    assert np.array_equal(out, wanted.T @ x)
    for trans, diag in itertools.product((NO, YES), (NONUNIT, UNIT)):
        for name, matrix, sizes, stored in (
            ("tp", triangle / 8, (n,), (packed(triangle / 8, layout, uplo),)),
            ("tb", near / 8, (n, k), (band(near / 8, layout, *own), k + 1)),
        ):
            exact = matrix - np.diag(np.diag(matrix) - 1) if diag == UNIT else matrix
            z = x.copy()
            cblas("s", f"{name}mv", layout, uplo, trans, diag, *sizes, *stored, z, 1)
            np.testing.assert_allclose(z, (exact if trans == NO else exact.T) @ x, rtol=1e-5, atol=1e-4)
            if name == "tb":
                cblas("s", "tbsv", layout, uplo, trans, diag, *sizes, *stored, z, 1)
                np.testing.assert_allclose(z, x, atol=1e-2)
    C, update = np.zeros((n, n), np.float32), half(np.outer(x, y) + np.outer(y, x))
    cblas("s", "syr2", layout, uplo, n, 1.0, x, 1, y, 1, C, n)
    assert np.array_equal(C if layout == ROWS else C.T, update)
    P = np.zeros(n * (n + 1) // 2, np.float32)
    cblas("s", "spr2", layout, uplo, n, 1.0, x, 1, y, 1, P)
    cblas("s", "spr", layout, uplo, n, 3.0, x, 1, P)
    assert np.array_equal(P, packed(update + half(3 * np.outer(x, x)), layout, uplo))


@pytest.mark.parametrize(
    "d1, d2, x1, y1", [(3, 2, 1, 0.5), (2, 3, 0.5, 1), (1e-9, 2e-9, 3, 2), (4e9, 1e-8, 1, 7), (2, 1e-12, 3, 5)]
)
def test_modified_rotations_make_zeros(d1: float, d2: float, x1: float, y1: float, cblas: Callable[..., Any]) -> None:
    given, p = np.array([d1, d2, x1], np.float32), np.zeros(5, np.float32)
    a, b, c = given[:1], given[1:2], given[2:]
    cblas("s", "rotmg", a, b, c, float(y1), p)
    x, y = np.array([x1, 1, 0], np.float32), np.array([y1, 0, 1], np.float32)
    cblas("s", "rotm", 3, x, 1, y, 1, p)
    H = np.array([x[1:], y[1:]], np.float64)
    assert x[0] == pytest.approx(given[2], rel=1e-5) and abs(y[0]) <= 1e-6 * np.abs(H[1]).max() * max(abs(x1), abs(y1))
    np.testing.assert_allclose(
        H.T @ np.diag(given[:2].astype(float)) @ H / np.sqrt(np.outer([d1, d2], [d1, d2])), np.eye(2), atol=1e-5
    )


@pytest.mark.parametrize("letter", "s")
def test_vectors_may_go_backwards_or_stand_still(letter: str, cblas: Callable[..., Any]) -> None:
    x, y = np.arange(1, 41, dtype=DTYPES[letter]), np.ones(20, DTYPES[letter])
    cblas(letter, "axpy", 20, 2.0, x, -2, y, 1)
    assert np.array_equal(y, 1 + 2 * x[38::-2])
    cblas(letter, "axpy", 20, 1.0, x, 0, y, 1)
    assert np.array_equal(y, 2 + 2 * x[38::-2])
    assert cblas(letter, "dot", 40, x, 1, x, -1) == float(x @ x[::-1])
    assert (cblas(letter, "asum", 20, x, 2), cblas(letter, "iamax", 40, x, 1)) == (float(x[::2].sum()), 39)
    assert (cblas(letter, "asum", 20, x, 0), cblas(letter, "iamax", 0, x, 1)) == (0.0, 0)


PROGRAM = """
#include <cblas.h>
#include <stdio.h>
#include <string.h>

static int seen;

void cblas_xerbla(int argument, const char *routine, const char *format, ...)
{
    (void)format;
    seen = strcmp(routine, "cblas_sgemm") == 0 ? argument : -1;
}

int main(void)
{
    float a[4] = {1, 2, 3, 4}, b[4] = {1, 1, 1, 1}, c[4] = {0, 0, 0, 0};
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2);
    int wrong = seen != 0 || c[0] != 3 || c[3] != 7;
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, 2, 2, 2, 1, a, 1, b, 2, 0, c, 2);
    wrong |= seen != 9 || c[0] != 3;
    cblas_sgemm(CblasRowMajor, (CBLAS_TRANSPOSE)0, CblasTrans, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2);
    wrong |= seen != 2 || c[0] != 3;
    return wrong;
}
"""


def test_a_program_links_it_and_may_have_an_error_handler_of_its_own(folder: Path) -> None:
    (folder / "program.c").write_text(PROGRAM)
    for library in ("libusl_cblas.a", "libusl_cblas.so"):
        command = [
            *compiler(),
            "-std=c11",
            "-Wall",
            "-Wextra",
            "-Werror",
            "program.c",
            library,
            "-I.",
            "-Wl,-rpath,.",
            "-lm",
            "-o",
            "program",
        ]
        done = run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert run([folder / "program"], cwd=folder, check=False).returncode == 0, library


def test_without_one_what_is_wrong_is_said_and_the_program_ends(folder: Path) -> None:
    code = (
        "import ctypes; library = ctypes.CDLL('./libusl_cblas.so'); one = ctypes.c_float(1)\n"
        "library.cblas_sgemv(101, 111, -2, 3, one, None, 3, None, 1, one, None, 1)"
    )
    done = run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.strip() == "cblas_sgemv: argument 3 is wrong"


def test_cblas_has_one_thread_until_it_is_told(folder: Path) -> None:
    code = "import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).usl_cblas_get_num_threads())"
    shared = folder / "libusl_cblas.so"
    for value, want in ((None, 1), ("3", 3), ("many", 1), ("-1", 1)):
        environment = {name: text for name, text in os.environ.items() if name != "USL_NUM_THREADS"}
        environment |= {} if value is None else {"USL_NUM_THREADS": value}
        done = run([sys.executable, "-c", code, str(shared)], capture_output=True, text=True, env=environment, check=True)
        assert int(done.stdout) == want
    library = ctypes.CDLL(str(shared))
    a, c = np.ones((500, 500), np.float32), np.zeros((500, 500), np.float32)
    library.usl_cblas_set_num_threads(2)
    assert library.usl_cblas_get_num_threads() == 2
    one, at = ctypes.c_float(1), ctypes.c_void_p
    library.cblas_sgemm(
        101, 111, 111, 500, 500, 500, one, at(a.ctypes.data), 500, at(a.ctypes.data), 500, one, at(c.ctypes.data), 500
    )
    assert (c == 500).all()
