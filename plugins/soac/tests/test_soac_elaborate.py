"""Elaboration: each rule, where it applies and where not, by the text of the sized core."""

from __future__ import annotations

from textwrap import dedent

import pytest

from usl_soac.decorators import parse_program
from usl_soac.errors import SoacError
from usl_soac.modes import Mode, Sized, sizes_of_program
from usl_soac.show import show_function

EXAMPLE = """\
@soac
def f(a: f64[N, M]) -> f64[2 * N]:
    sums, products = map(lambda x: (reduce(add, 0.0, x), reduce(mul, 1.0, x)), a)
    return concat(sums, products)

@soac
def main(A: f64[K, N, M]) -> f64[_]:
    return map(f, A)[5]
"""


def sized(text: str, name: str = "f") -> Sized:
    """A function of a text, after elaboration."""
    return sizes_of_program(parse_program(dedent(text), "example.py")[name].core()).functions[name]


def terms(function: Sized) -> list[list[str | None]]:
    return [[None if term is None else str(term) for term in dims] for dims in function.done.terms]


def body(function: str) -> str:
    return dedent("\n".join(function.splitlines()[1:]))


# ---- the contract's examples


def test_the_running_example_of_the_paper_is_static_and_its_shape_is_one_operation():
    f, main = sized(EXAMPLE), sized(EXAMPLE, "main")
    assert (f.mode, main.mode) == (Mode.STATIC, Mode.STATIC)
    assert terms(f) == terms(main) == [["2*N"]]
    assert show_function(f.shape) == "fun f_shape : ∀ N M. (N: i64) → i64\n    k: i64 = 2 * N\n    k"
    assert show_function(main.shape) == "fun main_shape : ∀ K N M. (N: i64) → i64\n    k: i64 = 2 * N\n    k"
    # The map is invariant: no test of regularity, which the paper's last form still has.
    assert "irregular" not in show_function(main.ext)
    assert show_function(main.ext).count("assert") == 1


def test_the_value_slice_takes_the_size_and_has_no_code_for_it():
    text = show_function(sized(EXAMPLE).value)
    assert text.splitlines()[0] == "fun f_value : ∀ N M. (res: i64, N: i64, M: i64, a: f64[N, M]) → f64[res]"
    assert "t_9: f64[res] = concat(sums, products)" in text and "2 * N" not in text


def test_the_whole_returns_its_sizes_first():
    text = show_function(sized(EXAMPLE).ext)
    assert text.splitlines()[0] == "fun f_ext : ∀ N M. (N: i64, M: i64, a: f64[N, M]) → ∃ k. i64, f64[k]"
    assert text.splitlines()[-1] == "    k_2, t_9"


def test_a_map_whose_sizes_depend_on_elements_is_predicted_by_a_cheap_slice():
    f = sized("@soac\ndef f(ns: i64[K]) -> f64[_, _]:\n    return map(lambda n: replicate(n, 1.0), ns)")
    assert f.mode is Mode.INTERLEAVED or f.mode is Mode.SLICED
    text = show_function(f.ext)
    assert "r: i64 = if empty:" in text and "regular: bool = reduce((True,), alike, commutative)" in text
    assert "irregular map" in text


def test_a_recursive_function_whose_result_keeps_its_shape_is_static():
    g = sized(
        """\
        @soac
        def f(n: i64, x: f64[N]) -> f64[_]:
            return x if n == 0 else map(lambda y: f(n - 1, y), replicate(1, x))[0]
        """
    )
    assert g.mode is Mode.STATIC and terms(g) == [["N"]]
    assert "irregular" not in show_function(g.ext)


def test_a_recursive_function_that_grows_returns_its_size():
    h = sized("@soac\ndef f(n: i64, x: f64[N]) -> f64[_]:\n    return x if n == 0 else concat(x, f(n - 1, x))")
    assert h.mode is Mode.INTERLEAVED and terms(h) == [[None]]
    assert "f_ext(" in show_function(h.ext)


def test_a_branch_is_cut_so_that_its_size_is_known_before_and_computed_once():
    text = """\
        @soac
        def g(p: i64) -> i64:
            s = 0
            for i in range(p):
                s = s + i
            return s

        @soac
        def f(p: i64, c: bool) -> i64[_]:
            return iota(p) if c else iota(g(p))
        """
    shown = show_function(sized(text).ext)
    assert shown.count("g_value(") == 1
    lines = shown.splitlines()
    cut = next(i for i, line in enumerate(lines) if line.startswith("    k"))
    assert "g_value" in "".join(lines[cut : cut + 5]) and "i64[k_2] = <" in shown


def test_equal_branches_have_one_size_and_different_ones_a_defined_size():
    same = sized("@soac\ndef f(p: i64, c: bool) -> f64[_]:\n    return replicate(p, 1.0) if c else replicate(p, 2.0)")
    assert terms(same) == [["p"]]
    other = sized("@soac\ndef f(x: f64[n], y: f64[m], c: bool) -> f64[_]:\n    return x if c else y")
    assert other.mode is Mode.SLICED
    assert show_function(other.shape) == (
        "fun f_shape : ∀ n m. (n: i64, m: i64, c: bool) → i64\n    k: i64 = if c:\n        n\n    else:\n        m\n    k"
    )


def test_the_condition_of_a_branch_is_an_equation_in_it():
    f = sized("@soac\ndef f(x: f64[n], y: f64[m]) -> f64[m]:\n    return x if len(x) == len(y) else y")
    assert terms(f) == [["m"]] and "assert" not in show_function(f.ext)


def test_a_loop_keeps_shapes_that_its_body_keeps():
    f = sized(
        """\
        @soac
        def f(D: f64[n, n]) -> f64[n, n]:
            for k in range(len(D)):
                D = map(lambda row, dik: map(lambda a, b: min(a, dik + b), row, D[k]), D, D[:, k])
            return D
        """
    )
    assert terms(f) == [["n", "n"]] and "heads" not in show_function(f.ext)


def test_a_loop_that_adds_the_same_each_round_has_a_closed_form():
    f = sized(
        """\
        @soac
        def f(k: i64, xs: i64[n]) -> i64[_]:
            for i in range(k):
                xs = concat(xs, [i])
            return xs
        """
    )
    assert terms(f) == [["n + max(0, k)"]]


def test_a_loop_that_doubles_carries_its_size():
    f = sized("@soac\ndef f(k: i64, xs: i64[n]) -> i64[_]:\n    for i in range(k):\n        xs = concat(xs, xs)\n    return xs")
    assert f.mode is Mode.INTERLEAVED and terms(f) == [[None]]


def test_a_reduction_over_rows_tests_them_once():
    f = sized(
        """\
        @soac
        def f(A: f64[K, L], M: i64) -> f64[_]:
            return reduce(lambda a, b: map(add, a, b), replicate(M, 0.0), A)
        """
    )
    text = show_function(f.ext)
    assert terms(f) == [["M"]] and text.count("the neutral element has") == 1 and "the arrays have" not in text


def test_the_matrix_product_has_one_test_of_the_inner_dimension():
    f = sized(
        """\
        @soac
        def f(A: f64[n, m], B: f64[m, p]) -> f64[n, p]:
            return map(lambda r: map(lambda c: reduce(add, 0.0, map(mul, r, c)), transpose(B)), A)
        """
    )
    assert terms(f) == [["n", "p"]] and "assert" not in show_function(f.ext)


def test_filter_is_interleaved_and_a_map_of_filters_takes_sizes_from_the_first_row():
    f = sized("@soac\ndef f(A: f64[n, m]) -> f64[_, _]:\n    return map(lambda r: filter(lambda x: x > 0.0, r), A)")
    assert f.mode is Mode.INTERLEAVED
    assert "r: i64, " in show_function(f.ext)


# ---- errors


def test_sizes_that_differ_for_certain_are_refused():
    with pytest.raises(SoacError, match="3 and 4 elements") as caught:
        sized("@soac\ndef f(x: i64) -> i64[_, _]:\n    return concat(replicate(1, iota(3)), replicate(1, iota(4)))")
    assert caught.value.code == "E762" and caught.value.span is not None and caught.value.span.line == 3


def test_a_promise_that_terms_refute_is_refused():
    with pytest.raises(SoacError, match=r"promised") as caught:
        sized("@soac\ndef f(x: f64[n]) -> f64[n + 1]:\n    return x")
    assert caught.value.code == "E764"


def test_a_promise_that_may_hold_is_tested():
    f = sized("@soac\ndef f(x: f64[n], y: f64[m]) -> f64[2 * n]:\n    return concat(x, y)")
    assert terms(f) == [["2*n"]] and "is promised" in show_function(f.ext)


# ---- explanations and promises


def test_explain_says_of_each_dimension_why_and_of_each_test_where_it_went():
    text = """\
@soac
def f(x: f64[n], y: f64[m]) -> f64[_]:
    return filter(lambda v: v > 0.0, map(lambda i: x[i] + y[i], iota(len(x))))
"""
    assert parse_program(text, "example.py")["f"].explain().splitlines()[1:] == [
        "    interleaved: sizes of its results are known when it returns",
        "    dimension 0 is no term over the parameters",
        "        example.py:3:12: filter keeps as many rows as its predicate says",
        "    example.py:3:52: test, proved: index … is out of range: dimension 0 of x has … elements",
        "    example.py:3:59: test, once per call: index … is out of range: dimension 0 of y has … elements",
        "    example.py:3:65: test, proved: iota: the size … is negative",
    ]


@pytest.mark.parametrize(
    ("result", "left"),
    [
        ("map(lambda i: x[2 * i + 1], iota(k))", None),
        ("map(lambda v: v + x[k], x)", None),
        ("map(lambda v: x[i64(v)], x)", "example.py:4:26: for each element: index"),
        ("map(lambda v: reduce(add, 0.0, filter(lambda w: w > v, x)), x)", None),
    ],
)
def test_checked_once_is_a_promise_that_no_test_stays_for_each_element(result, left):
    text = f"@checked_once\n@soac\ndef f(x: f64[n], k: i64) -> f64[_]:\n    return {result}\n"
    program = parse_program(text, "example.py")["f"]
    if left is None:
        program.sized()
        return
    with pytest.raises(SoacError, match=left) as caught:
        program.sized()
    assert caught.value.code == "E765"


def test_a_broken_promise_of_static_sizes_says_what_gives_the_size():
    text = "@static_sizes\n@soac\ndef f(x: f64[n]) -> f64[_]:\n    y = filter(lambda v: v > 0.0, x)\n    return concat(y, y)\n"
    with pytest.raises(SoacError, match=r"example\.py:4:9: filter keeps"):
        parse_program(text, "example.py")["f"].sized()


def test_after_all_passes_only_the_row_that_is_used_is_computed():
    shown = parse_program(EXAMPLE, "example.py")["main"].show("hoisted")
    assert "fun f" not in shown and "A[5]" in shown and "f64[K" not in shown.split("\n", 1)[1]
