"""Legal steps of operators that are not made for configuration, on programs that use it."""

from __future__ import annotations

from tests.corpus.callees import CONFIGURED, NEEDS_A, REGISTERS, SCALED, SET_A
from tests.corpus.case import Legal
from usl_core.scheduling import (
    add_loop,
    autofission,
    bind_config,
    bind_expr,
    call_eqv,
    cut_loop,
    divide_loop,
    eliminate_dead_code,
    extract_subproc,
    fission,
    fuse,
    inline,
    inline_assign,
    parallelize_loop,
    remove_loop,
    reorder_loops,
    reorder_stmts,
    replace,
    set_precision,
    simplify,
    sink_alloc,
    specialize,
    unroll_loop,
    write_config,
)

_FILL = """
def fill(n: size, dst: [f32][n]):
    for k in seq(0, n):
        dst[k] = Reg.scale
"""

_AXPY = """
def axpy(n: size, s: f32, x: f32[n], y: f32[n]):
    for k in seq(0, n):
        y[k] += s * x[k]
"""

CASES = [
    Legal(
        "fission",
        "a_register_that_every_iteration_sets_alike",
        "n: size, x: f32[n], y: f32[n]",
        "for i in seq(0, n):\n    Reg.scale = 2.0\n    scaled(1, y[i:i + 1], x[i:i + 1])",
        lambda p, c: fission(p, p.find("Reg.scale = _").after()),
        "for i in seq(0, n):\n    Reg.scale = 2.0\nfor i in seq(0, n):\n    scaled(1, y[i:i + 1], x[i:i + 1])",
        callees=(SCALED,),
        scope=CONFIGURED,
    ),
    Legal(
        "autofission",
        "a_register_set_once_before_the_loop",
        "n: size, x: f32[n], y: f32[n]",
        "for i in seq(0, n):\n    Reg.scale = 2.0\n    scaled(1, y[i:i + 1], x[i:i + 1])",
        lambda p, c: autofission(p, p.find("Reg.scale = _").after()),
        "Reg.scale = 2.0\nfor i in seq(0, n):\n    scaled(1, y[i:i + 1], x[i:i + 1])",
        callees=(SCALED,),
        scope=CONFIGURED,
    ),
    Legal(
        "remove_loop",
        "a_call_that_sets_a_register",
        "n: size, x: f32[n]",
        "for i in seq(0, n):\n    set_a(n)",
        lambda p, c: remove_loop(p, p.find_loop("i")),
        "set_a(n)",
        callees=(SET_A,),
        scope=CONFIGURED,
    ),
    Legal(
        "add_loop",
        "a_register_set_again",
        "n: size, x: f32[n]",
        "Reg.a = n\nneeds_a(n, x[0:1])",
        lambda p, c: add_loop(p, p.body()[0], "i", "n"),
        "for i in seq(0, n):\n    Reg.a = n\nneeds_a(n, x[0:1])",
        callees=(NEEDS_A,),
        scope=CONFIGURED,
    ),
    Legal(
        "fuse",
        "two_loops_that_read_one_register",
        "n: size, x: f32[n], y: f32[n]",
        "for i in seq(0, n):\n    x[i] = Reg.scale\nfor j in seq(0, n):\n    y[j] = Reg.scale",
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("j")),
        "for i in seq(0, n):\n    x[i] = Reg.scale\n    y[i] = Reg.scale",
        scope=CONFIGURED,
    ),
    Legal(
        "reorder_stmts",
        "two_registers",
        "n: size, x: f32[n]",
        "set_a(n)\nReg.b = 2\nneeds_a(n, x[0:1])",
        lambda p, c: reorder_stmts(p, p.body()[0:2]),
        "Reg.b = 2\nset_a(n)\nneeds_a(n, x[0:1])",
        callees=(SET_A, NEEDS_A),
        scope=CONFIGURED,
    ),
    Legal(
        "reorder_loops",
        "iterations_that_read_a_register",
        "n: size, m: size, x: f32[n, m]",
        "for i in seq(0, n):\n    for j in seq(0, m):\n        x[i, j] = Reg.scale + f32(Reg.a)",
        lambda p: reorder_loops(p, "i j"),
        "for j in seq(0, m):\n    for i in seq(0, n):\n        x[i, j] = Reg.scale + f32(Reg.a)",
        scope=CONFIGURED,
    ),
    Legal(
        "parallelize_loop",
        "iterations_that_read_a_register",
        "n: size, x: f32[n]",
        "Reg.scale = 2.0\nfor i in seq(0, n):\n    x[i] = Reg.scale",
        lambda p: parallelize_loop(p, "i"),
        "Reg.scale = 2.0\nfor i in par(0, n):\n    x[i] = Reg.scale",
        scope=CONFIGURED,
    ),
    Legal(
        "divide_loop",
        "a_register_set_in_order",
        "n: size, x: f32[n]",
        "for i in seq(0, n):\n    Reg.a = i\n    x[i] = f32(Reg.a)",
        lambda p: divide_loop(p, "i", 4, ["io", "ii"], tail="cut"),
        scope=CONFIGURED,
    ),
    Legal(
        "cut_loop",
        "at_what_a_register_holds",
        "n: size, x: f32[n]",
        "assert 0 <= Reg.a\nassert Reg.a < n\nfor i in seq(0, n):\n    x[i] = f32(Reg.a)",
        lambda p: cut_loop(p, "i", p.find("f32(Reg.a)").find("Reg.a")),
        "for i in seq(0, Reg.a):\n    x[i] = f32(Reg.a)\nfor i in seq(Reg.a, n):\n    x[i] = f32(Reg.a)",
        scope=CONFIGURED,
    ),
    Legal(
        "unroll_loop",
        "copies_that_write_and_read_a_register",
        "x: f32[3]",
        "for i in seq(0, 2):\n    x[i] = f32(Reg.a)\n    Reg.a = i + 5",
        lambda p: unroll_loop(p, "i"),
        "x[0] = f32(Reg.a)\nReg.a = 0 + 5\nx[1] = f32(Reg.a)\nReg.a = 1 + 5",
        scope=CONFIGURED,
    ),
    Legal(
        "eliminate_dead_code",
        "a_register_that_is_asserted",
        "n: size, x: f32[n]",
        "assert Reg.a == n\nif Reg.a >= 1:\n    x[0] = 1.0\nelse:\n    x[0] = 2.0",
        lambda p: eliminate_dead_code(p, p.find("if _: _")),
        "x[0] = 1.0",
        scope=CONFIGURED,
    ),
    Legal(
        "simplify",
        "a_condition_on_a_register_that_is_set_and_then_changed",
        "n: size, x: f32[n]",
        "Reg.a = 3\ncheck(Reg.a == 3)\nReg.a = 4\nx[0] = f32(Reg.a + 0 * n)",
        lambda p: simplify(p),
        scope=CONFIGURED,
    ),
    Legal(
        "inline",
        "a_callee_that_sets_what_its_argument_does_not_read",
        "n: size, x: f32[n]",
        "both(Reg.b + 1, x[0:1])",
        lambda p, c: inline(p, "both(_)"),
        "Reg.a = Reg.b + 1\nx[0] = f32(Reg.b + 1)",
        callees=("def both(v: index, dst: [f32][1]):\n    Reg.a = v\n    dst[0] = f32(v)\n",),
        scope=CONFIGURED,
    ),
    Legal(
        "replace",
        "a_block_whose_register_is_set",
        "n: size, x: f32[n], y: f32[n]",
        "Reg.a = n\nfor i in seq(0, n):\n    x[i] = 1.0\n    Reg.b = i",
        lambda p, c: replace(p, p.find("x[_] = _"), c.needs_a),
        callees=("def needs_a(dst: [f32][1]):\n    assert Reg.a >= 1\n    dst[0] = 1.0\n",),
        scope=CONFIGURED,
    ),
    Legal(
        "replace",
        "a_block_that_reads_a_scale",
        "n: size, x: f32[n], y: f32[n]",
        "Reg.scale = 3.0\nfor i in seq(0, n):\n    y[i] = Reg.scale * x[i]",
        lambda p, c: replace(p, p.find_loop("i"), c.scaled),
        "Reg.scale = 3.0\nscaled(n, y[0:n], x[0:n])",
        callees=(SCALED,),
        scope=CONFIGURED,
    ),
    Legal(
        "extract_subproc",
        "what_a_register_holds_becomes_an_assertion",
        "n: size, x: f32[n]",
        "Reg.a = n\nfor i in seq(0, n):\n    needs_a(n, x[i:i + 1])",
        lambda p, c: extract_subproc(p, p.find("needs_a(_)"), "part")[0],
        "Reg.a = n\nfor i in seq(0, n):\n    part(n, i, x)",
        callees=(NEEDS_A,),
        scope=CONFIGURED,
    ),
    Legal(
        "extract_subproc",
        "what_was_asserted_of_a_register_that_is_set_since",
        "n: size, x: f32[n]",
        "assert Reg.a == 1\nReg.a = 2\nneeds_a(2, x[0:1])",
        lambda p, c: extract_subproc(p, p.find("needs_a(_)"), "part")[0],
        callees=(NEEDS_A,),
        scope=CONFIGURED,
    ),
    Legal(
        "call_eqv",
        "a_version_that_sets_a_register_which_is_set_again",
        "n: size, x: f32[n]",
        "for i in seq(0, n):\n    fill(n, x[0:n])\n    Reg.a = i\n    x[0] += f32(Reg.a)",
        lambda p, c: call_eqv(p, "fill(_)", write_config(c.fill, c.fill.body()[0].before(), REGISTERS, "a", "n")),
        callees=(_FILL,),
        scope=CONFIGURED,
    ),
    Legal(
        "call_eqv",
        "a_version_that_leaves_a_register_modulo",
        "n: size, x: f32[n]",
        "fill(n, x[0:n])",
        lambda p, c: call_eqv(p, "fill(_)", bind_config(c.fill, c.fill.find_loop("k").hi(), REGISTERS, "len")),
        callees=(_FILL,),
        scope=CONFIGURED,
    ),
    Legal(
        "bind_expr",
        "a_scale_that_stays",
        "n: size, x: f32[n + 1]",
        "x[0] = Reg.scale\nReg.a = 2\nx[1] = Reg.scale",
        lambda p: bind_expr(p, p.find("Reg.scale", many=True), "t"),
        "t: f32\nt = Reg.scale\nx[0] = t\nReg.a = 2\nx[1] = t",
        scope=CONFIGURED,
    ),
    Legal(
        "inline_assign",
        "into_the_write_of_a_register",
        "n: size, x: f32[n]",
        "t: f32\nt = x[0] * Reg.scale\nReg.scale = t",
        lambda p: inline_assign(p, "t = _"),
        "t: f32\nReg.scale = x[0] * Reg.scale",
        scope=CONFIGURED,
    ),
    Legal(
        "sink_alloc",
        "a_buffer_filled_by_a_loop_that_sets_a_register",
        "n: size, x: f32[n + 3], y: f32[n + 3]",
        "t: f32[3]\nfor i in seq(0, n):\n    for j in seq(0, 3):\n        t[j] = x[i + j]\n        Reg.b = j\n"
        "    y[i] = t[0] + t[2]",
        lambda p: sink_alloc(p, "t"),
        "for i in seq(0, n):\n    t: f32[3]\n    for j in seq(0, 3):\n        t[j] = x[i + j]\n        Reg.b = j\n"
        "    y[i] = t[0] + t[2]",
        scope=CONFIGURED,
    ),
    Legal(
        "set_precision",
        "a_scalar_that_goes_into_a_register",
        "n: size, x: f32[n]",
        "t: f32\nt = x[0]\nReg.scale = t",
        lambda p: set_precision(p, "t", "f64"),
        "t: f64\nt = f64(x[0])\nReg.scale = f32(t)",
        scope=CONFIGURED,
    ),
    Legal(
        "remove_loop",
        "a_register_set_where_the_loop_may_not_run",
        "n: index, x: f32[2]",
        "assert n >= 0\nfor i in seq(0, n):\n    Reg.a = 1",
        lambda p: remove_loop(p, p.find_loop("i")),
        "if 0 < n:\n    Reg.a = 1",
        scope=CONFIGURED,
    ),
    Legal(
        "fuse",
        "two_loops_that_set_one_register_alike",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            Reg.scale = 2.0
            scaled(1, y[i:i + 1], x[i:i + 1])
        for j in seq(0, n):
            Reg.scale = 2.0
            scaled(1, x[j:j + 1], y[j:j + 1])
        """,
        lambda p, c: fuse(p, p.find_loop("i"), p.find_loop("j")),
        """
        for i in seq(0, n):
            Reg.scale = 2.0
            scaled(1, y[i:i + 1], x[i:i + 1])
            Reg.scale = 2.0
            scaled(1, x[i:i + 1], y[i:i + 1])
        """,
        callees=(SCALED,),
        scope=CONFIGURED,
    ),
    Legal(
        "fuse",
        "two_loops_that_set_one_register_before_they_use_it",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            Reg.a = i + 1
            x[i] = f32(Reg.a)
        for j in seq(0, n):
            Reg.a = 2 * j + 1
            y[j] = f32(Reg.a)
        """,
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("j")),
        scope=CONFIGURED,
    ),
    Legal(
        "specialize",
        "on_a_register_that_the_procedure_does_not_use_yet",
        "n: size, x: f32[n]",
        "x[0] = 1.0",
        lambda p: specialize(p, p.body(), "Reg.a == n", configs=[CONFIGURED["Reg"]]),
        "if Reg.a == n:\n    x[0] = 1.0\nelse:\n    x[0] = 1.0",
        scope=CONFIGURED,
    ),
    Legal(
        "add_assertion",
        "on_a_register_that_the_procedure_does_not_use_yet",
        "n: size, x: f32[n]",
        "for i in seq(0, n):\n    x[i] = 1.0",
        lambda p: p.add_assertion("Reg.a == n", configs=[CONFIGURED["Reg"]]),
        "for i in seq(0, n):\n    x[i] = 1.0",
        scope=CONFIGURED,
    ),
    Legal(
        "replace",
        "a_register_for_a_scalar_that_is_only_read",
        "n: size, x: f32[n], y: f32[n]",
        "for i in seq(0, n):\n    y[i] += Reg.scale * x[i]",
        lambda p, c: replace(p, "i", c.axpy),
        "axpy(n, Reg.scale, x, y)",
        callees=(_AXPY,),
        scope=CONFIGURED,
    ),
    Legal(
        "inline",
        "a_register_as_a_scalar_argument",
        "n: size, x: f32[n], y: f32[n]",
        "Reg.scale = 2.0\naxpy(n, Reg.scale, x, y)\nReg.scale = 3.0",
        lambda p, c: inline(p, p.body()[1]),
        "Reg.scale = 2.0\nfor k in seq(0, n):\n    y[k] += Reg.scale * x[k]\nReg.scale = 3.0",
        callees=(_AXPY,),
        scope=CONFIGURED,
    ),
    Legal(
        "extract_subproc",
        "a_call_with_a_register_as_a_scalar",
        "n: size, x: f32[n], y: f32[n]",
        "Reg.scale = 2.0\naxpy(n, Reg.scale, x, y)",
        lambda p, c: extract_subproc(p, p.body()[1], "part")[0],
        "Reg.scale = 2.0\npart(n, x, y)",
        callees=(_AXPY,),
        scope=CONFIGURED,
    ),
]
