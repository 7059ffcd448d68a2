"""One cursor class per kind of node, with the methods that read it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from usl_core.cursors.cursor import BlockCursor, Cursor, ExprCursor, InvalidCursor, StmtCursor, cursor_to
from usl_core.cursors.display import spelling
from usl_core.cursors.path import ArgLoc, BlockLoc, Path
from usl_core.ir import nodes as ir
from usl_core.ir.config import Config
from usl_core.ir.memory import MemoryClass
from usl_core.ir.types import TensorType, Type


@cursor_to(ir.For)
class ForCursor(StmtCursor):
    """A loop."""

    __slots__ = ()

    def name(self) -> str:
        """The iterator as printed."""
        return self._spelling(self.node.iter)

    def lo(self) -> ExprCursor:
        """The first iteration."""
        return self._operand("lo")

    def hi(self) -> ExprCursor:
        """One more than the last iteration."""
        return self._operand("hi")

    def body(self) -> BlockCursor:
        """The statements of the loop."""
        return BlockCursor(self.owner, BlockLoc(self.path, "body", 0, len(self.node.body)))

    def mode(self) -> str:
        """`"seq"` or `"par"`."""
        return str(self.node.mode.value)


@cursor_to(ir.If)
class IfCursor(StmtCursor):
    """An `if`."""

    __slots__ = ()

    def cond(self) -> ExprCursor:
        """The condition."""
        return self._operand("cond")

    def body(self) -> BlockCursor:
        """The statements that run if the condition holds."""
        return BlockCursor(self.owner, BlockLoc(self.path, "body", 0, len(self.node.body)))

    def orelse(self) -> BlockCursor | InvalidCursor:
        """The `else` block; invalid if there is none."""
        count = len(self.node.orelse)
        if not count:
            return self._invalid("the `if` has no `else`")
        return BlockCursor(self.owner, BlockLoc(self.path, "orelse", 0, count))


class _Binder(Cursor):
    """What allocations and formals have in common: a name, a type, extents, a memory."""

    __slots__ = ()

    @property
    def node(self) -> Any:
        """The node of the IR."""
        raise NotImplementedError

    @property
    def path(self) -> Path:
        """Steps from the procedure to the node."""
        raise NotImplementedError

    def name(self) -> str:
        """The name as printed."""
        return spelling(self.owner.ir, self.node.name, self.path)

    def type(self) -> Type:
        """The element type of data, or the type of a control value."""
        typ: Type = self.node.type
        return typ.scalar if isinstance(typ, TensorType) else typ

    def shape(self) -> tuple[ExprCursor, ...]:
        """Cursors to the extents, outermost first; empty for scalars and control values."""
        typ = self.node.type
        count = len(typ.shape) if isinstance(typ, TensorType) else 0
        return tuple([self._at((*self.path, ("shape", index))) for index in range(count)])

    def mem(self) -> MemoryClass | None:
        """The memory; None for control values."""
        mem: MemoryClass | None = self.node.mem
        return mem

    def is_tensor(self) -> bool:
        return isinstance(self.node.type, TensorType)


@cursor_to(ir.Alloc)
class AllocCursor(StmtCursor, _Binder):
    """An allocation."""

    __slots__ = ()


@cursor_to(ir.Arg)
class ArgCursor(_Binder):
    """A formal."""

    __slots__ = ()
    loc: ArgLoc

    @property
    def path(self) -> Path:
        """The place of the formal among the others."""
        return (("args", self.loc.index),)

    @property
    def node(self) -> ir.Arg:
        """The formal in the tree."""
        return self.owner.ir.args[self.loc.index]

    def parent(self) -> Cursor:
        """Invalid: nothing is around a formal."""
        return self._invalid("a formal has no parent")


class _Write(StmtCursor):
    __slots__ = ()

    def name(self) -> str:
        """The buffer as printed."""
        return self._spelling(self.node.name)

    def idx(self) -> tuple[ExprCursor, ...]:
        """Cursors to the indices; empty for a scalar."""
        return self._children("idx", len(self.node.idx))

    def rhs(self) -> ExprCursor:
        return self._operand("rhs")

    def type(self) -> Type:
        """The element type of what is written."""
        typ: Type = self.node.rhs.type
        return typ


@cursor_to(ir.Assign)
class AssignCursor(_Write):
    """`name[idx] = rhs`."""

    __slots__ = ()


@cursor_to(ir.Reduce)
class ReduceCursor(_Write):
    """`name[idx] op= rhs`."""

    __slots__ = ()

    def op(self) -> str:
        """The operation: "+", "*", "&", "|", "^", "min" or "max"."""
        return str(self.node.op)


@cursor_to(ir.AssignConfig)
class AssignConfigCursor(StmtCursor):
    """`config.field = rhs`."""

    __slots__ = ()

    def config(self) -> Config:
        """The configuration that is written."""
        config: Config = self.node.config
        return config

    def field(self) -> str:
        """The name of the field that is written."""
        return str(self.node.field)

    def rhs(self) -> ExprCursor:
        """The value that is written."""
        return self._operand("rhs")


@cursor_to(ir.Call)
class CallCursor(StmtCursor):
    """A call of a procedure."""

    __slots__ = ()

    def subproc(self) -> Any:
        """The callee."""
        wrap = getattr(self.owner, "procedure_of", None)
        return self.node.proc if wrap is None else wrap(self.node.proc)

    def args(self) -> tuple[ExprCursor, ...]:
        """The arguments, in order."""
        return self._children("args", len(self.node.args))


@cursor_to(ir.WindowStmt)
class WindowStmtCursor(StmtCursor):
    """`name = buffer[lo:hi, ...]`."""

    __slots__ = ()

    def name(self) -> str:
        """The window as printed."""
        return self._spelling(self.node.name)

    def winexpr(self) -> WindowExprCursor:
        """The window that gets the name."""
        window = self._operand("rhs")
        assert isinstance(window, WindowExprCursor)
        return window


@cursor_to(ir.Pass)
class PassCursor(StmtCursor):
    """`pass`."""

    __slots__ = ()


@cursor_to(ir.Check)
class CheckCursor(StmtCursor):
    """`check(cond)`."""

    __slots__ = ()

    def cond(self) -> ExprCursor:
        """What must hold."""
        return self._operand("cond")


@cursor_to(ir.Read)
class ReadCursor(ExprCursor):
    """`name` or `name[idx]`."""

    __slots__ = ()

    def name(self) -> str:
        """The name that is read."""
        return self._spelling(self.node.name)

    def idx(self) -> tuple[ExprCursor, ...]:
        """The indices; none for a scalar, a control value or a whole buffer."""
        return self._children("idx", len(self.node.idx))


@cursor_to(ir.ReadConfig)
class ReadConfigCursor(ExprCursor):
    """`config.field`."""

    __slots__ = ()

    def config(self) -> Config:
        """The configuration that is read."""
        config: Config = self.node.config
        return config

    def field(self) -> str:
        """The name of the field that is read."""
        return str(self.node.field)


@cursor_to(ir.Literal)
class LiteralCursor(ExprCursor):
    """A constant."""

    __slots__ = ()

    def value(self) -> int | bool | Fraction:
        """An int (index and integer types), bool, or Fraction (the number as written)."""
        value: int | bool | Fraction = self.node.value
        return value


@cursor_to(ir.UnaryMinus)
class UnaryMinusCursor(ExprCursor):
    """`-arg`."""

    __slots__ = ()

    def arg(self) -> ExprCursor:
        """What is negated."""
        return self._operand("arg")


@cursor_to(ir.BinaryOp)
class BinaryOpCursor(ExprCursor):
    """`lhs op rhs`."""

    __slots__ = ()

    def op(self) -> str:
        """The operator as it is written."""
        return str(self.node.op)

    def lhs(self) -> ExprCursor:
        """The left side."""
        return self._operand("lhs")

    def rhs(self) -> ExprCursor:
        """The right side."""
        return self._operand("rhs")


@cursor_to(ir.ExternCall)
class ExternFunctionCursor(ExprCursor):
    """`min(a, b)` and the like."""

    __slots__ = ()

    def name(self) -> str:
        """The name of the function."""
        return str(self.node.fn.name)

    def args(self) -> tuple[ExprCursor, ...]:
        """The arguments, in order."""
        return self._children("args", len(self.node.args))


@cursor_to(ir.WindowExpr)
class WindowExprCursor(ExprCursor):
    """`name[lo:hi, pt]`."""

    __slots__ = ()

    def name(self) -> str:
        """The buffer or window that is shown."""
        return self._spelling(self.node.name)

    def idx(self) -> tuple[ExprCursor, ...]:
        """One entry per dimension: the cursor to a point, or the pair of cursors (lo, hi) of an interval."""
        return tuple([self._entry(index, entry) for index, entry in enumerate(self.node.idx)])

    def _entry(self, index: int, entry: ir.Node) -> Any:
        path = (*self.path, ("idx", index))
        if isinstance(entry, ir.Interval):
            return self._at((*path, ("lo", None))), self._at((*path, ("hi", None)))
        return self._at(path)


@cursor_to(ir.StrideExpr)
class StrideExprCursor(ExprCursor):
    """`stride(name, dim)`."""

    __slots__ = ()

    def name(self) -> str:
        """The buffer whose stride it is."""
        return self._spelling(self.node.name)

    def dim(self) -> int:
        """The dimension, from 0."""
        return int(self.node.dim)


@cursor_to(ir.Cast)
class CastCursor(ExprCursor):
    """`f32(arg)`."""

    __slots__ = ()

    def arg(self) -> ExprCursor:
        """What is converted."""
        return self._operand("arg")
