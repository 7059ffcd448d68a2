"""Texts built piece by piece: `s + t` grows s where it is, so that a text is its own builder, in linear time."""

from __future__ import annotations

from typing import TypeVar

from usl_perceus import fun
from usl_perceus.std.lists import List

T = TypeVar("T")


@fun
def repeated(piece: str, times: i64) -> str:
    """The piece so many times."""
    built = ""
    for _ in range(times):
        built += piece
    return built


@fun
def joined(xs: borrowed[List[T]], separator: str, shown: Callable[[T], str]) -> str:
    """The texts of the elements with the separator between them."""
    match xs:
        case Nil():
            return ""
        case Cons(first, rest):
            return _joined_onto(shown(first), rest, separator, shown)


@fun
def _joined_onto(built: str, xs: borrowed[List[T]], separator: str, shown: Callable[[T], str]) -> str:
    match xs:
        case Nil():
            return built
        case Cons(x, rest):
            return _joined_onto(built + separator + shown(x), rest, separator, shown)


@fun
def lines(text: borrowed[str]) -> List[str]:
    """The lines without their ends; nothing follows the last end."""
    return _lines(text, len(text), Nil)


@fun
def _lines(text: borrowed[str], end: i64, below: List[str]) -> List[str]:
    """text[:end] as lines, then below."""
    if end == 0:
        return below
    last = end - 1 if text[end - 1] == "\n" else end
    start = last
    while start > 0 and text[start - 1] != "\n":
        start -= 1
    return _lines(text, start, Cons(text[start:last], below))
