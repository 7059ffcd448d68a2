"""Sorting: lists by merging, stable, and arrays by heaps, both within their own memory."""

from __future__ import annotations

from typing import TypeVar

from usl_perceus import fbip, fun, no_alloc
from usl_perceus.std import lists
from usl_perceus.std.lists import List

T = TypeVar("T")


@no_alloc
@fun
def sort(xs: List[T]) -> List[T]:
    """The elements, rising; equal ones keep their order."""
    n = lists.length(xs, 0)
    if n < 2:
        return xs
    done, _ = _sorted(xs, n)
    return done


@no_alloc
@fun
def _sorted(xs: List[T], n: i64) -> tuple[List[T], List[T]]:
    """The first n elements, sorted, and the rest; n is positive, and there are so many."""
    if n == 1:
        match xs:
            case Cons(x, rest):
                return Cons(x, Nil), rest
            case Nil():
                return Nil, Nil
    left, others = _sorted(xs, n // 2)
    right, rest = _sorted(others, n - n // 2)
    return merge(left, right), rest


@no_alloc
@fun
def merge(xs: List[T], ys: List[T]) -> List[T]:
    """The elements of two sorted lists, sorted."""
    match xs, ys:
        case Nil(), _:
            return ys
        case _, Nil():
            return xs
        case Cons(x, xs_rest), Cons(y, ys_rest):
            if y < x:
                return Cons(y, merge(xs, ys_rest))
            return Cons(x, merge(xs_rest, ys))


@no_alloc
@fun
def sort_by(xs: List[T], less: Callable[[T, T], bool]) -> List[T]:
    """Sorted by an order of one's own; elements of which neither is less keep their order."""
    n = lists.length(xs, 0)
    if n < 2:
        return xs
    done, _ = _sorted_by(xs, n, less)
    return done


@no_alloc
@fun
def _sorted_by(xs: List[T], n: i64, less: Callable[[T, T], bool]) -> tuple[List[T], List[T]]:
    if n == 1:
        match xs:
            case Cons(x, rest):
                return Cons(x, Nil), rest
            case Nil():
                return Nil, Nil
    left, others = _sorted_by(xs, n // 2, less)
    right, rest = _sorted_by(others, n - n // 2, less)
    return merge_by(left, right, less), rest


@fbip
@fun
def merge_by(xs: List[T], ys: List[T], less: Callable[[T, T], bool]) -> List[T]:
    """The elements of two lists that are sorted by less, sorted."""
    match xs, ys:
        case Nil(), _:
            return ys
        case _, Nil():
            return xs
        case Cons(x, xs_rest), Cons(y, ys_rest):
            if less(y, x):
                return Cons(y, merge_by(xs, ys_rest, less))
            return Cons(x, merge_by(xs_rest, ys, less))


@no_alloc
@fun
def sort_array(a: array[T]) -> array[T]:
    """The elements, rising, in n log n steps."""
    for start in range(len(a) // 2 - 1, -1, -1):
        a = _sunk(a, start, len(a))
    for end in range(len(a) - 1, 0, -1):
        last = a[end]
        a = _sunk(a.set(end, a[0]).set(0, last), 0, end)
    return a


@no_alloc
@fun
def _sunk(a: array[T], i: i64, end: i64) -> array[T]:
    """a[i:end], a heap but for its first element, which sinks to its place."""
    child = 2 * i + 1
    if child >= end:
        return a
    if child + 1 < end and a[child] < a[child + 1]:
        child = child + 1
    if not a[i] < a[child]:
        return a
    x = a[i]
    return _sunk(a.set(i, a[child]).set(child, x), child, end)


@no_alloc
@fun
def is_sorted(xs: borrowed[List[T]]) -> bool:
    """Whether no element is less than the one before."""
    match xs:
        case Cons(x, Cons(y, _)) if y < x:
            return False
        case Cons(_, rest):
            return is_sorted(rest)
        case Nil():
            return True
