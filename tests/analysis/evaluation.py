"""Linear forms, formulas and values of configuration fields, computed for given values of their variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from usl_core.analysis.affine import Atom, Lin, Min, Product, Quot, Stride
from usl_core.analysis.dataflow import Datum, Value
from usl_core.analysis.formula import And, Bool, Const, Eq, Exists, Forall, Formula, Ge, Or
from usl_core.ir.sym import Sym

Env = Mapping[Sym, Any]
RANGE = range(-3, 40)
"""Where names bound by quantifiers range: iterators of small programs."""


def number(lin: Lin, env: Env) -> int:
    return lin.const + sum(c * _atom(atom, env) for atom, c in lin.terms.items())


def _atom(atom: Atom, env: Env) -> int:
    match atom:
        case Sym():
            return int(env[atom])
        case Quot(num=num, den=den):
            return number(num, env) // den
        case Min(args=args):
            return min(number(arg, env) for arg in args)
        case Product(args=args):
            result = 1
            for arg in args:
                result *= _atom(arg, env)
            return result
        case Stride():
            raise AssertionError("the programs have no strides")
        case _:
            assert_never(atom)


def truth(f: Formula, env: Env) -> bool:
    match f:
        case Const(value=value):
            return value
        case Ge(lin=lin):
            return number(lin, env) >= 0
        case Eq(lin=lin):
            return number(lin, env) == 0
        case Bool(name=name, positive=positive):
            return bool(env[name]) is positive
        case And(args=args):
            return all(truth(arg, env) for arg in args)
        case Or(args=args):
            return any(truth(arg, env) for arg in args)
        case Exists(names=(name,), body=body):
            return any(truth(body, {**env, name: value}) for value in RANGE)
        case Forall(names=(name,), body=body):
            return all(truth(body, {**env, name: value}) for value in RANGE)
        case _:
            raise AssertionError(f"a formula with several bound names: {f!r}")


def value_of(value: Value, env: Env) -> Any:
    """What a field with this value holds; data by its key."""
    match value:
        case Lin():
            return number(value, env)
        case Datum(key=Sym() as name):
            return env[name]
        case Datum(key=(_, literal)):
            return literal
        case Datum():
            raise AssertionError(f"not a key of data: {value!r}")
        case _:
            return truth(value, env)
