"""Keys of computations: code whose work depends on configuration state has none."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import parse
from usl_core.analysis.computation import computation
from usl_core.analysis.context import Context
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.types import BOOL, F32, INDEX

CFG = Config("Cfg", {"a": ConfigField("a", F32), "n": ConfigField("n", INDEX), "on": ConfigField("on", BOOL)})
PUT = parse("def put(n: index, on: bool, d: f32):\n    if on: d = f32(n)")
STORE = parse("def store(d: f32): Cfg.a = d", Cfg=CFG)
SCOPE = {"Cfg": CFG, "put": PUT, "store": STORE}


def has_key(body: str) -> bool:
    program = parse("def foo(n: index, on: bool, x: f32[4]):\n    " + body, **SCOPE).ir
    return computation(Context.of_proc(program), program.body) is not None


@pytest.mark.parametrize(
    ("control", "state"),
    [
        ("x[max(0, min(n, 3))] = 1.0", "x[max(0, min(Cfg.n, 3))] = 1.0"),
        ("x[0] = x[max(0, min(n, 3))]", "x[0] = x[max(0, min(Cfg.n, 3))]"),
        ("x[0] += f32(n)", "x[0] += f32(Cfg.n)"),
        ("x[0] = x[1]", "x[0] = Cfg.a"),
        ("for i in seq(0, max(0, n)): x[0] = 1.0", "for i in seq(0, max(0, Cfg.n)): x[0] = 1.0"),
        ("if on: x[0] = 1.0", "if Cfg.on: x[0] = 1.0"),
        ("check(on)", "check(Cfg.on)"),
        ("put(n, on, x[0])", "put(Cfg.n, on, x[0])"),
        ("put(n, on, x[0])", "put(n, Cfg.on, x[0])"),
        ("put(n, on, x[max(0, min(n, 3))])", "put(n, on, x[max(0, min(Cfg.n, 3))])"),
        ("put(n, on, x[0])", "store(x[0])"),
        ("x[0] = 1.0", "Cfg.a = 1.0"),
    ],
)
def test_code_that_depends_on_configuration_has_no_key(control: str, state: str) -> None:
    assert has_key(control)
    assert not has_key(state)
