"""Legal steps of `bind_config`."""

from __future__ import annotations

from tests.corpus.callees import CONFIGURED, REGISTERS
from tests.corpus.case import Legal
from usl_core.scheduling import bind_config

_LOAD = """
def load(n: size, ld: index, dst: [f32][n], src: [f32][n]):
    for k in seq(0, n):
        dst[k] = src[k] + f32(ld)
"""

CASES = [
    Legal(
        "bind_config",
        "the_stride_of_a_load",
        "n: size, x: f32[n, n], y: f32[n]",
        "for i in seq(0, n):\n    load(n, stride(x, 0), y[0:n], x[i, 0:n])",
        lambda p, c: bind_config(p, p.find("load(_)").find("stride(x, 0)"), REGISTERS, "a"),
        "for i in seq(0, n):\n    Reg.a = stride(x, 0)\n    load(n, Reg.a, y[0:n], x[i, 0:n])",
        callees=(_LOAD,),
        scope=CONFIGURED,
    ),
    Legal(
        "bind_config",
        "a_factor",
        "n: size, x: f32[n], y: f32[n]",
        "for i in seq(0, n):\n    y[i] = x[0] * y[i]",
        lambda p: bind_config(p, p.find("x[0]"), REGISTERS, "scale"),
        "for i in seq(0, n):\n    Reg.scale = x[0]\n    y[i] = Reg.scale * y[i]",
        scope=CONFIGURED,
    ),
    Legal(
        "bind_config",
        "the_limit_of_a_loop_whose_body_sets_the_field",
        "n: size, x: f32[n]",
        "for i in seq(0, n):\n    Reg.a = i\n    x[i] = f32(Reg.a)",
        lambda p: bind_config(p, p.find_loop("i").hi(), REGISTERS, "a"),
        "Reg.a = n\nfor i in seq(0, Reg.a):\n    Reg.a = i\n    x[i] = f32(Reg.a)",
        scope=CONFIGURED,
    ),
    Legal(
        "bind_config",
        "a_condition",
        "n: size, x: f32[n]",
        "if n > 3:\n    x[0] = 1.0\nelse:\n    x[0] = 2.0",
        lambda p: bind_config(p, p.find("n > 3"), REGISTERS, "on"),
        "Reg.on = n > 3\nif Reg.on:\n    x[0] = 1.0\nelse:\n    x[0] = 2.0",
        scope=CONFIGURED,
    ),
    Legal(
        "bind_config",
        "what_is_written_to_the_field_itself",
        "n: size, x: f32[n]",
        "Reg.a = n + 1\nx[0] = f32(Reg.a)",
        lambda p: bind_config(p, p.find("Reg.a = _").find("n"), REGISTERS, "a"),
        "Reg.a = n\nReg.a = Reg.a + 1\nx[0] = f32(Reg.a)",
        scope=CONFIGURED,
    ),
]
