"""Single conditions of the operators on buffers that their own tests do not single out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.primitives.equivalence import parse
from usl_core.errors import SchedulingError
from usl_core.primitives.buffers.expand_dim import expand_dim
from usl_core.primitives.buffers.lift_alloc import lift_alloc
from usl_core.primitives.buffers.resize_dim import resize_dim
from usl_core.primitives.buffers.reuse_buffer import reuse_buffer
from usl_core.primitives.buffers.stage_mem import stage_mem
from usl_core.primitives.exprs.bind_expr import bind_expr
from usl_core.procedure import Procedure


def foo(body: str) -> Procedure:
    return parse("def foo(n: size, x: f32[16], y: f32[16], z: f32[8, 16], k: i32):\n    " + body.replace("\n", "\n    "))


SHARED = "for i in par(0, 4):\n    t: f32[4]\n    w = t[0:2]\n    w[0] = x[i]\n    y[i] = w[0]"
POINT = foo("for j in seq(0, 16): z[2, j] = 1.0")
LATER = foo("t: f32[16]\nfor i in seq(0, 14):\n    t[i] = 1.0\n    t[i + 2] = 2.0\n    y[i] = t[i]")
DOWN = foo("t: f32[16]\nt[8] = 1.0\nt[4] = 2.0\ny[0] = t[8]")
UP = foo("t: f32[16]\nt[4] = 1.0\nt[8] = 2.0\ny[0] = t[4]")
TWO = foo("a: f32[4]\nb: f32[4]\na[0] = x[0]\nb[0] = x[1]\ny[0] = a[0]\ny[1] = b[0]")
FIRST = foo("a: f32[4]\nb: f32[4]\nb[0] = x[1]\na[0] = x[0]\ny[0] = a[0]\ny[1] = b[0]")
SEEN = foo("w = x[0:4]\ny[0] = w[0]\nx[0] = 2.0\ny[1] = w[0]")
INSIDE = foo("t: f32\nfor i in seq(0, 4):\n    t = x[i]\n    y[i] = t\nfor j in seq(0, 4):\n    t = x[j]\n    y[j] = t")

CASES: list[tuple[Callable[[], Any], str]] = [
    (lambda: lift_alloc(foo(SHARED), "t"), "would share elements of t"),
    (lambda: stage_mem(POINT, POINT.find_loop("j"), "z[2, 0:15]", "t"), "cannot prove that z.2, j. lies inside the window"),
    (lambda: resize_dim(DOWN, "t", 0, 4, 0, fold=True), "is overwritten by another one"),
    (lambda: resize_dim(UP, "t", 0, 4, 0, fold=True), "is overwritten by another one"),
    (lambda: resize_dim(LATER, "t", 0, 2, 0, fold=True), "is overwritten by another one"),
    (lambda: reuse_buffer(TWO, "a", "b"), "a value of a is needed after b is written"),
    (lambda: reuse_buffer(FIRST, "a", "b"), "a value of b is needed after a is written"),
    (lambda: expand_dim(INSIDE, "t", 4, "i"), "not visible at all uses|i"),
    (lambda: bind_expr(SEEN, SEEN.find("w[_]", many=True), "v"), "may be modified before its last use"),
    (lambda: stage_mem(SEEN, SEEN.find("x[0] = _"), "w[0:4]", "v"), "also reaches w under the name x"),
]


@pytest.mark.parametrize(("step", "message"), CASES, ids=[f"{n}-{message[:20]}" for n, (_, message) in enumerate(CASES)])
def test_each_condition_by_itself_is_refused(step: Callable[[], Any], message: str) -> None:
    with pytest.raises(SchedulingError, match=message):
        step()
