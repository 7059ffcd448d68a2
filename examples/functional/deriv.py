"""Symbolic derivatives: `x ** x`, derived again and again; the number of nodes of all results."""

from __future__ import annotations

from usl_perceus import data, fun


@data
class Term:
    Val: i64
    Var: str
    Add: ("Term", "Term")
    Mul: ("Term", "Term")
    Pow: ("Term", "Term")
    Ln: "Term"


@fun
def power(base: i64, exponent: i64) -> i64:
    if exponent <= 0:
        return 1
    half = power(base, exponent // 2)
    return half * half if exponent % 2 == 0 else half * half * base


@fun
def add(a: Term, b: Term) -> Term:
    match a, b:
        case Val(m), Val(n):
            return Val(m + n)
        case Val(0), f:
            return f
        case f, Val(0):
            return f
        case f, Val(n):
            return add(Val(n), f)
        case Val(m), Add(Val(n), g):
            return add(Val(m + n), g)
        case f, Add(Val(n), g):
            return add(Val(n), add(f, g))
        case Add(f, g), h:
            return add(f, add(g, h))
        case f, g:
            return Add(f, g)


@fun
def mul(a: Term, b: Term) -> Term:
    match a, b:
        case Val(m), Val(n):
            return Val(m * n)
        case Val(0), _:
            return Val(0)
        case _, Val(0):
            return Val(0)
        case Val(1), f:
            return f
        case f, Val(1):
            return f
        case f, Val(n):
            return mul(Val(n), f)
        case Val(m), Mul(Val(n), g):
            return mul(Val(m * n), g)
        case f, Mul(Val(n), g):
            return mul(Val(n), mul(f, g))
        case Mul(f, g), h:
            return mul(f, mul(g, h))
        case f, g:
            return Mul(f, g)


@fun
def pow(a: Term, b: Term) -> Term:
    match a, b:
        case Val(m), Val(n) if n >= 0:
            return Val(power(m, n))
        case _, Val(0):
            return Val(1)
        case f, Val(1):
            return f
        case Val(0), _:
            return Val(0)
        case f, g:
            return Pow(f, g)


@fun
def ln(a: Term) -> Term:
    match a:
        case Val(1):
            return Val(0)
        case f:
            return Ln(f)


@fun
def derivative(x: str, f: Term) -> Term:
    match f:
        case Val(_):
            return Val(0)
        case Var(y):
            return Val(1) if x == y else Val(0)
        case Add(a, b):
            return add(derivative(x, a), derivative(x, b))
        case Mul(a, b):
            return add(mul(a, derivative(x, b)), mul(b, derivative(x, a)))
        case Pow(a, b):
            inner = mul(mul(b, derivative(x, a)), pow(a, Val(-1)))
            return mul(pow(a, b), add(inner, mul(ln(a), derivative(x, b))))
        case Ln(a):
            return mul(derivative(x, a), pow(a, Val(-1)))


@fun
def nodes(f: Term) -> i64:
    match f:
        case Val(_) | Var(_):
            return 1
        case Ln(a):
            return nodes(a)
        case Add(a, b) | Mul(a, b) | Pow(a, b):
            return nodes(a) + nodes(b)


@fun
def derived(f: Term, times: i64, total: i64) -> i64:
    if times <= 0:
        return total
    next = derivative("x", f)
    return derived(next, times - 1, total + nodes(next))


@fun
def deriv(times: i64) -> i64:
    x = Var("x")
    return derived(pow(x, x), times, 0)
