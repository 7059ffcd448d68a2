"""Typed builders: procedures made by programs rather than written as text. Exported as `usl_core.build`.

    b = ProcBuilder("scale")
    n = b.size("n")
    x = b.tensor("x", F32, (n,))
    with b.for_("i", 0, n) as i:
        b.assign(x, (i,), mul(read(x, i), 2.0))
    scale = b.finish()

Every function checks types as the parser does; `finish()` runs every check of the frontend, so a program that lowers into the
core need not be trusted. Values are expressions, Python numbers and truth values (numbers adopt the type of what they meet),
and scalar buffers, which stand for their element.
"""

from __future__ import annotations

import functools
import keyword
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Annotated, Any

from usl_core.deep import deeply
from usl_core.errors import NOWHERE, Span, TypeError_
from usl_core.frontend import expressions, literals, operators, statements
from usl_core.frontend.boundscheck import check_proc
from usl_core.frontend.python_scope import as_proc
from usl_core.frontend.scope import Binding, arg_binding
from usl_core.ir.config import Config
from usl_core.ir.externs import CLAMP, IDX, MAX, MIN, SELECT, Extern
from usl_core.ir.memory import DRAM, MemoryClass
from usl_core.ir.nodes import (
    Arg,
    Expr,
    ExprBase,
    If,
    InstrTemplate,
    Interval,
    LoopMode,
    Pass,
    Proc,
    Stmt,
    WindowExpr,
    WindowStmt,
)
from usl_core.ir.sym import Sym
from usl_core.ir.types import BOOL, INDEX, SIZE, ControlType, ScalarType, Type
from usl_core.ir.verify import problems
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """A named scalar, tensor or window of the procedure that is being built."""

    binding: Binding


Value = Annotated[Expr | int | float | bool | Fraction | Buffer, "an expression, a number or a buffer"]
"""What stands for an expression."""
Entry = Annotated[Value | tuple[Value, Value] | slice, "an index or an interval"]
"""An index of a window: a point, `(lo, hi)`, or a slice whose ends may be open."""


def value(operand: Value) -> Expr:
    """The expression that operand stands for; a tensor stands for the whole buffer, as an argument of a call."""
    match operand:
        case ExprBase():
            return operand
        case Buffer(binding=binding):
            return expressions.read(binding)
        case _:
            return literals.literal(operand)


# ---- accesses


def read(buffer: Buffer, *idx: Value) -> Expr:
    """`x[idx]`."""
    return expressions.read(buffer.binding, [value(index) for index in idx])


def window(buffer: Buffer, *entries: Entry) -> WindowExpr:
    """`x[lo:hi, pt]`, with `(lo, hi)` or a slice for an interval."""
    return expressions.window(buffer.binding, [_entry(entry) for entry in entries])


def _entry(entry: Entry) -> Expr | Interval | slice:
    match entry:
        case (lo, hi):
            return expressions.interval(value(lo), value(hi))
        case slice(start=lo, stop=hi, step=step):
            if step is not None:
                raise TypeError_("a window has no step; its elements are neighbours")
            return slice(None if lo is None else value(lo), None if hi is None else value(hi))
        case _:
            return value(entry)


def stride(buffer: Buffer, dim: int) -> Expr:
    """`stride(x, dim)`."""
    return expressions.stride(buffer.binding, dim)


def read_config(config: Config, field: str) -> Expr:
    """`config.field`."""
    return expressions.read_config(config, field)


# ---- operators


def literal(number: int | float | bool | Fraction, typ: ScalarType | ControlType | None = None) -> Expr:
    """A number or truth value; typ states its type, otherwise it adopts that of what it meets."""
    plain = literals.literal(number)
    return plain if typ is None else operators.adopt(plain, typ, "the literal")


def add(lhs: Value, rhs: Value) -> Expr:
    """`lhs + rhs`."""
    return operators.arithmetic("+", value(lhs), value(rhs))


def sub(lhs: Value, rhs: Value) -> Expr:
    """`lhs - rhs`."""
    return operators.arithmetic("-", value(lhs), value(rhs))


def mul(lhs: Value, rhs: Value) -> Expr:
    """`lhs * rhs`; one side is constant if they are control values."""
    return operators.arithmetic("*", value(lhs), value(rhs))


def div(lhs: Value, rhs: Value) -> Expr:
    """`lhs / rhs`; on integers it rounds to minus infinity."""
    return operators.arithmetic("/", value(lhs), value(rhs))


def mod(lhs: Value, rhs: Value) -> Expr:
    """`lhs % rhs`, rounded to minus infinity as division is."""
    return operators.arithmetic("%", value(lhs), value(rhs))


def bit_and(lhs: Value, rhs: Value) -> Expr:
    """`lhs & rhs` of integer data."""
    return operators.arithmetic("&", value(lhs), value(rhs))


def bit_or(lhs: Value, rhs: Value) -> Expr:
    """`lhs | rhs` of integer data."""
    return operators.arithmetic("|", value(lhs), value(rhs))


def bit_xor(lhs: Value, rhs: Value) -> Expr:
    """`lhs ^ rhs` of integer data."""
    return operators.arithmetic("^", value(lhs), value(rhs))


def bit_not(arg: Value) -> Expr:
    """`~arg` of integer data."""
    return operators.inversion(value(arg))


def shift_left(lhs: Value, rhs: Value) -> Expr:
    """`lhs << rhs` of integer data; by its width or more, 0."""
    return operators.arithmetic("<<", value(lhs), value(rhs))


def shift_right(lhs: Value, rhs: Value) -> Expr:
    """`lhs >> rhs` of integer data, rounded down; by its width or more, 0, or -1 of what is negative."""
    return operators.arithmetic(">>", value(lhs), value(rhs))


def neg(arg: Value) -> Expr:
    """`-arg`."""
    return operators.negate(value(arg))


def lt(lhs: Value, rhs: Value) -> Expr:
    """`lhs < rhs`."""
    return operators.compare("<", value(lhs), value(rhs))


def le(lhs: Value, rhs: Value) -> Expr:
    """`lhs <= rhs`."""
    return operators.compare("<=", value(lhs), value(rhs))


def gt(lhs: Value, rhs: Value) -> Expr:
    """`lhs > rhs`."""
    return operators.compare(">", value(lhs), value(rhs))


def ge(lhs: Value, rhs: Value) -> Expr:
    """`lhs >= rhs`."""
    return operators.compare(">=", value(lhs), value(rhs))


def eq(lhs: Value, rhs: Value) -> Expr:
    """`lhs == rhs`."""
    return operators.compare("==", value(lhs), value(rhs))


def ne(lhs: Value, rhs: Value) -> Expr:
    """`lhs != rhs`."""
    return operators.compare("!=", value(lhs), value(rhs))


def and_(first: Value, *rest: Value) -> Expr:
    """The conjunction of one or more conditions."""
    return functools.reduce(lambda whole, operand: operators.logical("and", whole, value(operand)), rest, value(first))


def or_(first: Value, *rest: Value) -> Expr:
    """The disjunction of one or more conditions."""
    return functools.reduce(lambda whole, operand: operators.logical("or", whole, value(operand)), rest, value(first))


def not_(arg: Value) -> Expr:
    """The negation of a condition."""
    return operators.negation(value(arg))


def cast(typ: ScalarType, arg: Value) -> Expr:
    """`typ(arg)`; of a plain number the literal of that type."""
    return operators.cast(typ, value(arg))


def extern(fn: Extern, *args: Value) -> Expr:
    """`fn(args)`."""
    return operators.extern_call(fn, [value(arg) for arg in args])


def min_(lhs: Value, rhs: Value) -> Expr:
    """`min(lhs, rhs)`, of data or control values."""
    return extern(MIN, lhs, rhs)


def max_(lhs: Value, rhs: Value) -> Expr:
    """`max(lhs, rhs)`, of data or control values."""
    return extern(MAX, lhs, rhs)


def select(a: Value, b: Value, x: Value, y: Value) -> Expr:
    """x if a < b, else y."""
    return extern(SELECT, a, b, x, y)


def clamp(x: Value, lo: Value, hi: Value) -> Expr:
    """`max(lo, min(x, hi))` of data."""
    return extern(CLAMP, x, lo, hi)


def idx(data: Value, lo: Value, hi: Value) -> Expr:
    """The clamped index max(lo, min(data, hi - 1)) of integer data."""
    return extern(IDX, data, lo, hi)


# ---- procedures


Finish = Callable[[Proc], Any]
_finish: Finish | None = None


def set_finish(finish: Finish) -> None:
    """How `ProcBuilder.finish` checks typed IR and makes a Procedure of it; the layer that has procedures sets it once."""
    global _finish
    _finish = finish


class ProcBuilder:
    """Collects formals, assertions and statements in order; `with` statements nest blocks."""

    def __init__(
        self, name: str, *, instr: InstrTemplate | None = None, aliasable: Sequence[str] = (), span: Span = NOWHERE
    ) -> None:
        self.name = _identifier(name)
        self.span = span
        self._instr = instr
        self._aliasable = tuple(aliasable)
        self._args: list[Arg] = []
        self._preds: list[Expr] = []
        self._blocks: list[list[Stmt]] = [[]]

    # -- formals and assertions

    def size(self, name: str) -> Expr:
        """A formal of type size: an integer of at least 1."""
        return expressions.read(self._formal(name, SIZE))

    def index(self, name: str) -> Expr:
        """A formal of type index: any integer."""
        return expressions.read(self._formal(name, INDEX))

    def bool_(self, name: str) -> Expr:
        """A formal of type bool."""
        return expressions.read(self._formal(name, BOOL))

    def scalar(self, name: str, typ: ScalarType, mem: MemoryClass = DRAM) -> Buffer:
        """A formal that is one element of data, passed by reference."""
        return Buffer(self._formal(name, typ, mem))

    @deeply
    def tensor(
        self, name: str, typ: ScalarType, shape: Sequence[Value], mem: MemoryClass = DRAM, *, window: bool = False
    ) -> Buffer:
        """A formal `typ[shape]`, or with window `[typ][shape]`."""
        if not shape:
            raise TypeError_(f"{name}: a tensor needs at least one extent; use scalar()")
        tensor = statements.tensor_type(typ, [value(extent) for extent in shape], window=window)
        return Buffer(self._formal(name, tensor, mem))

    def _formal(self, name: str, typ: Type, mem: MemoryClass | None = None) -> Binding:
        arg = statements.formal(Sym(_identifier(name)), typ, mem)
        self._args.append(arg)
        return arg_binding(arg)

    @deeply
    def require(self, cond: Value) -> None:
        """`assert cond` at the top."""
        self._preds.append(statements.assertion(value(cond)))

    # -- statements

    def _emit(self, stmt: Stmt) -> None:
        self._blocks[-1].append(stmt)

    @deeply
    def alloc(self, name: str, typ: ScalarType, shape: Sequence[Value] = (), mem: MemoryClass = DRAM) -> Buffer:
        """`name: typ[shape] @ mem`."""
        stmt = statements.alloc(Sym(_identifier(name)), statements.tensor_type(typ, [value(extent) for extent in shape]), mem)
        self._emit(stmt)
        return Buffer(Binding(stmt.name, stmt.type, mem))

    @deeply
    def window(self, name: str, buffer: Buffer, *entries: Entry) -> Buffer:
        """`name = buffer[entries]`."""
        stmt = WindowStmt(Sym(_identifier(name)), window(buffer, *entries))
        self._emit(stmt)
        return Buffer(Binding(stmt.name, stmt.rhs.type, buffer.binding.mem))

    @deeply
    def assign(self, target: Buffer, indices: Sequence[Value], rhs: Value) -> None:
        """`target[indices] = rhs`."""
        self._emit(statements.assign(target.binding, [value(index) for index in indices], value(rhs)))

    @deeply
    def reduce(self, target: Buffer, indices: Sequence[Value], rhs: Value, op: str = "+") -> None:
        """`target[indices] op= rhs`: op is "+", "*", "&", "|", "^", "min" or "max"."""
        self._emit(statements.reduce(target.binding, [value(index) for index in indices], value(rhs), op))

    @deeply
    def assign_config(self, config: Config, field: str, rhs: Value) -> None:
        """`config.field = rhs`."""
        self._emit(statements.assign_config(config, field, value(rhs)))

    @deeply
    def check(self, cond: Value) -> None:
        """`check(cond)`: stop unless it holds."""
        self._emit(statements.check(value(cond)))

    def pass_(self) -> None:
        """`pass`."""
        self._emit(Pass())

    @deeply
    def call(self, callee: Any, *args: Value) -> None:
        """`callee(args)`, with a Procedure or its IR."""
        ir = as_proc(callee)
        if ir is None:
            raise TypeError_(f"{callee!r} is not a procedure")
        self._emit(statements.call(ir, [value(arg) for arg in args]))

    @contextmanager
    def _nested(self) -> Iterator[list[Stmt]]:
        block: list[Stmt] = []
        self._blocks.append(block)
        try:
            yield block
        finally:
            self._blocks.pop()

    @contextmanager
    def for_(self, name: str, lo: Value, hi: Value, *, parallel: bool = False) -> Iterator[Expr]:
        """`for name in seq(lo, hi)`; gives the iterator."""
        sym, (low, high) = Sym(_identifier(name)), deeply(statements.loop_bounds)(value(lo), value(hi))
        with self._nested() as body:
            yield expressions.read(Binding(sym, INDEX))
        self._emit(statements.for_(sym, low, high, tuple(body), LoopMode.PAR if parallel else LoopMode.SEQ))

    @contextmanager
    def if_(self, cond: Value) -> Iterator[None]:
        """`if cond`; `else_` may follow at once."""
        checked = deeply(expressions.condition)(value(cond))
        with self._nested() as body:
            yield
        self._emit(statements.if_(checked, tuple(body)))

    @contextmanager
    def else_(self) -> Iterator[None]:
        """The other branch of the `if_` just before."""
        last = self._blocks[-1][-1] if self._blocks[-1] else None
        if not isinstance(last, If) or last.orelse:
            raise TypeError_("else_() must follow an if_() without one")
        with self._nested() as orelse:
            yield
        self._blocks[-1][-1] = statements.if_(last.cond, last.body, tuple(orelse), span=last.span)

    # -- the result

    @deeply
    def typed_ir(self) -> Proc:
        """The procedure so far, typed and well-formed; bounds and calls are not proved."""
        if len(self._blocks) != 1:
            raise TypeError_(f"{self.name} is finished inside an open block")
        proc = statements.procedure(
            self.name, self._args, self._preds, self._blocks[0], instr=self._instr, aliasable=self._aliasable, span=self.span
        )
        broken = problems(proc)  # for instance a buffer used outside the block that allocates it
        if broken:
            raise TypeError_(f"the builder of {self.name} made an ill-formed procedure: {broken[0]}", notes=broken[1:])
        return proc

    @deeply
    def finish_ir(self) -> Proc:
        """The procedure after every static check.

        Raises:
            BoundsError, Undecided: see `check_proc`.
        """
        proc = self.typed_ir()
        check_proc(proc)
        return proc

    def finish(self) -> Any:
        """The Procedure, after every static check (the hook makes them, as for every procedure).

        Raises:
            BoundsError, Undecided: see `check_proc`.
        """
        assert _finish is not None, "import usl_core first: it connects the layers"
        return _finish(self.typed_ir())


def _identifier(name: str) -> str:
    if not name.isidentifier() or keyword.iskeyword(name):
        raise TypeError_(f"{name!r} cannot be a name")
    return name
