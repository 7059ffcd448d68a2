"""A histogram and an argmax: indices and branches that depend on data, scheduled as far as that is legal."""

from __future__ import annotations

import numpy as np
import pytest

from demo.data_dependent import argmax_schedule, histogram_schedule
from demo.kernels import argmax, histogram
from tests.primitives.equivalence import assert_equivalent, parse
from usl_core.errors import BackendError, SchedulingError
from usl_core.primitives.loops.divide_loop import divide_loop
from usl_core.primitives.loops.fission import fission
from usl_core.primitives.loops.fuse import fuse
from usl_core.primitives.loops.parallelize_loop import parallelize_loop
from usl_core.primitives.loops.reorder_loops import reorder_loops
from usl_core.primitives.loops.shift_loop import shift_loop
from usl_core.primitives.loops.specialize import specialize

ROWS = parse("""
    def argmax_rows(m: size, n: size, x: f32[m, n], best: i32[m]):
        for r in seq(0, m):
            top: f32
            top = x[r, 0]
            best[r] = 0
            for i in seq(1, n):
                if x[r, i] > top:
                    top = x[r, i]
                    best[r] = i32(i)
    """)


def test_a_histogram_is_counted_in_parts():
    p = histogram_schedule(histogram, part=16)
    assert_equivalent(histogram, p, factor=16)
    count = p.jit()
    for n, bins in ((1, 1), (15, 4), (16, 3), (33, 7), (200, 10)):
        x = np.random.default_rng(n).integers(-2, bins + 2, n).astype(np.int32)
        found = np.full(bins, -1, np.int32)
        count(n, bins, x, found)
        np.testing.assert_array_equal(found, np.bincount(np.clip(x, 0, bins - 1), minlength=bins))


def test_counting_commutes_with_itself():
    p = divide_loop(histogram, "i", 4, ["io", "ii"], tail="cut")
    assert_equivalent(histogram, reorder_loops(p, "io ii"))


def test_counts_of_one_place_are_reductions_of_a_parallel_loop_that_c_has_no_form_for():
    p = parallelize_loop(histogram, "i")
    assert_equivalent(histogram, p)
    with pytest.raises(BackendError, match="reduce into one element of count"):
        p.c_code()


def test_bins_are_cleared_in_parallel_tiles_but_values_are_not_counted_twice():
    p = specialize(histogram, histogram.body(), ["bins >= 8 and n >= 8"])
    p = divide_loop(p, "b", 8, ["bo", "bi"], tail="shift_inwards")
    p = parallelize_loop(p, "bo")
    assert_equivalent(histogram, p, factor=8)
    with pytest.raises(SchedulingError, match="adds again when it runs again"):
        divide_loop(p, "i", 8, ["io", "ii"], tail="shift_inwards")


def test_a_place_that_depends_on_data_may_be_any():
    p = parse("""
        def foo(n: size, x: i32[n], a: i32[n], c: i32[n]):
            for i in seq(0, n):
                a[idx(x[i], 0, n)] = 1
            for j in seq(0, n):
                c[j] = a[j]
        """)
    with pytest.raises(SchedulingError, match="read before it is written"):
        fuse(p, "i", "j")
    q = parse("""
        def foo(n: size, x: i32[n], a: i32[n], c: i32[n]):
            for i in seq(0, n):
                a[i] = 1
                c[i] = a[idx(x[i], 0, i + 1)]
        """)
    assert_equivalent(q, fission(q, q.find("a = _").after()))


def test_an_argmax_is_unrolled_in_tiles():
    p = argmax_schedule(argmax, 4)
    assert_equivalent(argmax, p)
    find = p.jit()
    for n in (1, 2, 4, 5, 6, 9, 40):
        x = np.random.default_rng(n).integers(0, 9, n).astype(np.float32)
        best = np.zeros((), np.int32)
        find(n, x, best)
        assert int(best) == int(np.argmax(x))


def test_iterations_of_an_argmax_depend_on_each_other():
    with pytest.raises(SchedulingError, match=r"may interfere(.|\n)*top"):
        parallelize_loop(argmax, "i")
    p = specialize(shift_loop(argmax, "i", 0), "i", ["n >= 5"])
    with pytest.raises(SchedulingError, match=r"in the overlap(.|\n)*same location of top"):
        divide_loop(p, "i", 4, ["io", "ii"], tail="shift_inwards")


def test_rows_have_an_argmax_each_in_parallel_tiles_shifted_inwards():
    p = specialize(ROWS, ROWS.body(), ["m >= 4"])
    p = divide_loop(p, "r", 4, ["ro", "ri"], tail="shift_inwards")
    p = parallelize_loop(p, "ro")
    assert_equivalent(ROWS, p)
    find = p.jit()
    for m in (1, 3, 4, 5, 11):
        x = np.random.default_rng(m).integers(0, 50, (m, 13)).astype(np.float32)
        best = np.full(m, -1, np.int32)
        find(m, 13, x, best)
        np.testing.assert_array_equal(best, np.argmax(x, axis=1))
