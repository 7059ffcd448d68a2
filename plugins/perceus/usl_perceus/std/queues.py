"""Queues: what was put in first comes out first. Two lists; each operation takes constant time on average."""

from __future__ import annotations

from typing import Generic, TypeVar

from usl_perceus import data, exception, fbip, fun
from usl_perceus.std import lists
from usl_perceus.std.lists import List

T = TypeVar("T")


@data
class Queue(Generic[T]):
    """The oldest elements, and those that came last, the newest first."""

    Queue: {front: List[T], back: List[T]}


@exception
class EmptyQueue:
    """There is no element to take out."""


@fun
def empty() -> Queue[T]:
    """A queue without elements."""
    return Queue(Nil, Nil)


@fbip
@fun
def is_empty(q: borrowed[Queue[T]]) -> bool:
    """Whether there is no element."""
    match q:
        case Queue(Nil(), Nil()):
            return True
        case _:
            return False


@fbip
@fun
def size(q: borrowed[Queue[T]]) -> i64:
    """How many elements; takes linear time."""
    match q:
        case Queue(front, back):
            return lists.length(front, lists.length(back, 0))


@fun
def push(q: Queue[T], x: T) -> Queue[T]:
    """Takes one block."""
    match q:
        case Queue(front, back):
            return Queue(front, Cons(x, back))


@fbip
@fun
def pop(q: Queue[T]) -> tuple[T, Queue[T]]:
    """The oldest element, and the others.

    Raises:
        EmptyQueue: there is none.
    """
    match q:
        case Queue(Cons(x, rest), back):
            return x, Queue(rest, back)
        case Queue(Nil(), back):
            match lists.reverse(back):
                case Cons(x, rest):
                    return x, Queue(rest, Nil)
                case Nil():
                    raise EmptyQueue


@fbip
@fun
def to_list(q: Queue[T]) -> List[T]:
    """The oldest first."""
    match q:
        case Queue(front, back):
            return lists.append(front, lists.reverse(back))


@fun
def of_list(xs: List[T]) -> Queue[T]:
    """A queue of the elements, the first one the oldest."""
    return Queue(xs, Nil)
