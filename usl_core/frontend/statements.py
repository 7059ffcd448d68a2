"""Typed constructors of statements and procedures."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.errors import NOWHERE, Span, TypeError_
from usl_core.frontend.expressions import condition, config_field_type, control_bool, control_int, element_indices
from usl_core.frontend.literals import describe
from usl_core.frontend.operators import adopt
from usl_core.frontend.placement import require_fixed
from usl_core.frontend.scope import Binding
from usl_core.ir import nodes as ir
from usl_core.ir.combining import OPERATIONS, may_reduce, spelt
from usl_core.ir.config import Config
from usl_core.ir.memory import DRAM, MemoryClass
from usl_core.ir.operation import Operation
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.template import check_template
from usl_core.ir.types import B8, BOOL, ControlType, ScalarType, TensorType, Type
from usl_core.ir.written import written_formals


def assign(target: Binding, idx: Sequence[ir.Expr], rhs: ir.Expr, *, span: Span = NOWHERE) -> ir.Assign:
    """`x[idx] = rhs`."""
    indices = _location(target, idx, span)
    return ir.Assign(target.sym, indices, adopt(rhs, target.scalar, "the right side of `=`"), span=span)


def reduce(
    target: Binding, idx: Sequence[ir.Expr], rhs: ir.Expr, op: str | Operation = "+", *, span: Span = NOWHERE
) -> ir.Reduce:
    """`x[idx] op= rhs`, op one of `usl_core.ir.combining.OPERATIONS`."""
    if isinstance(op, str) and op not in OPERATIONS:
        raise TypeError_(f"there is no reduction by {op!r}; there are {', '.join(OPERATIONS)}", span=span)
    indices = _location(target, idx, span)
    if not may_reduce(op, target.scalar):
        known = (
            f"on {op.type} data" if isinstance(op, Operation) else "on numbers" if target.scalar == B8 else "on integer data"
        )
        raise TypeError_(f"{spelt(op)} is defined {known} only, not on {target.scalar}", span=span)
    return ir.Reduce(target.sym, indices, adopt(rhs, target.scalar, f"the right side of {spelt(op)}"), op, span=span)


def _location(target: Binding, idx: Sequence[ir.Expr], span: Span) -> tuple[ir.Expr, ...]:
    if target.is_control:
        raise TypeError_(f"{target.sym.name} is a control value and cannot be written; allocate a scalar for data", span=span)
    return element_indices(target, idx, span)


def assign_config(config: Config, field: str, rhs: ir.Expr, *, span: Span = NOWHERE) -> ir.AssignConfig:
    """`config.field = rhs`."""
    typ, what = config_field_type(config, field, span), f"the value of {config.name}.{field}"
    if isinstance(typ, ScalarType):
        return ir.AssignConfig(config, field, adopt(rhs, typ, what), span=span)
    value = control_bool(rhs, what) if typ is BOOL else control_int(rhs, what, stride=True)
    return ir.AssignConfig(config, field, value, span=span)


def check(cond: ir.Expr, *, span: Span = NOWHERE) -> ir.Check:
    """`check(cond)`."""
    return ir.Check(control_bool(cond, "the condition of `check`"), span=span)


def if_(cond: ir.Expr, body: ir.Block, orelse: ir.Block = (), *, span: Span = NOWHERE) -> ir.If:
    """`if cond: body else: orelse`; an empty body becomes `pass`."""
    return ir.If(condition(cond), body or (ir.Pass(span=span),), orelse, span=span)


def for_(
    sym: Sym, lo: ir.Expr, hi: ir.Expr, body: ir.Block, mode: ir.LoopMode = ir.LoopMode.SEQ, *, span: Span = NOWHERE
) -> ir.For:
    """`for sym in seq(lo, hi): body`; an empty body becomes `pass`."""
    low, high = loop_bounds(lo, hi)
    return ir.For(sym, low, high, body or (ir.Pass(span=span),), mode, span=span)


def loop_bounds(lo: ir.Expr, hi: ir.Expr) -> tuple[ir.Expr, ir.Expr]:
    """The limits of a loop as index expressions. Raises: TypeError_."""
    return control_int(lo, "a loop bound"), control_int(hi, "a loop bound")


def tensor_type(scalar: ScalarType, shape: Sequence[ir.Expr], *, window: bool = False) -> ScalarType | TensorType:
    """`scalar[shape]` or `[scalar][shape]`; without a shape the scalar itself."""
    extents = tuple(require_fixed(control_int(extent, "an extent"), "an extent") for extent in shape)
    return TensorType(scalar, extents, window) if extents else scalar


def alloc(sym: Sym, typ: Type, mem: MemoryClass = DRAM, *, span: Span = NOWHERE) -> ir.Alloc:
    """`sym: typ @ mem`."""
    if isinstance(typ, ControlType):
        raise TypeError_(f"{sym.name}: only data can be allocated, not {describe(typ)}", span=span)
    if isinstance(typ, TensorType) and typ.window:
        raise TypeError_(f"{sym.name}: a window cannot be allocated; write {typ.scalar}[...] without the brackets", span=span)
    return ir.Alloc(sym, typ, mem, span=span)


def call(callee: ir.Proc, args: Sequence[ir.Expr], *, span: Span = NOWHERE) -> ir.Call:
    """`callee(args)`."""
    if len(args) != len(callee.args):
        expected = f"{len(callee.args)} argument{'s' if len(callee.args) != 1 else ''}"
        names = ", ".join(arg.name.name for arg in callee.args)
        raise TypeError_(f"{callee.name}({names}) takes {expected}, got {len(args)}", span=span)
    passed = tuple(_argument(callee, position, arg) for position, arg in enumerate(args))
    return ir.Call(callee, passed, span=span)


def _argument(callee: ir.Proc, position: int, arg: ir.Expr) -> ir.Expr:
    formal = callee.args[position]
    what = f"argument {formal.name.name} of {callee.name}"
    match formal.type:
        case ControlType() as typ:
            return control_bool(arg, what) if typ is BOOL else control_int(arg, what, stride=True)
        case ScalarType() as typ:
            return _scalar_argument(callee, position, adopt(arg, typ, what), what)
        case TensorType() as typ:
            return _buffer_argument(typ, arg, what)


def _scalar_argument(callee: ir.Proc, position: int, arg: ir.Expr, what: str) -> ir.Expr:
    match arg:
        case ir.Read():
            return arg
        case ir.Literal() | ir.ReadConfig() if callee.args[position].name not in written_formals(callee):
            return arg
        case ir.Literal() | ir.ReadConfig():
            found = "number" if isinstance(arg, ir.Literal) else "field"
            raise TypeError_(
                f"{what} is written there, so it needs a location, not the {found} {show_expr(arg)}", span=arg.span
            )
        case ir.ExprBase():
            raise TypeError_(f"{what} must be a scalar or an element; assign {show_expr(arg)} to a scalar first", span=arg.span)


def _buffer_argument(formal: TensorType, arg: ir.Expr, what: str) -> ir.Expr:
    if not (isinstance(arg, ir.Read | ir.WindowExpr) and isinstance(arg.type, TensorType)):
        raise TypeError_(f"{what} must be a buffer or a window, not {describe(arg.type)}", span=arg.span)
    if arg.type.scalar != formal.scalar:
        raise TypeError_(f"{what} has elements of type {formal.scalar}, got {arg.type.scalar}", span=arg.span)
    if len(arg.type.shape) != len(formal.shape):
        rank = len(formal.shape)
        raise TypeError_(f"{what} has {rank} dimension{'s' if rank > 1 else ''}, got {len(arg.type.shape)}", span=arg.span)
    return arg


def formal(sym: Sym, typ: Type, mem: MemoryClass | None = None, *, span: Span = NOWHERE) -> ir.Arg:
    """`sym: typ @ mem`, where data without a memory lives in DRAM."""
    if isinstance(typ, ControlType):
        if mem is not None:
            raise TypeError_(f"{sym.name} is a control value and lives in no memory", span=span)
        return ir.Arg(sym, typ, None, span=span)
    return ir.Arg(sym, typ, mem or DRAM, span=span)


def assertion(cond: ir.Expr) -> ir.Expr:
    """`assert cond` at the top of a procedure."""
    return control_bool(cond, "an assertion")


def procedure(
    name: str,
    args: Sequence[ir.Arg],
    preds: Sequence[ir.Expr],
    body: Sequence[ir.Stmt],
    *,
    instr: ir.InstrTemplate | None = None,
    aliasable: Sequence[str] = (),
    span: Span = NOWHERE,
) -> ir.Proc:
    """The procedure; an empty body becomes `pass`."""
    seen: set[str] = set()
    for arg in args:
        if arg.name.name in seen:
            raise TypeError_(f"two arguments of {name} are called {arg.name.name}", span=arg.span)
        seen.add(arg.name.name)
    data_names = {arg.name.name for arg in args if not isinstance(arg.type, ControlType)}
    for alias in aliasable:
        if alias not in data_names:
            raise TypeError_(f"aliasable names {alias!r}, which is not a data argument of {name}", span=span)
    if instr is not None:
        check_template(args, instr.template, span)
    block = tuple(body) or (ir.Pass(span=span),)
    return ir.Proc(name, tuple(args), tuple(preds), block, instr, tuple(aliasable), span=span)
