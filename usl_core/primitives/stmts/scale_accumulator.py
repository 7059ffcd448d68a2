"""scale_accumulator: a local buffer holds a multiple of what it held, by a factor that changes on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from itertools import chain

from usl_core.analysis.values import Values
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import BlockLoc, GapLoc, NodeLoc, Path, after, before, stmt_list, stmt_path
from usl_core.equivalence import Relation
from usl_core.ir.externs import EXP, MAX, MIN
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import (
    Alloc,
    Assign,
    AssignConfig,
    BinaryOp,
    Block,
    Call,
    Cast,
    Check,
    Expr,
    ExternCall,
    For,
    If,
    Literal,
    LoopMode,
    Node,
    Pass,
    Read,
    ReadConfig,
    Reduce,
    Stmt,
    StrideExpr,
    UnaryMinus,
    WindowExpr,
    WindowStmt,
    index_literal,
    index_read,
)
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import children, depends_on_data, free_names, mentioned, rename, rewrite, walk
from usl_core.ir.types import ScalarType, TensorType, scalar_of
from usl_core.primitives.base import edit_of, primitive, refuse, require
from usl_core.primitives.exprs.kept import forward_kept
from usl_core.primitives.locate import Expression, Where, alloc_at, context_at, expression
from usl_core.primitives.stmts.locations import Write
from usl_core.procedure import Procedure
from usl_core.records import dataclass


@primitive(Relation.REFINES)
def scale_accumulator(proc: Procedure, buf: Where, factor: Expression) -> Edit:
    """Let a local buffer hold factor times what it held, `scale_accumulator(p, "s", "exp(-m)")`.

        s = 0.0                          s = 0.0 * exp(-m)
        for i in seq(0, n):              for i in seq(0, n):
            m @= max(x[i])       ~>          m_old = m
                                             m @= max(x[i])
                                             s *= exp(-m) / exp(-m_old)
            s += exp(x[i])                   s += exp(x[i]) * exp(-m)
        t = exp(-m) * s                  t = exp(-m) * (s / exp(-m))

    At all times the buffer holds the factor, as it is then, times what it held before. What is assigned and added is
    multiplied by it, `*=` stays, reads are divided by it, and after each statement that changes the factor all of the buffer
    is brought up to date. `rewrite_expr` then combines exponentials: `exp(m_old - m)`, `exp(x[i] - m)`, and the last line is
    `t = s`. The factor is a product or quotient of exponentials and numbers other than 0, so that it is never 0 itself. What it
    reads are scalars, which change by reductions only while the buffer is in use. Over the reals, as all algebra of floats:
    in floating arithmetic the factor must not overflow.

    Raises:
        SchedulingError: the factor has another form, or reads the buffer or what may have changed otherwise than by a built-in
        reduction; the buffer is of integers, passed on, or made a window of; it is read where the factor is not (which may
        have no value); the factor changes in a parallel loop that uses the buffer, or by a statement that uses it.
    Forwarding: everything stays itself; right sides go to what is multiplied there, reads to what is divided.
    Also known as: a change of variables; with the running maximum it is the step to online softmax (Milakov and Gimelshein
    2018) and one-pass attention (Rabe and Staats 2021; Dao et al. 2022).
    """
    path, alloc = alloc_at(proc, buf)
    block, position = stmt_list(proc.ir, path[:-1], path[-1][0]), path[-1][1]
    assert position is not None
    uses = [at for at in range(position + 1, len(block)) if alloc.name in mentioned(block[at])]
    require(bool(uses), f"{alloc.name.name} is not used", alloc.span, code="E451")
    scope = BlockLoc(path[:-1], path[-1][0], uses[0], uses[-1] + 1)

    typ = scalar_of(alloc.type)
    require(typ.is_real, f"{alloc.name.name} holds integers, of which not all have a quotient", alloc.span)
    scale = expression(proc, stmt_path(scope, 0), factor, typ)
    _require_never_zero(scale)
    names = free_names(scale)
    if alloc.name in names:
        refuse(f"the factor reads {alloc.name.name} itself", alloc.span, code="E454")

    found = _Scaling(proc, alloc, typ, scale, names)
    found.block(scope.parent, scope.field, block, range(scope.lo, scope.hi))
    edit = edit_of(proc)
    for at, (old, new) in found.values.items():
        edit = edit.replace_expr(NodeLoc(at), new)
        edit = forward_kept(edit, at, old, at, new)
    return edit.splice_many(found.inserted)


# ---- check


def _require_never_zero(expr: Expr) -> None:
    """A product or quotient of exponentials and numbers, total, whose parts are made of scalars."""
    match expr:
        case BinaryOp(op="*" | "/", lhs=lhs, rhs=rhs):
            _require_never_zero(lhs)
            _require_never_zero(rhs)
        case Literal(value=value) if value:
            pass
        case ExternCall(fn=fn, args=(arg,)) if fn is EXP:
            for node in walk(arg):
                if not _is_total(node):
                    message = f"the exponent {show_expr(arg)} has more than sums, products, min and max of scalars and numbers"
                    refuse(message, expr.span, code="E404")
        case (
            Read() | Literal() | UnaryMinus() | BinaryOp() | ExternCall() | Cast() | ReadConfig() | StrideExpr() | WindowExpr()
        ):
            hint = "hint: a factor such as exp(-m), or a product of such and numbers other than 0"
            refuse(f"{show_expr(expr)} is not known to be other than 0", expr.span, [hint], code="E412")


def _is_total(node: object) -> bool:
    """Whether an operation has a value whenever its operands have, and none without."""
    if isinstance(node, ExternCall):
        return node.fn in (EXP, MIN, MAX)
    is_sum = isinstance(node, Literal | UnaryMinus) or (isinstance(node, BinaryOp) and node.op in ("+", "-", "*"))
    is_sum = is_sum or (isinstance(node, Read) and not node.idx)
    return is_sum and isinstance(getattr(node, "type", None), ScalarType)


@dataclass
class _Scaling:
    """What becomes of the statements that use a buffer, and of those between that change the factor."""

    proc: Procedure
    alloc: Alloc
    typ: ScalarType
    scale: Expr
    names: frozenset[Sym]
    values: dict[Path, tuple[Expr, Expr]] = field(default_factory=dict)
    inserted: list[tuple[GapLoc, Block]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.alloc.name.name

    def block(self, parent: Path, name: str, block: Block, positions: Iterable[int], *, parallel: bool = False) -> None:
        for position in positions:
            self.stmt((*parent, (name, position)), block[position], parallel=parallel)

    def stmt(self, path: Path, stmt: Stmt, *, parallel: bool) -> None:
        changed = self.changed_by(stmt)
        if self.alloc.name not in mentioned(stmt):
            if changed and parallel:
                message = f"{changed[0].name}, which the factor reads, changes in a parallel loop that uses {self.name}"
                refuse(message, stmt.span, code="E411")
            if changed:
                old = {name: Sym(f"{name.name}_old") for name in changed}
                self.inserted += [(before(path), self.kept(old)), (after(path), (self.updated(old),))]
            return
        match stmt:
            case For(body=body, mode=mode):
                self.block(path, "body", body, range(len(body)), parallel=parallel or mode is LoopMode.PAR)
            case If(cond=cond, body=body, orelse=orelse) if self.alloc.name not in mentioned(cond):
                self.block(path, "body", body, range(len(body)), parallel=parallel)
                self.block(path, "orelse", orelse, range(len(orelse)), parallel=parallel)
            case Assign() | Reduce() if changed:
                refuse(f"the statement uses {self.name} and changes what the factor reads", stmt.span, code="E411")
            case Assign() | Reduce():
                self.write(path, stmt)
            case If() | Call() | WindowStmt() | Alloc() | AssignConfig() | Check() | Pass():
                message = f"{self.name} is used in another way than to assign it, add to it, or compute with it"
                refuse(message, stmt.span, ["hint: inline, inline_window, if_to_select, bind_expr"], code="E450")

    def changed_by(self, stmt: Stmt) -> list[Sym]:
        """The scalars of the factor that a statement changes.

        Each change combines what is there with something, so that a scalar without a value never gets one again: what the
        buffer holds may have none from then on, and no read of it may count (`write`).
        """
        found: list[Sym] = []
        for node in walk(stmt):
            if isinstance(node, Call) and self.names & mentioned(node):
                refuse("a call may change what the factor reads", node.span, ["hint: inline"], code="E450")
            if isinstance(node, Assign | Reduce) and node.name in self.names:
                if not (isinstance(node, Reduce) and isinstance(node.op, str)):
                    message = f"{node.name.name}, which the factor reads, changes here other than by a reduction"
                    refuse(message, node.span, [f"hint: fold_into_reduce, or set it before {self.name} is used"], code="E411")
                found += [node.name] if node.name not in found else []
        return found

    def write(self, path: Path, stmt: Write) -> None:
        """An assignment or reduction that reads the buffer or changes it."""
        own = stmt.name is self.alloc.name
        if any(self.alloc.name in mentioned(each) and depends_on_data(each) for _, each in children(stmt)):
            refuse(f"an index is made of {self.name}", stmt.span, code="E418")
        if not own or (isinstance(stmt, Reduce) and stmt.op == "*"):
            new = self.unscaled(stmt.rhs)
        elif isinstance(stmt, Assign) or stmt.op == "+":
            new = BinaryOp("*", self.unscaled(stmt.rhs), self.scale, type=self.typ, span=stmt.rhs.span)
        else:
            refuse(f"{self.name} is reduced into otherwise than by += and *=", stmt.span, code="E404")
        values = Values(context_at(self.proc, path))
        if not own and not values.leaves(stmt.rhs) >= values.leaves(self.scale):
            message = f"{self.name} is read where not all of {show_expr(self.scale)} is, which may have no value"
            hint = "hint: bring what needs the factor and what reads the buffer into one statement (bind_expr, inline_assign)"
            refuse(message, stmt.span, [hint], code="E453")
        self.values[(*path, ("rhs", None))] = stmt.rhs, new

    def unscaled(self, expr: Expr) -> Expr:
        """expr, with reads of the buffer divided by the factor."""

        def rule(node: Node) -> Node | None:
            if isinstance(node, Read) and node.name is self.alloc.name:
                return BinaryOp("/", node, self.scale, type=self.typ, span=node.span)
            return None

        return rewrite(expr, rule)

    def kept(self, old: Mapping[Sym, Sym]) -> Block:
        """Copies of scalars before they change."""
        copies = ((Alloc(to, self.typ, DRAM), Assign(to, (), Read(name, (), type=self.typ))) for name, to in old.items())
        return tuple(chain.from_iterable(copies))

    def updated(self, old: Mapping[Sym, Sym]) -> Stmt:
        """The buffer multiplied by the factor as it is over what it was."""
        ratio = BinaryOp("/", self.scale, rename(self.scale, old), type=self.typ)
        shape = self.alloc.type.shape if isinstance(self.alloc.type, TensorType) else ()
        iters = [Sym(f"k{axis}" if axis else "k") for axis in range(len(shape))]
        stmt: Stmt = Reduce(self.alloc.name, tuple(map(index_read, iters)), ratio, "*")
        for name, extent in zip(reversed(iters), reversed(shape), strict=True):
            stmt = For(name, index_literal(0), extent, (stmt,))
        return stmt
