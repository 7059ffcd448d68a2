"""reuse_buffer: one buffer takes the place of another."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.formula import Formula
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, Path, block_of, stmts
from usl_core.equivalence import Relation
from usl_core.ir.nodes import Alloc
from usl_core.ir.sym import Sym
from usl_core.ir.types import scalar_of
from usl_core.primitives.base import edit_of, primitive, refuse, require, require_proved
from usl_core.primitives.buffers.layout import scope_of
from usl_core.primitives.buffers.lifetimes import Clash, clash, events, own_iterations
from usl_core.primitives.buffers.races import require_own_elements
from usl_core.primitives.buffers.uses import renamed
from usl_core.primitives.declared import with_declared_types
from usl_core.primitives.locate import Where, alloc_at, context_at
from usl_core.procedure import Procedure


@primitive(Relation.REFINES)
def reuse_buffer(proc: Procedure, a: Where, b: Where) -> Edit:
    """Use the local buffer a wherever b is used, and drop b.

        a: T[n]              a: T[n]
        s1           ~>      s1
        b: T[n]
        s2                   s2[b -> a]

    What was uninitialised in b may then be an older value of a.

    Raises:
        SchedulingError: a and b differ in type, shape or memory; b is not allocated in the scope of a; a value of a is written
        before and read after a write of b in the same element, in the same or another iteration of the loops around, or
        the other way round; iterations of a parallel loop would share elements.
    Forwarding: a cursor to the allocation of b becomes invalid; everything else stays with the same code.
    Also known as: storage reuse, buffer sharing.
    """
    path, kept = alloc_at(proc, a)
    gone_path, gone = alloc_at(proc, b)

    require(kept is not gone, f"two different buffers are wanted, got {kept.name.name} twice", kept.span)
    _require_scope(proc, path, kept, gone_path, gone)
    _require_same_type(proc, gone_path, kept, gone)
    _require_dead(proc, path, kept, gone)

    edit = edit_of(proc).rewrite_exprs(
        scope_of(proc.ir, gone_path), lambda node: renamed(node, gone.name, kept.name), {gone.name}
    )
    edit = with_declared_types(edit.delete(NodeLoc(gone_path)))
    require_own_elements(edit, kept.name, gone.span)
    return edit


def _require_scope(proc: Procedure, path: Path, kept: Alloc, gone_path: Path, gone: Alloc) -> None:
    scope = scope_of(proc.ir, path)
    depth = len(scope.parent)
    inside = gone_path[:depth] == scope.parent and gone_path[depth][0] == scope.field
    position = gone_path[depth][1] if inside else None
    if position is None or not block_of(path).lo < position < scope.hi:
        message = f"{gone.name.name} is not allocated in the scope of {kept.name.name}, after it"
        hint = "hint: lift_alloc or reorder_stmts brings the allocations into that order"
        refuse(message, gone.span, [hint], code="E416")


def _require_same_type(proc: Procedure, gone_path: Path, kept: Alloc, gone: Alloc) -> None:
    names = f"{kept.name.name} and {gone.name.name}"
    ours, theirs = scalar_of(kept.type), scalar_of(gone.type)
    require(ours == theirs, f"{names} have elements of different types, {ours} and {theirs}", gone.span, code="E458")
    if kept.mem is not gone.mem:
        message = f"{names} live in different memories, {kept.mem.name} and {gone.mem.name}"
        refuse(message, gone.span, ["hint: set_memory"], code="E459")
    ctx = context_at(proc, gone_path).after(gone)
    shape, wanted = ctx.scope.shape(kept.name), ctx.scope.shape(gone.name)
    message = f"{names} have different numbers of dimensions, {len(shape)} and {len(wanted)}"
    require(len(shape) == len(wanted), message, gone.span, code="E458")
    for dim, (x, y) in enumerate(zip(shape, wanted, strict=True)):
        message = f"cannot prove that {names} have the same extent in dimension {dim}"
        require_proved(ctx, fml.eq(x - y), message, gone.span, values=(x, y))


def _require_dead(proc: Procedure, path: Path, kept: Alloc, gone: Alloc) -> None:
    """No value of either is overwritten by one of the other while it is needed."""
    ctx, block = context_at(proc, path), stmts(proc.ir, scope_of(proc.ir, path))
    ours, theirs = events(ctx, block, kept.name), events(ctx, block, gone.name)
    found = clash(ctx.facts, ours, theirs, _same_element, own_iterations(ctx, block, kept.name))
    _refuse_clash(found, kept.name, gone.name)
    found = clash(ctx.facts, theirs, ours, _same_element, own_iterations(ctx, block, gone.name))
    _refuse_clash(found, gone.name, kept.name)


def _refuse_clash(found: Clash | None, needed: Sym, other: Sym) -> None:
    if found is not None:
        message = f"a value of {needed.name} is needed after {other.name} is written in the same element"
        refuse(message, found.over.node.span, found.notes(), code="E417")


def _same_element(one: tuple[Lin, ...], other: tuple[Lin, ...]) -> Sequence[Sequence[Formula]]:
    return [[fml.eq(a - b) for a, b in zip(one, other, strict=True)]]
