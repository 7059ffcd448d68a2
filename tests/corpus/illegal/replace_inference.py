"""Illegal steps of `replace` whose arguments would come from facts that do not hold at the place."""

from __future__ import annotations

from tests.corpus.callees import CONFIGURED
from tests.corpus.case import Illegal, Malformed, Wrong
from tests.corpus.legal.replace_inference import (
    AXPY4,
    CLEAR2,
    FILL,
    FIRST,
    GATHER,
    HISTOGRAM,
    LENGTH,
    PASSES_WHOLE,
    RANGE,
    SCALE,
    UNUSED,
)
from usl_core.scheduling import replace

CASES = [
    Illegal(
        "replace",
        "a_size_that_the_other_branch_fixes",
        "m: size, x: f32[m + 2]",
        """
        if m == 2:
            x[0] = 1.0
        else:
            for i in seq(0, m):
                x[i] = 0.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.clear2),
        "E430",
        "the control expressions differ",
        Wrong("""
        if m == 2:
            x[0] = 1.0
        else:
            clear2(x[0:2])
        """),
        callees=(CLEAR2,),
    ),
    Illegal(
        "replace",
        "a_row_that_another_iteration_fixes",
        "x: f32[4, 4]",
        """
        for j in seq(0, 4):
            if j == 2:
                x[j, 3] = 1.0
            for i in seq(0, j):
                x[j, i] = 0.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.clear2),
        "E430",
        "the control expressions differ",
        Wrong("""
        for j in seq(0, 4):
            if j == 2:
                x[j, 3] = 1.0
            clear2(x[j, 0:2])
        """),
        callees=(CLEAR2,),
    ),
    Illegal(
        "replace",
        "a_size_whose_bounds_do_not_meet",
        "n: size, x: f32[2 * n]",
        """
        assert (n + 1) / 2 == 1
        for i in seq(n, n + n):
            x[i] = 0.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.clear2),
        "E430",
        "clear2 does not match the block",
        Wrong("clear2(x[0:2])"),
        callees=(CLEAR2,),
        factor=2,
    ),
    Illegal(
        "replace",
        "a_name_that_is_bound_again",
        "x: f32[4, 4]",
        """
        for j in seq(0, 4):
            if j == 2:
                for j in seq(0, 4):
                    for i in seq(0, j):
                        x[j, i] = 0.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.clear2),
        "E430",
        "the control expressions differ",
        Wrong("""
        for j in seq(0, 4):
            if j == 2:
                for j in seq(0, 4):
                    clear2(x[j, 0:2])
        """),
        callees=(CLEAR2,),
    ),
    Illegal(
        "replace",
        "operands_of_a_difference_in_the_other_order",
        "x: f32[8], y: f32[8], s: f32",
        """
        for i in seq(0, 4):
            x[i] = y[i] - s
        """,
        lambda p, c: replace(p, "for i in _: _", c.less4),
        "E430",
        "less4 does not match the block",
        Wrong("less4(x[0:4], s, y[0:4])"),
        callees=("def less4(dst: [f32][4], a: f32, src: [f32][4]):\n    for k in seq(0, 4):\n        dst[k] = a - src[k]",),
    ),
    Illegal(
        "replace",
        "a_factor_that_changes_along_the_loop",
        "x: f32[8], y: f32[8], s: f32[4]",
        """
        for i in seq(0, 4):
            x[i] += y[i] * s[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.axpy4),
        "E430",
        "axpy4 does not match the block",
        Wrong("axpy4(x[0:4], s[0], y[0:4])"),
        callees=(AXPY4,),
    ),
    Illegal(
        "replace",
        "a_sum_into_another_target",
        "x: f32[8], y: f32[8], s: f32",
        """
        for i in seq(0, 4):
            x[i] = x[i + 1] + s * y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.axpy4),
        "E430",
        "the statements are of different kinds",
        Wrong("axpy4(x[0:4], s, y[0:4])"),
        callees=(AXPY4,),
    ),
    Illegal(
        "replace",
        "a_dense_formal_of_another_extent",
        "m: size, x: f32[m + 2]",
        """
        x[1] = 0.0
        """,
        lambda p, c: replace(p, "x[_] = _", c.first),
        "E410",
        "dimension 0 of window x[1:m + 3] may be out of bounds",
        Wrong("first(m + 2, x)"),
        callees=(FIRST,),
    ),
    Illegal(
        "replace",
        "limits_that_are_not_ordered_with_the_extent",
        "m: size, x: f32[m]",
        """
        for i in seq(1, m):
            x[m - i] = 0.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.clear_range),
        "E430",
        "clear_range does not match the block",
        Wrong("clear_range(0, m, m, x)"),
        callees=(RANGE,),
    ),
    Illegal(
        "replace",
        "a_formal_that_is_not_used_and_no_buffer_that_fits",
        "m: size, x: f32[4]",
        """
        for i in seq(0, 4):
            x[i] = 0.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.clear4),
        "E430",
        "the body does not determine the argument w of clear4",
        Malformed("clear4(1, 0, False, 0.0, x[0:2], x[0:4])", "E315"),
        callees=(UNUSED,),
    ),
    Illegal(
        "replace",
        "an_assertion_on_a_formal_that_is_not_used",
        "x: f32[4]",
        """
        for i in seq(0, 4):
            x[i] = 0.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.clear4),
        "E410",
        "may break its assertion u >= 2",
        Malformed("clear4(1, x[0:4])", "E310"),
        callees=("def clear4(u: size, dst: [f32][4]):\n    assert u >= 2\n    for k in seq(0, 4):\n        dst[k] = 0.0",),
    ),
    Illegal(
        "replace",
        "a_gather_clamped_to_another_range",
        "n: size, k: u8[n], t: i32[16], y: i32[n]",
        """
        for i in seq(0, n):
            y[i] = t[idx(k[i], 4, 16)]
        """,
        lambda p, c: replace(p, "for i in _: _", c.gather),
        "E430",
        "gather does not match the block",
        Wrong("gather(n, 16, k[0:n], t[0:16], y[0:n])"),
        callees=(GATHER,),
    ),
    Illegal(
        "replace",
        "a_histogram_of_other_data",
        "n: size, k: u8[n + 1], h: i32[8]",
        """
        for i in seq(0, n):
            h[idx(k[i] + k[i + 1], 0, 8)] += 1
        """,
        lambda p, c: replace(p, "for i in _: _", c.histogram),
        "E430",
        "histogram does not match the block",
        Wrong("histogram(n, k[0:n], h[0:8])"),
        callees=(HISTOGRAM,),
    ),
    Illegal(
        "replace",
        "another_window_passed_on",
        "m: size, x: f32[m + 1]",
        """
        fill(m, x[1:m + 1])
        x[0] = 0.0
        """,
        lambda p, c: replace(p, p.body(), c.whole),
        "E430",
        "no window of x explains all accesses to dst",
        Wrong("whole(m, x[1:m + 1])"),
        callees=(FILL, PASSES_WHOLE),
    ),
    Illegal(
        "replace",
        "a_scale_that_the_field_held_before",
        "q: f32, x: f32[4], y: f32[4]",
        """
        Reg.scale = q
        q = 3.0
        for i in seq(0, 4):
            x[i] = q * y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.scale4),
        "E430",
        "the expressions differ",
        Wrong("""
        Reg.scale = q
        q = 3.0
        scale4(x[0:4], y[0:4])
        """),
        callees=(SCALE,),
        scope=CONFIGURED,
    ),
    Illegal(
        "replace",
        "a_scale_after_a_write_of_the_field",
        "q: f32, r: f32, x: f32[4], y: f32[4]",
        """
        Reg.scale = q
        Reg.scale = r
        for i in seq(0, 4):
            x[i] = q * y[i]
        """,
        lambda p, c: replace(p, "for i in _: _", c.scale4),
        "E430",
        "the expressions differ",
        Wrong("""
        Reg.scale = q
        Reg.scale = r
        scale4(x[0:4], y[0:4])
        """),
        callees=(SCALE,),
        scope=CONFIGURED,
    ),
    Illegal(
        "replace",
        "a_scale_that_changes_inside_the_loop",
        "q: f32, x: f32[4], y: f32[4]",
        """
        Reg.scale = q
        for i in seq(0, 4):
            x[i] = q * y[i]
            q = 2.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.scale_and_set),
        "E430",
        "do not give the block back",
        Wrong("""
        Reg.scale = q
        scale_and_set(q, x[0:4], y[0:4])
        """),
        callees=(
            """
            def scale_and_set(q: f32, dst: [f32][4], src: [f32][4]):
                for i in seq(0, 4):
                    dst[i] = Reg.scale * src[i]
                    q = 2.0
            """,
        ),
        scope=CONFIGURED,
    ),
    Illegal(
        "replace",
        "a_size_that_the_field_does_not_hold_any_more",
        "m: size, x: f32[8]",
        """
        assert m <= 7
        Reg.len = m
        Reg.len = m + 1
        for i in seq(0, m):
            x[i] = 0.0
        """,
        lambda p, c: replace(p, "for i in _: _", c.clear_up_to),
        "E430",
        "clear_up_to does not match the block",
        Wrong("""
        Reg.len = m
        Reg.len = m + 1
        clear_up_to(m + 1, x[0:8])
        """),
        callees=(LENGTH,),
        scope=CONFIGURED,
    ),
]
