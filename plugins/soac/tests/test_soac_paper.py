"""What Henriksen 2014 leaves open or gets wrong, each with its counter-example: by the interpreter, whose word counts."""

from __future__ import annotations

import numpy as np
import pytest

from usl_soac import ShapeError, parse_program

PROGRAM = parse_program(
    """
@soac
def f(a: f64[N, M]) -> f64[2 * N]:
    sums, products = map(lambda x: (reduce(add, 0.0, x), reduce(mul, 1.0, x)), a)
    return concat(sums, products)

@soac
def main(A: f64[K, N, M]) -> f64[_]:
    return map(f, A)[5]

@soac
def mapped(A: f64[K, N, M]) -> f64[_, _]:
    return map(f, A)

@soac
def joined(x: i64[n, m], y: i64[k, m]) -> i64[_, _]:
    return concat(x, y)

@soac
def cut(x: i64[n], k: i64) -> tuple[i64[_], i64[_]]:
    return split(x, k)

@soac
def kept(x: i64[n]) -> i64[_]:
    return filter(lambda v: v > 0, x)

@soac
def positive(x: i64[n, m]) -> i64[n, _]:
    return map(lambda r: filter(lambda v: v > 0, r), x)

@soac
def unused(x: i64[n]) -> i64:
    y = x[3]
    return n

@soac
def summed(A: f64[n, m], start: f64[k]) -> f64[k]:
    return reduce(lambda a, b: map(add, a, b), start, A)

@soac
def copies(ns: i64[n]) -> f64[_, _]:
    return map(lambda n: replicate(n, 1.0), ns)

@soac
def itself(p: i32[n, m]) -> i32[n, m]:
    return p

@soac
def chosen(p: i64, c: bool) -> i64[_]:
    return iota(p) if c else iota(p * p)

@soac
def grown(x: i64[n], k: i64) -> i64[_]:
    for i in range(k):
        x = concat(x, [i])
    return x

@soac
def again(n: i64, x: f64[m]) -> f64[m]:
    return x if n == 0 else map(lambda y: again(n - 1, y), replicate(1, x))[0]

@soac
def longer(n: i64, x: f64[m]) -> f64[_]:
    return x if n == 0 else concat(x, longer(n - 1, x))

@soac
def rejoined(r: i64[n, m]) -> i64[_, _]:
    return concat(r, map(lambda v: [v[0]], r))
""",
    "<paper>",
)


def run(name, *args):
    return PROGRAM[name].interpret(*args)


def test_the_running_example_has_the_row_that_is_asked_for():
    A = np.arange(1.0, 25).reshape(6, 2, 2)
    np.testing.assert_array_equal(run("main", A), [43, 47, 21 * 22, 23 * 24])
    assert PROGRAM["main"].type() == "∀ K N M. (A: f64[K, N, M]) → f64[2*N]"


@pytest.mark.parametrize("shape", [(0, 2, 3), (5, 2, 3), (0, 0, 0)])
def test_without_a_row_5_the_index_fails_whatever_the_other_sizes_are(shape):
    """Figs. 9 and 10 guard with another size, and read A[0] where there is none."""
    with pytest.raises(IndexError, match=f"index 5 is out of range: dimension 0 of the array has {shape[0]} elements"):
        run("main", np.zeros(shape))


def test_empty_dimensions_are_neutral_elements_and_keep_the_type():
    np.testing.assert_array_equal(run("main", np.zeros((6, 2, 0))), [0, 0, 1, 1])
    assert run("main", np.zeros((6, 0, 2))).shape == (0,)
    assert run("mapped", np.zeros((0, 2, 3))).shape == (0, 4)  # fig. 8: 0 inner elements


def test_concat_is_along_the_outermost_dimension():
    """Fig. 3: along the last."""
    assert run("joined", np.zeros((2, 3), int), np.zeros((1, 3), int)).shape == (3, 3)


def test_sizes_may_be_0_and_split_may_cut_at_both_ends_and_no_further():
    """§2.3 assumes positive sizes; fig. 13 makes h - n without a test."""
    assert [len(each) for each in run("cut", [1, 2], 0)] == [0, 2]
    assert [len(each) for each in run("cut", [1, 2], 2)] == [2, 0]
    for k in (-1, 3):
        with pytest.raises(IndexError, match=f"split: {k} is not from 0 to 2"):
            run("cut", [1, 2], k)


def test_filter_may_keep_everything():
    """§2.3: the result is smaller."""
    assert len(run("kept", [1, 2])) == 2
    assert run("kept", []).shape == (0,)


def test_filtered_rows_have_one_size_or_fail_with_the_first_that_differs():
    np.testing.assert_array_equal(run("positive", [[1, -1], [-1, 2]]), [[1], [2]])
    with pytest.raises(ShapeError, match=r"irregular map: element 2 gives i64\[0\], element 0 gave i64\[1\]"):
        run("positive", [[1, -1], [-1, 2], [0, 0]])


def test_a_failure_counts_also_where_its_value_is_not_used():
    """§2.4: an assertion lives as long as the value that it guards."""
    with pytest.raises(IndexError):
        run("unused", [1, 2, 3])


def test_the_neutral_element_of_a_reduction_has_the_size_of_the_rows_also_without_rows():
    """Fig. 21 does not test it."""
    np.testing.assert_array_equal(run("summed", np.ones((2, 3)), np.zeros(3)), [2, 2, 2])
    for rows in (0, 2):
        with pytest.raises(ShapeError, match="reduce: the neutral element has 2 elements, the rows have 3"):
            run("summed", np.ones((rows, 3)), np.zeros(2))


def test_a_map_whose_rows_depend_on_elements_has_rows_of_0_over_nothing():
    """Figs. 17 and 18 read the first of no elements."""
    assert run("copies", []).shape == (0, 0)
    assert run("copies", [2, 2]).shape == (2, 2)
    with pytest.raises(ShapeError, match="element 1 gives f64"):
        run("copies", [2, 3])
    with pytest.raises(ShapeError, match="replicate: the size -1 is negative"):
        run("copies", [-1])


def test_the_identity_returns_no_sizes():
    """§3.1: `{int, int, [[int,?1],?0]}`."""
    assert PROGRAM["itself"].type() == "∀ n m. (p: i32[n, m]) → i32[n, m]"
    assert run("itself", np.zeros((0, 3))).shape == (0, 3)


def test_branches_of_different_sizes_have_the_size_of_the_one_taken():
    """Fig. 22: existential "by necessity"."""
    assert (len(run("chosen", 3, True)), len(run("chosen", 3, False))) == (3, 9)
    assert PROGRAM["chosen"].shape(p=3, c=False) == (9,)


def test_a_loop_may_change_sizes():
    """There is no rule for loops."""
    np.testing.assert_array_equal(run("grown", [7], 3), [7, 0, 1, 2])
    assert run("grown", [7], -1).shape == (1,)


def test_recursion_may_keep_sizes_or_change_them():
    assert PROGRAM["again"].type() == "∀ m. (n: i64, x: f64[m]) → f64[m]"
    np.testing.assert_array_equal(run("again", 12, [1, 2]), [1, 2])
    np.testing.assert_array_equal(run("longer", 2, [1, 2]), [1, 2, 1, 2, 1, 2])


def test_rows_of_an_empty_map_fit_to_what_they_are_joined_with():
    """With 0, this fails."""
    assert run("rejoined", np.zeros((0, 1))).shape == (0, 1)
    with pytest.raises(ShapeError, match="concat: the rows have 2 and 1 elements"):
        run("rejoined", np.zeros((0, 2)))
