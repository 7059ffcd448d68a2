"""Linked lists."""

from __future__ import annotations

from typing import Generic, TypeVar

from usl_perceus import data, fbip, fun, no_alloc
from usl_perceus.std.options import Option

T = TypeVar("T")
U = TypeVar("U")


@data
class List(Generic[T]):
    """Elements, the first one at hand."""

    Nil: ()
    Cons: (T, "List[T]")


@fbip
@fun
def length(xs: borrowed[List[T]], counted: i64 = 0) -> i64:
    """How many elements, and counted more."""
    match xs:
        case Nil():
            return counted
        case Cons(_, rest):
            return length(rest, counted + 1)


@fbip
@fun
def is_empty(xs: borrowed[List[T]]) -> bool:
    """Whether there is no element."""
    match xs:
        case Nil():
            return True
        case _:
            return False


@fbip
@fun
def reversed_onto(xs: List[T], tail: List[T]) -> List[T]:
    """The elements of xs from the last to the first, then tail."""
    match xs:
        case Nil():
            return tail
        case Cons(x, rest):
            return reversed_onto(rest, Cons(x, tail))


@fbip
@fun
def reverse(xs: List[T]) -> List[T]:
    """The elements from the last to the first."""
    return reversed_onto(xs, Nil)


@fbip
@fun
def append(xs: List[T], ys: List[T]) -> List[T]:
    """The elements of xs, then ys, which stays as it is."""
    match xs:
        case Nil():
            return ys
        case Cons(x, rest):
            return Cons(x, append(rest, ys))


@fun
def map(xs: List[T], f: Callable[[T], U]) -> List[U]:
    """In the memory of xs where elements of both types have the same size."""
    match xs:
        case Nil():
            return Nil
        case Cons(x, rest):
            return Cons(f(x), map(rest, f))


@fbip
@fun
def update(xs: List[T], f: Callable[[T], T]) -> List[T]:
    """`map` within a type."""
    match xs:
        case Nil():
            return Nil
        case Cons(x, rest):
            return Cons(f(x), update(rest, f))


@fbip
@fun
def filter(xs: List[T], keeps: Callable[[T], bool]) -> List[T]:
    """The elements of which keeps is true."""
    match xs:
        case Nil():
            return Nil
        case Cons(x, rest):
            if keeps(x):
                return Cons(x, filter(rest, keeps))
            return filter(rest, keeps)


@fbip
@fun
def partition(xs: List[T], is_first: Callable[[T], bool]) -> tuple[List[T], List[T]]:
    """The elements of which is_first is true, and the others."""
    return _partition(xs, is_first, Nil, Nil)


@fbip
@fun
def _partition(xs: List[T], is_first: Callable[[T], bool], firsts: List[T], others: List[T]) -> tuple[List[T], List[T]]:
    match xs:
        case Nil():
            return reverse(firsts), reverse(others)
        case Cons(x, rest):
            if is_first(x):
                return _partition(rest, is_first, Cons(x, firsts), others)
            return _partition(rest, is_first, firsts, Cons(x, others))


@fbip
@fun
def fold(xs: List[T], start: U, f: Callable[[U, T], U]) -> U:
    """f(... f(f(start, x0), x1) ...)."""
    match xs:
        case Nil():
            return start
        case Cons(x, rest):
            return fold(rest, f(start, x), f)


@fbip
@fun
def any(xs: borrowed[List[T]], holds: Callable[[T], bool]) -> bool:
    """Whether holds is true of an element."""
    match xs:
        case Nil():
            return False
        case Cons(x, rest):
            return holds(x) or any(rest, holds)


@fbip
@fun
def all(xs: borrowed[List[T]], holds: Callable[[T], bool]) -> bool:
    """Whether holds is true of all elements."""
    match xs:
        case Nil():
            return True
        case Cons(x, rest):
            return holds(x) and all(rest, holds)


@no_alloc
@fun
def contains(xs: borrowed[List[T]], x: borrowed[T]) -> bool:
    """Whether an element is equal to x."""
    match xs:
        case Nil():
            return False
        case Cons(y, rest):
            return x == y or contains(rest, x)


@fun
def find(xs: borrowed[List[T]], holds: Callable[[T], bool]) -> Option[T]:
    """The first element of which holds is true. Takes one block."""
    match xs:
        case Nil():
            return Nothing
        case Cons(x, rest):
            return Some(x) if holds(x) else find(rest, holds)


@fbip
@fun
def at(xs: borrowed[List[T]], i: i64, otherwise: T) -> T:
    """Element i, or otherwise if there is none."""
    match xs:
        case Cons(x, rest):
            return x if i == 0 else at(rest, i - 1, otherwise)
        case Nil():
            return otherwise


@fbip
@fun
def take(xs: List[T], n: i64) -> List[T]:
    """The first n elements, or all."""
    match xs:
        case Cons(x, rest) if n > 0:
            return Cons(x, take(rest, n - 1))
        case _:
            return Nil


@fbip
@fun
def drop(xs: List[T], n: i64) -> List[T]:
    """All but the first n elements."""
    match xs:
        case Cons(_, rest) if n > 0:
            return drop(rest, n - 1)
        case _:
            return xs


@fun
def zip(xs: List[T], ys: List[U]) -> List[tuple[T, U]]:
    """Pairs, as many as the shorter list has elements."""
    match xs, ys:
        case Cons(x, xs_rest), Cons(y, ys_rest):
            return Cons((x, y), zip(xs_rest, ys_rest))
        case _:
            return Nil


@fun
def upto(n: i64) -> List[i64]:
    """0, 1, ..., n - 1."""
    return _upto(n, Nil)


@fun
def _upto(n: i64, above: List[i64]) -> List[i64]:
    return above if n <= 0 else _upto(n - 1, Cons(n - 1, above))


@fun
def of_array(elements: borrowed[array[T]]) -> List[T]:
    """The elements of an array. Takes a block for each."""
    return _of_array(elements, len(elements), Nil)


@fun
def _of_array(elements: borrowed[array[T]], n: i64, behind: List[T]) -> List[T]:
    return behind if n == 0 else _of_array(elements, n - 1, Cons(elements[n - 1], behind))


@fun
def to_array(xs: List[T], filler: T) -> array[T]:
    """Takes one array, made of the filler first."""
    return _filled(array(length(xs, 0), filler), xs, 0)


@fbip
@fun
def _filled(elements: array[T], xs: List[T], i: i64) -> array[T]:
    match xs:
        case Nil():
            return elements
        case Cons(x, rest):
            return _filled(elements.set(i, x), rest, i + 1)
