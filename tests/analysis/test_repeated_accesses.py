"""Races are looked for among accesses that differ: the answer is that of all pairs."""

from __future__ import annotations

from unittest.mock import patch

from usl_core.analysis import parallel
from usl_core.analysis.context import Context
from usl_core.analysis.effects import block_summary
from usl_core.ir.nodes import For
from usl_core.procedure import Procedure, proc_from_source

BODIES = {
    "apart": "y[p] = x[i] + 1.0",
    "same": "y[i] = x[i] + 1.0",
    "overlapping": "y[p + i] = x[i]",
    "reduced": "z += x[i]",
    "read of a neighbour": "y[p] = y[p + 1]",
}


def repeated(body: str, last: str, times: int = 4) -> Procedure:
    """A parallel loop whose body is one loop several times and another one."""
    loops = [body] * times + [last]
    text = "".join(f"        for i in seq(0, 8):\n            {line}\n" for line in loops)
    head = "def f(x: f32[32], y: f32[32], z: f32):\n    for p in seq(0, 8):\n"
    return proc_from_source(head + text)


def test_repeated_code_is_compared_once_and_the_conflict_shown_is_the_same() -> None:
    for body in BODIES.values():
        for last in BODIES.values():
            proc = repeated(body, last).ir
            loop = proc.body[0]
            assert isinstance(loop, For)
            accesses = block_summary(loop.body).accesses
            assert len(parallel.distinct(accesses)) <= 4 < len(accesses)
            ctx = Context.of_proc(proc)
            found = parallel.why_not_race_free(ctx, loop)
            with patch.object(parallel, "distinct", list):
                expected = parallel.why_not_race_free(ctx, loop)
            assert (found is None) == (expected is None)
            if found is not None and expected is not None:
                assert (found.first, found.reason) == (expected.first, expected.reason)
