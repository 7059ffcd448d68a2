"""Illegal steps of `block_scan`, `recursive_doubling` and `bound_counter`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Misuse, Wrong
from usl_core.scheduling import block_scan, bound_counter, recursive_doubling

CASES = [
    Illegal(
        "block_scan",
        "a_parallel_loop",
        "n: size, x: f32[n], y: f32[n], s: f32",
        """
        for i in par(0, n):
            s += x[i]
            y[i] = s
        """,
        lambda p: block_scan(p, "i", "t"),
        "E404",
        "have no running results",
        Misuse("its results depend on the order of its iterations already"),
    ),
    Illegal(
        "block_scan",
        "from_one_on",
        "n: size, x: f32[n + 1], y: f32[n + 1], s: f32",
        """
        for i in seq(1, n + 1):
            s += x[i]
            y[i] = s
        """,
        lambda p: block_scan(p, "i", "t"),
        "E404",
        "does not start at 0",
        Misuse("shift_loop makes it start there"),
    ),
    Illegal(
        "block_scan",
        "perhaps_no_iteration",
        "n: size, m: index, x: f32[n], y: f32[n], s: f32",
        """
        assert 0 <= m and m <= n
        for i in seq(0, m):
            s += x[i]
            y[i] = s
        """,
        lambda p: block_scan(p, "i", "t"),
        "E412",
        "may have no iteration",
        Malformed(
            """
            t: f32[n]
            for i in seq(0, m):
                t[i] = x[i]
            for i in seq(0, m):
                y[i] = s + t[i]
            s += t[m - 1]
            """,
            "E305",
        ),
    ),
    Illegal(
        "block_scan",
        "no_reduction",
        "n: size, x: f32[n], y: f32[n], s: f32",
        """
        for i in seq(0, n):
            s = s + x[i]
            y[i] = s
        """,
        lambda p: block_scan(p, "i", "t"),
        "E404",
        "no statement of the loop uses the results of a reduction",
        Misuse("fold_into_reduce makes one"),
    ),
    Illegal(
        "block_scan",
        "a_branch_after_the_reduction",
        "n: size, x: f32[n], y: f32[n], s: f32",
        """
        for i in seq(0, n):
            s += x[i]
            if s > 0.0:
                y[i] = s
        """,
        lambda p: block_scan(p, "i", "t"),
        "E404",
        "there is If in the loop",
        Misuse("if_to_select makes it an assignment"),
    ),
    Illegal(
        "block_scan",
        "a_sum_alone",
        "n: size, x: f32[n], s: f32",
        """
        for i in seq(0, n):
            s += x[i]
        """,
        lambda p: block_scan(p, "i", "t"),
        "E404",
        "no statement of the loop uses the results of a reduction",
        Misuse("parallelize_reduction is for sums"),
    ),
    Illegal(
        "block_scan",
        "a_place_that_depends_on_data",
        "n: size, x: f32[n], y: f32[n], s: f32[4], k: i32",
        """
        for i in seq(0, n):
            s[idx(k, 0, 4)] += x[i]
            y[i] = s[idx(k, 0, 4)]
        """,
        lambda p: block_scan(p, "i", "t"),
        "E418",
        "made of data",
        Misuse("what the index is made of might change; bind the element to a scalar"),
    ),
    Illegal(
        "block_scan",
        "another_place_in_each_iteration",
        "n: size, x: f32[n], y: f32[n], s: f32[n]",
        """
        for i in seq(0, n):
            s[i] += x[i]
            y[i] = s[i]
        """,
        lambda p: block_scan(p, "i", "t"),
        "E412",
        "each iteration reduces into another place",
        Wrong("""
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[i]
        for j in seq(1, n):
            t[j] += t[j - 1]
        for i in seq(0, n):
            y[i] = s[i] + t[i]
        s[n - 1] += t[n - 1]
        """),
    ),
    Illegal(
        "block_scan",
        "a_recurrence",
        "n: size, x: f32[n], y: f32[n], s: f32",
        """
        for i in seq(0, n):
            s += x[i] * s
            y[i] = s
        """,
        lambda p: block_scan(p, "i", "t"),
        "E411",
        "the value reads s",
        Wrong("""
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[i] * s
        for j in seq(1, n):
            t[j] += t[j - 1]
        for i in seq(0, n):
            y[i] = s + t[i]
        s += t[n - 1]
        """),
    ),
    Illegal(
        "block_scan",
        "results_that_are_added_up_next",
        "n: size, x: f32[n + 1], s: f32",
        """
        for i in seq(0, n):
            s += x[i]
            x[i + 1] = s
        """,
        lambda p: block_scan(p, "i", "t"),
        "E411",
        "may change what later iterations",
        Wrong("""
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[i]
        for j in seq(1, n):
            t[j] += t[j - 1]
        for i in seq(0, n):
            x[i + 1] = s + t[i]
        s += t[n - 1]
        """),
    ),
    Illegal(
        "block_scan",
        "a_sum_that_is_halved_on_the_way",
        "n: size, x: f32[n], y: f32[n], s: f32",
        """
        for i in seq(0, n):
            s += x[i]
            y[i] = s
            s = 0.5 * s
        """,
        lambda p: block_scan(p, "i", "t"),
        "E411",
        "is written otherwise than by the reduction",
        Wrong("""
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[i]
        for j in seq(1, n):
            t[j] += t[j - 1]
        for i in seq(0, n):
            y[i] = s + t[i]
            s = 0.5 * (s + t[i])
        s += t[n - 1]
        """),
    ),
    Illegal(
        "block_scan",
        "a_read_of_what_may_be_the_sum",
        "n: size, x: f32[n], y: f32[n], s: f32[n]",
        """
        for i in seq(0, n):
            s[0] += x[i]
            y[i] = s[i]
        """,
        lambda p: block_scan(p, "i", "t"),
        "E411",
        "is not written as in the reduction",
        Wrong("""
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[i]
        for j in seq(1, n):
            t[j] += t[j - 1]
        for i in seq(0, n):
            y[i] = s[i]
        s[0] += t[n - 1]
        """),
    ),
    Illegal(
        "block_scan",
        "a_neighbour_of_the_sum",
        "n: size, x: f32[n], y: f32[n], s: f32[2]",
        """
        for i in seq(0, n):
            s[0] += x[i]
            y[i] = s[0] * s[1]
        """,
        lambda p: block_scan(p, "i", "t"),
        "E411",
        "is not written as in the reduction",
        Wrong("""
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[i]
        for j in seq(1, n):
            t[j] += t[j - 1]
        for i in seq(0, n):
            y[i] = (s[0] + t[i]) * (s[1] + t[i])
        s[0] += t[n - 1]
        """),
    ),
    Illegal(
        "block_scan",
        "a_read_of_the_sum_through_a_window",
        "n: size, x: f32[n], y: f32[n], s: f32[4]",
        """
        w = s[1:3]
        for i in seq(0, n):
            s[1] += x[i]
            y[i] = w[0] + s[1]
        """,
        lambda p: block_scan(p, "i", "t"),
        "E411",
        "is not written as in the reduction",
        Wrong("""
        w = s[1:3]
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[i]
        for j in seq(1, n):
            t[j] += t[j - 1]
        for i in seq(0, n):
            y[i] = w[0] + (s[1] + t[i])
        s[1] += t[n - 1]
        """),
    ),
    Illegal(
        "block_scan",
        "an_element_that_is_changed_before_it_is_added",
        "n: size, x: f32[n], y: f32[n], s: f32",
        """
        for i in seq(0, n):
            x[i] = 2.0 * s
            s += x[i]
            y[i] = s
        """,
        lambda p: block_scan(p, "i", "t"),
        "E411",
        "what is reduced may change before",
        Wrong("""
        t: f32[n + 1]
        t[0] = 0.0
        for i in seq(0, n):
            t[i + 1] = x[i]
        for j in seq(1, n + 1):
            t[j] += t[j - 1]
        for i in seq(0, n):
            x[i] = 2.0 * (s + t[i])
            y[i] = s + t[i + 1]
        s += t[n]
        """),
    ),
    Illegal(
        "block_scan",
        "a_greatest_number_that_is_used_before_it_changes",
        "n: size, x: f32[n], y: f32[n], s: f32",
        """
        for i in seq(0, n):
            y[i] = s
            s @= max(x[i])
        """,
        lambda p: block_scan(p, "i", "t"),
        "E404",
        "has no identity",
        Misuse("there is no number that all others are at least as great as"),
    ),
    Illegal(
        "recursive_doubling",
        "a_parallel_loop",
        "x: f32[8]",
        """
        for j in par(1, 8):
            x[j] += x[j - 1]
        """,
        lambda p: recursive_doubling(p, "j", "u"),
        "E404",
        "do not follow each other",
        Misuse("its results depend on the order of its iterations already"),
    ),
    Illegal(
        "recursive_doubling",
        "an_assignment",
        "x: f32[8]",
        """
        for j in seq(1, 8):
            x[j] = x[j] + x[j - 1]
        """,
        lambda p: recursive_doubling(p, "j", "u"),
        "E404",
        "is to have one reduction by an element",
        Misuse("fold_into_reduce makes it a reduction"),
    ),
    Illegal(
        "recursive_doubling",
        "twice_the_element_before",
        "x: f32[8]",
        """
        for j in seq(1, 8):
            x[j] += 2.0 * x[j - 1]
        """,
        lambda p: recursive_doubling(p, "j", "u"),
        "E404",
        "is to have one reduction by an element",
        Wrong("""
        u: f32[8]
        for j in seq(1, 8):
            u[j] = 2.0 * x[j - 1]
        for j in seq(1, 8):
            x[j] += u[j]
        for j in seq(2, 8):
            x[j] += 2.0 * x[j - 2]
        """),
    ),
    Illegal(
        "recursive_doubling",
        "copies",
        "x: f32[8]",
        """
        for j in seq(1, 8):
            x[j] = x[j - 1]
        """,
        lambda p: recursive_doubling(p, "j", "u"),
        "E404",
        "is to have one reduction by an element",
        Wrong("""
        u: f32[8]
        for j in seq(1, 8):
            u[j] = x[j - 1]
        for j in seq(1, 8):
            x[j] += u[j]
        for j in seq(2, 8):
            x[j] += x[j - 2]
        """),
    ),
    Illegal(
        "recursive_doubling",
        "a_second_statement",
        "x: f32[8], y: f32[8]",
        """
        for j in seq(1, 8):
            x[j] += x[j - 1]
            y[j] = x[j]
        """,
        lambda p: recursive_doubling(p, "j", "u"),
        "E404",
        "is to have one reduction by an element",
        Wrong("""
        u: f32[8]
        for j in seq(1, 8):
            u[j] = x[j - 1]
        for j in seq(1, 8):
            x[j] += u[j]
            y[j] = x[j]
        for j in seq(2, 8):
            x[j] += x[j - 2]
        """),
    ),
    Illegal(
        "recursive_doubling",
        "elements_of_another_buffer",
        "x: f32[8], y: f32[8]",
        """
        for j in seq(1, 8):
            x[j] += y[j - 1]
        """,
        lambda p: recursive_doubling(p, "j", "u"),
        "E412",
        "one of y, not of x",
        Wrong("""
        u: f32[8]
        for j in seq(1, 8):
            u[j] = y[j - 1]
        for j in seq(1, 8):
            x[j] += u[j]
        for j in seq(2, 8):
            x[j] += x[j - 2]
        """),
    ),
    Illegal(
        "recursive_doubling",
        "an_index_that_is_made_of_data",
        "x: f32[8], k: i32",
        """
        for j in seq(1, 8):
            x[idx(k, 1, 8)] += x[idx(k, 1, 8) - 1]
        """,
        lambda p: recursive_doubling(p, "j", "u"),
        "E418",
        "made of data",
        Wrong("""
        u: f32[8]
        for j in seq(1, 8):
            u[j] = x[idx(k, 1, 8) - 1]
        for j in seq(1, 8):
            x[idx(k, 1, 8)] += u[j]
        for j in seq(2, 8):
            x[idx(k, 1, 8)] += x[idx(k, 1, 8) - 1]
        """),
    ),
    Illegal(
        "recursive_doubling",
        "the_next_element",
        "x: f32[8]",
        """
        for j in seq(1, 7):
            x[j] += x[j + 1]
        """,
        lambda p: recursive_doubling(p, "j", "u"),
        "E412",
        "not seen to have an element of x each",
        Wrong("""
        u: f32[7]
        for j in seq(1, 7):
            u[j] = x[j + 1]
        for j in seq(1, 7):
            x[j] += u[j]
        for j in seq(2, 6):
            x[j] += x[j + 2]
        """),
    ),
    Illegal(
        "recursive_doubling",
        "two_iterations_for_each_element",
        "x: f32[8]",
        """
        for j in seq(2, 8):
            x[j / 2] += x[j / 2 - 1]
        """,
        lambda p: recursive_doubling(p, "j", "u"),
        "E412",
        "not seen to have an element of x each",
        Wrong("""
        u: f32[8]
        for j in seq(2, 8):
            u[j] = x[j / 2 - 1]
        for j in seq(2, 8):
            x[j / 2] += u[j]
        for j in seq(4, 8):
            x[j / 2] += x[j / 2 - 2]
        """),
    ),
    Illegal(
        "recursive_doubling",
        "an_element_of_another_row",
        "x: f32[8, 4]",
        """
        for j in seq(1, 8):
            x[j, j / 2] += x[j - 1, j / 2]
        """,
        lambda p: recursive_doubling(p, "j", "u"),
        "E412",
        "cannot prove that what is read was the target 1 iterations before",
        Wrong("""
        u: f32[8]
        for j in seq(1, 8):
            u[j] = x[j - 1, j / 2]
        for j in seq(1, 8):
            x[j, j / 2] += u[j]
        for j in seq(2, 8):
            x[j, j / 2] += x[j - 2, (j - 2) / 2]
        """),
    ),
    Illegal(
        "recursive_doubling",
        "perhaps_no_iteration",
        "n: size, x: f32[n]",
        """
        for j in seq(1, n):
            x[j] += x[j - 1]
        """,
        lambda p: recursive_doubling(p, "j", "u"),
        "E412",
        "and has an iteration",
        Malformed(
            """
            for j in seq(2, n):
                x[j] += x[j - 2]
            """,
            "E302",
        ),
    ),
    Illegal(
        "recursive_doubling",
        "numbers_below_zero",
        "x: f32[8]",
        """
        for j in seq(-3, 4):
            x[j + 4] += x[j + 3]
        """,
        lambda p: recursive_doubling(p, "j", "u"),
        "E412",
        "begins at 0 or later",
        Malformed(
            """
            u: f32[4]
            for j in seq(-3, 4):
                u[j] = x[j + 3]
            """,
            "E305",
        ),
    ),
    Illegal(
        "recursive_doubling",
        "perhaps_no_longer_step",
        "n: size, x: f32[n]",
        """
        assert n > 2
        for j in seq(2, n):
            x[j] += x[j - 2]
        """,
        lambda p: recursive_doubling(p, "j", "u"),
        "E412",
        "whether a step of 4 would have an iteration",
        Malformed(
            """
            for j in seq(4, n):
                x[j] += x[j - 4]
            """,
            "E302",
        ),
    ),
    Illegal(
        "bound_counter",
        "an_index_that_is_none_of_data",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 0.0
        """,
        lambda p: bound_counter(p, p.find("x[_] = _").idx()[0]),
        "E404",
        "no index made of data",
        Misuse("its limits are known"),
    ),
    Illegal(
        "bound_counter",
        "a_table_that_is_too_short",
        "n: size, x: f32[n], y: f32[n + 2]",
        """
        assert n <= 1000
        c: i32
        c = 0
        for i in seq(0, n):
            y[idx(c, 0, 2)] = x[i]
            c += 1
        """,
        lambda p: bound_counter(p, "idx(c, _, _)"),
        "E412",
        "the limits that its index has",
        Wrong("""
        c: i32
        c = 0
        for i in seq(0, n):
            y[idx(c, 0, i + 1)] = x[i]
            c += 1
        """),
    ),
    Illegal(
        "bound_counter",
        "a_least_value",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[min(i, n - 1)] = 0.0
        """,
        lambda p: bound_counter(p, p.find("x[_] = _").idx()[0]),
        "E404",
        "no index made of data",
        Misuse("its limits are known"),
    ),
    Illegal(
        "bound_counter",
        "a_table_that_begins_later",
        "n: size, x: f32[n], y: f32[n + 3]",
        """
        assert n <= 1000
        c: i32
        c = 0
        for i in seq(0, n):
            y[idx(c, 2, n + 3)] = x[i]
            c += 1
        """,
        lambda p: bound_counter(p, "idx(c, _, _)"),
        "E412",
        "the limits that its index has",
        Wrong("""
        c: i32
        c = 0
        for i in seq(0, n):
            y[idx(c, 0, i + 1)] = x[i]
            c += 1
        """),
    ),
    Illegal(
        "bound_counter",
        "a_limit_above_the_start",
        "n: size, x: f32[n], y: f32[n + 3]",
        """
        assert n <= 1000
        c: i32
        c = 0
        for i in seq(0, n):
            y[idx(c, 0, n + 3)] = x[i]
            c += 1
        """,
        lambda p: bound_counter(p, "idx(c, _, _)", 1, "n + 3"),
        "E412",
        "the limits that its index would get",
        Wrong("""
        c: i32
        c = 0
        for i in seq(0, n):
            y[idx(c, 1, n + 3)] = x[i]
            c += 1
        """),
    ),
    Illegal(
        "bound_counter",
        "limits_that_are_too_close",
        "n: size, x: f32[n], y: f32[2 * n]",
        """
        assert n <= 1000
        c: i32
        c = 0
        for i in seq(0, n):
            c += 1
            y[idx(c, 0, 2 * n)] = x[i]
            if x[i] > 0.0:
                c += 1
        """,
        lambda p: bound_counter(p, "idx(c, _, _)", 0, "n + 1"),
        "E412",
        "the limits that its index",
        Wrong("""
        c: i32
        c = 0
        for i in seq(0, n):
            c += 1
            y[idx(c, 0, n + 1)] = x[i]
            if x[i] > 0.0:
                c += 1
        """),
    ),
    Illegal(
        "bound_counter",
        "a_number_that_falls",
        "n: size, x: f32[n], y: f32[n + 1]",
        """
        assert n <= 1000
        c: i32
        c = 0
        for i in seq(0, n):
            y[idx(c, 0, n + 1)] = x[i]
            c += select(0.0, x[i], 1, -1)
        """,
        lambda p: bound_counter(p, "idx(c, _, _)", 0, "n"),
        "E412",
        "not known to be made of counters",
        Wrong(
            """
        c: i32
        c = 0
        for i in seq(0, n):
            y[idx(c, -1, n)] = x[i]
            c += select(0.0, x[i], 1, -1)
        """,
            "n: size, x: f32[n], y: f32[n + 1]",
        ),
    ),
    Illegal(
        "bound_counter",
        "a_number_that_is_not_set",
        "n: size, x: f32[n], y: f32[n + 1], c: i32",
        """
        assert n <= 1000
        for i in seq(0, n):
            y[idx(c, 0, n + 1)] = x[i]
            c += 1
        """,
        lambda p: bound_counter(p, "idx(c, _, _)"),
        "E412",
        "not known to be made of counters",
        Wrong("""
        for i in seq(0, n):
            y[idx(c, 0, i + 1)] = x[i]
            c += 1
        """),
    ),
    Illegal(
        "bound_counter",
        "a_number_that_data_gives",
        "n: size, x: f32[n], y: f32[n + 1], k: i32",
        """
        assert n <= 1000
        c: i32
        c = 0
        for i in seq(0, n):
            c = k
            y[idx(c, 0, n + 1)] = x[i]
        """,
        lambda p: bound_counter(p, "idx(c, _, _)"),
        "E412",
        "not known to be made of counters",
        Wrong("""
        c: i32
        c = 0
        for i in seq(0, n):
            c = k
            y[idx(c, 0, i + 1)] = x[i]
        """),
    ),
    Illegal(
        "bound_counter",
        "a_number_that_data_is_added_to",
        "n: size, x: f32[n], y: f32[n + 1], k: i32[n]",
        """
        assert n <= 1000
        c: i32
        c = 0
        for i in seq(0, n):
            y[idx(c, 0, n + 1)] = x[i]
            c += k[i]
        """,
        lambda p: bound_counter(p, "idx(c, _, _)"),
        "E412",
        "not known to be made of counters",
        Wrong("""
        c: i32
        c = 0
        for i in seq(0, n):
            y[idx(c, 0, i + 1)] = x[i]
            c += k[i]
        """),
    ),
    Illegal(
        "bound_counter",
        "a_number_that_is_multiplied",
        "n: size, x: f32[n], y: f32[2 * n + 2]",
        """
        assert n <= 1000
        c: i32
        c = 1
        for i in seq(0, n):
            y[idx(c, 0, 2 * n + 2)] = x[i]
            c *= 3
        """,
        lambda p: bound_counter(p, "idx(c, _, _)"),
        "E412",
        "not known to be made of counters",
        Wrong("""
        c: i32
        c = 1
        for i in seq(0, n):
            y[idx(c, 1, 2 * i + 2)] = x[i]
            c *= 3
        """),
    ),
    Illegal(
        "bound_counter",
        "a_byte_that_wraps_around",
        "n: size, x: f32[n], y: f32[n + 260]",
        """
        assert n <= 1000
        c: u8
        c = 250
        for i in seq(0, n):
            y[idx(c, 0, n + 260)] = x[i]
            c += 1
        """,
        lambda p: bound_counter(p, "idx(c, _, _)"),
        "E412",
        "that do not wrap",
        Wrong("""
        c: u8
        c = 250
        for i in seq(0, n):
            y[idx(c, 250, i + 251)] = x[i]
            c += 1
        """),
        factor=8,
    ),
    Illegal(
        "bound_counter",
        "a_difference_that_wraps_around",
        "n: size, x: f32[n], y: f32[n + 260]",
        """
        assert n <= 100
        c: u8
        c = 0
        for i in seq(0, n):
            y[idx(u8(i) - c - 1 + c, 0, n + 260)] = x[i]
            c += select(0.0, x[i], 1, 0)
        """,
        lambda p: bound_counter(p, "idx(_, _, _)"),
        "E412",
        "that do not wrap",
        Misuse("sums are bounded term by term"),
    ),
    Illegal(
        "bound_counter",
        "a_callee_that_counts",
        "n: size, x: f32[n], y: f32[2 * n + 2]",
        """
        assert n <= 1000
        c: i32
        c = 0
        for i in seq(0, n):
            y[idx(c, 0, 2 * n + 2)] = x[i]
            more(c)
        """,
        lambda p, _: bound_counter(p, "idx(c, _, _)"),
        "E412",
        "not known to be made of counters",
        Wrong("""
        c: i32
        c = 0
        for i in seq(0, n):
            y[idx(c, 0, i + 1)] = x[i]
            more(c)
        """),
        callees=("def more(c: i32):\n    c += 2",),
    ),
]
