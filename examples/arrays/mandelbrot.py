"""Mandelbrot's set (Accelerate's example)."""

from __future__ import annotations

from usl_soac import soac


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
    points = map(lambda p: escape(f32(p % width) * dx - 2.0, f32(p // width) * dy - 1.0, limit), iota(height * width))
    return reshape(points, (height, width))
