"""From control expressions of the IR to linear forms and formulas.

What the analysis cannot know (clamped data `idx(e, lo, hi)`, configuration fields) becomes a fresh variable per occurrence,
collected with its range, so that "for all values of it" is what is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin, Stride
from usl_core.analysis.formula import Bool, Formula
from usl_core.ir.config import FieldSym
from usl_core.ir.externs import IDX, MAX, MIN
from usl_core.ir.memo import per_node
from usl_core.ir.nodes import BinaryOp, Cast, Expr, ExternCall, Literal, Read, ReadConfig, StrideExpr, UnaryMinus, WindowExpr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import operands
from usl_core.ir.types import BOOL, ControlType
from usl_core.records import dataclass

_COMPARE: dict[str, Callable[[Lin, Lin], Formula]] = {
    "<": fml.lt,
    "<=": fml.le,
    ">": lambda a, b: fml.lt(b, a),
    ">=": fml.ge,
    "==": fml.eq,
    "!=": fml.ne,
}


@dataclass
class Lowering:
    """One lowering; `unknowns` and `ranges` collect the fresh variables made on the way and what is known of them."""

    unknowns: list[Sym] = field(default_factory=list)
    ranges: list[Formula] = field(default_factory=list)
    symbolic: bool = False
    """Whether a configuration field stands for its value at entry (`Config.sym`), rather than for a fresh variable."""
    clamped: Mapping[int, Sym] = field(default_factory=dict)
    """Variables for clamped data that has one already, by the identity of its arguments."""

    def unknown(self, name: str) -> Sym:
        """A fresh variable for a value that nothing is known of."""
        sym = Sym(name)
        self.unknowns.append(sym)
        return sym

    def _field(self, expr: ReadConfig) -> Sym:
        return expr.config.sym(expr.field) if self.symbolic else self.unknown(expr.field)

    def index(self, expr: Expr) -> Lin:
        """The linear form of an index expression."""
        match expr:
            case Literal(value=value):
                return affine.const(int(value))
            case Read(name=name):
                return affine.var(name)
            case UnaryMinus(arg=arg):
                return -self.index(arg)
            case BinaryOp(op=op, lhs=lhs, rhs=rhs):
                return self._arithmetic(op, self.index(lhs), self.index(rhs))
            case StrideExpr(name=name, dim=dim):
                return affine.of_atom(Stride(name, dim))
            case ExternCall(fn=fn, args=args):
                return self._call(fn, args)
            case ReadConfig():
                return affine.var(self._field(expr))
            case Cast() | WindowExpr():
                raise AssertionError(f"not an index expression: {expr!r}")

    def _arithmetic(self, op: str, lhs: Lin, rhs: Lin) -> Lin:
        match op:
            case "+":
                return lhs + rhs
            case "-":
                return lhs - rhs
            case "*":
                return affine.product((lhs, rhs))
            case "/":
                return affine.quotient(lhs, rhs.const)
            case "%":
                return affine.remainder(lhs, rhs.const)
            case _:
                raise AssertionError(f"not index arithmetic: {op}")

    def _call(self, fn: object, args: tuple[Expr, ...]) -> Lin:
        if fn is MIN:
            return affine.minimum(self.index(a) for a in args)
        if fn is MAX:
            return affine.maximum(self.index(a) for a in args)
        assert fn is IDX, f"not a control function: {fn!r}"
        if id(args) in self.clamped:
            return affine.var(self.clamped[id(args)])
        lo, hi = self.index(args[1]), self.index(args[2])
        value = affine.var(self.unknown("idx"))
        self.ranges += [fml.le(lo, value), fml.lt(value, hi)]
        return value

    def truth(self, expr: Expr) -> Formula:
        """The formula of a bool expression (not of cond: those depend on data)."""
        match expr:
            case Literal(value=value):
                return fml.TRUE if value else fml.FALSE
            case Read(name=name):
                return Bool(name)
            case ReadConfig():
                return Bool(self._field(expr))
            case BinaryOp(op="and"):
                return fml.and_(map(self.truth, operands(expr, "and")))
            case BinaryOp(op="or"):
                return fml.or_(map(self.truth, operands(expr, "or")))
            case BinaryOp(op=op, lhs=lhs, rhs=rhs) if lhs.type is BOOL:
                a, b = self.truth(lhs), self.truth(rhs)
                return fml.iff(a, b if op == "==" else fml.not_(b))
            case BinaryOp(op=op, lhs=lhs, rhs=rhs):
                return _COMPARE[op](self.index(lhs), self.index(rhs))
            case UnaryMinus() | ExternCall() | Cast() | WindowExpr() | StrideExpr():
                raise AssertionError(f"not a control condition: {expr!r}")


@dataclass(frozen=True, slots=True)
class Form:
    """An index expression lowered once: `lin`, and whether it reads nothing whose value depends on the place (`steady`)."""

    lin: Lin
    steady: bool


@per_node
def form_of(expr: Expr) -> Form | None:
    """The linear form of expr; None if it holds clamped data, which is another unknown each time."""
    if isinstance(expr, Read):  # as most are
        return Form(affine.var(expr.name), not isinstance(expr.name, FieldSym))
    if isinstance(expr, Literal):
        return Form(affine.const(int(expr.value)), True)
    lowering = Lowering(symbolic=True)
    lin = lowering.index(expr)
    if lowering.unknowns:
        return None
    return Form(lin, not any(isinstance(atom, Stride | FieldSym) for atom in affine.atoms(lin)))


@dataclass(frozen=True, slots=True)
class Condition:
    """A control condition lowered once: its formula and the opposite, and whether these say the same everywhere (`steady`)."""

    formula: Formula
    opposite: Formula
    steady: bool


@per_node
def condition_of(expr: Expr) -> Condition | None:
    """The formulas of a control condition, in which fields stand for what they hold at entry; None if it holds clamped data."""
    lowering = Lowering(symbolic=True)
    formula = lowering.truth(expr)
    if lowering.unknowns:
        return None
    names = {name for name in fml.free_syms(formula) if isinstance(name, FieldSym)}
    strides = (atom for lin in fml.lins(formula) for atom in affine.atoms(lin) if isinstance(atom, Stride))
    return Condition(formula, fml.not_(formula), not names and not any(strides))


def index_lin(expr: Expr) -> Lin:
    """The linear form of an index expression, in which data behind `idx` may be any integer."""
    form = form_of(expr)
    return form.lin if form is not None else Lowering(symbolic=True).index(expr)


def truth(expr: Expr) -> Formula:
    """The formula of a control condition; see `index_lin`."""
    assert isinstance(expr.type, ControlType)
    found = condition_of(expr)
    return found.formula if found is not None else Lowering(symbolic=True).truth(expr)
