"""`if_to_select`."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_refines, parse
from usl_core.errors import SchedulingError
from usl_core.primitives.stmts.if_to_select import if_to_select
from usl_core.procedure import Procedure


def program(text: str, typ: str = "f32") -> Procedure:
    body = "\n".join(f"            {line}" for line in text.strip("\n").splitlines())
    return parse(f"""
        def f(n: size, x: {typ}[n], y: {typ}[n], k: i32[n], i: index, a: {typ}, b: {typ}):
            assert 0 <= i and i < n
{body}
        """)


@pytest.mark.parametrize("typ", ["f32", "i8"])
@pytest.mark.parametrize(
    ("cond", "value"),
    [
        ("a < b", "select(a, b, y[i], b)"),
        ("a > b", "select(b, a, y[i], b)"),
        ("a <= b", "select(b, a, b, y[i])"),
        ("a >= b", "select(a, b, b, y[i])"),
        ("a == b", "select(a, b, b, select(b, a, b, y[i]))"),
        ("a != b", "select(a, b, y[i], select(b, a, y[i], b))"),
        ("a < b and x[i] < a", "select(a, b, select(x[i], a, y[i], b), b)"),
        ("a < b or x[i] < a", "select(a, b, y[i], select(x[i], a, y[i], b))"),
    ],
)
def test_every_comparison_chooses(cond: str, value: str, typ: str) -> None:
    p = program(f"if {cond}:\n    x[i] = y[i]\nelse:\n    x[i] = b", typ)
    q = if_to_select(p, "if _: _")
    assert_body(q, f"x[i] = {value}")
    assert_refines(p, q)


@pytest.mark.parametrize(
    ("write", "result"),
    [
        ("x[i] = y[i]", "x[i] = select(a, b, y[i], x[i])"),
        ("x[i] += y[i]", "x[i] += select(a, b, y[i], 0.0)"),
        ("x[i] *= y[i]", "x[i] *= select(a, b, y[i], 1.0)"),
        ("x[i] @= max(y[i])", "x[i] @= max(select(a, b, y[i], x[i]))"),
    ],
)
def test_a_missing_branch_changes_nothing(write: str, result: str) -> None:
    p = program(f"if a < b:\n    {write}")
    q = if_to_select(p, "if _: _")
    assert_body(q, result)
    assert_refines(p, q)
    other = program(f"if a < b:\n    pass\nelse:\n    {write}")
    assert_refines(other, if_to_select(other, "if _: _"))


def test_several_places_are_written_in_order() -> None:
    p = program("if a < b:\n    y[i] = a\n    x[i] += y[i]\nelse:\n    pass\n    y[i] = b\n    x[i] += a")
    q = if_to_select(p, "if _: _")
    assert_body(q, "y[i] = select(a, b, a, b)\nx[i] += select(a, b, y[i], a)")
    assert_refines(p, q)
    branch = p.find("if _: _")
    assert q.forward(branch) == q.forward(branch.body()[0]) == q.forward(branch.orelse()[1]) == q.body()[0]
    assert q.forward(branch.body()[1]) == q.forward(branch.orelse()[2]) == q.body()[1]
    assert q.forward(branch.body()[1].rhs()).name() == "y" and not q.forward(branch.cond())


def test_the_greatest_integer_is_compared_with_the_least_one() -> None:
    p = program("if a < b:\n    x[i] @= max(y[i])", "i8")
    q = if_to_select(p, "if _: _")
    assert_body(q, "x[i] @= max(select(a, b, y[i], -128))")
    assert_refines(p, q)


@pytest.mark.parametrize(
    ("text", "message", "code"),
    [
        ("if i < 3:\n    x[i] = a", "i < 3 is no comparison of data", "E404"),
        ("if a < b and i < 3:\n    x[i] = a", "i < 3 is no comparison of data", "E404"),
        ("if a < b:\n    x[i] = a\n    check(n > 1)", "a branch has Check in it", "E404"),
        ("if a < b:\n    if b < a:\n        x[i] = a", "a branch has If in it", "E404"),
        ("if a < b:\n    pass", "the branches write nothing", "E412"),
        ("if a < b:\n    x[i] = a\nelse:\n    y[i] = a", "not proved to write the same place", "E412"),
        ("if a < b:\n    x[i] = a\nelse:\n    x[n - 1] = a", "not proved to write the same place", "E412"),
        ("if a < b:\n    x[i] = a\n    y[i] = a\nelse:\n    x[i] = a", "the branches write different places", "E412"),
        ("if a < b:\n    x[i] += a\nelse:\n    x[i] = a", "one branch assigns what the other one reduces into", "E412"),
        ("if a < b:\n    x[i] += a\nelse:\n    x[i] *= a", "both reduce by different operations", "E412"),
        ("if a < y[i]:\n    y[i] = a\n    x[i] = a", "the condition reads y", "E411"),
        ("if a < b:\n    x[i] = y[idx(k[i], 0, n)]", "an index in a branch is made of data", "E418"),
        ("if a < b:\n    x[idx(k[i], 0, n)] = a", "an index in a branch is made of data", "E418"),
        ("if a < b and x[idx(k[i], 0, n)] < a:\n    x[i] = a", "an index made of data", "E418"),
    ],
)
def test_what_is_no_choice_between_values_is_refused(text: str, message: str, code: str) -> None:
    with pytest.raises(SchedulingError, match=message) as caught:
        if_to_select(program(text), "if _: _")
    assert caught.value.code == code
