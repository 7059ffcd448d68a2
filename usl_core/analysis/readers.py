"""What must be proved again where configuration fields are written otherwise: whatever reads them, anywhere later.

What else is proved does not depend on what these fields hold: the iterators and sizes that reach an unchanged statement are
decided by the loops, branches and checks around and before it, and those are proved again, with all inside, if they read such
a field. The argument is in docs/soundness.md, "Configuration".
"""

from __future__ import annotations

from collections.abc import Iterator

from usl_core.analysis.context import Context
from usl_core.analysis.fields_used import field_use
from usl_core.analysis.obligations import argument_values, check_block, check_preconditions, check_stmt
from usl_core.ir.config import FieldSym
from usl_core.ir.memo import per_node
from usl_core.ir.nodes import Block, Call, Check, For, If, Node, Proc, ReadConfig, SimpleStmt, Stmt
from usl_core.ir.traverse import walk_block


def written_otherwise(old_region: Block, new_region: Block, old: Proc, new: Proc) -> frozenset[FieldSym]:
    """The fields that may hold something else after one region of a procedure was replaced: those written in it, and those that
    are written depending on such fields."""
    found = frozenset(f for stmt in (*old_region, *new_region) for f in field_use(stmt).written)
    if not found:
        return found
    writes = [*_writes(old.body), *_writes(new.body)]
    while True:
        dependent = {f for read, written in writes if not read.isdisjoint(found) for f in written}
        if dependent <= found:
            return found
        found |= dependent


def _writes(
    block: Block, around: frozenset[FieldSym] = frozenset()
) -> Iterator[tuple[frozenset[FieldSym], frozenset[FieldSym]]]:
    """For each statement that writes fields, those that decide what it writes, and what it writes."""
    for stmt in block:
        use = field_use(stmt)
        if not use.written:
            continue
        match stmt:
            case For(body=body):
                yield from _writes(body, around | _head_reads(stmt))
            case If(body=body, orelse=orelse):
                yield from _writes((*body, *orelse), around | _head_reads(stmt))
            case SimpleStmt():
                yield around | use.read, use.written


def check_readers(ctx: Context, block: Block, fields: frozenset[FieldSym]) -> None:
    """Prove the obligations again of what reads one of fields, in a block where all others are proved already."""
    for position, stmt in enumerate(block):
        if fields.isdisjoint(field_use(stmt).read):
            pass
        elif isinstance(stmt, For | If) and fields.isdisjoint(_head_reads(stmt)):
            check_readers(ctx.enter(stmt, "body"), stmt.body, fields)
            if isinstance(stmt, If):
                check_readers(ctx.enter(stmt, "orelse"), stmt.orelse, fields)
        elif isinstance(stmt, Call) and fields.isdisjoint(_reads(stmt.args)):
            preds = [pred for pred in stmt.proc.preds if not fields.isdisjoint(_reads((pred,)))]
            if preds:
                check_preconditions(ctx, stmt, preds, argument_values(ctx, stmt))
        else:
            check_stmt(ctx, stmt)
        ctx = ctx.after(stmt)
        if not fields.isdisjoint(_checked(stmt)):  # what follows was proved with what a check said of them
            check_block(ctx, block[position + 1 :])
            return


@per_node
def _head_reads(stmt: For | If) -> frozenset[FieldSym]:
    """The fields that the head of a loop or branch reads."""
    return _reads((stmt.lo, stmt.hi) if isinstance(stmt, For) else (stmt.cond,))


def _reads(exprs: tuple[Node, ...]) -> frozenset[FieldSym]:
    return frozenset(node.config.sym(node.field) for node in walk_block(exprs) if isinstance(node, ReadConfig))


def _checked(stmt: Stmt) -> frozenset[FieldSym]:
    """The fields that a `check` reads."""
    return field_use(stmt).read if isinstance(stmt, Check) else frozenset()
