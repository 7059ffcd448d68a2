"""Legal steps of `autofission`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.errors import SchedulingError
from usl_core.procedure import Procedure
from usl_core.scheduling import autofission

NEST = """
t: f32
for i in seq(0, n):
    for j in seq(0, n):
        {first}
        y[i, j] = t
"""


def _with_report(p: Procedure, reason: str) -> Procedure:
    """All lifts that are possible, and that the report gives the reason why there are not more."""
    refusals: list[SchedulingError] = []
    done = autofission(p, p.find("t = _").after(), None, report=refusals.append)
    assert [reason in str(refusal) for refusal in refusals] == [True]
    return done


CASES = [
    Legal(
        "autofission",
        "as_far_as_it_goes",
        "n: size, x: f32[n], y: f32[n, n]",
        NEST.format(first="t = x[i]"),
        lambda p: _with_report(p, "does not commute with what precedes it in later iterations of i"),
        """
        t: f32
        for i in seq(0, n):
            t = x[i]
            for j in seq(0, n):
                y[i, j] = t
        """,
    ),
    Legal(
        "autofission",
        "not_at_all",
        "n: size, x: f32[n, n], y: f32[n, n]",
        NEST.format(first="t = x[i, j]"),
        lambda p: _with_report(p, "does not commute with what precedes it in later iterations of j"),
        NEST.format(first="t = x[i, j]"),
    ),
    Legal(
        "autofission",
        "out_of_all_loops",
        "n: size, s: f32, y: f32[n, n]",
        NEST.format(first="t = s"),
        lambda p: autofission(p, p.find("t = _").after(), None),
        """
        t: f32
        t = s
        for i in seq(0, n):
            for j in seq(0, n):
                y[i, j] = t
        """,
    ),
]
