"""`par` loops whose last iteration may meet the others: it runs after the join."""

from __future__ import annotations

import numpy as np

from usl_core import Procedure
from usl_core.procedure import proc_from_source
from usl_core.scheduling import divide_loop, parallelize_loop


def shifted() -> Procedure:
    p = proc_from_source(
        "def twice(n: size, x: f32[n], y: f32[n]):\n    assert n >= 4\n    for i in seq(0, n):\n        y[i] = x[i] * 2.0\n",
        {},
    )
    return parallelize_loop(divide_loop(p, "i", 4, ["io", "ii"], tail="shift_inwards"), "io")


def test_the_last_tile_runs_after_the_parallel_loop() -> None:
    text = shifted().c_code()
    source = text if isinstance(text, str) else "".join(map(str, text))
    lines = [line.strip() for line in source.splitlines()]
    start = lines.index("#pragma omp parallel for")
    assert lines[start + 2] == "for (int64_t io = 0; io < (n + 3) / 4 - 1; io++) {"
    assert "for (int64_t io = (n + 3) / 4 - 1; io < (n + 3) / 4; io++) {" in lines[start + 3 :]


def test_values_are_right_at_every_size() -> None:
    twice = shifted().jit()
    for n in (4, 5, 7, 8, 9, 1001):
        x, y = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
        twice(n, x, y)
        np.testing.assert_array_equal(y, 2 * x)


def test_the_last_iteration_may_read_what_the_others_reduced() -> None:
    p = proc_from_source(
        "def total(n: size, x: f32[n], s: f32, y: f32):\n"
        "    s = 0.0\n"
        "    for i in seq(0, n):\n"
        "        s += x[i]\n"
        "        if i == n - 1:\n"
        "            y = s\n",
        {},
    )
    total = parallelize_loop(p, "i").jit()
    for n in (1, 2, 100):
        s, y = np.zeros((), np.float32), np.zeros((), np.float32)
        total(n, np.ones(n, np.float32), s, y)
        assert s == y == n
