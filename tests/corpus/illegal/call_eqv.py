"""Illegal steps of `call_eqv`."""

from __future__ import annotations

from typing import Any

from tests.corpus.callees import COPY4, SHIFT4
from tests.corpus.case import Illegal, Malformed, Misuse, Wrong
from usl_core.ir.memory import Memory
from usl_core.procedure import Procedure, proc_from_source
from usl_core.scheduling import (
    add_assertion,
    call_eqv,
    divide_loop,
    lift_alloc,
    partial_eval,
    set_memory,
    set_precision,
    set_window,
)


def _upwards(c: Any) -> Procedure:
    """The version with the allocation hoisted is called, and the original is asked for."""
    version = lift_alloc(c.hoisted, "t")
    caller = proc_from_source("def g(n: size, x: f32[n], y: f32[n]):\n    version(n, x[0:n], y[0:n])\n", {"version": version})
    return call_eqv(caller, "hoisted(_)", c.hoisted)


class Registers(Memory):
    """A second memory."""

    name = "Registers"


CASES = [
    Illegal(
        "call_eqv",
        "a_procedure_of_another_origin",
        "x: f32[4], y: f32[4]",
        "copy4(x[0:4], y[0:4])",
        lambda p, c: call_eqv(p, "copy4(_)", c.shift4),
        "E431",
        "call_eqv",
        Wrong("shift4(x[0:4], y[0:4])"),
        callees=(COPY4, SHIFT4),
    ),
    Illegal(
        "call_eqv",
        "a_procedure_of_the_same_text",
        "x: f32[4], y: f32[4]",
        "copy4(x[0:4], y[0:4])",
        lambda p, c: call_eqv(p, "copy4(_)", c.twin),
        "E431",
        "call_eqv",
        Misuse("nothing says that the two belong together"),
        callees=(COPY4, COPY4.replace("copy4", "twin")),
    ),
    Illegal(
        "call_eqv",
        "a_narrower_version_where_its_assertion_may_fail",
        "n: size, x: f32[n], y: f32[n]",
        "copy(n, x[0:n], y[0:n])",
        lambda p, c: call_eqv(
            p, "copy(_)", divide_loop(add_assertion(c.copy, "n % 4 == 0"), "k", 4, ["ko", "ki"], perfect=True)
        ),
        "E410",
        "may break its assertion n % 4 == 0",
        Wrong("copy_by_four(n, x[0:n], y[0:n])"),
        callees=(
            """
            def copy(n: size, dst: [f32][n], src: [f32][n]):
                for k in seq(0, n):
                    dst[k] = src[k]
            """,
            """
            def copy_by_four(n: size, dst: [f32][n], src: [f32][n]):
                for ko in seq(0, n / 4):
                    for ki in seq(0, 4):
                        dst[4 * ko + ki] = src[4 * ko + ki]
            """,
        ),
    ),
    Illegal(
        "call_eqv",
        "upwards_along_a_refinement",
        "n: size, x: f32[n], y: f32[n]",
        "hoisted(n, x[0:n], y[0:n])",
        lambda p, c: _upwards(c),
        "E431",
        "call_eqv",
        Misuse("the original leaves poison where the version may give a value"),
        callees=(
            """
            def hoisted(n: size, dst: [f32][n], src: [f32][n]):
                for k in seq(0, n):
                    t: f32
                    if k == 0:
                        t = src[0]
                    dst[k] = t
            """,
        ),
    ),
    Illegal(
        "call_eqv",
        "a_version_without_one_argument",
        "n: size, x: f32[n]",
        "clear(n, x[0:n])",
        lambda p, c: call_eqv(p, "clear(_)", partial_eval(c.clear, n=4)),
        "E431",
        "another interface",
        Malformed(
            "clear_four(n, x[0:n])",
            "E200",
        ),
        callees=(
            """
            def clear(n: size, dst: [f32][n]):
                for k in seq(0, n):
                    dst[k] = 0.0
            """,
            """
            def clear_four(dst: [f32][4]):
                for k in seq(0, 4):
                    dst[k] = 0.0
            """,
        ),
    ),
    Illegal(
        "call_eqv",
        "a_version_for_another_memory",
        "x: f32[4], y: f32[4]",
        "copy4(x[0:4], y[0:4])",
        lambda p, c: call_eqv(p, "copy4(_)", set_memory(c.copy4, "dst", Registers)),
        "E431",
        "call_eqv",
        Misuse("the interpreter has one memory"),
        callees=(COPY4,),
    ),
    Illegal(
        "call_eqv",
        "a_version_in_another_precision",
        "x: R[4], y: R[4]",
        "copy_real(x, y)",
        lambda p, c: call_eqv(p, "copy_real(_)", set_precision(set_precision(c.copy_real, "src", "f32"), "dst", "f32")),
        "E431",
        "call_eqv",
        Malformed("copy_single(x, y)", "E200"),
        callees=(
            """
            def copy_real(dst: R[4], src: R[4]):
                for k in seq(0, 4):
                    dst[k] = src[k]
            """,
            """
            def copy_single(dst: f32[4], src: f32[4]):
                for k in seq(0, 4):
                    dst[k] = src[k]
            """,
        ),
    ),
    Illegal(
        "call_eqv",
        "a_dense_version_for_windows",
        "x: f32[8, 2], y: f32[8]",
        "copy4(x[0:4, 1], y[0:4])",
        lambda p, c: call_eqv(p, "copy4(_)", set_window(set_window(c.copy4, "dst", False), "src", False)),
        "E431",
        "call_eqv",
        Malformed("dense_copy4(x[0:4, 1], y[0:4])", "E313"),
        callees=(COPY4, COPY4.replace("copy4", "dense_copy4").replace("[f32]", "f32")),
    ),
    Illegal(
        "call_eqv",
        "a_number",
        "x: f32[4], y: f32[4]",
        "copy4(x[0:4], y[0:4])",
        lambda p, c: call_eqv(p, "copy4(_)", 3),  # type: ignore[arg-type]
        "E405",
        "g must be a Procedure, got 3",
        Misuse("nothing to call"),
        callees=(COPY4,),
    ),
]
