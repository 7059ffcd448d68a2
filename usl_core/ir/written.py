"""Which names code may write, through windows and callees too."""

from __future__ import annotations

from usl_core.ir.memo import per_node
from usl_core.ir.nodes import (
    Alloc,
    Assign,
    AssignConfig,
    Block,
    Call,
    Check,
    For,
    If,
    Pass,
    Proc,
    Read,
    Reduce,
    WindowExpr,
    WindowStmt,
)
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import walk_stmts


@per_node
def written_formals(proc: Proc) -> frozenset[Sym]:
    """The data formals of proc that its body may assign or reduce."""
    names = written_names(proc.body)
    return frozenset(arg.name for arg in proc.args if arg.name in names)


def written_names(block: Block) -> frozenset[Sym]:
    """Every buffer, scalar and window that block may modify; writing through a window counts for what it looks at."""
    names: set[Sym] = set()
    views: list[tuple[Sym, Sym]] = []
    for stmt in walk_stmts(block):
        match stmt:
            case Assign(name=name) | Reduce(name=name):
                names.add(name)
            case Call(proc=callee, args=args):
                outputs = written_formals(callee)
                for formal, arg in zip(callee.args, args, strict=True):
                    if formal.name in outputs and isinstance(arg, Read | WindowExpr):
                        names.add(arg.name)
            case WindowStmt(name=name, rhs=rhs):
                views.append((name, rhs.name))
            case AssignConfig() | Pass() | Check() | If() | For() | Alloc():
                pass
    for view, base in reversed(views):  # a view of a view is bound later
        if view in names:
            names.add(base)
    return frozenset(names)
