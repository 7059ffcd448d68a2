"""Buffers in local memories that are certainly read before they are written are refused; all else is left to who runs it."""

from __future__ import annotations

import pytest

from tests.placement import kernels_placed as kernels
from usl_core import BackendError, proc_from_source
from usl_core.placement import require_written

SCOPE = {name: getattr(kernels, name) for name in ("PAD", "put", "get", "both")}
HEAD = "def f(n: size, m: index, v: i32, k: bool):\n    assert m >= 0\n"

READ_FIRST = {
    "by an instruction": "b: i32[4, 4] @ PAD\nget(4, b[0:4, 0:4], v)",
    "by an element": "b: i32[4, 4] @ PAD\nv = b[0, 0]",
    "by a sum": "b: i32[4, 4] @ PAD\nb[0, 0] += v",
    "by its own new value": "b: i32[4, 4] @ PAD\nb[0, 0] = b[0, 1]",
    "through a window": "b: i32[4, 4] @ PAD\nw = b[0:2, 0:4]\nget(2, w[0:2, 0:4], v)",
    "in a loop": "b: i32[4, 4] @ PAD\nfor i in seq(0, m):\n    get(4, b[0:4, 0:4], v)\n    put(4, b[0:4, 0:4], v)",
    "in loops that run": "b: i32[4, 4] @ PAD\nfor i in seq(0, m):\n    for j in seq(0, n):\n        get(4, b[0:4, 0:4], v)",
    "where another is written": (
        "a: i32[4, 4] @ PAD\nput(4, a[0:4, 0:4], v)\nb: i32[4, 4] @ PAD\nboth(4, a[0:4, 0:4], b[0:4, 0:4], v)"
    ),
}
NOT_CERTAIN = {
    "written before": "b: i32[4, 4] @ PAD\nput(4, b[0:4, 0:4], v)\nget(4, b[0:4, 0:4], v)",
    "perhaps written before": "b: i32[4, 4] @ PAD\nif k:\n    put(4, b[0:4, 0:4], v)\nget(4, b[0:4, 0:4], v)",
    "perhaps not read": "b: i32[4, 4] @ PAD\nif k:\n    get(4, b[0:4, 0:4], v)",
    "skipped in the first iteration": (
        "b: i32[4, 4] @ PAD\nfor i in seq(0, n):\n    for j in seq(0, i):\n        get(4, b[0:4, 0:4], v)\n"
        "    put(4, b[0:4, 0:4], v)"
    ),
    "in main memory": "b: i32[4, 4]\nv = b[0, 0]",
}


def made(body):
    return proc_from_source(HEAD + "".join(f"    {line}\n" for line in body.splitlines()), SCOPE)


@pytest.mark.parametrize("body", READ_FIRST.values(), ids=READ_FIRST)
def test_what_is_certainly_read_first_is_refused(body):
    with pytest.raises(BackendError, match="b in memory PAD is read before anything is written to it"):
        require_written(made(body).ir)


@pytest.mark.parametrize("body", NOT_CERTAIN.values(), ids=NOT_CERTAIN)
def test_what_may_be_right_is_not_refused(body):
    require_written(made(body).ir)
