"""A program in a file, as users write it: decorated, with types as annotations, a kernel, C functions, an exception."""

from __future__ import annotations

from typing import Generic, TypeVar

from usl_core import proc
from usl_perceus import data, exception, fbip, foreign, fun, no_alloc

LIMIT = 3
T = TypeVar("T")


@proc
def saxpy(n: size, a: f32, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        y[i] += a * x[i]


@proc
def both(n: size, x: f64[n], y: f64[n], up: bool):
    for i in seq(0, n):
        x[i] = 1.0
        y[i] = 2.0


@proc
def sums(x: R[4], y: R[4]):
    for i in seq(0, 4):
        y[i] += x[i]


@proc
def shifted(n: size, m: size, x: f32[n, m + 1], y: [f32][n, m + 1]):
    assert n > m
    assert stride(y, 1) == 1
    for i in seq(0, n):
        for j in seq(0, m + 1):
            y[i, j] += x[i, j]


@data
class Stack(Generic[T]):
    """A stack."""

    Empty: ()
    Push: (T, "Stack[T]")


@exception
class TooMany:
    count: i64
    limit: i64


@foreign("hypot", header="math.h")
def hypotenuse(x: f64, y: f64) -> f64: ...


@foreign
def stack_depth(s: borrowed[Stack[i64]], note: owned[str]) -> i64:
    """Counts."""


@fun
def depth(s: Stack[T], n: i64) -> i64:
    if n > LIMIT:
        raise TooMany(n, LIMIT)
    match s:
        case Empty():
            return n
        case Push(_, rest):
            return depth(rest, n + 1)


@no_alloc
@fbip
@fun
def swapped(s: Stack[i64]) -> Stack[i64]:
    match s:
        case Push(a, Push(b, rest)):
            return Push(b, Push(a, rest))
        case _:
            return s


@fun
def combined(x: array[f32], y: array[f32]) -> f32:
    z = saxpy(len(x), 2.0, x, y)
    return z[0] + f32(hypotenuse(3.0, 4.0))


@fun
def filled(n: i64) -> f64:
    x, y = both(n, array(n, 0.0), array(n, 0.0), True)
    return x[0] + y[0]


@fun
def doubled(n: i64, m: i64, length: i64) -> array[f32]:
    x = array(length, 1.5)
    return shifted(n, m, x, x)


@fun
def native(s: Stack[i64]) -> i64:
    return stack_depth(s, "here") + later(1)


@fun
def regrouped(t: tuple[i64, tuple[str, bool]], x: f64) -> tuple[tuple[bool, str], i64, u8]:
    a, (b, c) = t
    return (c, b + f'"{x} {a}\u00e9'), i64(x), u8(x)


@fun
def edges(a: f64, b: i64) -> tuple[tuple[f64, f64], tuple[i64, u64, i8]]:
    return (-1e999, -0.0), (-9223372036854775808 + b, 18446744073709551615, -128)


@fun
def later(n: i64) -> i64:
    return n


def helper(n):
    return n
