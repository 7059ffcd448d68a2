"""Fragments: text read in the scope at a place."""

from __future__ import annotations

import pytest

from usl_core.errors import ParseError, TypeError_
from usl_core.frontend.fragment import env_at, parse_cond, parse_expr, parse_window
from usl_core.frontend.parser import parse_source
from usl_core.ir.nodes import Alloc, For, If, Literal, Read, WindowExpr
from usl_core.ir.printer import show
from usl_core.ir.types import BOOL, F32, INDEX

PROC = parse_source(
    """\
def f(n: size, x: f32[n, 8], b: bool):
    t: f32
    for i in seq(0, n):
        if i < 3:
            t: f32[4]
            t[0] = 1.0
        else:
            w = x[0:4, 1]
            for i in seq(0, 2):
                w[i] = 0.0
    pass
"""
)
LOOP = (("body", 1),)
BRANCH = (*LOOP, ("body", 0))
INNER = (*BRANCH, ("orelse", 1))


def names(path: tuple[tuple[str, int | None], ...]) -> set[str]:
    return set(env_at(PROC, path))


def test_names_are_those_visible_just_before_the_node() -> None:
    assert names((("body", 0),)) == {"n", "x", "b"}
    assert names(LOOP) == {"n", "x", "b", "t"}
    assert names((*LOOP, ("lo", None))) == {"n", "x", "b", "t"}
    assert names(BRANCH) == {"n", "x", "b", "t", "i"}
    assert names((("body", 2),)) == {"n", "x", "b", "t"}


def test_a_place_may_be_the_end_of_a_block() -> None:
    assert names((*BRANCH, ("orelse", 2))) == {"n", "x", "b", "t", "i", "w"}
    assert names((("body", 3),)) == {"n", "x", "b", "t"}


def test_a_formal_sees_the_formals_before_it() -> None:
    assert names((("args", 1),)) == {"n"}
    assert names((("args", 1), ("shape", 0))) == {"n"}
    assert names((("preds", 0),)) == {"n", "x", "b"}


def test_the_innermost_binding_wins() -> None:
    loop = PROC.body[1]
    assert isinstance(loop, For)
    branch = loop.body[0]
    assert isinstance(branch, If)
    inner_t, inner_loop = branch.body[0], branch.orelse[1]
    assert isinstance(inner_t, Alloc) and isinstance(inner_loop, For)
    assert env_at(PROC, (*BRANCH, ("body", 1)))["t"].sym is inner_t.name
    assert env_at(PROC, (*INNER, ("body", 0)))["i"].sym is inner_loop.iter
    assert env_at(PROC, INNER)["i"].sym is loop.iter


def test_a_name_is_also_found_as_it_is_printed() -> None:
    env = env_at(PROC, (*INNER, ("body", 0)))
    assert "for i_1 in seq(0, 2):" in show(PROC)
    assert env["i_1"].sym is env["i"].sym


def test_a_window_lives_in_the_memory_of_its_buffer() -> None:
    env = env_at(PROC, INNER)
    assert env["w"].mem is env["x"].mem
    assert env["w"].rank == 1


def test_an_expression_is_typed_by_the_scope() -> None:
    env = env_at(PROC, BRANCH)
    expr = parse_expr(" 2 * i + n - width ", env, {"width": 4})
    assert show(expr) == "2 * i + n - 4"
    assert expr.type is INDEX


def test_a_number_takes_the_wanted_type_and_is_an_index_without_one() -> None:
    assert parse_expr("3", {}).type is INDEX
    wanted = parse_expr("3", {}, want=F32)
    assert isinstance(wanted, Literal)
    assert wanted.type is F32
    with pytest.raises(TypeError_, match="must be f32 data, not an index"):
        parse_expr("n", env_at(PROC, LOOP), want=F32)


def test_a_condition_depends_on_control_values() -> None:
    env = env_at(PROC, BRANCH)
    assert parse_cond("0 <= i < n and b", env).type is BOOL
    with pytest.raises(TypeError_, match="must depend on control values only"):
        parse_cond("t < 1.0", env)
    with pytest.raises(TypeError_, match=r"must be a truth value \(bool\), not an index"):
        parse_cond("n + 1", env)


def test_a_window_an_element_and_a_whole_buffer() -> None:
    env = env_at(PROC, BRANCH)
    window, element, whole, scalar = (parse_window(text, env) for text in ("x[i:, 0:4]", "x[i, 3]", "x", "t"))
    assert isinstance(window, WindowExpr)
    assert show(window) == "x[i:n, 0:4]"
    assert isinstance(element, Read) and len(element.idx) == 2
    assert isinstance(whole, Read) and not whole.idx
    assert scalar.type == F32


@pytest.mark.parametrize("text", ["x + 1", "3", "min(n, 3)"])
def test_what_is_not_a_window_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match="is not a window; write"):
        parse_window(text, env_at(PROC, BRANCH))


def test_an_error_shows_the_fragment_with_a_caret() -> None:
    with pytest.raises(TypeError_) as caught:
        parse_expr("i + m", env_at(PROC, BRANCH))
    assert str(caught.value).splitlines()[:3] == ["<i + m>:1:5: unknown name m", "    i + m", "        ^"]


@pytest.mark.parametrize(("text", "column"), [("i +", 4), ("i j", 3), ("", 1), ("x = 3", 3)])
def test_a_fragment_that_is_no_expression_is_refused_at_its_place(text: str, column: int) -> None:
    with pytest.raises(ParseError) as caught:
        parse_expr(text, env_at(PROC, BRANCH))
    assert caught.value.span is not None
    assert caught.value.span.column == column
