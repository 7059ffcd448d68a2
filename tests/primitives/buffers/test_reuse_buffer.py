"""reuse_buffer: one buffer in place of two whose values are not needed at the same time."""

from __future__ import annotations

import random

import pytest

from tests.primitives.buffers.lifetime_programs import random_program
from tests.primitives.equivalence import assert_body, assert_refines, parse
from usl_core.cursors.cursor import InvalidCursor
from usl_core.equivalence import Relation
from usl_core.errors import SchedulingError
from usl_core.ir.memory import DRAM
from usl_core.primitives.buffers.reuse_buffer import reuse_buffer
from usl_core.primitives.buffers.set_memory import set_memory

STAGES = """
    def f(n: size, x: R[n], y: R[n]):
        a: R[n]
        for i in seq(0, n):
            a[i] = x[i]
        for i in seq(0, n):
            x[i] = a[i] + 1.0
        b: R[n]
        for i in seq(0, n):
            b[i] = x[i]
        for i in seq(0, n):
            y[i] = b[i]
"""


def test_reuse_buffer_puts_both_in_one():
    p = parse(STAGES)
    q = reuse_buffer(p, "a", "b")
    assert_body(
        q,
        """
        a: R[n]
        for i in seq(0, n):
            a[i] = x[i]
        for i in seq(0, n):
            x[i] = a[i] + 1.0
        for i in seq(0, n):
            a[i] = x[i]
        for i in seq(0, n):
            y[i] = a[i]
        """,
    )
    assert isinstance(q.forward(p.find("b: _")), InvalidCursor)
    assert q.forward(p.find("b[_] = _")) == q.find("a[_] = _ #1")
    assert q.history()[-1].relation is Relation.REFINES
    assert_refines(p, q)


def test_reuse_buffer_is_by_element():
    p = parse("""
        def f(n: size, x: R[n], y: R[n]):
            a: R[n]
            b: R[n]
            for i in seq(0, n):
                a[i] = x[i]
            for i in seq(0, n):
                b[i] = a[i] * 2.0
            for i in seq(0, n):
                y[i] = b[i]
    """)
    q = reuse_buffer(p, "a", "b")
    assert "a[i] = a[i] * 2.0" in str(q)
    assert_refines(p, q)


def test_reuse_buffer_refuses_a_value_that_is_read_later():
    p = parse(STAGES.replace("y[i] = b[i]", "y[i] = b[i] + a[i]"))
    with pytest.raises(SchedulingError, match="a value of a is needed after b is written in the same element") as caught:
        reuse_buffer(p, "a", "b")
    assert caught.value.code == "E417"
    assert "then its place is written in: b[i] = x[i]" in str(caught.value)
    assert "counter-example:" in str(caught.value)


def test_reuse_buffer_refuses_a_neighbour_that_is_read_later():
    p = parse("""
        def f(n: size, x: R[n + 1], y: R[n + 1]):
            a: R[n + 1]
            b: R[n + 1]
            for i in seq(0, n + 1):
                a[i] = x[i]
            for i in seq(0, n):
                b[i + 1] = a[i]
            for i in seq(0, n):
                y[i] = b[i + 1]
    """)
    with pytest.raises(SchedulingError, match="needed after b is written"):
        reuse_buffer(p, "a", "b")


def test_reuse_buffer_sees_a_value_carried_to_the_next_iteration():
    p = parse("""
        def f(n: size, x: R[n], y: R[n]):
            a: R
            a = 0.0
            for i in seq(0, n):
                y[i] = a
                a = x[i]
                b: R
                b = 2.0 * x[i]
                y[i] += b
    """)
    with pytest.raises(SchedulingError, match="a value of a is needed after b is written"):
        reuse_buffer(p, "a", "b")
    q = parse(str(p).replace("@proc\n", "").replace("a = x[i]", "a = 1.0").replace("y[i] = a", "a = x[i]"))
    assert_refines(q, reuse_buffer(q, "a", "b"))


def test_reuse_buffer_in_a_loop_that_fills_both_anew():
    p = parse("""
        def f(n: size, x: R[n], y: R[n]):
            a: R[n]
            for o in seq(0, 3):
                for i in seq(0, n):
                    a[i] = x[i]
                b: R[n]
                for i in seq(0, n):
                    b[i] = a[i]
                for i in seq(0, n):
                    y[i] += b[i]
    """)
    assert_refines(p, reuse_buffer(p, "a", "b"))


def test_reuse_buffer_follows_windows_and_calls():
    g = parse("def g(dst: R[8], src: [R][8]):\n    for i in seq(0, 8):\n        dst[i] = src[i]")
    p = parse(
        """
        def f(x: R[8], y: R[8]):
            a: R[8]
            w = a[0:8]
            g(a, x[0:8])
            b: R[8]
            g(b, {source}[0:8])
            g(y, b[0:8])
            y[0] += {late}
        """.format(source="x", late="1.0"),
        g=g,
    )
    q = reuse_buffer(p, "a", "b")
    assert "g(y, a[0:8])" in str(q)
    assert_refines(p, q)
    kept = parse(str(p).replace("@proc\n", "").replace("y[0] += 1.0", "y[0] += w[0]"), g=g)
    with pytest.raises(SchedulingError, match="a value of a is needed"):
        reuse_buffer(kept, "a", "b")
    both = parse(str(p).replace("@proc\n", "").replace("g(b, x[0:8])", "g(b, a[0:8])"), g=g)
    with pytest.raises(SchedulingError, match="a value of a is needed"):
        reuse_buffer(both, "a", "b")


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ("R[n]", "R[n + 1]", "cannot prove that a and b have the same extent in dimension 0"),
        ("R[n]", "f32[n]", "elements of different types, R and f32"),
        ("R[n]", "R[n, 1]", "different numbers of dimensions"),
    ],
)
def test_reuse_buffer_refuses_other_types(a: str, b: str, message: str):
    with pytest.raises(SchedulingError, match=message):
        reuse_buffer(parse(f"def f(n: size):\n    a: {a}\n    b: {b}"), "a", "b")


def test_reuse_buffer_knows_equal_extents_and_memories():
    p = parse("def f(n: size, y: R[1]):\n    a: R[n + n]\n    b: R[2 * n]\n    b[0] = 1.0\n    y[0] = b[0]")
    assert_refines(p, reuse_buffer(p, "a", "b"))

    class Other(DRAM):
        name = "Other"

    with pytest.raises(SchedulingError, match="live in different memories"):
        reuse_buffer(set_memory(p, "b", Other), "a", "b")


def test_reuse_buffer_refuses_other_scopes():
    p = parse(STAGES)
    with pytest.raises(SchedulingError, match="a is not allocated in the scope of b, after it"):
        reuse_buffer(p, "b", "a")
    with pytest.raises(SchedulingError, match="two different buffers"):
        reuse_buffer(p, "a", "a")
    with pytest.raises(SchedulingError, match="an allocation is wanted"):
        reuse_buffer(p, "x", "b")
    inner = parse("def f(n: size):\n    for i in seq(0, n):\n        a: R\n        a = 1.0\n    b: R\n    b = 2.0")
    with pytest.raises(SchedulingError, match="not allocated in the scope of a"):
        reuse_buffer(inner, "a", "b")


def test_reuse_buffer_keeps_a_private_buffer_of_parallel_iterations():
    p = parse("""
        def f(n: size, x: R[n]):
            a: R
            a = 1.0
            x[0] = a
            for i in par(0, n):
                b: R
                b = x[i]
                x[i] = b * b
    """)
    with pytest.raises(SchedulingError, match="parallel loop i would share elements of a"):
        reuse_buffer(p, "a", "b")


def test_what_is_reused_keeps_its_meaning():
    accepted = 0
    for seed in range(12):
        p = random_program(random.Random(seed))
        try:
            q = reuse_buffer(p, "a", "b")
        except SchedulingError:
            continue
        accepted += 1
        assert_refines(p, q, vectors=4)
    assert accepted >= 2
