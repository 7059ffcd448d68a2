"""Expressions as Python closures over an environment of integers: what both interpreters evaluate with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from usl_halide_lib.lang.nodes import Const, Hole, ImageRead, Name, Node, Op, Read
from usl_halide_lib.lang.values import Value, constant, guarded, operation

Environment = dict[str, Any]
Evaluator = Callable[[Environment], Value]
Access = Callable[[Read | ImageRead, tuple[Evaluator, ...]], Evaluator]


def evaluator(node: Node, access: Access, exact: bool) -> Evaluator:
    """What gives an expression's value in an environment that binds its variables; access makes what reads funcs and images."""
    match node:
        case Const(value=value, type=typ):
            fixed = constant(value, typ, exact)
            return lambda env: fixed
        case Name(name=name):
            return lambda env: env[name]
        case Read(index=index) | ImageRead(index=index):
            return access(node, tuple(evaluator(each, access, exact) for each in index))
        case Op(op=op, args=args, type=typ):
            fn = guarded(operation(op, tuple(each.type for each in args), typ, exact), len(args))
            return _applied(fn, tuple(evaluator(each, access, exact) for each in args))
        case Hole():
            raise AssertionError(f"a hole is left: {node}")


def _applied(fn: Callable[..., Value], args: tuple[Evaluator, ...]) -> Evaluator:
    match args:
        case (a,):
            return lambda env: fn(a(env))
        case (a, b):
            return lambda env: fn(a(env), b(env))
        case _:
            return lambda env: fn(*(each(env) for each in args))
