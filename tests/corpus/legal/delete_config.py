"""Legal steps of `delete_config`."""

from __future__ import annotations

from tests.corpus.callees import CONFIGURED, NEEDS_A, SET_A
from tests.corpus.case import Legal
from usl_core.scheduling import delete_config

_LOOP = "Reg.a = 1\nReg.b = 1\nfor i in seq(0, n):\n    Reg.a = Reg.b\n    Reg.b = 1\n"

CASES = [
    Legal(
        "delete_config",
        "a_write_that_another_shadows",
        "n: size, x: f32[n]",
        "Reg.a = 1\nReg.b = 2\nReg.a = n\nx[0] = f32(Reg.a + Reg.b)",
        lambda p: delete_config(p, p.body()[0]),
        "Reg.b = 2\nReg.a = n\nx[0] = f32(Reg.a + Reg.b)",
        scope=CONFIGURED,
    ),
    Legal(
        "delete_config",
        "what_an_outer_write_has_set",
        "n: size, x: f32[n]",
        "Reg.a = n\nfor i in seq(0, n):\n    Reg.a = n\n    needs_a(n, x[i:i + 1])",
        lambda p, c: delete_config(p, p.find("Reg.a = _ #1")),
        "Reg.a = n\nfor i in seq(0, n):\n    needs_a(n, x[i:i + 1])",
        callees=(NEEDS_A,),
        scope=CONFIGURED,
    ),
    Legal(
        "delete_config",
        "a_call_that_sets_what_is_set",
        "n: size, x: f32[n]",
        "set_a(n + 1)\nset_a(n + 1)\nneeds_a(n + 1, x[0:1])",
        lambda p, c: delete_config(p, p.body()[1]),
        "set_a(n + 1)\nneeds_a(n + 1, x[0:1])",
        callees=(SET_A, NEEDS_A),
        scope=CONFIGURED,
    ),
    Legal(
        "delete_config",
        "fields_that_a_loop_leaves_if_they_agree_at_entry",
        "n: index, x: f32[2]",
        f"assert n >= 0\n{_LOOP}Reg.a = 1\nx[0] = f32(Reg.a)",
        lambda p: delete_config(p, p.body()[3]),
        f"{_LOOP}x[0] = f32(Reg.a)",
        scope=CONFIGURED,
    ),
    Legal(
        "delete_config",
        "the_last_write_modulo_the_field",
        "n: size, x: f32[n]",
        "for i in seq(0, n):\n    x[i] = 1.0\n    Reg.a = i",
        lambda p: delete_config(p, p.find("Reg.a = _")),
        "for i in seq(0, n):\n    x[i] = 1.0",
        scope=CONFIGURED,
    ),
    Legal(
        "delete_config",
        "the_only_statement_of_a_branch",
        "n: size, q: bool, x: f32[n]",
        "Reg.scale = 2.0\nif q:\n    Reg.scale = 2.0\nx[0] = Reg.scale",
        lambda p: delete_config(p, p.find("Reg.scale = 2.0 #1")),
        "Reg.scale = 2.0\nif q:\n    pass\nx[0] = Reg.scale",
        scope=CONFIGURED,
    ),
]
