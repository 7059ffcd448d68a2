"""Functions for test_perceus_messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from usl_perceus import data, foreign, fun

T = TypeVar("T")


@data
class Maybe(Generic[T]):
    Nothing: ()
    Just: T


@fun
def echo(text: str) -> str:
    return text + "!"


@fun
def adder(n: i64) -> Callable[[i64], i64]:
    return lambda x: x + n


@fun
def apply(f: Callable[[i64], i64], x: i64) -> i64:
    return f(x)


@fun
def composed(f: Maybe[Callable[[i64], i64]], n: i64) -> Callable[[i64], i64]:
    match f:
        case Nothing():
            return lambda x: x // n
        case Just(g):
            return lambda x: g(x) * n


@foreign("nowhere_to_be_found")
def nowhere(x: f64) -> f64: ...


@fun
def missing(x: f64) -> f64:
    return nowhere(x)


@fun
def step(n: i64) -> i64:
    return n + 1
