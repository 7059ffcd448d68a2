"""An interpreter of a small language with functions as values: variables are counted from the inside (de Bruijn 1972)."""

from __future__ import annotations

from examples.functional.lists import List
from usl_perceus import data, exception, fun


@data
class Term:
    Number: i64
    Variable: i64  # how many binders lie between
    Lambda: "Term"
    Apply: ("Term", "Term")
    Letrec: ("Term", "Term")  # a function, which sees itself, in a body
    IfZero: ("Term", "Term", "Term")
    Add: ("Term", "Term")
    Times: ("Term", "Term")


@data
class Value:
    Integer: i64
    Closure: (Term, List["Value"])
    Recursive: (Term, List["Value"])  # a closure whose first variable is itself


@exception
class NotANumber:
    pass


@exception
class NotAFunction:
    value: i64


@exception
class Unbound:
    variable: i64


@fun
def looked_up(environment: borrowed[List[Value]], i: i64, variable: i64) -> Value:
    match environment:
        case Nil():
            raise Unbound(variable)
        case Cons(v, rest):
            return v if i == 0 else looked_up(rest, i - 1, variable)


@fun
def number(v: Value) -> i64:
    match v:
        case Integer(n):
            return n
        case _:
            raise NotANumber()


@fun
def evaluated(t: Term, environment: List[Value]) -> Value:
    match t:
        case Number(n):
            return Integer(n)
        case Variable(i):
            return looked_up(environment, i, i)
        case Lambda(body):
            return Closure(body, environment)
        case Letrec(function, body):
            return evaluated(body, Cons(Recursive(function, environment), environment))
        case IfZero(condition, then, otherwise):
            if number(evaluated(condition, environment)) == 0:
                return evaluated(then, environment)
            return evaluated(otherwise, environment)
        case Add(a, b):
            return Integer(number(evaluated(a, environment)) + number(evaluated(b, environment)))
        case Times(a, b):
            return Integer(number(evaluated(a, environment)) * number(evaluated(b, environment)))
        case Apply(f, a):
            return applied(evaluated(f, environment), evaluated(a, environment))


@fun
def applied(f: Value, argument: Value) -> Value:
    match f:
        case Closure(body, environment):
            return evaluated(body, Cons(argument, environment))
        case Recursive(body, environment):
            return evaluated(body, Cons(argument, Cons(f, environment)))
        case Integer(n):
            raise NotAFunction(n)


@fun
def result(t: Term) -> i64:
    """The number that a closed term is."""
    return number(evaluated(t, Nil))


# -- terms


@fun
def factorial(n: i64) -> Term:
    body = IfZero(Variable(0), Number(1), Times(Variable(0), Apply(Variable(1), Add(Variable(0), Number(-1)))))
    return Letrec(body, Apply(Variable(0), Number(n)))


@fun
def church(n: i64) -> Term:
    """The function that applies its argument n times."""
    return Lambda(Lambda(applications(n)))


@fun
def applications(n: i64) -> Term:
    return Variable(0) if n == 0 else Apply(Variable(1), applications(n - 1))


@fun
def power(base: i64, exponent: i64) -> Term:
    """base ** exponent in Church's numerals, counted."""
    return Apply(Apply(Apply(church(exponent), church(base)), Lambda(Add(Variable(0), Number(1)))), Number(0))


@fun
def loop(n: i64) -> Term:
    """Calls in tail position, so many."""
    body = IfZero(Variable(0), Number(7), Apply(Variable(1), Add(Variable(0), Number(-1))))
    return Letrec(body, Apply(Variable(0), Number(n)))


@fun
def run_factorial(n: i64) -> i64:
    return result(factorial(n))


@fun
def run_power(base: i64, exponent: i64) -> i64:
    return result(power(base, exponent))


@fun
def run_loop(n: i64) -> i64:
    return result(loop(n))
