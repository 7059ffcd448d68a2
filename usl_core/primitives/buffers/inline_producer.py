"""inline_producer: the formula of what a loop nest fills a buffer with takes the place of the buffer's reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.conditions import conflict_between
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Kind
from usl_core.analysis.lower import Lowering, index_lin
from usl_core.analysis.raise_ import from_lin
from usl_core.cursors.edit import Edit, Now
from usl_core.cursors.path import BlockLoc, NodeLoc, Path, get_stmt, stmt_path, stmts
from usl_core.equivalence import Relation
from usl_core.ir import make
from usl_core.ir.nodes import Alloc, Assign, Expr, For, If, Node, Pass, Read, Reduce, Stmt
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import depends_on_data, free_names, rewrite, same_expr, substitute, walk, walk_stmts
from usl_core.primitives.base import edit_of, primitive, refuse, require, require_no, require_proved
from usl_core.primitives.buffers.uses import Use, passed_whole, rest_of_block, uses_in
from usl_core.primitives.locate import Where, alloc_at, context_at
from usl_core.primitives.moving import effect
from usl_core.procedure import Procedure
from usl_core.records import dataclass

_MOST_COPIES = 16


@primitive(Relation.REFINES)
def inline_producer(proc: Procedure, buf: Where) -> Edit:
    """Compute the elements of a local buffer where they are read, and drop the buffer and the loops that fill it.

        x: T[n]
        for i in seq(0, n):          for j in seq(0, m):
            x[i] = a[i] + b[i]   ~>      y[j] = a[j / 2] + b[j / 2]
        for j in seq(0, m):
            y[j] = x[j / 2]

    The buffer is filled by one nest of loops in its own block, with one assignment, or with an `if` and an assignment to the
    same place in each branch; then the statements that read it are put into such an `if`. The indices of the assignment give
    the iterators back: each occurs in one dimension, alone or as in `4 * io + ii`. Elements may be read anywhere afterwards,
    through `idx` and in conditions on data too, and each as often as it is read.

    Raises:
        SchedulingError: the buffer is filled in another way, or reads itself; it is passed to a call, used through a window, or
        before it is filled; what the formula reads may be modified before a use; the formula has a condition or `idx` on
        data and may be evaluated at places that were not filled; a formula out of bounds where it would be read.
    Forwarding: the allocation and the loops are gone; a cursor to a read goes to the formula that takes its place.
    Also known as: compute_inline (Halide, TVM), loop fusion by substitution.
    """
    path, alloc = alloc_at(proc, buf)

    rest = rest_of_block(proc.ir, path)
    uses = uses_in(proc.ir, rest, alloc.name) if rest is not None else []
    require(bool(uses), f"{alloc.name.name} is not used", alloc.span, code="E451")
    assert rest is not None
    made = _formula(proc, path, alloc, rest)
    readers = _readers(proc, rest, made, uses)
    _require_unchanged(proc, rest, made, readers)
    if made.stops():
        _require_filled(proc, made, readers)

    edit = edit_of(proc)
    if isinstance(made.choice, Assign):
        edit = edit.rewrite_exprs(rest, lambda node: made.value(node, made.choice), {alloc.name})
    else:
        edit = _in_branches(proc, made, readers, edit)
    return edit.splice_many([(NodeLoc(path), ()), (NodeLoc(made.path), ())])


@dataclass(frozen=True, slots=True)
class _Formula:
    """What fills the buffer: loops, and in them an assignment, or an `if` with such in its branches."""

    name: Sym
    path: Path
    loops: tuple[For, ...]
    choice: Stmt
    target: Assign
    """One of the assignments; all have its indices."""
    iterators: Mapping[Sym, tuple[int, int, int, int, affine.Lin]]
    """For each iterator that the values depend on: with `(dim, sign, modulus, divisor, rest)` it is
    `(sign * (index[dim] - rest)) % modulus / divisor`; modulus 0 stands for none."""

    def env(self, idx: Sequence[Expr]) -> dict[Sym, Expr]:
        """The iterators at the element with indices idx."""
        found: dict[Sym, Expr] = {}
        for name, (dim, sign, modulus, divisor, rest) in self.iterators.items():
            index = _minus(idx[dim], rest)
            index = index if sign > 0 else make.neg(index)
            index = make.mod(index, modulus) if modulus else index
            found[name] = make.quot(index, divisor)
        return found

    def value(self, node: Node, leaf: Stmt) -> Expr | None:
        """What takes the place of node if that reads the buffer."""
        if not isinstance(node, Read) or node.name is not self.name:
            return None
        assert isinstance(leaf, Assign)
        return substitute(leaf.rhs, self.env(node.idx))

    def stops(self) -> bool:
        """Whether evaluating the formula may stop the program, where data that decides is uninitialised."""
        return any(depends_on_data(each) for each in _decisions(self.choice))


def _minus(index: Expr, rest: affine.Lin) -> Expr:
    if depends_on_data(index):
        return make.sub(index, from_lin(rest, index.span))
    return from_lin(index_lin(index) - rest, index.span)


def _decisions(choice: Stmt) -> Iterator[Node]:
    """The conditions and right sides of a formula."""
    for stmt in walk_stmts((choice,)):
        if isinstance(stmt, If):
            yield stmt.cond
        elif isinstance(stmt, Assign):
            yield stmt.rhs


# ---- the formula


def _formula(proc: Procedure, path: Path, alloc: Alloc, rest: BlockLoc) -> _Formula:
    name = alloc.name
    ctx = context_at(proc, path).after(alloc)
    writers: list[tuple[int, Stmt]] = []
    for position, stmt in enumerate(stmts(proc.ir, rest)):
        if any(a.buffer is name and a.modifies for a in effect(ctx, (stmt,)).accesses):
            writers.append((position, stmt))
        ctx = ctx.after(stmt)
    if len(writers) != 1:
        message = f"{name.name} is written by {len(writers)} statements after its allocation, and not by one loop nest"
        refuse(message, writers[1][1].span if writers else alloc.span, code="E454")
    ((position, nest),) = writers
    at = stmt_path(rest, position)
    loops, choice, inside = _nest(proc, at, nest)
    leaves = [stmt for stmt in walk_stmts((choice,)) if not isinstance(stmt, If)]
    target = next((leaf for leaf in leaves if isinstance(leaf, Assign)), None)
    for leaf in leaves:
        same = isinstance(leaf, Assign) and leaf.name is name and target and all(map(same_expr, leaf.idx, target.idx))
        if not same:
            message = f"{name.name} is filled by more than one assignment to one place, or by other code"
            refuse(message, leaf.span, code="E454")
    assert target is not None
    reads = next((node for node in walk(choice) if isinstance(node, Read) and node.name is name), None)
    require(reads is None, f"the code that fills {name.name} reads it", nest.span, code="E454")
    iterators = _solved(inside, loops, target)
    needed = frozenset().union(*(free_names(each) for each in _decisions(choice)))
    for loop in loops:
        if loop.iter in needed and loop.iter not in iterators:
            shown = ", ".join(map(show_expr, target.idx))
            refuse(f"the indices {shown} do not determine the iterator {loop.iter.name}", target.span, code="E454")
    return _Formula(name, at, loops, choice, target, iterators)


def _nest(proc: Procedure, path: Path, stmt: Stmt) -> tuple[tuple[For, ...], Stmt, Context]:
    """The loops of a nest, outermost first, what is in them, and what is known there."""
    ctx, loops = context_at(proc, path), list[For]()
    while isinstance(stmt, For):
        loops.append(stmt)
        ctx = ctx.enter(stmt, "body")
        body = [each for each in stmt.body if not isinstance(each, Pass)]
        if len(body) != 1:
            break
        stmt = body[0]
    return tuple(loops), stmt, ctx


def _solved(ctx: Context, loops: Sequence[For], target: Assign) -> dict[Sym, tuple[int, int, int, int, affine.Lin]]:
    """How indices give the iterators back; those of a dimension where that is not possible are left out."""
    names = {loop.iter for loop in loops}
    found: dict[Sym, tuple[int, int, int, int, affine.Lin]] = {}
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


# ---- the readers


def _readers(proc: Procedure, rest: BlockLoc, made: _Formula, uses: Sequence[Use]) -> list[Use]:
    """The reads of the buffer, which a formula may replace."""
    name, found = made.name.name, list[Use]()
    (_, start) = made.path[len(rest.parent)]
    assert start is not None
    for use in uses:
        position = use.path[len(rest.parent)][1]
        assert position is not None
        if position == start:
            continue
        at = _stmt_around(use.path)
        stmt = get_stmt(proc.ir, at)
        span = use.node.span.or_else(stmt.span)
        if not isinstance(use.node, Read) or passed_whole(use):
            refuse(f"{name} is used through a window, by its strides, or as a whole", span, code="E450")
        require(position > start, f"{name} is read before it is filled", span, code="E450")
        branches = isinstance(made.choice, If)
        if not isinstance(stmt, Assign | Reduce) and (branches or not isinstance(stmt, If)):
            message = f"{name} is read where its formula cannot stand"
            refuse(message, span, ["hint: bind_expr gives the value a name first"], code="E450")
        found.append(use)
    require(bool(found), f"{name} is not read", None, code="E451")
    return found


def _stmt_around(path: Path) -> Path:
    """The path of the statement that an expression belongs to."""
    return path[: max(at for at, (field, _) in enumerate(path) if field in ("body", "orelse")) + 1]


def _require_unchanged(proc: Procedure, rest: BlockLoc, made: _Formula, readers: Sequence[Use]) -> None:
    """What the formula reads is not modified between the nest and the last reader."""
    block, depth = stmts(proc.ir, rest), len(rest.parent)
    start = made.path[depth][1]
    last = max(position for use in readers if (position := use.path[depth][1]) is not None)
    assert start is not None
    leaf = isinstance(block[last - rest.lo], Assign | Reduce)  # writes after it has read
    ctx = context_at(proc, made.path)
    reads = [a for a in effect(ctx, (get_stmt(proc.ir, made.path),)).accesses if a.kind is Kind.READ]
    crossed = effect(ctx, block[start + 1 - rest.lo : last + (not leaf) - rest.lo])
    conflict = conflict_between(ctx.facts, reads, [a for a in crossed.accesses if a.modifies])
    require_no(conflict, f"what the formula of {made.name.name} reads may be modified before its last use")


def _require_filled(proc: Procedure, made: _Formula, readers: Sequence[Use]) -> None:
    """Each element that is read was computed, so that decisions on data were taken at its place before."""
    for use in readers:
        assert isinstance(use.node, Read)
        env, lowering = made.env(use.node.idx), Lowering(symbolic=True)
        ctx = context_at(proc, _stmt_around(use.path))
        goals: list[fml.Formula] = []
        for dim, (index, there) in enumerate(zip(use.node.idx, made.target.idx, strict=True)):
            if not any(at == dim and not modulus and divisor == 1 for at, _, modulus, divisor, _ in made.iterators.values()):
                same = fml.eq(lowering.index(index) - lowering.index(substitute(there, env)))
                goals.append(fml.FALSE if depends_on_data(index) else same)
        for loop in made.loops:
            low, high = (lowering.index(substitute(limit, env)) for limit in (loop.lo, loop.hi))
            value = lowering.index(env[loop.iter]) if loop.iter in env else low
            goals += [fml.le(low, value), fml.lt(value, high)]
        message = f"{show_expr(use.node)} may not be filled, and its formula has a condition or `idx` on data"
        span = use.node.span if use.node.span.line else None
        require_proved(ctx, ctx.settle_truth(fml.and_(goals)), message, span, extra=lowering.ranges)


# ---- branches


def _in_branches(proc: Procedure, made: _Formula, readers: Sequence[Use], edit: Edit) -> Edit:
    """The statements that read the buffer, in copies under the conditions of the formula."""
    new = {path: _under(made, get_stmt(proc.ir, path), 1) for path in dict.fromkeys(_stmt_around(use.path) for use in readers)}
    edit = edit.splice_many((NodeLoc(path), (stmt,)) for path, stmt in new.items())
    for path, stmt in new.items():
        first = edit.path(NodeLoc(path))
        while isinstance(stmt, If):
            first, stmt = (*first, ("body", 0)), stmt.body[0]
        edit = edit.redirect(NodeLoc(path), Now(NodeLoc(first)))
    return edit


def _under(made: _Formula, stmt: Stmt, copies: int) -> Stmt:
    read = next((node for node in reversed(list(walk(stmt))) if isinstance(node, Read) and node.name is made.name), None)
    if read is None:
        return stmt
    env = made.env(read.idx)

    def choose(choice: Stmt, copies: int) -> Stmt:
        if copies > _MOST_COPIES:
            refuse(f"the statement would be copied more than {_MOST_COPIES} times", stmt.span, code="E404")
        if isinstance(choice, If):
            body, orelse = (tuple(choose(each, 2 * copies) for each in part) for part in (choice.body, choice.orelse))
            return If(substitute(choice.cond, env), body, orelse, span=choice.span)
        assert isinstance(choice, Assign)
        value = substitute(choice.rhs, env)
        return _under(made, rewrite(stmt, lambda node: value if _is(node, read) else None), copies)

    return choose(made.choice, copies)


def _is(node: Node, read: Read) -> bool:
    return isinstance(node, Read) and node.name is read.name and all(map(same_expr, node.idx, read.idx))
