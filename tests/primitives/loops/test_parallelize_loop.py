"""`parallelize_loop`: which iterations do not interfere."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.primitives.loops.parallelize_loop import parallelize_loop
from usl_core.procedure import Procedure


def loop(body: str) -> Procedure:
    return parse(f"""
        def foo(n: size, x: f32[n + 1], y: f32[n], s: f32):
            for i in seq(0, n):
                {body}
        """)


@pytest.mark.parametrize("body", ["x[i] = y[i]", "s += y[i]", "x[i + 1] = s"])
def test_independent_iterations_become_parallel(body: str):
    p = loop(body)
    stmt = p.find("i").body()[0]
    q = parallelize_loop(p, "i")
    assert "for i in par(0, n):" in str(q)
    assert_equivalent(p, q)
    assert q.forward(stmt).parent() == q.find("i")


@pytest.mark.parametrize("body", ["x[i + 1] = x[i]", "s = y[i]", "x[0] = 1.0", "x[i] = x[i + 1]"])
def test_iterations_that_interfere_are_refused(body: str):
    with pytest.raises(SchedulingError, match="the iterations of i may interfere"):
        parallelize_loop(loop(body), "i")
