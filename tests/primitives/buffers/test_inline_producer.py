"""`inline_producer`: what it asks of the code that fills the buffer, and of its uses."""

from __future__ import annotations

from textwrap import indent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.primitives.equivalence import assert_refines, parse
from usl_core.cursors.cursor import InvalidCursor
from usl_core.errors import SchedulingError
from usl_core.scheduling import fission, inline_producer


def test_a_buffer_that_nothing_reads_is_not_inlined() -> None:
    p = parse("def f(n: size, x: f32[n]):\n    t: f32[n]\n    for i in seq(0, n):\n        t[i] = x[i]")
    with pytest.raises(SchedulingError, match="t is not read"):
        inline_producer(p, "t")


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("t[i + n] = 2.0", "does more than assign to one place\n(.*\n)*  hint: fission makes a nest of each assignment"),
        ("t[i] += 2.0", "t is filled by a reduction"),
        ("u[i] = 2.0", "does more than assign to one place"),
    ],
)
def test_a_nest_fills_a_buffer_by_one_assignment_alone(second: str, message: str) -> None:
    p = parse(
        f"""
        def f(n: size, x: f32[n], y: f32[n]):
            t: f32[2 * n]
            u: f32[n]
            for i in seq(0, n):
                t[i] = x[i]
                {second}
            for i in seq(0, n):
                y[i] = t[i]
        """
    )
    with pytest.raises(SchedulingError, match=message):
        inline_producer(p, "t")


def test_a_buffer_that_is_read_and_never_filled() -> None:
    p = parse("def f(n: size, y: f32[n]):\n    t: f32[n]\n    for i in seq(0, n):\n        y[i] = t[i]")
    with pytest.raises(SchedulingError, match="t is read and never filled"):
        inline_producer(p, "t")


def test_what_is_hinted_at_makes_two_nests_of_one() -> None:
    p = parse(
        """
        def f(n: size, x: f32[n], y: f32[2 * n]):
            t: f32[2 * n]
            for i in seq(0, n):
                t[i] = x[i]
                t[i + n] = 2.0
            for i in seq(0, 2 * n):
                y[i] = t[i]
        """
    )
    assert "if n <= i:" in str(inline_producer(fission(p, p.find("t[i] = _").after()), "t"))


def test_a_cursor_to_a_reader_goes_to_the_first_of_its_copies() -> None:
    p = parse(
        """
        def f(n: size, x: f32[n], y: f32[n]):
            t: f32[n]
            for i in seq(0, n):
                t[i] = x[i]
            t[0] = 4.0
            for i in seq(0, n):
                y[i] = t[i]
        """
    )
    reader, read, filled = p.find("y[_] = _"), p.find("y[_] = _").rhs(), p.find("t[_] = _")
    q = inline_producer(p, "t")
    assert q.forward(reader).rhs().value() == 4.0 and q.forward(read).value() == 4.0
    assert isinstance(q.forward(filled), InvalidCursor)


@st.composite
def nests(draw: st.DrawFn) -> str:
    """A nest that fills some of the eight elements of t."""
    place = draw(st.sampled_from(["i", "7 - i", "2 * i", "i / 2"]))
    low, high = sorted(draw(st.lists(st.integers(0, 4 if place == "2 * i" else 8), min_size=2, max_size=2)))
    value = draw(st.sampled_from(["a[i]", "b[7 - i]", "2.0", "a[i] * b[i]"]))
    assign = f"t[{place}] = {value}"
    match draw(st.integers(0, 4)):
        case 0:
            body = [f"if {draw(st.sampled_from(['i < 3', 'n < i', 'c[i] < 0.0']))}:", f"    {assign}"]
            body += draw(st.sampled_from([[], ["else:", f"    t[{place}] = 1.0"], ["else:", "    pass"]]))
        case 1:
            body = ["pass", assign]
        case _:
            body = [assign]
    return "\n".join([f"for i in seq({low}, {high}):", *(f"    {line}" for line in body)])


READS = [
    "t[j]",
    "t[7 - j]",
    "t[j / 2] * t[j]",
    "select(c[j], 0.0, t[j], a[j])",
    "t[idx(k[j], 0, 8)]",
    "t[min(j + 1, 7)]",
    "t[n % 8]",
]
READERS = ["y[j] = {0}", "y[j] += {0}", "if j < 4:\n        y[j] = {0}", "if {0} < 0.0:\n        y[j] = 1.0"]


@settings(max_examples=150)
@given(st.lists(nests(), min_size=1, max_size=3), st.data())
def test_whatever_fills_a_buffer_what_is_read_stays_the_same(fills: list[str], data: st.DataObject) -> None:
    reader = data.draw(st.sampled_from(READERS)).format(data.draw(st.sampled_from(READS)))
    at = data.draw(st.integers(1, len(fills)))
    parts = ["t: f32[8]", *fills[:at], f"for j in seq(0, 8):\n    {reader}", *fills[at:]]
    formals = "n: size, a: f32[8], b: f32[8], c: f32[8], k: u8[8], y: f32[8]"
    p = parse(f"def f({formals}):\n" + indent("\n".join(parts), "    "))
    try:
        q = inline_producer(p, "t")
    except SchedulingError:
        return
    assert "t[" not in str(q)
    assert_refines(p, q, vectors=3)


def test_a_nest_that_fills_a_buffer_by_a_call_in_a_branch() -> None:
    one = parse("def one(a: f32):\n    a = 1.0")
    p = parse(
        """
        def f(n: size, y: f32[n]):
            t: f32[n]
            u: f32[n]
            for i in seq(0, n):
                if i < 3:
                    u[i] = 1.0
                else:
                    one(t[i])
            for i in seq(0, n):
                y[i] = t[i]
        """,
        one=one,
    )
    with pytest.raises(SchedulingError, match="does more than assign to one place"):
        inline_producer(p, "t")
