"""A block as a procedure: its formals, and which facts around it become its assertions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from usl_core.analysis import affine
from usl_core.analysis.affine import Lin, Product
from usl_core.analysis.context import Context
from usl_core.analysis.obligations import check_proc_invariant
from usl_core.analysis.raise_ import from_lin
from usl_core.cursors.path import BlockLoc, stmt_path, stmts
from usl_core.errors import BoundsError, Undecided
from usl_core.frontend.operators import negation
from usl_core.ir import make
from usl_core.ir import nodes as ir
from usl_core.ir.memo import lazy
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import depends_on_data, free_names, get_field, operands, rename, walk
from usl_core.ir.types import INDEX, SIZE, ControlType, TensorType


@dataclass(frozen=True)
class Outline:
    """A block on its way to a procedure of its own. Names are still those of the old procedure."""

    name: str
    block: ir.Block
    scope: tuple[ir.Arg, ...]
    """Everything that may become a formal: control values first, outer ones before inner ones."""
    facts: tuple[ir.Expr, ...]
    """Everything that is known where the block stands and can be said in an assertion."""

    def needed(self) -> ir.Proc:
        """The procedure, with the facts that it needs; all that concern its names if it needs more than its names can say."""
        return self._renamed(self._kept)

    def actuals(self) -> tuple[ir.Expr, ...]:
        """The arguments of the call."""
        formals = self._formals(self._kept)
        return tuple(ir.Read(formal.name, (), type=INDEX if formal.type is SIZE else formal.type) for formal in formals)

    @lazy
    def _kept(self) -> tuple[ir.Expr, ...]:
        names = {formal.name for formal in self._formals(())}
        about = [fact for fact in self.facts if free_names(fact) <= names]
        if not self._safe(about):
            about = self._connected(names)
            if not self._safe(about):
                return tuple(about)  # whoever checks the procedure says why
        for fact in list(about):
            rest = [other for other in about if other is not fact]
            if self._safe(rest):
                about = rest
        return tuple(about)

    def _connected(self, names: set[Sym]) -> list[ir.Expr]:
        """The facts that say something of names, or of names that such facts mention."""
        buffers = {formal.name for formal in self.scope if formal.mem is not None}
        reached = set(names)
        chosen: list[ir.Expr] = []
        changed = True
        while changed:
            changed = False
            for fact in self.facts:
                used = free_names(fact)
                # A buffer that the block does not use cannot be an argument only for the sake of its strides.
                if fact not in chosen and used & reached and not (used & buffers) - names:
                    chosen.append(fact)
                    reached |= used
                    changed = True
        return [fact for fact in self.facts if fact in chosen]

    def _safe(self, facts: Sequence[ir.Expr]) -> bool:
        try:
            check_proc_invariant(self._proc(facts))
        except (BoundsError, Undecided):
            return False
        return True

    def _formals(self, facts: Sequence[ir.Expr]) -> tuple[ir.Arg, ...]:
        """What the block and facts use, and what the shapes of that use."""
        used = set(free_names(*self.block, *facts))
        for formal in reversed(self.scope):  # shapes mention what stands before them
            if formal.name in used and isinstance(formal.type, TensorType):
                used |= free_names(*formal.type.shape)
        return tuple(formal for formal in self.scope if formal.name in used)

    def _proc(self, facts: Sequence[ir.Expr]) -> ir.Proc:
        return ir.Proc(self.name, self._formals(facts), tuple(facts), self.block, span=self.block[0].span)

    def _renamed(self, facts: Sequence[ir.Expr]) -> ir.Proc:
        """The procedure with formals of its own, whose spellings all differ."""
        proc = self._proc(facts)
        taken: set[str] = set()
        names: dict[Sym, Sym] = {}
        for arg in proc.args:
            spelling, number = arg.name.name, 1
            while spelling in taken:
                spelling, number = f"{arg.name.name}_{number}", number + 1
            taken.add(spelling)
            names[arg.name] = Sym(spelling)
        return rename(proc, names)


def outlined(proc: ir.Proc, where: BlockLoc, name: str) -> Outline:
    """The block at where as a procedure of that name."""
    path = stmt_path(where, 0)
    ctx = Context.at(proc, path)
    block = stmts(proc, where)
    controls = [ir.Arg(arg.name, arg.type) for arg in proc.args if isinstance(arg.type, ControlType)]
    iterators = [ir.Arg(loop.iter, INDEX) for loop in ctx.scope.loops]
    scope = (*controls, *iterators, *(ir.Arg(name, info.type, info.mem) for name, info in ctx.scope.buffers.items()))
    facts = [fact for fact in _facts(proc, path, ctx, free_names(*block)) if not _is_outdated(fact, ctx)]
    return Outline(name, block, scope, (*facts, *_fields(ctx, {formal.name for formal in scope})))


# ---- facts


def _facts(proc: ir.Proc, path: tuple[tuple[str, int | None], ...], ctx: Context, used: frozenset[Sym]) -> list[ir.Expr]:
    found: list[ir.Expr] = [part for pred in proc.preds for part in operands(pred, "and")]
    node: ir.Node = proc
    for field, position in path:
        if field not in ("body", "orelse"):
            break
        assert position is not None
        found += _of_entering(node, field) if isinstance(node, ir.StmtBase) else []
        block: ir.Block = get_field(node, field)
        found += [
            part for earlier in block[:position] if isinstance(earlier, ir.Check) for part in operands(earlier.cond, "and")
        ]
        node = block[position]
    for name, info in ctx.scope.buffers.items():
        if isinstance(info.type, TensorType):
            found += [make.compare(">=", extent, ir.index_literal(1)) for extent in info.type.shape if free_names(extent)]
            if name in used and info.type.window:
                found += _strides(ctx, name, len(info.type.shape))
    return found


def _is_outdated(fact: ir.Expr, ctx: Context) -> bool:
    """Whether a fact reads a configuration field that may have been written since."""
    return any(isinstance(node, ir.ReadConfig) and node.config.sym(node.field) in ctx.fields.written for node in walk(fact))


def _fields(ctx: Context, scope: set[Sym]) -> Iterable[ir.Expr]:
    """What configuration fields hold, as far as names in scope can say it."""
    for name, value in ctx.fields.values.items():
        if isinstance(value, Lin) and _has_expression(value) and scope.issuperset(affine.syms(value)):
            field = ir.ReadConfig(name.config, name.field, type=INDEX)
            yield make.compare("==", field, from_lin(value))


def _has_expression(lin: Lin) -> bool:
    return not any(isinstance(atom, Product) for atom in affine.atoms(lin))


def _of_entering(node: ir.Stmt, field: str) -> list[ir.Expr]:
    """What is known inside a loop or a branch."""
    match node:
        case ir.For(iter=name, lo=lo, hi=hi):
            return [make.compare("<=", lo, ir.index_read(name)), make.compare("<", ir.index_read(name), hi)]
        case ir.If(cond=cond) if not depends_on_data(cond):
            return operands(cond if field == "body" else negation(cond), "and")
        case ir.If() | ir.SimpleStmt():
            return []


def _strides(ctx: Context, name: Sym, rank: int) -> list[ir.Expr]:
    """What is known of the strides of a window that is named in the procedure."""
    found: list[ir.Expr] = []
    for dim in range(rank):
        value = ctx.scope.stride(name, dim)
        own = any(isinstance(atom, affine.Stride) and atom.buffer is name for atom in value.terms)
        if not own and _has_expression(value):
            found.append(make.compare("==", ir.StrideExpr(name, dim, type=INDEX), from_lin(value)))
    return found
