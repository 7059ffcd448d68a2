"""Which formals a procedure may write, looked up through windows and calls."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from usl_core.ir.nodes import Assign, Call, Proc, Read, Reduce, WindowExpr, WindowStmt
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import walk

_memo: WeakKeyDictionary[Proc, frozenset[int]] = WeakKeyDictionary()


def written_formals(proc: Proc) -> frozenset[int]:
    """Positions of the formals that proc may assign or reduce into, itself or through its callees."""
    found = _memo.get(proc)
    if found is None:
        found = _memo[proc] = _written_formals(proc)
    return found


def _written_formals(proc: Proc) -> frozenset[int]:
    buffer_of: dict[Sym, Sym] = {}
    written: set[Sym] = set()
    for node in walk(proc):
        match node:
            case WindowStmt(name=name, rhs=rhs):
                buffer_of[name] = buffer_of.get(rhs.name, rhs.name)
            case Assign(name=name) | Reduce(name=name):
                written.add(buffer_of.get(name, name))
            case Call(proc=callee, args=args):
                for position in written_formals(callee):
                    arg = args[position]
                    if isinstance(arg, Read | WindowExpr):
                        written.add(buffer_of.get(arg.name, arg.name))
            case _:
                pass
    return frozenset(position for position, arg in enumerate(proc.args) if arg.name in written)
