"""Functions on arrays for test_perceus_python_arrays."""

from __future__ import annotations

from usl_core import proc
from usl_perceus import data, exception, fun


@data
class Kept:
    Full: (array[f64], i64)


@exception
class Refused:
    pass


@proc
def scale_add(n: size, a: f64, x: f64[n], y: f64[n]):
    for i in seq(0, n):
        y[i] += a * x[i]


@proc
def dot(n: size, x: f64[n], y: f64[n], s: f64):
    s = 0.0
    for i in seq(0, n):
        s += x[i] * y[i]


@proc
def sums(n: size, x: f64[n, 2], s: f64, y: f64[n]):
    s = 0.0
    for i in seq(0, n):
        s += x[i, 0]
        y[i] = s


@fun
def added(a: f64, x: array[f64], y: array[f64]) -> array[f64]:
    return scale_add(len(x), a, x, y)


@fun
def same(x: array[f64]) -> array[f64]:
    return x


@fun
def twice(x: array[f64]) -> tuple[array[f64], array[f64]]:
    return (x, x)


@fun
def first_set(x: array[f64], y: array[f64]) -> f64:
    z = x.set(0, 7.0)
    return z[0] + y[0]


@fun
def kept(x: array[f64]) -> Kept:
    return Full(x, 2)


@fun
def looked_at(k: Kept) -> f64:
    match k:
        case Full(x, n):
            return x[n]


@fun
def refused(x: array[f64], y: array[f64]) -> array[f64]:
    if x[0] < y[0]:
        raise Refused
    return x


@fun
def cell(x: array[f64]) -> ref[array[f64]]:
    return ref(x)


@fun
def step(r: ref[array[f64]], x: array[f64]) -> None:
    r.modify(lambda y: scale_add(len(x), 1.0, x, y))


@fun
def content(r: ref[array[f64]]) -> array[f64]:
    return r.value


@fun
def inner(x: array[f64], y: array[f64]) -> f64:
    return dot(len(x), x, y, 0.0)


@fun
def running(x: array[f64], n: i64) -> tuple[f64, array[f64]]:
    return sums(n, x, 0.0, array(n, 0.0))


@fun
def total(x: array[f64], i: i64, sum: f64) -> f64:
    return sum if i == len(x) else total(x, i + 1, sum + x[i])


@fun
def in_thread(x: array[f64]) -> f64:
    return join(spawn(total, x, 0, 0.0))
