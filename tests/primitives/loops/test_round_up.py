"""`divide_loop(tail="round_up")`: iterations beyond the end compute on garbage, and nobody sees it."""

from __future__ import annotations

from textwrap import indent

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.primitives.loops.divide_loop import divide_loop
from usl_core.procedure import Procedure


def rounded(p: Procedure, factor: int = 4) -> Procedure:
    return divide_loop(p, "i", factor, ["io", "ii"], tail="round_up")


def program(body: str, after: str, before: str = "pass") -> Procedure:
    return parse(f"""
        def foo(n: size, m: size, x: f32[(n + 3) / 4 * 4], y: f32[n], k: i32[(n + 3) / 4 * 4]):
            t: f32[(n + 3) / 4 * 4 + 1]
            {before}
            for i in seq(0, n):
                {body}
            {after}
        """)


def test_all_tiles_are_full():
    p = program("t[i] = x[i]", "for j in seq(0, n): y[j] = t[j]")
    q = rounded(p)
    assert_body(
        q,
        """
        t: f32[(n + 3) / 4 * 4 + 1]
        pass
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                t[4 * io + ii] = x[4 * io + ii]
        for j in seq(0, n):
            y[j] = t[j]
        """,
    )
    assert_equivalent(p, q)


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("t[i] = x[i]", "y[0] = t[0]"),
        ("t[i] = 1.0 / x[i]", "y[n - 1] = t[n - 1]"),
        ("t[i + 1] = x[i]", "for j in seq(0, n): y[j] = t[j + 1]"),
        (
            "t[i] = x[i]",
            "for j in seq(0, n):\n                t[n] = 0.0\n                y[j] = t[n]",
        ),  # overwritten before it is read
        ("t[i] += x[i]", "y[0] = t[n - 1]"),
        ("t[i % 4] = x[i]", "y[0] = t[0]"),  # beyond the end i % 4 is not 0
    ],
)
def test_garbage_that_nobody_reads_is_accepted(body: str, after: str):
    p = program(body, after)
    assert_equivalent(p, rounded(p))


@pytest.mark.parametrize(
    ("body", "after", "message"),
    [
        ("t[i] = x[i]", "y[0] = t[n]", "may write what is read"),
        ("t[i] = x[i]", "for j in seq(0, n): y[j] = t[j + 1]", "may write what is read"),
        ("t[i + 1] = t[i]", "y[0] = t[0]", "may write what is read"),  # other iterations beyond the end read it
        ("t[0] = x[i]", "y[0] = t[0]", "may write what is read"),
        ("t[i % 4] = x[i]", "y[0] = t[1]", "may write what is read"),
        ("y[i] = x[i]", "pass", "beyond the end would write y"),
        ("t[i] = y[i]", "y[0] = t[0]", "not be safe: index 0 of y"),
        ("if x[i] > 0.0: t[i] = 1.0", "pass", "an `if` or `idx` on data"),
        ("t[i] = x[idx(k[i], 0, n)]", "pass", "an `if` or `idx` on data"),
        ("for j in seq(0, n - i): t[i] = 1.0", "pass", "not be safe: the range"),
        ("check(i < n)", "pass", "has a `check`"),
    ],
)
def test_garbage_that_may_matter_is_refused(body: str, after: str, message: str):
    with pytest.raises(SchedulingError, match=message):
        rounded(program(body, after))


def test_a_later_iteration_of_a_loop_around_it_may_read_garbage():
    p = parse("""
        def foo(n: size, m: size, y: f32[m]):
            t: f32[(n + 3) / 4 * 4]
            t[0] = 0.0
            for k in seq(0, m):
                y[k] = t[(n + 3) / 4 * 4 - 1]
                for i in seq(0, n):
                    t[i] = 1.0
        """)
    with pytest.raises(SchedulingError, match=r"may write what is read(.|\n)*read of t in: t\["):
        rounded(p)


def test_a_buffer_of_each_iteration_around_it_is_forgotten():
    p = parse("""
        def foo(n: size, m: size, y: f32[m]):
            for k in seq(0, m):
                t: f32[(n + 3) / 4 * 4]
                for i in seq(0, n):
                    t[i] = 1.0
                y[k] = t[0]
        """)
    assert_equivalent(p, rounded(p))


def test_a_callee_that_branches_on_data_is_refused():
    clip = parse("""
        def clip(a: [f32][4]):
            for l in seq(0, 4):
                if a[l] > 1.0:
                    a[l] = 1.0
        """)
    p = parse(
        """
        def foo(n: size):
            t: f32[4, (n + 3) / 4 * 4]
            for i in seq(0, n):
                clip(t[0:4, i])
        """,
        clip=clip,
    )
    with pytest.raises(SchedulingError, match="an `if` or `idx` on data"):
        rounded(p)


COPIES = parse("def copies(k: [i32][1], q: [i32][1]):\n    k[0] = q[0]")


def test_what_is_filled_to_the_end_may_be_read_through_a_window():
    size = "4 * ((n + 3) / 4)"
    fill = f"k: i32[{size}]\na: R[{size}]\nfor j in seq(0, {size}):\n    k[j] = 0\n"
    text = f"{fill}w = k[0:{size}]\nfor i in seq(0, n):\n    a[i] = x[idx(w[i], 0, n)]\n"
    rounded(parse("def f(n: size, x: R[n]):\n" + indent(text, "    ")))


@pytest.mark.parametrize(
    ("fill", "use"),
    [
        ("k[j] = 0", "a[i] = x[idx(k[i] / k[0], 0, n)]"),  # the quotient may have no value
        ("k[j] = q[0]", "a[i] = x[idx(k[i], 0, n)]"),  # what is copied may be uninitialised
        ("k[j] = 0\nfor j in seq(0, n):\n    k[j + 1] = q[j]", "a[i] = x[idx(k[i], 0, n)]"),
        ("k[j] = 0", "if q[min(i, n - 1)] > 0: a[i] = 1.0"),
        ("k[j] = 1 / 0", "a[i] = x[idx(k[i], 0, n)]"),
        ("k[j] = 0\ncopies(k[n:n + 1], q[0:1])", "a[i] = x[idx(k[i], 0, n)]"),  # whatever a callee writes
        ("k[j] = 0\nw = k[n:n + 1]\nw[0] = q[0]", "a[i] = x[idx(k[i], 0, n)]"),
        ("k[j] = 0", "a[i] = x[idx(k[i], 0, n)]\n    k[i + 1] = q[min(i, n - 1)]"),  # in an earlier iteration
    ],
)
def test_indices_and_conditions_that_may_have_no_value_beyond_the_end_are_refused(fill: str, use: str):
    size = "4 * ((n + 3) / 4)"
    text = f"k: i32[{size} + 1]\na: R[{size}]\nfor j in seq(0, {size}):\n{indent(fill.splitlines()[0], '    ')}\n"
    text += "".join(line + "\n" for line in fill.splitlines()[1:]) + f"for i in seq(0, n):\n    {use}\n"
    p = parse("def f(n: size, q: i32[n], x: R[n], y: R[n]):\n" + indent(text, "    "), copies=COPIES)
    with pytest.raises(SchedulingError, match="may be uninitialised beyond the end"):
        divide_loop(p, "i", 4, ["io", "ii"], tail="round_up")
