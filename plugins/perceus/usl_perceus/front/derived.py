"""Functions that the compiler makes for a type, each of which looks at two of its values: equality and order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from usl_core.errors import NOWHERE, Span
from usl_perceus import ir
from usl_perceus.front.block import Block
from usl_perceus.front.instances import Instances
from usl_perceus.show import show_type

Pair = tuple[ir.Var, ir.Var]
"""The same part of both values."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the functions are called, what they give, and how they look at two values made by constructors, and at two arrays.

    data gets the declaration, array the name of the function that it makes.
    """

    prefix: str
    result: ir.Type
    data: Callable[[ir.DataDecl, ir.Var, ir.Var, Instances], ir.Expr]
    array: Callable[[str, ir.Var, ir.Var, Instances], ir.Expr]


def compared(instances: Instances, by: Comparison, left: ir.Atom, right: ir.Atom, span: Span) -> ir.Call:
    """A call of the function for the type of both values, which is made if there is none yet."""
    type_ = left.type
    assert isinstance(type_, ir.DataType | ir.ArrayType), f"{show_type(type_)} has no {by.prefix}"
    name = instances.comparisons.get((by.prefix, type_))
    if name is None:
        name = instances.comparisons[by.prefix, type_] = instances.fresh(f"{by.prefix}[{show_type(type_)}]")
        a, b = ir.Var("a", type_), ir.Var("b", type_)
        if isinstance(type_, ir.ArrayType):
            add(instances, by, name, (a, b), by.array(name, a, b, instances))
        else:
            decl = instances.datas[type_.name]
            add(instances, by, name, (a, b), by.data(decl, a, b, instances), decl.span)
    return ir.Call(name, (left, right), by.result, span=span)


def add(instances: Instances, by: Comparison, name: str, params: Sequence[ir.Var], body: ir.Expr, span: Span = NOWHERE) -> None:
    """Adds a function, which borrows its parameters, to the program."""
    made = tuple(ir.Param(param, borrowed=True) for param in params)
    instances.derived.append(ir.FunDef(name, made, by.result, body, span=span))


def fields(con: ir.Con) -> tuple[Pair, ...]:
    """Variables for the fields of two values that con has made."""
    return tuple((ir.Var(f"x{i}", type_), ir.Var(f"y{i}", type_)) for i, (_, type_) in enumerate(con.fields))


def elements(left: ir.Var, right: ir.Var, i: ir.Atom, block: Block) -> tuple[ir.Atom, ir.Atom]:
    """The elements at i, made in block."""
    assert isinstance(left.type, ir.ArrayType)
    elem = left.type.elem
    x, y = (block.atom(ir.Prim("array_get", (array, i), elem), elem, "x", NOWHERE) for array in (left, right))
    return x, y


def next_round(by: Comparison, loop: str, params: Sequence[ir.Var]) -> ir.Expr:
    """A call of the loop over arrays with one more than its third parameter."""
    block = Block()
    left, right, i, *others = params
    after = block.atom(ir.Prim("add", (i, ir.Lit(1, ir.I64)), ir.I64), ir.I64, "after", NOWHERE)
    return block.wrap(ir.Call(loop, (left, right, after, *others), by.result))
