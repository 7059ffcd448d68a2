"""Programs whose arguments and results are of each kind that Python hands over."""

from __future__ import annotations

from usl_perceus import data, exception, fun, record


@data
class Color:
    Red: ()
    Green: ()


@data
class Chain:
    End: ()
    Link: (i64, "Chain")


@record
class Point:
    x: f64
    color: Color
    name: str


@exception
class Odd:
    number: i64


@fun
def integers(
    a: i8, b: u8, c: i16, d: u16, e: i32, f: u32, g: i64, h: u64
) -> tuple[tuple[i8, u8, i16, u16], tuple[i32, u32, i64, u64]]:
    return ((a, b, c, d), (e, f, g, h))


@fun
def others(a: f32, b: f64, c: bool, d: str, e: None, f: Color) -> tuple[f32, f64, bool, str, Color]:
    return (a, b, c, d, f)


@fun
def parts(p: tuple[i64, Point], chain: Chain) -> tuple[Point, Chain, i64]:
    n, point = p
    return (point.set(x=point.x + f64(n)), Link(n, chain), n)


@fun
def arrays(
    a: array[i8], b: array[u16], c: array[f32], d: array[f64], e: array[bool]
) -> tuple[array[i8], array[u16], array[f32], array[f64], array[bool]]:
    return (a, b, c, d, e)


@fun
def halved(n: i64) -> i64:
    if n % 2 == 1:
        raise Odd(n)
    return n // 2


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


@fun
def halved_at_last(n: i64, depth: i64) -> i64:
    return halved(n) if depth == 0 else halved_at_last(n, depth - 1)


@fun
def shouted(text: str, times: i64) -> None:
    if times > 0:
        print(text)
        shouted(text, times - 1)


@fun
def adder(n: i64) -> Callable[[i64], i64]:
    return lambda x: x + n


@fun
def turns(n: i64, i: i64) -> i64:
    return i if n == 0 else turns(n - 1, (i * 5 + n) % 1013)
