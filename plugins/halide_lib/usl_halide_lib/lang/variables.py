"""Variables: `Var` of funcs, `RVar` and `RDom` of reductions, `Param` of pipelines."""

from __future__ import annotations

import itertools
import keyword
from collections.abc import Sequence
from typing import Any

from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.expr import Expr, condition, converted, operand, wrap
from usl_halide_lib.lang.nodes import Const, Name, Node, Op, RVarDef, Sort, conjunction, show, walk
from usl_halide_lib.lang.types import I32, Type, coerced
from usl_halide_lib.lang.valid import is_startup

_counters: dict[str, itertools.count[int]] = {}


def fresh(prefix: str) -> str:
    """A name that no other call gave."""
    return f"{prefix}{next(_counters.setdefault(prefix, itertools.count()))}"


def named(name: str | None, prefix: str) -> str:
    """A given name, which has to be an identifier, or a fresh one."""
    if name is None:
        return fresh(prefix)
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name) or "__" in name:
        raise refuse(f"{name!r} is not a name: use letters, digits and single underscores")
    return name


class Var(Expr):
    """A pure variable. Two of one name are the same variable."""

    def __init__(self, name: str | None = None) -> None:
        self._name = named(name, "v")
        self._node = Name(self._name, Sort.PURE)

    def name(self) -> str:
        """Its name."""
        return self._name


class RVar(Expr):
    """A variable of a reduction domain; `domain` is what it belongs to."""

    def __init__(self, domain: RDom, definition: RVarDef) -> None:
        self.domain = domain
        self.definition = definition
        self._node = Name(definition.name, Sort.RDOM, I32, domain)

    def name(self) -> str:
        """Its name: `r` for a domain of one dimension, else `r$x`, `r$y` and so on."""
        return self.definition.name

    def min(self) -> Expr:
        """The first value."""
        return wrap(self.definition.min)

    def extent(self) -> Expr:
        """How many values it takes."""
        return wrap(self.definition.extent)


class RDom(Expr):
    """A reduction domain: `RDom([(min, extent), ...], name)`, or the domain of a Buffer. The first dimension runs fastest."""

    def __init__(self, ranges: Any, name: str | None = None) -> None:
        base = named(name, "r")
        if hasattr(ranges, "dim") and hasattr(ranges, "dimensions"):
            ranges = [(ranges.dim(i).min(), ranges.dim(i).extent()) for i in range(ranges.dimensions())]
        if not isinstance(ranges, Sequence) or not ranges or not all(isinstance(r, tuple) and len(r) == 2 for r in ranges):
            raise refuse("RDom needs a list of pairs (min, extent)")
        names = [base] if len(ranges) == 1 else [f"{base}${'xyzw'[i] if i < 4 else i}" for i in range(len(ranges))]
        self._vars = tuple(
            RVar(self, RVarDef(each, _startup(low, each), _startup(extent, each)))
            for each, (low, extent) in zip(names, ranges, strict=True)
        )
        self._name = base
        self.pred: Node | None = None

    def where(self, cond: Any) -> None:
        """Restrict the domain; several calls are a conjunction. It is tested innermost."""
        test = condition(cond, "where")
        if any(isinstance(each, Op) and each.op == "random" for each in walk(test)):
            raise refuse("where has a random number: give a func these values first, and read that")
        self.pred = conjunction(self.pred, test)

    def dimensions(self) -> int:
        """The number of variables."""
        return len(self._vars)

    def name(self) -> str:
        """Its name."""
        return self._name

    def definitions(self) -> tuple[RVarDef, ...]:
        """The variables with their intervals, the fastest first."""
        return tuple(each.definition for each in self._vars)

    def __getitem__(self, dim: int) -> RVar:
        if not 0 <= dim < len(self._vars):
            raise refuse(f"{self._name} has {len(self._vars)} dimensions, and {dim} is none of them")
        return self._vars[dim]

    def __getattr__(self, name: str) -> RVar:
        if name in ("x", "y", "z", "w"):
            return self["xyzw".index(name)]
        raise AttributeError(name)

    def __len__(self) -> int:
        return len(self._vars)

    @property
    def node(self) -> Node:
        """The value of a domain's only variable."""
        if len(self._vars) != 1:
            raise refuse(f"{self._name} has {len(self._vars)} dimensions; name one: {self._name}.x")
        return self._vars[0].node

    def __str__(self) -> str:
        return f"RDom({', '.join(f'{v.name()}: ({show(v.definition.min)}, {show(v.definition.extent)})' for v in self._vars)})"


def _startup(value: Any, rvar: str) -> Node:
    """A bound of a reduction domain (def. 2.9): numbers and parameters only."""
    node = operand(value, I32)
    if not is_startup(node):
        raise refuse(
            f"rdom {rvar}: the bound {show(node)} may only consist of numbers and parameters",
            notes=("hint: take a constant range, and restrict it with where",),
        )
    if not node.type.is_int:
        raise refuse(f"rdom {rvar}: the bound {show(node)} is {node.type}, not an integer")
    return converted(node, I32)


class Param(Expr):
    """A scalar that is given when the pipeline runs: `Param(hl.Int(32), "n", 7)`."""

    def __init__(self, typ: Type, name: str | None = None, value: Any = None) -> None:
        if name is not None and not isinstance(name, str):
            name, value = None, name
        self._name = named(name, "p")
        self._type = typ
        self._value: Any = None
        self._node = Name(self._name, Sort.PARAM, typ, self)
        if value is not None:
            self.set(value)

    def name(self) -> str:
        """Its name."""
        return self._name

    def set(self, value: Any) -> None:
        """Give the value for later runs."""
        node = operand(value, self._type)
        if not isinstance(node, Const):
            raise refuse(f"the value of parameter {self._name} must be a number")
        self._value = coerced(node.value, self._type)

    def get(self) -> Any:
        """The value, or None if there is none yet."""
        return self._value
