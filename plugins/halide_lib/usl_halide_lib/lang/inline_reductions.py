"""`sum product maximum minimum argmin argmax`: each makes a func of its own that reduces, and reads it."""

from __future__ import annotations

from typing import Any

from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.expr import Expr, as_node, wrap
from usl_halide_lib.lang.functions import max, min, select
from usl_halide_lib.lang.nodes import Const, Name, Node, Sort, walk
from usl_halide_lib.lang.syntax import Func, Tuple
from usl_halide_lib.lang.types import I32, Type
from usl_halide_lib.lang.variables import Var, fresh


def _reduction(kind: str, value: Any, name: str | None) -> tuple[Func, tuple[Var, ...], Node, list[Name]]:
    """A fresh func, the pure variables it needs, the value, and the value's reduction variables in order."""
    node = as_node(value)
    names = [each for each in walk(node) if isinstance(each, Name)]
    rvars = [each for each in names if each.sort is Sort.RDOM]
    if not rvars:
        raise refuse(f"{kind}: no reduction variable occurs in {Expr(value)}")
    pure = list(dict.fromkeys(each.name for each in names if each.sort is Sort.PURE))
    return Func(name or fresh(kind)), tuple(Var(each) for each in pure), node, rvars


def _at(func: Func, args: tuple[Var, ...]) -> Any:
    return func[args]


def _reduced(kind: str, value: Any, name: str | None, first: Any, step: Any) -> Expr:
    func, args, node, _ = _reduction(kind, value, name)
    func[args] = wrap(Const(first(node.type), node.type))
    func[args] = step(_at(func, args), wrap(node))
    return Expr(_at(func, args))


def sum(value: Any, name: str | None = None) -> Expr:
    """The sum over the reduction domain that occurs in value."""
    return _reduced("sum", value, name, lambda typ: 0, lambda old, new: old + new)


def product(value: Any, name: str | None = None) -> Expr:
    """The product over the reduction domain that occurs in value."""
    return _reduced("product", value, name, lambda typ: 1, lambda old, new: old * new)


def maximum(value: Any, name: str | None = None) -> Expr:
    """The greatest value over the reduction domain that occurs in value; the type's least over an empty one."""
    return _reduced("maximum", value, name, Type.min, max)


def minimum(value: Any, name: str | None = None) -> Expr:
    """The least value over the reduction domain that occurs in value; the type's greatest over an empty one."""
    return _reduced("minimum", value, name, Type.max, min)


def _arg(kind: str, value: Any, name: str | None, first: Any, better: Any) -> Tuple:
    func, args, node, rvars = _reduction(kind, value, name)
    domain = rvars[0].source
    places = [Expr(domain[i]) for i in range(domain.dimensions())]
    func[args] = Tuple(*(wrap(Const(0, I32)) for _ in places), wrap(Const(first(node.type), node.type)))
    old = _at(func, args)
    wins = better(wrap(node), old[len(places)])
    new = [*places, wrap(node)]
    func[args] = Tuple(*(select(wins, new[i], old[i]) for i in range(len(new))))
    read = _at(func, args)
    return Tuple(*(read[i] for i in range(len(new))))


def argmin(value: Any, name: str | None = None) -> Tuple:
    """The places of the least value, the first one if there are several, and that value."""
    return _arg("argmin", value, name, Type.max, lambda new, old: new < old)


def argmax(value: Any, name: str | None = None) -> Tuple:
    """The places of the greatest value, the first one if there are several, and that value."""
    return _arg("argmax", value, name, Type.min, lambda new, old: new > old)
