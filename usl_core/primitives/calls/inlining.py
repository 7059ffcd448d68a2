"""The body of a callee with its arguments in place of its formals.

Buffer formals disappear: an access through a formal becomes an access to the buffer that the argument shows, windows compose.
Reference: Reinking 2022, §3.3.3 (inline); docs/semantics.md, "Corrections: windows compose index maps".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from usl_core.analysis.fields_used import field_use
from usl_core.ir import make
from usl_core.ir import nodes as ir
from usl_core.ir.config import FieldSym
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import retype_window, rewrite, update, use_of, walk, with_fresh_binders
from usl_core.ir.types import ControlType, ScalarType, TensorType, scalar_of
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class View:
    """What a buffer formal stands for: a buffer, per dimension of it an offset and whether a coordinate is added.

    whole says that it is the whole buffer, coordinate by coordinate.
    """

    name: Sym
    dims: tuple[tuple[ir.Expr, bool], ...]
    type: TensorType | ScalarType
    whole: bool

    def element(self, idx: Sequence[ir.Expr]) -> tuple[ir.Expr, ...]:
        """The indices into the buffer of the formal's element idx."""
        if self.whole:
            return tuple(idx)
        coordinates = iter(idx)
        return tuple(make.add(offset, next(coordinates)) if ranged else offset for offset, ranged in self.dims)

    def entries(self, idx: Sequence[ir.Expr | ir.Interval]) -> tuple[ir.Expr | ir.Interval, ...]:
        """The entries of a window expression over the buffer for one over the formal."""
        entries = iter(idx)
        return tuple(_moved(next(entries), offset) if ranged else offset for offset, ranged in self.dims)

    def dimension(self, dim: int) -> int:
        """The buffer's dimension that the formal's dimension dim runs along."""
        return [position for position, (_, ranged) in enumerate(self.dims) if ranged][dim]


def _moved(entry: ir.Expr | ir.Interval, offset: ir.Expr) -> ir.Expr | ir.Interval:
    if isinstance(entry, ir.Interval):
        return ir.Interval(make.add(offset, entry.lo), make.add(offset, entry.hi), span=entry.span)
    return make.add(offset, entry)


def view_of(actual: ir.Expr) -> View:
    """A buffer argument as a view."""
    match actual:
        case ir.WindowExpr(name=name, idx=idx, type=TensorType() as typ):
            dims = tuple((e.lo, True) if isinstance(e, ir.Interval) else (e, False) for e in idx)
            return View(name, dims, typ, whole=False)
        case ir.Read(name=name, type=TensorType() as typ):
            return View(name, tuple((ir.index_literal(0), True) for _ in typ.shape), typ, whole=True)
        case ir.Read(name=name, idx=idx, type=ScalarType() as typ):
            return View(name, tuple((e, False) for e in idx), typ, whole=False)
        case ir.ExprBase():
            raise AssertionError(f"not a buffer argument: {actual!r}")


def argument_that_changes(call: ir.Call) -> FieldSym | None:
    """A configuration field that an argument reads and the callee writes: the argument cannot stand in the body instead."""
    written = field_use(call.proc).written
    for arg in call.args if written else ():
        for node in walk(arg):
            if isinstance(node, ir.ReadConfig) and node.config.sym(node.field) in written:
                return node.config.sym(node.field)
    return None


def inlined(call: ir.Call) -> ir.Block:
    """The callee's body with the call's arguments, every bound name fresh."""
    controls: dict[Sym, ir.Expr] = {}
    views: dict[Sym, View] = {}
    for formal, actual in zip(call.proc.args, call.args, strict=True):
        if isinstance(formal.type, ControlType) or isinstance(actual, ir.Literal | ir.ReadConfig):
            controls[formal.name] = actual
        else:
            views[formal.name] = view_of(actual)
    rule = Substitution(views, controls)
    return tuple(rewrite(stmt, rule.node) for stmt in with_fresh_binders(call.proc.body))


@dataclass(frozen=True, slots=True)
class Substitution:
    """Views for buffers and expressions for control values, wherever these are used."""

    views: Mapping[Sym, View]
    controls: Mapping[Sym, ir.Expr] = field(default_factory=dict)

    def node(self, node: ir.Node) -> ir.Node | None:
        """node with what stands for the name that it uses; a rule for rewriting bottom-up."""
        use = use_of(node)
        if use is None or (view := self.views.get(use.name)) is None:
            return self.controls.get(use.name) if isinstance(use, ir.Read) else None
        match use:
            case ir.Read():
                return self._read(use, view)
            case ir.WindowExpr(idx=idx):
                return retype_window(update(use, name=view.name, idx=view.entries(idx)))
            case ir.StrideExpr(dim=dim):
                return update(use, name=view.name, dim=view.dimension(dim))
            case ir.Assign(idx=idx) | ir.Reduce(idx=idx):
                return update(use, name=view.name, idx=view.element(idx))

    def _read(self, node: ir.Read, view: View) -> ir.Expr:
        if not isinstance(node.type, TensorType):
            return update(node, name=view.name, idx=view.element(node.idx))
        if view.whole:
            return update(node, name=view.name, type=view.type)
        # The whole formal is passed on: the window that it stands for is passed instead.
        whole = [ir.Interval(ir.index_literal(0), extent) for extent in node.type.shape]
        return retype_window(ir.WindowExpr(view.name, view.entries(whole), type=view.type, span=node.span))


def window_over(name: Sym, entries: Sequence[ir.Expr | ir.Interval], buffer: TensorType) -> ir.Expr:
    """`name[entries]`: a window, a whole-buffer read where it would cover a buffer exactly, an element without intervals."""
    if not any(isinstance(e, ir.Interval) for e in entries):
        return ir.Read(name, tuple(e for e in entries if not isinstance(e, ir.Interval)), type=scalar_of(buffer))
    return retype_window(ir.WindowExpr(name, tuple(entries), type=TensorType(buffer.scalar, buffer.shape, window=True)))
