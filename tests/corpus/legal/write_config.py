"""Legal steps of `write_config`."""

from __future__ import annotations

from tests.corpus.callees import CONFIGURED, NEEDS_A, REGISTERS, SCALED
from tests.corpus.case import Legal
from usl_core.scheduling import write_config

CASES = [
    Legal(
        "write_config",
        "a_field_that_nobody_reads",
        "n: size, x: f32[n]",
        "for i in seq(0, n):\n    x[i] = 1.0",
        lambda p: write_config(p, p.find("x[_] = _").before(), REGISTERS, "a", "i + n"),
        "for i in seq(0, n):\n    Reg.a = i + n\n    x[i] = 1.0",
        scope=CONFIGURED,
    ),
    Legal(
        "write_config",
        "a_field_that_is_written_again",
        "n: size, x: f32[n]",
        "Reg.scale = 2.0\nfor i in seq(0, n):\n    x[i] = Reg.scale",
        lambda p: write_config(p, p.body()[0].before(), REGISTERS, "scale", "x[0]"),
        "Reg.scale = x[0]\nReg.scale = 2.0\nfor i in seq(0, n):\n    x[i] = Reg.scale",
        scope=CONFIGURED,
    ),
    Legal(
        "write_config",
        "what_the_field_holds_already",
        "n: size, x: f32[n + 1]",
        "Reg.a = n\nfor i in seq(0, n):\n    needs_a(n, x[i:i + 1])",
        lambda p, c: write_config(p, p.find("needs_a(_)").before(), REGISTERS, "a", "n"),
        "Reg.a = n\nfor i in seq(0, n):\n    Reg.a = n\n    needs_a(n, x[i:i + 1])",
        callees=(NEEDS_A,),
        scope=CONFIGURED,
    ),
    Legal(
        "write_config",
        "what_each_way_leaves_there",
        "n: size, q: bool, x: f32[n + 1]",
        "if q:\n    Reg.a = 4\nelse:\n    for i in seq(0, n):\n        Reg.a = 4\nx[0] = f32(Reg.a)",
        lambda p: write_config(p, p.body()[0].after(), REGISTERS, "a", 4),
        "if q:\n    Reg.a = 4\nelse:\n    for i in seq(0, n):\n        Reg.a = 4\nReg.a = 4\nx[0] = f32(Reg.a)",
        scope=CONFIGURED,
    ),
    Legal(
        "write_config",
        "before_a_loop_that_writes_it_first",
        "n: size, x: f32[n], y: f32[n]",
        "for i in seq(0, n):\n    Reg.scale = x[i]\n    scaled(1, y[i:i + 1], x[i:i + 1])",
        lambda p, c: write_config(p, p.find_loop("i").before(), REGISTERS, "scale", 1.0),
        callees=(SCALED,),
        scope=CONFIGURED,
    ),
    Legal(
        "write_config",
        "a_truth_value",
        "n: size, x: f32[n]",
        "x[0] = 1.0",
        lambda p: write_config(p, p.body()[0].after(), REGISTERS, "on", True),
        "x[0] = 1.0\nReg.on = True",
        scope=CONFIGURED,
    ),
]
