"""Natural numbers of any size: lists of digits to the base 10 ** 9, the least one first."""

from __future__ import annotations

from examples.functional.lists import List
from usl_perceus import fun


@fun
def add(a: List[i64], b: List[i64], carry: i64) -> List[i64]:
    match a, b:
        case Nil(), Nil():
            return Nil if carry == 0 else Cons(carry, Nil)
        case Cons(x, rest), Nil():
            return a if carry == 0 else digit(x + carry, rest, Nil)
        case Nil(), Cons(y, rest):
            return b if carry == 0 else digit(y + carry, rest, Nil)
        case Cons(x, xs), Cons(y, ys):
            return digit(x + y + carry, xs, ys)


@fun
def digit(sum: i64, a: List[i64], b: List[i64]) -> List[i64]:
    """The sum of two digits in front of what the rest adds up to."""
    return Cons(sum % 1000000000, add(a, b, sum // 1000000000))


@fun
def times_digit(a: List[i64], d: i64, carry: i64) -> List[i64]:
    match a:
        case Nil():
            return Nil if carry == 0 else Cons(carry, Nil)
        case Cons(x, rest):
            product = x * d + carry
            return Cons(product % 1000000000, times_digit(rest, d, product // 1000000000))


@fun
def times(a: List[i64], b: List[i64]) -> List[i64]:
    match a:
        case Nil():
            return Nil
        case Cons(x, rest):
            return add(times_digit(b, x, 0), Cons(0, times(rest, b)), 0)


@fun
def product(low: i64, high: i64) -> List[i64]:
    """low * ... * (high - 1), halves first: long numbers meet numbers of the same length."""
    if low >= high:
        return Cons(1, Nil)
    if low + 1 == high:
        return Cons(low, Nil)
    middle = (low + high) // 2
    return times(product(low, middle), product(middle, high))


@fun
def factorial(n: i64) -> List[i64]:
    return product(1, n + 1)


@fun
def fibonacci_from(n: i64, a: List[i64], b: List[i64]) -> List[i64]:
    return a if n == 0 else fibonacci_from(n - 1, b, add(a, b, 0))


@fun
def fibonacci(n: i64) -> List[i64]:
    return fibonacci_from(n, Nil, Cons(1, Nil))


@fun
def padded(d: i64, below: i64) -> str:
    """d with zeros in front, as many digits as below has zeros."""
    if below == 1:
        return ""
    return f"{d // (below // 10)}" + padded(d % (below // 10), below // 10)


@fun
def leading(rest: List[i64], text: str) -> str:
    """The digits of rest, of which the last has no zeros in front, before text."""
    match rest:
        case Nil():
            return text
        case Cons(d, Nil()):
            return f"{d}" + text
        case Cons(0, Cons(0, Nil())):
            return text
        case Cons(d, more):
            return leading(more, padded(d, 1000000000) + text)


@fun
def trimmed(a: List[i64]) -> List[i64]:
    """a without zeros at its end."""
    match a:
        case Nil():
            return Nil
        case Cons(d, rest):
            match d, trimmed(rest):
                case 0, Nil():
                    return Nil
                case _, short:
                    return Cons(d, short)


@fun
def decimal(a: List[i64]) -> str:
    match trimmed(a):
        case Nil():
            return "0"
        case digits:
            return leading(digits, "")
