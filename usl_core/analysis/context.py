"""What is known at a place in a procedure: facts about control values, windows in scope, shapes and strides of buffers.

Facts are the assertions, `size >= 1`, positive extents, the ranges of enclosing loops, the conditions of enclosing
branches, and earlier `check`s. Reference: Reinking 2022, §3.6.1 (the control predicate).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any

from usl_core.analysis import affine, dataflow
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Atom, Lin, Stride
from usl_core.analysis.bounding import Hypotheses
from usl_core.analysis.dataflow import Env, Value
from usl_core.analysis.effects import Access, WindowMap, argument_map, outer_stride, resolve, window_map
from usl_core.analysis.equations import limits, solved
from usl_core.analysis.fields_used import field_use
from usl_core.analysis.formula import Formula
from usl_core.analysis.holding import Changed, Holding, is_of_held
from usl_core.analysis.lower import Lowering, condition_of, form_of, index_lin, truth
from usl_core.analysis.solver import Answer, holds, prove
from usl_core.cursors.path import Path
from usl_core.ir import nodes as ir
from usl_core.ir.config import FieldSym
from usl_core.ir.memo import lazy, per_node
from usl_core.ir.memory import DRAM, MemoryClass
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import depends_on_data, get_field, mentioned
from usl_core.ir.types import SIZE, ControlType, ScalarType, TensorType


@dataclass(frozen=True, slots=True)
class BufferInfo:
    """A buffer or window in scope: its type, memory, and for a named window the expression that defines it."""

    type: ScalarType | TensorType
    mem: MemoryClass
    window: ir.WindowExpr | None = None
    is_formal: bool = False
    depth: int = 0
    """How many loops enclose its binding."""


@dataclass(frozen=True)
class Context:
    """An immutable context; `enter` and `after` give those of neighbouring places."""

    facts: tuple[Formula, ...] = ()
    windows: Mapping[Sym, WindowMap] = field(default_factory=dict)
    buffers: Mapping[Sym, BufferInfo] = field(default_factory=dict)
    loops: tuple[ir.For, ...] = ()
    tracks: bool = True
    """Whether the procedure uses configuration at all."""
    base: Holding = field(default_factory=Holding)
    """What fields held at the last place where that had to be known."""
    changed: Changed | None = None
    """What may have changed fields since; worked out only when an obligation is about fields."""
    asserted: bool = False
    """Whether conditions around or before this place are about what fields hold."""
    holds_data: bool = False
    """Whether some field may be known to hold what a scalar holds."""

    # -- what fields hold

    @property
    def fields(self) -> Mapping[FieldSym, Value]:
        """What configuration fields hold here that may have been written since the start of the procedure."""
        return self.holding.values

    @property
    def field_facts(self) -> tuple[Formula, ...]:
        """Facts about what fields hold just here (`Held`). They are apart, since they say nothing of another instance of the
        same code, whose iterators are others: only `prove` uses them."""
        return self.holding.facts

    @property
    def holding(self) -> Holding:
        """What fields hold here, and what is known of that."""
        return self.base if self.changed is None else self.changed.holding

    def known_to(self, stmt: ir.Stmt) -> tuple[object, frozenset[Formula]]:
        """All that the obligations of stmt depend on: what its names are bound to and what fields hold, and the facts."""
        shown = frozenset((name, self._binding(name)) for name in mentioned(stmt) if name in self.buffers)
        if self._tells_of_fields and not self.asserted and not field_use(stmt).read:
            return shown, self._plain.members
        return (shown, frozenset(self.fields.items())), self.hypotheses.members

    @property
    def _tells_of_fields(self) -> bool:
        """Whether fields may have been changed on the way here."""
        return self.changed is not None or bool(self.base.values)

    def _binding(self, name: Sym) -> object:
        info = self.buffers[name]
        return info.type if info.window is None else (info.window, self._binding(info.window.name))

    def but(self, **parts: Any) -> Context:
        """A copy with other parts; `dataclasses.replace` takes ten times as long."""
        copy, mine = object.__new__(Context), self.__dict__
        copy.__dict__.update({name: mine[name] for name in _PARTS})
        copy.__dict__.update(parts)
        return copy

    # -- construction

    @staticmethod
    def of_proc(proc: ir.Proc) -> Context:
        """At the start of the body."""
        use = field_use(proc)
        return _at_start(proc.args, proc.preds, use.all)

    @staticmethod
    def at(proc: ir.Proc, path: Path) -> Context:
        """Just before the node at path is executed (for an expression: before its statement; for a body: inside it)."""
        ctx = Context.of_proc(proc)
        node: ir.Node = proc
        for name, position in path:
            if name in ("body", "orelse"):
                assert position is not None
                if not isinstance(node, ir.Proc):
                    assert isinstance(node, ir.StmtBase)
                    ctx = ctx.enter(node, name)
                block = get_field(node, name)
                ctx = ctx.after_all(block[:position])
                node = block[position]
            else:
                break
        return ctx

    def assume(self, facts: Iterable[Formula]) -> Context:
        """With more facts; what was known stays known."""
        new = [p for f in facts for p in fml.conjuncts(f) if p is not fml.TRUE]
        if not new:
            return self
        here = [f for f in new if is_of_held(f)] if self.tracks else []
        if not here:
            return self.but(facts=(*self.facts, *new))
        lasting = [f for f in new if f not in here]
        holding = replace(self.holding, facts=(*self.field_facts, *here))
        return self.but(facts=(*self.facts, *lasting), base=holding, changed=None, asserted=True)

    def enter(self, stmt: ir.Stmt, branch: str) -> Context:
        """Inside a loop's body or a branch of an if."""
        match stmt:
            case ir.For(iter=name, lo=lo, hi=hi):
                limits = _range(name, self.index(lo), self.index(hi))
                if not self.tracks:
                    return self.but(facts=(*self.facts, *limits), loops=(*self.loops, stmt))
                return self.assume(limits)._changed_by(stmt, inside=True).but(loops=(*self.loops, stmt))
            case ir.If(cond=cond):
                if depends_on_data(cond):
                    return self
                return self.assume([self.truth(cond) if branch == "body" else self.falsity(cond)])
            case ir.SimpleStmt():
                raise AssertionError(f"not a statement with a body: {stmt!r}")

    def after_all(self, block: Iterable[ir.Stmt]) -> Context:
        """After several statements of one block."""
        ctx, allocs = self, list[ir.Alloc]()
        for stmt in block:
            if isinstance(stmt, ir.Alloc):
                allocs.append(stmt)
            elif self.tracks or isinstance(stmt, ir.WindowStmt | ir.Check):
                ctx, allocs = ctx._after_allocs(allocs).after(stmt), []
        return ctx._after_allocs(allocs)

    def _after_allocs(self, allocs: Sequence[ir.Alloc]) -> Context:
        """After several allocations: the map of buffers is copied once for all."""
        if not allocs:
            return self
        depth = len(self.loops)
        infos = {stmt.name: BufferInfo(stmt.type, stmt.mem, depth=depth) for stmt in allocs}
        return self.but(buffers={**self.buffers, **infos})._knowing(f for stmt in allocs for f in _extents_of(stmt))

    def _knowing(self, facts: Iterable[Formula]) -> Context:
        """With facts about sizes alone, which often are known already."""
        new = [f for f in dict.fromkeys(facts) if f not in self.facts]
        return self.but(facts=(*self.facts, *new)) if new else self

    def after(self, stmt: ir.Stmt) -> Context:
        """After a statement of the same block: its binding, or what its `check` established."""
        match stmt:
            case ir.Alloc():
                return self._after_allocs((stmt,))
            case ir.WindowStmt(name=name, rhs=rhs):
                assert isinstance(rhs.type, TensorType)
                info = BufferInfo(rhs.type, self.buffers[rhs.name].mem, window=rhs, depth=len(self.loops))
                bound = self.but(buffers={**self.buffers, name: info}, windows={**self.windows, name: window_map(rhs)})
                return bound._knowing(_extents_of(stmt))
            case ir.Check(cond=cond):
                return self.assume([self.truth(cond)])
            case _ if self.tracks:
                return self._changed_by(stmt)
            case ir.SimpleStmt() | ir.If() | ir.For():
                return self

    def walk(self, block: ir.Block) -> Iterator[tuple[Context, ir.Stmt]]:
        """The statements of block, which stands here, and all inside, in source order, each with the context before it."""
        ctx = self
        for stmt in block:
            yield ctx, stmt
            match stmt:
                case ir.For(body=body):
                    yield from ctx.enter(stmt, "body").walk(body)
                case ir.If(body=body, orelse=orelse):
                    yield from ctx.enter(stmt, "body").walk(body)
                    yield from ctx.enter(stmt, "orelse").walk(orelse)
                case ir.SimpleStmt():
                    pass
            ctx = ctx.after(stmt)

    # -- configuration

    def _changed_by(self, stmt: ir.Stmt, *, inside: bool = False) -> Context:
        """After stmt (inside: in its body, after earlier iterations): it may have changed fields, or scalars that they hold."""
        written = field_use(stmt).written
        if not written and not self.holds_data:
            return self
        data = self.holds_data or any(not isinstance(f.declared.type, ControlType) for f in written)
        return self.but(changed=Changed(self, stmt, inside), holds_data=data)

    def field(self, name: FieldSym) -> Value:
        """What a configuration field holds here, in terms of what fields held at the start of the procedure."""
        return self.fields.get(name, dataflow.identity(name))

    # -- questions

    def index(self, expr: ir.Expr) -> Lin:
        """The linear form of an index expression; strides of dense buffers and of windows are resolved, and fields are read."""
        form = form_of(expr)
        if form is None:
            return self.settle(Lowering(symbolic=True).index(expr))
        return form.lin if form.steady else self.settle(form.lin)

    def index_in_range(self, expr: ir.Expr) -> tuple[Lin, Sequence[Formula]]:
        """`index`, and what is known of the clamped data in it."""
        form = form_of(expr)
        if form is not None:
            return (form.lin if form.steady else self.settle(form.lin)), ()
        lowering = Lowering(symbolic=True)
        value = self.settle(lowering.index(expr))
        return value, [self.settle_truth(r) for r in lowering.ranges]

    def truth(self, expr: ir.Expr) -> Formula:
        """The formula of a control condition, with strides and fields replaced by what is known of them."""
        found = condition_of(expr)
        return found.formula if found is not None and found.steady else self.settle_truth(truth(expr))

    def falsity(self, expr: ir.Expr) -> Formula:
        """That a condition does not hold."""
        found = condition_of(expr)
        return found.opposite if found is not None and found.steady else fml.not_(self.truth(expr))

    def settle(self, lin: Lin) -> Lin:
        """A linear form whose strides and configuration fields are those of this place."""
        if not any(isinstance(name, FieldSym) for name in affine.syms(lin)):
            return self.resolve_strides(lin)
        return affine.subst(lin, self.env.lins, self.env.strides)

    def settle_truth(self, formula: Formula) -> Formula:
        """`settle` for a formula."""
        if not any(isinstance(name, FieldSym) for name in fml.free_syms(formula)):
            return self.settle_strides(formula)
        return self.env.formula(formula)

    @lazy
    def env(self) -> Env:
        """What fields hold and strides are here, to be put into forms and formulas."""
        values: dict[Sym, Value] = dict(self.fields.items())
        return Env.of(values, self._stride_atom)

    def settle_strides(self, formula: Formula) -> Formula:
        """The formula with strides replaced by what is known of them."""
        return fml.subst(formula, {}, self._stride_atom)

    def resolve_strides(self, lin: Lin) -> Lin:
        """The form with strides replaced by what is known of them."""
        return affine.subst(lin, {}, self._stride_atom)

    def _stride_atom(self, stride: Stride) -> Lin | None:
        value = self.stride(stride.buffer, stride.dim)
        ((atom, c),) = value.terms.items() if len(value.terms) == 1 else ((None, 0),)
        return None if atom == stride and c == 1 else value

    def shape(self, name: Sym) -> tuple[Lin, ...]:
        """The extents of a buffer or window; empty for a scalar."""
        return shape_of(self.buffers[name].type)

    def stride(self, name: Sym, dim: int) -> Lin:
        """The distance in elements between neighbours of dimension dim."""
        info = self.buffers.get(name)
        if info is None or not isinstance(info.type, TensorType):
            return affine.of_atom(Stride(name, dim))
        if info.window is not None:
            outer = outer_stride(info.window, dim)
            return self.stride(outer.buffer, outer.dim)
        if info.type.window:
            return affine.of_atom(Stride(name, dim))
        return affine.product([affine.const(1), *self.shape(name)[dim + 1 :]])

    def resolve(self, access: Access) -> Access:
        """access in terms of allocations and formals instead of windows."""
        return resolve(access, self.windows)

    def resolve_all(self, accesses: Iterable[Access]) -> tuple[Access, ...]:
        """The accesses with windows replaced by the buffers that they show."""
        return tuple(resolve(a, self.windows) for a in accesses)

    def root(self, name: Sym) -> Sym:
        """The allocation or formal that name shows."""
        while name in self.windows:
            name = self.windows[name].buffer
        return name

    def argument_map(self, actual: ir.Expr) -> WindowMap:
        """A buffer argument as a map to an allocation or formal."""
        found = argument_map(actual)
        while found.buffer in self.windows:
            found = found.after(self.windows[found.buffer])
        return found

    def prove(self, goal: Formula, extra: Iterable[Formula] = ()) -> Answer:
        """Whether goal follows from what is known here and extra."""
        more = tuple(extra)
        known = self._about(goal, *more)
        return prove(Hypotheses((*known, *more)) if more else known, goal)

    def holds(self, goal: Formula) -> bool:
        """Whether goal is proved here."""
        return holds(self._about(goal), goal)

    def value(self, lin: Lin) -> int | None:
        """The only number that lin can be here; None if it may be several, or that is not known."""
        if lin.is_const:
            return lin.const
        number = self._about(fml.Eq(lin)).common(lin)
        return number if number is not None and self.holds(fml.eq(lin, affine.const(number))) else None

    @lazy
    def numbers(self) -> Mapping[Atom, Lin]:
        """Atoms that can be one number only, which is a bound of them, as the bounds of the others show."""
        ends = ((atom, end) for atom, end in limits(self.facts) if self._plain.bound(fml.Eq(affine.of_atom(atom) - end)))
        return {atom: affine.const(end) for atom, end in ends}

    @lazy
    def equations(self) -> Mapping[Atom, Lin]:
        """What else equations between control values determine, to be put into forms together with `numbers`."""
        return solved(self.facts, self.numbers)

    @lazy
    def hypotheses(self) -> Hypotheses:
        """All facts, indexed for `prove`."""
        if not self.field_facts:
            return self._plain
        return Hypotheses.at((*self.facts, *self.field_facts))

    @lazy
    def _plain(self) -> Hypotheses:
        return Hypotheses.at(self.facts)

    def _about(self, *formulas: Formula) -> Hypotheses:
        """The facts that say something of the names in formulas: those of fields only for formulas about fields, unless a
        condition joins them to other names."""
        if not self._tells_of_fields:
            return self.hypotheses
        return self.hypotheses if self.asserted or any(map(is_of_held, formulas)) else self._plain


_PARTS = tuple(part.name for part in fields(Context))


@lru_cache(maxsize=4096)
def _range(name: Sym, low: Lin, high: Lin) -> tuple[Formula, ...]:
    """`low <= name < high`, the same objects each time that the loop is entered."""
    index = affine.var(name)
    return tuple(f for f in (fml.le(low, index), fml.lt(index, high)) if f is not fml.TRUE)


@lru_cache(maxsize=64)
def _at_start(args: tuple[ir.Arg, ...], preds: tuple[ir.Expr, ...], fields: frozenset[FieldSym]) -> Context:
    """At the start of the body of procedures with this head: one object for all versions that share it."""
    facts: list[Formula] = []
    buffers: dict[Sym, BufferInfo] = {}
    for arg in args:
        if arg.type is SIZE:
            facts.append(fml.ge(affine.var(arg.name), 1))
        elif isinstance(arg.type, ScalarType | TensorType):
            buffers[arg.name] = BufferInfo(arg.type, arg.mem or DRAM, is_formal=True)
            facts += _extent_facts(arg.type)
    facts += [fml.ge(affine.var(f), 1) for f in sorted(fields) if f.declared.type is SIZE]
    ctx = Context(buffers=buffers, facts=tuple(dict.fromkeys(facts)), tracks=bool(fields))
    return ctx.assume([ctx.truth(p) for p in preds])


def shape_of(typ: ScalarType | TensorType) -> tuple[Lin, ...]:
    """The extents of a type as forms; none for a scalar."""
    return tuple(index_lin(e) for e in typ.shape) if isinstance(typ, TensorType) else ()


@per_node
def _extents_of(stmt: ir.Alloc | ir.WindowStmt) -> list[Formula]:
    """What is known of the extents of a buffer or window once it is bound."""
    typ = stmt.type if isinstance(stmt, ir.Alloc) else stmt.rhs.type
    assert isinstance(typ, ScalarType | TensorType)
    return _extent_facts(typ)


def _extent_facts(typ: ScalarType | TensorType) -> list[Formula]:
    """Extents are at least 1: the frontend proves it where the buffer is bound."""
    facts = [fml.ge(extent, 1) for extent in shape_of(typ)]
    return [fact for fact in facts if fact is not fml.TRUE]
