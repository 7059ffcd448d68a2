"""Procedures with Python in braces, and fragments."""

from __future__ import annotations

from typing import Any

from usl_core import Fragment, Procedure, fragment, proc

LANES = 4


@fragment
def clamp(dst, src, high):
    t: f32
    t = max(src, 0.0)
    dst = min(t, high)


@fragment
def square(e):
    return e * e


@fragment
def power(e, n):
    if {n == 0}:
        return 1.0
    return e * power(e, {n - 1})


@fragment
def store_lanes(dst, op):
    for i in seq(0, LANES):
        dst[i] = op(dst[i])


@proc
def unrolled(x: f32[4], t: f32):
    for k in {range(2)}:
        acc: f32
        acc = x[{k}] * {k + 0.5}
        for j, scale in {[(2, 1.0), (3, k)]}:
            x[j] += acc * scale
    t = 1.0


def typed(T: Any, mem: Any, wide: bool) -> Procedure:
    @proc
    def kernel(n: size, x: {T}[n] @ {mem}, w: [{T}][n]):
        for i in seq(0, n):
            if {wide}:
                acc: f64
            else:
                acc: {T}
            acc = 0.0
            if {not wide}:
                x[i] = acc

    return kernel


@proc
def hygienic(n: size, t: f32[n], LANES: f32):
    for i in seq(0, n):
        clamp(t[i], t[i] + LANES, square(t[i]))
    clamp(LANES, t[0], high=1.0)


@proc
def higher(x: f32[8]):
    assert {True}
    store_lanes(x, square)
    for i in seq(0, 4):
        x[i] = power(x[i], {3})


def with_body(*bodies: Fragment) -> Procedure:
    @proc
    def f(x: f32[4]):
        {list(bodies)}
        {None}
        if {bool(bodies)}:
            pass

    return f


def body_of(value: float, place: int) -> Fragment:
    @fragment
    def body():
        pass

    return body


def nested_loop_name() -> Procedure:
    @proc
    def f(x: f32[4]):
        for k in {range(1)}:
            for k in seq(0, 4):
                x[k] = 0.0
            x[{k}] = 1.0

    return f


def with_bad_index() -> Procedure:
    @proc
    def f(x: f32[4]):
        x[{4}] = 0.0

    return f
