"""Arguments of cursor methods that are of the wrong kind get a message, not a Python traceback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from usl_core import SchedulingError, proc_from_source

PROGRAM = proc_from_source("""
@proc
def f(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 1.0
        x[i] = 2.0
""")
LOOP = PROGRAM.find_loop("i")
FIRST = LOOP.body()[0]


@pytest.mark.parametrize(
    "use",
    [
        lambda: FIRST.next("a"),
        lambda: FIRST.next(None),
        lambda: FIRST.next(True),
        lambda: FIRST.prev(1.5),
        lambda: FIRST.expand("a", 0),
        lambda: LOOP.body().expand(0, 1.5),
        lambda: LOOP.body()["a"],
        lambda: LOOP.body()[1.0],
        lambda: LOOP.is_ancestor_of("x[i] = 1.0"),
    ],
)
def test_a_wrong_kind_of_argument_is_named(use: Callable[[], Any]) -> None:
    with pytest.raises(SchedulingError, match=r"wanted, got|takes a cursor, got") as caught:
        use()
    assert caught.value.code == "E404"


@pytest.mark.parametrize("find", [PROGRAM.find, PROGRAM.find_loop, PROGRAM.find_alloc_or_arg, PROGRAM.find_all])
def test_a_pattern_is_text(find: Callable[[Any], Any]) -> None:
    with pytest.raises(Exception, match=r"got 3|text") as caught:
        find(3)
    assert hasattr(caught.value, "code")
