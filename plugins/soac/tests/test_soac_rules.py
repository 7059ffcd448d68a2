"""The rules of simplification and of moving tests: where each applies, where it does not, and over empty arrays."""

from __future__ import annotations

import numpy as np
import pytest
from soac_agree import compare

from usl_soac.decorators import parse_program


def hoisted(text: str, *runs: tuple[object, ...]) -> str:
    """The program after all passes; runs are compared with the interpreter."""
    program = parse_program(f"@soac\n{text}", "example.py")["f"]
    for args in runs:
        assert compare(program.core(), args).differences == []
    return program.show("hoisted")


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


NONE, THREE = np.zeros(0), np.arange(3.0)


# ---- arrays


def test_s1_an_element_of_a_map_is_its_function_of_the_element():
    text = hoisted(
        "def f(x: f64[n], i: i64) -> f64:\n    return map(lambda v: v + 1.0, x)[i]", (THREE, 1), (THREE, 3), (NONE, 0)
    )
    assert "map(" not in text and "assert(" in text


def test_s1_leaves_a_map_that_can_fail_or_is_used_twice():
    failing = hoisted("def f(x: f64[n], y: i64[n]) -> f64:\n    return map(lambda i: x[i], y)[0]", (THREE, ints(0, 9, 1)))
    assert "map(" in failing
    twice = "def f(x: f64[n]) -> tuple[f64, f64[n]]:\n    y = map(lambda v: v + 1.0, x)\n    return y[0], y"
    assert "map(" in hoisted(twice, (THREE,), (NONE,))


def test_s1_an_element_of_iota_is_its_index_and_one_of_replicate_the_value():
    text = hoisted("def f(n: i64, i: i64) -> i64:\n    return iota(n)[i] + replicate(n, 7)[i]", (3, 2), (3, 3), (0, 0), (-1, 0))
    assert "iota(" not in text.replace("'iota", "") and "replicate(n" not in text and text.count("assert(") >= 2


def test_s2_a_map_of_what_does_not_vary_is_replicate():
    text = hoisted("def f(x: f64[n], a: f64) -> f64[n]:\n    return map(lambda v: a * 2.0, x)", (THREE, 2.0), (NONE, 2.0))
    assert "map(" not in text and "replicate(n, " in text


@pytest.mark.parametrize(
    ("reduction", "left"),
    [
        ("reduce(and_, True, map(lambda v: k > 3, x))", False),
        ("reduce(or_, False, map(lambda v: k > 3, x))", False),
        ("reduce(add, 0, map(lambda v: k, x)) > 3", False),
        ("reduce(max, -9, map(lambda v: k, x)) > 3", False),
        ("reduce(min, 9, map(lambda v: k, x)) > 3", False),
        ("reduce(mul, 1, map(lambda v: k, x)) > 3", True),
        ("reduce(add, 0.0, map(lambda v: f64(k), x)) > 3.0", True),
    ],
)
def test_s3_a_reduction_of_equal_elements_is_one_operation(reduction, left):
    text = hoisted(f"def f(x: f64[n], k: i64) -> bool:\n    return {reduction}", (THREE, 4), (THREE, 2), (NONE, 4), (NONE, 2))
    assert ("reduce(" in text) == left


def test_s4_an_array_that_is_only_measured_is_not_made():
    text = hoisted(
        "def f(x: f64[n], y: f64[m]) -> i64:\n    return len(map(lambda v: v + 1.0, concat(x, y)))", (THREE, NONE), (NONE, NONE)
    )
    assert "concat(" not in text and "map(" not in text


# ---- tests


def test_h1_a_test_that_a_condition_around_it_says_is_left_out():
    text = hoisted("def f(x: f64[n]) -> f64:\n    return x[0] if 0 < len(x) else 0.0", (THREE,), (NONE,))
    assert "assert" not in text
    assert "assert" in hoisted("def f(x: f64[n]) -> f64:\n    return x[0] if 0 <= len(x) else 0.0", (THREE,), (NONE,))


@pytest.mark.parametrize("condition", ["k >= 0 and x[0] > 0.0 and k < n", "not (k < 0 or x[0] <= 0.0 or k >= n)"])
def test_h1_what_is_said_beside_a_condition_that_can_fail_counts(condition):
    runs = [(THREE + 1, 1), (THREE + 1, 3), (THREE, 1), (NONE, 0), (THREE + 1, -1)]
    text = hoisted(f"def f(x: f64[n], k: i64) -> f64:\n    assert {condition}\n    return x[k]", *runs)
    assert text.count("x[k]") == 1 and text.count("'index") == 1, "that of x[0]"
    branch = hoisted(f"def f(x: f64[n], k: i64) -> f64:\n    return x[k] if {condition} else 0.0", *runs)
    assert branch.count("'index") == 1
    other = f"def f(x: f64[n], k: i64) -> f64:\n    return 0.0 if {condition} else x[k]"
    assert hoisted(other, *runs).count("'index") == 2


def test_h1_an_equation_with_what_only_a_condition_computes_is_not_known_outside_of_it():
    text = "def f(x: i64[n], k: i64) -> i64[k]:\n    assert n > 0 and n == x[0] and k == x[0]\n    return x"
    hoisted(text, (ints(2, 5), 2), (ints(2, 5), 3), (ints(3, 5), 3), (ints(), 0))


def test_h1_a_second_test_of_the_same_is_left_out():
    text = hoisted("def f(x: f64[n], i: i64) -> f64:\n    return x[i] + x[i] * x[i + 0]", (THREE, 2), (THREE, 3), (NONE, 0))
    assert text.count("assert(") == 1


def test_h2_a_test_that_does_not_vary_is_made_before_the_map():
    text = hoisted(
        "def f(x: f64[n], y: f64[m], k: i64) -> f64[n]:\n    return map(lambda v: v + y[k], x)",
        (THREE, THREE, 1),
        (THREE, THREE, 9),
        (NONE, NONE, 0),
    )
    assert text.index("assert(") < text.index("map(")
    # Without elements nothing is tested.
    assert "empty" in text


def test_h2_the_guard_of_a_branch_becomes_part_of_the_test():
    text = hoisted(
        "def f(x: f64[n], y: f64[m], k: i64, c: bool) -> f64[n]:\n    return map(lambda v: y[k] if c else v, x)",
        (THREE, THREE, 1, True),
        (THREE, THREE, 9, True),
        (THREE, THREE, 9, False),
        (NONE, NONE, 0, True),
    )
    assert text.index("assert(") < text.index("map(")


def test_h2_a_test_under_a_condition_on_an_element_stays():
    text = hoisted(
        "def f(x: f64[n], y: f64[m], k: i64) -> f64[n]:\n    return map(lambda v: y[k] if v > 1.0 else v, x)",
        (THREE, THREE, 1),
        (THREE, THREE, 9),
        (NONE, NONE, 0),
        (np.zeros(2), NONE, 5),
    )
    assert text.index("assert(") > text.index("map(")


def test_h2_the_test_of_a_while_stays_as_there_may_be_no_round():
    loop = "def f(x: f64[n], k: i64, s: f64) -> f64:\n    while s < 3.0:\n        s += x[k] + 1.0\n    return s"
    text = hoisted(loop, (THREE, 1, 0.0), (THREE, 9, 0.0), (THREE, 9, 5.0))
    assert text.index("assert(") > text.index("while:")


@pytest.mark.parametrize(
    ("index", "ends"), [("i", True), ("2 * i + 1", True), ("k - 1 - i", True), ("i * i", False), ("5000 * i", False)]
)
def test_h3_an_affine_index_is_tested_in_the_first_and_the_last_round(index, ends):
    loop = f"def f(x: f64[n], k: i64) -> f64:\n    s = 0.0\n    for i in range(k):\n        s += x[{index}]\n    return s"
    text = hoisted(loop, *((THREE, k) for k in (-1, 0, 1, 2, 3, 4)), (NONE, 0), (NONE, 1))
    assert (text.index("assert(") < text.index("loop (")) == ends


def test_h3_indices_that_would_wrap_are_found():
    loop = "def f(x: f64[n], b: i64) -> f64:\n    s = 0.0\n    for i in range(4):\n        s += x[2 * i + b]\n    return s"
    hoisted(loop, (np.arange(9.0), 1), (np.arange(9.0), 2**63 - 4), (np.arange(9.0), -(2**63)), (np.arange(9.0), 3), (NONE, 0))


def test_h3_a_loop_that_may_end_early_keeps_its_tests():
    loop = (
        "def f(x: f64[n], k: i64) -> f64:\n    s = 0.0\n    for i in range(k):\n"
        "        s += x[i]\n        if s > 0.5:\n            break\n    return s"
    )
    text = hoisted(loop, (THREE, 9), (np.zeros(3), 9), (NONE, 0))
    assert text.index("assert(") > text.index("loop (")


@pytest.mark.parametrize("head", ["iota(0)", "x[:0]", "replicate(0, 1)"])
def test_h2_a_test_in_a_map_over_nothing_is_not_made(head):
    text = f"""def f(x: i64[n]) -> i64:
    def inner(e):
        assert False, "never"
        return e
    def outer(r):
        return len(map(inner, {head}))
    return reduce(add, 0, map(outer, x))"""
    hoisted(text, (ints(1, 2),), (ints(),))


def test_h2_a_guard_that_is_known_weakens_a_test_only_where_its_body_is_not_evaluated():
    for head, rounds in (("iota(2)", 2), ("iota(0)", 0)):
        text = f"""def f(x: i64[n], k: i64) -> i64:
    def inner(e):
        assert k > 0, "k"
        return e
    for i in range({rounds}):
        assert k > 1, "more"
    return len(map(inner, {head}))"""
        hoisted(text, (ints(1), 0), (ints(1), 1), (ints(1), 2))


def test_an_array_of_a_branch_follows_its_size_which_is_the_same_in_both():
    text = """def f(p: i64, c: bool, x: i64[n]) -> i64[_, _]:
    v = g(x)
    return replicate(n, v) if c else replicate(p, g(x))

@soac
def g(x: i64[n]) -> i64[_]:
    return filter(lambda v: v > 1, x)"""
    hoisted(text, (2, True, ints(1, 2, 3)), (2, False, ints(1, 2, 3)), (0, True, ints()))
