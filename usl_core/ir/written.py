"""Which formals a procedure may write, through windows and callees too."""

from __future__ import annotations

from usl_core.ir.memo import per_node
from usl_core.ir.nodes import Assign, Call, Proc, Read, Reduce, WindowExpr, WindowStmt
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import walk_block


@per_node
def written_formals(proc: Proc) -> frozenset[Sym]:
    """The data formals of proc that its body may assign or reduce."""
    base: dict[Sym, Sym] = {}
    written: set[Sym] = set()
    for node in walk_block(proc.body):
        match node:
            case WindowStmt(name=name, rhs=window):
                base[name] = base.get(window.name, window.name)
            case Assign(name=name) | Reduce(name=name):
                written.add(base.get(name, name))
            case Call(proc=callee, args=args):
                outputs = written_formals(callee)
                for formal, arg in zip(callee.args, args, strict=True):
                    if formal.name in outputs and isinstance(arg, (Read, WindowExpr)):
                        written.add(base.get(arg.name, arg.name))
            case _:
                pass
    return frozenset(arg.name for arg in proc.args if arg.name in written)
