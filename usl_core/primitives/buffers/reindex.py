"""Other indices and another shape for a local buffer, at all its uses."""

from __future__ import annotations

from collections.abc import Callable

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import BlockLoc, NodeLoc, Path, block_of, stmts
from usl_core.ir.nodes import Alloc, Assign, Expr, Interval, Node, Proc, Read, Reduce, StrideExpr, WindowExpr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import retype_window, update, use_of
from usl_core.ir.types import ScalarType, TensorType
from usl_core.primitives.buffers.uses import Use, rest_of_block, uses_in

Entries = tuple[Expr | Interval, ...]


def scope_of(proc: Proc, path: Path) -> BlockLoc:
    """The allocation at path and everything after it in its block."""
    own = block_of(path)
    rest = rest_of_block(proc, path)
    return BlockLoc(own.parent, own.field, own.lo, rest.hi if rest is not None else own.hi)


def uses_of_alloc(proc: Proc, path: Path) -> list[Use]:
    """Every use of the buffer that the statement at path allocates."""
    (alloc, *_) = stmts(proc, block_of(path))
    assert isinstance(alloc, Alloc)
    return uses_in(proc, scope_of(proc, path), alloc.name)


def set_type(edit: Edit, path: Path, typ: ScalarType | TensorType) -> Edit:
    """The allocation at path, with another type."""
    return edit.update(NodeLoc(path), type=typ)


def reindexed(
    edit: Edit,
    path: Path,
    name: Sym,
    entries: Callable[[Entries], Entries],
    stride: Callable[[int], int],
    whole: Entries | None = None,
) -> Edit:
    """The uses of the buffer allocated at path with indices mapped by entries, and dimensions in `stride(x, d)` by stride.

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

    return edit.rewrite_exprs(scope_of(edit.origin, path), rule, {name})
