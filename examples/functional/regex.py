"""Regular expressions by derivatives (Brzozowski 1964): what remains to be matched after each byte."""

from __future__ import annotations

from usl_perceus import data, exception, fun


@data
class Regex:
    Never: ()
    Empty: ()
    Byte: u8
    Any: ()
    Then: ("Regex", "Regex")
    Or: ("Regex", "Regex")
    Star: "Regex"


@exception
class Unexpected:
    position: i64


# -- smart constructors keep what remains small


@fun
def then(a: Regex, b: Regex) -> Regex:
    match a, b:
        case Never(), _:
            return Never
        case _, Never():
            return Never
        case Empty(), _:
            return b
        case _, Empty():
            return a
        case Then(x, y), _:
            return Then(x, then(y, b))
        case _:
            return Then(a, b)


@fun
def either(a: Regex, b: Regex) -> Regex:
    match a, b:
        case Never(), _:
            return b
        case _, Never():
            return a
        case Or(x, y), _:
            return either(x, either(y, b))
        case _:
            return b if within(a, b) else Or(a, b)


@fun
def within(a: borrowed[Regex], b: borrowed[Regex]) -> bool:
    match b:
        case Or(x, rest):
            return a == x or within(a, rest)
        case _:
            return a == b


# -- matching


@fun
def nullable(r: borrowed[Regex]) -> bool:
    match r:
        case Empty() | Star(_):
            return True
        case Never() | Byte(_) | Any():
            return False
        case Then(a, b):
            return nullable(a) and nullable(b)
        case Or(a, b):
            return nullable(a) or nullable(b)


@fun
def derivative(r: Regex, byte: u8) -> Regex:
    match r:
        case Never() | Empty():
            return Never
        case Any():
            return Empty
        case Byte(b):
            return Empty if b == byte else Never
        case Or(a, b):
            return either(derivative(a, byte), derivative(b, byte))
        case Star(a):
            return then(derivative(a, byte), r)
        case Then(a, b):
            first = then(derivative(a, byte), b)
            return either(first, derivative(b, byte)) if nullable(a) else first


@fun
def matched_from(r: Regex, text: borrowed[array[u8]], i: i64) -> bool:
    if i == len(text):
        return nullable(r)
    match r:
        case Never():
            return False
        case _:
            return matched_from(derivative(r, text[i]), text, i + 1)


# -- reading: a|b, ab, a*, a+, a?, (a), . and bytes that stand for themselves, \ before the others


@fun
def choice(text: borrowed[array[u8]], i: i64) -> tuple[Regex, i64]:
    first, after = sequence(text, i)
    if after < len(text) and text[after] == 124:
        rest, end = choice(text, after + 1)
        return either(first, rest), end
    return first, after


@fun
def sequence(text: borrowed[array[u8]], i: i64) -> tuple[Regex, i64]:
    if i == len(text) or text[i] == 124 or text[i] == 41:
        return Empty, i
    one, after_one = atom(text, i)
    first, after = repeated(text, one, after_one)
    rest, end = sequence(text, after)
    return then(first, rest), end


@fun
def repeated(text: borrowed[array[u8]], r: Regex, i: i64) -> tuple[Regex, i64]:
    if i == len(text):
        return r, i
    match text[i]:
        case 42:
            return repeated(text, Star(r), i + 1)
        case 43:
            return repeated(text, then(r, Star(r)), i + 1)
        case 63:
            return repeated(text, either(Empty, r), i + 1)
        case _:
            return r, i


@fun
def atom(text: borrowed[array[u8]], i: i64) -> tuple[Regex, i64]:
    match text[i]:
        case 40:
            inner, end = choice(text, i + 1)
            if end == len(text):
                raise Unexpected(end)
            return inner, end + 1
        case 46:
            return Any, i + 1
        case 92:
            if i + 1 == len(text):
                raise Unexpected(i)
            return Byte(text[i + 1]), i + 2
        case 42 | 43 | 63:
            raise Unexpected(i)
        case byte:
            return Byte(byte), i + 1


@fun
def compiled(pattern: borrowed[array[u8]]) -> Regex:
    r, end = choice(pattern, 0)
    if end < len(pattern):
        raise Unexpected(end)
    return r


@fun
def matches(pattern: array[u8], text: array[u8]) -> bool:
    """Whether the pattern, of bytes, matches the whole text.

    Raises:
        Unexpected: the pattern is none, with the place.
    """
    return matched_from(compiled(pattern), text, 0)
