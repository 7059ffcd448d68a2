"""Single conditions of the operators on loops that their own tests do not single out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.primitives.equivalence import parse
from usl_core.errors import SchedulingError
from usl_core.primitives.loops.fuse import fuse
from usl_core.primitives.loops.join_loops import join_loops
from usl_core.primitives.loops.lift_scope import lift_scope
from usl_core.primitives.loops.reorder_loops import reorder_loops
from usl_core.primitives.procs.add_assertion import add_assertion
from usl_core.procedure import Procedure

HEAD = "def foo(n: size, x: f32[16], y: f32[16]):\n"


def foo(body: str, assertion: str = "True") -> Procedure:
    return parse(HEAD + f"    assert {assertion}\n    " + body.replace("\n", "\n    "))


BOTH = foo("for i in seq(0, 4): x[i] = 1.0\nfor j in seq(0, 4): y[j] = 1.0")
APART = foo("for i in seq(0, 4): x[i] = 1.0\npass\nfor j in seq(0, 4): y[j] = 1.0")
BRANCHES = foo("if n > 3:\n    for i in seq(0, 4): x[i] = 1.0\nelse:\n    pass\n    for j in seq(0, 4): y[j] = 1.0")
COUSINS = foo(
    "for a in seq(0, 2):\n    for i in seq(0, 4): x[i] = 1.0\nfor b in seq(0, 2):\n    pass\n    for j in seq(0, 4): y[j] = 1.0"
)
DATA = "if x[0] < 1.0: y[0] = 1.0\nif {}: y[1] = 1.0"

CASES: list[tuple[Callable[[], Any], str, str]] = [
    (lambda: fuse(_ranges("1, 4", "0, 4"), "i", "j"), "E412", "cannot prove that the ranges"),
    (lambda: fuse(_ranges("0, 4", "0, 5"), "i", "j"), "E412", "cannot prove that the ranges"),
    (lambda: fuse(BOTH, "for j in _: _", "for i in _: _"), "E404", "must directly follow"),
    (lambda: fuse(APART, "for i in _: _", "for j in _: _"), "E404", "must directly follow"),
    (lambda: fuse(BRANCHES, "for i in _: _", "for j in _: _"), "E404", "must directly follow"),
    (lambda: fuse(COUSINS, "for i in _: _", "for j in _: _"), "E404", "must directly follow"),
    (lambda: fuse(_ifs("n > 2"), "if _: _", "if n > 2: _"), "E404", "conditions on data must be the same text"),
    (lambda: fuse(_ifs("x[1] < 1.0"), "if _: _", "if x[1] < _: _"), "E404", "conditions on data must be the same text"),
    (
        lambda: fuse(foo("if n > 2: y[0] = 1.0\nif x[0] < 1.0: y[1] = 1.0"), "if n > 2: _", "if x[0] < _: _"),
        "E404",
        "same text",
    ),
    (lambda: join_loops(_ranges("0, 4", "5, 8", "x[0] = 1.0"), "i", "j"), "E412", "not proved to be"),
    (
        lambda: reorder_loops(foo("for i in seq(0, 4):\n    for j in seq(0, 4): x[j] = 1.0\n    y[i] = 1.0"), "i"),
        "E404",
        "one loop",
    ),
    (lambda: reorder_loops(foo("for i in seq(0, 4): x[i] = 1.0"), "i"), "E404", "one loop"),
    (
        lambda: lift_scope(foo("if x[0] < 1.0:\n    for i in seq(0, 4): x[i] = 2.0"), "for i in _: _"),
        "E411",
        "may change the data",
    ),
    (
        lambda: lift_scope(foo("if x[0] < 1.0:\n    for i in seq(3, n): y[0] = 2.0", "n >= 3"), "for i in _: _"),
        "E412",
        "may not run",
    ),
    (lambda: add_assertion(BOTH, "x[0] < 1.0"), "", "control|data|condition"),
]


def _ranges(first: str, second: str, body: str = "") -> Procedure:
    one, two = (body, body) if body else ("x[i] = 1.0", "y[j] = 1.0")
    return foo(f"for i in seq({first}): {one}\nfor j in seq({second}): {two}")


def _ifs(second: str) -> Procedure:
    return foo(DATA.format(second))


@pytest.mark.parametrize(
    ("step", "code", "message"), CASES, ids=[f"{n}-{message[:20]}" for n, (*_, message) in enumerate(CASES)]
)
def test_each_condition_by_itself_is_refused(step: Callable[[], Any], code: str, message: str) -> None:
    with pytest.raises(SchedulingError, match=message) as caught:
        step()
    assert caught.value.code == code or not code
