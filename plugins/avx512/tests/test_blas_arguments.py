"""What the routines of BLAS take from Python: every layout of the same elements gives the same results; the rest is refused."""

from __future__ import annotations

import inspect
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from avx512_build import require
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

from usl_avx512 import kernels
from usl_avx512.kernels.blas_library import KERNELS, entry_name
from usl_avx512.kernels.conv import Conv2d


@pytest.fixture(autouse=True, scope="module")
def _needs_the_processor(one_library: None) -> None:
    require("native")


# ---- layouts


def odd(array: np.ndarray) -> np.ndarray:
    """The same elements, not at multiples of their size."""
    memory = np.zeros(array.nbytes + 1, np.uint8)[1:]
    view = memory.view(array.dtype).reshape(array.shape)
    view[...] = array
    return view


def gapped(array: np.ndarray) -> np.ndarray:
    """The same elements, each 6 bytes from the one before, or 12."""
    view = as_strided(np.zeros(2 * len(array), array.dtype), array.shape, (array.itemsize * 3 // 2,))
    view[...] = array
    return view


def padded(array: np.ndarray) -> np.ndarray:
    return np.pad(array, 2)[tuple(slice(2, 2 + extent) for extent in array.shape)]


VECTORS = {
    "neighbours": np.array,
    "apart": lambda x: np.repeat(x, 3)[::3],
    "backwards": lambda x: np.array(x[::-1])[::-1],
    "apart and backwards": lambda x: np.repeat(x[::-1], 2)[::-2],
}
READ_VECTORS = VECTORS | {"at odd addresses": odd, "at odd distances": gapped}
MATRICES = {
    "by rows": np.array,
    "part of rows": padded,
    "every other row": lambda A: np.repeat(A, 2, axis=0)[::2],
    "by columns": lambda A: np.array(A.T).T,
    "part of columns": lambda A: padded(A.T).T,
}
REVERSED_MATRICES = MATRICES | {
    "last row first": lambda A: np.array(A[::-1])[::-1],
    "every other row, last first": lambda A: np.repeat(A[::-1], 2, axis=0)[::-2],
    "last column first, by columns": lambda A: padded(A.T[::-1])[::-1].T,
}


def small(random: np.random.Generator, dtype: Any, *shape: int) -> np.ndarray:
    """Elements whose products and sums are exact."""
    return random.integers(-3, 4, shape).astype(dtype)


def pick(data: st.DataObject, layouts: dict[str, Any], array: np.ndarray) -> np.ndarray:
    return layouts[data.draw(st.sampled_from(sorted(layouts)))](array)


SIZE = st.integers(1, 20)


@settings(max_examples=40, deadline=None)
@given(st.data(), SIZE, SIZE, st.sampled_from("sd"), st.integers(0, 2**32 - 1))
def test_the_layout_of_arrays_does_not_matter(data: st.DataObject, m: int, n: int, letter: str, seed: int) -> None:
    random, dtype = np.random.default_rng(seed), np.dtype("float32" if letter == "s" else "float64")
    A, square, x, y = (small(random, dtype, *shape) for shape in ((m, n), (n, n), (n,), (m,)))
    routine = {name: getattr(kernels, f"{letter}{name}") for name in ("gemv", "ger", "symv", "trmv", "trsv", "dot", "axpy")}

    trans = data.draw(st.booleans())
    rows, columns = (y, x) if not trans else (x, y)
    out = pick(data, VECTORS, rows)
    routine["gemv"](2.0, pick(data, REVERSED_MATRICES, A), pick(data, READ_VECTORS, columns), 3.0, out, trans=trans)
    assert np.array_equal(out, 2 * ((A.T if trans else A) @ columns) + 3 * rows)

    changed = pick(data, REVERSED_MATRICES, A)
    routine["ger"](2.0, pick(data, READ_VECTORS, y), pick(data, READ_VECTORS, x), changed)
    assert np.array_equal(changed, A + 2 * np.outer(y, x))

    lower = data.draw(st.booleans())
    half = np.tril(square) if lower else np.triu(square)
    out = pick(data, VECTORS, x)
    routine["symv"](2.0, pick(data, MATRICES, square), pick(data, READ_VECTORS, x), 3.0, out, lower=lower)
    assert np.array_equal(out, 2 * ((half + half.T - np.diag(np.diag(half))) @ x) + 3 * x)

    triangle = half - np.diag(np.diag(half)) + np.eye(n, dtype=dtype)
    out = pick(data, VECTORS, x)
    routine["trmv"](pick(data, MATRICES, square), out, lower=lower, trans=trans, unit=True)
    assert np.array_equal(out, (triangle.T if trans else triangle) @ x)
    sparse = np.clip(square, -1, 1) * (random.random((n, n)) < 0.2)  # so that the solution stays small
    inverse = (np.tril(sparse, -1) if lower else np.triu(sparse, 1)) + np.eye(n)
    out = pick(data, VECTORS, ((inverse.T if trans else inverse) @ x).astype(dtype))
    routine["trsv"](pick(data, MATRICES, sparse.astype(dtype)), out, lower=lower, trans=trans, unit=True)
    assert np.array_equal(out, x)

    out = pick(data, VECTORS, x)
    routine["axpy"](2.0, pick(data, READ_VECTORS, x), out)
    assert np.array_equal(out, 3 * x)
    assert routine["dot"](pick(data, READ_VECTORS, x), pick(data, READ_VECTORS, x)) == float(x @ x)


def test_a_vector_of_one_element_all_over_is_read_like_any() -> None:
    ones, y = np.broadcast_to(np.float32(2), 9), np.ones(9, np.float32)
    kernels.saxpy(2.0, ones, y)
    assert (y == 5).all() and kernels.sdot(ones, y) == 90 and kernels.sasum(ones) == 18
    kernels.sgemv(1.0, np.eye(9, dtype=np.float32), ones, 0.0, y)
    assert (y == 2).all()


def test_classes_of_arrays_are_read_by_their_elements() -> None:
    class Own(np.ndarray):
        pass

    y = np.ones(9, np.float32)
    kernels.saxpy(2.0, np.ones(18, np.float32).view(Own)[::2], y.view(Own))
    assert (y == 3).all()
    with pytest.raises(TypeError, match=r"x must not be a masked array; fill it with numpy\.ma\.filled"):
        kernels.saxpy(2.0, np.ma.masked_array(y), y.copy())


def test_a_matrix_without_elements_leaves_y_as_it_is() -> None:
    y = np.full(3, np.nan, np.float32)
    kernels.sgemv(1.0, np.zeros((3, 0), np.float32), np.zeros(0, np.float32), 0.0, y)
    kernels.sgemv(1.0, np.zeros((0, 3), np.float32), np.zeros(0, np.float32), 0.0, y, trans=True)
    assert np.isnan(y).all()


# ---- numbers and options


@pytest.mark.parametrize("wrong", ["N", "no", 111, 2, 0, None, 1.0, np.int64(1)])
def test_options_are_true_or_false(wrong: Any) -> None:
    """What BLAS writes for "not transposed" is true in Python."""
    A, x, y = np.ones((4, 4), np.float32), np.ones(4, np.float32), np.ones(4, np.float32)
    for name, call in (
        ("trans", lambda: kernels.sgemv(1.0, A, x, 1.0, y, trans=wrong)),
        ("lower", lambda: kernels.ssymv(1.0, A, x, 1.0, y, lower=wrong)),
        *((option, lambda option=option: kernels.strmv(A, x, **{option: wrong})) for option in ("lower", "trans", "unit")),
        *((option, lambda option=option: kernels.strsv(A, x, **{option: wrong})) for option in ("lower", "trans", "unit")),
        ("relu", lambda: Conv2d(np.ones((1, 1, 1, 1), np.float32), relu=wrong)),
    ):
        with pytest.raises(TypeError, match=f"^{name} must be True or False, not "):
            call()
    assert (x == 1).all() and (y == 1).all()


def test_truth_values_of_numpy_are_options() -> None:
    A, x = np.triu(np.ones((3, 3), np.float32)), np.ones(3, np.float32)
    kernels.strmv(A, x, lower=np.bool_(False), trans=np.bool_(True))
    assert x.tolist() == [1, 2, 3]


def test_real_numbers_of_any_type_are_factors() -> None:
    for alpha in (2, True, np.float16(2), np.int8(2), np.float64(2), Fraction(4, 2)):
        y = np.ones(3, np.float32)
        kernels.saxpy(alpha, y.copy(), y)
        assert (y == 1 + float(alpha)).all()
    for alpha in (float("inf"), np.float32("-inf"), float("nan")):
        kernels.sscal(alpha, y)
        assert not np.isfinite(y).any()


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ("2", TypeError, "must be a real number, not str"),
        (None, TypeError, "must be a real number, not NoneType"),
        (2j, TypeError, "must be a real number, not complex"),
        (np.array([2.0]), TypeError, r"must be a real number, not ndarray; take its element with item\(\)"),
        (10**400, ValueError, "is out of the range of float64"),
        (-1e300, ValueError, r"is -1e\+300, out of the range of float32"),
    ],
)
def test_what_is_no_factor_is_named(wrong: Any, error: type[Exception], message: str) -> None:
    A, x, y = np.ones((4, 4), np.float32), np.ones(4, np.float32), np.ones(4, np.float32)
    for name, call in (
        ("alpha", lambda: kernels.saxpy(wrong, x, y)),
        ("alpha", lambda: kernels.sscal(wrong, x)),
        ("c", lambda: kernels.srot(x, y, wrong, 1.0)),
        ("s", lambda: kernels.srot(x, y, 1.0, wrong)),
        ("alpha", lambda: kernels.sgemv(wrong, A, x, 1.0, y)),
        ("beta", lambda: kernels.sgemv(1.0, A, x, wrong, y)),
        ("alpha", lambda: kernels.sger(wrong, x, y, A)),
        ("beta", lambda: kernels.ssymv(1.0, A, x, wrong, y)),
    ):
        with pytest.raises(error, match=f"^{name} {message}"):
            call()
    assert all((each == 1).all() for each in (x, y, A))


def test_a_factor_is_out_of_range_where_rounding_makes_it_infinite() -> None:
    largest, x = float(np.finfo(np.float32).max), np.ones(1, np.float32)
    least_infinite = largest + 2.0**103  # half of the distance to the next
    with np.errstate(over="ignore"):
        assert np.isinf(np.array(least_infinite).astype(np.float32))
    kernels.sscal(np.nextafter(least_infinite, 0), x)
    assert x[0] == largest
    with pytest.raises(ValueError, match="out of the range of float32"):
        kernels.sscal(least_infinite, x)
    kernels.dscal(1e300, wide := np.ones(1))
    assert wide[0] == 1e300


# ---- names


def test_every_routine_has_both_precisions_under_its_name_with_its_arguments() -> None:
    for name in KERNELS:
        for letter, dtype in (("s", "float32"), ("d", "float64")):
            called = entry_name(name, letter).removeprefix("usl_")
            routine = getattr(kernels, called)
            assert (routine.__name__, routine.__qualname__) == (called, called) and dtype in routine.__doc__
            assert {"alpha", "A", "x", "y", "lower"} & set(inspect.signature(routine).parameters)
    assert str(inspect.signature(kernels.daxpy)).startswith("(alpha: 'float', x: ")
    with pytest.raises(TypeError, match=r"^saxpy\(\) missing 1 required positional argument: 'y'"):
        kernels.saxpy(1.0, np.ones(3, np.float32))
    with pytest.raises(TypeError, match=r"^dgemv\(\) got an unexpected keyword argument 'incx'"):
        kernels.dgemv(1.0, np.eye(3), np.ones(3), 0.0, np.ones(3), incx=2)


# ---- arrays that are refused


def test_bad_arrays_are_refused_with_what_to_do() -> None:
    x, y, A = np.ones(4, np.float32), np.ones(4, np.float32), np.ones((4, 4), np.float32)
    frozen = np.ones(4, np.float32)
    frozen.flags.writeable = False
    stretched = as_strided(np.ones(1, np.float32), (4,), (0,))
    rows = as_strided(whole := np.ones(12, np.float32), (4, 4), (8, 4))
    for call, error, message in (
        (lambda: kernels.saxpy(1.0, x.astype(np.float64), y), TypeError, "x must be of dtype float32, not float64"),
        (lambda: kernels.saxpy(1.0, [1.0], y), TypeError, "x must be a NumPy array, not list"),
        (lambda: kernels.saxpy(1.0, A, y), ValueError, "x must have one dimension, not 2"),
        (lambda: kernels.saxpy(1.0, x[:3], y), ValueError, "as many elements; they have 3 and 4"),
        (lambda: kernels.saxpy(1.0, x, frozen), ValueError, "y is to be changed, but the array is read-only"),
        (lambda: kernels.saxpy(1.0, x, odd(y)), ValueError, "elements of y do not lie at multiples of 4 bytes"),
        (lambda: kernels.saxpy(1.0, x, gapped(y)), ValueError, "elements of y do not lie at multiples of 4 bytes"),
        (lambda: kernels.saxpy(1.0, x, stretched), ValueError, "the elements of y, which is to be changed, are all one"),
        (lambda: kernels.saxpy(1.0, y, y), ValueError, "y shares memory with another argument"),
        (lambda: kernels.sswap(whole[:6], whole[3:9]), ValueError, "shares memory"),
        (lambda: kernels.scopy(whole[:6:2], whole[2:8:2]), ValueError, "shares memory"),
        (lambda: kernels.sgemv(1.0, A, x[:3], 1.0, y), ValueError, "x must have 4 elements, as A is 4 x 4; it has 3"),
        (
            lambda: kernels.sgemv(1.0, A[:, ::2], x[:2], 1.0, y),
            ValueError,
            "a row of A, or of a column, must be next to each other",
        ),
        (
            lambda: kernels.sgemv(1.0, A[:, ::-1], x, 1.0, y),
            ValueError,
            "a row of A, or of a column, must be next to each other",
        ),
        (lambda: kernels.sgemv(1.0, odd(A), x, 1.0, y), ValueError, "elements of A do not lie at multiples of 4 bytes"),
        (lambda: kernels.sgemv(1.0, rows, x, 1.0, y), ValueError, r"rows of A overlap \(stride 8 bytes\)"),
        (lambda: kernels.sgemv(1.0, rows.T, x, 1.0, y), ValueError, r"columns of A overlap \(stride 8 bytes\)"),
        (
            lambda: kernels.sgemv(1.0, np.broadcast_to(x, (4, 4)), x, 1.0, y),
            ValueError,
            r"rows of A overlap \(stride 0 bytes\)",
        ),
        (lambda: kernels.strmv(A[::-1], x), ValueError, "rows of A go backwards"),
        (lambda: kernels.ssymv(1.0, A.T[:, ::-1], x, 1.0, y), ValueError, "columns of A go backwards"),
        (lambda: kernels.sgemv(1.0, A, x, 1.0, A[0]), ValueError, "y shares memory with another argument"),
        (lambda: kernels.sgemv(1.0, A.T, x, 1.0, A[0]), ValueError, "y shares memory with another argument"),
        (lambda: kernels.sger(1.0, A[::-1][:, 1], x, A.T[:, ::-1]), ValueError, "A shares memory with another argument"),
        (lambda: kernels.sger(1.0, A[:, 1], x, A), ValueError, "A shares memory with another argument"),
        (lambda: kernels.strsv(A[:3], x), ValueError, "A must be square, not 3 x 4"),
        (lambda: kernels.strmv(A, A[2]), ValueError, "x shares memory with another argument"),
    ):
        with pytest.raises(error, match=message):
            call()
    assert all((each == 1).all() for each in (x, y, A, whole))


def test_vectors_and_matrices_beside_each_other_in_one_array_are_apart() -> None:
    whole = np.ones((8, 12), np.float32)
    kernels.saxpy(1.0, whole[:, 0], whole[:, 1])
    kernels.scopy(whole[0, ::2], whole[0, 1::2])
    kernels.sgemv(1.0, whole[:, 2:10], whole[0, 2:10].copy(), 1.0, whole[:, 11])
    assert (whole[:, 11] == [9] * 8).all() and (whole[:, 1] == [1, *[2] * 7]).all()
