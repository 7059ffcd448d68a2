"""`delete_dead_writes`: what it asks of the code that is to go."""

from __future__ import annotations

import pytest

from tests.primitives.config.programs import CFG
from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.scheduling import delete_dead_writes


def test_a_name_that_is_used_afterwards_stays_although_nothing_reads_through_it() -> None:
    p = parse(
        """
        def f(x: f32[8], y: f32[8]):
            t: f32[8]
            w = t[0:4]
            w[0] = x[0]
            y[0] = x[1]
            w[1] = x[2]
        """
    )
    with pytest.raises(SchedulingError, match="w is bound in the block and used after it"):
        delete_dead_writes(p, p.body()[1:3])
    q = delete_dead_writes(p, p.body()[2])
    assert_body(q, "t: f32[8]\nw = t[0:4]\ny[0] = x[1]\nw[1] = x[2]")
    assert_equivalent(p, q)


@pytest.mark.parametrize("code", ["pass", "for i in seq(0, n): pass"])
def test_code_that_writes_nothing_is_for_delete_pass(code: str) -> None:
    p = parse(f"def f(n: size, y: f32[8]):\n    {code}\n    y[0] = 1.0")
    with pytest.raises(SchedulingError, match="the code writes nothing"):
        delete_dead_writes(p, p.body()[0])


def test_code_that_writes_configuration_too_stays() -> None:
    p = parse("def f(n: size, y: f32[8]):\n    t: f32\n    Cfg.a = n\n    t = 1.0\n    y[0] = 1.0", Cfg=CFG)
    with pytest.raises(SchedulingError, match="has a `check` or writes configuration"):
        delete_dead_writes(p, p.body()[1:3])
