"""A refusal begins with the name of the operator that ran: the user's own, or the one that it is made of."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

import pytest

from usl_core import Procedure, SchedulingError, proc_from_source
from usl_core.primitives.operators import as_operator, operator_name
from usl_core.scheduling import autofission, autolift_alloc, divide_loop, remove_loop, resize_dim, rewrite_expr, set_memory

P = proc_from_source("""
def foo(n: size, x: R[n]):
    for i in seq(0, n):
        t: R
        t = x[i]
        x[i] = t + 1.0
""")


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("autofission", lambda: autofission(P, P.find("t = _").after(), n_lifts=0)),
        ("fission", lambda: autofission(P, P.find("t = _").after())),
        ("autolift_alloc", lambda: autolift_alloc(P, "t", n_lifts=0)),
        ("autolift_alloc", lambda: autolift_alloc(P, "t", keep_dims=True, size="m")),
        ("expand_dim", lambda: autolift_alloc(P, "t", keep_dims=True, size="1")),
        ("divide_loop", lambda: divide_loop(P, "i", 4, ["io", "ii"], tail="shift_inwards")),
        ("resize_dim", lambda: resize_dim(P, "t", 0, 4, 0)),
        ("rewrite_expr", lambda: rewrite_expr(P, "t + 1.0", "t")),
        ("set_memory", lambda: set_memory(P, P.find("t = _"), P.find("t: _").node.mem)),
    ],
)
def test_a_refusal_has_the_name_of_the_operator_that_refuses(name: str, step: Callable[[], Procedure]) -> None:
    with pytest.raises(SchedulingError) as caught:
        step()
    assert caught.value.message.startswith(f"{name}: ")


def test_no_operator_runs_after_one_has_refused() -> None:
    before = operator_name()
    with pytest.raises(SchedulingError):
        remove_loop(P, "i")
    assert operator_name() == before


def test_threads_run_operators_of_their_own() -> None:
    seen: list[str] = []

    @as_operator("outer")
    def outer() -> None:
        thread = Thread(target=lambda: seen.append(operator_name()))
        thread.start()
        thread.join()
        seen.append(operator_name())

    outer()
    assert seen == ["an operator", "outer"]
