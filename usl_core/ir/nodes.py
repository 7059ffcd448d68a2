"""The object language: frozen nodes, compared by identity.

`==` is identity, so that a node can key a cache; `usl_core.ir.same` compares up to renaming and position. Nodes carry no
behaviour. Sequences are tuples. Every expression knows its type. Reference: Reinking 2022, §3.4, fig. 3.2; the
additions (`min`/`max`, `select`, `idx`, casts, `check`, `if` on data) are those of docs/semantics.md.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from fractions import Fraction
from typing import Any

from usl_core.errors import NOWHERE, ParseError, Span
from usl_core.ir.config import Config
from usl_core.ir.externs import Extern
from usl_core.ir.identity import Identical
from usl_core.ir.memory import MemoryClass
from usl_core.ir.operation import Operation
from usl_core.ir.sym import Sym
from usl_core.ir.types import BOOL, INDEX, ScalarType, TensorType, Type
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True, kw_only=True)
class NodeBase(Identical):
    """What every node has. `Node` is the union of all kinds: a `match` over it, `Stmt` or `Expr` has no default, so that mypy
    names each place where a new kind must be treated."""

    span: Span = field(default=NOWHERE, repr=False)
    memo: dict[Any, Any] | None = field(default=None, init=False, repr=False)
    """What analyses know of this node (usl_core.ir.memo); a copy starts without it."""


# ---- expressions


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ExprBase(NodeBase):
    """An expression; `type` is what evaluating it gives."""

    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class Read(ExprBase):
    """`name` or `name[idx]`.

    A control variable or a scalar has no indices. A tensor has one per dimension; without any it stands for the whole
    buffer, has a TensorType, and is allowed as an argument of a call only.
    """

    name: Sym
    idx: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Literal(ExprBase):
    """A constant: int for index and integer types, bool for bool, Fraction (the number as written) for R and floats."""

    value: int | bool | Fraction


@dataclass(frozen=True, slots=True, eq=False)
class UnaryMinus(ExprBase):
    """`-arg` on index or data. Negative literals are Literals."""

    arg: Expr


@dataclass(frozen=True, slots=True, eq=False)
class BinaryOp(ExprBase):
    """`lhs op rhs` with op one of `+ - * / %`, `& | ^ << >>`, `< <= > >= == !=`, `and or`.

    Both sides have one type (index and size count as one). Arithmetic has that type; comparisons have type bool on
    control values and cond on data. `& | ^ << >>` are for integer data, and `~x` is `x ^ -1`. On index, `*` has a constant
    side, `/` and `%` a positive literal right side and round to minus infinity.
    """

    op: str
    lhs: Expr
    rhs: Expr


@dataclass(frozen=True, slots=True, eq=False)
class ExternCall(ExprBase):
    """`fn(args)`: a built-in or plugin function of data, or `min`/`max` on control values.

    `idx(e, lo, hi)` is the call of IDX: max(lo, min(e, hi - 1)) of integer data e, of type index; it may stand only inside
    the indices of an access (`Read` with indices, `Assign`, `Reduce`) or under a cast.
    """

    fn: Extern
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Cast(ExprBase):
    """`f32(arg)`: explicit conversion of data, or of an integer control value, to the scalar type `type`."""

    arg: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Interval(NodeBase):
    """`lo:hi` in a window expression; lo <= hi, at least one element is demanded where the window is made."""

    lo: Expr
    hi: Expr


@dataclass(frozen=True, slots=True, eq=False)
class WindowExpr(ExprBase):
    """`name[lo:hi, pt, ...]`: a view. One entry per dimension of name, at least one of them an Interval.

    `type` is a TensorType with window=True whose shape is the extents (hi - lo) of the intervals.
    """

    name: Sym
    idx: tuple[Expr | Interval, ...]


@dataclass(frozen=True, slots=True, eq=False)
class StrideExpr(ExprBase):
    """`stride(name, dim)`: distance in elements between neighbours of that dimension; allowed in assertions, ifs,
    arguments and configuration writes."""

    name: Sym
    dim: int


@dataclass(frozen=True, slots=True, eq=False)
class ReadConfig(ExprBase):
    """`config.field`."""

    config: Config
    field: str


Expr = Read | Literal | UnaryMinus | BinaryOp | ExternCall | Cast | WindowExpr | StrideExpr | ReadConfig


# ---- statements


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StmtBase(NodeBase):
    """A statement."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SimpleStmt(StmtBase):
    """A statement without statements in it; walks over blocks treat all of these alike."""


@dataclass(frozen=True, slots=True, eq=False)
class Assign(SimpleStmt):
    """`name[idx] = rhs`. A scalar has no indices. rhs has exactly the element type of name."""

    name: Sym
    idx: tuple[Expr, ...]
    rhs: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Reduce(SimpleStmt):
    """`name[idx] op= rhs`. rhs has exactly the element type of name.

    op is one of `usl_core.ir.combining.OPERATIONS`, or declared by a user: what is there becomes `what is there op rhs`.
    """

    name: Sym
    idx: tuple[Expr, ...]
    rhs: Expr
    op: str | Operation = "+"


@dataclass(frozen=True, slots=True, eq=False)
class AssignConfig(SimpleStmt):
    """`config.field = rhs`."""

    config: Config
    field: str
    rhs: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Pass(SimpleStmt):
    """`pass`."""


@dataclass(frozen=True, slots=True, eq=False)
class Check(SimpleStmt):
    """`check(cond)`: stops with a located error unless cond, a control value, holds; observable."""

    cond: Expr


@dataclass(frozen=True, slots=True, eq=False)
class If(StmtBase):
    """`if cond: body else: orelse`; body is not empty, orelse may be. cond has type bool or cond."""

    cond: Expr
    body: Block
    orelse: Block = ()


class LoopMode(Enum):
    """In which order the iterations of a loop may run."""

    SEQ = "seq"
    PAR = "par"


@dataclass(frozen=True, slots=True, eq=False)
class For(StmtBase):
    """`for iter in seq(lo, hi): body` runs body for each integer lo <= iter < hi, in rising order (`par`: no order).

    Invariants: lo and hi are index expressions with lo <= hi provable; body is not empty; iter is bound nowhere else.
    """

    iter: Sym
    lo: Expr
    hi: Expr
    body: Block
    mode: LoopMode = LoopMode.SEQ


@dataclass(frozen=True, slots=True, eq=False)
class Alloc(SimpleStmt):
    """`name: type @ mem`: fresh, uninitialised, until the end of the enclosing block. type is a scalar or a dense tensor."""

    name: Sym
    type: ScalarType | TensorType
    mem: MemoryClass


@dataclass(frozen=True, slots=True, eq=False)
class WindowStmt(SimpleStmt):
    """`name = buffer[lo:hi, ...]`: names a view until the end of the enclosing block."""

    name: Sym
    rhs: WindowExpr


@dataclass(frozen=True, slots=True, eq=False)
class Call(SimpleStmt):
    """`proc(args)`. Control formals get control expressions.

    A data scalar formal gets a location (`Read` of a scalar or an element), or a Literal if the callee never writes it; a
    tensor formal gets a whole buffer (`Read` without indices and a TensorType) or a WindowExpr.
    """

    proc: Proc
    args: tuple[Expr, ...]


Stmt = Assign | Reduce | AssignConfig | Pass | Check | If | For | Alloc | WindowStmt | Call
Block = tuple[Stmt, ...]


# ---- procedures


@dataclass(frozen=True, slots=True, eq=False)
class Arg(NodeBase):
    """A formal. Control formals have mem None; data formals are passed by reference."""

    name: Sym
    type: Type
    mem: MemoryClass | None = None


@dataclass(frozen=True, slots=True)
class InstrTemplate:
    """What `@instr` declares beside the body (see docs/targets.md).

    template is a `str.format` text with names of formals; includes are header names as in `#include`; features are CPU
    feature names (`avx512f`); roundings bounds the error against exact arithmetic, None means bit-exact; subnormal operands and
    results are `kept`, or may be `flushed`, taken for zeros of their sign. implicit names formals that the hardware finds
    without being told, a register that there is only one of. fence is C that must run before other threads look at what text
    has stored; a backend puts it where they might.
    """

    template: str
    includes: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    c_global: str = ""
    roundings: int | None = None
    special: str = "ieee"
    subnormals: str = "kept"
    implicit: tuple[str, ...] = ()
    fence: str = ""

    def __post_init__(self) -> None:
        choices = (("special", self.special, ("ieee", "unspecified")), ("subnormals", self.subnormals, ("kept", "flushed")))
        for name, value, known in choices:
            if value not in known:
                raise ParseError(f"@instr: {name} must be {known[0]!r} or {known[1]!r}, got {value!r}")


@dataclass(frozen=True, slots=True, eq=False)
class Proc(NodeBase):
    """A procedure's IR: formals, assertions (`preds`, type bool), body. `aliasable` names formals that may overlap."""

    name: str
    args: tuple[Arg, ...]
    preds: tuple[Expr, ...]
    body: Block
    instr: InstrTemplate | None = None
    aliasable: tuple[str, ...] = ()


Node = Expr | Interval | Stmt | Arg | Proc
Use = Read | WindowExpr | StrideExpr | Assign | Reduce
"""What mentions a name, in `name`, other than to bind it."""


# ---- short constructors of control expressions, without simplification


def index_literal(value: int, span: Span = NOWHERE) -> Literal:
    """A literal of type index."""
    return Literal(value, type=INDEX, span=span)


def bool_literal(value: bool, span: Span = NOWHERE) -> Literal:
    """A literal of type bool."""
    return Literal(value, type=BOOL, span=span)


def index_read(name: Sym, span: Span = NOWHERE) -> Read:
    """A read of an iterator or another index."""
    return Read(name, (), type=INDEX, span=span)
