"""simplify: shorter, the same, and done after one time."""

from __future__ import annotations

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.types import INDEX
from usl_core.primitives.simplify import simplify
from usl_core.procedure import Procedure


def simplified(text: str, expected: str) -> tuple[Procedure, Procedure]:
    """p and simplify(p), whose body is expected, which means the same, and which does not change again."""
    p = parse(text)
    q = simplify(p)
    assert_body(q, expected)
    assert str(simplify(q)) == str(q)
    assert_equivalent(p, q)
    return p, q


def test_index_arithmetic_is_collected():
    simplified(
        """
        def f(n: size, x: R[3 * n + 9]):
            for i in seq(0, n):
                x[3 * i - 2 * i - i + 2 * 3 + i + 0] = 0.0
                x[i + n - n] = 1.0
                x[-i + n] = 2.0
        """,
        """
        for i in seq(0, n):
            x[i + 6] = 0.0
            x[i] = 1.0
            x[n - i] = 2.0
        """,
    )


def test_quotients_and_remainders_of_tiles_are_taken_apart():
    simplified(
        """
        def f(n: size, x: R[n, 32]):
            for io in seq(0, n):
                for j in seq(0, 4):
                    for k in seq(0, 8):
                        x[(32 * io + 8 * j + k) / 32, (32 * io + 8 * j + k) % 32] = 0.0
                        x[io, (8 * j + k) / 16] = 1.0
        """,
        """
        for io in seq(0, n):
            for j in seq(0, 4):
                for k in seq(0, 8):
                    x[io, 8 * j + k] = 0.0
                    x[io, j / 2] = 1.0
        """,
    )


def test_minima_are_decided_by_facts():
    simplified(
        """
        def f(n: size, x: R[n + 8]):
            assert n >= 8
            for i in seq(0, min(n, 8)):
                x[max(i, 0) + min(i, n)] = 0.0
                x[min(2 * i, n)] = 0.0
        """,
        """
        for i in seq(0, 8):
            x[2 * i] = 0.0
            x[min(2 * i, n)] = 0.0
        """,
    )


def test_branches_that_are_decided_go():
    p, q = simplified(
        """
        def f(n: size, x: R[n]):
            for i in seq(0, n):
                if i < n:
                    x[i] = 0.0
                else:
                    x[0] = 1.0
                if i >= n:
                    x[0] = 2.0
                if i > 2:
                    if i > 1 and i < 7:
                        x[0] = 3.0
                elif i < 3:
                    x[0] = 4.0
        """,
        """
        for i in seq(0, n):
            x[i] = 0.0
            if i > 2:
                if i < 7:
                    x[0] = 3.0
            else:
                x[0] = 4.0
        """,
    )
    assert q.forward(p.find("x[_] = 0.0")) == q.find("x[_] = 0.0")
    assert q.forward(p.find("x[_] = 4.0")) == q.find("x[_] = 4.0")
    assert not q.forward(p.find("x[_] = 2.0")) and not q.forward(p.find("if _: _"))


def test_loops_that_run_once_or_never_go():
    p, q = simplified(
        """
        def f(n: size, x: R[n + 4]):
            for i in seq(n + 1, n + 2):
                t: R[i]
                for j in seq(i, i + 1):
                    t[j - 1] = 1.0
                    x[j] = t[i - 1]
            for i in seq(3, 3):
                x[i] = 0.0
            for i in par(0, 1):
                x[i] = 2.0
        """,
        """
        t: R[n + 1]
        t[n] = 1.0
        x[n + 1] = t[n]
        x[0] = 2.0
        """,
    )
    assert q.forward(p.find("x[_] = t[_]")) == q.find("x[_] = t[_]")
    assert not q.forward(p.find_loop("j"))


def test_a_loop_that_runs_once_by_the_facts():
    simplified(
        """
        def f(n: size, x: R[n]):
            assert n <= 1
            for i in seq(0, n):
                x[i] = 0.0
        """,
        "x[0] = 0.0",
    )


def test_a_body_that_becomes_empty_keeps_a_pass():
    simplified("def f(n: size, x: R[n]):\n    for i in seq(2, 2):\n        x[0] = 0.0", "pass")


def test_iterators_of_resolved_loops_go_from_types_and_data_dependent_indices():
    g = "def g(n: size, x: R[n]):\n    x[0] = 1.0"
    p = parse(
        """
        def f(k: i32[8], x: R[8]):
            for i in seq(4, 5):
                t: R[i + 1]
                g(i + 1, t)
                x[idx(k[i], i - 4, i + 4) - 0 * i] = t[0]
        """,
        g=parse(g),
    )
    q = simplify(p)
    assert_body(q, "t: R[5]\ng(5, t)\nx[idx(k[4], 0, 8) - 0] = t[0]")
    assert_equivalent(p, q)


def test_only_exact_operations_on_literals_are_computed():
    simplified(
        """
        def f(x: R[4], y: f32[4], u: u8[4], s: i8[4]):
            x[0] = 2.0 * 3.0 + x[1] * (1.0 - 0.5)
            x[1] = 1.0 / 3.0
            y[0] = 0.1 + 0.2
            u[0] = 200 + 100
            s[0] = s[1] * (-7 / 2) + 7 % 0
        """,
        """
        x[0] = 6.0 + x[1] * 0.5
        x[1] = 1.0 / 3.0
        y[0] = 0.1 + 0.2
        u[0] = 44
        s[0] = s[1] * -4 + 0
        """,
    )


def test_what_a_check_established_may_be_used_after_it_and_the_check_stays():
    p = parse("""
        def f(n: size, x: R[n]):
            if n > 4:
                x[0] = 1.0
            check(n > 4)
            if n > 3:
                x[3] = 2.0
    """)
    assert_body(simplify(p), "if n > 4:\n    x[0] = 1.0\ncheck(n > 4)\nx[3] = 2.0")
    assert str(simplify(simplify(p))) == str(simplify(p))


def test_conditions_on_data_stay():
    simplified(
        """
        def f(n: size, x: R[n]):
            for i in seq(0, n):
                if x[i + 0] < 1.0 + 1.0:
                    x[i] = 0.0
                if i + 0 < n and x[i] < 1.0:
                    x[i] = 1.0
        """,
        """
        for i in seq(0, n):
            if x[i] < 2.0:
                x[i] = 0.0
            if i < n and x[i] < 1.0:
                x[i] = 1.0
        """,
    )


def test_in_code_that_is_never_reached_constants_stay_what_they_are():
    p = parse(
        """
        def f(n: size, x: R[8]):
            check(n < 0)
            if 1 > 2:
                x[2] = 5.0
            for i in seq(0, 5):
                x[i] = 1.0
        """
    )
    assert_body(simplify(p), "check(n < 0)\nfor i in seq(0, 5):\n    x[i] = 1.0")


def test_what_is_known_of_a_field_at_the_start_is_not_taken_for_what_it_holds_later():
    config = Config("C", {"a": ConfigField("a", INDEX)})
    p = parse(
        """
        def f(x: R[4]):
            assert C.a == 5
            C.a = 3
            x[0] = R(C.a + 1)
            x[1] = R(C.a + 1 - 1)
        """,
        C=config,
    )
    assert_body(simplify(p), "C.a = 3\nx[0] = R(C.a + 1)\nx[1] = R(C.a + 1 - 1)")
