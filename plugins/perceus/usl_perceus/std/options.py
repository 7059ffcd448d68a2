"""Values that may be missing."""

from __future__ import annotations

from typing import Generic, TypeVar

from usl_perceus import data, fbip, fun

T = TypeVar("T")
U = TypeVar("U")


@data
class Option(Generic[T]):
    """A value, or nothing."""

    Nothing: ()
    Some: T


@fbip
@fun
def is_some(x: borrowed[Option[T]]) -> bool:
    """Whether there is a value."""
    match x:
        case Some(_):
            return True
        case Nothing():
            return False


@fbip
@fun
def value_or(x: Option[T], otherwise: T) -> T:
    """The value, or otherwise if it is missing."""
    match x:
        case Some(value):
            return value
        case Nothing():
            return otherwise


@fun
def map(x: Option[T], f: Callable[[T], U]) -> Option[U]:
    """In the memory of x where both types have the same size."""
    match x:
        case Some(value):
            return Some(f(value))
        case Nothing():
            return Nothing


@fbip
@fun
def update(x: Option[T], f: Callable[[T], T]) -> Option[T]:
    """`map` within a type."""
    match x:
        case Some(value):
            return Some(f(value))
        case Nothing():
            return Nothing


@fbip
@fun
def filter(x: Option[T], keeps: Callable[[T], bool]) -> Option[T]:
    """The value, if keeps is true of it."""
    match x:
        case Some(value) if not keeps(value):
            return Nothing
        case _:
            return x


@fbip
@fun
def either(x: Option[T], y: Option[T]) -> Option[T]:
    """x, or y if x is missing."""
    match x:
        case Some(_):
            return x
        case Nothing():
            return y
