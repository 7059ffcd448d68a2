"""What every operator must hold to where configuration fields are in play.

Fields are locations of the store, so that moving, repeating and removing statements is judged by their effects like any other.
What effects do not see is where an operator evaluates a control expression anew: the bounds of a loop that it splits, the
condition of an `if` that it copies, an index. Such expressions must not read a field that the procedure writes
(docs/semantics.md, "time of evaluation"); the shapes of buffers and windows read no field at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from usl_core.analysis.fields_used import field_use
from usl_core.ir.nodes import Alloc, Assign, Block, Expr, For, If, Interval, Proc, Read, ReadConfig, Reduce, WindowExpr
from usl_core.ir.traverse import walk, walk_block
from usl_core.ir.types import TensorType


def unsteady_control(proc: Proc) -> ReadConfig | None:
    """A read of a field that proc writes, in a loop's bounds, a condition or an index; None if there is none."""
    written = field_use(proc).written
    if not written:
        return None
    for expr in _control(proc.body):
        for node in walk(expr):
            if isinstance(node, ReadConfig) and node.config.sym(node.field) in written:
                return node
    return None


def shape_that_reads(proc: Proc) -> ReadConfig | None:
    """A read of a field in the extents of a buffer or the bounds of a window; None if there is none."""
    if not field_use(proc).all:
        return None
    for expr in _shapes(proc.body):
        for node in walk(expr):
            if isinstance(node, ReadConfig):
                return node
    return None


def _control(block: Block) -> Iterator[Expr]:
    """The control expressions that say which statements run and where they reach; those of arguments are the callee's."""
    for node in walk_block(block):
        match node:
            case For(lo=lo, hi=hi):
                yield lo
                yield hi
            case If(cond=cond):
                yield cond
            case Read(idx=idx) | Assign(idx=idx) | Reduce(idx=idx):
                yield from idx
            case _:
                pass


def _shapes(block: Block) -> Iterator[Expr]:
    for node in walk_block(block):
        match node:
            case Alloc(type=TensorType(shape=shape)):
                yield from shape
            case WindowExpr(idx=idx):
                for entry in idx:
                    if isinstance(entry, Interval):
                        yield entry.lo
                        yield entry.hi
                    else:
                        yield entry
            case _:
                pass
