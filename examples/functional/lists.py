"""Linked lists, which several of the programs share."""

from __future__ import annotations

from typing import Generic, TypeVar

from usl_perceus import data, fun

T = TypeVar("T")


@data
class List(Generic[T]):
    Nil: ()
    Cons: (T, "List[T]")


@fun
def length(xs: List[T], n: i64) -> i64:
    match xs:
        case Nil():
            return n
        case Cons(_, rest):
            return length(rest, n + 1)
