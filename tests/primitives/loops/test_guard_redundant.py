"""`guard_redundant`: a producer does not write what it has already written."""

from __future__ import annotations

import pytest

from tests.primitives.config.programs import CFG
from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.primitives.loops.guard_redundant import guard_redundant
from usl_core.procedure import Procedure

SLIDE = parse("""
    def slide(n: size, m: size, x: f32[n + 2, m], y: f32[n, m]):
        b: f32[n + 2, m]
        for i in seq(0, n):
            for k in seq(0, 3):
                for j in seq(0, m):
                    b[i + k, j] = x[i + k, j] * 2.0
            for j in seq(0, m):
                y[i, j] = b[i, j] + b[i + 2, j]
    """)


def program(body: str, inside: str = "", before: str = "", after: str = "pass") -> Procedure:
    def block(text: str, depth: int) -> str:
        return "\n".join(" " * depth + line for line in text.splitlines())

    return parse(f"""
def foo(n: size, x: f32[n + 4], y: f32[n + 4], b: f32[n + 4], q: i32[n + 4]):
    c: f32[n + 4]
{block(before or "pass", 4)}
    for i in seq(0, n):
{block(inside or "pass", 8)}
        for k in seq(0, 3):
{block(body, 12)}
{block(after, 8)}
""")


def test_the_prologue_is_one_statement():
    q = guard_redundant(SLIDE, "for j in _: _", "i == 0 or k == 2")
    assert_body(
        q,
        """
        b: f32[n + 2, m]
        for i in seq(0, n):
            for k in seq(0, 3):
                if i == 0 or k == 2:
                    for j in seq(0, m):
                        b[i + k, j] = x[i + k, j] * 2.0
            for j in seq(0, m):
                y[i, j] = b[i, j] + b[i + 2, j]
        """,
    )
    assert_equivalent(SLIDE, q)


def test_the_statement_itself_may_be_guarded():
    assert_equivalent(SLIDE, guard_redundant(SLIDE, "b = _", "i < 1 or k > 1"))


def test_a_condition_that_skips_less_than_it_could_is_fine():
    for cond in ("i <= 1 or k >= 1", "i == 0 or k != 0", "i >= 0"):
        assert_equivalent(SLIDE, guard_redundant(SLIDE, "b = _", cond))


@pytest.mark.parametrize("cond", ["k == 2", "i == 0", "i == 0 or k == 1", "i == 1 or k == 2", "i == 0 or k == 2 and j > 0"])
def test_a_condition_that_skips_what_is_new_is_refused(cond: str):
    with pytest.raises(SchedulingError, match=r"the code may be needed(.|\n)*counter-example: ") as caught:
        guard_redundant(SLIDE, "b = _", cond)
    assert caught.value.code == "E411"


@pytest.mark.parametrize(
    "body",
    [
        "b[i + k] = x[i + k]",
        "b[i + k] = 1.0",
        "b[i + k] = x[idx(q[i + k], 0, n)]",
        "t: f32\nt = x[i + k]\nb[i + k] = t",
        "b[i + k] = 0.0\nb[i + k] += x[i + k]",
        "w = b[k : k + n]\nw[i] = x[i + k]",
    ],
)
def test_values_of_the_place_alone_are_not_written_again(body: str):
    p = program(body)
    q = guard_redundant(p, p.find("k").body(), "i == 0 or k == 2")
    assert_equivalent(p, q)


@pytest.mark.parametrize(
    ("body", "options", "reason"),
    [
        ("b[i + k] = x[i]", {}, "depends on more than the place"),
        ("b[i + k] = x[k]", {}, "depends on more than the place"),
        ("b[i + k] = f32(k)", {}, "depends on more than the place"),
        ("b[i + k] = x[idx(q[i], 0, n)]", {}, "depends on more than the place"),
        ("b[i + k] += x[i + k]", {}, "reads it, or adds to it"),
        ("b[i + k] = b[i + k] + 1.0", {}, "reads it, or adds to it"),
        ("b[i + k] = x[i + k]\ny[i + k] = 0.0", {}, "writes one buffer"),
        ("b[i + k] = x[i + k]", {"inside": "x[i + 2] = 0.0"}, "x may be modified by other code"),
        ("b[i + k] = x[i + k]", {"after": "b[i + 1] = 0.0"}, "b may be modified by other code"),
        ("b[i + k] = x[i + k]", {"after": "b[i + 1] += 1.0"}, "b may be modified by other code"),
        ("b[i + k] = c[i + k]", {"inside": "c[i + 1] = x[i]"}, "c may be modified by other code"),
        ("check(n > 2)\nb[i + k] = x[i + k]", {}, "has a `check`"),
    ],
)
def test_code_that_may_write_another_value_is_refused(body: str, options: dict[str, str], reason: str):
    p = program(body, **options)
    with pytest.raises(SchedulingError, match=f"may be needed(.|\n)*{reason}"):
        guard_redundant(p, p.find("k").body(), "i == 0 or k == 2")


def test_a_temporary_of_each_iteration_has_other_values():
    p = program("b[i + k] = t", inside="t: f32\nt = x[i]")
    with pytest.raises(SchedulingError, match="t is another buffer in each iteration"):
        guard_redundant(p, "b = _", "i == 0 or k == 2")
    p = program("b[i + k] = t", inside="t = x[i]", before="t: f32")
    with pytest.raises(SchedulingError, match="t may be modified by other code"):
        guard_redundant(p, "b = _", "i == 0 or k == 2")


def test_a_buffer_of_each_iteration_is_empty_again():
    p = parse("""
        def foo(n: size, x: f32[n + 2], y: f32[n]):
            for i in seq(0, n):
                b: f32[n + 2]
                for k in seq(0, 3):
                    b[i + k] = x[i + k]
                y[i] = b[i] + b[i + 2]
        """)
    with pytest.raises(SchedulingError, match="may be needed"):
        guard_redundant(p, "b = _", "i == 0 or k == 2")


def test_a_run_that_depends_on_data_is_not_counted_on():
    p = program("if y[i] > 0.0:\n    b[i + k] = x[i + k]")
    with pytest.raises(SchedulingError, match="depends on data"):
        guard_redundant(p, "b = _", "i == 0 or k == 2")


def test_a_run_that_another_condition_skips_is_not_counted_on():
    p = program("if i + k < 5 or i > 4:\n    b[i + k] = x[i + k]")
    with pytest.raises(SchedulingError, match="may not have been written before"):
        guard_redundant(p, "b = _", "i == 0 or k == 2")
    p = program("if i + k < 5:\n    b[i + k] = x[i + k]")
    assert_equivalent(p, guard_redundant(p, "b = _", "i == 0 or k == 2"))


def test_only_loops_inside_the_buffers_scope_count():
    p = parse("""
        def foo(n: size, m: size, x: f32[n + 2], y: f32[m, n]):
            for l in seq(0, m):
                b: f32[n + 2]
                for i in seq(0, n):
                    for k in seq(0, 3):
                        b[i + k] = x[i + k]
                    y[l, i] = b[i] + b[i + 2]
        """)
    assert_equivalent(p, guard_redundant(p, "b = _", "i == 0 or k == 2"))
    with pytest.raises(SchedulingError, match="may be needed"):
        guard_redundant(p, "b = _", "l == 0")


def test_loops_outside_count_for_a_buffer_outside():
    p = parse("""
        def foo(n: size, m: size, x: f32[n + 2], b: f32[n + 2]):
            for l in seq(0, m):
                for i in seq(0, n):
                    b[i] = x[i + 1]
        """)
    q = guard_redundant(p, "b = _", "l == 0")
    assert_equivalent(p, q)


def test_code_that_is_in_no_loop_is_needed():
    p = parse("""
        def foo(x: f32[2]):
            x[0] = 1.0
        """)
    with pytest.raises(SchedulingError, match="no loop around it"):
        guard_redundant(p, "x = _", "0 == 1")


def test_what_the_code_binds_does_not_leave_it():
    p = program("w = b[i : i + 3]\nw[k] = x[i + k]")
    with pytest.raises(SchedulingError, match="w is bound in the block and used after it"):
        guard_redundant(p, "w = _", "i == 0")


def test_statements_stay_themselves():
    stmt, block = SLIDE.find("b = _"), SLIDE.find("k").body()
    q = guard_redundant(SLIDE, block, "i == 0 or k == 2")
    assert q.forward(stmt) == q.find("b = _")
    assert q.forward(block)[0] == q.find("for j in _: _")


@pytest.mark.parametrize("effect", ["check(i < 5)", "Cfg.a = n"])
def test_what_nobody_reads_is_needed_for_what_else_the_code_does(effect: str):
    p = parse(
        f"""
        def f(n: size, x: f32[n], y: f32[n]):
            t: f32[n]
            for i in seq(0, n):
                {effect}
                t[i] = x[i]
                y[i] = 1.0
        """,
        Cfg=CFG,
    )
    with pytest.raises(SchedulingError, match="the code may be needed") as refused:
        guard_redundant(p, p.find_loop("i").body()[0:2], "i < 3")
    assert any("it has a `check`, or writes configuration" in note for note in refused.value.notes)
