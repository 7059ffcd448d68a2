"""What the tests of the operators on configuration share."""

from __future__ import annotations

from textwrap import indent

from tests.primitives.equivalence import parse
from usl_core.ir.config import Config, ConfigField, FieldSym
from usl_core.ir.types import BOOL, F32, I32, INDEX, SIZE
from usl_core.procedure import Procedure

CFG = Config(
    "Cfg",
    {
        "a": ConfigField("a", INDEX),
        "b": ConfigField("b", INDEX),
        "len": ConfigField("len", SIZE),
        "on": ConfigField("on", BOOL),
        "scale": ConfigField("scale", F32),
        "count": ConfigField("count", I32),
        "mode": ConfigField("mode", INDEX, readable=False),
    },
)
CALLEES = {
    "set_a": parse("def set_a(v: index):\n    Cfg.a = v", Cfg=CFG),
    "set_both": parse("def set_both(v: index):\n    Cfg.a = v\n    Cfg.b = 1", Cfg=CFG),
    "needs_a": parse("def needs_a(v: index, d: [f32][1]):\n    assert Cfg.a == v\n    d[0] = 1.0", Cfg=CFG),
    "takes": parse("def takes(v: index, d: [f32][1]):\n    d[0] = f32(v)"),
    "scaled": parse("def scaled(v: f32, d: [f32][1]):\n    d[0] = v * Cfg.scale", Cfg=CFG),
    "sets_data": parse("def sets_data(d: [f32][1]):\n    Cfg.a = 1\n    d[0] = 1.0", Cfg=CFG),
    "nothing": parse("def nothing(v: index):\n    pass"),
    "stops": parse("def stops(v: index):\n    check(v > 0)\n    Cfg.a = v", Cfg=CFG),
}


def program(body: str) -> Procedure:
    """A procedure with a size n, a truth value q, a scalar s and a buffer x, that may call CALLEES."""
    return parse("def f(n: size, q: bool, s: f32, x: f32[n + 1]):\n" + indent(body, "    "), Cfg=CFG, **CALLEES)


def fields(*names: str) -> frozenset[FieldSym]:
    return frozenset(CFG.sym(name) for name in names)
