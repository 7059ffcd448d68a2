"""The body of a callee with its arguments in place of its formals.

Buffer formals disappear: an access through a formal becomes an access to the buffer that the argument shows, windows compose.
Reference: Reinking 2022, §3.3.3 (inline); docs/semantics.md, "Corrections: windows compose index maps".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from usl_core.analysis.fields_used import field_use
from usl_core.ir import make
from usl_core.ir.config import FieldSym
from usl_core.ir.nodes import (
    Assign,
    Block,
    Call,
    Expr,
    ExprBase,
    Interval,
    Literal,
    Node,
    Read,
    ReadConfig,
    Reduce,
    StrideExpr,
    WindowExpr,
    index_literal,
)
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import retype_window, rewrite, update, use_of, walk, with_fresh_binders
from usl_core.ir.types import ControlType, ScalarType, TensorType, scalar_of


@dataclass(frozen=True, slots=True)
class View:
    """What a buffer formal stands for: a buffer, per dimension of it an offset and whether a coordinate is added.

    whole says that it is the whole buffer, coordinate by coordinate.
    """

    name: Sym
    dims: tuple[tuple[Expr, bool], ...]
    type: TensorType | ScalarType
    whole: bool

    def element(self, idx: Sequence[Expr]) -> tuple[Expr, ...]:
        """The indices into the buffer of the formal's element idx."""
        if self.whole:
            return tuple(idx)
        coordinates = iter(idx)
        return tuple(make.add(offset, next(coordinates)) if ranged else offset for offset, ranged in self.dims)

    def entries(self, idx: Sequence[Expr | Interval]) -> tuple[Expr | Interval, ...]:
        """The entries of a window expression over the buffer for one over the formal."""
        entries = iter(idx)
        return tuple(_moved(next(entries), offset) if ranged else offset for offset, ranged in self.dims)

    def dimension(self, dim: int) -> int:
        """The buffer's dimension that the formal's dimension dim runs along."""
        return [position for position, (_, ranged) in enumerate(self.dims) if ranged][dim]


def _moved(entry: Expr | Interval, offset: Expr) -> Expr | Interval:
    if isinstance(entry, Interval):
        return Interval(make.add(offset, entry.lo), make.add(offset, entry.hi), span=entry.span)
    return make.add(offset, entry)


def view_of(actual: Expr) -> View:
    """A buffer argument as a view."""
    match actual:
        case WindowExpr(name=name, idx=idx, type=TensorType() as typ):
            dims = tuple((e.lo, True) if isinstance(e, Interval) else (e, False) for e in idx)
            return View(name, dims, typ, whole=False)
        case Read(name=name, type=TensorType() as typ):
            return View(name, tuple((index_literal(0), True) for _ in typ.shape), typ, whole=True)
        case Read(name=name, idx=idx, type=ScalarType() as typ):
            return View(name, tuple((e, False) for e in idx), typ, whole=False)
        case ExprBase():
            raise AssertionError(f"not a buffer argument: {actual!r}")


def argument_that_changes(call: Call) -> FieldSym | None:
    """A configuration field that an argument reads and the callee writes: the argument cannot stand in the body instead."""
    written = field_use(call.proc).written
    for arg in call.args if written else ():
        for node in walk(arg):
            if isinstance(node, ReadConfig) and node.config.sym(node.field) in written:
                return node.config.sym(node.field)
    return None


def inlined(call: Call) -> Block:
    """The callee's body with the call's arguments, every bound name fresh."""
    controls: dict[Sym, Expr] = {}
    views: dict[Sym, View] = {}
    for formal, actual in zip(call.proc.args, call.args, strict=True):
        if isinstance(formal.type, ControlType) or isinstance(actual, Literal):
            controls[formal.name] = actual
        else:
            views[formal.name] = view_of(actual)
    rule = Substitution(views, controls)
    return tuple(rewrite(stmt, rule.node) for stmt in with_fresh_binders(call.proc.body))


@dataclass(frozen=True, slots=True)
class Substitution:
    """Views for buffers and expressions for control values, wherever these are used."""

    views: Mapping[Sym, View]
    controls: Mapping[Sym, Expr] = field(default_factory=dict)

    def node(self, node: Node) -> Node | None:
        """node with what stands for the name that it uses; a rule for rewriting bottom-up."""
        use = use_of(node)
        if use is None or (view := self.views.get(use.name)) is None:
            return self.controls.get(use.name) if isinstance(use, Read) else None
        match use:
            case Read():
                return self._read(use, view)
            case WindowExpr(idx=idx):
                return retype_window(update(use, name=view.name, idx=view.entries(idx)))
            case StrideExpr(dim=dim):
                return update(use, name=view.name, dim=view.dimension(dim))
            case Assign(idx=idx) | Reduce(idx=idx):
                return update(use, name=view.name, idx=view.element(idx))

    def _read(self, node: Read, view: View) -> Expr:
        if not isinstance(node.type, TensorType):
            return update(node, name=view.name, idx=view.element(node.idx))
        if view.whole:
            return update(node, name=view.name, type=view.type)
        # The whole formal is passed on: the window that it stands for is passed instead.
        whole = [Interval(index_literal(0), extent) for extent in node.type.shape]
        return retype_window(WindowExpr(view.name, view.entries(whole), type=view.type, span=node.span))


def window_over(name: Sym, entries: Sequence[Expr | Interval], buffer: TensorType) -> Expr:
    """`name[entries]`: a window, a whole-buffer read where it would cover a buffer exactly, an element without intervals."""
    if not any(isinstance(e, Interval) for e in entries):
        return Read(name, tuple(e for e in entries if not isinstance(e, Interval)), type=scalar_of(buffer))
    return retype_window(WindowExpr(name, tuple(entries), type=TensorType(buffer.scalar, buffer.shape, window=True)))
