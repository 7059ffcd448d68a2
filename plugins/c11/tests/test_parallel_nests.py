"""`par` loops in `par` loops: threads share the iterations of both where that is one rectangle."""

from __future__ import annotations

import numpy as np
import pytest

from usl_core import Procedure
from usl_core.interp import run
from usl_core.procedure import proc_from_source


def program(*lines: str) -> Procedure:
    body = "".join(f"    {line}\n" for line in lines)
    return proc_from_source("def f(m: size, n: size, x: f32[m, n]):\n" + body, {})


RECTANGLE = program("for i in par(0, m):", "    for j in par(0, n):", "        x[i, j] += 1.0")
NESTS = {
    "rectangle": (RECTANGLE, [" collapse(2)"]),
    "three": (
        program("for i in par(0, m):", "    for j in par(0, n):", "        for k in par(0, 1):", "            x[i, j] += 2.0"),
        [" collapse(2)", ""],
    ),
    "triangle": (program("for i in par(0, m):", "    for j in par(0, min(i + 1, n)):", "        x[i, j] += 1.0"), ["", ""]),
    "not all of the body": (
        program("for i in par(0, m):", "    x[i, 0] += 1.0", "    for j in par(0, n):", "        x[i, j] += 1.0"),
        ["", ""],
    ),
    "memory inside": (
        program(
            "for i in par(0, m):",
            "    for j in par(0, n):",
            "        t: f32[n]",
            "        t[j] = x[i, j]",
            "        x[i, j] += t[j]",
        ),
        [" collapse(2) reduction(max : failed)"],
    ),
}


@pytest.mark.parametrize("name", NESTS)
def test_threads_share_the_iterations_of_two_loops_that_are_a_rectangle(name: str) -> None:
    p, clauses = NESTS[name]
    assert [line.partition("parallel for")[2] for line in p.c_code().splitlines() if line.startswith("#pragma omp")] == clauses
    compiled = p.jit()
    for m, n in ((1, 1), (2, 9), (17, 3)):
        x = np.arange(m * n, dtype=np.float32).reshape(m, n)
        expected = x.copy()
        run(p.ir, [m, n, expected])
        compiled(m, n, x)
        assert np.array_equal(x, expected)
