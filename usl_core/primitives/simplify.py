"""simplify: constants, shorter index expressions, dead branches, loops that run once or never."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Atom, Lin
from usl_core.analysis.context import Context
from usl_core.analysis.lower import index_lin
from usl_core.analysis.raise_ import from_lin, reduce_lin
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import Loc, NodeLoc, Path
from usl_core.ir import nodes as ir
from usl_core.ir.folding import folded
from usl_core.ir.memo import memo_of, per_node
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import child_nodes, children, depends_on_data, rewrite, same_expr, substitute, update, walk
from usl_core.ir.types import BOOL, COND, INDEX
from usl_core.primitives.base import edit_of, primitive
from usl_core.primitives.declared import with_declared_types
from usl_core.primitives.stmts.idle import without_idle
from usl_core.procedure import Procedure


@primitive()
def simplify(proc: Procedure, *, keep_unit_loops: bool = False) -> Edit:
    """Shorten what can be said shorter.

        for i in seq(0, 1):                       x[2 * n + 3] = 0.0
            if i < n:                     ~>
                x[2 * (n + i) + 3] = 0.0

    Index expressions are brought to linear normal form, with quotients, remainders, minima and maxima decided where what is
    known at the place decides them, and replaced where that makes them shorter. Names and quotients that can only be one number
    there (under `if n == 4`, after `assert (n + 15) / 16 == 2`) are that number, and equations shorten sums (`n - 4 * m` is 0
    under `n == 4 * m`); iterators stay, so that a guarded loop still looks like one. Branches that are never (always) taken go
    (stay), loops that never run go, and so do loops, and branches on control, that do nothing; loops that run once are replaced
    by their body, unless keep_unit_loops is set. Of data, only operations on literals of R and of integers are computed,
    which is exact. The result depends on the procedure only, and simplifying it again changes nothing.

    Raises:
        nothing of its own.
    Forwarding: a cursor to a statement of a loop or branch that is resolved stays with it; those to the loop, to the `if`, and
    to what is removed become invalid.
    """
    plan = _Plan(keep_unit_loops)
    plan.block(Context.of_proc(proc.ir), (), "body", proc.ir.body, learn=True)

    edit = edit_of(proc).replace_exprs(plan.exprs)
    for path, name, value in plan.fixed:
        edit = edit.substitute(NodeLoc(path), {name: value})
    for path, branch in reversed(plan.resolved):
        edit = edit.delete(NodeLoc(path)) if branch is None else edit.unwrap(NodeLoc(path), branch)
    return with_declared_types(without_idle(edit, passes=False))


@dataclass
class _Plan:
    """What to do, all of it found in the original procedure."""

    keep_unit_loops: bool
    exprs: dict[Loc, ir.Expr] = field(default_factory=dict)
    """Expressions to be replaced, none inside another."""
    fixed: list[tuple[Path, Sym, ir.Expr]] = field(default_factory=list)
    """Loops that run once, and the value of their iterators there."""
    resolved: list[tuple[Path, str | None]] = field(default_factory=list)
    """Loops and branches, outer ones first, with the list that takes their place, or None."""
    values: dict[Sym, ir.Expr] = field(default_factory=dict)
    """The values of the iterators in `fixed`."""
    numbers: Mapping[Atom, Lin] = field(default_factory=dict)
    equations: Mapping[Atom, Lin] = field(default_factory=dict)
    """What assertions, branches and checks determine here: numbers, and with them forms of other names."""

    def block(self, ctx: Context, parent: Path, name: str, block: ir.Block, *, learn: bool = False) -> None:
        outside = self.numbers, self.equations
        if learn:
            self.learn(ctx)
        for position, stmt in enumerate(block):
            known = self.known(ctx, stmt)
            if memo_of(stmt).get(simplify) != known:
                planned = self.planned
                self.stmt(ctx, (*parent, (name, position)), stmt)
                if planned == self.planned:  # next time it need not be looked at
                    memo_of(stmt)[simplify] = known
            ctx = ctx.after(stmt)
            if isinstance(stmt, ir.Check):
                self.learn(ctx)
        self.numbers, self.equations = outside

    @property
    def planned(self) -> tuple[int, ...]:
        """How much there is to do so far."""
        return len(self.exprs), len(self.fixed), len(self.resolved)

    def known(self, ctx: Context, stmt: ir.Stmt) -> tuple[object, ...]:
        """All that decides whether there is something to do in stmt."""
        here = ctx.known_to(stmt) if ctx.fields.tracked or has_strides(stmt) else ()
        return self.keep_unit_loops, ctx.facts, self.numbers, self.equations, here

    def learn(self, ctx: Context) -> None:
        """What is determined where ctx holds; of iterators nothing, as instructions match loops by where these stand."""
        loops = {loop.iter for loop in ctx.scope.loops}
        self.numbers, self.equations = (
            {atom: value for atom, value in known.items() if loops.isdisjoint(affine.syms(affine.of_atom(atom)))}
            for known in (ctx.known.numbers, ctx.known.equations)
        )

    def stmt(self, ctx: Context, path: Path, stmt: ir.Stmt) -> None:
        match stmt:
            case ir.For():
                self.loop(ctx, path, stmt)
            case ir.If():
                self.branch(ctx, path, stmt)
            case ir.SimpleStmt():
                for step, child in children(stmt):
                    self.expr(ctx, (*path, step), child, settle=not isinstance(stmt, ir.Check))

    def loop(self, ctx: Context, path: Path, loop: ir.For) -> None:
        trips = ctx.index(loop.hi) - ctx.index(loop.lo)
        if ctx.holds(fml.le(trips, 0)):
            self.resolved.append((path, None))
            return
        if not self.keep_unit_loops and ctx.holds(fml.eq(trips, 1)):
            value = self.index(ctx, loop.lo)
            self.resolved.append((path, "body"))
            self.fixed.append((path, loop.iter, value))
            self.values[loop.iter] = value
        else:
            self.expr(ctx, (*path, ("lo", None)), loop.lo)
            self.expr(ctx, (*path, ("hi", None)), loop.hi)
        self.block(ctx.enter(loop, "body"), path, "body", loop.body)

    def branch(self, ctx: Context, path: Path, stmt: ir.If) -> None:
        taken = _decided(ctx, stmt.cond) if stmt.cond.type is BOOL else None
        if taken is None:
            self.expr(ctx, (*path, ("cond", None)), stmt.cond)
        else:
            kept = "body" if taken else "orelse"
            self.resolved.append((path, kept if taken or stmt.orelse else None))
        for name, block in (("body", stmt.body), ("orelse", stmt.orelse)):
            if taken is None or name == ("body" if taken else "orelse"):
                self.block(ctx.enter(stmt, name), path, name, block, learn=True)

    # -- expressions

    def expr(self, ctx: Context, path: Path, node: ir.Node, *, settle: bool = True) -> None:
        """Plan the replacement of an expression, or of what is inside it; settle decides conditions too."""
        new = self.shorter(ctx, node, settle=settle) if isinstance(node, ir.ExprBase) else None
        if new is not None:
            if not same_expr(new, node):
                self.exprs[NodeLoc(path)] = new
            return
        on_data = isinstance(node, ir.ExprBase) and node.type is COND  # `n > 0 and x[0] < 1.0` keeps its control part as it is
        for step, child in children(node):
            self.expr(ctx, (*path, step), child, settle=settle and not on_data)

    def shorter(self, ctx: Context, expr: ir.Expr, *, settle: bool) -> ir.Expr | None:
        """expr simplified as a whole; None where its parts must be looked at one by one."""
        if expr.type is not INDEX and expr.type is not BOOL:
            return folded(expr)
        if _made_of_data(expr):
            return None
        return self.index(ctx, expr) if expr.type is INDEX else self.condition(ctx, expr, settle=settle)

    def index(self, ctx: Context, expr: ir.Expr) -> ir.Expr:
        """The shortest form found of an index expression; its own unless one is shorter."""
        if isinstance(expr, ir.Literal):
            return expr
        best: ir.Expr = substitute(expr, self.values)
        if isinstance(best, ir.Literal) or (isinstance(best, ir.Read) and best.name not in self.equations):
            return best
        while True:
            lin = index_lin(best)
            forms = dict.fromkeys((lin, *(affine.subst(lin, env) for env in (self.numbers, self.equations) if env)))
            found = [from_lin(reduce_lin(form, ctx.holds), expr.span) for form in forms]
            shortest = min(found, key=_length)
            if _length(shortest) >= _length(best):
                return self.numerators(ctx, best) if _divides(best) else best
            best = shortest

    def numerators(self, ctx: Context, expr: ir.Expr) -> ir.Expr:
        """expr, which is not shorter as a whole, with what it divides shortened."""

        def rule(node: ir.Node) -> ir.Node | None:
            if not (isinstance(node, ir.BinaryOp) and node.op in ("/", "%")):
                return None
            short = self.index(ctx, node.lhs)
            return None if short is node.lhs or same_expr(short, node.lhs) else update(node, lhs=short)

        return rewrite(expr, rule)

    def condition(self, ctx: Context, expr: ir.Expr, *, settle: bool) -> ir.Expr:
        if settle and (value := _decided(ctx, expr)) is not None:
            return ir.bool_literal(value, expr.span)
        match expr:
            case ir.BinaryOp(op="and" | "or" as op, lhs=lhs, rhs=rhs):
                truth = ctx.truth(lhs)
                inner = ctx.assume([truth if op == "and" else fml.not_(truth)])
                left = self.condition(ctx, lhs, settle=settle)
                right = self.condition(inner, rhs, settle=settle)
                return _connected(expr, left, right)
            case ir.BinaryOp(lhs=lhs, rhs=rhs) if lhs.type is not BOOL:
                return update(expr, lhs=self.index(ctx, lhs), rhs=self.index(ctx, rhs))
            case ir.ExprBase():
                return expr


def _connected(expr: ir.BinaryOp, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    """`left and right`, `left or right`, without a side that is decided."""
    neutral = expr.op == "and"
    for side, other in ((left, right), (right, left)):
        if isinstance(side, ir.Literal):
            return other if side.value is neutral else side
    return update(expr, lhs=left, rhs=right)


def _decided(ctx: Context, cond: ir.Expr) -> bool | None:
    """The value of a control condition, where what is known decides it."""
    if isinstance(cond, ir.Literal):
        return bool(cond.value)
    truth = ctx.truth(cond)
    if ctx.holds(truth):
        return True
    return False if ctx.holds(fml.not_(truth)) else None


@per_node
def has_strides(node: ir.Node) -> bool:
    """Whether `stride(...)` occurs in node, whose value depends on what is bound where it stands."""
    return isinstance(node, ir.StrideExpr) or any(map(has_strides, child_nodes(node)))


@per_node
def _made_of_data(expr: ir.Expr) -> bool:
    """Whether a control expression contains data or configuration, which have no linear form of their own."""
    return depends_on_data(expr) or any(isinstance(n, ir.ReadConfig) for n in walk(expr))


@per_node
def _divides(expr: ir.Expr) -> bool:
    """Whether a quotient or remainder is in expr."""
    return any(isinstance(n, ir.BinaryOp) and n.op in ("/", "%") for n in walk(expr))


@per_node
def _length(expr: ir.Expr) -> tuple[int, int]:
    """How long an expression is, quotients and remainders counted double, and how many names are in it."""
    nodes = list(walk(expr))
    return sum(1 + (isinstance(n, ir.BinaryOp) and n.op in ("/", "%")) for n in nodes), sum(
        isinstance(n, ir.Read) for n in nodes
    )
