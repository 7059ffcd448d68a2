"""What is known at a place in a procedure: facts about control values, windows in scope, shapes and strides of buffers.

Facts are the assertions, `size >= 1`, positive extents, the ranges of enclosing loops, the conditions of enclosing
branches, and earlier `check`s. Reference: Reinking 2022, §3.6.1 (the control predicate).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from weakref import WeakKeyDictionary

from usl_core.analysis import affine, dataflow
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin, Stride
from usl_core.analysis.bounding import Hypotheses
from usl_core.analysis.dataflow import Datum, Env, Transformer, Value
from usl_core.analysis.effects import Access, WindowMap, argument_map, resolve, summary, window_map
from usl_core.analysis.fields_used import field_use
from usl_core.analysis.formula import Formula
from usl_core.analysis.lower import Lowering, form_of, index_lin
from usl_core.analysis.solver import Answer, holds, prove
from usl_core.cursors.path import Path
from usl_core.ir.config import FieldSym
from usl_core.ir.memo import per_node
from usl_core.ir.memory import DRAM, MemoryClass
from usl_core.ir.nodes import (
    Alloc,
    Arg,
    Check,
    Expr,
    For,
    If,
    Interval,
    Node,
    Proc,
    Read,
    Stmt,
    WindowExpr,
    WindowStmt,
)
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import get_field
from usl_core.ir.types import COND, SIZE, ScalarType, TensorType


@dataclass(frozen=True, slots=True)
class BufferInfo:
    """A buffer or window in scope: its type, memory, and for a named window the expression that defines it."""

    type: ScalarType | TensorType
    mem: MemoryClass
    window: WindowExpr | None = None
    is_formal: bool = False
    depth: int = 0
    """How many loops enclose its binding."""


@dataclass(frozen=True)
class Context:
    """An immutable context; `enter` and `after` give those of neighbouring places."""

    facts: tuple[Formula, ...] = ()
    windows: Mapping[Sym, WindowMap] = field(default_factory=dict)
    buffers: Mapping[Sym, BufferInfo] = field(default_factory=dict)
    loops: tuple[For, ...] = ()
    field_facts: tuple[Formula, ...] = ()
    """Facts about what fields hold just here (`Held`). They are apart, since they say nothing of another instance of the same
    code, whose iterators are others: only `prove` uses them."""
    fields: Mapping[FieldSym, Value] = field(default_factory=dict)
    """What configuration fields hold here that may have been written since the start of the procedure."""
    tracks: bool = True
    """Whether the procedure uses configuration at all."""
    writes: int = 0
    """How many statements have changed fields on the way here."""

    def bindings(self, names: frozenset[Sym]) -> object:
        """What names are bound to, and what configuration fields hold: with the facts, all that obligations depend on."""
        shown = frozenset((name, self._binding(name)) for name in names if name in self.buffers)
        return (shown, frozenset(self.fields.items())) if self.fields else shown

    def _binding(self, name: Sym) -> object:
        info = self.buffers[name]
        return info.type if info.window is None else (info.window, self._binding(info.window.name))

    def but(
        self,
        *,
        facts: tuple[Formula, ...] | None = None,
        windows: Mapping[Sym, WindowMap] | None = None,
        buffers: Mapping[Sym, BufferInfo] | None = None,
        loops: tuple[For, ...] | None = None,
    ) -> Context:
        """A copy with other parts; `dataclasses.replace` takes ten times as long."""
        return Context(
            self.facts if facts is None else facts,
            self.windows if windows is None else windows,
            self.buffers if buffers is None else buffers,
            self.loops if loops is None else loops,
            self.field_facts,
            self.fields,
            self.tracks,
            self.writes,
        )

    # -- construction

    @staticmethod
    def of_proc(proc: Proc) -> Context:
        """At the start of the body."""
        use = field_use(proc)
        return _at_start(proc.args, proc.preds, use.all)

    @staticmethod
    def at(proc: Proc, path: Path) -> Context:
        """Just before the node at path is executed (for an expression: before its statement; for a body: inside it)."""
        ctx = Context.of_proc(proc)
        node: Node = proc
        for name, position in path:
            if name in ("body", "orelse"):
                assert position is not None
                if not isinstance(node, Proc):
                    assert isinstance(node, Stmt)
                    ctx = ctx.enter(node, name)
                block = get_field(node, name)
                ctx = ctx.after_all(block[:position])
                node = block[position]
            else:
                break
        return ctx

    def assume(self, facts: Iterable[Formula]) -> Context:
        new = [p for f in facts for p in fml.conjuncts(f) if p is not fml.TRUE]
        if not new:
            return self
        here = [f for f in new if self.fields and any(isinstance(name, Held) for name in fml.free_syms(f))]
        if not here:
            return self.but(facts=(*self.facts, *new))
        lasting = [f for f in new if f not in here]
        return replace(self, facts=(*self.facts, *lasting), field_facts=(*self.field_facts, *here))

    def enter(self, stmt: Stmt, branch: str) -> Context:
        """Inside a loop's body or a branch of an if."""
        match stmt:
            case For(iter=name, lo=lo, hi=hi):
                index = affine.var(name)
                inside = self.assume([fml.le(self.index(lo), index), fml.lt(index, self.index(hi))])
                if self.tracks:
                    inside = inside._with_fields(stmt, dataflow.before_iteration(stmt), inside=True)
                return inside.but(loops=(*self.loops, stmt))
            case If(cond=cond):
                if cond.type is COND:
                    return self
                truth = self.truth(cond)
                return self.assume([truth if branch == "body" else fml.not_(truth)])
            case _:
                raise AssertionError(f"not a statement with a body: {stmt!r}")

    def after_all(self, block: Iterable[Stmt]) -> Context:
        """After several statements of one block."""
        ctx, allocs = self, list[Alloc]()
        for stmt in block:
            if isinstance(stmt, Alloc):
                allocs.append(stmt)
            elif self.tracks or isinstance(stmt, WindowStmt | Check):
                ctx, allocs = ctx._after_allocs(allocs).after(stmt), []
        return ctx._after_allocs(allocs)

    def _after_allocs(self, allocs: Sequence[Alloc]) -> Context:
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

    def after(self, stmt: Stmt) -> Context:
        """After a statement of the same block: its binding, or what its `check` established."""
        match stmt:
            case Alloc():
                return self._after_allocs((stmt,))
            case WindowStmt(name=name, rhs=rhs):
                assert isinstance(rhs.type, TensorType)
                info = BufferInfo(rhs.type, self.buffers[rhs.name].mem, window=rhs, depth=len(self.loops))
                bound = self.but(buffers={**self.buffers, name: info}, windows={**self.windows, name: window_map(rhs)})
                return bound._knowing(_extents_of(stmt))
            case Check(cond=cond):
                return self.assume([self.truth(cond)])
            case _ if self.tracks:
                return self._with_fields(stmt, dataflow.of_stmt(stmt))
            case _:
                return self

    # -- configuration

    def _with_fields(self, stmt: Stmt, step: Transformer, *, inside: bool = False) -> Context:
        """After code of stmt that did step (inside: in its body, after earlier iterations). A value of several cases becomes a
        new variable, with facts that say what it is."""
        modified = summary(stmt).modified
        lost = {f for f, value in self.fields.items() if _is_of(value, modified)}
        if not step and not lost:
            return self
        here = self._env
        values, facts = dict(self.fields), list[Formula]()
        for name in sorted({*step, *lost}):
            cases = [(here.formula(c.guard), here.value(c.value)) for c in step.get(name, ())]
            cases = [(guard, value) for guard, value in cases if not _is_of(value, modified)]
            certain = [value for guard, value in cases if guard == fml.TRUE or self.holds(guard)]
            if certain:
                values[name] = certain[0]
                continue
            new = _unknown(stmt, name, inside, self.writes)
            values[name] = dataflow.of_sym(name, new)
            if not isinstance(values[name], Datum):  # equality of data is known or not, but no formula
                facts += [fml.implies(guard, dataflow.equal(value, values[name])) for guard, value in cases]
            if name.declared.type is SIZE:
                facts.append(fml.ge(affine.var(new), 1))
        return replace(self, fields=values, writes=self.writes + 1).assume(facts)

    def field(self, name: FieldSym) -> Value:
        """What a configuration field holds here, in terms of what fields held at the start of the procedure."""
        return self.fields.get(name, dataflow.identity(name))

    # -- questions

    def index(self, expr: Expr) -> Lin:
        """The linear form of an index expression; strides of dense buffers and of windows are resolved, and fields are read."""
        form = form_of(expr)
        if form is None:
            return self.settle(Lowering(symbolic=True).index(expr))
        return form.lin if form.steady else self.settle(form.lin)

    def index_in_range(self, expr: Expr) -> tuple[Lin, Sequence[Formula]]:
        """`index`, and what is known of the clamped data in it."""
        form = form_of(expr)
        if form is not None:
            return (form.lin if form.steady else self.settle(form.lin)), ()
        lowering = Lowering(symbolic=True)
        value = self.settle(lowering.index(expr))
        return value, [self.settle_truth(r) for r in lowering.ranges]

    def truth(self, expr: Expr) -> Formula:
        return self.settle_truth(Lowering(symbolic=True).truth(expr))

    def settle(self, lin: Lin) -> Lin:
        """A linear form whose strides and configuration fields are those of this place."""
        return affine.subst(lin, self._env.lins, self._env.strides)

    def settle_truth(self, formula: Formula) -> Formula:
        return self._env.formula(formula)

    @cached_property
    def _env(self) -> Env:
        values: dict[Sym, Value] = dict(self.fields.items())
        return Env.of(values, self._stride_atom)

    def settle_strides(self, formula: Formula) -> Formula:
        return fml.subst(formula, {}, self._stride_atom)

    def resolve_strides(self, lin: Lin) -> Lin:
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
            return self.window_stride(info.window, dim)
        if info.type.window:
            return affine.of_atom(Stride(name, dim))
        return affine.product([affine.const(1), *self.shape(name)[dim + 1 :]])

    def window_stride(self, window: WindowExpr, dim: int) -> Lin:
        ranged = [position for position, entry in enumerate(window.idx) if isinstance(entry, Interval)]
        return self.stride(window.name, ranged[dim])

    def argument_stride(self, actual: Expr, dim: int) -> Lin:
        """stride(formal, dim) of a callee's formal that gets the buffer argument actual."""
        match actual:
            case WindowExpr():
                return self.window_stride(actual, dim)
            case Read(name=name):
                return self.stride(name, dim)
            case _:
                raise AssertionError(f"not a buffer argument: {actual!r}")

    def resolve(self, access: Access) -> Access:
        """access in terms of allocations and formals instead of windows."""
        return resolve(access, self.windows)

    def resolve_all(self, accesses: Iterable[Access]) -> tuple[Access, ...]:
        return tuple(resolve(a, self.windows) for a in accesses)

    def root(self, name: Sym) -> Sym:
        """The allocation or formal that name shows."""
        while name in self.windows:
            name = self.windows[name].buffer
        return name

    def argument_map(self, actual: Expr) -> WindowMap:
        """A buffer argument as a map to an allocation or formal."""
        found = argument_map(actual)
        while found.buffer in self.windows:
            found = found.after(self.windows[found.buffer])
        return found

    def prove(self, goal: Formula, extra: Iterable[Formula] = ()) -> Answer:
        more = tuple(extra)
        return prove(Hypotheses((*self.hypotheses, *more)) if more else self.hypotheses, goal)

    def holds(self, goal: Formula) -> bool:
        """Whether goal is proved here."""
        return holds(self.hypotheses, goal)

    @cached_property
    def hypotheses(self) -> Hypotheses:
        """All facts, indexed for `prove`."""
        return Hypotheses((*self.facts, *self.field_facts))


@lru_cache(maxsize=64)
def _at_start(args: tuple[Arg, ...], preds: tuple[Expr, ...], fields: frozenset[FieldSym]) -> Context:
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
    return tuple(index_lin(e) for e in typ.shape) if isinstance(typ, TensorType) else ()


class Held(Sym):
    """A variable for what a field holds at one place of one iteration."""

    __slots__ = ()


_UNKNOWNS: WeakKeyDictionary[Stmt, dict[tuple[FieldSym, bool, int], Held]] = WeakKeyDictionary()


def _unknown(stmt: Stmt, field: FieldSym, inside: bool, position: int) -> Held:
    """The variable for what a field holds in (inside) or after stmt, the same each time that a context is built.

    position tells apart the places of one statement that occurs more than once in a procedure.
    """
    return _UNKNOWNS.setdefault(stmt, {}).setdefault((field, inside, position), Held(field.name))


def _is_of(value: Value, modified: Container[Sym]) -> bool:
    """Whether value is what one of the modified scalars holds, or held."""
    return isinstance(value, Datum) and value.key in modified


@per_node
def _extents_of(stmt: Alloc | WindowStmt) -> list[Formula]:
    """What is known of the extents of a buffer or window once it is bound."""
    typ = stmt.type if isinstance(stmt, Alloc) else stmt.rhs.type
    assert isinstance(typ, ScalarType | TensorType)
    return _extent_facts(typ)


def _extent_facts(typ: ScalarType | TensorType) -> list[Formula]:
    """Extents are at least 1: the frontend proves it where the buffer is bound."""
    facts = [fml.ge(extent, 1) for extent in shape_of(typ)]
    return [fact for fact in facts if fact is not fml.TRUE]
