"""Another layout for a buffer: what must not depend on the old one, and other indices at all uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import BlockLoc, NodeLoc, Path, block_of, get_stmt, stmts
from usl_core.errors import Span
from usl_core.ir.nodes import Alloc, Arg, Assign, Expr, Interval, Node, Proc, Read, Reduce, StrideExpr, WindowExpr
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import retype_window, update, use_of
from usl_core.ir.types import TensorType, scalar_of
from usl_core.primitives.base import edit_of, refuse
from usl_core.primitives.buffers.uses import Use, passed_whole, reads_strides, rest_of_block, uses_in, with_windows
from usl_core.procedure import Procedure

Entries = tuple[Expr | Interval, ...]


def scope_of(proc: Proc, path: Path) -> BlockLoc:
    """The allocation at path and everything after it in its block."""
    own = block_of(path)
    rest = rest_of_block(proc, path)
    return BlockLoc(own.parent, own.field, own.lo, rest.hi if rest is not None else own.hi)


def uses_of_alloc(proc: Proc, path: Path) -> list[Use]:
    """Every use of the buffer that the statement at path allocates."""
    return uses_in(proc, scope_of(proc, path), _alloc(proc, path).name)


def _alloc(proc: Proc, path: Path) -> Alloc:
    alloc = get_stmt(proc, path)
    assert isinstance(alloc, Alloc)
    return alloc


# ---- conditions


def require_dimension(alloc: Alloc, dim: int) -> tuple[Expr, ...]:
    """The shape of a buffer that has the dimension dim."""
    shape = alloc.type.shape if isinstance(alloc.type, TensorType) else ()
    if not 0 <= dim < len(shape):
        message = f"{alloc.name.name} has {len(shape)} dimensions, counted from 0; there is no dimension {dim}"
        refuse(message, alloc.span, code="E404")
    return shape


def span_of(use: Use, binder: Alloc | Arg) -> Span:
    """Where a use stands, or the binder of the buffer if no source text stands for it."""
    return use.node.span.or_else(binder.span)


def require_not_whole(use: Use, binder: Alloc | Arg, hint: str) -> None:
    """A use is not the whole buffer as an argument: its formal repeats the old shape."""
    if passed_whole(use):
        message = f"{binder.name.name} is passed whole to a call, which expects its old shape"
        refuse(message, span_of(use, binder), [hint], code="E456")


def require_same_order(use: Use, order: Sequence[int], binder: Alloc | Arg) -> None:
    """If a use is a window, it keeps the order of its dimensions when those of the buffer come in this order."""
    if isinstance(use.node, WindowExpr):
        ranged = [dim for dim in order if isinstance(use.node.idx[dim], Interval)]
        if ranged != sorted(ranged):
            message = f"the dimensions of the window {show_expr(use.node)} would change places too"
            refuse(message, span_of(use, binder), ["hint: inline the window or the call first"], code="E455")


def require_redirectable(proc: Procedure, path: Path, alloc: Alloc, hint: str = "") -> list[Use]:
    """The uses of the buffer allocated at path, none of which is the whole buffer or a stride that a condition depends on."""
    uses = uses_of_alloc(proc.ir, path)
    for use in uses:
        require_not_whole(use, alloc, hint or "hint: pass a window of it, or inline the call")
    require_no_strides(stmts(proc.ir, scope_of(proc.ir, path)), alloc)
    return uses


def require_no_strides(code: Sequence[Node], binder: Alloc | Arg, hints: Sequence[str] = ()) -> None:
    """No condition in code depends on a stride of the buffer. (Assertions of callees are proved again.)"""
    found = reads_strides(code, with_windows(code, binder.name))
    if found is not None:
        message = f"the program depends on strides of {binder.name.name}, which change"
        refuse(message, found.span.or_else(binder.span), hints, code="E457")


# ---- edits


def _same_dimension(dim: int) -> int:
    return dim


def relaid(
    proc: Procedure,
    path: Path,
    shape: tuple[Expr, ...],
    entries: Callable[[Entries], Entries],
    stride: Callable[[int], int] = _same_dimension,
    whole: Entries | None = None,
) -> Edit:
    """The buffer allocated at path with another shape, its uses `reindexed`."""
    alloc = _alloc(proc.ir, path)
    edit = edit_of(proc).update(NodeLoc(path), type=TensorType(scalar_of(alloc.type), shape))
    return reindexed(edit, scope_of(proc.ir, path), alloc.name, entries, stride, whole)


def reindexed(
    edit: Edit,
    scope: NodeLoc | BlockLoc,
    name: Sym,
    entries: Callable[[Entries], Entries],
    stride: Callable[[int], int],
    whole: Entries | None = None,
) -> Edit:
    """The uses of a buffer in scope with indices mapped by entries, and dimensions in `stride(x, d)` by stride.

    whole gives the window that stands for the whole buffer as an argument; None keeps such an argument as it is.
    """

    def rule(node: Node) -> Node | None:
        use = use_of(node)
        if use is None or use.name is not name:
            return None
        match use:
            case Read(type=TensorType() as typ):
                if whole is None:
                    return None
                window = TensorType(typ.scalar, (), window=True)
                return retype_window(WindowExpr(name, whole, type=window, span=node.span))
            case Read(idx=idx) | Assign(idx=idx) | Reduce(idx=idx):
                return update(use, idx=entries(idx))
            case WindowExpr(idx=idx):
                return retype_window(update(use, idx=entries(idx)))
            case StrideExpr(dim=dim):
                return update(use, dim=stride(dim))

    return edit.rewrite_exprs(scope, rule, {name})
