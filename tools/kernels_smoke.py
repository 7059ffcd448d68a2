"""A small program for the distribution test: schedule a loop, compile it, run it on NumPy arrays."""

from __future__ import annotations

from usl_core import DRAM, proc
from usl_core.scheduling import divide_loop


@proc
def axpy(n: size, a: f32, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
    for i in seq(0, n):
        y[i] += a * x[i]


tiled_axpy = divide_loop(axpy, "i", 8, ["io", "ii"], tail="cut")
__all__ = ["tiled_axpy"]


def main() -> None:
    import numpy as np

    x = np.arange(100, dtype=np.float32)
    y = np.ones(100, dtype=np.float32)
    tiled_axpy.jit()(100, np.float32(3), x, y)
    assert (y == 3 * np.arange(100) + 1).all(), y


if __name__ == "__main__":
    main()
