"""Declarations that Python imports and calls: see `calls`."""

from __future__ import annotations

from usl_perceus import data, fun


@data
class Chain:
    End: ()
    Link: (i64, "Chain")


@fun
def successor(n: i64) -> i64:
    return n + 1


@fun
def greeting(name: str) -> str:
    return "Hello, " + name


@fun
def first(numbers: array[f64]) -> f64:
    return numbers[0]


@fun
def length(chain: Chain, n: i64 = 0) -> i64:
    match chain:
        case End():
            return n
        case Link(_, rest):
            return length(rest, n + 1)


@fun
def counted(n: i64, chain: Chain) -> Chain:
    return chain if n == 0 else counted(n - 1, Link(n, chain))
