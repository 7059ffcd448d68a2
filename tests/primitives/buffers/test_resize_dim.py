"""resize_dim: other extents for local buffers, and circular buffers."""

from __future__ import annotations

import random

import pytest

from tests.fuzz.refine import refinement_failure
from tests.primitives.buffers.lifetime_programs import random_program
from tests.primitives.equivalence import assert_body, assert_equivalent, assert_refines, parse
from usl_core.equivalence import Relation
from usl_core.errors import SchedulingError, UsageError
from usl_core.primitives.buffers.resize_dim import resize_dim

SHIFTED = """
    def f(n: size, x: R[n], y: R[n]):
        t: R[n + 4]
        for i in seq(0, n):
            t[i + 2] = x[i]
        for i in seq(0, n):
            y[i] = t[i + 2]
"""

BLUR = """
    def blur(H: size, W: size, src: R[H + 2, W], dst: R[H, W]):
        b: R[H + 2, W]
        for yy in seq(0, 2):
            for x in seq(0, W):
                b[yy, x] = 2.0 * src[yy, x]
        for y in seq(0, H):
            for x in seq(0, W):
                b[y + 2, x] = 2.0 * src[y + 2, x]
            for x in seq(0, W):
                dst[y, x] = b[y, x] + b[y + 1, x] + b[y + 2, x]
"""

RECOMPUTED = """
    def blur(H: size, W: size, src: R[H + 2, W], dst: R[H, W]):
        b: R[H + 2, W]
        for y in seq(0, H):
            for yy in seq(0, 3):
                for x in seq(0, W):
                    b[y + yy, x] = 2.0 * src[y + yy, x]
            for x in seq(0, W):
                dst[y, x] = b[y, x] + b[y + 1, x] + b[y + 2, x]
"""


def test_resize_dim_shrinks_to_what_is_used():
    p = parse(SHIFTED)
    q = resize_dim(p, "t", 0, "n", 2)
    assert "t: R[n]" in str(q) and "t[i] = x[i]" in str(q) and "y[i] = t[i]" in str(q)
    assert q.forward(p.find("t[_] = _")) == q.find("t[_] = _")
    assert q.forward(p.find("t[_] = _").rhs()) == q.find("t[_] = _").rhs()
    assert q.history()[-1].relation is Relation.EQUAL
    assert_equivalent(p, q)


def test_resize_dim_grows_in_both_directions():
    p = parse(SHIFTED)
    q = resize_dim(p, "t", 0, "n + 8", -3)
    assert "t: R[n + 8]" in str(q) and "t[i + 5] = x[i]" in str(q)
    assert_equivalent(p, q)


def test_resize_dim_refuses_to_lose_an_access_and_shows_values():
    p = parse(SHIFTED)
    with pytest.raises(
        SchedulingError, match=r"cannot prove that the access t\[i \+ 2\] = x\[i\] lies in \[3, n \+ 3\)"
    ) as caught:
        resize_dim(p, "t", 0, "n", 3)
    assert "counter-example: i = 0" in str(caught.value) and caught.value.code == "E412"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((1, 4, 0), "there is no dimension 1"),
        ((0, "n - 1", 2), "the new extent may be below 1"),
        ((0, "m", 2), "m"),
        ((0, "n", 2, 1), "fold must be True or False"),
        ((0, "n", 2, True), "a literal number of places, not n"),
    ],
)
def test_resize_dim_refuses_wrong_arguments(args: tuple[object, ...], message: str):
    with pytest.raises(UsageError if "True or" in message else SchedulingError, match=message):
        resize_dim(parse(SHIFTED), "t", *args)  # type: ignore[arg-type]


def test_resize_dim_moves_windows_and_proves_calls_again():
    g = parse("def g(x: [R][4]):\n    assert stride(x, 0) == 1\n    x[0] = 1.0")
    p = parse("def f(y: R[1]):\n    t: R[16, 16]\n    g(t[3, 8:12])\n    y[0] = t[3, 8]", g=g)
    q = resize_dim(p, "t", 1, 4, 8)
    assert "g(t[3, 0:4])" in str(q)
    assert_equivalent(p, resize_dim(q, "t", 0, 1, 3))


def test_resize_dim_of_a_clamped_index():
    p = parse("""
        def f(n: size, x: u8[n], y: i32[1]):
            t: i32[20]
            for i in seq(0, 20):
                t[i] = 0
            for i in seq(0, n):
                t[idx(x[i], 4, 8)] += 1
            y[0] = t[6]
    """)
    with pytest.raises(SchedulingError, match="cannot prove that the access t"):
        resize_dim(p, "t", 0, 4, 4)
    q = resize_dim(p, "t", 0, 32, -4)
    assert "t[idx(x[i], 4, 8) + 4] += 1" in str(q)
    assert_equivalent(p, q)


@pytest.mark.parametrize("fold", [False, True])
def test_resize_dim_refuses_whole_arguments_and_strides(fold: bool):
    h = parse("def h(x: R[4, 4]):\n    x[0, 0] = 1.0")
    p = parse("def f():\n    t: R[4, 4]\n    h(t)", h=h)
    with pytest.raises(SchedulingError, match="passed whole to a call"):
        resize_dim(p, "t", 0, 8, 0, fold=fold)
    p = parse("def f():\n    t: R[4, 4]\n    if stride(t, 0) == 4:\n        t[0, 0] = 1.0")
    with pytest.raises(SchedulingError, match="depends on strides of t"):
        resize_dim(p, "t", 0, 8, 0, fold=fold)


def test_resize_dim_refuses_formals():
    with pytest.raises(SchedulingError, match="an allocation is wanted"):
        resize_dim(parse(SHIFTED), "x", 0, 4, 0)


# ---- folding


def test_fold_makes_a_circular_buffer_of_a_sliding_window():
    p = parse(BLUR)
    q = resize_dim(p, "b", 0, 3, 0, fold=True)
    assert_body(
        q,
        """
        b: R[3, W]
        for yy in seq(0, 2):
            for x in seq(0, W):
                b[yy, x] = 2.0 * src[yy, x]
        for y in seq(0, H):
            for x in seq(0, W):
                b[(y + 2) % 3, x] = 2.0 * src[y + 2, x]
            for x in seq(0, W):
                dst[y, x] = b[y % 3, x] + b[(y + 1) % 3, x] + b[(y + 2) % 3, x]
        """,
    )
    assert q.forward(p.find("dst[_] = _")) == q.find("dst[_] = _")
    assert q.history()[-1].relation is Relation.REFINES
    assert_refines(p, q)
    assert_refines(p, resize_dim(p, "b", 0, 4, 1, fold=True))


def test_fold_of_two_rows_overwrites_the_oldest():
    p = parse(BLUR)
    with pytest.raises(
        SchedulingError, match="an element of b is overwritten by another one while it is still needed"
    ) as caught:
        resize_dim(p, "b", 0, 2, 0, fold=True)
    text = str(caught.value)
    assert caught.value.code == "E417"
    assert "then its place is written in: b[y + 2, x] = 2.0 * src[y + 2, x]" in text
    assert "then the value is read in: b[y, x]" in text
    assert "counter-example: yy = 1" in text
    folded = BLUR.replace("b: R[H + 2, W]", "b: R[2, W]")
    for row in ("y", "y + 1", "y + 2"):
        folded = folded.replace(f"b[{row}, x]", f"b[({row}) % 2, x]")
    assert refinement_failure(p.ir, parse(folded).ir, random.Random(0)) is not None


def test_fold_accepts_rows_that_are_computed_again_in_each_iteration():
    p = parse(RECOMPUTED)
    q = resize_dim(p, "b", 0, 3, 0, fold=True)
    assert "b[(y + yy) % 3, x] = 2.0 * src[y + yy, x]" in str(q)
    assert_refines(p, q)
    with pytest.raises(SchedulingError, match="with 2 places in dimension 0"):
        resize_dim(p, "b", 0, 2, 0, fold=True)


def test_fold_inside_a_loop_over_tiles_whose_values_do_not_cross():
    p = parse("""
        def f(n: size, x: R[3, n + 1], y: R[3, n]):
            b: R[n + 1]
            for t in seq(0, 3):
                b[0] = x[t, 0]
                for i in seq(0, n):
                    b[i + 1] = x[t, i + 1]
                    y[t, i] = b[i] - b[i + 1]
    """)
    q = resize_dim(p, "b", 0, 2, 0, fold=True)
    assert "y[t, i] = b[i % 2] - b[(i + 1) % 2]" in str(q)
    assert_refines(p, q)


def test_fold_sees_a_value_that_lives_into_the_next_iteration():
    p = parse("""
        def f(n: size, x: R[n], y: R[n]):
            b: R[n + 2]
            b[0] = 0.0
            for i in seq(0, n):
                y[i] = b[i]
                b[i + 1] = x[i]
    """)
    assert_refines(p, resize_dim(p, "b", 0, 1, 0, fold=True))
    late = parse("""
        def f(n: size, x: R[n], y: R[n]):
            b: R[n + 2]
            b[0] = 0.0
            for i in seq(0, n):
                b[i + 1] = x[i]
                y[i] = b[i]
    """)
    with pytest.raises(SchedulingError, match="with 1 places"):
        resize_dim(late, "b", 0, 1, 0, fold=True)
    assert_refines(late, resize_dim(late, "b", 0, 2, 0, fold=True))


def test_fold_counts_a_reduction_as_a_read():
    p = parse("""
        def f(n: size, x: R[n], y: R[n]):
            b: R[n]
            for i in seq(0, n):
                b[i] = x[i]
            for i in seq(0, n):
                b[i] += 1.0
    """)
    with pytest.raises(SchedulingError, match="while it is still needed") as caught:
        resize_dim(p, "b", 0, 4, 0, fold=True)
    assert "then the value is read in: b[i] += 1.0" in str(caught.value)


def test_fold_sees_values_through_windows_and_in_calls():
    g = parse("def g(dst: [R][4], src: [R][4]):\n    for i in seq(0, 4):\n        dst[i] = src[i]")
    p = parse(
        """
        def f(n: size, x: R[n + 1, 4], y: R[n, 4]):
            b: R[n + 1, 4]
            g(b[0, 0:4], x[0, 0:4])
            for i in seq(0, n):
                old = b[i, 0:4]
                g(b[i + 1, 0:4], x[i + 1, 0:4])
                g(y[i, 0:4], old)
        """,
        g=g,
    )
    q = resize_dim(p, "b", 0, 2, 0, fold=True)
    assert "old = b[i % 2, 0:4]" in str(q) and "g(b[(i + 1) % 2, 0:4], x[i + 1, 0:4])" in str(q)
    assert_refines(p, q)
    with pytest.raises(SchedulingError, match="with 1 places") as caught:
        resize_dim(p, "b", 0, 1, 0, fold=True)
    assert "g(y[i, 0:4], old)" in str(caught.value)


def test_fold_refuses_an_order_inside_a_call_that_it_does_not_know():
    g = parse("def g(dst: [R][4], src: [R][4]):\n    for i in seq(0, 4):\n        dst[i] = src[i]")
    p = parse("""
        def f(x: R[4]):
            b: R[8, 4]
            for i in seq(0, 4):
                b[0, i] = x[i]
            g(b[4, 0:4], b[0, 0:4])
            for i in seq(0, 4):
                x[i] = b[4, i]
    """, g=g)  # fmt: skip
    with pytest.raises(SchedulingError, match="with 4 places"):
        resize_dim(p, "b", 0, 4, 0, fold=True)
    assert_refines(p, resize_dim(p, "b", 0, 3, 0, fold=True))


def test_fold_refuses_a_window_along_the_dimension():
    p = parse("def f(y: R[4]):\n    b: R[8]\n    w = b[0:4]\n    w[0] = 1.0\n    y[0] = w[0]")
    with pytest.raises(SchedulingError, match="spans several elements of dimension 0, which would wrap around"):
        resize_dim(p, "b", 0, 4, 0, fold=True)


def test_fold_refuses_unknown_elements():
    p = parse("""
        def f(n: size, x: u8[n], y: i32[n]):
            b: i32[8]
            for i in seq(0, 8):
                b[i] = 0
            for i in seq(0, n):
                b[idx(x[i], 0, 8)] += 1
    """)
    with pytest.raises(SchedulingError, match="while it is still needed"):
        resize_dim(p, "b", 0, 4, 0, fold=True)
    q = resize_dim(p, "b", 0, 8, 1, fold=True)
    assert "b[(idx(x[i], 0, 8) - 1) % 8] += 1" in str(q)
    assert_refines(p, q)


def test_fold_refuses_to_let_parallel_iterations_share_an_element():
    p = parse("""
        def f(n: size, x: R[n], y: R[n]):
            b: R[n]
            for i in par(0, n):
                b[i] = x[i]
                y[i] = b[i]
    """)
    with pytest.raises(SchedulingError, match="parallel loop i would share elements of b"):
        resize_dim(p, "b", 0, 2, 0, fold=True)


def test_what_is_folded_keeps_its_meaning():
    accepted = 0
    for seed in range(12):
        rng = random.Random(seed)
        p = random_program(rng)
        try:
            q = resize_dim(p, rng.choice("ab"), 0, rng.randint(1, 8), rng.choice((0, 1, -1)), fold=True)
        except SchedulingError:
            continue
        accepted += 1
        assert_refines(p, q, vectors=4)
    assert accepted >= 2
