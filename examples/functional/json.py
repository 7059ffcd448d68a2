"""JSON: a reader of bytes, a writer, and questions about what was read."""

from __future__ import annotations

from typing import TypeVar

from examples.functional.lists import List
from usl_perceus import data, exception, fun

T = TypeVar("T")


@data
class Json:
    Null: ()
    Truth: bool
    Number: i64
    Text: List[u8]
    Items: List["Json"]
    Members: List[tuple[List[u8], "Json"]]


@exception
class Unexpected:
    position: i64


@fun
def space(text: borrowed[array[u8]], i: i64) -> i64:
    """The first place from i on that is no white space."""
    if i < len(text) and (text[i] == 32 or text[i] == 10 or text[i] == 13 or text[i] == 9):
        return space(text, i + 1)
    return i


@fun
def word(text: borrowed[array[u8]], i: i64, expected: borrowed[List[u8]]) -> i64:
    match expected:
        case Nil():
            return i
        case Cons(byte, rest):
            if i == len(text) or text[i] != byte:
                raise Unexpected(i)
            return word(text, i + 1, rest)


@fun
def is_digit(text: borrowed[array[u8]], i: i64) -> bool:
    return i < len(text) and text[i] >= 48 and text[i] <= 57


@fun
def digits(text: borrowed[array[u8]], i: i64, n: i64) -> tuple[i64, i64]:
    if not is_digit(text, i):
        return n, i
    return digits(text, i + 1, 10 * n + i64(text[i]) - 48)


@fun
def string(text: borrowed[array[u8]], i: i64, read: List[u8]) -> tuple[List[u8], i64]:
    """The bytes up to the closing quote, and the place behind it."""
    if i == len(text):
        raise Unexpected(i)
    match text[i]:
        case 34:
            return reversed_onto(read, Nil), i + 1
        case 92:
            if i + 1 == len(text):
                raise Unexpected(i)
            return string(text, i + 2, Cons(escaped(text[i + 1], i), read))
        case byte:
            return string(text, i + 1, Cons(byte, read))


@fun
def escaped(byte: u8, i: i64) -> u8:
    match byte:
        case 110:
            return 10
        case 116:
            return 9
        case 34 | 92 | 47:
            return byte
        case _:
            raise Unexpected(i)


@fun
def reversed_onto(xs: List[T], tail: List[T]) -> List[T]:
    match xs:
        case Nil():
            return tail
        case Cons(x, rest):
            return reversed_onto(rest, Cons(x, tail))


@fun
def value(text: borrowed[array[u8]], start: i64) -> tuple[Json, i64]:
    i = space(text, start)
    if i == len(text):
        raise Unexpected(i)
    match text[i]:
        case 110:
            return Null, word(text, i, Cons(110, Cons(117, Cons(108, Cons(108, Nil)))))
        case 116:
            return Truth(True), word(text, i, Cons(116, Cons(114, Cons(117, Cons(101, Nil)))))
        case 102:
            return Truth(False), word(text, i, Cons(102, Cons(97, Cons(108, Cons(115, Cons(101, Nil))))))
        case 34:
            read, end = string(text, i + 1, Nil)
            return Text(read), end
        case 91:
            after = space(text, i + 1)
            if after < len(text) and text[after] == 93:
                return Items(Nil), after + 1
            found, end = items(text, i + 1, Nil)
            return Items(found), end
        case 123:
            after = space(text, i + 1)
            if after < len(text) and text[after] == 125:
                return Members(Nil), after + 1
            pairs, end = members(text, i + 1, Nil)
            return Members(pairs), end
        case 45:
            if not is_digit(text, i + 1):
                raise Unexpected(i)
            n, end = digits(text, i + 1, 0)
            return Number(-n), end
        case _:
            if not is_digit(text, i):
                raise Unexpected(i)
            n, end = digits(text, i, 0)
            return Number(n), end


@fun
def items(text: borrowed[array[u8]], i: i64, read: List[Json]) -> tuple[List[Json], i64]:
    item, after = value(text, i)
    end = space(text, after)
    if end < len(text) and text[end] == 44:
        return items(text, end + 1, Cons(item, read))
    if end == len(text) or text[end] != 93:
        raise Unexpected(end)
    return reversed_onto(Cons(item, read), Nil), end + 1


@fun
def members(
    text: borrowed[array[u8]], start: i64, read: List[tuple[List[u8], Json]]
) -> tuple[List[tuple[List[u8], Json]], i64]:
    i = space(text, start)
    if i == len(text) or text[i] != 34:
        raise Unexpected(i)
    key, after_key = string(text, i + 1, Nil)
    colon = space(text, after_key)
    if colon == len(text) or text[colon] != 58:
        raise Unexpected(colon)
    item, after = value(text, colon + 1)
    end = space(text, after)
    if end < len(text) and text[end] == 44:
        return members(text, end + 1, Cons((key, item), read))
    if end == len(text) or text[end] != 125:
        raise Unexpected(end)
    return reversed_onto(Cons((key, item), read), Nil), end + 1


@fun
def read(text: array[u8]) -> Json:
    """The value that all of the text is.

    Raises:
        Unexpected: the text is no JSON (numbers are integers here), with the place.
    """
    found, after = value(text, 0)
    end = space(text, after)
    if end < len(text):
        raise Unexpected(end)
    return found


@fun
def sum(json: borrowed[Json]) -> i64:
    """The sum of all numbers."""
    match json:
        case Number(n):
            return n
        case Items(xs):
            return sum_of_items(xs, 0)
        case Members(pairs):
            return sum_of_members(pairs, 0)
        case _:
            return 0


@fun
def sum_of_items(xs: borrowed[List[Json]], n: i64) -> i64:
    match xs:
        case Nil():
            return n
        case Cons(x, rest):
            return sum_of_items(rest, n + sum(x))


@fun
def sum_of_members(pairs: borrowed[List[tuple[List[u8], Json]]], n: i64) -> i64:
    match pairs:
        case Nil():
            return n
        case Cons((_, x), rest):
            return sum_of_members(rest, n + sum(x))


@fun
def doubled(json: Json) -> Json:
    """Each number twice as large; the rest stays where it is."""
    match json:
        case Number(n):
            return Number(2 * n)
        case Items(xs):
            return Items(doubled_items(xs))
        case Members(pairs):
            return Members(doubled_members(pairs))
        case _:
            return json


@fun
def doubled_items(xs: List[Json]) -> List[Json]:
    match xs:
        case Nil():
            return Nil
        case Cons(x, rest):
            return Cons(doubled(x), doubled_items(rest))


@fun
def doubled_members(pairs: List[tuple[List[u8], Json]]) -> List[tuple[List[u8], Json]]:
    match pairs:
        case Nil():
            return Nil
        case Cons((key, x), rest):
            return Cons((key, doubled(x)), doubled_members(rest))


@fun
def sum_of(text: array[u8]) -> i64:
    return sum(read(text))


@fun
def sum_of_doubled(text: array[u8]) -> i64:
    return sum(doubled(read(text)))
