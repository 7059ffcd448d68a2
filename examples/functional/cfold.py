"""Constant folding of a large expression."""

from __future__ import annotations

from usl_perceus import data, fun


@data
class Expr:
    Variable: i64
    Number: i64
    Plus: ("Expr", "Expr")
    Times: ("Expr", "Expr")


@fun
def tower(depth: i64, v: i64) -> Expr:
    if depth == 0:
        return Variable(1) if v == 0 else Number(v)
    return Plus(tower(depth - 1, v + 1), tower(depth - 1, 0 if v == 0 else v - 1))


@fun
def plus_at_end(a: Expr, b: Expr) -> Expr:
    match a:
        case Plus(c, d):
            return Plus(c, plus_at_end(d, b))
        case _:
            return Plus(a, b)


@fun
def times_at_end(a: Expr, b: Expr) -> Expr:
    match a:
        case Times(c, d):
            return Times(c, times_at_end(d, b))
        case _:
            return Times(a, b)


@fun
def reassociated(e: Expr) -> Expr:
    match e:
        case Plus(a, b):
            return plus_at_end(reassociated(a), reassociated(b))
        case Times(a, b):
            return times_at_end(reassociated(a), reassociated(b))
        case _:
            return e


@fun
def folded(e: Expr) -> Expr:
    match e:
        case Plus(a, b):
            match folded(a), folded(b):
                case Number(m), Number(n):
                    return Number(m + n)
                case Number(m), Plus(f, Number(n)):
                    return Plus(Number(m + n), f)
                case Number(m), Plus(Number(n), f):
                    return Plus(Number(m + n), f)
                case f, g:
                    return Plus(f, g)
        case Times(a, b):
            match folded(a), folded(b):
                case Number(m), Number(n):
                    return Number(m * n)
                case Number(m), Times(f, Number(n)):
                    return Times(Number(m * n), f)
                case Number(m), Times(Number(n), f):
                    return Times(Number(m * n), f)
                case f, g:
                    return Times(f, g)
        case _:
            return e


@fun
def value(e: Expr) -> i64:
    match e:
        case Variable(_):
            return 0
        case Number(n):
            return n
        case Plus(a, b):
            return value(a) + value(b)
        case Times(a, b):
            return value(a) * value(b)


@fun
def cfold(depth: i64) -> i64:
    return value(folded(reassociated(tower(depth, 1))))
