"""Walks over trees: what they say of a program."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import parse
from usl_core.ir.nodes import Assign, If
from usl_core.ir.traverse import depends_on_data

HEAD = "def f(n: size, x: f32[8], k: i32[8], b: bool):\n    "


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("n > 3", False),
        ("b", False),
        ("b and n % 2 == 0", False),
        ("x[0] < 1.0", True),
        ("n > 3 and x[0] < 1.0", True),
        ("x[idx(k[0], 0, 8)] < 1.0", True),
    ],
)
def test_a_condition_depends_on_data_if_data_decide_it(condition: str, expected: bool) -> None:
    (branch,) = parse(f"{HEAD}if {condition}:\n        x[0] = 1.0").ir.body
    assert isinstance(branch, If)
    assert depends_on_data(branch.cond) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [("x[0] * x[n % 8]", False), ("x[idx(k[0], 0, 8)]", True), ("1.0 + f32(idx(k[0], 0, 8))", True), ("f32(k[0])", False)],
)
def test_an_expression_depends_on_data_if_data_choose_a_place(expression: str, expected: bool) -> None:
    (stmt,) = parse(f"{HEAD}x[0] = {expression}").ir.body
    assert isinstance(stmt, Assign)
    assert depends_on_data(stmt.rhs) == expected
