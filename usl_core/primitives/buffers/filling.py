"""Statements that fill a local buffer element by element: a formula for each element, and which elements have one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.context import Context
from usl_core.analysis.lower import index_lin
from usl_core.analysis.raise_ import from_lin
from usl_core.cursors.path import BlockLoc, Path, stmt_path, stmts
from usl_core.ir import make
from usl_core.ir import nodes as ir
from usl_core.ir.externs import IDX
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import depends_on_data, free_names, same_expr, substitute, walk, walk_stmts
from usl_core.ir.types import BOOL
from usl_core.primitives.base import refuse, require
from usl_core.primitives.locate import context_at
from usl_core.primitives.moving import effect
from usl_core.procedure import Procedure
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class Fork:
    """A value that depends on a condition."""

    cond: ir.Expr
    then: Value
    other: Value


Value = ir.Expr | Fork


@dataclass(frozen=True, slots=True)
class Filling:
    """What fills a buffer: loops, and in them an assignment, or an `if` with such to the same place in its branches."""

    path: Path
    position: int
    """That of the statement in its block."""
    loops: tuple[ir.For, ...]
    choice: ir.Stmt
    target: ir.Assign
    """One of the assignments; all have its indices."""
    iterators: Mapping[Sym, tuple[int, int, int, int, Lin]]
    """For each iterator that the indices determine: with `(dim, sign, modulus, divisor, rest)` it is
    `(sign * (index[dim] - rest)) % modulus / divisor`; modulus 0 stands for none."""

    def _env(self, idx: Sequence[ir.Expr]) -> dict[Sym, ir.Expr]:
        """The iterators at the element with indices idx."""
        found: dict[Sym, ir.Expr] = {}
        for name, (dim, sign, modulus, divisor, rest) in self.iterators.items():
            if not depends_on_data(idx[dim]):
                form = (index_lin(idx[dim]) - rest).scale(sign)
                form = affine.remainder(form, modulus) if modulus else form
                found[name] = from_lin(affine.quotient(form, divisor), idx[dim].span)
                continue
            index = make.sub(idx[dim], from_lin(rest, idx[dim].span))
            index = index if sign > 0 else make.neg(index)
            index = make.mod(index, modulus) if modulus else index
            found[name] = make.quot(index, divisor)
        return found

    def value(self, idx: Sequence[ir.Expr], otherwise: Callable[[], Value]) -> Value:
        """The formula of the element with indices idx; otherwise gives what stands where no branch assigns.

        Raises:
            SchedulingError: an iterator, which depends on data for these indices, stands in it where only control values may.
        """
        env = self._env(idx)

        def at(expr: ir.Expr) -> ir.Expr:
            new = substitute(expr, env)
            if any(map(depends_on_data, idx)) and _misplaces_data(new):
                message = f"{show_expr(expr)} cannot be evaluated for an element that data choose: `idx` may not stand there"
                refuse(message, expr.span.or_else(self.target.span), code="E454")
            return new

        def of(block: ir.Block) -> Value:
            for stmt in block:
                if isinstance(stmt, ir.If):
                    return Fork(at(stmt.cond), of(stmt.body), of(stmt.orelse))
                if isinstance(stmt, ir.Assign):
                    return at(stmt.rhs)
            return otherwise()

        return of((self.choice,))

    def reached(self, idx: Sequence[ir.Expr]) -> list[ir.Expr]:
        """Conditions that hold together only if an iteration has the element with indices idx as its place."""
        env = self._env(idx)
        found: list[ir.Expr] = []
        for dim, (index, there) in enumerate(zip(idx, self.target.idx, strict=True)):
            if any(at == dim and not modulus and divisor == 1 for at, _, modulus, divisor, _ in self.iterators.values()):
                continue  # whatever the index is
            found.append(ir.bool_literal(False) if depends_on_data(index) else _compared(index, "==", substitute(there, env)))
        for loop in self.loops:
            low, high = substitute(loop.lo, env), substitute(loop.hi, env)
            value = env.get(loop.iter, low)
            found += [_compared(low, "<=", value)] if value is not low else []
            found.append(_compared(value, "<", high))
        return found

    def is_exact(self) -> bool:
        """Whether an iteration has the element as its place only if the conditions of `reached` hold."""
        heads = [*self.target.idx, *(limit for loop in self.loops for limit in (loop.lo, loop.hi))]
        names = frozenset[Sym]().union(*map(free_names, heads))
        return all(loop.iter in self.iterators for loop in self.loops if loop.iter in names)

    def may_stop(self) -> bool:
        """Whether evaluating the formula may stop the program, where data that decides is uninitialised."""
        return any(map(depends_on_data, _decisions(self.choice)))


def _misplaces_data(expr: ir.Expr) -> bool:
    """Whether `idx` stands in a control condition, or in the limits of another."""
    for node in walk(expr):
        limits = node.args[1:] if isinstance(node, ir.ExternCall) and node.fn is IDX else ()
        if any(map(depends_on_data, limits)) or (isinstance(node, ir.BinaryOp) and node.type is BOOL and depends_on_data(node)):
            return True
    return False


def _compared(lhs: ir.Expr, op: str, rhs: ir.Expr) -> ir.Expr:
    """A comparison of two index expressions, without what they have in common and with no sign where that can be."""
    if depends_on_data(lhs) or depends_on_data(rhs):
        return make.compare(op, lhs, rhs)
    form = index_lin(rhs) - index_lin(lhs)
    right = Lin(max(form.const, 0), {atom: c for atom, c in form.terms.items() if c > 0})
    return make.compare(op, from_lin(right - form), from_lin(right))


def _decisions(choice: ir.Stmt) -> Iterator[ir.Node]:
    """The conditions and right sides of a formula."""
    for stmt in walk_stmts((choice,)):
        if isinstance(stmt, ir.If):
            yield stmt.cond
        elif isinstance(stmt, ir.Assign):
            yield stmt.rhs


# ---- finding them


def fillings(proc: Procedure, rest: BlockLoc, name: Sym) -> list[Filling]:
    """The statements of rest that write the buffer, in order.

    Raises:
        SchedulingError: one of them does not give each place that it assigns one formula.
    """
    found: list[Filling] = []
    ctx = context_at(proc, stmt_path(rest, 0))
    for offset, stmt in enumerate(stmts(proc.ir, rest)):
        if any(a.buffer is name and a.modifies for a in effect(ctx, (stmt,)).accesses):
            found.append(_filling(ctx, stmt_path(rest, offset), rest.lo + offset, stmt, name))
        ctx = ctx.after(stmt)
    return found


def _filling(ctx: Context, path: Path, position: int, nest: ir.Stmt, name: Sym) -> Filling:
    loops, choice, inside = _nest(ctx, nest)
    target = _target(choice, name)
    reads = next((node for node in walk(choice) if isinstance(node, ir.Read) and node.name is name), None)
    require(reads is None, f"the code that fills {name.name} reads it", nest.span, code="E454")
    iterators = _solved(inside, loops, target)
    needed = frozenset[Sym]().union(*(free_names(each) for each in _decisions(choice)))
    for loop in loops:
        if loop.iter in needed and loop.iter not in iterators:
            shown = ", ".join(map(show_expr, target.idx))
            refuse(f"the indices {shown} do not determine the iterator {loop.iter.name}", target.span, code="E454")
    return Filling(path, position, loops, choice, target, iterators)


def _nest(ctx: Context, stmt: ir.Stmt) -> tuple[tuple[ir.For, ...], ir.Stmt, Context]:
    """The loops of a nest, outermost first, what is in them, and what is known there."""
    loops: list[ir.For] = []
    while isinstance(stmt, ir.For) and len(body := _without_pass(stmt.body)) == 1:
        loops.append(stmt)
        ctx = ctx.enter(stmt, "body")
        (stmt,) = body
    return tuple(loops), stmt, ctx


def _without_pass(block: ir.Block) -> list[ir.Stmt]:
    return [stmt for stmt in block if not isinstance(stmt, ir.Pass)]


def _target(choice: ir.Stmt, name: Sym) -> ir.Assign:
    """An assignment of choice, all of which are to one place of the buffer, and one at most is executed."""
    leaves = [stmt for stmt in walk_stmts((choice,)) if not isinstance(stmt, ir.If | ir.Pass)]
    target = next((leaf for leaf in leaves if isinstance(leaf, ir.Assign) and leaf.name is name), None)
    for leaf in leaves:
        if isinstance(leaf, ir.Reduce) and leaf.name is name:
            hints = ["hint: a sum has no formula; fuse the loops that make it with those that read it, or compute it in place"]
            refuse(f"{name.name} is filled by a reduction", leaf.span, hints, code="E454")
    for leaf in leaves:
        if not isinstance(leaf, ir.Assign) or target is None or not _to_place_of(leaf, target):
            hints = ["hint: fission makes a nest of each assignment"]
            refuse(f"a nest that fills {name.name} does more than assign to one place", leaf.span, hints, code="E454")
    blocks = [part for stmt in walk_stmts((choice,)) if isinstance(stmt, ir.If) for part in (stmt.body, stmt.orelse)]
    for second in (stmt for block in blocks for stmt in _without_pass(block)[1:]):
        refuse(f"a place of {name.name} is assigned more than once", second.span, ["hint: merge_writes"], code="E454")
    assert target is not None
    return target


def _to_place_of(leaf: ir.Assign, target: ir.Assign) -> bool:
    return leaf.name is target.name and all(map(same_expr, leaf.idx, target.idx))


def _solved(ctx: Context, loops: Sequence[ir.For], target: ir.Assign) -> dict[Sym, tuple[int, int, int, int, Lin]]:
    """How indices give the iterators back; those of a dimension where that is not possible are left out."""
    names = {loop.iter for loop in loops}
    found: dict[Sym, tuple[int, int, int, int, Lin]] = {}
    for dim, index in enumerate(target.idx):
        if depends_on_data(index):
            continue
        form = index_lin(index)
        parts = {name: c for name in names if (c := form.terms.get(name, 0))}
        rest = form - sum((affine.var(name).scale(c) for name, c in parts.items()), affine.const(0))
        if names & set(affine.syms(rest)):
            continue
        if len(parts) == 1:
            ((name, c),) = parts.items()
            found.setdefault(name, (dim, 1 if c > 0 else -1, 0, abs(c), rest))
        elif parts and all(c > 0 for c in parts.values()):
            for name, place in _digits(ctx, parts).items():
                found.setdefault(name, (dim, 1, *place, rest))
    return found


def _digits(ctx: Context, parts: Mapping[Sym, int]) -> dict[Sym, tuple[int, int]]:
    """The modulus and the divisor for each iterator in a sum like `16 * a + 4 * b + c`; nothing for other sums."""
    ordered = sorted(parts.items(), key=lambda part: part[1])
    found: dict[Sym, tuple[int, int]] = {}
    lower = affine.const(0)
    for position, (name, c) in enumerate(ordered):
        following = ordered[position + 1][1] if position + 1 < len(ordered) else 0
        lower = lower + affine.var(name).scale(c)
        if following and (
            any(higher % following for _, higher in ordered[position + 1 :])
            or not ctx.holds(fml.and_([fml.ge(lower), fml.lt(lower, affine.const(following))]))
        ):
            return {}
        found[name] = (following, c)
    return found
