"""simplify looks again only where something may have become shorter: at what changed, and where more is known."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.primitives.equivalence import assert_body, body_text, parse
from usl_core.analysis.context import Context
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.nodes import index_literal
from usl_core.ir.traverse import update
from usl_core.ir.types import F32, INDEX, TensorType
from usl_core.primitives.loops.cut_loop import cut_loop
from usl_core.primitives.loops.specialize import specialize
from usl_core.primitives.procs.add_assertion import add_assertion
from usl_core.primitives.procs.rename import rename
from usl_core.primitives.simplify import simplify
from usl_core.procedure import Procedure, from_ir

CFG = Config("Cfg", {"a": ConfigField("a", INDEX), "b": ConfigField("b", INDEX)})

Change = Callable[[Procedure], Procedure]


def with_columns(p: Procedure, count: int) -> Procedure:
    """p with another extent of the matrix that it allocates first, and all else the very same."""
    alloc, *rest = p.ir.body
    shape = index_literal(4), index_literal(count)
    return from_ir(update(p.ir, body=(update(alloc, type=TensorType(F32, shape)), *rest)))


@pytest.mark.parametrize(
    ("text", "change", "expected"),
    [
        ("for i in seq(0, n):\n        x[i] = 0.0", lambda p: add_assertion(p, "n == 1"), "x[0] = 0.0"),
        (
            "for i in seq(0, 8):\n        if i < n:\n            x[0] = 0.0",
            lambda p: specialize(p, p.find_loop("i"), ["n > 7"]),
            """
            if n > 7:
                for i in seq(0, 8):
                    x[0] = 0.0
            else:
                for i in seq(0, 8):
                    if i < n:
                        x[0] = 0.0
            """,
        ),
        (
            "for i in seq(0, 3):\n        for j in seq(0, i + 1):\n            x[0] = 0.0",
            lambda p: cut_loop(p, "i", 1),
            """
            x[0] = 0.0
            for i in seq(1, 3):
                for j in seq(0, i + 1):
                    x[0] = 0.0
            """,
        ),
        (
            "t: f32[4, n]\n    if stride(t, 0) == 8:\n        x[0] = 0.0",
            lambda p: with_columns(p, 8),
            "t: f32[4, 8]\nx[0] = 0.0",
        ),
        (
            "Cfg.b = n\n    for i in seq(0, n):\n        if Cfg.a == 3:\n            x[i] = 0.0",
            lambda p: add_assertion(p, "Cfg.a == 3"),
            "Cfg.b = n\nfor i in seq(0, n):\n    x[i] = 0.0",
        ),
    ],
    ids=["assertion", "branch", "iterator", "stride", "field"],
)
def test_what_is_unchanged_is_shortened_where_more_is_known_of_it(text: str, change: Change, expected: str) -> None:
    p = parse(f"def f(n: size, x: f32[n]):\n    {text}", Cfg=CFG)
    q = change(simplify(p))
    assert_body(simplify(q), expected)
    anew = parse(str(q), Cfg=CFG)
    assert body_text(simplify(anew)) == body_text(simplify(q))


def test_loops_that_run_once_go_when_they_may_go() -> None:
    p = parse("def f(x: f32[8]):\n    for i in seq(0, 1):\n        x[i] = 0.0")
    kept = simplify(rename(p, "g"), keep_unit_loops=True)
    assert_body(kept, "for i in seq(0, 1):\n    x[i] = 0.0")
    assert_body(simplify(kept), "x[0] = 0.0")


def test_what_did_not_change_is_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "for i{0} in seq(0, n):\n        if i{0} < m:\n            x[i{0}] = 0.0"
    body = "\n    ".join(text.format(k) for k in range(3))
    p = simplify(parse(f"def f(n: size, m: size, x: f32[n]):\n    {body}"))
    q = cut_loop(p, "i1", "1")
    asked: list[str] = []
    holds = Context.holds

    def listening(self: Context, goal: object) -> bool:
        asked.append(" ".join(loop.iter.name for loop in self.scope.loops))
        return holds(self, goal)  # type: ignore[arg-type]

    monkeypatch.setattr(Context, "holds", listening)
    simplify(q)
    assert "i1" in asked and not {"i0", "i2"} & set(asked)
