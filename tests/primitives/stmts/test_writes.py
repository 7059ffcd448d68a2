"""`merge_writes`, `split_write`, `fold_into_reduce`."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, assert_refines, parse
from usl_core.errors import SchedulingError
from usl_core.primitives.stmts.fold_into_reduce import fold_into_reduce
from usl_core.primitives.stmts.merge_writes import merge_writes
from usl_core.primitives.stmts.split_write import split_write
from usl_core.procedure import Procedure


def program(*lines: str, typ: str = "R") -> Procedure:
    body = "\n            ".join(lines)
    return parse(f"""
        def f(n: size, x: {typ}[n + 2], y: {typ}[n + 2], k: i32[4], a: {typ}, b: {typ}):
            {body}
        """)


# ---- merge_writes


@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        ("x[0] = a", "x[0] += b", "x[0] = a + b"),
        ("x[0] += a", "x[0] += b", "x[0] += a + b"),
        ("x[0] = a", "x[0] = b", "x[0] = b"),
        ("x[0] += a", "x[0] = b", "x[0] = b"),
        ("x[n - 1] = a", "x[n + 1 - 2] += x[n]", "x[n - 1] = a + x[n]"),
        ("x[0] += x[0]", "x[0] += b", "x[0] += x[0] + b"),
        ("x[0] = a", "x[0] *= b", "x[0] = a * b"),
        ("x[0] *= a", "x[0] *= b", "x[0] *= a * b"),
        ("x[0] = a", "x[0] @= min(b)", "x[0] = min(a, b)"),
        ("x[0] @= max(a)", "x[0] @= max(b)", "x[0] @= max(max(a, b))"),
        ("x[0] @= max(a)", "x[0] = b", "x[0] = b"),
        ("x[idx(k[0], 0, n)] = a", "x[idx(k[0], 0, n)] += b", "x[idx(k[0], 0, n)] = a + b"),
    ],
)
@pytest.mark.parametrize("typ", ["R", "u8"])
def test_two_writes_of_one_location_become_one(first: str, second: str, merged: str, typ: str):
    p = program(first, second, typ=typ)
    q = merge_writes(p, p.body())
    assert_body(q, merged)
    assert_equivalent(p, q)


def test_a_location_is_recognised_through_a_window():
    p = program("w = x[1:3]", "w[0] = a", "x[1] += b")
    q = merge_writes(p, "w[_] = _ ; x[_] += _")
    assert_body(q, "w = x[1:3]\nw[0] = a + b")
    assert_equivalent(p, q)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("x[0] = a", "x[1] = b", "not proved to write the same location"),
        ("x[0] = a", "y[0] = b", "not proved to write the same location"),
        ("x[n - 1] = a", "x[0] += b", "not proved to write the same location"),
        ("x[0] = a", "x[0] += x[0]", "the second statement reads x, which the first writes"),
        ("x[0] = a", "x[0] = x[n - 1]", "the second statement reads x, which the first writes"),
        ("x[idx(k[0], 0, n)] = a", "x[idx(k[1], 0, n)] += b", "not proved to write the same location"),
        ("x[0] = y[idx(k[0], 0, n)]", "x[0] = b", "has an index made of data, so it cannot be dropped"),
        ("x[0] *= a", "x[0] += b", r"combine by different operations, `\*=` and `\+=`"),
        ("x[0] @= max(a)", "x[0] @= min(b)", "combine by different operations, `@= max` and `@= min`"),
        ("x[0] = a", "check(n > 2)", "both statements must be `=` or reductions, found Check"),
    ],
)
def test_writes_that_do_not_belong_together_are_refused(first: str, second: str, message: str):
    p = program(first, second)
    with pytest.raises(SchedulingError, match=message):
        merge_writes(p, p.body())


def test_a_second_statement_that_sometimes_reads_the_location_is_refused_with_values():
    p = program("for i in seq(0, n):", "    x[i] = a", "    x[i] += x[n - 1 - i]")
    with pytest.raises(SchedulingError) as caught:
        merge_writes(p, "x[_] = _ ; x[_] += _")
    assert "counter-example: n = 1, i = 0" in str(caught.value)


def test_locations_that_differ_for_some_sizes_are_refused_with_values():
    p = program("x[n - 1] = a", "x[0] += b")
    with pytest.raises(SchedulingError) as caught:
        merge_writes(p, p.body())
    assert "counter-example: n = 2" in str(caught.value) and caught.value.code == "E412"


def test_an_index_read_from_what_the_first_statement_writes_is_not_the_same_location():
    p = parse("""
        def f(k: i32[4], x: i32[4]):
            k[idx(k[0], 0, 4)] = 1
            k[idx(k[0], 0, 4)] += 2
    """)
    with pytest.raises(SchedulingError, match="the second statement reads k"):
        merge_writes(p, p.body())


def test_cursors_to_both_statements_go_to_the_merged_one():
    p = program("x[0] = a * 2.0", "x[0] += b * 3.0", "y[0] = a")
    first, second, third = p.body()
    q = merge_writes(p, p.body()[0:2])
    assert q.forward(first) == q.body()[0] and q.forward(second) == q.body()[0]
    assert q.forward(third) == q.body()[1]
    assert q.forward(first.rhs()) == q.find("a * 2.0") and q.forward(second.rhs()) == q.find("b * 3.0")


def test_an_overwritten_statement_is_gone():
    p = program("x[0] = a", "x[0] = b")
    first, second = p.body()
    q = merge_writes(p, p.body())
    assert not q.forward(first) and q.forward(second) == q.body()[0]


# ---- split_write


@pytest.mark.parametrize(
    ("line", "first", "second"),
    [
        ("x[0] = a + b", "x[0] = a", "x[0] += b"),
        ("x[0] += a * b + y[0]", "x[0] += a * b", "x[0] += y[0]"),
        ("x[0] = a - b", "x[0] = a", "x[0] += -b"),
        ("x[0] = x[0] + b", "x[0] = x[0]", "x[0] += b"),
        ("x[0] = x[0] - 2.0", "x[0] = x[0]", "x[0] += -2.0"),
        ("x[0] = a * b", "x[0] = a", "x[0] *= b"),
        ("x[0] *= a * b", "x[0] *= a", "x[0] *= b"),
        ("x[0] = min(a, b + y[0])", "x[0] = a", "x[0] @= min(b + y[0])"),
        ("x[0] @= max(max(a, b))", "x[0] @= max(a)", "x[0] @= max(b)"),
    ],
)
def test_a_value_of_two_parts_is_written_in_two_steps(line: str, first: str, second: str):
    p = program(line)
    q = split_write(p, p.body()[0])
    assert_body(q, f"{first}\n{second}")
    assert_equivalent(p, q)


def test_split_and_merge_are_inverse():
    p = program("x[0] = a + b", typ="i8")
    q = split_write(p, "x[_] = _")
    assert str(merge_writes(q, q.body())) == str(p)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x[0] = a + x[0]", "the second part would read x after the first has been written"),
        ("x[0] = a + x[n - 1]", "the second part would read x"),
        ("x[0] = a / b", "the right side is not a sum, product, min or max"),
        ("x[0] = f32(a + b)", "the right side is not a sum"),
        ("x[0] *= a + b", r"`\*=` cannot be split where its right side combines by \+"),
        ("x[0] += max(a, b)", r"`\+=` cannot be split where its right side combines by max"),
        ("x[0] = max(a, x[0])", "the second part would read x"),
    ],
)
def test_what_is_not_two_independent_parts_is_not_split(line: str, message: str):
    p = program(line, typ="f32")
    with pytest.raises(SchedulingError, match=message):
        split_write(p, p.body()[0])


def test_a_sum_under_a_cast_is_not_split_as_the_cast_wraps():
    p = parse("def f(x: u8[1], y: u8[2]):\n    x[0] = u8(i32(y[0]) + i32(y[1]))")
    with pytest.raises(SchedulingError, match="not a sum"):
        split_write(p, "x[_] = _")


def test_cursors_follow_the_parts():
    p = program("x[0] = a * 2.0 + b * 3.0", "y[0] = a")
    q = split_write(p, "x[_] = _")
    assert q.forward(p.find("x[_] = _")) == q.find("x[_] = _")
    assert q.forward(p.find("a * 2.0")) == q.find("a * 2.0") and q.forward(p.find("b * 3.0")) == q.find("b * 3.0")
    assert q.forward(p.find("y[_] = _")) == q.find("y[_] = _")


# ---- fold_into_reduce


@pytest.mark.parametrize(
    ("line", "folded"),
    [
        ("x[0] = x[0] + a", "x[0] += a"),
        ("x[0] = a + x[0]", "x[0] += a"),
        ("x[0] = x[0] + a - b", "x[0] += a - b"),
        ("x[0] = x[0] - a", "x[0] += -a"),
        ("x[0] = x[0] + x[0]", "x[0] += x[0]"),
        ("x[n] = x[n + 1 - 1] + a * b", "x[n] += a * b"),
        ("x[idx(k[0], 0, n)] = x[idx(k[0], 0, n)] + a", "x[idx(k[0], 0, n)] += a"),
        ("x[0] = x[0] * a", "x[0] *= a"),
        ("x[0] = a * x[0]", "x[0] *= a"),
        ("x[0] = x[0] * a * b", "x[0] *= a * b"),
        ("x[0] = max(x[0], a)", "x[0] @= max(a)"),
        ("x[n] = min(a + b, x[n + 1 - 1])", "x[n] @= min(a + b)"),
        ("x[0] = max(max(x[0], a), b)", "x[0] @= max(max(a, b))"),
        ("x[0] = select(x[0], a, a, x[0])", "x[0] @= max(a)"),
        ("x[0] = select(a, x[0], x[0], a)", "x[0] @= max(a)"),
        ("x[0] = select(x[0], a, x[0], a)", "x[0] @= min(a)"),
        ("x[0] = select(a, x[0], a, x[0])", "x[0] @= min(a)"),
    ],
)
@pytest.mark.parametrize("typ", ["f32", "u8"])
def test_an_assignment_that_combines_with_its_target_becomes_a_reduction(line: str, folded: str, typ: str):
    p = program(line, typ=typ)
    q = fold_into_reduce(p, "x[_] = _")
    assert_body(q, folded)
    assert_equivalent(p, q)


@pytest.mark.parametrize(
    "line",
    [
        "x[0] = a - x[0]",
        "x[0] = x[1] + a",
        "x[0] = x[n - 1] + a",
        "x[0] = x[0] / a",
        "x[0] = y[0] + a",
        "x[0] = y[0] * a",
        "x[0] = max(y[0], a)",
        "x[0] = max(a + b, min(x[0], b))",
        "x[0] = select(x[0], a, b, x[0])",
        "x[0] = a + b",
        "x[0] = max(x[0] + a, b)",
        "x[idx(k[0], 0, n)] = x[idx(k[1], 0, n)] + a",
    ],
)
def test_what_is_not_such_an_addition_is_refused(line: str):
    p = program(line)
    with pytest.raises(
        SchedulingError, match="fold_into_reduce: the right side is not x, as it is written here, plus something"
    ):
        fold_into_reduce(p, "x[_] = _")


@pytest.mark.parametrize("typ", ["f32", "i8"])
@pytest.mark.parametrize(
    ("cond", "op"),
    [
        ("a > x[n]", "max"),
        ("x[n] < a", "max"),
        ("a >= x[n]", "max"),
        ("x[n] <= a", "max"),
        ("a < x[n]", "min"),
        ("x[n] > a", "min"),
        ("a <= x[n]", "min"),
        ("x[n] >= a", "min"),
    ],
)
def test_a_comparison_before_an_assignment_becomes_a_reduction(cond: str, op: str, typ: str):
    p = program(f"if {cond}:", "    x[n] = a", typ=typ)
    q = fold_into_reduce(p, "if _: _")
    assert_body(q, f"x[n] @= {op}(a)")
    assert_refines(p, q)  # it has a value where the comparison has none
    assert q.forward(p.find("if _: _")) == q.forward(p.find("x[_] = _")) == q.body()[0]
    assert q.forward(p.find("x[_] = _").rhs()) == q.body()[0].rhs()
    assert not q.forward(p.find("if _: _").cond())


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("if a > x[1]:", "    x[0] = a"), "does not compare x"),
        (("if a > x[0]:", "    x[0] = b"), "does not compare x"),
        (("if a == x[0]:", "    x[0] = a"), "does not compare x"),
        (("if a > x[0] and a > b:", "    x[0] = a"), "does not compare x"),
        (("if a > x[0]:", "    x[0] = a", "else:", "    x[0] = b"), "or an `if` around one alone, found If"),
        (("if a > x[0]:", "    x[0] = a", "    y[0] = b"), "or an `if` around one alone, found If"),
    ],
)
def test_another_branch_is_not_folded(lines: tuple[str, ...], message: str):
    p = program(*lines)
    with pytest.raises(SchedulingError, match=message):
        fold_into_reduce(p, "if _: _")


def test_a_sum_that_saturates_later_is_not_folded():
    p = parse("def f(x: u8[1], y: u8):\n    x[0] = u8(f32(x[0]) + f32(y))")
    with pytest.raises(SchedulingError, match="the right side is not x"):
        fold_into_reduce(p, "x[_] = _")


def test_a_reduction_is_not_folded_again():
    p = program("x[0] += a")
    with pytest.raises(SchedulingError, match="an assignment is wanted here, or an `if` around one alone, found Reduce"):
        fold_into_reduce(p, "x[_] += _")


def test_the_target_through_a_window_is_recognised():
    p = program("w = x[1:3]", "w[1] = x[2] + a")
    q = fold_into_reduce(p, "w[_] = _")
    assert_body(q, "w = x[1:3]\nw[1] += a")
    assert_equivalent(p, q)


def test_cursors_stay_with_the_statement_and_the_term():
    p = program("x[0] = x[0] + a * b")
    q = fold_into_reduce(p, "x[_] = _")
    assert q.forward(p.find("x[_] = _")) == q.find("x[_] += _")
    assert q.forward(p.find("a * b")) == q.find("a * b")
    assert not q.forward(p.find("x[_] = _").rhs().lhs())
