"""`inline_producer`: what it asks of the code that fills the buffer, and of its uses."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import parse
from usl_core.errors import SchedulingError
from usl_core.scheduling import inline_producer


def test_a_buffer_that_nothing_reads_is_not_inlined() -> None:
    p = parse("def f(n: size, x: f32[n]):\n    t: f32[n]\n    for i in seq(0, n):\n        t[i] = x[i]")
    with pytest.raises(SchedulingError, match="t is not read"):
        inline_producer(p, "t")


@pytest.mark.parametrize("second", ["t[i + n] = 2.0", "t[i] += 2.0", "u[i] = 2.0"])
def test_a_buffer_is_filled_by_one_assignment_alone(second: str) -> None:
    p = parse(
        f"""
        def f(n: size, x: f32[n], y: f32[n]):
            t: f32[2 * n]
            u: f32[n]
            for i in seq(0, n):
                t[i] = x[i]
                {second}
            for i in seq(0, n):
                y[i] = t[i]
        """
    )
    with pytest.raises(SchedulingError, match="filled by more than one assignment to one place, or by other code"):
        inline_producer(p, "t")
