"""Mandelbrot's set (Accelerate's example)."""

from __future__ import annotations

from usl_soac import schedules, soac


@soac
def escape(x0: f32, y0: f32, limit: i32) -> i32:
    x, y, n = x0, y0, i32(0)
    while n < limit and x * x + y * y <= 4.0:
        x, y = x * x - y * y + x0, 2.0 * x * y + y0
        n += 1
    return n


@soac
def mandelbrot(width: i64, height: i64, limit: i32) -> i32[height, width]:
    dx, dy = 3.0 / f32(width), 2.0 / f32(height)
    xs = map(lambda i: f32(i) * dx - 2.0, iota(width))
    ys = map(lambda j: f32(j) * dy - 1.0, iota(height))
    return map(lambda y: map(lambda x: escape(x, y, limit), xs), ys)


# -- schedules


def tuned(f):
    """Sixteen points at once in vectors."""
    return f.schedule(schedules.soac_default)
