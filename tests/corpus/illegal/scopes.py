"""Illegal steps on loops and branches as such: remove_loop, add_loop, lift_scope, specialize, eliminate_dead_code, parallelize_loop."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Misuse, Stopped, Wrong, race
from usl_core.scheduling import add_loop, eliminate_dead_code, lift_scope, parallelize_loop, remove_loop, specialize

ACCUMULATE = """
def accumulate(dst: [f32][2], v: f32):
    dst[0] += v
    dst[1] = v
"""

CASES = [
    # ---- remove_loop
    Illegal(
        "remove_loop", "it_may_not_run",
        "n: size, a: f32",
        """
        for i in seq(1, n):
            a = 2.0
        """,
        lambda p: remove_loop(p, "i"),
        "E412", "the loop i may not run",
        Wrong("a = 2.0"),
    ),
    Illegal(
        "remove_loop", "half_of_one_is_no_iteration",
        "n: size, a: f32",
        """
        for i in seq(0, n / 2):
            a = 2.0
        """,
        lambda p: remove_loop(p, "i"),
        "E412", "the loop i may not run",
        Wrong("a = 2.0"),
    ),
    Illegal(
        "remove_loop", "a_row_of_a_triangle_may_be_empty",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            for j in seq(0, i):
                x[i] = 2.0
        """,
        lambda p: remove_loop(p, "j"),
        "E412", "the loop j may not run",
        Wrong("""
        for i in seq(0, n):
            x[i] = 2.0
        """),
    ),
    Illegal(
        "remove_loop", "the_body_uses_the_iterator",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        """,
        lambda p: remove_loop(p, "i"),
        "E414", "the body uses the iterator i",
        Malformed("x[i] = 1.0", "E200"),
    ),
    Illegal(
        "remove_loop", "a_reduction_is_repeated",
        "n: size, a: f32",
        """
        for i in seq(0, n):
            a += 1.0
        """,
        lambda p: remove_loop(p, "i"),
        "E411", "may have an effect when it runs again",
        Wrong("a += 1.0"),
    ),
    Illegal(
        "remove_loop", "a_value_is_read_before_it_is_written",
        "n: size, a: f32",
        """
        for i in seq(0, n):
            a = 2.0 * a
        """,
        lambda p: remove_loop(p, "i"),
        "E411", "may have an effect when it runs again",
        Wrong("a = 2.0 * a"),
    ),
    Illegal(
        "remove_loop", "two_values_are_swapped",
        "n: size, a: f32, b: f32, t: f32",
        """
        for i in seq(0, n):
            t = a
            a = b
            b = t
        """,
        lambda p: remove_loop(p, "i"),
        "E411", "may have an effect when it runs again",
        Wrong("""
        t = a
        a = b
        b = t
        """),
    ),
    Illegal(
        "remove_loop", "poison_that_a_second_run_defines",
        "n: size, x: f32, y: f32",
        """
        assert n >= 2
        t: f32
        for i in seq(0, n):
            y = t
            t = x
        """,
        lambda p: remove_loop(p, "i"),
        "E411", "may have an effect when it runs again",
        Wrong("""
        t: f32
        y = t
        t = x
        """),
    ),
    Illegal(
        "remove_loop", "the_place_moves_with_the_data",
        "n: size, k: i32[1], x: f32[4]",
        """
        for i in seq(0, n):
            x[idx(k[0], 0, 4)] = 2.0
            k[0] = 3
        """,
        lambda p: remove_loop(p, "i"),
        "E411", "may have an effect when it runs again",
        Wrong("""
        x[idx(k[0], 0, 4)] = 2.0
        k[0] = 3
        """),
    ),
    Illegal(
        "remove_loop", "a_branch_taken_only_the_second_time",
        "n: size, x: f32, y: f32",
        """
        for i in seq(0, n):
            if x < 0.0:
                y = 1.0
            x = -1.0
        """,
        lambda p: remove_loop(p, "i"),
        "E411", "may have an effect when it runs again",
        Wrong("""
        if x < 0.0:
            y = 1.0
        x = -1.0
        """),
    ),
    Illegal(
        "remove_loop", "a_window_hides_the_dependence",
        "n: size, x: f32[5]",
        """
        w = x[1:5]
        for i in seq(0, n):
            for j in seq(0, 4):
                w[3 - j] = x[3 - j]
        """,
        lambda p: remove_loop(p, "i"),
        "E411", "may have an effect when it runs again",
        Wrong("""
        w = x[1:5]
        for j in seq(0, 4):
            w[3 - j] = x[3 - j]
        """),
    ),
    # ---- add_loop
    Illegal(
        "add_loop", "a_reduction", "a: f32",
        "a += 1.0",
        lambda p: add_loop(p, "a += _", "i", 2),
        "E411", "may have an effect when it runs again",
        Wrong("""
        for i in seq(0, 2):
            a += 1.0
        """),
    ),
    Illegal(
        "add_loop", "an_update_in_place", "n: size, a: f32",
        "a = 2.0 * a",
        lambda p: add_loop(p, "a = _", "i", "n"),
        "E411", "may have an effect when it runs again",
        Wrong("""
        for i in seq(0, n):
            a = 2.0 * a
        """),
    ),
    Illegal(
        "add_loop", "it_may_not_run", "n: size, a: f32",
        "a = 1.0",
        lambda p: add_loop(p, "a = _", "i", "n - 1"),
        "E412", "cannot prove that n - 1 is at least 1",
        Wrong("""
        for i in seq(0, n - 1):
            a = 1.0
        """),
    ),
    Illegal(
        "add_loop", "guarded_and_empty", "a: f32",
        "a += 1.0",
        lambda p: add_loop(p, "a += _", "i", 0, guard=True),
        "E412", "cannot prove that 0 is at least 1",
        Wrong("""
        for i in seq(0, 0):
            if i == 0:
                a += 1.0
        """),
    ),
    Illegal(
        "add_loop", "guarded_over_half_a_size", "n: size, a: f32",
        "a += 1.0",
        lambda p: add_loop(p, "a += _", "i", "n / 2", guard=True),
        "E412", "cannot prove that n / 2 is at least 1",
        Wrong("""
        for i in seq(0, n / 2):
            if i == 0:
                a += 1.0
        """),
    ),
    Illegal(
        "add_loop", "an_allocation_leaves_its_scope", "x: f32",
        """
        t: f32
        t = x
        x = t + 1.0
        """,
        lambda p: add_loop(p, p.body()[0:2], "i", 2),
        "E416", "t is bound in the block and used after it",
        Malformed(
            """
            for i in seq(0, 2):
                t: f32
                t = x
            x = t + 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "add_loop", "a_read_of_what_a_later_statement_writes", "a: f32, x: f32",
        """
        x = a
        a = 2.0
        """,
        lambda p: add_loop(p, p.body(), "i", 2),
        "E411", "may have an effect when it runs again",
        Wrong("""
        for i in seq(0, 2):
            x = a
            a = 2.0
        """),
    ),
    Illegal(
        "add_loop", "a_place_that_moves_with_the_data", "k: i32[1], x: f32[4]",
        """
        x[idx(k[0], 0, 4)] = 2.0
        k[0] = 3
        """,
        lambda p: add_loop(p, p.body(), "i", 3),
        "E411", "may have an effect when it runs again",
        Wrong("""
        for i in seq(0, 3):
            x[idx(k[0], 0, 4)] = 2.0
            k[0] = 3
        """),
    ),
    Illegal(
        "add_loop", "a_call_that_reduces", "x: f32[2], v: f32",
        "accumulate(x[0:2], v)",
        lambda p, c: add_loop(p, "accumulate(_)", "i", 2),
        "E411", "may have an effect when it runs again",
        Wrong("""
        for i in seq(0, 2):
            accumulate(x[0:2], v)
        """),
        callees=(ACCUMULATE,),
    ),
    Illegal(
        "add_loop", "over_a_parallel_recurrence", "n: size, x: f32[n + 1]",
        """
        for i in seq(0, n):
            x[i] = x[i + 1]
        """,
        lambda p: add_loop(p, "for i in _: _", "r", 2),
        "E411", "may have an effect when it runs again",
        Wrong("""
        for r in seq(0, 2):
            for i in seq(0, n):
                x[i] = x[i + 1]
        """),
    ),
    # ---- lift_scope
    Illegal(
        "lift_scope", "the_condition_uses_the_iterator",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            if i < 2:
                x[i] = 1.0
        """,
        lambda p: lift_scope(p, "if _: _"),
        "E414", "depends on the iterator i",
        Malformed(
            """
            if i < 2:
                for i in seq(0, n):
                    x[i] = 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "lift_scope", "not_alone",
        "n: size, m: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = 1.0
            if m < 3:
                x[i] = 1.0
        """,
        lambda p: lift_scope(p, "if _: _"),
        "E404", "must be alone",
        Wrong("""
        if m < 3:
            for i in seq(0, n):
                y[i] = 1.0
                x[i] = 1.0
        """),
    ),
    Illegal(
        "lift_scope", "data_that_a_loop_without_iterations_does_not_look_at",
        "n: size, x: f32[n], y: f32[n]",
        """
        y[0] = 5.0
        for i in seq(1, n):
            if x[0] < 0.0:
                y[i] = 1.0
        """,
        lambda p: lift_scope(p, "if _: _"),
        "E412", "the loop i may not run",
        Wrong("""
        y[0] = 5.0
        if x[0] < 0.0:
            for i in seq(1, n):
                y[i] = 1.0
        """),
    ),
    Illegal(
        "lift_scope", "the_body_changes_the_data",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            if x[0] < 0.0:
                x[0] = 1.0
                y[i] = 1.0
        """,
        lambda p: lift_scope(p, "if _: _"),
        "E411", "may change the data that",
        Wrong("""
        if x[0] < 0.0:
            for i in seq(0, n):
                x[0] = 1.0
                y[i] = 1.0
        """),
    ),
    Illegal(
        "lift_scope", "a_loop_over_an_if_with_else",
        "n: size, m: size, x: f32[n]",
        """
        if m < 3:
            for i in seq(0, n):
                x[i] = 1.0
        else:
            x[0] += 1.0
        """,
        lambda p: lift_scope(p, "for i in _: _"),
        "E404", "a loop is not lifted over an `if` with `else`",
        Wrong("""
        for i in seq(0, n):
            if m < 3:
                x[i] = 1.0
            else:
                x[0] += 1.0
        """),
    ),
    Illegal(
        "lift_scope", "a_loop_out_of_an_else",
        "n: size, m: size, x: f32[n]",
        """
        if m < 3:
            x[0] += 1.0
        else:
            for i in seq(0, n):
                x[i] = 1.0
        """,
        lambda p: lift_scope(p, "for i in _: _"),
        "E404", "not lifted out of an `else` branch",
        Wrong("""
        for i in seq(0, n):
            if m < 3:
                x[0] += 1.0
            else:
                x[i] = 1.0
        """),
    ),
    Illegal(
        "lift_scope", "loops_that_do_not_commute",
        "n: size, x: f32[n + 1, n + 1]",
        """
        for i in seq(0, n):
            for j in seq(0, n):
                x[i + 1, j] = x[i, j + 1]
        """,
        lambda p: lift_scope(p, "for j in _: _"),
        "E411", "would change places do not commute",
        Wrong("""
        for j in seq(0, n):
            for i in seq(0, n):
                x[i + 1, j] = x[i, j + 1]
        """),
    ),
    Illegal(
        "lift_scope", "data_that_the_outer_condition_guards",
        "n: size, x: f32[2], y: f32",
        """
        y = 5.0
        if n > 2:
            if x[0] < 0.0:
                y = 1.0
        """,
        lambda p: lift_scope(p, "if x[0] < 0.0: _"),
        "E404", "depends on data, so its `if` does not change places",
        Wrong("""
        y = 5.0
        if x[0] < 0.0:
            if n > 2:
                y = 1.0
        """),
    ),
    Illegal(
        "lift_scope", "a_range_that_the_outer_condition_keeps_from_crossing",
        "n: size, x: f32[n], y: f32",
        """
        if n > 2:
            for j in seq(3, n):
                y += x[j]
        """,
        lambda p: lift_scope(p, "for j in _: _"),
        "E410", "lift_scope",
        Malformed(
            """
            for j in seq(3, n):
                if n > 2:
                    y += x[j]
            """,
            "E302",
        ),
    ),
    # ---- specialize
    Illegal(
        "specialize", "an_allocation_leaves_its_scope", "n: size, x: f32",
        """
        t: f32
        t = x
        x = t + 1.0
        """,
        lambda p: specialize(p, p.body()[0:2], "n < 3"),
        "E416", "t is bound in the block and used after it",
        Malformed(
            """
            if n < 3:
                t: f32
                t = x
            else:
                t: f32
                t = x
            x = t + 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "specialize", "a_window_leaves_its_scope", "n: size, x: f32[n + 2]",
        """
        w = x[0:2]
        w[0] = 1.0
        """,
        lambda p: specialize(p, p.body()[0], "n < 3"),
        "E416", "w is bound in the block and used after it",
        Malformed(
            """
            if n < 3:
                w = x[0:2]
            else:
                w = x[0:2]
            w[0] = 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "specialize", "data_that_may_be_poison", "x: f32, y: f32",
        "y = 1.0",
        lambda p: specialize(p, "y = _", "x < 0.0"),
        "E200", "specialize",
        Wrong("""
        if x < 0.0:
            y = 1.0
        else:
            y = 1.0
        """),
    ),
    Illegal(
        "specialize", "an_iterator_of_another_loop",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        x[0] = 2.0
        """,
        lambda p: specialize(p, "x[0] = _", "i < 3"),
        "E200", "i",
        Malformed(
            """
            for i in seq(0, n):
                x[i] = 1.0
            if i < 3:
                x[0] = 2.0
            else:
                x[0] = 2.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "specialize", "a_condition_from_an_inner_scope",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            if i < 3:
                x[i] = 1.0
        """,
        lambda p: specialize(p, "for i in _: _", p.find("if _: _").cond()),
        "E416", "uses i, which is not in scope there",
        Malformed(
            """
            if i < 3:
                for i in seq(0, n):
                    x[i] = 1.0
            """,
            "E200",
        ),
    ),
    Illegal(
        "specialize", "no_condition", "x: f32",
        "x = 1.0",
        lambda p: specialize(p, "x = _", []),
        "E404", "at least one condition is wanted",
        Misuse("no case"),
    ),
    # ---- eliminate_dead_code
    Illegal(
        "eliminate_dead_code", "it_depends_on_the_size", "n: size, x: f32",
        """
        if n < 4:
            x = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        "E412", "is neither always true nor always false",
        Wrong("x = 1.0"),
    ),
    Illegal(
        "eliminate_dead_code", "the_last_iteration_differs",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            if i < n - 1:
                x[i] = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        "E412", "is neither always true nor always false",
        Wrong("""
        for i in seq(0, n):
            x[i] = 1.0
        """),
    ),
    Illegal(
        "eliminate_dead_code", "a_union_of_two_assumptions",
        "n: size, x: f32",
        """
        assert n < 3 or n > 6
        if n < 3:
            x = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        "E412", "is neither always true nor always false",
        Wrong("pass"),
    ),
    Illegal(
        "eliminate_dead_code", "true_only_if_division_truncates",
        "k: index, x: f32",
        """
        if k >= 4 or (k - 4) / 2 * 2 >= k - 4:
            x = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        "E412", "is neither always true nor always false",
        Wrong("x = 1.0"),
    ),
    Illegal(
        "eliminate_dead_code", "true_only_if_remainders_take_the_sign_of_the_dividend",
        "k: index, x: f32",
        """
        if k > 4 or (k - 4) % 3 <= 0:
            x = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        "E412", "is neither always true nor always false",
        Wrong("x = 1.0"),
    ),
    Illegal(
        "eliminate_dead_code", "a_loop_that_may_run", "n: size, x: f32[n]",
        """
        for i in seq(1, n):
            x[i] = 1.0
        """,
        lambda p: eliminate_dead_code(p, "for i in _: _"),
        "E412", "may run",
        Wrong("pass"),
    ),
    Illegal(
        "eliminate_dead_code", "a_condition_on_data", "x: f32, y: f32",
        """
        if x < x + y:
            y = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        "E404", "depends on data",
        Wrong("y = 1.0"),
    ),
    Illegal(
        "eliminate_dead_code", "a_maximum_below_the_end_of_the_loop", "x: f32[4]",
        """
        for i in seq(0, 4):
            if i < max(2, 3):
                x[i] = 1.0
        """,
        lambda p: eliminate_dead_code(p, "if _: _"),
        "E412", "is neither always true nor always false",
        Wrong("""
        for i in seq(0, 4):
            x[i] = 1.0
        """),
    ),
    Illegal(
        "eliminate_dead_code", "an_assignment", "x: f32",
        "x = 1.0",
        lambda p: eliminate_dead_code(p, "x = _"),
        "E404", "an `if` or a loop is wanted here",
        Wrong("pass"),
    ),
    Illegal(
        "eliminate_dead_code", "a_branch_that_a_negated_fact_does_not_decide", "n: size, x: f32",
        """
        if n > 5:
            x = 1.0
        else:
            if n > 3:
                x = 2.0
        """,
        lambda p: eliminate_dead_code(p, "if n > 3: _"),
        "E412", "is neither always true nor always false",
        Wrong("""
        if n > 5:
            x = 1.0
        """),
    ),
    # ---- parallelize_loop
    Illegal(
        "parallelize_loop", "a_recurrence",
        "n: size, x: f32[n + 1]",
        """
        for i in seq(0, n):
            x[i + 1] = x[i] + 1.0
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411", "the iterations of i may interfere",
        race("""
        for i in par(0, n):
            x[i + 1] = x[i] + 1.0
        """),
    ),
    Illegal(
        "parallelize_loop", "the_next_element_is_overwritten",
        "n: size, x: f32[n + 1]",
        """
        for i in seq(0, n):
            x[i] = x[i + 1]
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411", "the iterations of i may interfere",
        race("""
        for i in par(0, n):
            x[i] = x[i + 1]
        """),
    ),
    Illegal(
        "parallelize_loop", "a_shared_temporary",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32
        for i in seq(0, n):
            if i % 2 == 0:
                t = x[i]
            y[i] = t
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411", "the iterations of i may interfere",
        race("""
        t: f32
        for i in par(0, n):
            if i % 2 == 0:
                t = x[i]
            y[i] = t
        """),
    ),
    Illegal(
        "parallelize_loop", "the_last_writer_counts",
        "n: size, x: f32[n], a: f32",
        """
        for i in seq(0, n):
            a = x[i]
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411", "the iterations of i may interfere",
        race("""
        for i in par(0, n):
            a = x[i]
        """),
    ),
    Illegal(
        "parallelize_loop", "two_iterations_share_a_half",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            y[i / 2] = x[i]
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411", "the iterations of i may interfere",
        race("""
        for i in par(0, n):
            y[i / 2] = x[i]
        """),
    ),
    Illegal(
        "parallelize_loop", "remainders_repeat",
        "n: size, x: f32[n], y: f32[3]",
        """
        for i in seq(0, n):
            y[i % 3] = x[i]
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411", "the iterations of i may interfere",
        race("""
        for i in par(0, n):
            y[i % 3] = x[i]
        """),
    ),
    Illegal(
        "parallelize_loop", "a_window_hides_the_recurrence",
        "n: size, x: f32[n + 1]",
        """
        w = x[1:n + 1]
        for i in seq(0, n):
            w[i] = x[i]
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411", "the iterations of i may interfere",
        race("""
        w = x[1:n + 1]
        for i in par(0, n):
            w[i] = x[i]
        """),
    ),
    Illegal(
        "parallelize_loop", "a_scatter",
        "n: size, k: i32[n], x: f32[n], y: f32[4]",
        """
        for i in seq(0, n):
            y[idx(k[i], 0, 4)] = x[i]
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411", "the iterations of i may interfere",
        race("""
        for i in par(0, n):
            y[idx(k[i], 0, 4)] = x[i]
        """),
    ),
    Illegal(
        "parallelize_loop", "a_partial_sum_is_read",
        "n: size, x: f32[n], y: f32[n], a: f32",
        """
        for i in seq(0, n):
            a += x[i]
            y[i] = a
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411", "the iterations of i may interfere",
        race("""
        for i in par(0, n):
            a += x[i]
            y[i] = a
        """),
    ),
    Illegal(
        "parallelize_loop", "one_iteration_resets_what_others_add_to",
        "n: size, x: f32[n], a: f32",
        """
        for i in seq(0, n):
            if i == 0:
                a = 0.0
            a += x[i]
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411", "the iterations of i may interfere",
        race("""
        for i in par(0, n):
            if i == 0:
                a = 0.0
            a += x[i]
        """),
    ),
    Illegal(
        "parallelize_loop", "a_call_that_writes_its_neighbour",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        for i in seq(0, n):
            accumulate(x[i:i + 2], y[i])
        """,
        lambda p, c: parallelize_loop(p, "i"),
        "E411", "the iterations of i may interfere",
        race("""
        for i in par(0, n):
            accumulate(x[i:i + 2], y[i])
        """),
        callees=(ACCUMULATE,),
    ),
    Illegal(
        "parallelize_loop", "tiles_that_all_overlap_and_update_in_place",
        "n: size, x: f32[n]",
        """
        assert n >= 4
        for io in seq(0, (n + 2) / 3):
            for ii in seq(0, 3):
                x[min(3 * io, n - 4) + ii + 1] = x[min(3 * io, n - 4) + ii] + 1.0
        """,
        lambda p: parallelize_loop(p, "io"),
        "E411", "the iterations of io may interfere",
        race("""
        for io in par(0, (n + 2) / 3):
            for ii in seq(0, 3):
                x[min(3 * io, n - 4) + ii + 1] = x[min(3 * io, n - 4) + ii] + 1.0
        """),
    ),
    Illegal(
        "parallelize_loop", "a_check_must_stop_in_order",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            check(i < 2)
            x[i] = 1.0
        """,
        lambda p: parallelize_loop(p, "i"),
        "E411", "a check must stop the program in order",
        Stopped("""
        for j in seq(0, n):
            x[n - 1 - j] = 1.0
            check(n - 1 - j < 2)
        """),
    ),
]  # fmt: skip
