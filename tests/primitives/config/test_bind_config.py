"""bind_config."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.primitives.config.programs import CFG, fields, program
from tests.primitives.equivalence import assert_body, assert_equivalent
from usl_core.errors import SchedulingError
from usl_core.ir.nodes import ReadConfig
from usl_core.primitives.config.bind_config import bind_config
from usl_core.procedure import Procedure


@pytest.mark.parametrize(
    ("body", "expr", "field", "expected"),
    [
        ("takes(n + 1, x[0:1])", "n + 1", "a", "Cfg.a = n + 1\ntakes(Cfg.a, x[0:1])"),
        ("takes(stride(x, 0), x[0:1])", "stride(x, 0)", "a", "Cfg.a = stride(x, 0)\ntakes(Cfg.a, x[0:1])"),
        ("takes(n, x[0:1])", "n", "len", "Cfg.len = n\ntakes(Cfg.len, x[0:1])"),
        ("x[0] = s * x[1]", "s * x[1]", "scale", "Cfg.scale = s * x[1]\nx[0] = Cfg.scale"),
        ("x[0] += 2.0", "2.0", "scale", "Cfg.scale = 2.0\nx[0] += Cfg.scale"),
        (
            "for i in seq(0, n):\n    x[i] = f32(i)",
            "f32(i)",
            "scale",
            "for i in seq(0, n):\n    Cfg.scale = f32(i)\n    x[i] = Cfg.scale",
        ),
        ("if n > 2:\n    x[0] = 1.0", "n > 2", "on", "Cfg.on = n > 2\nif Cfg.on:\n    x[0] = 1.0"),
        ("if x[0] > s:\n    x[0] = 1.0", "x[0]", "scale", "Cfg.scale = x[0]\nif Cfg.scale > s:\n    x[0] = 1.0"),
        ("check(n > 0)", "n", "a", "Cfg.a = n\ncheck(Cfg.a > 0)"),
        ("Cfg.b = n + 1", "n", "a", "Cfg.a = n\nCfg.b = Cfg.a + 1"),
        ("x[n - 1] = 1.0", "n - 1", "a", "Cfg.a = n - 1\nx[Cfg.a] = 1.0"),
    ],
)
def test_the_expression_is_read_from_the_field(body: str, expr: str, field: str, expected: str) -> None:
    p = program(body)
    cursor = p.find(expr)
    q = bind_config(p, cursor, CFG, field)
    assert_body(q, expected)
    assert q.history()[-1].modulo == fields(field)
    assert isinstance(q.forward(cursor).node, ReadConfig)
    assert_equivalent(p, q)


def test_an_else_if_is_bound_before_itself() -> None:
    p = program("if q:\n    x[0] = 1.0\nelif n > 2:\n    x[0] = 2.0")
    q = bind_config(p, p.find("n > 2"), CFG, "on")
    assert_body(q, "if q:\n    x[0] = 1.0\nelse:\n    Cfg.on = n > 2\n    if Cfg.on:\n        x[0] = 2.0")
    assert_equivalent(p, q)


def test_the_limit_of_a_loop_is_evaluated_once() -> None:
    p = program("for i in seq(0, n):\n    Cfg.a = 0\n    x[i] = 1.0")
    q = bind_config(p, p.find_loop("i").hi(), CFG, "a")
    assert_body(q, "Cfg.a = n\nfor i in seq(0, Cfg.a):\n    Cfg.a = 0\n    x[i] = 1.0")
    assert q.history()[-1].modulo == frozenset()
    assert_equivalent(p, q)


def test_a_field_that_is_written_again_is_no_change() -> None:
    p = program("for i in seq(0, n):\n    takes(i, x[i:i + 1])\n    Cfg.a = n")
    q = bind_config(p, p.find("takes(_)").find("i"), CFG, "a")
    assert q.history()[-1].modulo == frozenset()
    assert_equivalent(p, q)


def _loop_index(p: Procedure) -> Any:
    return p.find("f32(i)").find("i")


@pytest.mark.parametrize(
    ("body", "where", "field", "code", "message"),
    [
        ("x[0] = f32(n) + f32(Cfg.a)", lambda p: p.find("n"), "a", "E440", r"Cfg\.a may be read before it is written again"),
        ("x[0] = f32(n)\nx[1] = f32(Cfg.a)", lambda p: p.find("n"), "a", "E440", "may be read"),
        ("for i in seq(0, n):\n    x[0] = f32(Cfg.a)\n    x[i] = f32(i)", _loop_index, "a", "E440", "may be read"),
        ("x[0] = f32(n)", lambda p: p.find("n"), "scale", "E404", r"Cfg\.scale holds f32, but n is index"),
        ("x[0] = f32(n)", lambda p: p.find("f32(n)"), "a", "E404", r"Cfg\.a holds index, but f32\(n\) is f32"),
        ("takes(n, x[0:1])", lambda p: p.find("x[0:1]"), "scale", "E404", r"but x\[0:1\] is a buffer"),
        ("scaled(s, x[0:1])", lambda p: p.find("s"), "count", "E404", r"Cfg\.count holds i32, but s is f32"),
        ("scaled(2.0, x[0:1])", lambda p: p.find("2.0"), "scale", "E404", "must be a location or a number, not a field"),
        ("x[n / 2] = 1.0", lambda p: p.find("2"), "a", "E404", "2 in n / 2 must stay a number"),
        ("x[n % 2] = 1.0", lambda p: p.find("2"), "a", "E404", "must stay a number"),
        ("x[0] = f32(2 * n)", lambda p: p.find("2"), "a", "E404", r"2 in 2 \* n must stay a number"),
        ("x[0] = f32(n * 2)", lambda p: p.find("2"), "a", "E404", r"2 in n \* 2 must stay a number"),
        ("t: f32[n]\nt[0] = 1.0\nx[0] = t[0]", lambda p: p.find("t: _").find("n"), "a", "E420", "the extent of a buffer"),
        ("w = x[0:n]\nw[0] = 1.0", lambda p: p.find("n"), "a", "E420", "the bounds of a window would read"),
        ("takes(1, x[n:n + 1])", lambda p: p.find("n"), "a", "E420", "the bounds of a window would read"),
        ("for i in par(0, n): x[i] = f32(i)", _loop_index, "a", "E442", "inside the parallel loop i"),
        ("x[0] = f32(n)", lambda p: p.find("n"), "z", "E404", "Cfg has no field 'z'"),
        ("x[0] = f32(n)", lambda p: p.body()[0], "a", "E404", "an expression is wanted here"),
        ("x[0] = f32(n - 1)", lambda p: p.find("n - 1"), "len", "E410", "is a size and may be set to less than 1"),
    ],
)
def test_refusals(body: str, where: Callable[[Procedure], Any], field: str, code: str, message: str) -> None:
    p = program(body)
    with pytest.raises(SchedulingError, match=message) as caught:
        bind_config(p, where(p), CFG, field)
    assert caught.value.code == code


def test_other_factors_may_be_bound() -> None:
    p = program("x[0] = f32(2 * n + n / 2)")
    q = bind_config(bind_config(p, p.find("n #0"), CFG, "a"), p.find("n / 2"), CFG, "b")
    assert_body(q, "Cfg.a = n\nCfg.b = n / 2\nx[0] = f32(2 * Cfg.a + Cfg.b)")
    assert_equivalent(p, q)


def test_an_index_made_of_data_is_refused() -> None:
    p = program("x[idx(Cfg.count, 0, n)] = 1.0")
    with pytest.raises(SchedulingError, match="depends on data through idx") as caught:
        bind_config(p, p.find("idx(_, _, _)"), CFG, "a")
    assert caught.value.code == "E418"


def test_an_extent_of_a_formal_is_no_place() -> None:
    p = program("x[0] = 1.0")
    extent = p.find_alloc_or_arg("x").shape()[0]
    with pytest.raises(SchedulingError, match="only expressions in the body"):
        bind_config(p, extent, CFG, "a")
