"""Expressions and algorithms as immutable trees (fig. 2.5): what the semantics, the checks and the compiler look at.

Two nodes are equal if they are the same expression; places and the objects that users hold do not count. A Read of a
func by its bare name means its latest stage at that point; lowering writes the stage into it (fig. 2.7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from typing import Any

from usl_core.errors import Span
from usl_halide_lib.lang.types import BOOL, I32, Type


class Sort(Enum):
    """Where a variable is bound."""

    PURE = "pure"
    RDOM = "rdom"
    PARAM = "param"
    LET = "let"


@dataclass(frozen=True, slots=True)
class Const:
    """A number of a type; truth values are 0 and 1."""

    value: int | Fraction
    type: Type


@dataclass(frozen=True, slots=True)
class Name:
    """A variable of any sort; source is the user's RDom if it is one of a reduction domain."""

    name: str
    sort: Sort
    type: Type = I32
    source: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Read:
    """`f[index]`, the element `part` of its tuple. stage is None in algorithms, and the stage that is read in the target IR.

    source is the user's Func.
    """

    func: str
    index: tuple[Node, ...]
    part: int
    type: Type
    stage: int | None = None
    span: Span | None = field(default=None, compare=False, repr=False)
    source: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ImageRead:
    """An element of an input image; source is the user's ImageParam or Buffer."""

    image: str
    index: tuple[Node, ...]
    type: Type
    span: Span | None = field(default=None, compare=False, repr=False)
    source: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Op:
    """A total operation on operands; `values` says what each does. Casts are operations whose type is the target."""

    op: str
    args: tuple[Node, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class Hole:
    """`?mem f_d.end` or `?cpu f^{stage,spec}_d.end` (def. 2.14): stands for what bounds inference will find.

    kind is "mem" or "cpu", end "min" or "len". stage and spec are None for memory; stage is None for the last stage, spec for
    what is not specialised.
    """

    kind: str
    func: str
    dim: int
    end: str
    stage: int | None = None
    spec: int | None = None
    type: Type = I32


Node = Const | Name | Read | ImageRead | Op | Hole


@dataclass(frozen=True, slots=True)
class RVarDef:
    """A variable of a reduction domain and its interval `[min, min + extent)`, both startup expressions."""

    name: str
    min: Node
    extent: Node


@dataclass(frozen=True, slots=True)
class StageDef:
    """`rdom(rvars) in (index) ← values if pred`; the first rvar runs fastest. Stage 0 has the pure variables as index."""

    rvars: tuple[RVarDef, ...]
    index: tuple[Node, ...]
    values: tuple[Node, ...]
    pred: Node | None = None
    span: Span | None = field(default=None, compare=False, repr=False)

    def expressions(self) -> tuple[Node, ...]:
        """All expressions of the stage but the bounds of its rdom."""
        return (*self.index, *self.values, *(() if self.pred is None else (self.pred,)))

    def mapped(self, change: Callable[[Node], Node]) -> StageDef:
        """The stage with each of these expressions changed."""
        pred = None if self.pred is None else change(self.pred)
        return replace(self, index=tuple(map(change, self.index)), values=tuple(map(change, self.values)), pred=pred)


@dataclass(frozen=True, slots=True)
class FuncDef:
    """`fun name(args) = {stages}`; types has one entry per element of its tuple."""

    name: str
    args: tuple[str, ...]
    types: tuple[Type, ...]
    stages: tuple[StageDef, ...]
    span: Span | None = field(default=None, compare=False, repr=False)

    def is_pure_in(self, stage: int, dim: int) -> bool:
        """Def. 2.8: whether the dimension's variable occurs in the stage."""
        return any(mentions(e, self.args[dim]) for e in self.stages[stage].expressions())


@dataclass(frozen=True, slots=True)
class Algorithm:
    """Funcs in the order of definition, the outputs last; parameters and images with their numbers of dimensions."""

    funcs: tuple[FuncDef, ...]
    outputs: tuple[str, ...]
    params: tuple[tuple[str, Type], ...]
    images: tuple[tuple[str, int, Type], ...]

    def func(self, name: str) -> FuncDef:
        """The func of a name."""
        return next(f for f in self.funcs if f.name == name)

    def text(self) -> str:
        """The funcs with their stages as lines, stable from run to run."""
        lines = []
        for func in self.funcs:
            lines.append(f"fun {func.name}({', '.join(func.args)}): {', '.join(map(str, func.types))}")
            for stage in func.stages:
                domain = ", ".join(f"{each.name} = ({show(each.min)}, {show(each.extent)})" for each in stage.rvars)
                where = "" if stage.pred is None else f" if {show(stage.pred)}"
                left, right = (", ".join(map(show, each)) for each in (stage.index, stage.values))
                lines.append(f"  {f'rdom({domain}) in ' if domain else ''}({left}) ← {right}{where}")
        return "\n".join(lines) + "\n"


def children(node: Node) -> tuple[Node, ...]:
    """The operands of a node."""
    match node:
        case Op(args=args):
            return args
        case Read(index=index) | ImageRead(index=index):
            return index
        case Const() | Name() | Hole():
            return ()


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, from the left."""
    pending = [node]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(children(node)))


def mentions(node: Node, name: str) -> bool:
    """Whether a variable occurs in an expression."""
    return any(isinstance(each, Name) and each.name == name for each in walk(node))


def rebuilt(node: Node, change: Callable[[Node], Node | None]) -> Node:
    """The tree with change applied to each node, from the root; where it gives a node, that stands for the whole subtree."""
    new = change(node)
    if new is not None:
        return new
    old = children(node)
    below = tuple(rebuilt(each, change) for each in old)
    if all(a is b for a, b in zip(below, old, strict=True)):
        return node
    match node:
        case Op():
            return replace(node, args=below)
        case Read() | ImageRead():
            return replace(node, index=below)
        case Const() | Name() | Hole():
            return node


def substituted(node: Node, values: dict[str, Node]) -> Node:
    """The tree with variables replaced."""
    return rebuilt(node, lambda each: values.get(each.name) if isinstance(each, Name) else None)


def conjunction(a: Node | None, b: Node | None) -> Node | None:
    """Both conditions; None is true."""
    if a is None or b is None:
        return b if a is None else a
    return Op("and", (a, b), BOOL)


def number(value: int) -> Const:
    """An i32 constant."""
    return Const(value, I32)


_INFIX = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==",
    "ne": "!=", "and": "&&", "or": "||", "shl": "<<", "shr": ">>", "bitand": "&", "bitor": "|", "bitxor": "^",
}  # fmt: skip
_LEVEL = {
    "||": 1,
    "&&": 2,
    "|": 3,
    "^": 4,
    "&": 5,
    "==": 6,
    "!=": 6,
    "<": 7,
    "<=": 7,
    ">": 7,
    ">=": 7,
    "<<": 8,
    ">>": 8,
    "+": 9,
    "-": 9,
}


def show(node: Node, level: int = 0) -> str:
    """An expression as text, with parentheses where its operators need them."""
    match node:
        case Const(value=value):
            return str(value) if isinstance(value, int) or value.denominator == 1 else f"{float(value):g}"
        case Name(name=name):
            return name
        case Read(func=func, index=index, part=part, stage=stage):
            at = "" if stage is None else f"^{stage}"
            return f"{func}{at}[{', '.join(map(show, index))}]" + (f"[{part}]" if part else "")
        case ImageRead(image=image, index=index):
            return f"{image}[{', '.join(map(show, index))}]"
        case Op(op=op, args=(a, b)) if op in _INFIX:
            own = _LEVEL.get(_INFIX[op], 10)
            text = f"{show(a, own)} {_INFIX[op]} {show(b, own + 1)}"
            return f"({text})" if own < level else text
        case Op(op="cast", args=(a,), type=typ):
            return f"{typ}({show(a)})"
        case Op(op=op, args=args):
            return f"{op}({', '.join(map(show, args))})"
        case Hole(kind=kind, func=func, dim=dim, end=end, stage=stage, spec=spec):
            label = (
                ""
                if stage is None and spec is None
                else f"^{{{'' if stage is None else stage},{'' if spec is None else spec}}}"
            )
            return f"?{kind} {func}{label}_{dim}.{end}"
