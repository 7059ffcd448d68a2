"""Illegal steps of `bind_config`."""

from __future__ import annotations

from tests.corpus.callees import CONFIGURED, REGISTERS
from tests.corpus.case import Illegal, Malformed, Misuse, Wrong
from usl_core.scheduling import bind_config

CASES = [
    Illegal(
        "bind_config",
        "the_statement_reads_the_field_too",
        "n: size, x: f32[n + 1]",
        "x[0] = f32(Reg.a) + f32(n)",
        lambda p: bind_config(p, p.find("x[_] = _").find("n"), REGISTERS, "a"),
        "E440",
        "Reg.a may be read before it is written again",
        Wrong("Reg.a = n\nx[0] = f32(Reg.a) + f32(Reg.a)"),
        scope=CONFIGURED,
    ),
    Illegal(
        "bind_config",
        "the_callee_reads_the_field",
        "n: size, x: f32[2]",
        "takes(n, x[0:1])",
        lambda p, c: bind_config(p, p.find("takes(_)").find("n"), REGISTERS, "a"),
        "E440",
        "takes(n, x[0:1])",
        Wrong("Reg.a = n\ntakes(Reg.a, x[0:1])"),
        callees=("def takes(v: index, dst: [f32][1]):\n    dst[0] = f32(v) + f32(Reg.a)\n",),
        scope=CONFIGURED,
    ),
    Illegal(
        "bind_config",
        "an_earlier_statement_of_the_next_iteration_reads_it",
        "n: size, x: f32[n + 1], y: f32[n + 1]",
        "for i in seq(0, n + 1):\n    y[i] = f32(Reg.a)\n    x[i] = f32(i)",
        lambda p: bind_config(p, p.find("f32(i)").find("i"), REGISTERS, "a"),
        "E440",
        "y[i] = f32(Reg.a)",
        Wrong("for i in seq(0, n + 1):\n    y[i] = f32(Reg.a)\n    Reg.a = i\n    x[i] = f32(Reg.a)"),
        scope=CONFIGURED,
    ),
    Illegal(
        "bind_config",
        "another_type",
        "n: size, x: f32[n]",
        "x[0] = 2.0",
        lambda p: bind_config(p, p.find("2.0"), REGISTERS, "a"),
        "E404",
        "Reg.a holds index, but 2.0 is f32",
        Malformed("Reg.a = 2.0\nx[0] = Reg.a", "E200"),
        scope=CONFIGURED,
    ),
    Illegal(
        "bind_config",
        "a_divisor",
        "n: size, x: f32[n + 1]",
        "x[n / 2] = 1.0",
        lambda p: bind_config(p, p.find("n / 2").rhs(), REGISTERS, "a"),
        "E404",
        "2 in n / 2 must stay a number",
        Malformed("Reg.a = 2\nx[n / Reg.a] = 1.0", "E200"),
        scope=CONFIGURED,
    ),
    Illegal(
        "bind_config",
        "the_extent_of_a_buffer",
        "n: size, x: f32[n]",
        "t: f32[n]\nt[0] = 1.0\nx[0] = t[0]",
        lambda p: bind_config(p, p.find("t: _").find("n"), REGISTERS, "a"),
        "E420",
        "the extent of a buffer or the bounds of a window would read Reg.a",
        Malformed("Reg.a = n\nt: f32[Reg.a]\nt[0] = 1.0\nx[0] = t[0]", "E200"),
        scope=CONFIGURED,
    ),
    Illegal(
        "bind_config",
        "in_a_parallel_loop",
        "n: size, x: f32[n]",
        "for i in par(0, n):\n    x[i] = f32(i)",
        lambda p: bind_config(p, p.find("f32(i)").find("i"), REGISTERS, "a"),
        "E442",
        "inside the parallel loop i",
        Misuse("all iterations would write one field, each another value"),
        scope=CONFIGURED,
    ),
]
