"""Where Henriksen 2014 errs or leaves something open, as far as sizes go: for each place the example that shows it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from soac_agree import compare

from usl_soac.core import Const
from usl_soac.decorators import Function, parse_program
from usl_soac.errors import SoacError
from usl_soac.scalars import I64
from usl_soac.sized_interp import SizedInterpreter, Unguarded


def soac(text: str, name: str = "f") -> Function:
    return parse_program(text, "example.py")[name]


def run(text: str, *args: object):
    """What the interpreter gives, which every form of the sized core must give too."""
    result = compare(soac(text).core(), args)
    assert result.differences == []
    return result.expected


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def test_figure_5_an_index_is_of_as_many_dimensions_as_are_left_out_of_the_result():
    text = "@soac\ndef f(x: i64[a, b, c], i: i64, j: i64) -> i64[_]:\n    return x[i, j]"
    assert soac(text).type().endswith("i64[c]")
    cube = np.arange(8).reshape(2, 2, 2)
    assert run(text, cube, 1, 0).results[0].tolist() == [4, 5]
    assert run(text, cube, 0, 2).failure == run(text, np.zeros((0, 2, 2), "i8"), 0, 0).failure == "IndexError"


def test_figure_4_scan_has_the_length_of_its_argument_and_the_rows_of_its_neutral_element():
    text = (
        "@soac\ndef f(A: f64[K, L], M: i64) -> f64[_, _]:\n    return scan(lambda a, b: map(add, a, b), replicate(M, 0.0), A)"
    )
    assert run(text, np.ones((2, 3)), 3).results[0].tolist() == [[1.0] * 3, [2.0] * 3]
    assert run(text, np.ones((0, 3)), 3).results[0].shape == (0, 3)
    assert run(text, np.ones((0, 3)), 2).failure == "ShapeError"


def test_figure_8_the_whole_returns_the_size_of_a_row_with_the_row():
    text = "@soac\ndef f(A: f64[K, N, M]) -> f64[_]:\n    return map(lambda a: map(lambda r: r[0], a), A)[5]"
    shown = soac(text).show("ext")
    assert shown.startswith("fun f_ext : ∀ K N M. (K: i64, N: i64, M: i64, A: f64[K, N, M]) → ∃ k. i64, f64[k]")
    assert run(text, np.ones((6, 2, 1))).results[0].shape == (2,)


def test_section_3_1_1_a_value_whose_sizes_are_not_those_of_its_shape_is_noticed():
    this = soac("@soac\ndef f(n: i64) -> i64[_]:\n    return concat(iota(n if n > 2 else 2), [9])")
    sized = this.sized()
    both = sized.functions["f"]
    machine = SizedInterpreter(sized.program())
    assert machine.apart(both.shape, both.value, [4])[0].tolist() == [0, 1, 2, 3, 9]
    wrong = replace(both.shape, body=replace(both.shape.body, results=(Const(7, I64),)))
    with pytest.raises(Unguarded):
        machine.apart(wrong, both.value, [4])


def test_figure_16_a_function_of_elements_gives_its_sizes_with_its_rows_where_they_are_not_cheap():
    text = "@soac\ndef f(A: i64[K, L]) -> i64[_, _]:\n    return map(lambda r: concat(filter(lambda v: v > 0, r), [1]), A)"
    assert "map(A) \\" in soac(text).show("ext") and soac(text).type().count("∃") == 1
    assert run(text, np.array([[1, 0], [0, 1]])).results[0].tolist() == [[1, 1], [1, 1]]
    assert "element 1 gives i64[3], element 0 gave i64[2]" in run(text, np.array([[1, 0], [1, 1]])).text
    assert run(text, np.zeros((0, 2), "i8")).results[0].shape == (0, 0)


def test_figure_20_filter_gives_the_number_of_rows_first():
    text = "@soac\ndef f(x: i64[n, m]) -> i64[_, m]:\n    return filter(lambda r: reduce(add, 0, r) > 1, x)"
    assert "k_3: i64, t: i64[k_3, m] = filter(x)" in soac(text).show("ext")
    assert run(text, np.ones((3, 2), "i8")).results[0].shape == (3, 2)
    assert run(text, np.ones((3, 0), "i8")).results[0].shape == (0, 0)


def test_figure_3_concat_is_along_the_outermost_dimension():
    assert (
        soac("@soac\ndef f(x: i64[a, b], y: i64[c, b]) -> i64[_, _]:\n    return concat(x, y)").type().endswith("i64[a + c, b]")
    )


def test_section_2_3_sizes_may_be_0_and_split_is_at_most_the_length():
    text = "@soac\ndef f(x: i64[n], k: i64) -> tuple[i64[_], i64[_]]:\n    return split(x, k)"
    assert [each.shape for each in run(text, ints(1, 2), 0).results] == [(0,), (2,)]
    assert [each.shape for each in run(text, ints(1, 2), 2).results] == [(2,), (0,)]
    assert run(text, ints(1, 2), 3).failure == run(text, ints(1, 2), -1).failure == "IndexError"


def test_section_2_3_filter_may_keep_all():
    assert run("@soac\ndef f(x: i64[n]) -> i64[_]:\n    return filter(lambda v: v > 0, x)", ints(1, 2)).results[0].shape == (2,)


def test_figure_6_results_have_terms_over_numbers_among_the_parameters():
    assert soac("@soac\ndef f(n: i64) -> i64[_]:\n    return iota(2 * n)").type() == "(n: i64) → i64[2*n]"


def test_figures_9_and_10_the_guard_is_of_the_array_that_is_read():
    text = "@soac\ndef f(ns: i64[K], x: f64[N]) -> f64[_, _]:\n    return map(lambda n: replicate(n, 1.0), ns)"
    # K is 0 and N is not: nothing may be read.
    assert run(text, ints(), np.ones(3)).results[0].shape == (0, 0)


def test_figure_9_a_shape_takes_only_what_it_uses():
    text = "@soac\ndef f(a: f64[N, M]) -> f64[_]:\n    return concat(map(lambda r: r[0], a), map(lambda r: r[1], a))"
    assert soac(text).show("slices").startswith("fun f_shape : ∀ N M. (N: i64) → i64\n")


def test_figure_11_a_call_is_guarded_by_the_tests_of_its_arguments():
    text = """\
@soac
def dot(x: f64[n], y: f64[n]) -> f64:
    return reduce(add, 0.0, map(mul, x, y))

@soac
def f(x: f64[n], y: f64[m]) -> f64:
    return dot(x, y)
"""
    assert "<c> dot_value(" in soac(text).show("ext")
    assert "y has 2 elements, but n is 3 (from x, dimension 0)" in run(text, np.ones(3), np.ones(2)).text


def test_figure_14_sizes_are_passed_before_the_arrays_whose_types_need_them():
    assert (
        soac("@soac\ndef f(x: f64[n]) -> f64[_]:\n    return filter(lambda v: v > 0.0, x)")
        .show("ext")
        .startswith("fun f_ext : ∀ n. (n: i64, x: f64[n])")
    )


def test_figure_18_regularity_of_nothing_needs_no_first_element():
    text = "@soac\ndef f(ns: i64[K]) -> i64[_, _]:\n    return map(lambda n: iota(n), ns)"
    assert run(text, ints()).results[0].shape == (0, 0)
    assert "map(" in soac(text).show("sizes") and "rotate" not in soac(text).show("sizes")


def test_figure_21_the_neutral_element_is_tested_against_the_rows_even_if_there_are_none():
    text = "@soac\ndef f(A: f64[K, L], M: i64) -> f64[_]:\n    return reduce(lambda a, b: map(add, a, b), replicate(M, 0.0), A)"
    assert run(text, np.ones((2, 3)), 3).results[0].shape == (3,)
    assert run(text, np.ones((2, 3)), 2).failure == "ShapeError"
    assert run(text, np.ones((0, 3)), 2).failure == "ShapeError"


def test_section_3_4_empty_arrays_have_the_rows_of_their_function():
    text = "@soac\ndef f(A: f64[K, N, M]) -> f64[_, _]:\n    return map(lambda a: concat(a[:, 0], a[:, 0]), A)"
    assert run(text, np.ones((0, 3, 1))).results[0].shape == (0, 6)


def test_section_4_a_test_stays_although_its_value_is_not_used():
    text = "@soac\ndef f(x: f64[n], i: i64) -> i64:\n    y = x[i]\n    return len(x)"
    assert run(text, np.ones(2), 5).failure == "IndexError"
    assert "assert(" in soac(text).show("hoisted")


def test_figure_22_a_branch_is_cut_where_the_paper_returns_its_size():
    text = """\
@soac
def g(p: i64) -> i64:
    s = 0
    for i in range(p):
        s += i
    return s

@soac
def f(p: i64, c: bool) -> i64[_]:
    a = iota(p) if c else iota(g(p))
    return a
"""
    shown = soac(text).show("sizes")
    assert shown.count("g_value(") == 1 and shown.index("g_value(") < shown.index("iota(p")
    assert run(text, 4, False).results[0].shape == (6,)


def test_the_cost_model_counts_constructors_of_arrays_too():
    # The slice has no loop and no recursion, but makes an array.
    text = "@soac\ndef f(n: i64, k: i64) -> f64[_]:\n    return replicate(iota(n)[k] + reduce(add, 0, iota(n)), 1.0)"
    with pytest.raises(SoacError, match="sliced"):
        soac("@sliced\n" + text).type()
    assert run(text, 3, 1).results[0].shape == (4,)


SAME_FOR_ALL = ["reduce(add, 0, replicate(2, k)) % 4", "map(lambda v: v + k, iota(3))[1]", "replicate(k, 3)[0]"]


@pytest.mark.parametrize("size", SAME_FOR_ALL)
def test_section_3_4_rows_of_nothing_have_a_size_that_arrays_give_which_are_the_same_for_all(size):
    text = f"@soac\ndef g(k: i64) -> i64[_]:\n    return iota({size})\n\n"
    text += "@soac\ndef f(x: i64[n], k: i64) -> i64[_, _]:\n    return map(lambda v: g(k), x)"
    full, nothing = (run(text, ints(*values), 3).results[0].shape for values in ((5, 6), ()))
    assert nothing == (0, full[1])
