"""Which names code may write, through windows and callees too."""

from __future__ import annotations

from usl_core.ir import nodes as ir
from usl_core.ir.memo import per_node
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import walk_stmts


@per_node
def written_formals(proc: ir.Proc) -> frozenset[Sym]:
    """The data formals of proc that its body may assign or reduce."""
    names = written_names(proc.body)
    return frozenset(arg.name for arg in proc.args if arg.name in names)


def written_names(block: ir.Block) -> frozenset[Sym]:
    """Every buffer, scalar and window that block may modify; writing through a window counts for what it looks at."""
    names: set[Sym] = set()
    views: list[tuple[Sym, Sym]] = []
    for stmt in walk_stmts(block):
        match stmt:
            case ir.Assign(name=name) | ir.Reduce(name=name):
                names.add(name)
            case ir.Call(proc=callee, args=args):
                outputs = written_formals(callee)
                for formal, arg in zip(callee.args, args, strict=True):
                    if formal.name in outputs and isinstance(arg, ir.Read | ir.WindowExpr):
                        names.add(arg.name)
            case ir.WindowStmt(name=name, rhs=rhs):
                views.append((name, rhs.name))
            case ir.AssignConfig() | ir.Pass() | ir.Check() | ir.If() | ir.For() | ir.Alloc():
                pass
    for view, base in reversed(views):  # a view of a view is bound later
        if view in names:
            names.add(base)
    return frozenset(names)
