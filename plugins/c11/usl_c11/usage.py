"""What a procedure does with its names: which formals it may write, which buffers it reads, which calls it makes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from weakref import WeakKeyDictionary

from usl_core.ir.config import FieldSym
from usl_core.ir.nodes import (
    Arg,
    Assign,
    AssignConfig,
    Block,
    Call,
    Expr,
    Literal,
    Node,
    Proc,
    Read,
    ReadConfig,
    Reduce,
    Stmt,
    WindowExpr,
    WindowStmt,
)
from usl_core.ir.signature import may_mention, walk_kinds
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import names_used, walk
from usl_core.ir.types import ControlType

_written: WeakKeyDictionary[Proc, frozenset[int]] = WeakKeyDictionary()


def is_data(arg: Arg) -> bool:
    return not isinstance(arg.type, ControlType)


def callees(proc: Proc) -> Iterator[Call]:
    for stmt in proc.body:
        yield from walk_kinds(stmt, Call)


def callees_first(procs: Iterable[Proc]) -> tuple[Proc, ...]:
    """procs and everything they call, each once, callees before callers, otherwise in order of first mention."""
    done: dict[Proc, None] = {}

    def visit(proc: Proc) -> None:
        if proc in done:
            return
        for call in callees(proc):
            visit(call.proc)
        done.setdefault(proc)

    for proc in procs:
        visit(proc)
    return tuple(done)


def readable_fields(nodes: Iterable[Node]) -> Iterator[FieldSym]:
    """The configuration fields that nodes mention and that C may read back, in order; callees are not looked into."""
    for root in nodes:
        for node in walk_kinds(root, ReadConfig, AssignConfig):
            if isinstance(node, ReadConfig | AssignConfig) and node.config.fields[node.field].readable:
                yield node.config.sym(node.field)


def argument_name(actual: Expr) -> Sym | None:
    """The buffer or scalar that an actual data argument names; None for a literal."""
    match actual:
        case Read(name=name) | WindowExpr(name=name):
            return name
        case Literal():
            return None
        case _:
            raise AssertionError(f"not an actual data argument: {actual}")


def written_formals(proc: Proc) -> frozenset[int]:
    """Positions of the formals that proc may modify, through its calls and windows too."""
    known = _written.get(proc)
    if known is None:
        names = written_names(proc.body)
        known = frozenset(position for position, arg in enumerate(proc.args) if arg.name in names)
        _written[proc] = known
    return known


def written_names(block: Block) -> frozenset[Sym]:
    """Every buffer, scalar and window that block may modify; writing through a window counts for what it looks at."""
    names: set[Sym] = set()
    views: list[tuple[Sym, Sym]] = []
    for stmt in block:
        for node in walk_kinds(stmt, Assign, Reduce, Call, WindowStmt):
            match node:
                case Assign(name=name) | Reduce(name=name):
                    names.add(name)
                case Call(proc=callee, args=args):
                    names.update(_written_by_call(callee, args))
                case WindowStmt(name=name, rhs=rhs):
                    views.append((name, rhs.name))
                case _:
                    pass
    for view, base in reversed(views):  # a view of a view is bound later
        if view in names:
            names.add(base)
    return frozenset(names)


def _written_by_call(callee: Proc, args: Sequence[Expr]) -> Iterator[Sym]:
    for position in written_formals(callee):
        name = argument_name(args[position])
        if name is not None:
            yield name


def mentions(stmt: Stmt, name: Sym) -> bool:
    """Whether stmt, or anything in it, names a buffer or scalar."""
    return may_mention({name})(stmt) and any(getattr(node, "name", None) is name for node in walk(stmt))


def first_use_assigns(name: Sym, rest: Sequence[Stmt]) -> bool:
    """Whether the first statement of rest that mentions name is an assignment to it that does not read it."""
    for stmt in rest:
        if mentions(stmt, name):
            return isinstance(stmt, Assign) and stmt.name is name and name not in names_used(stmt.rhs)
    return True
