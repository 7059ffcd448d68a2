"""Random programs in which calls rely on the strides of a local buffer, which they reach through windows of windows.

Rewrites of the buffer's layout leave such calls as they are, but what they assert has to be proved again: of calls after all
that changed, and of calls between statements that did.
"""

from __future__ import annotations

import random
from textwrap import indent

from usl_core.ir.nodes import Proc
from usl_core.procedure import Procedure, proc_from_source


def layout_program(rng: random.Random) -> tuple[Proc, tuple[Proc, ...]]:
    """A program and the procedures that it calls."""
    rows, columns = rng.randint(2, 4), rng.choice((2, 3, 4, 4, 8))
    callees = {"on_rows": _on_rows(rng, columns), "any_rows": _any_rows()}
    return proc_from_source(layout_text(rng, rows, columns), callees).ir, tuple(callee.ir for callee in callees.values())


def _on_rows(rng: random.Random, columns: int) -> Procedure:
    asserted = rng.choice((f"stride(d, 0) == {columns}", f"stride(d, 0) <= {columns}", f"stride(d, 0) >= {columns}"))
    body = rng.choice(("d[0, 0] = 1.0", "d[1, 1] += d[0, 0]", "for i in seq(0, 2):\n    d[i, 0] = d[i, 1]"))
    return proc_from_source("def on_rows(d: [f32][2, 2]):\n" + indent(f"assert {asserted}\n{body}", "    ") + "\n", {})


def _any_rows() -> Procedure:
    return proc_from_source("def any_rows(d: [f32][2, 2]):\n    d[0, 1] = 2.0\n", {})


def layout_text(rng: random.Random, rows: int, columns: int) -> str:
    """A buffer of rows by columns, windows of it, and calls on these, with uses of the buffer itself in between."""
    fill = f"for i in seq(0, {rows}):\n    for j in seq(0, {columns}):\n        t[i, j] = x[i, j]\n"
    outer, shown = ("", "t") if rng.random() < 0.3 else (f"v = t[0:{rows}, 0:{columns}]\n", "v")
    windows = f"{outer}w = {shown}[{_of_two(rng, rows)}, {_of_two(rng, columns)}]\n"
    use = rng.choice(("y[0] = t[1, 0]\n", "t[0, 0] = y[n]\n", ""))
    body = f"t: f32[{rows}, {columns}]\n{fill}{windows}{_call(rng, 0.7)}{use}{_call(rng, 0.6)}y[n] = w[1, 1]\n"
    if rng.random() < 0.2:
        body = "for l in seq(0, n):\n" + indent(body, "    ")
    return "def layout(n: size, c: bool, x: f32[4, 8], y: f32[n + 1]):\n" + indent(body, "    ")


def _of_two(rng: random.Random, extent: int) -> str:
    start = rng.randint(0, extent - 2)
    return f"{start}:{start + 2}"


def _call(rng: random.Random, relying: float) -> str:
    call = "on_rows(w)\n" if rng.random() < relying else "any_rows(w)\n"
    around = rng.choice(("", "", "", "for k in seq(0, n):\n", "if c:\n", "if n > 2:\n", "if y[0] < 1.0:\n"))
    return around + indent(call, "    ") if around else call
