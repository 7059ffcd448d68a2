"""Unification of a callee's body with a block: which arguments make the call equal to the block.

Statements must match one to one. Equal control expressions give linear equations in the callee's control formals; each access
to a buffer formal says how the block's indices follow from the callee's, so that the window is found dimension by
dimension. The result is only a guess: `replace` inlines the call again and compares. Reference: Reinking 2022, §3.3.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, zip_longest
from typing import NamedTuple

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.conditions import head_line
from usl_core.analysis.context import Context
from usl_core.analysis.formula import And, Bool, Const, Eq, Formula, Ge, Or
from usl_core.analysis.lower import Lowering, index_lin
from usl_core.ir import nodes as ir
from usl_core.ir.combining import spelt
from usl_core.ir.externs import MAX, MIN
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import depends_on_data, get_field, same_expr, walk
from usl_core.ir.types import BOOL, ControlType, ScalarType, TensorType, is_control, scalar_of
from usl_core.primitives.calls.agreement import clamped_data, held, window_entries


class Mismatch(Exception):
    """The block is not an instance of the body: which two parts differ, and in which two statements they are."""

    def __init__(
        self, reason: str, callee: ir.Node | None = None, block: ir.Node | None = None, *, final: bool = False
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.final = final
        """Nothing that is known, and no other order of operands, could make them match."""
        self.callee = callee
        self.block = block

    def notes(self, body: ir.Block, block: ir.Block) -> list[str]:
        """Lines for an error message, given the callee's body and the block: the closest pair of statements, what differs."""
        here, there = _statement_of(body, self.callee), _statement_of(block, self.block)
        notes = [f"in the callee: {head_line(node)}" for node in (here or self.callee,) if node is not None]
        notes += [f"in the block:  {head_line(node)}" for node in (there or self.block,) if node is not None]
        parts = [
            head_line(part) for part in (self.callee, self.block) if part is not None and not isinstance(part, ir.StmtBase)
        ]
        return [*notes, f"what differs:  {' against '.join(parts)}"] if len(parts) == 2 else notes


def _statement_of(block: ir.Block, part: ir.Node | None) -> ir.Stmt | None:
    """The innermost statement of block that part is, or is in."""
    found: ir.Stmt | None = None
    if part is not None:
        for stmt in block:
            for node in walk(stmt):
                if isinstance(node, ir.StmtBase) and any(inner is part for inner in walk(node)):
                    found = node
    return found


@dataclass(slots=True)
class WindowGuess:
    """What a buffer formal is: per dimension of the block's buffer an offset, and the formal's dimension added to it."""

    buffer: Sym
    offsets: list[Lin]
    dims: tuple[int | None, ...]


@dataclass
class Solution:
    """Values of the formals in terms of names that are in scope before the block."""

    controls: dict[Sym, Lin] = field(default_factory=dict)
    bools: dict[Sym, ir.Expr] = field(default_factory=dict)
    windows: dict[Sym, WindowGuess] = field(default_factory=dict)
    literals: dict[Sym, ir.Literal | ir.ReadConfig] = field(default_factory=dict)


Flags = tuple[list[bool], list[bool]]


class Bind(NamedTuple):
    """One use of a buffer formal: indices, for a window where it starts, and the two uses."""

    callee: list[Lin]
    block: list[Lin]
    buffer: Sym
    at: ir.Node
    other: ir.Node
    ranged: Flags | None = None
    """Of windows and whole buffers, which entries are intervals: the callee's and the block's."""


def _require(condition: bool, reason: str, callee: ir.Node, block: ir.Node, *, final: bool = False) -> None:
    """Two parts match as far as condition says so. Raises Mismatch."""
    if not condition:
        raise Mismatch(reason, callee, block, final=final)


class Unifier:
    """One attempt to match a callee's body. where gives what is known before the block; facts says to compare forms by it."""

    def __init__(self, callee: ir.Proc, where: Callable[[], Context] = Context, *, facts: bool = False) -> None:
        self.callee = callee
        self.facts = facts
        self._where = where
        self.formals = {arg.name: arg for arg in callee.args}
        self.control_formals = {a.name for a in callee.args if isinstance(a.type, ControlType) and a.type.name != "bool"}
        self.iterators: dict[Sym, Lin] = {}
        self.locals: dict[Sym, Sym] = {}
        self.bound: set[Sym] = set()
        self.clamped: dict[int, Sym] = {}
        self.starts: list[tuple[Lin, Lin, ir.Node, ir.Node]] = []
        """Where loops start, in the callee and in the block."""
        self.ranges: list[Formula] = []
        """What the block's loops say of their iterators."""
        self.equations: list[tuple[Lin, ir.Node, ir.Node]] = []
        self.accesses: dict[Sym, list[Bind]] = {}
        self.solution = Solution()

    # ---- statements

    @cached_property
    def ctx(self) -> Context:
        """What is known before the block."""
        return self._where()

    def known(self, name: Sym) -> bool:
        """Whether a formal of the callee has its value already."""
        found = self.solution
        return name in found.controls or name in found.bools or name in found.windows or name in found.literals

    def blocks(self, body: ir.Block, block: ir.Block) -> None:
        """The statements of two blocks match one by one."""
        lengths = f"the callee has {len(body)} statements where the block has {len(block)}"
        for a, b in zip_longest(body, block):
            if len(body) != len(block) and type(a) is not type(b):
                raise Mismatch(lengths, a, b)
            self.stmt(a, b)

    def stmt(self, a: ir.Stmt, b: ir.Stmt) -> None:
        """Two statements match."""
        match a, b:
            case ir.Reduce(op=op), ir.Reduce(op=other) if op != other:
                raise Mismatch(f"one combines by {spelt(op)}, the other by {spelt(other)}", a, b)
            case ir.Assign() | ir.Reduce(), ir.Assign() | ir.Reduce() if type(a) is type(b):
                self.access(a.name, a.idx, b.name, b.idx, a, b)
                self.data(a.rhs, b.rhs)
            case ir.Pass(), ir.Pass():
                pass
            case ir.Check(cond=x), ir.Check(cond=y):
                self.condition(x, y)
            case ir.If(), ir.If():
                self.condition(a.cond, b.cond)
                self.blocks(a.body, b.body)
                self.blocks(a.orelse, b.orelse)
            case ir.For(), ir.For():
                self.loop(a, b)
            case ir.Alloc(), ir.Alloc():
                self.alloc(a, b)
            case ir.WindowStmt(rhs=x), ir.WindowStmt(rhs=y):
                self.passed(x, y)
                self.locals[a.name] = b.name
                self.bound.add(b.name)
            case ir.Call(), ir.Call():
                self.call(a, b)
            case ir.AssignConfig(), ir.AssignConfig() if a.config is b.config and a.field == b.field:
                self.control(a.rhs, b.rhs) if is_control(a.rhs.type) else self.data(a.rhs, b.rhs)
            case _:  # what is not known to agree does not
                raise Mismatch("the statements are of different kinds", a, b)

    def loop(self, a: ir.For, b: ir.For) -> None:
        """Two loops match: equal lengths, and iterators that differ by what the first iterations differ."""
        _require(a.mode is b.mode, f"one loop is {a.mode.value}, the other {b.mode.value}", a, b)
        low_a, low_b = index_lin(a.lo), index_lin(b.lo)
        self.starts.append((low_a, low_b, a, b))
        # The iterations are matched in order, wherever the loops start.
        self.iterators[a.iter] = affine.var(b.iter) - low_b + self.map(low_a)
        high_b = index_lin(b.hi)
        self.equate((index_lin(a.hi) - low_a), (high_b - low_b), a, b)
        self.ranges += [fml.le(low_b, affine.var(b.iter)), fml.lt(affine.var(b.iter), high_b)]
        self.bound.add(b.iter)
        self.blocks(a.body, b.body)

    def alloc(self, a: ir.Alloc, b: ir.Alloc) -> None:
        """Two allocations match: types, extents and memories."""
        _require(a.mem is b.mem, f"one buffer is in {a.mem.name}, the other in {b.mem.name}", a, b)
        shape_a: tuple[ir.Expr, ...] = get_field(a, "shape")
        shape_b: tuple[ir.Expr, ...] = get_field(b, "shape")
        same_type = scalar_of(a.type) == scalar_of(b.type) and len(shape_a) == len(shape_b)
        _require(same_type, "the buffers have different types", a, b)
        for m, n in zip(shape_a, shape_b, strict=True):
            self.control(m, n)
        self.locals[a.name] = b.name
        self.bound.add(b.name)

    def call(self, a: ir.Call, b: ir.Call) -> None:
        """Two calls match: the same callee, arguments that match."""
        _require(a.proc is b.proc, "the statements call different procedures", a, b)
        for x, y in zip(a.args, b.args, strict=True):
            if is_control(x.type):
                self.condition(x, y) if x.type is BOOL else self.control(x, y)
            elif (
                isinstance(x, ir.Read | ir.WindowExpr)
                and isinstance(y, ir.Read | ir.WindowExpr)
                and isinstance(x.type, TensorType)
            ):
                self.passed(x, y)
            else:
                self.data(x, y)

    def passed(self, x: ir.Read | ir.WindowExpr, y: ir.Read | ir.WindowExpr) -> None:
        """Two windows or whole buffers match: where they start, in which dimensions they go on, and how far."""
        entries, others = window_entries(x), window_entries(y)
        ranged = [isinstance(e, ir.Interval) for e in entries], [isinstance(e, ir.Interval) for e in others]
        same_type = scalar_of(x.type) == scalar_of(y.type) and sum(ranged[0]) == sum(ranged[1])
        _require(same_type, f"one is {x.type}, the other {y.type}", x, y)
        self.access(x.name, _starts(entries), y.name, _starts(others), x, y, ranged)
        ends = (e for e in entries if isinstance(e, ir.Interval)), (e for e in others if isinstance(e, ir.Interval))
        for e, f in zip(*ends, strict=True):
            self.equate(index_lin(e.hi) - index_lin(e.lo), index_lin(f.hi) - index_lin(f.lo), x, y)

    # ---- expressions

    def data(self, a: ir.Expr, b: ir.Expr) -> None:
        """Data expressions match node by node; a scalar formal also matches a literal or a field."""
        match a, b:
            case ir.Read(name=name), ir.Literal() | ir.ReadConfig() if self._is_scalar_formal(name):
                self.literal(name, b, a)
            case ir.Read(), ir.Read() if is_control(a.type) and is_control(b.type):
                self.control(a, b)
            case ir.Read(), ir.Read():
                if a.type != b.type:  # the text is not made for every read
                    raise Mismatch(f"one is {a.type}, the other {b.type}", a, b)
                self.access(a.name, a.idx, b.name, b.idx, a, b)
            case ir.Literal(), ir.Literal():
                _require(a.value == b.value and a.type == b.type, "the constants differ", a, b)
            case ir.UnaryMinus(arg=x), ir.UnaryMinus(arg=y):
                self.data(x, y)
            case ir.BinaryOp(), ir.BinaryOp() if a.op == b.op:
                self.data(a.lhs, b.lhs)
                self.data(a.rhs, b.rhs)
            case ir.ExternCall(), ir.ExternCall() if a.fn is b.fn and len(a.args) == len(b.args):
                for x, y in zip(a.args, b.args, strict=True):
                    self.data(x, y)
            case ir.Cast(), ir.Cast() if a.type == b.type:
                both = is_control(a.arg.type) and is_control(b.arg.type)
                self.control(a.arg, b.arg) if both else self.data(a.arg, b.arg)
            case ir.ReadConfig(), ir.ReadConfig() if a.config is b.config and a.field == b.field:
                pass
            case ir.ReadConfig(), ir.Read() | ir.Literal() if held(self.ctx, a, b):
                pass
            case _ if is_control(a.type) and is_control(b.type):
                self.control(a, b)
            case _:  # what is not known to agree does not
                raise Mismatch("the expressions differ", a, b)

    def _is_scalar_formal(self, name: Sym) -> bool:
        return name in self.formals and isinstance(self.formals[name].type, ScalarType)

    def literal(self, name: Sym, value: ir.Literal | ir.ReadConfig, at: ir.Expr) -> None:
        """A formal would stand for a literal or a field."""
        old = self.solution.literals.setdefault(name, value)
        same = same_expr(old, value) and value.type == self.formals[name].type
        _require(same, f"{name.name} would have to be two different constants, or of another type", at, value)
        _require(name not in self.accesses, f"{name.name} would have to be a constant and a buffer", at, value)

    def control(self, a: ir.Expr, b: ir.Expr) -> None:
        """Two control expressions match: an equation, or two conditions."""
        _require((a.type is BOOL) == (b.type is BOOL), "the expressions differ", a, b)
        if a.type is BOOL:  # a part of a condition on data
            self.condition(a, b)
        else:
            ((x,), (y,)) = self.forms([a], [b], a, b)
            self.equate(x, y, a, b)

    def forms(self, a: Sequence[ir.Expr], b: Sequence[ir.Expr], at: ir.Node, other: ir.Node) -> tuple[list[Lin], list[Lin]]:
        """The forms of index expressions; clamped data must match, and is the same unknown in both lists."""
        if not any(map(depends_on_data, (*a, *b))):
            return [index_lin(e) for e in a], [index_lin(e) for e in b]
        calls, others = ([call for e in side for call in clamped_data(e)] for side in (a, b))
        _require(len(calls) == len(others), "the expressions differ", at, other)
        for x, y in zip(calls, others, strict=True):
            self.data(x.args[0], y.args[0])
            for limit, limit_y in zip(x.args[1:], y.args[1:], strict=True):
                self.control(limit, limit_y)
            self.clamped[id(x.args)] = self.clamped[id(y.args)] = name = Sym("idx")
            self.bound.add(name)
        lowering = Lowering(symbolic=True, clamped=self.clamped)
        return [lowering.index(e) for e in a], [lowering.index(e) for e in b]

    def condition(self, a: ir.Expr, b: ir.Expr) -> None:
        """Conditions match as formulas: the same comparisons in the same order; data conditions node by node."""
        if depends_on_data(a) or depends_on_data(b):
            self.data(a, b)
            return
        if isinstance(a, ir.Read) and a.name in self.formals:
            self.solution.bools.setdefault(a.name, b)
            return
        self.formulas(Lowering(symbolic=True).truth(a), Lowering(symbolic=True).truth(b), a, b)

    def formulas(self, f: Formula, g: Formula, a: ir.Expr, b: ir.Expr) -> None:
        """Two formulas match part by part."""
        match f, g:
            case (Ge(lin=x), Ge(lin=y)) | (Eq(lin=x), Eq(lin=y)):
                self.equate(x, y, a, b)
            case (And(args=left), And(args=right)) | (Or(args=left), Or(args=right)) if len(left) == len(right):
                for inner_f, inner_g in zip(left, right, strict=True):
                    self.formulas(inner_f, inner_g, a, b)
            case Bool(), Bool() if self.locals.get(f.name, f.name) is g.name and f.positive == g.positive:
                pass
            case Const(), Const() if f == g:
                pass
            case _:
                raise Mismatch("the conditions differ", a, b)

    # ---- equations

    def map(self, lin: Lin) -> Lin:
        """A form over the callee's names over the block's, as far as known."""
        # Iterators first: where a loop starts at an expression, theirs may mention a formal that was not known then.
        return affine.subst(affine.subst(lin, self.iterators), self.solution.controls)

    def here(self, lin: Lin) -> Lin:
        """A form over the block's names as it is written where what is known counts."""
        return affine.subst(self.ctx.settle(lin), self.ctx.known.equations) if self.facts else lin

    def numbered(self, lin: Lin) -> Lin:
        """A form over the block's names, with numbers for quotients that can be only one: `c / 16` is 0 in a loop up to 16."""
        if not self.facts or self.bound.isdisjoint(affine.syms(lin)):
            return lin
        inside = self.ctx.assume(self.ranges)
        values = {atom: inside.value(affine.of_atom(atom)) for atom in lin.terms if isinstance(atom, affine.Quot)}
        return affine.subst(lin, {atom: affine.const(value) for atom, value in values.items() if value is not None})

    def same(self, a: Lin, b: Lin) -> bool:
        """Whether two forms over the block's names are equal."""
        return a == b or (self.facts and self.ctx.holds(fml.eq(a, b)))

    def equate(self, a: Lin, b: Lin, at: ir.Node, other: ir.Node) -> None:
        """Two forms are to be equal: an equation for the formals in it."""
        self.equations.append((self.map(a) - b, at, other))

    def solve_controls(self) -> None:
        """Solve the equations for the control formals, one unknown at a time; what is left over must vanish."""
        progress = True
        while progress:
            progress = False
            rest: list[tuple[Lin, ir.Node, ir.Node]] = []
            for lin, a, b in self.equations:
                lin = self.here(self.map(lin))
                unknown = [n for n in set(affine.syms(lin)) if n in self.control_formals]
                if not unknown:
                    _require(self.same(lin, affine.ZERO), "the control expressions differ", a, b, final=lin.is_const)
                    progress = True
                elif len(unknown) == 1 and abs(lin.terms.get(unknown[0], 0)) == 1:
                    self.define(unknown[0], lin, a, b)
                    progress = True
                else:
                    rest.append((lin, a, b))
            self.equations = rest

    def define(self, name: Sym, lin: Lin, a: ir.Node, b: ir.Node) -> None:
        """A formal's value, which must be the one that it has already, if any."""
        sign = lin.terms[name]
        value = Lin(-sign * lin.const, {x: -sign * c for x, c in lin.terms.items() if x is not name})
        closed = self.bound.isdisjoint(affine.syms(value))
        _require(closed, f"{name.name} would depend on a name that the block binds", a, b)
        self.solution.controls[name] = value

    # ---- windows

    def access(
        self,
        a: Sym,
        idx_a: Sequence[ir.Expr],
        b: Sym,
        idx_b: Sequence[ir.Expr],
        at: ir.Node,
        other: ir.Node,
        ranged: Flags | None = None,
    ) -> None:
        """Two accesses match: a formal gets a window, another name its own counterpart."""
        low_a, low_b = self.forms(idx_a, idx_b, at, other)
        if a in self.locals:
            same_kinds = ranged is None or ranged[0] == ranged[1]
            same_buffer = self.locals[a] is b and len(idx_a) == len(idx_b)
            _require(same_buffer and same_kinds, "different buffers are accessed", at, other)
            for x, y, part, part_b in zip(low_a, low_b, idx_a, idx_b, strict=True):
                self.equate(x, y, part, part_b)
            return
        _require(b not in self.bound, f"{a.name} would have to be {b.name}, which the block allocates", at, other)
        _require(a not in self.solution.literals, f"{a.name} would have to be a constant and a buffer", at, other)
        for part in idx_a:
            if _picks(part) and any(name in self.control_formals for name in affine.syms(index_lin(part))):
                self.picked(part, idx_b, at, other)
        self.accesses.setdefault(a, []).append(Bind(low_a, low_b, b, at, other, ranged))

    def picked(self, x: ir.Expr, idx_b: Sequence[ir.Expr], at: ir.Node, other: ir.Node) -> None:
        """An index of the callee that is a least or greatest value determines formals as if the window began at 0."""
        # The last index, as where a window goes on is guessed from the last dimensions too.
        like = next((y for y in reversed(idx_b) if _picks(y) and self._moves(y)), None)
        _require(like is not None, "the indices differ", at, other)
        assert like is not None
        self.same_picks(x, like, at, other)

    def same_picks(self, x: ir.Expr, y: ir.Expr, at: ir.Node, other: ir.Node) -> None:
        """Least and greatest values of the same form: equations between what they choose from."""
        if isinstance(x, ir.ExternCall) and isinstance(y, ir.ExternCall) and _picks(x):
            _require(x.fn is y.fn, "the indices differ", at, other)
            chosen = sorted(x.args, key=self._moves), sorted(y.args, key=self._moves)
            for inner, inner_y in zip(*chosen, strict=True):
                self.same_picks(inner, inner_y, at, other)
        else:
            self.equate(index_lin(x), index_lin(y), at, other)

    def _moves(self, expr: ir.Expr) -> bool:
        """Whether an index goes with a loop of the callee or of the block."""
        names = affine.syms(index_lin(expr))
        return any(name in self.iterators or name in self.bound for name in names)

    def window(self, formal: Sym, uses: Sequence[Bind]) -> WindowGuess:
        """The window that explains all accesses to a buffer formal."""
        buffer = uses[0].buffer
        for use in uses:
            if use.buffer is not buffer:
                raise Mismatch(f"{formal.name} would have to be both {buffer.name} and {use.buffer.name}", use.at, use.other)
        mapped = [use._replace(callee=[self.map(i) for i in use.callee]) for use in uses]
        found = self.guess(buffer, mapped)
        if found is not None:
            return found
        # The first access that no window explains together with those before it.
        first = next(n for n in range(len(mapped)) if self.guess(buffer, mapped[: n + 1]) is None)
        raise Mismatch(f"no window of {buffer.name} explains all accesses to {formal.name}", uses[first].at, uses[first].other)

    def guess(self, buffer: Sym, uses: Sequence[Bind]) -> WindowGuess | None:
        """The window of which all uses of a formal could be, if there is one."""
        rank, buffer_rank = len(uses[0].callee), len(uses[0].block)
        # Where several would do, the last dimensions, of which instructions demand that they are dense.
        for chosen in reversed(list(combinations(range(buffer_rank), rank))):
            dims: list[int | None] = [None] * buffer_rank
            for formal_dim, buffer_dim in enumerate(chosen):
                dims[buffer_dim] = formal_dim
            offsets = self.offsets(dims, uses) if all(_goes_on_alike(dims, use.ranged) for use in uses) else None
            if offsets is not None:
                return WindowGuess(buffer, offsets, tuple(dims))
        return None

    def offsets(self, dims: Sequence[int | None], uses: Sequence[Bind]) -> list[Lin] | None:
        """Per dimension of the buffer the block's index less the callee's: the same for every use, free of bound names."""
        result: list[Lin] = []
        for buffer_dim, formal_dim in enumerate(dims):
            found: Lin | None = None
            for use in uses:
                index = use.block[buffer_dim]
                offset = self.numbered(self.here(index - use.callee[formal_dim] if formal_dim is not None else index))
                if found is None:
                    found = offset
                if not self.same(offset, found) or self.bound & set(affine.syms(offset)) or self.has_unknown(offset):
                    return None
            assert found is not None
            result.append(found)
        return result

    def has_unknown(self, lin: Lin) -> bool:
        """Whether a formal without a value occurs in lin."""
        return any(n in self.control_formals and n not in self.solution.controls for n in affine.syms(lin))


def _picks(expr: ir.Expr) -> bool:
    """Whether an index is the least or the greatest of two."""
    return isinstance(expr, ir.ExternCall) and expr.fn in (MIN, MAX)


def _starts(entries: Sequence[ir.Expr | ir.Interval]) -> list[ir.Expr]:
    return [e.lo if isinstance(e, ir.Interval) else e for e in entries]


def _goes_on_alike(dims: Sequence[int | None], ranged: Flags | None) -> bool:
    """Whether a window of the block goes on in the dimensions in which that of the callee does."""
    if ranged is None:
        return True
    callee, block = ranged
    return all(block[at] == (dim is not None and callee[dim]) for at, dim in enumerate(dims))
