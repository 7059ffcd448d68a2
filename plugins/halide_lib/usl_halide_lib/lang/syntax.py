"""Definitions: `Func`, `Tuple`, and `f[x, y]`.

`f[x, y] = e` defines f, a second assignment adds an update stage. Dimension 0 is x: innermost in loops, last in NumPy's order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from usl_halide_lib.lang import random_numbers
from usl_halide_lib.lang.errors import here, refuse
from usl_halide_lib.lang.expr import Expr, as_node, wrap
from usl_halide_lib.lang.images import indices
from usl_halide_lib.lang.nodes import Const, FuncDef, Name, Node, Read, RVarDef, Sort, StageDef, show, walk
from usl_halide_lib.lang.types import I32, Type, coerced
from usl_halide_lib.lang.valid import check_stage, stage_name
from usl_halide_lib.lang.variables import Var, fresh, named


class Tuple:
    """Several values at each place."""

    def __init__(self, *elements: Any) -> None:
        if len(elements) == 1 and isinstance(elements[0], FuncRef | Tuple):
            elements = tuple(elements[0][i] for i in range(len(elements[0])))
        if len(elements) == 1 and isinstance(elements[0], list | tuple):
            elements = tuple(elements[0])
        if not elements:
            raise refuse("a Tuple has at least one element")
        self.elements = tuple(Expr(each) for each in elements)

    def __getitem__(self, part: int) -> Expr:
        if not 0 <= part < len(self.elements):
            raise refuse(f"the tuple has {len(self.elements)} elements, and {part} is none of them")
        return self.elements[part]

    def __len__(self) -> int:
        return len(self.elements)


class FuncRef(Expr):
    """`f[x, y]`: a place of a func. As an operand it is the value there; `f[x, y] += e` adds an update."""

    def __init__(self, func: Func, index: Any) -> None:
        self.func, self.index = func, index

    @property
    def node(self) -> Node:
        """The value of a func that is no tuple."""
        definition = self.func.defined(f"{self.func.name()} is read")
        if len(definition.types) != 1:
            raise refuse(
                f"{self.func.name()} is a tuple of {len(definition.types)}; take an element: {self.func.name()}[...][0]"
            )
        return self[0].node

    def __getitem__(self, part: int) -> Expr:
        definition = self.func.defined(f"{self.func.name()} is read")
        if not 0 <= part < len(definition.types):
            raise refuse(f"{self.func.name()} has {len(definition.types)} elements, and {part} is none of them")
        nodes = indices(self.index, len(definition.args), self.func.name())
        return wrap(Read(self.func.name(), nodes, part, definition.types[part], None, here(), self.func))

    def __len__(self) -> int:
        return len(self.func.defined(f"{self.func.name()} is read").types)

    def _update(self, op: str, other: Any) -> FuncRef | Expr | Tuple:
        if self.func.definition is None:
            self.func.define_identity(self.index, {"__add__": 0, "__sub__": 0, "__mul__": 1, "__truediv__": 1}[op], other)
        result: Expr = getattr(wrap(self.node), op)(other)
        return result

    def __iadd__(self, other: Any) -> Any:
        return self._update("__add__", other)

    def __isub__(self, other: Any) -> Any:
        return self._update("__sub__", other)

    def __imul__(self, other: Any) -> Any:
        return self._update("__mul__", other)

    def __itruediv__(self, other: Any) -> Any:
        return self._update("__truediv__", other)


class Func:
    """A func: a value for each place of an unbounded grid. It is defined by assignment: `f[x, y] = e`."""

    def __init__(self, name: str | None = None) -> None:
        self._name = named(name, "f")
        self.definition: FuncDef | None = None
        self.used_by: str | None = None

    def name(self) -> str:
        """Its name."""
        return self._name

    def defined(self, what: str) -> FuncDef:
        """The definition.

        Raises:
            AlgorithmError: there is none.
        """
        if self.definition is None:
            raise refuse(
                f"{what}, but {self._name} has no definition yet", code="E788", notes=(f"hint: {self._name}[x] = ... first",)
            )
        return self.definition

    def dimensions(self) -> int:
        """The number of dimensions."""
        return len(self.defined(f"dimensions of {self._name}").args)

    def args(self) -> tuple[Var, ...]:
        """The pure variables."""
        return tuple(Var(name) for name in self.defined(f"args of {self._name}").args)

    def types(self) -> tuple[Type, ...]:
        """The types of its values."""
        return self.defined(f"types of {self._name}").types

    def type(self) -> Type:
        """The type of its value."""
        return self.types()[0]

    def num_update_definitions(self) -> int:
        """The number of update stages."""
        return len(self.defined(f"updates of {self._name}").stages) - 1

    def __getitem__(self, index: Any) -> FuncRef:
        return FuncRef(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if self.used_by is not None:
            raise refuse(
                f"{self._name} is read by {self.used_by} already, so it cannot get another definition",
                code="E788",
                notes=(f"hint: put all definitions of {self._name} before those that read it",),
            )
        values = _values(value)
        if self.definition is None:
            self._define(index, values)
        else:
            self._update(self.definition, index, values)

    def define_identity(self, index: Any, identity: int, like: Any) -> None:
        """The definition that `f[x] += e` implies where there is none: 0 everywhere, or 1 for products."""
        typ = as_node(like).type
        places = tuple(index if isinstance(index, tuple) else (index,))
        args = tuple(each if isinstance(each, Var) else Var(fresh("v")) for each in places)
        self._define(args, (Const(identity, typ),))

    def _define(self, index: Any, values: tuple[Node, ...]) -> None:
        args = index if isinstance(index, tuple) else (index,)
        for arg in args:
            if not isinstance(arg, Var):
                raise refuse(f"{self._name}: the first definition has a Var in each dimension, not {arg!r}")
        names = tuple(arg.name() for arg in args)
        span = here()
        places = tuple(Name(name, Sort.PURE) for name in names)
        values = random_numbers.defined(values, places)
        stage = StageDef((), places, values, None, span)
        definition = FuncDef(self._name, names, tuple(value.type for value in values), (stage,), span)
        check_stage(definition, 0)
        self._accept(definition)

    def _update(self, old: FuncDef, index: Any, values: tuple[Node, ...]) -> None:
        places = indices(index, len(old.args), self._name)
        if len(values) != len(old.types):
            label = stage_name(self._name, len(old.stages))
            raise refuse(f"{label}: {self._name} has {len(old.types)} values at a place, not {len(values)}")
        values = tuple(_to_type(value, typ, self._name) for value, typ in zip(values, old.types, strict=True))
        span = here()
        rvars, pred = _domain((*places, *values), self._name)
        pure = [Name(name, Sort.PURE) for name, at in zip(old.args, places, strict=True) if at == Name(name, Sort.PURE)]
        reduced = [Name(each.name, Sort.RDOM) for each in rvars]
        lowered = random_numbers.defined((*places, *values), [*pure, *reduced])
        places, values = lowered[: len(places)], lowered[len(places) :]
        stage = StageDef(rvars, places, values, pred, span)
        definition = FuncDef(old.name, old.args, old.types, (*old.stages, stage), old.span)
        check_stage(definition, len(old.stages))
        self._accept(definition)

    def _accept(self, definition: FuncDef) -> None:
        self.definition = definition
        for expression in definition.stages[-1].expressions():
            for node in walk(expression):
                if isinstance(node, Read) and node.source is not self and isinstance(node.source, Func):
                    node.source.used_by = self._name

    def __repr__(self) -> str:
        return f"Func({self._name})"


def _to_type(value: Node, typ: Type, name: str) -> Node:
    """The value of an update at the type of the first definition, which numbers take and others must have."""
    if value.type == typ:
        return value
    if isinstance(value, Const) and (typ.is_float or value.type == I32):
        return Const(coerced(value.value, typ), typ)
    raise refuse(
        f"{name}: an update gives {value.type}, and the first definition gave {typ}",
        notes=(f"hint: hl.cast(..., {show(value)})",),
    )


def _values(value: Any) -> tuple[Node, ...]:
    """The right side of a definition."""
    if isinstance(value, FuncRef):
        value = Tuple([value[i] for i in range(len(value))])
    if isinstance(value, list | tuple):
        value = Tuple(*value)
    return tuple(each.node for each in value.elements) if isinstance(value, Tuple) else (as_node(value),)


def _domain(expressions: Iterable[Node], name: str) -> tuple[tuple[RVarDef, ...], Node | None]:
    """The reduction domain whose variables occur, and its predicate; none if none occurs."""
    domains = {
        id(node.source): node.source
        for each in expressions
        for node in walk(each)
        if isinstance(node, Name) and node.sort is Sort.RDOM
    }
    if len(domains) > 1:
        names = " and ".join(domain.name() for domain in domains.values())
        raise refuse(
            f"{name}: a stage runs over one reduction domain, not over {names}", notes=("hint: one RDom with all dimensions",)
        )
    for domain in domains.values():
        return domain.definitions(), domain.pred
    return (), None
