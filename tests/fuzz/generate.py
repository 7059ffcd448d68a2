"""Random well-typed programs that stay in bounds by construction (the frontend's check has the last word).

Everything is drawn from one `random.Random`, so a seed is a program.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.fuzz.callees import Callee, in_another_form, inlined, random_callee
from tests.fuzz.expressions import Expressions
from tests.fuzz.scope import Data, Position, Scope
from tests.fuzz.terms import Extent, compare, index_call, index_op, literal, num, reductions, usual_operation, var, window
from usl_core.ir.combining import FUNCTIONS, written_out
from usl_core.ir.externs import MAX, MIN
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import (
    Alloc,
    Arg,
    Assign,
    BinaryOp,
    Block,
    Call,
    Check,
    Expr,
    For,
    If,
    LoopMode,
    Pass,
    Proc,
    Read,
    Reduce,
    Stmt,
    WindowExpr,
    WindowStmt,
)
from usl_core.ir.operation import Operation
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import update, with_fresh_binders
from usl_core.ir.types import B8, BOOL, COND, F32, F64, I8, I16, I32, INDEX, SIZE, U8, U16, U32, U64, R, ScalarType, TensorType

_TYPES = (F32, F32, R, R, F64, I8, I16, I32, I32, U8, U16, U32, U64, B8)


def generate(rng: random.Random) -> Proc:
    """A random procedure of a few to some twenty statements."""
    return generate_with_callees(rng)[0]


def generate_with_callees(rng: random.Random) -> tuple[Proc, tuple[Proc, ...]]:
    """A random procedure, and the procedures that it calls or whose bodies it has written out."""
    generator = _Generator(rng)
    return generator.procedure(), tuple(callee.proc for callee in generator.callees)


@dataclass(frozen=True)
class _Budget:
    """How deep blocks nest and how long they are."""

    depth: int
    length: int


class _Generator:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.types: tuple[ScalarType, ...] = tuple({rng.choice(_TYPES): None for _ in range(rng.randint(1, 3))})
        self.expressions = Expressions(rng, self.types)
        self.budget = _Budget(rng.randint(2, 4), rng.randint(1, 3))
        self.callees: list[Callee] = []
        self.sizes: list[Extent] = []
        self.counts: dict[str, int] = {}
        self.operations: dict[Sym, str | Operation] = {}

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def name(self, stem: str) -> Sym:
        """A name; spellings repeat now and then, as a user's do."""
        count = self.counts.get(stem, 0)
        if not self.chance(0.2):
            self.counts[stem] = count + 1
        return Sym(stem if count == 0 else f"{stem}{count}")

    # ---- the procedure

    def procedure(self) -> Proc:
        formals: list[Arg] = []
        preds: list[Expr] = []
        for spelling in self.rng.choice(((), (), ("n",), ("n",), ("n",), ("n", "m"), ("n", "m"))):
            formals.append(Arg(size := Sym(spelling), SIZE))
            preds += self.size_facts(size)
        self.callees = [random_callee(self.rng, self.rng.choice(self.types), k) for k in range(self.rng.randint(0, 3))]
        scope = Scope()
        if self.chance(0.25):
            formals.append(Arg(flag := Sym("flag"), BOOL))
            scope = Scope(flags=(Read(flag, (), type=BOOL),))
        if self.chance(0.2):
            formals.append(Arg(start := Sym("start"), INDEX))
            below = self.extent()
            preds.append(compare("<=", num(0), var(start)))
            preds.append(compare("<", var(start), below.expr()))
            scope = scope.with_positions(Position(var(start), below))
        inputs = [self.formal(formals, scalar, k > 0) for k, scalar in enumerate((*self.types, *self.types[:1], None, None))]
        scope = Scope(scope.positions, tuple(inputs), scope.flags)
        body = self.block(scope, self.rng.randint(1, 4))
        return Proc("program", tuple(formals), tuple(preds), body)

    def size_facts(self, size: Sym) -> list[Expr]:
        """Draws assertions on a size, and from them its least value."""
        least = 1
        facts: list[Expr] = []
        match self.rng.randrange(5):
            case 0:
                least = self.rng.choice((2, 4))
                facts.append(compare("==", index_op("%", var(size), least), num(0)))
            case 1:
                least = self.rng.randint(2, 4)
                facts.append(compare(">=", var(size), num(least)))
            case _:
                pass
        self.sizes.append(Extent(size, 0, least))
        return facts

    def formal(self, formals: list[Arg], scalar: ScalarType | None, may_be_input: bool) -> Data:
        typ = scalar or self.rng.choice(self.types)
        rank = self.rng.choice((0, 1, 1, 1, 2, 2, 3))
        is_window = rank > 0 and self.chance(0.3)
        name = Sym("xyzuvwab"[len(formals) % 8] + ("" if len(formals) < 8 else str(len(formals) // 8)))
        dims = tuple(self.extent() for _ in range(rank))
        shape = tuple(dim.expr() for dim in dims)
        formals.append(Arg(name, TensorType(typ, shape, is_window) if rank else typ, DRAM))
        return Data(name, typ, dims, may_be_input and self.chance(0.6), name, is_window)

    def extent(self) -> Extent:
        if self.sizes and self.chance(0.75):
            return self.rng.choice(self.sizes).plus(self.rng.choice((0, 0, 0, 0, 1, 2)))
        value = self.rng.choice((1, 2, 3, 4, 4, 5, 6, 8))
        return Extent(None, value, value)

    # ---- blocks and statements

    def block(self, scope: Scope, length: int | None = None) -> Block:
        stmts: list[Stmt] = []
        for _ in range(length or self.rng.randint(1, self.budget.length)):
            scope, more = self.statement(scope)
            stmts += more
        return tuple(stmts)

    def statement(self, scope: Scope) -> tuple[Scope, list[Stmt]]:
        """One or a few statements, and the scope after them."""
        if scope.depth >= self.budget.depth:
            return self.leaf(scope)
        choice = self.rng.random()
        if choice < 0.06:
            return scope, self.twins(scope)
        if choice < 0.45:
            return scope, [self.loop(scope)]
        if choice < 0.5 and scope.owned is None:
            return scope, self.par(scope)
        if choice < 0.6:
            return scope, [self.branch(scope)]
        if choice < 0.68:
            return self.tensor(scope)
        return self.leaf(scope)

    def leaf(self, scope: Scope) -> tuple[Scope, list[Stmt]]:
        choice = self.rng.random()
        if choice < 0.55:
            return scope, [self.store(scope)]
        if choice < 0.65:
            return self.scalar(scope)
        if choice < 0.73:
            return self.window(scope)
        if choice < 0.93:
            return scope, self.call(scope)
        if choice < 0.96 and scope.positions:
            position = self.rng.choice(scope.positions)
            return scope, [Check(compare("<", position.expr, position.below.expr()))]
        if choice < 0.98 and len(scope.positions) > 0:
            return scope, self.stencil(scope)
        return scope, [Pass() if self.chance(0.5) else Alloc((unused := self.local(())).name, unused.scalar, DRAM)]

    def store(self, scope: Scope, target: Data | None = None) -> Stmt:
        choices = scope.writable()
        if not choices and target is None:
            return Pass()
        data = target or self.rng.choice(choices)
        fixed = scope.fixed_index(data)
        idx = tuple(fixed.get(k) or self.expressions.index(scope, dim) for k, dim in enumerate(data.dims))
        rhs = self.expressions.data(scope, data.scalar, self.rng.randint(0, 3))
        if self.chance(0.4):
            stmt = Reduce(data.name, idx, rhs, self.operation(data))
            return stmt if self.chance(0.85) else self.folded_out(stmt)
        return Assign(data.name, idx, rhs)

    def folded_out(self, stmt: Reduce) -> Stmt:
        """A reduction as an assignment, or an extreme as an `if`."""
        write = Assign(stmt.name, stmt.idx, written_out(stmt))
        if stmt.op not in FUNCTIONS or self.chance(0.4):
            return write
        old = Read(stmt.name, stmt.idx, type=stmt.rhs.type)
        relation = self.rng.choice((">", ">=") if stmt.op == "max" else ("<", "<="))
        return If(BinaryOp(relation, stmt.rhs, old, type=COND), (update(write, rhs=stmt.rhs),))

    def operation(self, data: Data) -> str | Operation:
        """What a reduction does to a buffer: mostly one thing throughout the program, so that reductions may change places."""
        usual = self.operations.setdefault(
            data.name, usual_operation(data.scalar) if self.chance(0.6) else self.rng.choice(reductions(data.scalar))
        )
        return usual if self.chance(0.9) else self.rng.choice(reductions(data.scalar))

    def stencil(self, scope: Scope) -> list[Stmt]:
        """`if i >= 1: x[i] = ... x[i - 1]`."""
        fitting = [
            (d, k, p)
            for d in scope.writable()
            for k, dim in enumerate(d.dims)
            for p in scope.positions
            if p.below.surely_at_most(dim) and d in scope.readable()
        ]
        if not fitting:
            return [self.store(scope)]
        data, dim, position = self.rng.choice(fitting)
        idx = [self.expressions.index(scope, extent) for extent in data.dims]
        idx[dim] = position.expr
        behind = [*idx]
        behind[dim] = index_op("-", position.expr, 1)
        value = BinaryOp(
            usual_operation(data.scalar),
            Read(data.name, tuple(behind), type=data.scalar),
            self.expressions.data(scope, data.scalar, 1),
            type=data.scalar,
        )
        return [If(compare(">=", position.expr, num(1)), (Assign(data.name, tuple(idx), value),))]

    # ---- control

    def bounds(self, scope: Scope) -> tuple[Expr, Expr, Extent]:
        """lo, hi, and an extent that hi does not exceed."""
        extent = self.extent()
        outer = list(scope.positions)
        choice = self.rng.random()
        if choice < 0.12 and outer:
            position = self.rng.choice(outer)
            return num(0), index_op("+", position.expr, 1), position.below
        if choice < 0.2 and outer:
            position = self.rng.choice(outer)
            return position.expr, position.below.expr(), position.below
        if choice < 0.26:
            limit = self.rng.randint(1, 5)
            return num(0), index_call(MIN, extent.expr(), num(limit)), extent
        if choice < 0.3 and outer:
            position = self.rng.choice(outer)
            return index_call(MAX, index_op("-", position.expr, 1), num(0)), position.below.expr(), position.below
        if choice < 0.4 and extent.least > 1:
            return num(self.rng.randint(0, extent.least - 1)), extent.expr(), extent
        return num(0), extent.expr(), extent

    def loop(self, scope: Scope) -> Stmt:
        if self.chance(0.12) and self.sizes:
            return self.tiled(scope)
        lo, hi, below = self.bounds(scope)
        name = self.name(self.rng.choice("ijk"))
        return For(name, lo, hi, self.block(scope.with_positions(Position(var(name), below))))

    def twins(self, scope: Scope) -> list[Stmt]:
        """Two neighbouring loops over one range, the second perhaps a use of what the first writes; or two such ifs."""
        if scope.positions and self.chance(0.3):
            cond = self.expressions.condition(scope)
            return [If(cond, self.block(scope.deeper())), If(cond, self.block(scope.deeper()))]
        lo, hi, below = self.bounds(scope)
        if self.chance(0.3):
            return self.halves(scope, lo, hi, below)
        names = (self.name("i"), self.name("i"))
        return [For(n, lo, hi, self.block(scope.with_positions(Position(var(n), below)))) for n in names]

    def halves(self, scope: Scope, lo: Expr, hi: Expr, below: Extent) -> list[Stmt]:
        """One loop cut in two at a point in between."""
        name = self.name("i")
        body = self.block(scope.with_positions(Position(var(name), below)))
        middle = self.rng.choice((lo, hi, index_call(MIN, index_op("+", lo, 1), hi)))
        again = with_fresh_binders((For(name, middle, hi, body),))
        return [For(name, lo, middle, body), *again]

    def tiled(self, scope: Scope) -> Stmt:
        """Two loops that cover whole tiles of a size, as a schedule would leave them."""
        extent = self.rng.choice(self.sizes)
        factor = self.rng.choice((2, 4))
        outer, inner = self.name("io"), self.name("ii")
        whole = index_op("+", BinaryOp("*", num(factor), var(outer), type=INDEX), var(inner))
        tile = Extent(None, factor, factor)
        inside = scope.with_positions(Position(whole, extent), Position(var(inner), tile)).deeper()
        body = For(inner, num(0), num(factor), self.block(inside))
        return For(outer, num(0), index_op("/", extent.expr(), factor), (body,))

    def par(self, scope: Scope) -> list[Stmt]:
        """A `par` loop whose iterations write their own part of one buffer."""
        owners = [(d, k) for d in scope.writable() for k in range(len(d.dims))]
        if not owners:
            return [self.store(scope)]
        data, dim = self.rng.choice(owners)
        name = self.name("p")
        inside = scope.inside_par(Position(var(name), data.dims[dim]), data, dim)
        body = self.block(inside)
        return [For(name, num(0), data.dims[dim].expr(), (*body, self.store(inside, data)), LoopMode.PAR)]

    def branch(self, scope: Scope) -> Stmt:
        on_data = self.chance(0.3)
        cond = self.expressions.data_condition(scope) if on_data else self.expressions.condition(scope)
        orelse = self.block(scope.deeper()) if self.chance(0.35) else ()
        return If(cond, self.block(scope.deeper()), orelse)

    # ---- storage

    def scalar(self, scope: Scope) -> tuple[Scope, list[Stmt]]:
        """A local scalar, nearly always initialised."""
        data = self.local(())
        stmts: list[Stmt] = [Alloc(data.name, data.scalar, DRAM)]
        if self.chance(0.9):
            stmts.append(Assign(data.name, (), self.expressions.data(scope, data.scalar, 2)))
        scope = scope.with_data(data)
        return scope, [*stmts, self.store(scope)]

    def tensor(self, scope: Scope) -> tuple[Scope, list[Stmt]]:
        """A local tensor, nearly always filled by a loop nest, then used."""
        data = self.local(tuple(self.extent() for _ in range(self.rng.choice((1, 1, 2)))))
        shape = tuple(dim.expr() for dim in data.dims)
        stmts: list[Stmt] = [Alloc(data.name, TensorType(data.scalar, shape), DRAM)]
        if self.chance(0.9):
            names = [self.name("i") for _ in data.dims]
            inside = scope.with_positions(*(Position(var(n), dim) for n, dim in zip(names, data.dims, strict=True)))
            value = self.expressions.data(inside, data.scalar, 2)
            fill: Stmt = Assign(data.name, tuple(map(var, names)), value)
            for n, dim in reversed(list(zip(names, data.dims, strict=True))):
                fill = For(n, num(0), dim.expr(), (fill,))
            stmts.append(fill)
        scope = scope.with_data(data)
        for _ in range(self.rng.randint(1, 2)):
            stmts.append(self.loop(scope))
        return scope, stmts

    def local(self, dims: tuple[Extent, ...]) -> Data:
        name = self.name("t")
        return Data(name, self.rng.choice(self.types), dims, False, name)

    def window(self, scope: Scope) -> tuple[Scope, list[Stmt]]:
        sources = [d for d in scope.readable() if d.dims]
        if not sources:
            return scope, [self.store(scope)]
        source = self.rng.choice(sources)
        view, dims = self.view(scope, source, self.rng.randint(1, len(source.dims)))
        data = Data(self.name("w"), source.scalar, dims, source.input, source.root, True)
        scope = scope.with_data(data)
        return scope, [WindowStmt(data.name, view), self.store(scope)]

    def view(self, scope: Scope, source: Data, rank: int) -> tuple[WindowExpr, tuple[Extent, ...]]:
        """A window with `rank` intervals of source."""
        kept = set(self.rng.sample(range(len(source.dims)), rank))
        entries: list[Expr | tuple[Expr, Expr, Expr]] = []
        dims = []
        for k, dim in enumerate(source.dims):
            if k not in kept:
                entries.append(self.expressions.index(scope, dim, exotic=False))
                continue
            lo = self.rng.randint(0, dim.least - 1) if self.chance(0.4) else 0
            hi = dim.plus(-self.rng.randint(0, dim.least - 1 - lo)) if self.chance(0.4) else dim
            part = hi.plus(-lo)
            entries.append((num(lo), hi.expr(), part.expr()))
            dims.append(part)
        return window(source.name, source.scalar, entries), tuple(dims)

    # ---- calls

    def call(self, scope: Scope) -> list[Stmt]:
        """A call of a small procedure on disjoint windows, or its body written out."""
        if not self.callees or scope.owned is not None:
            return [self.store(scope)]
        callee = self.rng.choice(self.callees)
        outputs = [d for d in scope.writable() if d.scalar == callee.typ and d.dims]
        self.rng.shuffle(outputs)
        for output in outputs:
            args = self.arguments(scope, callee, output)
            if args is not None:
                stmt = Call(callee.proc, tuple(args))
                return self.written_out(scope, stmt, callee) if self.chance(0.5) else [stmt]
        return [self.store(scope)]

    def written_out(self, scope: Scope, call: Call, callee: Callee) -> list[Stmt]:
        """The body in place of a call, sometimes in another form, or with a size for the number of lanes where it is that."""
        block = inlined(call)
        if self.chance(0.5):
            return list(block)
        sizes = [dim.base for data in scope.readable() for dim in data.dims if dim.base is not None and dim.offset == 0]
        size = self.rng.choice(sizes) if callee.lanes and sizes and self.chance(0.5) else None
        return list(in_another_form(self.rng, block, size, callee.lanes))

    def arguments(self, scope: Scope, callee: Callee, output: Data) -> list[Expr] | None:
        extent = Extent(None, callee.lanes, callee.lanes) if callee.lanes else self.rng.choice(output.dims)
        sources = [d for d in scope.readable() if d.scalar == callee.typ and d.root is not output.root]
        chosen: list[Expr | None] = [self.vector(scope, callee, output, extent, callee.stride)]
        fitting = [d for d in sources if any(extent.surely_at_most(dim) for dim in d.dims)]
        for _ in range(callee.sources):
            chosen.append(self.vector(scope, callee, self.rng.choice(fitting), extent) if fitting else None)
        if any(arg is None for arg in chosen):
            return None
        args = [arg for arg in chosen if arg is not None]
        if callee.scalar:
            cells = [d for d in sources if d.root is not output.root]
            cell = self.expressions.read(scope, self.rng.choice(cells), exotic=False) if cells else literal(callee.typ, 1)
            args.append(cell)
        if callee.unused:
            args += [num(self.rng.randint(1, 3)), literal(callee.typ, 1)]
        return args if callee.lanes else [extent.expr(), *args]

    def vector(self, scope: Scope, callee: Callee, data: Data, extent: Extent, stride: int | None = None) -> Expr | None:
        """A one-dimensional part of data with exactly `extent` elements, so far apart."""
        dims = [k for k, dim in enumerate(data.dims) if extent.surely_at_most(dim) and (not stride or data.stride(k) == stride)]
        if not dims:
            return None
        along = self.rng.choice(dims)
        whole = data.dims[along]
        if len(data.dims) == 1 and whole == extent and not data.window and (not callee.windows or self.chance(0.5)):
            return Read(data.name, (), type=TensorType(data.scalar, (whole.expr(),), data.window))
        if not callee.windows:
            return None
        slack = whole.offset - extent.offset if whole.base is extent.base else whole.least - extent.offset
        lo = self.rng.randint(0, slack)
        entries: list[Expr | tuple[Expr, Expr, Expr]] = [
            (num(lo), extent.plus(lo).expr(), extent.expr()) if k == along else self.expressions.index(scope, dim, exotic=False)
            for k, dim in enumerate(data.dims)
        ]
        return window(data.name, data.scalar, entries)
