"""BLAS level 3 from Python beside matrix products: all options in all layouts, sizes that are cut into halves, bad input
named."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from avx512_build import require

from usl_avx512 import kernels

DTYPES = {"s": np.float32, "d": np.float64}
SHAPES = ((1, 1), (5, 3), (63, 1), (64, 70), (66, 33), (70, 20), (130, 200))
"""On both sides of the blocks on the diagonal, with one and two halvings; one column, and as many as one to four registers."""
OPTIONS = ("right", "lower", "trans", "unit")


@pytest.fixture(autouse=True)
def _needs_the_processor() -> None:
    require("native")


def routine(letter: str, name: str) -> Any:
    return getattr(kernels, letter + name)


def small(random: np.random.Generator, letter: str, shape: tuple[int, int], turned: bool) -> np.ndarray:
    """A matrix by rows or by columns, part of a larger one, whose products and sums are exact."""
    m, n = shape[::-1] if turned else shape
    array = random.integers(-3, 4, (m + 1, n + 3)).astype(DTYPES[letter])[1:, 2 : n + 2]
    return array.T if turned else array


def half(A: np.ndarray, lower: bool, unit: bool = False) -> np.ndarray:
    triangle = (np.tril(A) if lower else np.triu(A)).astype(np.float64)
    return triangle - np.diag(np.diag(triangle)) + np.eye(len(A)) if unit else triangle


def layouts() -> list[tuple[bool, bool]]:
    return list(itertools.product((False, True), repeat=2))


@pytest.mark.parametrize("letter", "sd")
def test_triangular_products_and_solutions_with_every_option_in_every_layout(letter: str) -> None:
    random = np.random.default_rng(11)
    for number, (values, (m, n)) in enumerate(itertools.product(itertools.product((False, True), repeat=4), SHAPES)):
        options, (a_turned, b_turned) = dict(zip(OPTIONS, values, strict=True)), layouts()[(number + number // 5) % 4]
        size = n if options["right"] else m
        A, B = small(random, letter, (size, size), a_turned), small(random, letter, (m, n), b_turned)
        T = half(A, options["lower"], options["unit"])
        T = T.T if options["trans"] else T
        want = -2 * (B @ T if options["right"] else T @ B)
        routine(letter, "trmm")(-2.0, A, B, **options)
        assert np.array_equal(B, want), (m, n, options, a_turned, b_turned)

        A[random.random((size, size)) > 0.02] = 0  # so that the solution stays small
        A[np.diag_indices(size)] = random.choice([1, 2, 4], size)
        T = half(A, options["lower"], options["unit"])
        T = T.T if options["trans"] else T
        solution = random.integers(-3, 4, (m, n))
        B[:] = solution @ T if options["right"] else T @ solution
        routine(letter, "trsm")(2.0, A, B, **options)
        np.testing.assert_allclose(B, 2 * solution, atol=1e-3 if letter == "s" else 1e-9)


@pytest.mark.parametrize("letter", "sd")
def test_symmetric_products_and_updates_of_rank_k_in_every_layout(letter: str) -> None:
    random = np.random.default_rng(12)
    for (m, n), (a_turned, c_turned), first, second in itertools.product(SHAPES, layouts(), (False, True), (False, True)):
        A, B, C = (
            small(random, letter, shape, turned)
            for shape, turned in (((n, n) if first else (m, m), a_turned), ((m, n), c_turned), ((m, n), c_turned))
        )
        S = half(A, second) + half(A, second).T - np.diag(np.diag(A))
        want = 2 * (B @ S if first else S @ B) + 3 * C
        routine(letter, "symm")(2.0, A, B, 3.0, C, right=first, lower=second)
        assert np.array_equal(C, want), (m, n, a_turned, c_turned, first, second)

        X, Y = (small(random, letter, (n, m) if second else (m, n), a_turned) for _ in range(2))
        x, y = (X.T, Y.T) if second else (X, Y)
        changed = half(np.ones((m, m)), first) > 0
        for name, update in (("syrk", x @ x.T), ("syr2k", x @ y.T + y @ x.T)):
            C = small(random, letter, (m, m), c_turned)
            want = np.where(changed, update - 2 * C, C)
            others = (X,) if name == "syrk" else (X, Y)
            routine(letter, name)(1.0, *others, -2.0, C, lower=first, trans=second)
            assert np.array_equal(C, want), (name, m, n, a_turned, c_turned, first, second)


@pytest.mark.parametrize("letter", "sd")
def test_batches_of_products_may_share_a_matrix_and_lie_beside_each_other(letter: str) -> None:
    random, batch = np.random.default_rng(13), routine(letter, "gemm_batch_strided")
    A, B = (random.integers(-3, 4, shape).astype(DTYPES[letter]) for shape in ((4, 9, 7), (4, 5, 7)))
    C = np.zeros((4, 9, 5), DTYPES[letter])
    batch(A, B, C, transB=True)
    assert np.array_equal(C, A @ B.transpose(0, 2, 1))
    batch(A, np.broadcast_to(B[0].T, (4, 7, 5)), C, beta=0.0, alpha=-1.0)
    assert np.array_equal(C, -A @ B[0].T)
    beside = np.zeros((9, 4, 5), DTYPES[letter])
    batch(A, B, beside.transpose(1, 0, 2), transB=True)
    assert np.array_equal(beside.transpose(1, 0, 2), A @ B.transpose(0, 2, 1))
    batch(A[:0], B[:0], C[:0], transB=True)
    with pytest.raises(ValueError, match="the matrices of C share memory"):
        batch(A, B, np.lib.stride_tricks.as_strided(C, C.shape, (C.strides[1], *C.strides[1:])), transB=True)
    with pytest.raises(ValueError, match="C shares memory with A or B"):
        batch(C, B, C, transB=True) if C.shape[1] == 7 else batch(A[:, :5, :5], B[:, :5, :5], A[:, :5, :5])
    with pytest.raises(ValueError, match="as many matrices; they have 3, 4 and 4"):
        batch(A[:3], B, C, transB=True)
    with pytest.raises(ValueError, match="the matrices of A go backwards"):
        batch(A[::-1], B, C, transB=True)


def test_what_a_factor_of_zero_stands_before_is_not_read() -> None:
    nan, C = np.full((9, 9), np.nan), np.full((9, 9), np.nan)
    kernels.dsymm(0.0, nan, nan, 0.0, C)
    kernels.dtrsm(0.0, nan, nan.copy())
    assert (C == 0).all()
    C[:] = np.nan
    kernels.dsyrk(0.0, nan, 0.0, C, lower=True)
    assert (C[np.tril_indices(9)] == 0).all() and np.isnan(C[np.triu_indices(9, 1)]).all()


def test_infinite_elements_spread_no_further_than_they_must() -> None:
    A, B = np.ones((9, 9)), np.ones((9, 3))
    A[np.triu_indices(9, 1)] = np.nan
    B[8, 1] = np.inf
    kernels.dtrmm(1.0, A, B, lower=True)
    assert np.isinf(B[8, 1]) and np.isfinite(B).sum() == 26


def test_bad_arguments_are_refused_with_what_to_do() -> None:
    A, B, C = np.ones((4, 4)), np.ones((4, 3)), np.ones((4, 3))
    for call, error, message in (
        (lambda: kernels.dsymm(1.0, A[:3], B, 1.0, C), ValueError, "A must be square, not 3 x 4"),
        (lambda: kernels.dsymm(1.0, A[:3, :3], B, 1.0, C), ValueError, "A must be 4 x 4, as B is 4 x 3; it is 3 x 3"),
        (lambda: kernels.dsymm(1.0, A, B[:2], 1.0, C), ValueError, "B must be as large as C, 4 x 3; it is 2 x 3"),
        (
            lambda: kernels.dsymm(1.0, A, np.asfortranarray(B), 1.0, C),
            ValueError,
            "B has its columns next to each other and C its",
        ),
        (lambda: kernels.dsymm(1.0, A, C, 1.0, C), ValueError, "C shares memory with A or B"),
        (lambda: kernels.dsyrk(1.0, B, 0.0, A[:3, :3]), ValueError, "C must be 4 x 4, as A is 4 x 3; it is 3 x 3"),
        (lambda: kernels.dsyr2k(1.0, B, A, 0.0, A.copy()), ValueError, "B must be as large as A, 4 x 3; it is 4 x 4"),
        (lambda: kernels.dtrmm(1.0, A, B, right=True), ValueError, "A must be 3 x 3, as B is 4 x 3; it is 4 x 4"),
        (lambda: kernels.dtrmm(1.0, A, A), ValueError, "B shares memory with A"),
        (lambda: kernels.dtrsm(1.0, A, B, lower="L"), TypeError, "lower must be True or False, not 'L'"),  # type: ignore[arg-type]
        (lambda: kernels.dtrsm(1.0, A, B.astype(np.float32)), TypeError, "B must be of dtype float64, not float32"),
        (lambda: kernels.strsm(1e39, A.astype(np.float32), B.astype(np.float32)), ValueError, "out of the range of float32"),
    ):
        with pytest.raises(error, match=message):
            call()
    assert (B == 1).all() and (C == 1).all()
